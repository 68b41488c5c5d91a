"""The keyed chain: a line is exactly what follows the one before, or it is a finding."""

import hmac
import json

import pytest

from tripwire.errors import JournalTampered
from tripwire.ledger import approval
from tripwire.ledger.chain import BEGINNING, START, Tip, check, claimed, follow, genuine, link
from tripwire.ledger.keys import InstallationKeys, SessionKeys, hkdf
from tripwire.text.canonical import canonical_bytes

KEY = b"k" * 32


def chain(*data):
    lines, tip = [], BEGINNING
    for item in data:
        line, tip = link(tip, "2026-11-30T10:00:00.000Z", "t", item, KEY)
        lines.append(line)
    return lines


def test_format():
    line = chain({"b": 1, "a": "é𝔘"})[0]
    fields = json.loads(line)
    assert line == canonical_bytes(fields) + b"\n"
    digest = fields.pop("hash")
    assert digest == hmac.digest(KEY, canonical_bytes(fields), "sha256").hex()
    assert fields["prev_hash"] == START
    assert fields["seq"] == 1


def test_keys_are_separate():
    """RFC 5869 (test case 3 has no salt and no info)."""
    okm = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
    assert hkdf(bytes([0x0B] * 22), "").hex() == okm
    keys = SessionKeys.derive(KEY)
    every = [getattr(keys, f) for f in SessionKeys.__slots__]
    assert len(set(every)) == len(every)
    assert KEY.hex() not in repr(keys)
    assert str(KEY) not in repr(InstallationKeys.derive(KEY))


def test_a_good_chain_checks():
    tip = BEGINNING
    for line in chain({}, {"x": 1}, {"y": [1, "z"]}):
        entry, tip = check(line, tip, KEY)
        assert follow(line, claimed(line))[0] == entry
    assert tip.seq == 3


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda a, _b, _c: (a.replace(b'"x":1', b'"x":2'), BEGINNING), "edited"),
        (lambda a, _b, _c: (a.replace(b'"x":1', b'"x": 1'), BEGINNING), "edited"),
        (lambda a, _b, _c: (a.rstrip(), BEGINNING), "edited"),
        (lambda a, _b, _c: (b"[]\n", BEGINNING), "edited"),
        (lambda a, _b, _c: (b"\xff\n", BEGINNING), "edited"),
        (lambda a, _b, _c: (a.replace(b'"seq":1', b'"seq":"1"'), BEGINNING), "edited"),
        (lambda _a, b, _c: (b, BEGINNING), "gap"),
        (lambda a, _b, _c: (a, Tip(2, "f" * 64)), "reordered"),
        (lambda _a, b, _c: (b, Tip(1, "f" * 64)), "edited"),
        (lambda _a, _b, c: (c, BEGINNING), "gap"),
    ],
)
def test_what_does_not_follow_is_named(change, kind):
    line, tip = change(*chain({"x": 1}, {}, {}))
    with pytest.raises(JournalTampered, match=f"^{kind}: "):
        check(line, tip, KEY)


def test_another_key_is_noticed():
    with pytest.raises(JournalTampered, match="edited"):
        check(chain({})[0], BEGINNING, b"other" * 8)


def test_without_a_key_order_and_form_are_still_checked():
    first, second, third = chain({}, {}, {})
    _, tip = follow(first, BEGINNING)
    for line, kind in (
        (third, "gap"),
        (first, "reordered"),
        (second.replace(b'"data":{}', b'"data": {}'), "edited"),
        (second.replace(b'"data":{}', b'"data":{"x":18446744073709551615}'), "edited"),
    ):
        with pytest.raises(JournalTampered, match=f"^{kind}: "):
            follow(line, tip)
    with pytest.raises(JournalTampered, match="the line before"):
        follow(second, Tip(1, "f" * 64))
    with pytest.raises(JournalTampered):
        claimed(first.replace(f'"prev_hash":"{START}"'.encode(), b'"prev_hash":1'))


def test_a_genuine_line_is_known_wherever_it_stands():
    third = chain({}, {}, {"n": 3})[2]
    entry, tip = genuine(third, KEY)
    assert (entry.data, tip.seq) == ({"n": 3}, 3)


def test_approval_records():
    first, tip = approval.record(BEGINNING, {"id": "ap-1", "state": "granted"}, KEY)
    second, _ = approval.record(tip, {"id": "ap-1", "state": "used"}, KEY)
    fields, after = approval.check(first, BEGINNING, KEY)
    assert (fields["id"], fields["seq"], after) == ("ap-1", 1, tip)
    assert approval.check(second, tip, KEY)[0]["state"] == "used"
    for line, place, kind in (
        (second, BEGINNING, "reordered"),
        (first.replace(b"granted", b"grantee"), BEGINNING, "edited"),
        (b"[1]\n", BEGINNING, "edited"),
    ):
        with pytest.raises(JournalTampered, match=f"^{kind}: "):
            approval.check(line, place, KEY)
