"""The resident process: one per state root, private, refuses rather than stays silent."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tripwire.errors import DaemonUnavailable, StateUnusable
from tripwire.io import daemon as resident

SRC = Path(__file__).parents[2] / "src"

PROGRAM = """
import sys, time
sys.path.insert(0, {src!r})
from pathlib import Path
from tripwire.io.daemon import Answer, Daemon
def serve(request):
    if request.body == b"boom":
        raise RuntimeError("a canary that must not be printed")
    if request.body == b"slow":
        time.sleep(0.5)
        with open({root!r} + "/gone", "w") as file:
            file.write(str(request.gone()))
    return Answer(out=f"{{request.client}}|{{request.session}}|{{len(request.body)}}")
Daemon(Path({root!r}), serve, idle={idle}, pause=0.1).run()
"""


@pytest.fixture
def running(tmp_path):
    started = []

    def start(idle=60.0):
        program = PROGRAM.format(src=str(SRC), root=str(tmp_path), idle=idle)
        process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def until(check, seconds=10.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.02)
    return False


def answers(root):
    try:
        resident.ask(root, b"status", timeout=2.0)
    except DaemonUnavailable:
        return False
    return True


def test_it_answers_and_is_private(tmp_path, running):
    process = running()
    assert until(lambda: answers(tmp_path))
    answer = resident.ask(tmp_path, b"hello", client="c")
    assert (answer.code, answer.out) == (0, "c||5")
    run = tmp_path / "run"
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert stat.S_IMODE((run / resident.SOCKET).stat().st_mode) == 0o600
    assert resident.holder(tmp_path) == process.pid


def test_a_crash_is_a_refusal_without_the_message(tmp_path, running):
    process = running()
    assert until(lambda: answers(tmp_path))
    assert resident.ask(tmp_path, b"boom", client="c") == resident.REFUSED
    process.kill()
    assert b"canary" not in process.stderr.read()


def test_a_second_one_gives_way(tmp_path, running):
    running()
    assert until(lambda: answers(tmp_path))
    second = running()
    second.wait(20)
    assert b"another daemon" in second.stderr.read()
    assert answers(tmp_path)


def test_after_kill_9_the_next_one_takes_over(tmp_path, running):
    first = running()
    assert until(lambda: answers(tmp_path))
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert not answers(tmp_path)
    assert resident.holder(tmp_path) == 0
    running()
    assert until(lambda: answers(tmp_path))


def test_it_ends_when_idle(tmp_path, running):
    process = running(idle=0.1)
    assert process.wait(20) == 0
    assert not (tmp_path / "run" / resident.SOCKET).exists()


def test_it_ends_when_its_socket_was_replaced(tmp_path, running):
    process = running()
    assert until(lambda: answers(tmp_path))
    (tmp_path / "run" / resident.SOCKET).unlink()
    assert process.wait(20) == 0


def test_stop_also_when_it_hangs(tmp_path, running):
    process = running()
    assert until(lambda: answers(tmp_path))
    process.send_signal(signal.SIGSTOP)
    assert resident.end(tmp_path, wait=0.2)
    assert process.wait(20) == -signal.SIGKILL
    assert not resident.end(tmp_path)


def test_many_at_once(tmp_path, running):
    running()
    assert until(lambda: answers(tmp_path))
    with ThreadPoolExecutor(24) as pool:
        asked = [pool.submit(resident.ask, tmp_path, b"x" * n, client="c") for n in range(24)]
    assert [a.result().out for a in asked] == [f"c||{n}" for n in range(24)]


def test_garbage_on_the_socket_is_refused(tmp_path, running):
    running()
    assert until(lambda: answers(tmp_path))
    for garbage in (b"", b"GET / HTTP/1.1\r\n\r\n", b"2\0a\0b\0c\0d\0e", b"1\0a"):
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(10)
        resident._connect(link, tmp_path / "run")
        link.sendall(garbage)
        link.shutdown(socket.SHUT_WR)
        assert link.recv(100).startswith(b"2 ")
        link.close()
    assert answers(tmp_path)


def test_it_knows_when_the_client_gave_up(tmp_path, running):
    running()
    assert until(lambda: answers(tmp_path))
    with pytest.raises(DaemonUnavailable):
        resident.ask(tmp_path, b"slow", client="c", timeout=0.1)
    assert until(lambda: (tmp_path / "gone").exists() and (tmp_path / "gone").read_text())
    assert (tmp_path / "gone").read_text() == "True"


def test_a_long_state_path(tmp_path, running):
    deep = tmp_path / ("d" * 80) / ("e" * 80)
    deep.mkdir(parents=True)
    program = PROGRAM.format(src=str(SRC), root=str(deep), idle=60)
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        assert until(lambda: answers(deep))
    finally:
        process.kill()
        process.wait()


def test_a_directory_that_is_open_to_others_is_closed(tmp_path):
    (tmp_path / "run").mkdir(mode=0o777)
    (tmp_path / "run").chmod(0o777)
    resident.private_dir(tmp_path / "run")
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_a_state_root_that_is_a_file(tmp_path):
    (tmp_path / "f").write_text("")
    with pytest.raises(StateUnusable, match="TRIPWIRE_HOME"):
        resident.private_dir(tmp_path / "f" / "run")


def test_nobody_there(tmp_path):
    with pytest.raises(DaemonUnavailable, match="tripwire daemon start"):
        resident.ask(tmp_path, b"status")
    assert resident.holder(tmp_path) == 0


def test_the_peer_is_known():
    left, right = socket.socketpair()
    assert resident.peer(left)[1] == os.getuid()
    left.close()
    right.close()
