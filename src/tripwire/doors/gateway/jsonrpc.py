"""JSON-RPC messages that keep their text: what is not changed is forwarded byte for byte (G-1).

A message is its line of text plus the place of every top-level member in it. Edits are spliced into
the text; nothing is rebuilt from parsed values. Does not know MCP.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
SERVER_ERROR: Final = -32000
UNSUPPORTED_VERSION: Final = -32022

_BLANK = frozenset(" \t\n\r")
_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_USUAL_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')
"""A key without escapes, and all up to its value."""
_scan_string = json.decoder.scanstring  # type: ignore[attr-defined]


class TooDeep:
    """Stands for a value that is nested too deeply to be parsed; its text is still forwarded."""

    def __repr__(self) -> str:
        return "TOO_DEEP"


TOO_DEEP: Final = TooDeep()


class Malformed(ValueError):
    """Text that is not one JSON-RPC message; `code` is the JSON-RPC error code to answer with."""

    def __init__(self, code: int, why: str, id_text: str = "null") -> None:
        self.code = code
        self.why = why
        self.id_text = id_text
        super().__init__(why)


class DuplicateKey(ValueError):
    """An object that names one key twice: which one counts is never guessed (gateway.md §7)."""


class Member(NamedTuple):
    """A value of an object: `[start, end)` in the text, and the parsed value."""

    start: int
    end: int
    value: Any
    inner: dict[str, Member] | None = None
    """The members of the value, where they were looked at."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float | str:
    # 1e400 would become Infinity, which no later step can express; its text is kept instead.
    number = float(text)
    return number if math.isfinite(number) else text


def _long_int(text: str) -> int | str:
    # Python refuses to convert more than 4,300 digits (a quadratic cost): the text stands for it.
    return int(text) if len(text) < 4000 else text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DuplicateKey("an object names one key twice")
    return made


def _all_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        # Evidence must hold what any reader may take from the text: every value of the key.
        made = {key: [v for k, v in pairs if k == key] for key in made}
        return {key: values[0] if len(values) == 1 else values for key, values in made.items()}
    return made


def _scanners(hook: Any) -> tuple[Any, Any]:
    options: dict[str, Any] = {
        "object_pairs_hook": hook,
        "parse_float": _float,
        "parse_constant": _no_constant,
    }
    fast = json.JSONDecoder(**options)
    slow = json.JSONDecoder(**options, parse_int=_long_int)
    return fast.scan_once, slow.scan_once  # type: ignore[attr-defined]


_STRICT = _scanners(_unique)
_LENIENT = _scanners(_all_of)


def _value(text: str, at: int, *, strict: bool) -> tuple[Any, int]:
    fast, slow = _STRICT if strict else _LENIENT
    try:
        return fast(text, at)  # type: ignore[no-any-return]
    except StopIteration:
        raise Malformed(PARSE_ERROR, f"no JSON value at character {at}") from None
    except RecursionError:
        return TOO_DEEP, skip(text, at)
    except (DuplicateKey, json.JSONDecodeError):
        raise
    except ValueError as bad:
        if "digits" not in str(bad):
            raise
        return slow(text, at)  # type: ignore[no-any-return]


def skip(text: str, at: int) -> int:
    """The end of the object or array at `at`, in linear time and without recursion."""
    level = 0
    for token in _TOKEN.finditer(text, at):
        sign = token.group()
        if sign in "[{":
            level += 1
        elif sign in "]}":
            level -= 1
            if level == 0:
                return token.end()
    raise Malformed(PARSE_ERROR, "an object or array does not end")


def members(text: str, start: int = 0, *, strict: bool = False) -> dict[str, Member]:
    """The members of the object at `start`, each with its place.

    Raises Malformed (not an object), DuplicateKey (of this level; nested ones if `strict`).
    """
    return _object(text, start, strict=strict)[0]


def _past_space(text: str, at: int) -> int:
    # Most texts have no space between tokens; the regular expression is kept for those that have.
    if text[at : at + 1] in _BLANK:
        return _SPACE.match(text, at).end()  # type: ignore[union-attr]
    return at


def _object(
    text: str, start: int, *, strict: bool, opened: str = ""
) -> tuple[dict[str, Member], int]:
    """The members of the object at `start`, and its end; the one called `opened` has its own."""
    at = _past_space(text, start)
    if text[at : at + 1] != "{":
        raise Malformed(INVALID_REQUEST, "the message is not an object")
    found: dict[str, Member] = {}
    at = _past_space(text, at + 1)
    if text[at : at + 1] == "}":
        return found, at + 1
    while True:
        key, begin = _key(text, at)
        if key in found:
            raise DuplicateKey("an object names one key twice")
        if key == opened and text[begin : begin + 1] == "{":
            inner, at = _object(text, begin, strict=strict)
            found[key] = Member(begin, at, _plain_object(inner), inner)
        else:
            value, at = _value(text, begin, strict=strict)
            found[key] = Member(begin, at, value)
        at = _past_space(text, at)
        sign = text[at : at + 1]
        if sign == "}":
            return found, at + 1
        if sign != ",":
            raise Malformed(PARSE_ERROR, f"no comma at character {at}")
        at = _past_space(text, at + 1)


def _key(text: str, at: int) -> tuple[str, int]:
    """The key at `at`, and where its value begins."""
    usual = _USUAL_KEY.match(text, at)
    if usual is not None:
        return usual.group(1), usual.end()
    if text[at : at + 1] != '"':
        raise Malformed(PARSE_ERROR, f"no key at character {at}")
    key, at = _scan_string(text, at + 1, True)
    at = _past_space(text, at)
    if text[at : at + 1] != ":":
        raise Malformed(PARSE_ERROR, f"no colon at character {at}")
    return key, _past_space(text, at + 1)


def _plain_object(inner: dict[str, Member]) -> Any:
    values = {key: member.value for key, member in inner.items()}
    return TOO_DEEP if any(value is TOO_DEEP for value in values.values()) else values


def elements(text: str, start: int) -> Iterator[Member]:
    """The elements of the array at `start`, each with its place. Raises Malformed."""
    at = _past_space(text, start + 1)
    if text[at : at + 1] == "]":
        return
    while True:
        value, end = _value(text, at, strict=False)
        yield Member(at, end, value)
        at = _past_space(text, end)
        sign = text[at : at + 1]
        if sign == "]":
            return
        if sign != ",":
            raise Malformed(PARSE_ERROR, f"no comma at character {at}")
        at = _past_space(text, at + 1)


class Message:
    """One JSON-RPC message: its text and its top-level members."""

    __slots__ = ("parts", "text")

    def __init__(self, text: str, parts: dict[str, Member]) -> None:
        self.text = text
        self.parts = parts

    @classmethod
    def parse(cls, text: str, *, strict: bool = False) -> Message:
        """Read one message. `strict` refuses duplicate keys at any level.

        Raises Malformed, with the message's id if that can be told.
        """
        try:
            # What is edited in a request is a member of its params; they are looked at only once.
            parts, end = _object(text, 0, strict=strict, opened="params" if strict else "")
        except DuplicateKey as twice:
            raise Malformed(INVALID_REQUEST, str(twice), _id_text(text)) from None
        except Malformed as bad:
            raise Malformed(bad.code, bad.why) from None
        except ValueError as bad:
            raise Malformed(PARSE_ERROR, _plain(bad)) from None
        if text[end:].strip(" \t\n\r"):
            raise Malformed(PARSE_ERROR, "text follows the message")
        return cls(text, parts)

    def get(self, key: str) -> Any:
        """The parsed value of a top-level member, or None."""
        part = self.parts.get(key)
        return part.value if part else None

    def raw(self, key: str) -> str:
        """The text of a top-level member; "" if there is none."""
        part = self.parts.get(key)
        return self.text[part.start : part.end] if part else ""

    @property
    def method(self) -> str:
        """The method of a request or notification, else ""."""
        method = self.get("method")
        return method if isinstance(method, str) else ""

    @property
    def is_response(self) -> bool:
        """Whether this answers a request."""
        return "method" not in self.parts and ("result" in self.parts or "error" in self.parts)

    @property
    def params(self) -> dict[str, Any]:
        """The parsed `params`; empty if they are no object."""
        params = self.get("params")
        return params if isinstance(params, dict) else {}

    def inner(self, key: str, *path: str) -> dict[str, Member]:
        """The members of an object inside the message, by keys; empty if it is no object."""
        part = self.parts.get(key)
        for step in path:
            if part is None or not isinstance(part.value, dict):
                return {}
            part = self._members(part).get(step)
        if part is None or not isinstance(part.value, dict):
            return {}
        return self._members(part)

    def _members(self, part: Member) -> dict[str, Member]:
        return part.inner if part.inner is not None else members(self.text, part.start)

    def spliced(self, *edits: tuple[Member, str]) -> str:
        """The text with the given members replaced."""
        text = self.text
        for member, new in sorted(edits, key=lambda edit: -edit[0].start):
            text = text[: member.start] + new + text[member.end :]
        return text

    def with_id(self, id_text: str, *edits: tuple[Member, str]) -> str:
        """The text with another id, and other edits."""
        return self.spliced((self.parts["id"], id_text), *edits)


def _plain(bad: ValueError) -> str:
    if isinstance(bad, json.JSONDecodeError):
        return f"{bad.msg} at character {bad.pos}"
    return str(bad)


_ID = re.compile(r'"id"[ \t\n\r]*:[ \t\n\r]*(-?[0-9]{1,19}|"[^"\\]{0,200}")(?=[ \t\n\r]*[,}])')


def _id_text(text: str) -> str:
    found = set(_ID.findall(text))
    return found.pop() if len(found) == 1 else "null"


def guess_id(text: str) -> str:
    """The id of a message that cannot be parsed, if only one can be meant; else `null`."""
    return _id_text(text)


def key_of(value: Any) -> tuple[str, Any] | None:
    """A hashable form of an id, in which 1 and "1" differ; None if it cannot be an id."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return type(value).__name__, value


def depth_of(value: Any, limit: int) -> int:
    """Levels of nesting of a parsed value, counted up to `limit` + 1; iterative."""
    if value is TOO_DEEP:
        return limit + 1
    level = 0
    row = [value]
    while row and level <= limit:
        inner: list[Any] = []
        for item in row:
            if isinstance(item, dict):
                inner.extend(v for v in item.values() if isinstance(v, dict | list))
            elif isinstance(item, list):
                inner.extend(v for v in item if isinstance(v, dict | list))
        if any(isinstance(item, dict | list) for item in row):
            level += 1
        row = inner
    return level


def deeper_than(text: str, value: Any, limit: int) -> bool:
    """Whether a value of this text is nested deeper than `limit`; cheap when the text is flat."""
    if value is TOO_DEEP:
        return True
    if text.count("[") + text.count("{") <= limit:
        return False
    return depth_of(value, limit) > limit


def dumps(value: Any) -> str:
    """Compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    """A text as JSON; the names of tools come again and again."""
    return dumps(text)


def result(id_text: str, value_text: str) -> str:
    """A response with a result given as JSON text."""
    return f'{{"jsonrpc":"2.0","id":{id_text},"result":{value_text}}}'


def error(id_text: str, code: int, why: str, data: object = None) -> str:
    """An error response."""
    body: dict[str, object] = {"code": code, "message": why}
    if data is not None:
        body["data"] = data
    return f'{{"jsonrpc":"2.0","id":{id_text},"error":{dumps(body)}}}'


def request(id_text: str, method: str, params_text: str = "") -> str:
    """A request; `params_text` is JSON text."""
    params = f',"params":{params_text}' if params_text else ""
    return f'{{"jsonrpc":"2.0","id":{id_text},"method":"{method}"{params}}}'


def notification(method: str, params_text: str = "") -> str:
    """A notification; `params_text` is JSON text."""
    params = f',"params":{params_text}' if params_text else ""
    return f'{{"jsonrpc":"2.0","method":"{method}"{params}}}'
