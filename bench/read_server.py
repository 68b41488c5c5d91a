"""A read through `tripwire serve` with 10,000 tripwires against the same server without any.

`python -m bench.read_server [--quick]` prints JSON. Two real processes, two copies of one project,
one call after the other over stdio, session and journal included. `warm` reads one file again and
again; `unseen` reads each file once. One tripwire matches every file that is read. `ratio` = p50
with tripwires / p50 without, the target is at most 2. `first_read_ms` pays for loading and index.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.gateway import Peer
from bench.measure import machine, percentile
from bench.read_index import trigger_lists

TRIPWIRES = 10_000
TARGET = 2.0
"""Times a read without tripwires."""

TEXT = "def total(order):\n    return sum(line.cents for line in order.lines)\n" * 20
CONTEXT = "What the team learnt about this part of the project, in a sentence or two."


class Reader(Peer):
    """A file server and reads through it."""

    def __init__(self, root: Path, home: Path) -> None:
        command = [sys.executable, "-m", "tripwire", "serve", "--project", str(root)]
        super().__init__(command, home, "")

    def read(self, path: str) -> float:
        """Milliseconds of one read. Raises RuntimeError unless the file came back."""
        params = {"name": "read_file", "arguments": {"path": path}}
        begin = time.perf_counter()
        answer = self.ask("tools/call", params)
        took = (time.perf_counter() - begin) * 1000
        if b"order.lines" not in answer:
            raise RuntimeError(f"the read failed: {answer[:300]!r}")
        self.told = b"<<<TRIPWIRE " in answer
        return took


def project(root: Path, files: int, tripwires: int) -> None:
    """So many files; of the tripwires one matches all of them, and is shown each time."""
    (root / "app").mkdir(parents=True)
    (root / ".tripwirerc.yml").write_text("repeat: always\n")
    for number in range(files):
        (root / "app" / f"order{number}.py").write_text(TEXT)
    (root / ".tripwires").mkdir()
    for number, triggers in enumerate(trigger_lists(tripwires)):
        patterns = ["app/*.py"] if number == 0 else triggers
        body = f"triggers: {json.dumps(patterns)}\ncontext: {CONTEXT}\ncreated_by: human\n"
        (root / ".tripwires" / f"t{number:05d}.yml").write_text(body)


def compared(bare: Reader, told: Reader, paths: list[str]) -> dict[str, float]:
    """Both servers on these paths, in turn."""
    without, with_ = [], []
    for path in paths:
        without.append(bare.read(path))
        with_.append(told.read(path))
    if bare.told or not told.told:
        raise RuntimeError("the wrong server tells")
    plain, knowing = statistics.median(without), statistics.median(with_)
    return {
        "without_p50_ms": round(plain, 2),
        "with_p50_ms": round(knowing, 2),
        "with_p99_ms": round(percentile(with_, 0.99), 2),
        "ratio": round(knowing / plain, 2),
        "ratio_of_means": round(statistics.fmean(with_) / statistics.fmean(without), 2),
    }


def main() -> int:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 60 if words.parse_args().quick else 400
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for name, tripwires in (("bare", 0), ("told", TRIPWIRES)):
            project(here / name, rounds + 1, tripwires)
        bare = Reader(here / "bare", here / "home")
        told = Reader(here / "told", here / "home")
        try:
            first = (bare.read("app/order0.py"), told.read("app/order0.py"))
            warm = compared(bare, told, ["app/order0.py"] * rounds)
            unseen = compared(bare, told, [f"app/order{n + 1}.py" for n in range(rounds)])
        finally:
            bare.close()
            told.close()
    report = {
        "bench": "read_server",
        "ok": max(warm["ratio"], unseen["ratio"]) <= TARGET,
        "tripwires": TRIPWIRES,
        "warm": warm,
        "unseen": unseen,
        "first_read_ms": {"without": round(first[0], 1), "with": round(first[1], 1)},
        "ratio_target": TARGET,
        "machine": machine(),
    }
    print(json.dumps(report, indent=2))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
