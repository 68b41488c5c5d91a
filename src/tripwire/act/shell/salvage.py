"""What can still be said of a text that was not parsed: programs and places named in it.

Errs on the strict side: any known egress program in the text counts as run, with what it names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tripwire.act.shell import hosts
from tripwire.act.shell.effects import Egress
from tripwire.act.shell.text import known
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from tripwire.act.shell.sink import Sink
    from tripwire.model.shell_tables import ShellTables

_TOKEN = re.compile(r"[^\s;&|()<>`={},]+")
_NOISE = re.compile(r"['\"\\]|\\\n|\$\{?[@*_]\}?")


def salvage(text: str, sink: Sink, tables: ShellTables) -> None:
    """Record egress for each program of the egress table that `text` names."""
    plain = _NOISE.sub("", known(text))
    tokens = dict.fromkeys(_TOKEN.findall(plain))
    programs = [t for t in tokens if t.rpartition("/")[2] in tables.egress]
    places = [token for token in tokens if hosts.is_url(token) or token.startswith("/dev/tcp/")]
    if "/dev/tcp/" in plain or "/dev/udp/" in plain:
        programs.append("/dev/tcp")
    for program in programs[:16]:
        sink.programs[program] = None
        sink.labels.add(Label.UNTRUSTED)
        for place in places[:16] or [""]:
            sink.egress[
                Egress(
                    program,
                    place,
                    hosts.host_of(place),
                    frozenset({WriteClass.EXTERNAL}),
                    computed=True,
                    sends=True,
                )
            ] = None
