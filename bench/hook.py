"""What one hook costs: the installed command against a bare interpreter, interleaved in one run.

A 2 KB event of a session that already holds `--calls` calls; the daemon is resident. Wall times in
ms. `ratio` = p50 of the shim / p50 of `python -I -S -c pass`; the target is at most 3.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.measure import machine, percentile
from tripwire.doors.hooks import shim
from tripwire.io import daemon as resident

SHIM = str(Path(shim.__file__).absolute())
CODE = """    def lines(self, reader: Reader) -> Iterator[str]:
        # A page may end in the middle of a line: the rest is kept for the next one.
        rest = ""
        for page in reader.pages():
            *whole, rest = (rest + page.text).split(os.linesep)
            yield from map(self.cleaned, whole)
        if rest:
            yield self.cleaned(rest)

    def cleaned(self, line: str) -> str:
        \"\"\"The line without its margin and without what the scanner adds at the end.\"\"\"
        return line.removeprefix(self.margin).rstrip()

    def count(self, reader: Reader) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in self.lines(reader):
            found.update(word for word in line.split() if word.isalpha())
        return found
"""

TARGET = 3.0
"""The shim may take this many times a bare interpreter."""

BARE = [sys.executable, "-I", "-S", "-c", "pass"]
HOOK = [sys.executable, "-I", "-S", SHIM, "claude-code"]


def event(name: str, number: int, **fields: object) -> bytes:
    body = {
        "hook_event_name": name,
        "session_id": "bench",
        "cwd": "/",
        "permission_mode": "default",
        "tool_name": "Edit",
        "tool_input": {
            "file_path": f"/srv/project/src/module_{number}.py",
            "old_string": CODE,
            "new_string": CODE.replace("reader", f"reader_{number}"),
        },
        "tool_use_id": f"toolu_{number}",
        **fields,
    }
    return json.dumps(body).encode()


def timed(command: list[str], stdin: bytes, env: dict[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, input=stdin, capture_output=True, env=env, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command[-1]} exited {done.returncode}: {done.stderr.decode()}")
    return (time.perf_counter() - start) * 1000


def fill(root: Path, calls: int) -> None:
    """Give the session its history, without a process for each event."""
    start = json.dumps(
        {"hook_event_name": "SessionStart", "session_id": "bench", "cwd": "/", "source": "startup"}
    ).encode()
    resident.ask(root, start, client="claude-code")
    for number in range(calls):
        resident.ask(root, event("PreToolUse", number), client="claude-code")
        done = event("PostToolUse", number, tool_response={"filePath": f"/srv/{number}"})
        resident.ask(root, done, client="claude-code")


def measure(calls: int, runs: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ["PATH"], "HOME": home, "TRIPWIRE_HOME": f"{home}/state"}
        root = Path(home) / "state"
        cold = timed(HOOK, event("SessionStart", 0), env)
        try:
            fill(root, calls)
            bare, hook = [], []
            for number in range(calls, calls + runs):
                bare.append(timed(BARE, b"", env))
                hook.append(timed(HOOK, event("PreToolUse", number), env))
        finally:
            resident.end(root)
    ratio = statistics.median(hook) / statistics.median(bare)
    return {
        "bench": "hook",
        "ok": ratio <= TARGET,
        "bare_ms_p50": round(statistics.median(bare), 2),
        "hook_ms_p50": round(statistics.median(hook), 2),
        "hook_ms_p99": round(percentile(hook, 0.99), 2),
        "ratio": round(ratio, 2),
        "ratio_target": TARGET,
        "first_event_starts_daemon_ms": round(cold, 1),
        "event_bytes": len(event("PreToolUse", calls)),
        "calls_before": calls,
        "runs": runs,
        "machine": machine(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=101)
    options = parser.parse_args()
    report = measure(options.calls, options.runs)
    print(json.dumps(report, indent=2))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
