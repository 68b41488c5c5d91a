"""The generated reference pages are current."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_is_current():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "generate_docs.py", "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}{done.stderr}; run: python tools/generate_docs.py"
