from tripwire.doors.gateway.refusal import body
from tripwire.model.event import ToolCall
from tripwire.model.label import Origin, Trust
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Finding, Verdict, Violation


def origins_told(*origins):
    violation = Violation("recipient", "untrusted_provenance", "trusted", "0xBB", origins, 2)
    finding = Finding(
        "act/sensitive-params",
        Action.BLOCK,
        "recipient came only from an untrusted source",
        code="provenance_violation",
        violations=(violation,),
    )
    call = ToolCall("c", "payments", "send_payment", {"recipient": "0xBB"})
    told = body(Verdict.of(finding), call, Policy())
    return told["violations"][0]["observed_origins"]


def test_an_origin_names_a_tool_that_exists_and_stands_once():
    plain = Origin(2, "docs", "read", Trust.WORLD)
    exposed = Origin(2, "docs", "docs__read", Trust.WORLD, field="text")
    told = origins_told(plain, exposed, Origin(0, "", "user", Trust.USER))
    assert [origin["tool"] for origin in told] == ["docs__read", "user"]
