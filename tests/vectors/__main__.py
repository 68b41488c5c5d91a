"""`python -m tests.vectors FILE… [--json]`: runs conformance vectors; exit 1 on a failure."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src"
if str(SOURCES) not in sys.path:
    sys.path.insert(0, str(SOURCES))

from tests.vectors.running import run  # noqa: E402 - the sources must be found first


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.vectors", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print a report for machines")
    options = parser.parse_args()
    missing = [str(file) for file in options.files if not file.is_file()]
    if missing:
        parser.error(f"no such file: {', '.join(missing)}")
    report = run(options.files)
    print(json.dumps(report.as_json(), indent=2) if options.json else report.as_text())
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
