"""The packaged packs: each rule does what its samples say, and no secret leaks at any split."""

import pytest

from tripwire import say
from tripwire.config.problems import Problems
from tripwire.config.reading import Value
from tripwire.config.say_packs import say_policy
from tripwire.config.say_schema import pack_of
from tripwire.config.strict_yaml import parse
from tripwire.doors.say_library import builtin_policy
from tripwire.doors.say_lint import linted
from tripwire.errors import PolicyErrors, TripwireAbort
from tripwire.model.say import SayAction

STOPPING = [
    (rule.id, sample)
    for rule in builtin_policy().rules
    if rule.action is SayAction.ABORT
    for sample in rule.match
]


def test_every_rule_does_what_its_samples_say():
    assert linted(builtin_policy()) == []
    assert linted(say_policy(("default",), profile="coding")) == []


@pytest.mark.parametrize(("rule", "sample"), STOPPING, ids=[row[0] for row in STOPPING])
def test_no_character_leaks_wherever_a_sample_is_split(rule, sample):
    text = f"so, {sample} and more."
    guard = say.create_streaming_guard()
    outcomes = {stopped(guard, text[:at], text[at:]) for at in range(len(text) + 1)}
    assert len(outcomes) == 1
    out, _, start, _ = outcomes.pop()
    assert text.startswith(out)
    assert len(out) <= start


def stopped(guard, *parts):
    """What a guard lets through before it stops, and where it stops."""
    guard.reset()
    out = ""
    try:
        for part in parts:
            out += guard.on_chunk(part)
        guard.flush()
    except TripwireAbort as stop:
        return out + stop.safe_text, stop.rule, stop.start, stop.end
    return pytest.fail(f"nothing stopped it: {out!r}")


@pytest.mark.parametrize(
    ("hidden", "plain"),
    [
        ("98765\u200b43210", "zero width"),
        ("\uff19\uff18\uff17\uff16\uff15 \uff14\uff13\uff12\uff11\uff10", "full width"),
        ("\u017fk-proj-AbCdEfGhIj1234567890KL", "long s"),
        ("\u0455k-proj-AbCdEfGhIj1234567890KL", "Cyrillic"),
        ("c\u043emmission\u2011rate", "Cyrillic and a no-break hyphen"),
        ("AKIA\u00adIOSFODNN7EXAMPLE", "soft hyphen"),
        ("u\u0301ser@exam\u034fple.com", "marks"),
    ],
    ids=lambda value: value if value.isascii() else None,
)
def test_look_alikes_are_seen(hidden, plain):
    assert not say.check_response(hidden).passed, plain


def test_coding_profile_watches_contacts_only():
    guard = say.create_streaming_guard(policy=say_policy(("default",), profile="coding"))
    text = "mail dev@example.com, then go on."
    assert guard.on_chunk(text) + guard.flush() == text
    assert guard.violations == ["CONTACT_LEAK: pattern matched in stream"]


def faults_of(text):
    problems = Problems()
    node = parse(text, "pack.yaml", "", problems)
    if node is not None:
        pack_of(Value(node, "", problems))
    return [str(error) for error in problems.errors]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rules:\n  - {id: lower, pattern: x}\n", "pack.yaml:2"),
        ("rules:\n  - {id: A, pattern: x}\n  - {id: A, pattern: y}\n", "also on line 2"),
        ("rules:\n  - {id: A, kind: regexp, pattern: x}\n", "must be one of"),
        ("rules:\n  - {id: A, patern: x}\n", "did you mean"),
        ("rules:\n  - {id: A, kind: count, action: abort}\n", "finished replies only"),
        ("rules:\n  - {id: A, bound: 5000, pattern: x}\n", "between 1 and 1000"),
        ("rules:\n  - {id: A, kind: link, action: abort, pattern: x}\n", "must be one of"),
        ("rules:\n  - {id: A, view: raw, pattern: x}\n", "unknown key"),
        ("rules:\n  - {id: A, pattern: '(?<=a)b'}\n", "look-behind"),
        ("rules:\n  - {id: A, pattern: x, where: ['entropy>=much']}\n", "has no number"),
        ("rules:\n  - {id: A, pattern: x, where: [odd]}\n", "has_digit"),
        ("rules:\n  - {id: A, pattern: x, flags: q}\n", "flags"),
        ("rules:\n  - {id: A}\n", "no pattern"),
        ("rules:\n  - {id: A, pattern: x}\nprofiles: {p: {B: abort}}\n", "no rule B"),
    ],
)
def test_a_bad_pack_is_refused_with_its_place(text, told):
    found = faults_of(text)
    assert found
    assert told in found[0]
    assert found[0].startswith("pack.yaml:")


def test_an_unknown_pack_names_the_known():
    with pytest.raises(PolicyErrors, match="property-sales"):
        say_policy(("nope",))


def test_an_unknown_profile_is_refused():
    with pytest.raises(PolicyErrors, match="coding"):
        say_policy(("default",), profile="strict")
