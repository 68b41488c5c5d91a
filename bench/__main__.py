"""`make bench`: every benchmark, one JSON object; exits 1 if one misses a target."""

import json
import subprocess
import sys

BENCHES = (
    *("decision", "hook", "gateway", "ledger", "say_guard"),
    *("read_plan", "read_index", "read_load", "read_server", "read_hook"),
)


def main() -> int:
    """Run each bench as its own process, so that none warms up another."""
    reports = []
    for name in BENCHES:
        done = subprocess.run(
            [sys.executable, "-m", f"bench.{name}"], stdout=subprocess.PIPE, text=True, check=False
        )
        try:
            reports.append(json.loads(done.stdout))
        except ValueError:
            reports.append({"bench": name, "ok": False, "error": f"exit {done.returncode}"})
    good = all(report.get("ok") for report in reports)
    print(json.dumps({"ok": good, "benches": reports}, indent=2))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
