"""What each agent of a session was shown of the project's tripwires (CTX-34). Decides nothing.

A scope is one agent ("" = the main one): a subagent has a context of its own. A compaction or a
clear empties a scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tripwire.model.tripwire import Firing
from tripwire.model.verdict import Action, Verdict

MAX_CALLS = 512
"""Calls of a scope whose blocks are remembered one by one."""
RAW_READ = "read/raw-read"
"""The rule whose denials are counted (CTX-29)."""


def scope_of(agent: str) -> str:
    """The name of an agent's scope; "" stays the main agent. Can be recorded: it says nothing."""
    return f"a-{sha256(agent.encode('utf-8', 'replace')).hexdigest()[:16]}" if agent else ""


def call_of(call_id: str) -> str:
    """The name of a call in a firing, recordable as well."""
    return f"c-{sha256(call_id.encode('utf-8', 'replace')).hexdigest()[:16]}" if call_id else ""


@dataclass(slots=True)
class _Scope:
    """One agent's context."""

    seen: dict[str, str] = field(default_factory=dict)
    """Tripwire name → digest of its group; file of a problem → digest of the problem set."""
    calls: dict[str, frozenset[str]] = field(default_factory=dict)
    """Call id → names shown for that call; two hooks may report one call."""
    denials: dict[str, list[str]] = field(default_factory=dict)
    """Path → calls of raw reads denied since the last read through Tripwire."""


@dataclass(slots=True)
class ShownTripwires:
    """What was shown, by scope (`scope_of`)."""

    _scopes: dict[str, _Scope] = field(default_factory=dict)

    def seen(self, scope: str) -> Mapping[str, str]:
        """What the scope's context holds: tripwire name or problem file → digest."""
        found = self._scopes.get(scope)
        return found.seen if found else {}

    def told(self, scope: str, call: str) -> frozenset[str]:
        """The names shown for this very call (`call_of`) already."""
        found = self._scopes.get(scope)
        return found.calls.get(call, frozenset()) if found and call else frozenset()

    def denials(self, scope: str, path: str, call: str = "") -> int:
        """How many raw reads of `path` but this call were denied in a row (CTX-29).

        Two hooks that report one call have one denial between them.
        """
        found = self._scopes.get(scope)
        calls = found.denials.get(path, ()) if found else ()
        return sum(not each or each != call for each in calls)

    def learn(self, firing: Firing) -> None:
        """Remember what became of a firing; it must be as `settled` left it."""
        scope = self._scopes.setdefault(firing.agent, _Scope())
        if firing.denied_by == RAW_READ:
            path = firing.real_path or firing.path
            calls = scope.denials.setdefault(path, [])
            if not firing.call or firing.call not in calls:
                calls.append(firing.call)
        if firing.denied_by:
            return
        if firing.observed:
            scope.denials.clear()
        shown = {s.name: s.digest for s in firing.tripwires if s.outcome == "shown"}
        scope.seen.update(shown)
        scope.seen.update((file, firing.problems) for file in firing.files)
        if firing.call and shown:
            scope.calls[firing.call] = scope.calls.get(firing.call, frozenset()) | shown.keys()
            while len(scope.calls) > MAX_CALLS:
                del scope.calls[next(iter(scope.calls))]

    def clear(self, scope: str) -> None:
        """The agent forgot everything."""
        self._scopes.pop(scope, None)

    def snapshot(self) -> dict[str, object]:
        """A comparable copy."""
        return {
            name: (dict(scope.seen), dict(scope.calls), {p: [*c] for p, c in scope.denials.items()})
            for name, scope in self._scopes.items()
        }


def settled(firing: Firing, verdict: Verdict) -> Firing | None:
    """The firing once the event is decided: what a BLOCK stops has not reached the agent.

    None if it is told after the event only, which has another firing then (CTX-35).
    """
    if verdict.action is not Action.BLOCK:
        return None if firing.later else firing
    blocking = [f.rule for f in verdict.findings if f.action is Action.BLOCK]
    rule = RAW_READ if RAW_READ in blocking else blocking[0]
    kept = tuple(
        replace(shown, outcome="denied") if shown.outcome == "shown" else shown
        for shown in firing.tripwires
    )
    return replace(firing, tripwires=kept, denied_by=rule, problems="", files=())
