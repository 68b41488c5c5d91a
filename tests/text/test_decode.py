"""Decoding layers: each encoding alone, limits, hostile input."""

import base64
import codecs
import gzip
import zlib
from binascii import b2a_uu

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.text import decode

VALUE = "sk-live-FAKE0123456789abcdefXYZ"
RAW = VALUE.encode()
ENCODED = {
    "base64": base64.b64encode(RAW).decode(),
    "base64url, no padding": base64.urlsafe_b64encode(RAW).decode().rstrip("="),
    "base64 with an offset": base64.b64encode(b"xy" + RAW).decode(),
    "base64 with spaces": " ".join(base64.b64encode(RAW).decode()),
    "base64 wrapped": "\n".join(base64.b64encode(RAW * 3).decode()[i : i + 76] for i in (0, 76)),
    "base64 in quoted pieces": '"'
    + '" + "'.join(base64.b64encode(RAW).decode()[i : i + 8] for i in range(0, 44, 8))
    + '"',
    "base64 of UTF-16": base64.b64encode(VALUE.encode("utf-16-le")).decode(),
    "base32": base64.b32encode(RAW).decode(),
    "base32 lower": base64.b32encode(RAW).decode().lower().rstrip("="),
    "ascii85": base64.a85encode(RAW).decode(),
    "base85": base64.b85encode(RAW).decode(),
    "hex": RAW.hex(),
    "HEX with colons": RAW.hex(":").upper(),
    "0x": " ".join(f"0x{b:02x}" for b in RAW),
    "\\x": "".join(f"\\x{b:02x}" for b in RAW),
    "octal": "".join(f"\\{b:03o}" for b in RAW),
    "\\u": "".join(f"\\u{b:04x}" for b in RAW),
    "binary": " ".join(f"{b:08b}" for b in RAW),
    "decimal codes": ",".join(map(str, RAW)),
    "fromCharCode": "+".join(f"chr({b})" for b in RAW),
    "three digits each": "".join(f"{b:03d}" for b in RAW),
    "percent": "".join(f"%{b:02X}" for b in RAW),
    "entities": "".join(f"&#{b};" for b in RAW),
    "hex entities": "".join(f"&#x{b:x};" for b in RAW),
    "quoted-printable": "".join(f"={b:02X}" for b in RAW),
    "uuencode": b2a_uu(RAW).decode(),
    "gzip in base64": base64.b64encode(gzip.compress(RAW)).decode(),
    "zlib in hex": zlib.compress(RAW).hex(),
    "rot13 of base64": codecs.encode(base64.b64encode(RAW).decode(), "rot13"),
    "base64 backwards": base64.b64encode(RAW).decode()[::-1],
    "base64, one filler": "x".join(base64.b64encode(RAW).decode()),
    "base64 of hex of percent": base64.b64encode(
        "".join(f"%{b:02X}" for b in RAW).encode().hex().encode()
    ).decode(),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize(
    "frame", ["{}", "ref {} end", "x={}&y=1", "a long sentence before it: {}\nand after it"]
)
def test_every_encoding_is_undone(name, frame):
    found = decode.layers(frame.format(ENCODED[name]))
    # The last group of ascii85 means something else with a character after it: one may be lost.
    assert any(VALUE[:-2] in layer.text for layer in found)


@pytest.mark.parametrize("name", ["ascii85", "base85"])
@pytest.mark.parametrize(
    "frame", ["https://{}", "https://a.example/{}", "https://a.example:8/?q={}", "https://{}/a"]
)
def test_base_85_in_a_url_is_undone(name, frame):
    found = decode.layers(frame.format(ENCODED[name]))
    assert any(VALUE[2:-2] in layer.text for layer in found)


def test_spelled_characters_are_written():
    text = "it is sierra kilo dash four two zulu"
    assert any("sk-42z" in layer.text for layer in decode.layers(text))


def test_prose_opens_nothing():
    text = "The build is green. Reply to Dave if in doubt; the meeting is on Friday at ten. " * 40
    assert len(decode.read(text).layers) == 1


def test_depth_bounds_the_layers():
    twice = base64.b64encode(base64.b64encode(RAW)).decode()
    assert not any(VALUE in layer.text for layer in decode.layers(twice, depth=1))
    assert any(VALUE in layer.text for layer in decode.layers(twice, depth=2))


def test_what_is_cut_is_said():
    reading = decode.read("x" * 100, max_chars=10)
    assert reading.layers[0].text == "x" * 10
    assert reading.cut == ("text after 10 characters",)


def test_a_bomb_opens_to_a_bound():
    bomb = base64.b64encode(zlib.compress(b"A1b2" * 10_000_000)).decode()
    reading = decode.read(bomb)
    assert sum(len(layer.text) for layer in reading.layers) <= decode.MAX_GROWTH * len(
        bomb
    ) + 65_536 + len(bomb)
    assert len(reading.layers) <= decode.MAX_LAYERS


@given(st.text(max_size=300))
@settings(max_examples=60)
def test_any_text_is_read(text):
    reading = decode.read(text)
    assert reading.layers[0].text == text
    assert all(len(layer.via) <= 3 for layer in reading.layers)


@pytest.mark.parametrize(
    "text",
    [
        "%25" * 5_000,
        "\\" * 60_000,
        "&#" * 30_000,
        "=\n" * 30_000,
        "0 1 " * 15_000,
        "65," * 20_000,
        "\x1f" * 50_000,
        "é" * 50_000,
        "a1" * 30_000,
    ],
    ids=repr_ids if (repr_ids := lambda t: repr(t[:3])) else None,
)
def test_hostile_texts_end(text):
    assert decode.read(text).layers
