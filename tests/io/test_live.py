"""Doors of one client find each other, and only while they live."""

import os
import subprocess
import sys

from tripwire.io import live


def me():
    return live.Process(os.getpid(), live._started(os.getpid()))


def test_a_gateway_finds_the_session_of_its_client_process(tmp_path):
    live.register(tmp_path, name="a", path=tmp_path / "a", client=me(), project="/p")
    live.register(tmp_path, name="b", path=tmp_path / "b", client=me(), project="/q")
    found = live.find(tmp_path, (live.Process(1), me()), "/elsewhere")
    assert [s.name for s in found] == ["b", "a"]


def test_else_the_session_of_the_same_project(tmp_path):
    live.register(tmp_path, name="a", path=tmp_path / "a", client=me(), project="/p")
    assert [s.name for s in live.find(tmp_path, (), "/p")] == ["a"]
    assert live.find(tmp_path, (), "/q") == ()
    assert live.find(tmp_path, (), "") == ()


def test_sessions_that_ended_are_not_found(tmp_path):
    done = subprocess.Popen([sys.executable, "-c", "pass"])
    gone = live.Process(done.pid, "1")
    done.wait()
    live.register(tmp_path, name="a", path=tmp_path / "a", client=gone, project="/p")
    reused = live.Process(os.getpid(), "another start")
    live.register(tmp_path, name="b", path=tmp_path / "b", client=reused, project="/p")
    live.register(tmp_path, name="c", path=tmp_path / "c", client=me(), project="/p")
    live.forget(tmp_path, "c")
    assert live.find(tmp_path, (gone, reused, me()), "/p") == ()


def test_damaged_entries_are_skipped(tmp_path):
    live.register(tmp_path, name="a", path=tmp_path / "a", client=me(), project="/p")
    folder = tmp_path / "run" / "live"
    (folder / "session-x.json").write_text("{")
    (folder / "session-y.json").write_text("[]")
    (folder / "session-z.json").write_text('{"client": {"pid": "1"}}')
    assert [s.name for s in live.find(tmp_path, (), "/p")] == ["a"]


def test_a_gateway_counts_only_under_its_own_client(tmp_path):
    parent = live.ancestry(os.getpid())[0]
    assert not live.gateway_runs(tmp_path, parent)
    entry = live.announce_gateway(tmp_path)
    assert live.gateway_runs(tmp_path, parent)
    assert not live.gateway_runs(tmp_path, me())
    assert not live.gateway_runs(tmp_path, live.Process(0))
    entry.unlink()
    assert not live.gateway_runs(tmp_path, parent)


def test_the_client_is_the_first_ancestor_that_is_no_shell():
    script = (
        f"{sys.executable} -c 'import os,time; print(os.getpid(), flush=True); time.sleep(9)'; :"
    )
    shell = subprocess.Popen(["/bin/sh", "-c", script], stdout=subprocess.PIPE, text=True)
    child = int(shell.stdout.readline())
    try:
        assert live.client_of(child) == me()
    finally:
        os.kill(child, 9)
        shell.wait()


def test_of_a_client_with_several_projects_only_those_of_the_same_project_fit(tmp_path):
    for name, project in (("a", "/p"), ("b", "/q"), ("c", "/p")):
        live.register(tmp_path, name=name, path=tmp_path / name, client=me(), project=project)
    assert [s.name for s in live.find(tmp_path, (me(),), "/p")] == ["c", "a"]


def test_a_client_started_by_another_client_is_not_that_one(tmp_path):
    outer = live.ancestry(os.getpid())[0]
    live.register(tmp_path, name="outer", path=tmp_path / "o", client=outer, project="/p")
    live.register(tmp_path, name="inner", path=tmp_path / "i", client=me(), project="/q")
    assert [s.name for s in live.find(tmp_path, (me(), outer), "/p")] == ["inner"]


def test_a_session_of_another_client_and_project_never_fits(tmp_path):
    live.register(tmp_path, name="a", path=tmp_path / "a", client=me(), project="/p")
    assert live.find(tmp_path, (), "/q") == ()
    assert live.find(tmp_path, (live.Process(1),), "/p/inner") == ()
