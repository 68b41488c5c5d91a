"""How long a plan and its text take, and how that grows with the number of tripwires.

`python -m bench.read_plan` prints JSON: plan and render of 20 groups with a dependency each, and
the warm plan of one match among 100 and among 10,000 tripwires (read.md §8), in CPU time.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

from bench.measure import machine
from tripwire.model.tripwire import FileAccess, ReadConfig, Tripwire
from tripwire.read.hook_text import hook_text
from tripwire.read.render import injection
from tripwire.read.tripwire_set import TripwireSet

RUNS = 400
TARGET_US = 300
TARGET_GROWTH = 10
NOW = 1_781_524_800.0
TEXT = "What the team learnt about this part of the project, in a sentence or two.\n"


def groups(count: int) -> TripwireSet:
    """So many tripwires that match `src/a.ts`, each with a dependency of its own."""
    made = []
    for n in range(count):
        file = f".tripwires/t{n}.yml"
        made.append(Tripwire(f"t{n}", file, ("src/**",), TEXT * 3, depends_on=(f"d{n}",)))
        made.append(Tripwire(f"d{n}", f".tripwires/d{n}.yml", ("never/**",), TEXT))
    return TripwireSet("/project", ReadConfig(), made)


def single(count: int) -> TripwireSet:
    """So many tripwires with three patterns each, one of which matches `src/a.ts`."""
    made = [Tripwire("hit", ".tripwires/hit.yml", ("src/*.ts", "x/**", "y/**"), TEXT)]
    for n in range(count - 1):
        triggers = (f"pkg{n}/**", f"lib/{n}/*.py", f"docs/**/{n}.md")
        made.append(Tripwire(f"t{n}", f".tripwires/t{n}.yml", triggers, TEXT))
    return TripwireSet("/project", ReadConfig(), made)


def cpu_us(work: Callable[[], object]) -> float:
    """Median CPU time of a warm call."""
    work()
    samples = []
    for _ in range(RUNS):
        start = time.process_time_ns()
        work()
        samples.append(time.process_time_ns() - start)
    return round(statistics.median(samples) / 1000, 1)


def main() -> int:
    """Measure and print."""
    access = FileAccess("src/a.ts", ("src/a.ts",), real="src/a.ts")
    many, few, all_ = groups(20), single(100), single(10_000)
    plan = many.plan(access, now=NOW)
    shown = cpu_us(lambda: injection(many.plan(access, now=NOW)))
    small = cpu_us(lambda: few.plan(access, now=NOW))
    large = cpu_us(lambda: all_.plan(access, now=NOW))
    growth = round(large / small, 2)
    report = {
        "bench": "read_plan",
        "machine": machine(),
        "plan_and_render_20_groups_us": shown,
        "hook_text_us": cpu_us(lambda: hook_text(plan)),
        "one_of_100_us": small,
        "one_of_10000_us": large,
        "growth": growth,
        "targets": {"plan_and_render_us": TARGET_US, "growth": TARGET_GROWTH},
        "ok": shown <= TARGET_US and growth <= TARGET_GROWTH,
    }
    print(json.dumps(report, indent=2))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
