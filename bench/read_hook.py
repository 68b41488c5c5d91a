"""A hook that injects knowledge, end to end: shim, daemon, plan and journal.

`python -m bench.read_hook [--quick]` prints JSON. Wall times in ms, interleaved in one run: `bare`
= `python -I -S -c pass`; `silent` = the hook for a file that no tripwire matches; `told` = the hook
for a file that one of 1,000 matches, each file once and each time told. `ratio` = told / bare; the
target is at most 1.5 with the daemon (read.md §8).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.hook import BARE, HOOK
from bench.measure import machine, percentile
from bench.read_server import project
from tripwire.io import daemon as resident

TRIPWIRES = 1_000
TARGET = 1.5
"""Times a bare interpreter."""


def event(root: Path, path: str, number: int) -> bytes:
    """A read that Claude Code is about to do."""
    body = {
        "hook_event_name": "PreToolUse",
        "session_id": "bench",
        "cwd": str(root),
        "permission_mode": "default",
        "tool_name": "Read",
        "tool_input": {"file_path": str(root / path)},
        "tool_use_id": f"toolu_{number}",
    }
    return json.dumps(body).encode()


def timed(command: list[str], stdin: bytes, env: dict[str, str], *, told: bool | None) -> float:
    """Milliseconds. Raises RuntimeError if it fails, or says what it should not."""
    start = time.perf_counter()
    done = subprocess.run(command, input=stdin, capture_output=True, env=env, check=False)
    took = (time.perf_counter() - start) * 1000
    if done.returncode or (told is not None and (b"additionalContext" in done.stdout) != told):
        raise RuntimeError(
            f"{command[-1]}: exit {done.returncode}, {done.stdout!r} {done.stderr!r}"
        )
    return took


def measure(runs: int) -> dict[str, object]:
    """All three in turn, in one session."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        here = Path(folder).resolve()
        env = {"PATH": os.environ["PATH"], "HOME": folder, "TRIPWIRE_HOME": f"{folder}/state"}
        root = here / "project"
        project(root, runs + 1, TRIPWIRES)
        (root / "README.md").write_text("No tripwire matches this.\n")
        times: dict[str, list[float]] = {"bare": [], "silent": [], "told": []}
        try:
            cold = timed(HOOK, event(root, "app/order0.py", 0), env, told=True)
            for number in range(1, runs + 1):
                path = f"app/order{number}.py"
                times["bare"].append(timed(BARE, b"", env, told=None))
                silent = event(root, "README.md", number)
                times["silent"].append(timed(HOOK, silent, env, told=False))
                times["told"].append(timed(HOOK, event(root, path, number), env, told=True))
        finally:
            resident.end(here / "state")
    bare, silent, told = (statistics.median(times[name]) for name in ("bare", "silent", "told"))
    return {
        "bench": "read_hook",
        "ok": told / bare <= TARGET,
        "bare_ms_p50": round(bare, 2),
        "silent_ms_p50": round(silent, 2),
        "told_ms_p50": round(told, 2),
        "told_ms_p99": round(percentile(times["told"], 0.99), 2),
        "ratio": round(told / bare, 2),
        "ratio_silent": round(silent / bare, 2),
        "ratio_target": TARGET,
        "first_event_starts_daemon_ms": round(cold, 1),
        "tripwires": TRIPWIRES,
        "runs": runs,
        "machine": machine(),
    }


def main() -> int:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--quick", action="store_true", help="fewer rounds")
    report = measure(15 if words.parse_args().quick else 101)
    print(json.dumps(report, indent=2))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
