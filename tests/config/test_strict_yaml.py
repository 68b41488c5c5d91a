"""Bad files: each is refused with its place and what to do; none hangs, crashes or is half read."""

import os

import pytest

from tripwire.config.load import load_policy
from tripwire.config.node import plain_value
from tripwire.config.problems import Problems
from tripwire.config.strict_yaml import packaged, parse, preset_names
from tripwire.errors import PolicyErrors


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))


def refused(tmp_path, raw):
    (tmp_path / "tripwire.yaml").write_bytes(raw)
    with pytest.raises(PolicyErrors) as caught:
        load_policy(tmp_path / "tripwire.yaml")
    return str(caught.value)


BOMB = b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"

FILES = [
    (b"", "tripwire.yaml: the file is empty; run `tripwire init` to write one"),
    (b"\n# only a comment\n", "tripwire.yaml: the file is empty"),
    (b"~", "tripwire.yaml:1:1: must be a mapping, not empty"),
    (b"flow: {}\nflow: {}\n", 'tripwire.yaml:2:1: "flow" stands twice (first on line 1); keep one'),
    (b"flow:\n  dlp: {depth: 1, depth: 2}\n", 'tripwire.yaml:2:19: "depth" stands twice (first on line 2)'),
    (b'{"flow": {}, "flow": {}}', 'tripwire.yaml:1:14: "flow" stands twice'),
    (b"flow:\n\tmode: enforce\n", "tripwire.yaml:2:1: not valid YAML: "),
    (b"flow: [1", "tripwire.yaml:2:1: not valid YAML: "),
    (b"a: b: c", "tripwire.yaml:1:5: not valid YAML: mapping values are not allowed in this context; put text"),
    (b"flow: {}\n---\nflow: {}\n", "tripwire.yaml:2:1: a second document (`---`) is not allowed"),
    (BOMB, "tripwire.yaml:1:4: anchors (`&name`) are not allowed; write the value out"),
    (b"a: *x", "tripwire.yaml:1:4: aliases (`*name`) are not allowed"),
    (b"a: !!python/object:os.system ls", "tripwire.yaml:1:4: tags (`!name`) are not allowed"),
    (b"a: !!int 3", "tripwire.yaml:1:4: tags"),
    (b"? [a]\n: b", "tripwire.yaml:1:3: a key must be a word"),
    (b"? {a: b}\n: b", "tripwire.yaml:1:3: a key must be a word"),
    (b"flow:\n  me: [\xff]\n", "tripwire.yaml:2:8: not UTF-8 (byte 0xff at offset 13); save the file as UTF-8"),
    ("flow: {}".encode("utf-16"), "tripwire.yaml:1:1: this is UTF-16; save the file as UTF-8"),
    (b"flow: {}\nme: a\x00b\n", "tripwire.yaml:2:6: not valid YAML: "),
    (b"flow: \x07\n", "tripwire.yaml:1:7: not valid YAML: "),
    (b'{"a": "\\ud800"}', "tripwire.yaml:1:10: not valid YAML: "),
    (b"[" * 100_000, "tripwire.yaml:1:1001: not valid YAML: while increasing flow level exceeded maximum nesting"),
    (b"{a: " * 100_000, "tripwire.yaml:1:257: nested deeper than 64"),
    (b"[" * 80 + b"]" * 80, "tripwire.yaml:1:65: nested deeper than 64; flatten it"),
    (b"".join(b" " * i + b"a:\n" for i in range(500)), "nested deeper than 64"),
    (b"# " + b"x" * (5 << 20), "tripwire.yaml: larger than 4 MiB; split it"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "expected"), FILES, ids=[row[1][:60] for row in FILES])
def test_a_bad_file_is_refused_with_its_place(tmp_path, raw, expected):
    assert expected in refused(tmp_path, raw)


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(PolicyErrors, match=r"gone\.yaml: no such file; check the path"):
        load_policy(tmp_path / "gone.yaml")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(PolicyErrors, match="is no regular file"):
        load_policy(tmp_path)


def values(text):
    problems = Problems()
    node = parse(text, "x.yaml", "", problems)
    assert not problems.errors
    return plain_value(node)


def test_words_are_yaml_1_2_core():
    text = "a: no\nb: on\nc: yes\nd: true\ne: 0123\nf: 12:30:45\ng: 0o17\nh: 0x1F\ni: ~\nj: 1_000\nk: .5\nl: 2026-01-01\n"
    assert list(values(text).values()) == [
        "no", "on", "yes", True, "0123", "12:30:45", 15, 31, None, "1_000", 0.5, "2026-01-01",
    ]  # fmt: skip


def test_a_quoted_word_stays_text():
    assert values("a: 'true'\nb: \"1\"\nc: !!str 5") == {"a": "true", "b": "1", "c": "5"}


def test_json_is_read_as_it_is():
    assert values('{"a": [1, -2.5e3, true, null, "\\u00e9\\n"], "b": {}}') == {
        "a": [1, -2500.0, True, None, "é\n"],
        "b": {},
    }


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "tripwire.yaml").write_bytes(b"\xef\xbb\xbfflow: {mode: monitor}\n")
    assert load_policy(tmp_path / "tripwire.yaml").flow.mode == "monitor"


def test_every_packaged_file_reads():
    assert {"claude-code", "filesystem", "fetch", "git", "flow", "paths"} <= set(preset_names())
    for name in set(preset_names()) - {"shell"}:  # has a reader of its own
        assert packaged(name)[0].items


def test_no_key_can_write_to_the_terminal_or_forge_a_line(tmp_path):
    said = refused(tmp_path, b'"\\e[2Ja\\nflow.mode: fine": 1\nlong: 2\n')
    assert len(said.splitlines()) == 2
    assert "\x1b" not in said
    assert said.startswith("tripwire.yaml:1:1: \\u001b[2Ja\\u000aflow.mode: fine: unknown key")


def test_a_long_key_makes_no_long_message(tmp_path):
    assert len(refused(tmp_path, b"k" * 1000 + b": 1")) < 1000


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "tripwire.yaml")
    with pytest.raises(PolicyErrors, match=r"tripwire\.yaml: is no regular file"):
        load_policy(tmp_path / "tripwire.yaml")


def test_a_packaged_file_that_is_missing_is_an_error():
    with pytest.raises(PolicyErrors, match="no such file"):
        packaged("absent")
