"""io/fired: firings of one project over all sessions; what is damaged is counted."""

from dataclasses import replace

from tests.read.making import access, tripwire

from tripwire.config.presets import builtin_policy
from tripwire.io.fired import firings
from tripwire.io.session import open_session
from tripwire.model.event import SessionOpened, ToolCall
from tripwire.model.tripwire import ReadConfig
from tripwire.read.tripwire_set import TripwireSet


def fire(state, root, name, *, probe=False):
    project = TripwireSet(str(root), ReadConfig(), [tripwire("a", ["src/**"])])
    policy = replace(builtin_policy(), read=project)
    session = open_session(policy, root=state, name=name, client="t", keys_dir=state / "keys")
    session.decide(SessionOpened("t", str(root), "/home/u"), door="hooks")
    touched = (access("src/a.ts", probe=probe),)
    call = ToolCall("r1", "claude-code", "Read", {"file_path": "src/a.ts"}, "/r", touched=touched)
    session.decide(call, door="hooks")
    session.close()


def test_only_this_projects_firings_count_and_damage_is_said(tmp_path):
    state, here = tmp_path / "state", tmp_path / "here"
    here.mkdir()
    fire(state, here, "one")
    fire(state, here, "two", probe=True)
    fire(state, tmp_path / "elsewhere", "three")
    found = firings([state, state], here)
    assert [data["project"] for _, data in found.entries] == [found.entries[0][1]["project"]] * 2
    assert sorted(bool(data.get("probe")) for _, data in found.entries) == [False, True]
    assert found.unreadable == 0
    assert firings([state], here, since=4e9).entries == ()
    audit = state / "sessions" / "one" / "audit.jsonl"
    audit.write_bytes(audit.read_bytes() + b'{"type":"read.fired"\ngarbage\n{"a":1}\n')
    assert firings([state], here).unreadable == 2
    audit.unlink()
    (tmp_path / "other").write_bytes(b"")
    audit.symlink_to(tmp_path / "other")
    assert firings([state], here).unreadable == 1


def test_no_state_is_no_firing(tmp_path):
    assert firings([tmp_path / "none"], tmp_path).entries == ()
