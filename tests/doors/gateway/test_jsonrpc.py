"""Messages keep their text, whatever is in it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.doors.gateway import jsonrpc
from tripwire.doors.gateway.jsonrpc import TOO_DEEP, Malformed, Message

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), VALUES, max_size=6), st.booleans())
def test_members_are_where_the_parser_finds_them(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    found = jsonrpc.members(text)
    assert {key: part.value for key, part in found.items()} == json.loads(text)
    for key, part in found.items():
        assert json.loads(text[part.start : part.end]) == value[key]


@given(VALUES, VALUES)
def test_only_the_edited_member_changes(params, more):
    text = json.dumps({"id": 1, "params": params, "x": more})
    message = Message.parse(text)
    edited = message.with_id('"new"')
    assert json.loads(edited) == {"id": "new", "params": params, "x": more}
    assert edited.replace('"new"', "1", 1) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", -32600),
        ("null", -32600),
        ("[1]", -32600),
        ('"x"', -32600),
        ("{", -32700),
        ('{"id":1', -32700),
        ('{"id":1}{}', -32700),
        ('{"id":1,}', -32700),
        ("{'id':1}", -32700),
        ('{"a":NaN}', -32700),
        ('{"a":[Infinity]}', -32700),
        ('{"a":-Infinity}', -32700),
        ('{"a":01}', -32700),
        ('{"a":"\x01"}', -32700),
        ('{"a":"\\x"}', -32700),
        ('{"a" 1}', -32700),
        ('{"a":1 "b":2}', -32700),
        ('{"id":1,"id":2}', -32600),
        ('{"p":{"a":1,"a":2}}', -32600),
        ('{"p":' + "[" * 5000, -32700),
    ],
)
def test_bad_text_has_its_code(text, code):
    with pytest.raises(Malformed) as raised:
        Message.parse(text, strict=True)
    assert raised.value.code == code


def test_a_refused_duplicate_still_knows_its_id():
    with pytest.raises(Malformed) as raised:
        Message.parse('{"id":"a7","method":"tools/call","params":{"n":1,"n":2}}', strict=True)
    assert raised.value.id_text == '"a7"'


def test_two_ids_are_not_guessed_between():
    with pytest.raises(Malformed) as raised:
        Message.parse('{"id":1,"id":2,"method":"x"}', strict=True)
    assert raised.value.id_text == "null"


def test_duplicates_of_a_result_are_all_evidence():
    message = Message.parse('{"id":1,"result":{"t":"first","t":"second","u":1}}')
    assert message.get("result") == {"t": ["first", "second"], "u": 1}


def test_numbers_keep_their_text_and_never_become_infinite():
    text = '{"id":1,"result":{"a":1.50,"b":1e400,"c":' + "9" * 5000 + ',"d":123456789012345678901}}'
    message = Message.parse(text)
    assert message.with_id("1") == text
    assert message.get("result")["b"] == "1e400"
    assert message.get("result")["c"] == "9" * 5000
    assert message.get("result")["d"] == 123456789012345678901


def test_ten_thousand_levels_are_passed_over_in_linear_time():
    inner = "[" * 10_000 + '"]]"' + "]" * 10_000
    message = Message.parse('{"id":1,"result":' + inner + ',"x":"]"}')
    assert message.get("result") is TOO_DEEP
    assert message.raw("result") == inner
    assert message.get("x") == "]"


@pytest.mark.parametrize(
    ("levels", "deeper"), [(127, False), (128, False), (129, True), (900, True)]
)
def test_depth_is_counted_exactly(levels, deeper):
    text = "[" * levels + "]" * levels
    assert jsonrpc.deeper_than(text, json.loads(text), 128) is deeper


def test_brackets_in_strings_are_not_depth():
    text = json.dumps({"a": "[" * 500})
    assert not jsonrpc.deeper_than(text, json.loads(text), 128)


def test_lone_surrogates_stay_escaped():
    text = '{"id":1,"params":{"s":"\\ud800"}}'
    assert Message.parse(text).with_id("2") == '{"id":2,"params":{"s":"\\ud800"}}'


def test_ids_of_different_type_differ():
    keys = [jsonrpc.key_of(value) for value in (1, "1", 1.5, True, None, [1])]
    assert len(set(keys[:3])) == 3
    assert keys[3:] == [None, None, None]


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.booleans())
def test_params_looked_at_once_are_the_same(params, ascii_only):
    """A request's params are read member by member: values and places as the parser's."""
    text = json.dumps({"id": 1, "method": "m", "params": params}, ensure_ascii=ascii_only, indent=1)
    message = Message.parse(text, strict=True)
    assert message.params == params
    assert message.inner("params") == Message.parse(text).inner("params")


def test_too_deep_arguments_make_the_params_too_deep():
    deep = "[" * 100_000 + "]" * 100_000
    text = f'{{"id":1,"method":"m","params":{{"name":"x","arguments":{deep}}}}}'
    message = Message.parse(text, strict=True)
    assert message.get("params") is TOO_DEEP
    assert jsonrpc.deeper_than(text, message.get("params"), 1 << 20)


@pytest.mark.parametrize("params", ['{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '{"a":1,"\\u0061":2}'])
def test_a_key_named_twice_in_params_is_refused(params):
    with pytest.raises(Malformed, match="twice"):
        Message.parse(f'{{"id":1,"method":"m","params":{params}}}', strict=True)
