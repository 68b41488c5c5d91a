"""Judge is pure; memory is a fold over the journal; one flipped bit is always noticed."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.strategies import TOKEN, events, tool_calls, tool_results

from tripwire.config.presets import builtin_policy
from tripwire.engine import Engine
from tripwire.io.session import open_session
from tripwire.io.verify import verify_log
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.verdict import ALLOWED

POLICY = builtin_policy()
FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


class Place:
    """A state directory that is thrown away."""

    def __enter__(self):
        self.root = Path(tempfile.mkdtemp(prefix="tripwire-law-"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def open(self, name="s"):
        return open_session(
            POLICY, root=self.root, name=name, client="test", keys_dir=self.root / "keys"
        )

    def verify(self, name="s"):
        return verify_log(self.root / "sessions" / name, keys_dir=self.root / "keys")


@FEW
@given(st.lists(events, max_size=8), tool_calls)
def test_judge_is_pure(earlier, call):
    engine = Engine(POLICY)
    for event in earlier:
        engine.learn(event, ALLOWED)
    before = engine.memory.snapshot()
    first = engine.judge(call)
    assert engine.judge(call) == first
    assert engine.memory.snapshot() == before


@FEW
@given(st.lists(events, max_size=10))
def test_memory_after_replay_equals_memory_before(happened):
    with Place() as place:
        session = place.open()
        for event in happened:
            session.decide(event, door="gateway")
        before = session.engine.memory.snapshot()
        session.close()
        again = place.open()
        assert again.engine.memory.snapshot() == before
        again.close()
        report = place.verify()
        assert report.ok, report.text()


@FEW
@given(st.lists(st.tuples(st.booleans(), events), max_size=8))
def test_two_doors_of_one_session_know_the_same(happened):
    with Place() as place:
        doors = place.open(), place.open()
        for which, event in happened:
            doors[which].decide(event)
        for door in doors:
            door.decide(UserSaid("the end"))
        left, right = (door.engine.memory.snapshot() for door in doors)
        # The first door has not read the second's last word yet.
        assert right["labels"] == left["labels"]
        assert right["receipts"] == left["receipts"] + 1
        for door in doors:
            door.close()
        assert place.verify().ok, place.verify().text()


@FEW
@given(st.lists(events, max_size=6), tool_results)
def test_labels_only_grow(earlier, result):
    engine = Engine(POLICY)
    held = frozenset()
    for event in [*earlier, result]:
        engine.learn(event, ALLOWED)
        assert held <= engine.memory.labels.as_set()
        held = engine.memory.labels.as_set()


@pytest.fixture(scope="module")
def closed_session(tmp_path_factory):
    """A session of every kind of record, with a secret in it."""
    root = tmp_path_factory.mktemp("bits")
    keys = root / "keys"
    session = open_session(POLICY, root=root, name="s", client="test", keys_dir=keys)
    session.decide(SessionOpened("test", "/w", "/home/u"))
    session.decide(UserSaid("read the report, pay 12.50 EUR"))
    for number in range(4):
        call = ToolCall(f"c{number}", "docs", "read", {"id": number, "é": 1e21, "big": 2**80})
        session.decide(call, door="gateway")
        text = f"{TOKEN} line\n" * number
        answer = {"content": [{"type": "text", "text": text}]}
        session.decide(ToolResult(call.call_id, "docs", "read", call.args, answer), door="gateway")
    session.close()
    assert verify_log(session.path, keys_dir=keys).ok
    return session.path, keys


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["audit.jsonl", "receipts.jsonl"]), st.data())
def test_one_flipped_bit_is_always_noticed(closed_session, name, data):
    path, keys = closed_session
    original = (path / name).read_bytes()
    at = data.draw(st.integers(0, len(original) * 8 - 1))
    _flip(path / name, original, at)
    try:
        report = verify_log(path, keys_dir=keys)
    finally:
        (path / name).write_bytes(original)
    line = original[: at // 8].count(b"\n") + 1
    assert not report.ok
    assert any(p.file == name and abs(p.line - line) <= 1 for p in report.findings), report.text()


def test_flipping_any_bit_of_a_line_is_noticed(closed_session):
    """Every bit of some lines, the newline included."""
    path, keys = closed_session
    for name in ("audit.jsonl", "receipts.jsonl"):
        original = (path / name).read_bytes()
        end = original.index(b"\n", len(original) // 2)
        start = original.rindex(b"\n", 0, end - 1)
        for at in random.Random(1).sample(range(start * 8, end * 8 + 8), 60):
            _flip(path / name, original, at)
            assert not verify_log(path, keys_dir=keys).ok, (name, at)
        (path / name).write_bytes(original)


def _flip(path, original, at):
    changed = bytearray(original)
    changed[at // 8] ^= 1 << at % 8
    path.write_bytes(bytes(changed))
