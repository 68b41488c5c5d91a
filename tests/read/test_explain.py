"""read/explain: the JSON of §4.1 and its text, from the plan alone (CTX-27)."""

import json

from tests.read.making import NOW, access, problem, rules, tripwire

from tripwire.read.explain import as_text, explain

KEYS = [
    "filePath", "realPath", "excluded", "config", "directMatches", "resolvedDependencies",
    "suppressed", "warnings", "problems", "renderedInjection", "totalContextLength",
]  # fmt: skip


def plan(*tripwires, at=None, **fields):
    return rules(*tripwires, **fields).plan(at or access(), now=NOW)


def test_keys_in_order_and_values():
    told = explain(
        plan(
            tripwire("n", ["src/**"], "  " + "x" * 200, severity="high", tags=["ok", "BAD"],
                     depends_on=["d", "ghost"], match_content={"keywords": ["k"]}),
            tripwire("d", ["never"], severity="info"),
            tripwire("s", severity="info", context="y" * 400),
            max_context_length=500,
            at=access("alias/a.ts", forms=["alias/a.ts", "src/a.ts"]),
            problems=[problem(line=3)],
        )
    )  # fmt: skip
    assert list(told) == KEYS
    assert told["filePath"] == "alias/a.ts"
    assert told["realPath"] == "src/a.ts"
    assert told["config"] == {
        "inject_mode": "prepend",
        "max_context_length": 500,
        "enforcement_mode": "inject",
    }
    (match, small) = told["directMatches"]
    assert match == {
        "name": "n",
        "severity": "high",
        "matchedGlobs": ["src/**"],
        "tags": ["ok"],
        "content": "not_examined",
        "contextPreview": "x" * 120,
    }
    assert small["content"] is None
    assert told["resolvedDependencies"] == [{"name": "d", "severity": "info", "resolvedVia": "n"}]
    (over,) = told["suppressed"]
    assert (over["name"], over["reason"], over["cost"] > 400) == ("s", "context_budget", True)
    assert [w["code"] for w in told["warnings"]] == ["TW016"]
    assert told["problems"] == [
        {"code": "TW002", "file": ".tripwires/bad.yml", "line": 3, "message": "it is broken"}
    ]
    assert told["renderedInjection"].startswith("<<<TRIPWIRE_NOTICE")
    assert told["totalContextLength"] > 200
    json.dumps(told)


def test_dependencies_are_sorted_by_severity_and_name():
    told = explain(
        plan(
            tripwire("a", depends_on=["z", "b", "c"]),
            tripwire("b", ["x"], severity="info"),
            tripwire("c", ["x"]),
            tripwire("z", ["x"], severity="critical"),
        )
    )
    assert [d["name"] for d in told["resolvedDependencies"]] == ["z", "c", "b"]


def test_a_path_outside_has_no_real_form_to_show():
    assert explain(plan(at=access("src/a.ts", real="")))["realPath"] is None


def test_the_text_form_says_the_same():
    text = as_text(
        plan(
            tripwire("a", tags=["t"], depends_on=["d", "ghost"]),
            tripwire("d", ["x"]),
            tripwire("s", context="y" * 400),
            max_context_length=300,
            problems=[problem(line=3)],
        )
    )
    for part in (
        "warning a [t]", "matched: **", "warning d, needed by a", "not shown: warning s",
        "TW016", "TW002 .tripwires/bad.yml:3: it is broken", "code points of context",
    ):  # fmt: skip
        assert part in text
    assert "nothing fires here" in as_text(plan())
    linked = access("alias/a.ts", forms=["alias/a.ts", "src/a.ts"])
    text = as_text(plan(tripwire("a", match_content={"keywords": ["k"]}), at=linked))
    assert "really src/a.ts" in text
    assert "content: not examined" in text
    assert "excluded" in as_text(plan(tripwire("a"), at=access("dist/x")))
