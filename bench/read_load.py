"""Loading a project's tripwires: 1,000 files cold, after a change of one, and with nothing changed.

`python -m bench.read_load [--quick]` prints JSON. CPU time, one core. `cold_ms` reads and parses
everything; `rescan_ms` looks at every file again and parses none; `decision_us` is what a decision
pays when it finds nothing changed.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measure import machine
from tripwire.io.tripwires import TripwireFolder

TARGETS = {"cold_ms": 100, "rescan_ms": 10}
FILES = 1_000
_FILE = """\
# why: a review
triggers:
  - "src/area{n}/**"
  - "lib/area{n}/*.py"
  - "!src/area{n}/gen/**"
context: |
  Area {n} belongs to another team.
  Ask them before the schema changes.
severity: high
created_by: human
learned_from: "PR {n}"
tags: [area, team-{team}]
"""


def write(root: Path, count: int = FILES) -> None:
    """So many files of realistic size."""
    place = root / ".tripwires"
    place.mkdir()
    for number in range(count):
        text = _FILE.format(n=number, team=number % 7)
        (place / f"area-{number:05d}.yml").write_text(text, "utf-8")


def seconds(work: Callable[[], object], rounds: int) -> list[float]:
    """CPU seconds of each round."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return taken


def rescan(root: Path, rounds: int) -> list[float]:
    """Looks at every file again: a further file that is no tripwire changes the directory."""
    folder = TripwireFolder(root)
    folder.current()
    time.sleep(0.3)
    folder.current()
    taken = []
    for number in range(rounds):
        (root / ".tripwires" / f"note-{number}.txt").write_text("x", "utf-8")
        taken += seconds(folder.current, 1)
    return taken


def measured(rounds: int) -> dict[str, float]:
    """The figures, medians."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write(root)
        cold = seconds(lambda: TripwireFolder(root).current(), rounds)
        again = rescan(root, rounds)
        folder = TripwireFolder(root)
        folder.current()
        time.sleep(0.3)
        folder.current()
        decision = seconds(folder.current, rounds * 5)
    return {
        "cold_ms": round(statistics.median(cold) * 1e3, 1),
        "rescan_ms": round(statistics.median(again) * 1e3, 2),
        "decision_us": round(statistics.median(decision) * 1e6, 1),
    }


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    found = measured(5 if parser.parse_args().quick else 40)
    good = all(found[name] <= most for name, most in TARGETS.items())
    report = {"bench": "read_load", "ok": good, "targets": TARGETS, **found, "machine": machine()}
    print(json.dumps(report, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
