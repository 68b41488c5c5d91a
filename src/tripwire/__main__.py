"""`python -m tripwire` is the `tripwire` command."""

from __future__ import annotations

import sys

from tripwire.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
