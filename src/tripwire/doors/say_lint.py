"""Are the rules of a policy sound? Each must do what its own tests say (say.md §2.2)."""

from __future__ import annotations

from tripwire.errors import TripwireError
from tripwire.model.say import SayPolicy, SayRule
from tripwire.say.compiled import StreamRule, node_of
from tripwire.say.review import Reviewer
from tripwire.text.pattern_ast import Repeat, Seq


def linted(policy: SayPolicy) -> list[tuple[str, str]]:
    """What is wrong, each with the rule's id."""
    found: list[tuple[str, str]] = []
    for rule in policy.rules:
        try:
            found += [(rule.id, fault) for fault in _faults(rule, policy)]
        except TripwireError as error:
            found.append((rule.id, str(error)))
    return found


def _faults(rule: SayRule, policy: SayPolicy) -> list[str]:
    faults: list[str] = []
    reviewer = Reviewer(SayPolicy((rule,), policy.lists))
    missed = (text for text in rule.match if reviewer.check(text).passed)
    wrong = (text for text in rule.no_match if not reviewer.check(text).passed)
    faults += [f"does not match its own sample {text!r}" for text in missed]
    faults += [f"matches {text!r}, which it must not" for text in wrong]
    if rule.streams:
        span = StreamRule(rule, policy.lists, 0).max_span
        if span > policy.max_span:
            faults.append(f"waits for {span} characters, at most {policy.max_span} are allowed")
        if _begins_with_repeat(rule):
            faults.append("begins with a repeat: set `before_not` to the same class (SAY-20)")
    return faults


def _begins_with_repeat(rule: SayRule) -> bool:
    node = node_of(rule)
    head = node.items[0] if isinstance(node, Seq) and node.items else node
    repeats = isinstance(head, Repeat) and head.high != 1
    if not repeats:
        return False
    return not rule.before_not
