"""A reviewer's answer counts only if it can be read in one way (gateway.md C-3, C-4)."""

from hypothesis import given
from hypothesis import strategies as st

from tripwire.act.review_answer import read_answer

GOOD = '{"verdict":"pass","confidence":1,"evidence_refs":["receipt:2"]}'


def test_a_dangling_reference_is_invalid():
    assert read_answer(GOOD, {1, 2}).passes
    assert read_answer(GOOD, {1}) is None


def test_an_unsure_or_suspicious_pass_is_valid_but_no_pass():
    assert not read_answer('{"verdict":"pass","confidence":0.4}').passes
    assert not read_answer('{"verdict":"pass","confidence":1,"suspected_injection":true}').passes


@given(st.text(max_size=200))
def test_prose_never_passes(text):
    answer = read_answer(text)
    assert answer is None or not answer.passes or text.strip()[:1] in "{`"


@given(st.text(min_size=1, max_size=40).filter(str.strip))
def test_nothing_may_stand_beside_the_object(text):
    assert read_answer(GOOD + text) is None
    assert read_answer(text + GOOD) is None
