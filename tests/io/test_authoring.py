"""Changes of tripwires by agents, and pruning (CTX-38 to CTX-42)."""

import fcntl
import os
import subprocess
import sys
import threading
from datetime import datetime

import pytest

from tripwire.config.read_keys import READ
from tripwire.config.read_schema import AUTHORING_LIMITS
from tripwire.errors import AuthoringRefused, NeedsPerson
from tripwire.io import tripwire_files
from tripwire.io.authoring import CreateRequest, create, deactivate, edit, prune, reactivate
from tripwire.io.tripwires import load
from tripwire.model.tripwire import ContentCondition, Repeat, Severity

NOW = datetime.fromisoformat("2026-06-15T12:00:00Z").timestamp()
HUMAN = '# by hand\ntriggers: ["src/**"]\ncontext: c\ncreated_by: human\n'
AGENTS = HUMAN.replace("human", "agent:mcp") + "learned_from: x\nexpires: 2026-09-01 # soon\n"


@pytest.fixture
def root(tmp_path):
    return tmp_path


def put(root, name, text):
    path = root / ".tripwires" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def request(name="n", **changes):
    base = {"triggers": ("src/**",), "context": "c", "learned_from": "a review"}
    return CreateRequest(name, **(base | changes))


def made(root, wanted=None, **kwargs):
    return create(root, load(root), wanted or request(), now=NOW, **kwargs)


def approving(change):
    """Make a change as a person would let it: asked, the very diff that was shown is approved."""
    try:
        return change("")
    except NeedsPerson as asked:
        return change(asked.diff)


def stands(root):
    place = root / ".tripwires"
    files = place.iterdir() if place.exists() else ()
    return {path.name: path.read_text() for path in files}


# ── creating ─────────────────────────────────────────────────────────────────────────────────


def test_ctx_40_41_what_a_new_file_says(root):
    wanted = request(
        "Db_Migration Checklist",
        triggers=("db/**", "!db/*.md"),
        context="One.\nTwo.",
        severity=Severity.HIGH,
        tags=("db",),
        depends_on=("Other Rule",),
        match_content=ContentCondition(("^a",), ("b",), "", "all"),
        repeat=Repeat.SESSION,
    )
    found = made(root, wanted)
    assert (found.tripwire.name, found.replaced) == ("db-migration-checklist", False)
    assert stands(root) == {
        "db-migration-checklist.yml": """\
triggers:
  - "db/**"
  - "!db/*.md"
context: |-
  One.
  Two.
severity: high
created_by: agent:mcp
learned_from: "a review"
tags: ["db"]
expires: 2026-09-13
depends_on: ["Other Rule"]
match_content: {regex: ["^a"], keywords: ["b"], mode: all}
repeat: session
"""
    }
    assert load(root).by_name["db-migration-checklist"].dead_from is not None


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("../../x", "x.yml"),
        ("/etc/x", "etcx.yml"),
        ("x/../../../y", "xy.yml"),
        ("..\\x", "x.yml"),
        (".x", "x.yml"),
        ("x.yml", "x.yml"),
        ("X\0\n", "x.yml"),
    ],
)
def test_ctx_42_a_name_is_never_a_path(root, name, file):
    made(root, request(name))
    assert list(stands(root)) == [file]
    assert [path.name for path in root.iterdir()] == [".tripwires"]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"name": ""}, "name"),
        ({"name": "___"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"triggers": ()}, "triggers"),
        ({"triggers": ("",)}, "triggers.0"),
        ({"triggers": ("a", "!")}, "triggers.1"),
        ({"triggers": ("{1..2000}",)}, "triggers.0"),
        ({"context": " \n\u00a0"}, "context"),
        ({"tags": ("Bad Tag",)}, "tags.0"),
        ({"tags": ("a", 'x">>>')}, "tags.1"),
        ({"depends_on": ("!!",)}, "depends_on.0"),
        ({"match_content": ContentCondition(regex=("(?=a)",))}, "match_content.regex.0"),
        ({"match_content": ContentCondition()}, "match_content"),
        ({"learned_from": None}, "learned_from"),
        ({"learned_from": " \t"}, "learned_from"),
        ({"expires": "2026-02-30"}, "expires"),
        ({"expires": "never"}, "expires"),
        ({"expires": ""}, "expires"),
        ({"expires": "2026-09-14"}, "expires"),
        ({"expires": "2026-09-14T00:00"}, "expires"),
        ({"context": "half \ud800"}, ""),
        ({"context": "x" * (257 << 10)}, ""),
    ],
)
def test_ctx_38_what_is_wrong_is_named_and_nothing_is_written(root, changes, key):
    with pytest.raises(AuthoringRefused) as refused:
        made(root, request(**changes))
    assert str(refused.value).startswith(f"{key}:" if key else "")
    assert stands(root) == {}


def test_ctx_40_an_explicit_date_within_the_limit(root):
    assert made(root, request(expires="2026-09-13")).tripwire.expires == "2026-09-13"
    (root / ".tripwirerc.yml").write_text("auto_expire_days: 0\n")
    assert made(root, request("m")).tripwire.expires == ""
    assert made(root, request("o", expires="2099-01-01")).tripwire.expires == "2099-01-01"
    (root / ".tripwirerc.yml").write_text("auto_expire_days: 99999999999\n")
    assert made(root, request("p")).tripwire.expires == "9999-12-31"


def test_ctx_38_learned_from_is_needed_only_if_configured(root):
    (root / ".tripwirerc.yml").write_text("require_learned_from: false\n")
    assert made(root, request(learned_from=None)).tripwire.learned_from == ""


@pytest.mark.parametrize(
    "config",
    [
        "allow_agent_create: false\n",
        "allow_agent_create: 'true'\n",
        "require_learned_from: 1\n",
        "agent_max_severity: severe\n",
        "{{bad",
        "- a\n",
        "a: 1\na: 2\n",
    ],
)
def test_limits_that_forbid_or_cannot_be_read_refuse_every_change(root, config):
    path = put(root, "a.yml", AGENTS)
    (root / ".tripwirerc.yml").write_text(config)
    rules = load(root)
    for change in (
        lambda: approving(lambda d: create(root, rules, request(), now=NOW, approved=d)),
        lambda: approving(lambda d: edit(root, rules, "a", {"context": "d"}, now=NOW, approved=d)),
        lambda: approving(lambda d: deactivate(root, rules, "a", approved=d)),
        lambda: approving(lambda d: reactivate(root, rules, "a", approved=d)),
    ):
        with pytest.raises(AuthoringRefused) as refused:
            change()
        assert not isinstance(refused.value, NeedsPerson)
    assert stands(root) == {"a.yml": path.read_text()} == {"a.yml": AGENTS}


def test_other_problems_of_the_configuration_refuse_nothing(root):
    bad = [f"{key}: ~\n" for key in READ if key not in AUTHORING_LIMITS]
    (root / ".tripwirerc.yml").write_text("".join(bad) + "unknown: 1\n")
    made(root)


def test_a_limit_in_tripwire_yaml_counts_as_well(root):
    (root / "tripwire.yaml").write_text("read: {allow_agent_create: maybe}\n")
    with pytest.raises(AuthoringRefused):
        made(root)
    (root / "tripwire.yaml").write_text("read: {agent_max_severity: info}\n")
    with pytest.raises(NeedsPerson):
        made(root)


def test_ctx_39_a_severity_above_the_limit_needs_a_person(root):
    wanted = request(severity=Severity.CRITICAL)
    with pytest.raises(NeedsPerson) as asked:
        made(root, wanted)
    assert stands(root) == {}
    assert "+severity: critical" in asked.value.diff
    assert asked.value.refusal.endswith("a person must change .tripwires/n.yml")
    found = approving(lambda d: made(root, wanted, approved=d)).tripwire
    assert (found.severity, found.created_by) == (Severity.CRITICAL, "agent:mcp")


# ── replacing ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("file", ["n.yml", "N.yml", "_n_.yml"])
def test_ctx_38_a_name_that_is_taken(root, file):
    put(root, file, AGENTS)
    with pytest.raises(AuthoringRefused, match=r'"n" exists already'):
        made(root)
    assert stands(root) == {file: AGENTS}


def test_ctx_42_force_replaces_in_place_and_keeps_the_comments(root):
    put(root, "N.yml", AGENTS + "tags: [old]\nactive: false\n")
    found = made(root, request(context="new", force=True))
    assert found.replaced
    assert stands(root) == {
        "N.yml": """\
# by hand
triggers: ["src/**"]
context: new
created_by: agent:mcp
learned_from: "a review"
expires: 2026-09-13 # soon
"""
    }


@pytest.mark.parametrize("author", ["human", "tool:import", "agent:", "AGENT:x", "agent:X", None])
def test_ctx_39_what_no_agent_wrote_needs_a_person(root, author):
    line = f'created_by: "{author}"\n' if author else ""
    before = HUMAN.replace("created_by: human\n", line)
    put(root, "n.yml", before)
    for change in (
        lambda: made(root, request(force=True)),
        lambda: edit(root, load(root), "n", {"context": "d"}, now=NOW),
        lambda: deactivate(root, load(root), "N"),
    ):
        with pytest.raises(NeedsPerson) as asked:
            change()
        expected = f'Tripwire "n" was written by {author or "human"}; a person must change '
        assert asked.value.refusal == f"{expected}.tripwires/n.yml"
        assert asked.value.diff.startswith("--- .tripwires/n.yml\n+++ .tripwires/n.yml\n")
    assert stands(root) == {"n.yml": before}


def test_ctx_39_an_agents_own_above_the_limit_needs_a_person(root):
    put(root, "n.yml", AGENTS + "severity: critical\n")
    with pytest.raises(NeedsPerson):
        deactivate(root, load(root), "n")
    with pytest.raises(NeedsPerson):
        made(root, request(force=True))
    assert not approving(lambda d: deactivate(root, load(root), "n", approved=d)).active


def test_ctx_42_an_approved_change_of_a_persons_file_keeps_its_author_and_layout(root):
    put(root, "n.yml", HUMAN)
    high = {"severity": "high"}
    approving(lambda d: edit(root, load(root), "n", high, now=NOW, approved=d))
    assert stands(root) == {"n.yml": HUMAN + "severity: high\n"}
    approving(lambda d: made(root, request(force=True), approved=d))
    assert load(root).by_name["n"].created_by == "agent:mcp"


def test_ctx_42_a_file_that_does_not_load_is_never_rewritten(root):
    for text in ("", "{{bad", "context: c\n", AGENTS + "severity: low\n"):
        put(root, "n.yml", text)
        for change in (
            lambda: approving(lambda d: made(root, request(force=True), approved=d)),
            lambda: approving(lambda d: deactivate(root, load(root), "n", approved=d)),
            lambda: approving(
                lambda d: edit(root, load(root), "n", {"context": "d"}, now=NOW, approved=d)
            ),
        ):
            with pytest.raises(AuthoringRefused, match="does not load"):
                change()
        assert stands(root) == {"n.yml": text}


def test_ctx_42_what_cannot_be_edited_safely_is_left_alone(root):
    text = AGENTS.replace('["src/**"]', "&t [src/**]") + "x: *t\n"
    put(root, "n.yml", text)
    with pytest.raises(AuthoringRefused, match="a person must change it"):
        edit(root, load(root), "n", {"triggers": ["lib/**"]}, now=NOW)
    assert stands(root) == {"n.yml": text}


def test_the_decision_is_made_on_the_file_as_it_is_not_as_it_was_loaded(root):
    put(root, "n.yml", AGENTS)
    rules = load(root)
    put(root, "n.yml", HUMAN)
    with pytest.raises(NeedsPerson):
        deactivate(root, rules, "n")
    assert stands(root) == {"n.yml": HUMAN}


# ── editing ──────────────────────────────────────────────────────────────────────────────────


def test_ctx_42_switching_off_and_on_again(root):
    put(root, "no-sql.yml", AGENTS)
    assert deactivate(root, load(root), "No SQL.yml").active is False
    assert stands(root) == {"no-sql.yml": AGENTS + "active: false\n"}
    assert deactivate(root, load(root), "no-sql").active is False
    assert reactivate(root, load(root), "no_sql").active is True
    assert stands(root) == {"no-sql.yml": AGENTS + "active: true\n"}


@pytest.mark.parametrize("name", ["zz", "", "../n", "n/../n.yml"])
def test_a_name_that_there_is_not(root, name):
    put(root, "m.yml", AGENTS)
    with pytest.raises(AuthoringRefused, match="Tripwire not found"):
        deactivate(root, load(root), name)


def test_edit_changes_only_what_is_given(root):
    put(root, "n.yml", AGENTS)
    found = edit(
        root, load(root), "n", {"context": "d", "tags": ["a"], "match_content": {"keywords": ["k"]}},
        now=NOW,
    )  # fmt: skip
    assert (found.context, found.tags) == ("d", ("a",))
    assert stands(root)["n.yml"] == AGENTS.replace("context: c", "context: d") + (
        'tags: ["a"]\nmatch_content: {keywords: ["k"]}\n'
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"created_by": "human"},
        {"active": False},
        {"name": "m"},
        {"context": ""},
        {"learned_from": " "},
        {"tags": ["Bad Tag"]},
        {"expires": "2027-01-01"},
        {"expires": "x"},
        {"severity": "low"},
        {"triggers": []},
        {"triggers": ["!"]},
        {"context": "\ud800"},
    ],
)
def test_edit_refuses_what_create_would(root, changes):
    put(root, "n.yml", AGENTS)
    with pytest.raises(AuthoringRefused):
        approving(lambda d: edit(root, load(root), "n", changes, now=NOW, approved=d))
    assert stands(root) == {"n.yml": AGENTS}


def test_edit_to_a_severity_above_the_limit_needs_a_person(root):
    put(root, "n.yml", AGENTS)
    with pytest.raises(NeedsPerson):
        edit(root, load(root), "n", {"severity": "critical"}, now=NOW)


def test_a_diff_cannot_hide_what_it_does(root):
    put(root, "n.yml", HUMAN)
    with pytest.raises(NeedsPerson) as asked:
        edit(root, load(root), "n", {"context": "a\x1b[2J\u202eb\r\nc"}, now=NOW)
    assert all(char.isprintable() or char == "\n" for char in asked.value.diff)


# ── pruning ──────────────────────────────────────────────────────────────────────────────────


def test_prune_switches_off_what_expired_and_nothing_else(root):
    old = HUMAN + "expires: 2026-06-14 # over\n"
    put(root, "old.yml", old)
    put(root, "today.yml", HUMAN + "expires: 2026-06-15\n")
    put(root, "off.yml", HUMAN + "expires: 2020-01-01\nactive: false\n")
    before = stands(root)
    done = prune(root, load(root), NOW)
    assert [tripwire.name for tripwire in done.tripwires] == ["old"]
    assert stands(root) == before | {"old.yml": old + "active: false\n"}
    assert prune(root, load(root), NOW).tripwires == ()


def test_prune_deletes_if_asked(root):
    put(root, "old.yml", HUMAN + "expires: 2026-06-14\n")
    put(root, "new.yml", HUMAN)
    prune(root, load(root), NOW, delete=True)
    assert list(stands(root)) == ["new.yml"]


def test_prune_says_what_it_could_not_do(root):
    text = 'triggers: &t ["src/**"]\ncontext: c\nexpires: 2026-06-14\nactive: &b true\nx: *b\n'
    put(root, "odd.yml", text)
    done = prune(root, load(root), NOW)
    assert done.tripwires == ()
    assert [file for file, _ in done.refused] == [".tripwires/odd.yml"]
    assert stands(root) == {"odd.yml": text}


# ── writing ──────────────────────────────────────────────────────────────────────────────────


def test_ctx_41_a_link_stays_a_link_and_its_target_changes(root):
    (root / "real.yml").write_text(AGENTS)
    put(root, "m.yml", AGENTS)
    (root / ".tripwires/n.yml").symlink_to("../real.yml")
    deactivate(root, load(root), "n")
    assert (root / ".tripwires/n.yml").is_symlink()
    assert (root / "real.yml").read_text() == AGENTS + "active: false\n"
    assert sorted(path.name for path in root.iterdir()) == [".tripwires", "real.yml"]


def test_ctx_41_nothing_is_written_through_a_link_that_leaves(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "n.yml").write_text(AGENTS)
    put(root, "m.yml", AGENTS)
    (root / ".tripwires/n.yml").symlink_to(outside / "n.yml")
    with pytest.raises(AuthoringRefused):
        approving(lambda d: made(root, request(force=True), approved=d))
    with pytest.raises(AuthoringRefused):
        approving(lambda d: made(root, request(), approved=d))
    assert (outside / "n.yml").read_text() == AGENTS


def test_ctx_41_no_directory_outside_is_created_in(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (root / ".tripwires").symlink_to(outside)
    with pytest.raises(AuthoringRefused):
        approving(lambda d: made(root, approved=d))
    assert list(outside.iterdir()) == []


def test_ctx_41_the_mode_of_a_file_stays(root):
    put(root, "n.yml", AGENTS).chmod(0o640)
    deactivate(root, load(root), "n")
    assert (root / ".tripwires/n.yml").stat().st_mode & 0o777 == 0o640


def test_ctx_41_a_full_disk_leaves_the_old_file_and_nothing_else(root, monkeypatch):
    put(root, "n.yml", AGENTS)

    def full(handle, content):
        os.write(handle, content[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tripwire_files, "write_all", full)
    with pytest.raises(OSError, match="No space left"):
        deactivate(root, load(root), "n")
    assert stands(root) == {"n.yml": AGENTS}


def test_ctx_41_what_a_crashed_writer_left_is_gone_after_the_next_write(root):
    put(root, "n.yml", AGENTS)
    put(root, f".abc{tripwire_files._NEW}", "half")
    assert [problem.code for problem in load(root).problems] == []
    deactivate(root, load(root), "n")
    assert list(stands(root)) == ["n.yml"]


def test_ctx_41_a_lock_that_stays_held_is_a_clear_error(root):
    put(root, "n.yml", AGENTS)
    handle = os.open(root / ".tripwires", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with (
            pytest.raises(AuthoringRefused, match="another process"),
            tripwire_files.locked(root, ".tripwires", wait=0.05),
        ):
            pytest.fail("held twice")
    finally:
        os.close(handle)
    with tripwire_files.locked(root, ".tripwires", wait=0.05) as held:
        assert held.real == ".tripwires"


def test_ctx_41_of_many_that_create_one_name_one_wins(root):
    outcomes = []

    def one(number):
        try:
            made(root, request(context=f"c{number}"))
            outcomes.append(number)
        except AuthoringRefused:
            outcomes.append(None)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [number for number in outcomes if number is not None]
    assert list(stands(root)) == ["n.yml"]
    assert load(root).by_name["n"].context == f"c{winner}"


def test_ctx_41_the_lock_holds_between_processes(root):
    put(root, "n.yml", AGENTS)
    code = (
        "import sys; from pathlib import Path; from tripwire.io.tripwire_files import locked\n"
        "with locked(Path(sys.argv[1]), '.tripwires', wait=0.05): print('in')"
    )
    with tripwire_files.locked(root, ".tripwires"):
        done = subprocess.run(
            [sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=False
        )
    assert "another process has been changing .tripwires" in done.stderr
    assert done.stdout == ""


def test_ctx_39_an_approval_is_of_the_diff_that_was_shown(root):
    path = put(root, "n.yml", HUMAN)
    with pytest.raises(NeedsPerson) as asked:
        deactivate(root, load(root), "n")
    path.write_text(HUMAN + "severity: critical\n")
    with pytest.raises(NeedsPerson):
        deactivate(root, load(root), "n", approved=asked.value.diff)
    with pytest.raises(NeedsPerson):
        edit(root, load(root), "n", {"context": "d"}, now=NOW, approved=asked.value.diff)
    assert stands(root) == {"n.yml": HUMAN + "severity: critical\n"}
