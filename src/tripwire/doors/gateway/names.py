"""Names that the agent sees: `<upstream>__<tool>`, and where each of them leads (G-4)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tripwire.doors.gateway.notes import note
from tripwire.model.policy import Upstream
from tripwire.text import glob

INTENT_TOOL = "tripwire__declare_intent"
LONGEST = 64
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ODD = re.compile(r"[^A-Za-z0-9_.-]")


def exposed(upstream: str, name: str) -> str:
    """The combined name; with an 8-hex suffix if it is too long or has other characters."""
    whole = f"{upstream}__{name}"
    if _PLAIN.fullmatch(whole):
        return whole
    suffix = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_ODD.sub('_', whole)[: LONGEST - 9]}_{suffix}"


def offered(upstream: Upstream, tool: str) -> bool:
    """Whether the operator offers this tool of the upstream to the agent."""
    if upstream.allow and not any(glob.match(pattern, tool) for pattern in upstream.allow):
        return False
    return not any(glob.match(pattern, tool) for pattern in upstream.deny)


@dataclass(frozen=True, slots=True)
class Target:
    """What an exposed name stands for."""

    upstream: str
    name: str


class Names:
    """Exposed name → upstream and its own name, for tools or for prompts."""

    def __init__(self) -> None:
        self._targets: dict[str, Target] = {}

    def find(self, name: str) -> Target | None:
        """Where a name leads, None if nobody has listed it."""
        return self._targets.get(name)

    def expose(self, upstream: Upstream, names: Iterable[str]) -> dict[str, str]:
        """Take the names that one upstream lists: own name → exposed name."""
        for old in [n for n, t in self._targets.items() if t.upstream == upstream.name]:
            del self._targets[old]
        shown: dict[str, str] = {}
        for name in names:
            outer = name if not upstream.prefix else exposed(upstream.name, name)
            taken = self._targets.get(outer)
            if outer == INTENT_TOOL or (taken is not None and taken.upstream != upstream.name):
                note(
                    f"upstream {upstream.name}: the name {outer} is taken; it is offered with the "
                    "upstream's name in front. Set `prefix: true` to always do so."
                )
                outer = exposed(upstream.name, name)
            self._targets[outer] = Target(upstream.name, name)
            shown[name] = outer
        return shown
