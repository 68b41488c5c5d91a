"""read/lint_report: text, JSON, SARIF 2.1.0 (§4.2, §4.3)."""

import json

from tripwire.read.lint_codes import CODES, found
from tripwire.read.lint_report import as_json, as_sarif, as_text

FOUND = [
    found("TW013", ".tripwires/a b.yml", 'bad tag "X"', line=4, fix="lower case"),
    found("TW024", ".tripwires", "long"),
]


def test_text():
    assert as_text([]) == "All tripwires valid."
    assert as_text(FOUND) == (
        '  ERROR .tripwires/a b.yml:4: TW013 bad tag "X" (lower case)\n  WARN .tripwires: TW024 long'
    )
    assert len(as_text([found("TW013", "a\nb", "x\u2028y")]).splitlines()) == 1


def test_json():
    told = as_json(FOUND, failed=True)
    assert told["ok"] is False
    assert told["counts"] == {"error": 1, "warning": 1}
    assert told["findings"][0] == {
        "code": "TW013", "level": "error", "file": ".tripwires/a b.yml", "line": 4, "column": 1,
        "message": 'bad tag "X"', "fix": "lower case",
    }  # fmt: skip
    assert told["findings"][1]["line"] is None
    assert as_json([], failed=False)["ok"] is True


def test_sarif():
    log = as_sarif(FOUND, version="1.2.3")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["version"] == "1.2.3"
    assert [rule["id"] for rule in driver["rules"]] == list(CODES)
    first, second = run["results"]
    assert driver["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "TW013"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == ".tripwires/a%20b.yml"
    assert place["region"] == {"startLine": 4, "startColumn": 1}
    assert "region" not in second["locations"][0]["physicalLocation"]
    json.dumps(log)
