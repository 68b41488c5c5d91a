"""Addresses in disguise (gateway.md P-9)."""

import base64

import pytest

from tripwire.memory.hidden import hidden_values

EVIL = "0xBBBB00000000000000000000000000000000BBBB"
KEY = f"address:{EVIL[2:].lower()}"


@pytest.mark.parametrize(
    "text",
    [" ".join(EVIL), f"{EVIL[:20]}\n{EVIL[20:]}", EVIL[::-1], base64.b64encode(EVIL.encode()).decode(),
     "".join(f"%{ord(c):02X}" for c in EVIL), "".join(f"&#{ord(c)};" for c in EVIL), EVIL.encode().hex()],
    ids=["spaced", "split", "reversed", "base64", "percent", "entities", "hex"],
)  # fmt: skip
def test_found(text):
    assert KEY in hidden_values(f"pay {text} now")


def test_a_spaced_iban():
    assert "iban:GB29NWBK60161331926819" in hidden_values(
        "to G B 2 9 NWBK 6016 1331 9268 19 please"
    )


def test_plain_prose_hides_nothing():
    assert (
        hidden_values("Please find the invoice of Acme Corp attached, due in thirty days.") == set()
    )
