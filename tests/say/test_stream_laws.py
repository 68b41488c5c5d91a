"""The laws of the stream guard: safe, as early as can be, whatever the cut (say.md §9.1)."""

from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire import say
from tripwire.errors import StreamFinished, TripwireAbort
from tripwire.model.say import SayAction, SayRule
from tripwire.say.stream import CompiledRules, StreamingGuard
from tripwire.text.fold_map import folded

RULES = (
    SayRule("ABC", "ABC", action=SayAction.ABORT, patterns=("ab+c",), bound=6),
    SayRule(
        "NUMBER",
        "NUMBER",
        action=SayAction.ABORT,
        patterns=("[0-9]{3}-?[0-9]{2}",),
        before_not="[0-9]",
        after_not="[0-9]",
    ),
    SayRule("WORD", "WORD", action=SayAction.ABORT, patterns=(r"\bxy?\b",)),
    SayRule(
        "KEY",
        "KEY",
        action=SayAction.ABORT,
        patterns=("k-[a-c0-9]{3,6}",),
        where=("has_digit",),
        before_not="[a-z]",
    ),
)
HIDING = (
    SayRule(
        "HIDE", "HIDE", action=SayAction.REDACT, patterns=("ab*c?", "b[0-9]{2,4}"), replacement="#"
    ),
    SayRule(
        "TAIL", "TAIL", action=SayAction.REDACT, patterns=("y[0-9]+",), bound=4, replacement="%"
    ),
    SayRule(
        "GLUED",
        "GLUED",
        action=SayAction.REDACT,
        patterns=("k[0-9]{2}",),
        before_not="[a-z0-9]",
        replacement="!",
    ),
    SayRule("STOP", "STOP", action=SayAction.ABORT, patterns=("0-0",)),
)
SEEING = (
    SayRule("SEE", "SEE", patterns=("a[bc]",)),
    SayRule("LINE", "LINE", patterns=("^x",), flags="m"),
    SayRule("END", "END", patterns=("c$",)),
)
TEXTS = st.text(alphabet="abckxy019- \n\u200b\u0430", max_size=40)
COMPILED = {name: CompiledRules(r) for name, r in
            (("stop", RULES), ("hide", HIDING), ("see", SEEING), ("all", (*RULES, *HIDING, *SEEING)))}  # fmt: skip


def sent(guard, chunks):
    """What a guard lets through, and how it ended."""
    out = ""
    try:
        for chunk in chunks:
            out += guard.on_chunk(chunk)
        out += guard.flush()
    except TripwireAbort as abort:
        return out + abort.safe_text, (abort.rule, abort.start, abort.end)
    return out, None


def pieces(text, cuts):
    marks = sorted({cut % (len(text) + 1) for cut in cuts} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(marks)]


@pytest.mark.parametrize("name", COMPILED)
def test_chunking_is_invisible(name):
    @settings(max_examples=150, deadline=None)
    @given(TEXTS, st.lists(st.integers(0, 60), max_size=6))
    def law(text, cuts):
        guards = [StreamingGuard(COMPILED[name]) for _ in range(3)]
        whole = sent(guards[0], [text])
        assert sent(guards[1], list(text)) == whole
        assert sent(guards[2], pieces(text, cuts)) == whole
        assert guards[0].findings == guards[1].findings == guards[2].findings

    law()


ORACLE = [
    ("ABC", regex.compile(r"ab{1,6}c")),
    ("NUMBER", regex.compile(r"(?<![0-9])[0-9]{3}-?[0-9]{2}(?![0-9])")),
    ("WORD", regex.compile(r"\bxy?\b", regex.ASCII)),
    ("KEY", regex.compile(r"(?<![a-z])k-[a-c0-9]{3,6}")),
]


def _counts(name, found):
    return name != "KEY" or any(char.isdigit() for char in found)


@settings(max_examples=250, deadline=None)
@given(TEXTS)
def test_nothing_of_a_match_leaves_and_everything_else_does(text):
    seen = folded(text)
    hits = [
        hit.start()
        for name, pattern in ORACLE
        for hit in pattern.finditer(seen.text, overlapped=True)
        if _counts(name, hit.group())
    ]
    out, end = sent(StreamingGuard(COMPILED["stop"]), list(text))
    if not hits:
        assert (out, end) == (text, None)
        return
    assert end is not None
    assert text.startswith(out)
    assert len(out) <= seen.raw(min(hits))


@settings(max_examples=250, deadline=None)
@given(TEXTS)
def test_text_is_held_only_where_a_match_may_still_come(text):
    """Against an engine that knows partial matches; it may only hold more, never less."""
    guard = StreamingGuard(COMPILED["stop"])
    try:
        out = guard.on_chunk(text)
    except TripwireAbort:
        return
    seen = folded(text)
    starts = [
        start
        for name, pattern in ORACLE
        for start in range(len(seen.text))
        if (hit := pattern.match(seen.text, start, partial=True)) is not None
        and (hit.partial or hit.end() == len(seen.text))
    ]
    pending = min(starts, default=len(seen.text))
    assert len(out) == (seen.raw(pending) if pending < len(seen.text) else len(text))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_redaction_leaves_no_match_and_changes_nothing_else(text):
    out, end = sent(StreamingGuard(COMPILED["hide"]), list(text))
    if end is not None:
        return
    seen = folded(text)
    if not regex.search("a|b[0-9]{2}|y[0-9]|k[0-9]{2}", seen.text):
        assert out == text
        return
    assert not regex.search("a|b[0-9]{2}|y[0-9]", folded(out).text)
    assert sent(StreamingGuard(COMPILED["hide"]), [out]) == (out, None)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=30), st.booleans())
def test_folding_maps_back(text, after_ascii):
    seen = folded(text, after_ascii=after_ascii)
    if seen.starts is None:
        assert seen.text == text
        return
    assert list(seen.starts) == sorted(seen.starts)
    assert len(seen.starts) == len(seen.text) + 1
    cut = len(text) // 2
    first = folded(text[:cut], after_ascii=after_ascii)
    second = folded(text[cut:], after_ascii=first.ends_ascii)
    assert first.text + second.text == seen.text


def test_nothing_follows_a_finish():
    guard = say.create_streaming_guard()
    assert guard.on_chunk("hello, ") == "hello, "
    assert guard.flush() == ""
    with pytest.raises(StreamFinished):
        guard.on_chunk("x")
    guard.reset()
    assert guard.on_chunk("y, ") == "y, "


def test_a_latched_guard_stays_shut():
    guard = say.create_streaming_guard()
    with pytest.raises(TripwireAbort) as first:
        guard.on_chunk("key AKIAIOSFODNN7EXAMPLE now")
    assert first.value.safe_text == "key "
    with pytest.raises(TripwireAbort) as second:
        guard.on_chunk("more")
    assert (second.value.rule, second.value.safe_text) == ("SECRET_LEAK", "")
    assert guard.flush() == ""
