"""What names a record, and what does not (gateway.md P-10)."""

import pytest

from tripwire.memory.records import Records, identifies, name_words


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("id", "V-1001"),
        ("name", "alice"),
        ("email", "a@b.example"),
        ("vendor", "北京公司"),
        ("display", "Acme Corp"),
    ],
)
def test_identifies(name, text):
    assert identifies(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("status", "active"), ("request_id", "req-1"), ("traceId", "t-1"), ("type", "iban"), ("currency", "USDC"),
        ("checksum", "0xabc"), ("message", "No vendor found."), ("date", "2026-01-01"), ("x", "not found"),
        ("when", "2026-06-15"), ("name", ""), ("name", "unknown"), ("network", "ethereum"),
    ],
)  # fmt: skip
def test_does_not_identify(name, text):
    assert not identifies(name, text)


def test_words_are_counted_by_record():
    records = Records()
    for _ in range(2):
        records.learn(
            [{"id": "V-1", "name": "Acme Corp"}, {"id": "V-2", "name": "Globex Corp"}], "vendors"
        )
    assert (records.count("acme"), records.count("corp"), records.count("nobody")) == (1, 2, 0)


def test_words_of_a_name_are_folded():
    assert set(name_words("Café Müller-Straße")) >= {"cafe", "muller"}
