"""No credential format is without its sign, whatever it is encoded as."""

import base64
import codecs
import re
import re._parser as parser
import zlib

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.text import decode, secret_signs, secrets
from tripwire.text.decoders import TO_BYTES
from tripwire.text.readable import WIDE_CHARS, may_hide, texts_of
from tripwire.text.secret_patterns import PATTERNS
from tripwire.text.secret_shapes import ALPHABETS, SHAPES


def _of(regex: str) -> st.SearchStrategy[str]:
    return st.from_regex(re.compile(regex, re.ASCII))


def _shaped(shape) -> st.SearchStrategy[str]:
    letters = f"[{ALPHABETS[shape.alphabet]}]{{{shape.low},{shape.high}}}"
    return st.from_regex(re.escape(shape.prefix) + letters, fullmatch=True)


def _seen(text: str) -> bool:
    return secret_signs.may_hold([text.encode("utf-8", "ignore")])


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.rule)
def test_what_a_pattern_matches_has_its_sign(pattern):
    known = re2.compile(pattern.regex)
    sign = re2.compile(secret_signs.SIGNS[pattern.rule])
    matched = []

    @given(_of(pattern.regex), st.sampled_from([("", ""), ("s", "\u017f"), ("k", "\u212a")]))
    @settings(max_examples=12, deadline=None)
    def has_sign(text, swapped):
        text = text.encode("utf-8", "ignore").decode()
        for variant in (text, text.replace(*swapped)):
            found = known.search(variant)
            if found is not None:
                matched.append(variant)
                plain = found.group().encode("ascii", "ignore").decode()
                assert sign.search(plain)
                assert _seen(variant)

    has_sign()
    assert matched


@given(st.sampled_from(SHAPES).flatmap(_shaped))
@settings(max_examples=200, deadline=None)
def test_what_a_shape_matches_has_its_sign(text):
    assert _seen(f"({text})")


def test_every_sign_is_of_a_pattern():
    assert secret_signs.SIGNS.keys() == {pattern.rule for pattern in PATTERNS}


_ENCODINGS = (
    base64.b64encode,
    base64.urlsafe_b64encode,
    lambda data: b"x" + base64.b64encode(b"ab" + data),
    base64.b32encode,
    base64.a85encode,
    base64.b85encode,
    lambda data: data.hex(":").encode(),
    lambda data: base64.b64encode(zlib.compress(data)),
    lambda data: base64.b64encode(data.decode("utf-8", "ignore").encode("utf-16-le")),
    lambda data: codecs.encode(data, "uu"),
    lambda data: "".join(f"{byte:08b}" for byte in data).encode(),
)

_texts = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.binary(max_size=9),
        st.sampled_from([*SHAPES]).flatmap(_shaped),
        st.sampled_from(PATTERNS).flatmap(lambda pattern: _of(pattern.regex)),
    ),
    max_size=3,
).map(
    lambda parts: b" ".join(
        p if isinstance(p, bytes) else p.encode("utf-8", "ignore") for p in parts
    )
)


def _shapes_in(text: str) -> bool:
    layers = decode.read(text, depth=1).layers
    return bool(secrets.find(text)) or any(secrets.find_shapes(layer.text) for layer in layers[1:])


@given(_texts, st.sampled_from(_ENCODINGS), st.text(max_size=8))
@settings(max_examples=250, deadline=None)
def test_a_quick_look_never_misses_what_a_whole_reading_finds(data, encode, around):
    text = around + encode(data).decode("ascii") + around
    step = decode.OneStep(text)
    there = secrets.possible(step.texts) or secret_signs.may_hold(step.parts())
    assert there or not _shapes_in(text)
    if secret_signs.may_hold(step.parts()):
        assert secret_signs.may_hold_any(step.quick())


@given(st.lists(st.one_of(st.binary(max_size=80), _texts), max_size=4))
@settings(max_examples=200, deadline=None)
def test_signs_are_found_in_whatever_bytes_say(parts):
    if any(secrets.find_shapes(text) for text in texts_of(parts)):
        assert secret_signs.may_hold(parts)


@given(st.text(alphabet=st.characters(max_codepoint=0x250), max_size=200))
@settings(max_examples=200, deadline=None)
def test_one_step_is_reading_to_depth_one(text):
    step = decode.OneStep(text)
    held, parts = step.texts, step.parts()
    together = b"\xff".join(step.quick())
    assert all(run in together for part in parts for run in part.split(b"\xff\xff"))
    layers = [layer.text for layer in decode.read(text, depth=1).layers]
    said = "\x1f".join(texts_of(parts)).split("\x1f")
    for layer in layers:
        assert layer in held or set(layer.split("\x1f")) <= set(said)


def test_no_sign_is_shorter_than_is_counted_on():
    signs = [*secret_signs.SIGNS.values(), *map(secret_signs._sign_of, SHAPES)]
    for sign in signs:
        assert re2.fullmatch(f"(?:{sign})", "xx") is None
        assert min_width(sign) >= WIDE_CHARS


def min_width(sign: str) -> int:
    return re._parser.parse(sign).getwidth()[0]


_units = st.one_of(
    st.text(alphabet="ab=-_1", min_size=1, max_size=4).map(lambda t: t.encode("utf-16-le")),
    st.sampled_from([b"\0\0", b"\x41\xd8", b"\x00\xdc", b"\0", b"\xff"]),
)


@given(st.lists(_units, max_size=8).map(b"".join))
@settings(max_examples=300, deadline=None)
def test_characters_in_a_row_are_seen_in_utf_16(data):
    for odd in (0, 1):
        said = data[odd:].decode("utf-16-le", "ignore").replace("\0", "")
        if re.search(rf"[\t-~]{{{WIDE_CHARS}}}", said):
            assert may_hide(data)


def test_noise_has_no_sign():
    noise = [decoder("https://docs.example/guide/page-57") for decoder in TO_BYTES.values()]
    assert not any(map(secret_signs.may_hold, noise))


def test_no_credential_is_shorter_than_what_a_base_85_run_must_give():
    widths = [parser.parse(pattern.regex).getwidth()[0] for pattern in PATTERNS]
    widths += [len(shape.prefix) + shape.low for shape in SHAPES]
    assert len(base64.b85encode(bytes(min(widths)))) >= 14
