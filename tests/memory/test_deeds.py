"""Successful calls by their values (gateway.md C-8)."""

from tripwire.memory.deeds import MAX_COMPARED, Deeds
from tripwire.model.event import ToolResult


def test_only_successes_are_deeds():
    deeds = Deeds()
    deeds.learn_result(ToolResult("1", "pay", "send", {"to": "V-1"}, "ok"), 1)
    deeds.learn_result(ToolResult("2", "pay", "send", {"to": "V-2"}, "no", is_error=True), 2)
    deeds.learn_result(ToolResult("3", "pay", "send", {"to": "V-3"}, {"isError": True}), 3)
    found = [len(deeds.with_value("pay__send", f"id:V-{n}")) for n in (1, 2, 3)]
    assert found == [1, 0, 0]


def test_the_latest_are_compared():
    deeds = Deeds()
    for number in range(100):
        deeds.learn_result(ToolResult(str(number), "pay", "send", {"to": "V-1"}, "ok"), number)
    found = deeds.with_value("pay__send", "id:V-1")
    assert (len(found), found[-1].receipt) == (MAX_COMPARED, 99)
