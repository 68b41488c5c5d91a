"""What a guard does beside an abort: replacing, redacting, observing, calling back."""

import asyncio
from dataclasses import replace

import pytest

from tripwire import say
from tripwire.doors.say_library import BUILTIN
from tripwire.errors import PolicyError, TripwireAbort
from tripwire.model.say import SayAction
from tripwire.say.stream import APOLOGY

STOP = {"source": "stop[0-9]", "label": "STOP", "mode": "abort"}


def through(guard, *chunks):
    return "".join([*map(guard.on_chunk, chunks), guard.flush()])


def test_a_replacement_is_the_whole_reply_if_nothing_has_left():
    rule = {"source": "bad", "label": "BAD", "mode": "replace"}
    guard = say.create_streaming_guard(patterns=[rule])
    assert through(guard, "bad", " and more").startswith("I'm sorry")
    assert guard.replaced.rule == "BAD"


def test_else_it_ends_the_reply_on_a_new_line():
    rule = {"source": "bad", "label": "BAD", "mode": "replace"}
    guard = say.create_streaming_guard(patterns=[rule])
    out = through(guard, "good ", "then bad", " and more")
    assert out.startswith("good then \nI'm sorry")
    assert "more" not in out


def test_a_replaced_reply_that_was_held_is_the_replacement_alone():
    rules = [
        {"source": "[0-9]{3}", "label": "ID", "mode": "redact"},
        {"source": "bad", "label": "BAD", "mode": "replace"},
    ]
    for chunks in (["one 123 two", " bad"], ["one 123 two bad"], list("one 123 two bad")):
        guard = say.create_streaming_guard(patterns=rules, hold_reply=True)
        assert through(guard, *chunks) == APOLOGY


def test_a_held_reply_leaves_only_when_it_was_judged():
    guard = say.create_streaming_guard(patterns=[STOP], hold_reply=True)
    assert guard.on_chunk("all ") == guard.on_chunk("well") == ""
    assert guard.flush() == "all well"
    guard.reset()
    guard.on_chunk("all ")
    with pytest.raises(TripwireAbort) as stop:
        guard.on_chunk("stop1")
    assert stop.value.safe_text == ""


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("id 12345678 end", "id [redacted:ID] end"),
        ("id 1234567890123456789 end", "id [redacted:ID] end"),
        ("id 12", "id 12"),
        ("id 123\u200b\u200b!", "id [redacted:ID]!"),
        ("id 123 stop1", "id [redacted:ID] "),
        ("123 456 7", "[redacted:ID] [redacted:ID] 7"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_redaction(text, out, size):
    rule = {"source": "[0-9]{3,}", "label": "ID", "mode": "redact"}
    guard = say.create_streaming_guard(patterns=[rule, STOP])
    found = ""
    try:
        for at in range(0, len(text), size):
            found += guard.on_chunk(text[at : at + size])
        found += guard.flush()
    except TripwireAbort as stop:
        found += stop.safe_text
    assert found == out


def test_callbacks():
    seen = []
    watch = {"source": "look", "label": "LOOK", "mode": "observe"}

    def fails(violation, rule):
        seen.append((violation, rule.label))
        raise ZeroDivisionError

    guard = say.create_streaming_guard(patterns=[watch, STOP], on_violate=fails, on_abort=fails)
    assert through(guard, "look, look") == "look, look"
    assert seen == [("LOOK: pattern matched in stream", "LOOK")]
    assert guard.counts == {"LOOK_0": 2}
    guard.reset()
    with pytest.raises(ZeroDivisionError) as raised:
        guard.on_chunk("stop1")
    assert isinstance(raised.value.__context__, TripwireAbort)


def test_wrapping_yields_the_clean_text_before_it_raises():
    guard = say.create_streaming_guard(patterns=[STOP])
    got = []
    with pytest.raises(TripwireAbort):
        got.extend(guard.wrap(["clean ", "text sto", "p1"]))
    assert "".join(got) == "clean text "

    async def tokens():
        for token in ("a ", "b"):
            yield token

    async def all_of():
        guard.reset()
        return [text async for text in guard.awrap(tokens())]

    assert "".join(asyncio.run(all_of())) == "a b"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ({"source": "(?<=a)b"}, "look-behind"),
        ({"source": r"(a)\1"}, "back-reference"),
        ({"source": "a++"}, "possessive"),
        ({"source": "(?=ab)c"}, "one character"),
        ({"source": "("}, "not closed"),
        ({"source": "[z-a]"}, "range"),
        ({"source": "a{2000}"}, "1000"),
        ({"source": r"\q"}, "escape"),
        ({"source": r"a\bb"}, "never match"),
        ({"source": ""}, "no source"),
        ({"source": "a", "mode": "stop"}, "mode"),
        ({"source": "a", "flags": "x"}, "flags"),
    ],
)
def test_what_no_linear_automaton_has_is_refused(pattern, told):
    with pytest.raises(PolicyError, match=told):
        say.create_streaming_guard(patterns=[{"label": "X", **pattern}])


def test_old_look_around_of_one_character_is_rewritten():
    rule = {"source": "(?<![a-z])cat(?![a-z])", "label": "CAT", "mode": "abort"}
    guard = say.create_streaming_guard(patterns=[rule])
    assert through(guard, "concat cats") == "concat cats"
    guard.reset()
    with pytest.raises(TripwireAbort):
        through(guard, "a cat")


def test_a_chunk_must_be_text():
    guard = say.create_streaming_guard()
    with pytest.raises(TypeError):
        guard.on_chunk(b"x")
    assert through(guard, "still fine.") == "still fine."


def test_halves_of_a_character_wait_for_each_other():
    guard = say.create_streaming_guard()
    assert through(guard, "a \ud83d", "\ude00, b") == "a \U0001f600, b"


@pytest.mark.parametrize("size", [1, 3, 200])
@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("ASIAIOSFODNN7EXAMPLEsk-proj-AbCdEfGhIjKlMnOpQrStUv123.", "##."),
        ("ASIAIOSFODNN7EXAMPLEASIAIOSFODNN7EXAMPLE", "##"),
        ("sk-proj-AbCdEfGhIjKlMnOpQrStUv123 x", "# x"),
    ],
)
def test_what_is_glued_to_a_replaced_span_is_judged_without_it(text, out, size):
    hide = [
        replace(rule, action=SayAction.REDACT, replacement="#")
        for rule in BUILTIN
        if rule.label == "SECRET_LEAK"
    ]
    guard = say.create_streaming_guard(patterns=hide)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    assert through(guard, *chunks) == out


def test_a_stop_glued_to_a_replaced_span_stops():
    hide = {"source": "[0-9]{3}", "label": "ID", "mode": "redact"}
    stop = {"source": "(?<![0-9a-z])key", "label": "KEY", "mode": "abort"}
    guard = say.create_streaming_guard(patterns=[hide, stop])
    with pytest.raises(TripwireAbort) as stopped:
        guard.on_chunk("a 123key")
    assert stopped.value.safe_text == "a [redacted:ID]"
