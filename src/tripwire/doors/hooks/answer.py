"""From a Verdict to the texts of an answer: reasons and context, within what a client takes."""

from __future__ import annotations

from tripwire.model.verdict import Action, Finding, Verdict

MAX_UNITS = 9_500
"""UTF-16 units of one text for the client, which cuts at 10,000 (flow.md HOOK-8, CTX-31)."""


def reason(verdict: Verdict) -> str:
    """Why, from which rule, and what now: it must make sense with nobody there to explain it."""
    lines = [_sentence(f) for f in verdict.findings if f.action > Action.INFORM]
    text = "Tripwire: " + "\n".join(dict.fromkeys(lines))
    tail = f"\nDetails: tripwire explain {verdict.decision_id}" if verdict.decision_id else ""
    if verdict.approval and verdict.action is Action.BLOCK:
        tail += (
            "\nOnly a person can allow it, within 10 minutes and in a terminal of their own;"
            f" then repeat the call. Approve with: tripwire approve {verdict.approval}"
        )
    return cut(text, MAX_UNITS - len(tail)) + tail


def context(verdict: Verdict) -> str:
    """What the agent is told; "" for nothing. READ's text stands whole, others are cut."""
    told = [f for f in verdict.findings if f.tell and f.action is Action.INFORM]
    told.sort(key=lambda finding: finding.firing is None)
    return cut("\n".join(dict.fromkeys(f.tell for f in told)))


def cut(text: str, units: int = MAX_UNITS) -> str:
    """`text` in at most `units` UTF-16 units."""
    encoded = text.encode("utf-16-le", "replace")
    if len(encoded) <= 2 * units:
        return text
    return encoded[: 2 * (units - 1)].decode("utf-16-le", "ignore") + "…"


def _sentence(finding: Finding) -> str:
    remedy = f" {finding.remedy}" if finding.remedy else ""
    stop = "" if finding.reason.endswith((".", "!", "?")) else "."
    return f"{finding.reason}{stop}{remedy} [{finding.rule}]"
