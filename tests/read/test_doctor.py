"""read/doctor: ON, PARTIAL or OFF from what was found (§4.2)."""

import pytest

from tripwire.model.tripwire import Enforcement
from tripwire.read.doctor import Check, as_json, diagnosis

INJECT, STRICT, ADVISORY = Enforcement.INJECT, Enforcement.STRICT, Enforcement.ADVISORY


def check(client, status, name="hook"):
    return Check(name, client, status, "d", "f")


@pytest.mark.parametrize(
    ("states", "mode", "verdict"),
    [
        (["a:pass"], INJECT, "ON"),
        (["a:pass", "a:skip", ":pass", "b:pass"], STRICT, "ON"),
        (["a:pass", "b:fail"], INJECT, "PARTIAL"),
        (["a:pass", "b:skip"], INJECT, "PARTIAL"),
        (["a:pass"], ADVISORY, "PARTIAL"),
        (["a:pass", "a:fail"], INJECT, "OFF"),
        (["a:skip"], INJECT, "OFF"),
        (["a:pass", ":fail"], INJECT, "OFF"),
        ([":pass"], INJECT, "OFF"),
        ([], INJECT, "OFF"),
    ],
)
def test_verdict(states, mode, verdict):
    checks = [check(*state.split(":")) for state in states]
    assert diagnosis(checks, mode).verdict == verdict


def test_json_lists_what_the_clients_hide():
    found = as_json(diagnosis([check("cursor", "pass"), check("", "pass", "rules")], INJECT))
    assert found["mode"] == "inject"
    assert found["checks"][0] == {
        "id": "hook", "client": "cursor", "status": "pass", "detail": "d", "fix": "f",
    }  # fmt: skip
    assert {"client": "cursor", "route": "mentions in a prompt"} in found["uncovered"]
    assert {entry["client"] for entry in found["uncovered"]} == {"cursor"}
