"""How the demo's lines are laid out on a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from tripwire.cli.demo import folded
from tripwire.demo.agent import in_plain_words

STEP = "   agent  payments.send_payment(recipient=DE44500105175407324931, amount=12480.0)  → done"


def test_a_pipe_gets_each_step_as_one_line():
    assert folded(STEP, 0) == [STEP]


def test_later_lines_stand_under_the_text_of_the_step():
    first, second = folded(STEP, 70)
    assert first.startswith("   agent  payments")
    assert second.startswith(" " * 10 + "amount=12480.0)")


@given(st.text("abc ,=", max_size=300).map(lambda text: f"   agent  {text}"), st.integers(40, 200))
def test_no_line_is_wider_than_the_screen_and_no_word_is_lost(words, width):
    lines = folded(words, width)
    assert all(len(line) <= max(width, len(line.rstrip())) for line in lines)
    assert all(len(line.rstrip()) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(words.split())


def test_a_refusal_is_told_without_the_names_of_checks():
    assert in_plain_words("bounds_and_sanity: amount: another figure is due") == (
        "amount: another figure is due"
    )
    assert in_plain_words("recipient came only from an untrusted source") == (
        "recipient came only from an untrusted source"
    )
