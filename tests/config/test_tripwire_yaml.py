"""YAML 1.2 core as tripwire files are written (CTX-5)."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tripwire.config.node import plain_value
from tripwire.config.tripwire_yaml import MAX_BYTES, MAX_NODES, read


def value(text):
    document = read(text.encode())
    assert not document.faults, document.faults
    assert document.root is not None
    return plain_value(document.root)


def fault(text):
    raw = text if isinstance(text, bytes) else text.encode()
    (found,) = read(raw).faults
    return found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("True", True), ("FALSE", False),
        ("010", 10), ("0o10", 8), ("0x1F", 31), ("-07", -7), ("1_000", "1_000"), ("12:30", "12:30"),
        ("2026-06-15", "2026-06-15"), ("1.5", 1.5), ("1e3", 1000.0), ("~", None), ("null", None),
        ("", None), ("'010'", "010"), ("!!str 5", "5"), ("!!int 5", 5), ('!!int "7"', 7),
        ("!!float 3", 3), ("!!bool true", True), ("! 5", "5"), ("!!seq [a]", ["a"]),
        ("!!map {a: b}", {"a": "b"}), ("0b1", "0b1"), ("a # b", "a"), ("'a # b'", "a # b"),
    ],
)  # fmt: skip
def test_ctx_5_words_mean_what_1_2_core_says(written, meant):
    assert value(f"k: {written}\n") == {"k": meant}


def test_ctx_5_a_merge_key_is_an_ordinary_key():
    assert value("b: &b {x: 1}\n<<: *b\n") == {"b": {"x": 1}, "<<": {"x": 1}}


def test_ctx_5_bom_crlf_and_a_directive_of_1_2():
    assert value("\ufeff%YAML 1.2\n---\na: b\r\n") == {"a": "b"}


@pytest.mark.parametrize("char", ["\u0085", "\u2028", "\u2029"])
def test_ctx_5_line_ends_of_1_1_are_characters(char):
    assert value(f'a: "x{char}y"\n') == {"a": f"x{char}y"}
    assert value(f"a: x # {char}b: c\n") == {"a": "x"}
    assert value(f"a: |\n  x{char}y\n") == {"a": f"x{char}y\n"}
    assert fault(f"a: x{char}\na: y\n").line == 2


@pytest.mark.parametrize(
    ("text", "words", "line", "column"),
    [
        (b"a: b\nc: \xff\n", "not UTF-8 (byte 0xff at offset 8)", 2, 4),
        ("a: b".encode("utf-16"), "UTF-16", 1, 1),
        ("a: 1\nb: 2\na: 3\n", 'duplicate key "a"', 3, 1),
        ("a:\n\tb: c\n", "not valid YAML", 2, 1),
        ("a: 1\n---\nb: 2\n", "a second document", 2, 1),
        ("%YAML 1.1\n---\na: 1\n", "%YAML version", 1, 1),
        ("a: !!timestamp 2026-01-01\n", "not of YAML 1.2 core", 1, 4),
        ("a: !!binary aGk=\n", "not of YAML 1.2 core", 1, 4),
        ("a: !!python/object:os.system x\n", "not of YAML 1.2 core", 1, 4),
        ("a: !!int x\n", "not of the type !!int", 1, 4),
        ("? [a]\n: b\n", "a key that is a list", 1, 3),
        ("x: &x a\n*x : b\n", "a key that is an alias", 2, 1),
        ("&x a: b\n", "an anchor on a key", 1, 1),
        ("a: b: c\n", "mapping values are not allowed", 1, 5),
        ("{{bad", "a key that is a list", 1, 2),
        ("a: [b", "not valid YAML", 2, 1),
        ("a: \x01\n", "not valid YAML", 1, 1),
    ],
)
def test_ctx_5_faults_have_a_place(text, words, line, column):
    found = fault(text)
    assert words in found.what
    assert (found.line, found.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "t:\n  - !**/*.test.ts\n",
        "t:\n  - *.sql\n",
        "t:\n  - **/*.sql\n",
        "t: [*x]\n",
        "t: [src/**, !src/gen/**]\n",
    ],
)
def test_tw032_an_unquoted_pattern_is_told_apart(text):
    found = fault(text)
    assert found.unquoted
    assert "quotes" in found.fix


def test_ctx_5_aliases_are_bounded():
    most = "a: &a x\nb: [" + ", ".join(["*a"] * 100) + "]\n"
    assert len(value(most)["b"]) == 100
    assert "aliases" in fault(most.replace("]", ", *a]")).what


def test_ctx_5_a_bomb_is_refused_before_it_is_expanded():
    lines = ["a0: &a0 [" + ", ".join(["x"] * 9) + "]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 11)]
    assert f"more than {MAX_NODES:,} values" in fault("\n".join(lines) + "\n").what


def test_ctx_5_an_alias_to_what_holds_it_is_refused():
    assert "refers to no anchor" in fault("a: &a [*a]\n").what


def test_ctx_5_depth_and_size_are_bounded():
    assert value("a: " + "[" * 63 + "]" * 63)
    assert "nested" in fault("a: " + "[" * 64 + "]" * 64).what
    assert "nesting depth" in fault("[" * 100_000).what
    assert "larger than 256 KiB" in fault("#" * (MAX_BYTES + 1)).what


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n"])
def test_nothing_is_no_fault(text):
    document = read(text.encode())
    assert not document.faults
    assert document.root is None or document.root.value is None


@given(st.binary(max_size=80) | st.text(alphabet="ab:-[]{}&*!|>'\"#%,?\n \t\u2028é", max_size=60))
def test_whatever_comes_is_a_document_or_a_fault(given_):
    raw = given_ if isinstance(given_, bytes) else given_.encode()
    document = read(raw)
    assert document.faults or document.root is None or document.root.place.line >= 1


_leaf = st.text(max_size=12) | st.integers(-99, 99) | st.booleans() | st.none()


@given(st.dictionaries(st.text(max_size=6), _leaf | st.lists(_leaf, max_size=4), max_size=5))
def test_what_a_yaml_library_writes_is_read_as_meant(data):
    written = yaml.safe_dump(data, allow_unicode=False, default_style='"')
    assert value(written) == data
