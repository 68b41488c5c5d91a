"""`python -m bench.evasions [FILE…] [--json]`: the attack and look-alike vectors, door by door.

Flow cases of kind `call` and `label` go through the hook door as a client's bytes, `library` cases
through `Guard`, `hooks` cases through the hook door with restarts; provenance cases through
`Guard` with the case's guards. Reported: attacks stopped, look-alikes passed, and what is open.

Exits 1 if an attack gets through or a look-alike is stopped.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.vectors import flow, provenance

from bench.hook_session import HookSession, HookSessions
from tripwire.doors.library import Guard
from tripwire.model.event import IntentDeclared, ToolsListed
from tripwire.model.verdict import Action, Verdict

VECTORS = Path(__file__).resolve().parents[1] / "tests" / "vectors"
FILES = ("flow.json", "flow-more.json", "provenance.json", "provenance-more.json")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.evasions", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = run(options.files or [VECTORS / name for name in FILES])
    print(json.dumps(report, indent=2) if options.json else as_text(report))
    return 0 if report["ok"] else 1


def run(files: list[Path]) -> dict:
    """Every case of `files`."""
    sets = []
    for file in files:
        data = json.loads(file.read_text("utf-8"))
        cases = [
            case for case in data["cases"] if case.get("class") in ("attack", "benign", "legit")
        ]
        others = len(data["cases"]) - len(cases)
        sets.append({"file": file.name, **_counted(data["area"], cases), "not_judged": others})
    return {"bench": "evasions", "ok": not any(s["open"] for s in sets), "sets": sets}


def _counted(area: str, cases: list[Mapping]) -> dict:
    topics: dict[str, dict[str, int]] = {}
    missed = []
    for case in cases:
        attack = case["class"] == "attack"
        why = _why(area, case)
        row = topics.setdefault(
            case["topic"], {"attacks": 0, "stopped": 0, "twins": 0, "passed": 0}
        )
        row["attacks" if attack else "twins"] += 1
        row["stopped" if attack else "passed"] += not why
        if why:
            missed.append({"id": case["id"], "class": case["class"], "why": why})
    totals = {
        key: sum(row[key] for row in topics.values())
        for key in ("attacks", "stopped", "twins", "passed")
    }
    return {**totals, "topics": topics, "open": missed}


def _why(area: str, case: Mapping) -> str:
    """Why the case is open, "" if it is closed."""
    try:
        if area == "provenance":
            return _provenance(case)
        if case["kind"] in ("call", "label"):
            return _by_hooks(case)
        return flow.check(case)
    except Exception as error:  # noqa: BLE001 - a case that breaks the bench is an open one
        return f"{type(error).__name__}: {error}"


# ── flow: the hook door ──────────────────────────────────────────────────────────────────────


def _by_hooks(case: Mapping) -> str:
    given, expect = case["given"], case["expect"]
    with HookSessions(flow.policy_for(given)) as sessions:
        session = sessions.start(home=flow.HOME, cwd=flow.CWD)
        _lived(session, given["events"])
        if case["kind"] == "label":
            missing = set(expect["labels_include"]) - session.labels
            return f"labels {sorted(missing)} are missing" if missing else ""
        worst, said = Action.ALLOW, ""
        for raw in given.get("calls") or [given["call"]]:
            tool, args = _wire(raw)
            verdict = session.check(tool, args)
            if verdict.action > worst:
                worst, said = verdict.action, _said(verdict)
            if verdict.passes:
                session.observe(tool, args, "ok")
    if worst < Action[expect.get("min_action", "ALLOW")]:
        return f"{worst.name}, weaker than {expect['min_action']}"
    most = Action[expect.get("max_action", "BLOCK")]
    return f"{worst.name}, stronger than {most.name}: {said}" if worst > most else ""


def _lived(session: HookSession, events: list[Mapping]) -> None:
    """The past of a session: calls ran whatever the door said of them."""
    called = None
    for raw in events:
        match raw["type"]:
            case "user_said":
                session.prompt(raw["text"])
            case "tool_call":
                called = _wire(raw)
                session.check(*called)
            case "tool_result" if called is not None:
                session.observe(*called, flow.expanded(raw["text"]))


def _wire(raw: Mapping) -> tuple[str, dict]:
    args = flow._filled(flow.expanded(raw["args"]))
    name = raw["tool"] if raw["server"] == "builtin" else f"mcp__{raw['server']}__{raw['tool']}"
    return name, args


# ── provenance: the library, with the guards of the case ─────────────────────────────────────


def _provenance(case: Mapping) -> str:
    if case["kind"] != "call":
        return provenance.check(case)
    given = case["given"]
    with tempfile.TemporaryDirectory() as folder:
        guard = Guard(provenance.policy_of(given), journal=folder)
        if given.get("intent"):
            guard.session.decide(IntentDeclared(given["intent"]), door="library")
        for step in given["steps"]:
            _step(guard, step)
        call = given["call"]
        verdict = guard.check(call["tool"], call["arguments"], source=call["upstream"])
        guard.session.close()
    action = "allow" if verdict.passes else "block"
    wanted = case["expect"]["action"]
    return "" if action == wanted else f"{action}, not {wanted}: {_said(verdict)}"


def _step(guard: Guard, step: Mapping) -> None:
    if "declare_intent" in step:
        guard.session.decide(IntentDeclared(step["declare_intent"]), door="library")
    elif "user_said" in step:
        guard.user_message(step["user_said"])
    else:
        source, tool = step["upstream"], step["tool"]
        if "annotations" in step:
            listed = ToolsListed(source, ({"name": tool, "annotations": step["annotations"]},))
            guard.session.decide(listed, door="library")
        guard.check(tool, step["arguments"], source=source)
        error = "failed" if step["result"].get("isError") else None
        guard.observe(tool, step["arguments"], step["result"], error, source=source)


def _said(verdict: Verdict) -> str:
    return "; ".join(f"{f.action.name} {f.rule}: {f.reason}" for f in verdict.findings)


def as_text(report: dict) -> str:
    """For people."""
    lines = []
    for one in report["sets"]:
        lines.append(
            f"{one['file']}: {one['stopped']} of {one['attacks']} attacks stopped,"
            f" {one['passed']} of {one['twins']} look-alikes passed"
        )
        for topic, row in one["topics"].items():
            lines.append(
                f"  {topic:<14} {row['stopped']}/{row['attacks']} stopped,"
                f" {row['passed']}/{row['twins']} passed"
            )
        lines += [f"  OPEN {m['class']} {m['id']}: {m['why']}" for m in one["open"]]
    lines.append("ok" if report["ok"] else "MISSED")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
