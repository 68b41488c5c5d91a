"""The review of a finished reply: every rule, those of streams included (say.md §3.4).

It depends on the whole text only; a door turns a rule that fails into a violation of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tripwire.model.say import SayPolicy, SayRule
from tripwire.say import checks
from tripwire.say.compiled import StreamRule
from tripwire.say.found import SayFinding
from tripwire.say.predicates import negated
from tripwire.say.reply import Reply, ReplyOptions, reply_of
from tripwire.text.pattern_edges import START

Work = Callable[[], tuple[SayFinding, ...]]
Attempt = Callable[[SayRule, Work], tuple[SayFinding, ...]]
_STREAM_CHECKED = frozenset({"regex", "phrases"})


@dataclass(frozen=True, slots=True)
class ReplyCheck:
    """What a review found."""

    violations: tuple[str, ...]
    """`LABEL: detail`, in the order of the rules."""
    findings: tuple[SayFinding, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.violations


class Reviewer:
    """The rules of a policy, compiled for reviews."""

    def __init__(self, policy: SayPolicy) -> None:
        self.policy = policy
        self._compiled = {
            rule.id: StreamRule(rule, policy.lists, n)
            for n, rule in enumerate(policy.rules)
            if rule.kind in _STREAM_CHECKED or (rule.kind == "near" and rule.streams)
        }

    def check(
        self, text: str, options: ReplyOptions | None = None, attempt: Attempt | None = None
    ) -> ReplyCheck:
        """Review `text`. Raises InputTooLarge before any work.

        `attempt(rule, work)` runs the work of one rule; a door passes one that survives a bug.
        """
        reply = reply_of(text, options or ReplyOptions())
        findings: list[SayFinding] = []
        for rule in self.policy.rules:
            work = partial(self._all, rule, reply)
            findings += work() if attempt is None else attempt(rule, work)
        lines = dict.fromkeys(f"{found.rule}: {found.reason}" for found in findings)
        return ReplyCheck(tuple(lines), tuple(findings), reply.notes)

    def _all(self, rule: SayRule, reply: Reply) -> tuple[SayFinding, ...]:
        return tuple(self._found(rule, reply))

    def _found(self, rule: SayRule, reply: Reply) -> Iterator[SayFinding]:
        personas = rule.options.get("personas")
        if isinstance(personas, list | tuple) and reply.options.persona not in personas:
            return
        compiled = self._compiled.get(rule.id)
        if compiled is None:
            for start, end, reason in checks.CHECKS[rule.kind](rule, reply, self.policy):
                yield self._finding(rule, start, end, reason)
            return
        for start, end in _spans(compiled, reply):
            yield self._finding(rule, start, end, rule.detail or "pattern matched")

    @staticmethod
    def _finding(rule: SayRule, start: int, end: int, reason: str) -> SayFinding:
        return SayFinding(rule.label, rule.action, start, end, reason, rule.retry_hint, rule.id)


def _spans(compiled: StreamRule, reply: Reply) -> Iterator[tuple[int, int]]:
    """Raw offsets of matches; a rule of streams sees all that a stream does (SAY-25)."""
    seen = reply.whole if compiled.rule.streams else reply.seen
    data = (chr(START) + seen.text).encode("utf-8", "replace")
    first = len(chr(START).encode())
    plain = seen.text.isascii()
    for start, end in compiled.matches(data, 0, final=True):
        if plain:
            at, to = start - first, end - first
        else:
            at = len(data[first:start].decode())
            to = at + len(data[start:end].decode())
        if "not_negated" in compiled.rule.where and negated(seen.text, at):
            continue
        yield seen.raw(at), seen.raw_end(to, len(reply.text))
