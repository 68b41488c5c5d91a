"""read/fired_stats: counts by tripwire, reason and route; probes left out (§4.2, CTX-37)."""

from tests.read.making import NOW, rules, tripwire

from tripwire.read.fired_stats import as_json, fired_stats

PROJECT = rules(
    tripwire("b"), tripwire("a", severity="high"), tripwire("idle"), tripwire("off", active=False)
)


def row(*outcomes, route="read", **more):
    shown = [{"name": name, "outcome": outcome} for name, outcome in outcomes]
    return {"route": route, "tripwires": shown, **more}


def test_counts():
    found = fired_stats(
        PROJECT,
        [
            ("2026-01-02", row(("b", "shown"), ("a", "context_budget"))),
            ("2026-01-01", row(("b", "shown"), ("gone", "shown"), route="shell")),
            ("2026-01-03", row(("b", "repeat"), ("a", "client_limit"))),
            ("2026-01-04", row(("b", "denied"))),
            ("2026-01-05", row(("idle", "shown"), probe=True)),
        ],
        now=NOW,
    )
    assert [each.name for each in found.tripwires] == ["a", "b", "gone"]
    a, b, _ = as_json(found)["tripwires"]
    assert b == {
        "name": "b", "shown": 2, "repeat": 1, "denied": 1,
        "suppressed": {"context_budget": 0, "client_limit": 0},
        "by_route": {"read": 1, "shell": 1}, "last": "2026-01-02",
    }  # fmt: skip
    assert a["suppressed"] == {"context_budget": 1, "client_limit": 1}
    assert a["last"] is None
    assert found.never == ("a", "idle")
    assert found.records == 4


def test_what_cannot_be_read_is_counted():
    found = fired_stats(
        PROJECT, [("t", {}), ("t", {"route": "x", "tripwires": [1]})], now=NOW, unreadable=2
    )
    assert (found.records, found.unreadable) == (0, 4)
