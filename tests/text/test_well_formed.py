"""Lone surrogates, which JSON can carry and UTF-8 cannot, stop no look at a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.memory.supplied import Sent
from tripwire.text import decode, glob, secrets, spelled, words
from tripwire.text.well_formed import well_formed

_odd = st.text(alphabet=st.sampled_from("a1 ,\u00e9\ud800\udfff{*?/.:-\U0001f600"), max_size=40)


@given(_odd)
def test_as_long_and_encodable(text):
    mended = well_formed(text)
    assert len(mended) == len(text)
    mended.encode()  # does not raise
    if text.isascii():
        assert mended is text


LOOKS = {
    "globs": lambda text: glob.compile_globs(["a*", "**/b"], path=True).any(text),
    "secrets": secrets.find,
    "layers": lambda text: decode.read(text, depth=2),
    "spelled": lambda text: list(spelled.spelled_texts(text)),
    "words": words.tokens,
    "sent": lambda text: Sent({text: [text, {"x": text}]}),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_no_look_fails(look):
    @given(_odd)
    @settings(max_examples=40, deadline=None)
    def looks(text):
        look(text)

    looks()
