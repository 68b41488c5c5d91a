"""The trigger index: 10,000 tripwires of 3 patterns, a path it has not seen, one it has, memory.

`python -m bench.read_index [--quick]` prints JSON. CPU time, one core. The loop it is compared with
tries the same patterns, compiled one by one with RE2. `set` is one RE2 automaton over all of them.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import re2

from bench.measure import machine
from tripwire.text.path_glob import compile_pattern
from tripwire.text.path_index import PathIndex
from tripwire.text.path_regex import regex
from tripwire.text.path_syntax import parse

AREAS = ("billing", "auth", "search", "web", "jobs", "mail", "infra", "data")
KINDS = ("ts", "py", "sql", "go", "md")
TARGETS = {
    "build_s": 1.0,
    "unseen_us": 1000,
    "warm_us": 20,
    "memory_mib": 150,
    "unseen_ratio": 4,
    "warm_ratio": 200,
    "warm_growth": 10,
}


def trigger_lists(count: int) -> list[list[str]]:
    """Realistic triggers: a directory, a shape of file anywhere, a brace or a negation."""
    dice = random.Random(11)
    lists = []
    for number in range(count):
        area, kind = dice.choice(AREAS), dice.choice(KINDS)
        third = (
            f"!**/gen{number}/**",
            f"packages/p{number}/**/index.{{ts,tsx}}",
            f"{area}/**/[a-c]{number}*.{kind}",
        )
        lists.append(
            [f"src/{area}/module{number}/**", f"**/*{area}{number}.{kind}", third[number % 3]]
        )
    return lists


def paths(count: int, size: int) -> list[str]:
    """Different paths, half of them in some tripwire's directory."""
    dice = random.Random(5)
    found = []
    for number in range(count):
        area, module = dice.choice(AREAS), dice.randrange(size)
        inside = f"src/{area}/module{module}/deep/er/file{number}.ts"
        found.append(inside if number % 2 else f"lib/x{number}/{area}{module}.sql")
    return found


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def median_us(work: Callable[[str], object], over: list[str]) -> float:
    """Median CPU microseconds of one call."""
    return round(statistics.median(cpu(lambda p=path: work(p)) for path in over) * 1e6, 2)


def warm_us(index: PathIndex, path: str) -> float:
    """A path that the index has just seen; the clock is too coarse for a single call."""
    index.match(path)
    rounds = 2000
    return round(cpu(lambda: [index.match(path) for _ in range(rounds)]) / rounds * 1e6, 3)


def loop_over(lists: list[list[str]]) -> Callable[[str], object]:
    """Each positive pattern tried by itself."""
    compiled = [
        re2.compile("|".join(map(regex, parse(pattern))).encode())
        for triggers in lists
        for pattern in triggers
        if not pattern.startswith("!")
    ]
    return lambda path: [c for c in compiled if c.fullmatch(path.encode())]


def one_set(lists: list[list[str]]) -> Callable[[str], object]:
    """One automaton over all positive patterns."""
    options = re2.Options()
    options.max_mem = 1 << 30
    together = re2.Set.FullMatchSet(options)
    for triggers in lists:
        for pattern in triggers:
            if not pattern.startswith("!"):
                together.Add("|".join(map(regex, parse(pattern))))
    together.Compile()
    return together.Match


def memory_mib(size: int) -> float:
    """Resident growth of a fresh process by the lists, the index and 200 answers (Linux)."""
    code = (
        "from pathlib import Path; from bench import read_index as b;"
        "from tripwire.text.path_index import PathIndex;"
        "m = lambda: int(Path('/proc/self/statm').read_text().split()[1]) / 256; before = m();"
        f"i = PathIndex(b.trigger_lists({size})); [i.match(p) for p in b.paths(200, {size})];"
        "print(m() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return round(float(done.stdout), 1)


def measure(size: int) -> dict[str, object]:
    """All figures for one number of tripwires."""
    lists = trigger_lists(size)
    index = PathIndex(lists)
    compile_pattern.cache_clear()
    build = cpu(lambda: index.match("warm/up"))
    unseen = median_us(index.match, paths(200, size))
    warm = warm_us(index, "src/auth/module1/a.ts")
    loop = median_us(loop_over(lists), paths(5, size))
    return {
        "patterns": sum(map(len, lists)),
        "build_s": round(build, 3),
        "unseen_us": unseen,
        "warm_us": warm,
        "loop_us": loop,
        "set_unseen_us": median_us(one_set(lists), paths(5, size)),
        "unseen_ratio": round(loop / unseen, 1),
        "warm_ratio": round(loop / warm),
        "memory_mib": memory_mib(size),
    }


def main() -> int:
    """Print the report; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1,000 tripwires at most")
    sizes = [100, 1000] if parser.parse_args().quick else [100, 1000, 10_000]
    found = {str(size): measure(size) for size in sizes}
    first, last = found[str(sizes[0])], found[str(sizes[-1])]
    growth = round(float(last["warm_us"]) / float(first["warm_us"]), 2)
    at_most = ("build_s", "unseen_us", "warm_us", "memory_mib")
    good = all(float(last[key]) <= TARGETS[key] for key in at_most)
    good = good and all(float(last[k]) >= TARGETS[k] for k in ("unseen_ratio", "warm_ratio"))
    report = {
        "bench": "read_index",
        "machine": machine(),
        "tripwires": found,
        "warm_growth": growth,
        "targets": TARGETS,
        "ok": good and growth <= TARGETS["warm_growth"],
    }
    json.dump(report, sys.stdout, indent=2)
    print()
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
