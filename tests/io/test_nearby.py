"""Keys of another installation are no tampering, and never make anything OK."""

import json

import pytest

from tripwire.config.presets import builtin_policy
from tripwire.io.keys import KeyStore
from tripwire.io.nearby import store_for
from tripwire.io.reading import Reader
from tripwire.io.session import open_session
from tripwire.io.verify import INCOMPLETE, OK, TAMPERED, verify_log
from tripwire.ledger import chain
from tripwire.ledger.chain import Tip
from tripwire.model.event import SessionOpened, ToolCall, UserSaid


@pytest.fixture
def usual(tmp_path, monkeypatch):
    """An installation with a session of its own, so that it has keys."""
    home = tmp_path / "home"
    monkeypatch.setenv("TRIPWIRE_HOME", str(home))
    written(home, None, "own")
    return home


def written(root, keys, name="s"):
    session = open_session(builtin_policy(), root=root, name=name, client="test", keys_dir=keys)
    session.decide(SessionOpened("test", "/w", "/home/u"))
    session.decide(UserSaid("list the files"))
    session.decide(ToolCall("1", "claude-code", "Bash", {"command": "ls"}, cwd="/w"))
    session.close()
    return session.path


@pytest.mark.parametrize("whole", [True, False])
def test_a_key_of_another_installation_is_incomplete_with_a_hint(usual, tmp_path, whole):
    path = written(tmp_path / "other", tmp_path / "elsewhere")
    found = verify_log(path.parent.parent if whole else path)
    assert (found.code, found.findings) == (INCOMPLETE, ())
    assert "--keys-dir" in found.text()
    assert verify_log(path, keys_dir=tmp_path / "elsewhere").code == OK


def test_who_changes_the_fingerprint_never_gets_ok(usual, tmp_path):
    keys = tmp_path / "elsewhere"
    path = written(tmp_path / "other", keys)
    heads = tmp_path / "other" / "heads.jsonl"
    text, tip, made = heads.read_bytes(), Tip(), b""
    for line in text.splitlines(keepends=True):
        entry = chain.parse(line)
        data = {**entry.data, "key": "0" * 16}
        new, tip = chain.link(tip, entry.ts, entry.type, data, b"not the key")
        made += new
    heads.write_bytes(made)
    assert verify_log(path, keys_dir=keys).code == TAMPERED  # head.json knows the real one
    (path / "head.json").unlink()
    assert verify_log(path, keys_dir=keys).code == TAMPERED


def test_one_line_with_our_fingerprint_is_enough_to_be_held_to_our_key(usual, tmp_path):
    heads = usual / "heads.jsonl"
    lines = heads.read_bytes().splitlines(keepends=True)
    own = json.loads(lines[0])["data"]["key"].encode()
    heads.write_bytes(b"".join([lines[0], *(line.replace(own, b"0" * 16) for line in lines[1:])]))
    assert verify_log(usual).code == TAMPERED


@pytest.mark.parametrize("place", ["state/keys", "keys"])
def test_keys_next_to_the_state_are_found_and_said_to_prove_less(usual, tmp_path, place):
    path = written(tmp_path / "p" / "state", tmp_path / "p" / place)
    found = verify_log(path.parent.parent)
    assert found.code == OK
    assert "whoever can change the log" in found.text()
    assert Reader(path, KeyStore()).has_key
    assert not Reader(path, KeyStore(tmp_path / "none")).has_key


def test_the_keys_dir_of_the_configuration_next_to_the_state_is_found(usual, tmp_path):
    folder = tmp_path / "p"
    path = written(folder / "state", folder / "secret-place")
    (folder / "tripwire.yaml").write_text("state_dir: state\nkeys_dir: secret-place\n")
    assert verify_log(path).code == OK
    (folder / "tripwire.yaml").write_text("[broken")
    assert verify_log(path).code == INCOMPLETE


def test_the_usual_keys_come_first(usual, tmp_path):
    path = written(usual, None, "mine")
    written(tmp_path / "x", usual.parent / "keys", "mine")
    assert store_for(path, None)[1] == ""
    assert verify_log(path).code == OK
