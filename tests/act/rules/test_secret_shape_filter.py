"""The one pass over all layers of a text says no only where looking at each finds nothing."""

import base64

from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.text import decode, plausible, secrets
from tripwire.text.secret_patterns import KEYED, PATTERNS
from tripwire.text.secret_shapes import SHAPES

_VALUES = st.sampled_from(
    [
        "ghp_" + "aB3dE5gH7jK9" * 3,
        "postgres://app:hunter2hunter2@db.example/x",
        "pwd=abc123;",
        " -ubob:secret9",
        'api_key = "f3a9c1d07be25468"',
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n",
        "password,name\nxK9-22ab,bob\n",
        "root:$6$abcdefgh$0123456789abcdef:1\n",
        "adobe key: " + "0a1b2c3d" * 4,
    ]
)
_PIECES = st.one_of(
    _VALUES,
    _VALUES.map(lambda value: base64.b64encode(value.encode()).decode()),
    _VALUES.map(lambda value: value[::-1]),
    _VALUES.map(lambda value: value.encode().hex()),
    st.text(max_size=12),
)


@given(st.lists(_PIECES, max_size=4).map("".join))
@settings(max_examples=150, deadline=None)
def test_what_is_found_alone_is_found_possible(text):
    layers = decode.read(text, depth=1).layers
    alone = [secrets.find(text), *(secrets.find_shapes(layer.text) for layer in layers[1:])]
    if any(alone):
        assert secrets.possible(layer.text for layer in layers)


@given(st.text(alphabet="pwdk=:;%&#x\\41 aA9-u@/.|", max_size=plausible.MIN_CHARS - 1))
@settings(max_examples=400, deadline=None)
def test_a_text_under_the_shortest_credential_holds_none(text):
    layers = decode.read(text, depth=1).layers
    assert not secrets.find(text)
    assert not any(secrets.find_shapes(layer.text) for layer in layers[1:])


def test_no_pattern_looks_at_the_ends_of_a_text():
    """A line end must serve any pattern as the end of the text does."""
    for pattern in (*PATTERNS, *KEYED):
        bare = pattern.regex.replace("(?m)^", "").replace("(?:[^A-Za-z0-9_-]|$)", "")
        assert pattern.regex.startswith("(?m)") or not bare.startswith("^")
        assert "\\A" not in bare
        assert "\\z" not in bare
    assert all(shape.low > 0 for shape in SHAPES)
