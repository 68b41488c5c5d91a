"""What the shell tests share: the packaged tables, one classification, effects as plain words."""

from pathlib import Path

import yaml

from tripwire.act.shell.classify import classify
from tripwire.act.shell.effects import Egress, ShellEffects
from tripwire.config.shell_tables import load_shell_tables

TABLES = load_shell_tables()
CASES = Path(__file__).parent / "cases"
CWD, HOME = "/r", "/home/u"


def effects(command: str, **more) -> ShellEffects:
    """The effects of `command` in the project `/r`."""
    return classify(command, cwd=CWD, home=HOME, tables=TABLES, **more)


def cases(name: str) -> list:
    """The cases of one table."""
    return yaml.load((CASES / name).read_text("utf-8"), yaml.CSafeLoader)


def shown(egress: Egress) -> str:
    """One egress entry as a case writes it: program, place, classes, flags."""
    flags = {
        "computed": egress.computed,
        "sends": egress.sends,
        "index": egress.is_index,
        "remote": egress.is_remote,
    }
    classes = "+".join(sorted(egress.classes))
    return " ".join(
        [egress.program, egress.value or "-", classes, *(f for f, on in flags.items() if on)]
    )


def told(found: ShellEffects) -> dict[str, set[str]]:
    """Effects by the keys of a case."""
    return {
        "egress": {shown(item) for item in found.egress},
        "writes": {item.path for item in found.writes},
        "deletions": {item.path for item in found.deletions},
        "reads": set(found.reads),
        "classes": set(found.classes),
        "labels": set(found.labels) - {"private"},
    }
