"""`tripwire stats`: totals, and what the journal says was shown."""

import pytest
from tests.io.test_fired import fire

from tripwire.cli.since import moment
from tripwire.errors import UsageError

RULE = 'triggers: ["src/**"]\ncontext: "x"\ncreated_by: human\n'


@pytest.fixture
def project(machine):
    (machine / ".tripwires").mkdir()
    for name in ("a", "idle"):
        (machine / ".tripwires" / f"{name}.yml").write_text(RULE)
    (machine / ".tripwires" / "bad.yml").write_text("{{")
    return machine


def test_totals(project, run, run_json):
    code, out, _ = run("stats")
    assert code == 0
    assert out.startswith("3 tripwire(s): 2 active, 0 inactive, 0 expired, 1 broken\n")
    assert run_json("stats")[1]["by_creator"] == {"human": 2}


def test_a_name_forges_no_line(project, run):
    rule = RULE.replace("human", '"x\\n2 tripwire(s): all fine\\e[2J"')
    (project / ".tripwires" / "a.yml").write_text(rule)
    out = run("stats")[1]
    assert "\n2 tripwire(s)" not in out
    assert "\x1b" not in out


def test_what_fired(project, run, run_json):
    fire(project.parent / "home" / "state", project, "one")
    fire(project.parent / "home" / "state", project, "two", probe=True)
    code, found = run_json("stats", "--fired")
    assert code == 0
    assert found["fired"]["records"] == 1
    assert [(t["name"], t["shown"]) for t in found["fired"]["tripwires"]] == [("a", 1)]
    assert found["fired"]["never"] == ["idle"]
    assert "a: shown 1 (read 1), last 20" in run("stats", "--fired")[1]
    assert run_json("stats", "--fired", "--since", "2199-01-01")[1]["fired"]["records"] == 0
    assert run("stats", "--since", "1d")[0] == 2
    assert run("stats", "--fired", "--since", "soon")[0] == 2
    assert run("stats", "--fired", "--state", project / "none")[0] == 2


def test_since():
    assert moment("2d", 1e6) == 1e6 - 172_800
    assert moment("1970-01-02", 0) == 86_400
    assert moment("1970-01-01T01:00:00+01:00", 0) == 0
    with pytest.raises(UsageError, match="no moment"):
        moment("-2d", 0)
