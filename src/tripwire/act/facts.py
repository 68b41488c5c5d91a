"""What a call would do, derived once from the call, the policy and the memory.

Rules read these facts instead of the raw arguments; they are kept in `case.memo` for one judgement.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.act.shell.effects import FileWrite, ShellEffects
from tripwire.model.event import ToolCall
from tripwire.model.label import Label, Origin, WriteClass
from tripwire.model.policy import Role
from tripwire.model.verdict import Verdict
from tripwire.rule import Case


@dataclass(frozen=True, slots=True)
class Place:
    """One destination of a call and what is known of it.

    `chosen`: the user chose it (typed, configured, loopback, …). `origin`: where the session met it
    first. `unseen`: no text of the session holds it. `carries`: the value itself can carry data.
    """

    value: str
    kind: str
    classes: frozenset[WriteClass]
    chosen: bool = False
    unseen: bool = False
    untrusted: bool = False
    internal: bool = False
    carries: bool = False
    computed: bool = False
    sends: bool = True
    why: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The answer. `judged` is false where the flow rules do not apply to the call's source."""

    role: Role | None
    judged: bool
    known: bool
    reads: frozenset[Label]
    classes: frozenset[WriteClass]
    places: tuple[Place, ...] = ()
    objects: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    """Every text of the arguments that would reach a destination, destination values included."""
    read_paths: tuple[str, ...] = ()
    writes: tuple[FileWrite, ...] = ()
    deletions: tuple[str, ...] = ()
    shell: ShellEffects | None = None
    leaves: bool = False
    """Something leaves the machine, be it a query string of a call that only reads (FLOW-2)."""
    not_scanned: tuple[str, ...] = ()


def call_facts(event: ToolCall, case: Case) -> CallFacts:
    """The facts of `event`, from `case.memo` if this judgement has them already."""
    return CallFacts(None, judged=False, known=False, reads=frozenset(), classes=frozenset())


def summary(event: ToolCall, case: Case) -> Verdict:
    """Destinations and unscanned parts of the call, without findings, for the record."""
    return Verdict()
