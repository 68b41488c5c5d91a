"""The resident process itself: what `tripwire daemon start` and the hooks' shim start.

Not a verb. Kept apart from `cli/daemon.py` because whoever starts it waits for its imports.
"""

from __future__ import annotations

import os
import signal

from tripwire.config.presets import builtin_policy
from tripwire.doors.hooks.door import HookDoor
from tripwire.doors.hooks.projects import Projects
from tripwire.engine import warm
from tripwire.errors import DaemonUnavailable, TripwireError
from tripwire.io import daemon as resident
from tripwire.io.home import state_home
from tripwire.io.policies import Policies
from tripwire.io.tripwires import TripwireFolder


def serve() -> int:
    """Answer hook events until idle or stopped."""
    root = state_home()
    door = HookDoor(root, Policies(), projects=Projects(TripwireFolder))
    served = resident.Daemon(root, door.answer, status=door.status, tick=door.close_quiet)
    signal.signal(signal.SIGTERM, lambda *_: served.stop())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.umask(0o077)
    warm(builtin_policy())
    try:
        served.run()
    except DaemonUnavailable:
        return 0  # another one was quicker
    except (TripwireError, OSError) as problem:
        resident.log(str(problem))
        return 2
    finally:
        door.close()
    return 0
