"""ledger/fired: `read.fired` holds all of CTX-37, no secret, and comes back as it was."""

from dataclasses import replace

from tripwire.ledger.entry import Links, Redactor
from tripwire.ledger.fired import KIND, fired, firing_of
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.receipt import secret_spans
from tripwire.model.tripwire import Firing, Shown
from tripwire.model.verdict import Action, Finding, Verdict
from tripwire.text.canonical import canonical_bytes

RED = Redactor(SessionKeys.derive(b"k" * 32), secret_spans)
LINKS = Links("d-1", door="hooks/claude-code", session="s-1")
TOKEN = "ghp_" + "Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234"
FIRING = Firing(
    "shell",
    "src/ünï code/a.ts",
    real_path=".hidden/a.ts",
    tool="claude-code__Bash",
    call="c-1",
    agent="a-1",
    opaque=True,
    content="not_examined",
    tripwires=(
        Shown("1-a", "high", "0" * 64, origin="dependency", originator="b"),
        Shown("b", "info", "1" * 64, ("src/**", "!x/*.[jt]s"), outcome="repeat"),
    ),
    problems="2" * 64,
    files=(".tripwires/bad.yml",),
    observed=True,
    probe=True,
)


def verdict_of(firing, *others):
    return Verdict.of(Finding("read/tripwire", Action.INFORM, "", firing=firing), *others)


def one(verdict):
    ((kind, data),) = fired(verdict, LINKS, RED)
    assert kind == KIND
    canonical_bytes(data)
    return data


def test_every_field_of_the_specification_is_there():
    data = one(verdict_of(FIRING))
    assert {
        "session", "agent", "client", "route", "tool", "call", "path", "real_path", "opaque",
        "content", "tripwires",
    } <= data.keys()  # fmt: skip
    assert data["session"] == "s-1"
    assert data["client"] == "hooks/claude-code"
    assert data["tripwires"][1] == {
        "name": "b", "severity": "info", "digest": "1" * 64, "globs": ["src/**", "!x/*.[jt]s"],
        "origin": "match", "originator": "", "outcome": "repeat",
    }  # fmt: skip


def test_it_comes_back():
    assert firing_of(one(verdict_of(FIRING))) == FIRING
    plain = Firing("read", "a", tripwires=(Shown("a", "info", "x"),))
    assert firing_of(one(verdict_of(plain))) == plain


def test_what_a_block_stopped_is_recorded_so():
    block = Finding("read/raw-read", Action.BLOCK, "no")
    data = one(verdict_of(replace(FIRING, tripwires=(Shown("a", "info", "x"),)), block))
    assert data["denied_by"] == "read/raw-read"
    assert data["tripwires"][0]["outcome"] == "denied"
    assert "files" not in data


def test_a_secret_in_a_path_or_a_glob_is_a_hash():
    firing = replace(
        FIRING, path=f"src/{TOKEN}", tripwires=(Shown("a", "info", "x", (f"{TOKEN}/**",)),)
    )
    data = one(verdict_of(firing))
    assert TOKEN not in str(data)
    assert data["path"].startswith("~")
    assert data["tripwires"][0]["globs"][0].startswith("~")


def test_a_path_that_no_text_can_hold_is_recorded_all_the_same():
    data = one(verdict_of(replace(FIRING, path="a\ud800", real_path="x" * 5000)))
    assert data["path"] == "a\\ud800"
    assert data["real_path"].startswith("~")


def test_nothing_without_a_firing():
    assert not list(fired(verdict_of(None), LINKS, RED))
