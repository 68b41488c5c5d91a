"""Words of a command line as text, with a mark where a part cannot be told.

`HOLE` stands for whatever a substitution or an unknown variable would give. NUL cannot be part of
a shell word, so no command can forge it.
"""

from __future__ import annotations

import posixpath
import re

HOLE = "\0"
SPLIT = "\ue01f"
"""A place where the shell splits one word into two, quotes or not (`"$@"`)."""

_SPECIAL = "*?[]{},~"
_QUOTE = {ord(char): chr(0xE000 + ord(char)) for char in _SPECIAL}
_UNQUOTE = {0xE000 + ord(char): char for char in _SPECIAL}
_QUOTED = re.compile(f"[{''.join(_QUOTE.values())}]")
_MAX_BRACES = 64

_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ANSI = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)


def quoted(text: str) -> str:
    """`text` with its special characters marked as literal."""
    return text.translate(_QUOTE)


def literal(text: str) -> str:
    """The reverse of `quoted`: what the program would see."""
    return text.translate(_UNQUOTE) if _QUOTED.search(text) else text


def known(text: str) -> str:
    """`text` without its holes."""
    return text.replace(HOLE, "")


def ansi(text: str) -> str:
    r"""The value of `$'text'`."""

    def one(match: re.Match[str]) -> str:
        hex2, hex4, hex8, octal, control, plain = match.groups()
        digits = hex2 or hex4 or hex8
        if digits or octal:
            code = int(digits, 16) if digits else int(octal, 8) & 0xFF
            return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else ""
        if control:
            return chr(ord(control) & 0x1F or 1)
        return _SIMPLE_ESCAPES.get(plain, "\\" + plain)

    return _ANSI.sub(one, text)


def unescaped(text: str) -> str:
    """An unquoted word after backslash removal; escaped characters become literal."""
    if "\\" not in text:
        return text
    text = text.replace("\\\n", "")
    return re.sub(r"\\(.)", lambda m: quoted(m.group(1)), text, flags=re.DOTALL)


def unescaped_in_quotes(text: str) -> str:
    """The content of a double-quoted string."""
    if "\\" in text:
        text = re.sub(r'\\([$`"\\\n])', lambda m: "" if m[1] == "\n" else m[1], text)
    return quoted(text)


def braces(word: str) -> list[str]:
    """Brace expansion (`{a,b}`, `{1..3}`) of unquoted braces; a hole beyond the limit."""
    if "{" not in word:
        return [word]
    done: list[str] = []
    todo = [word]
    while todo:
        if len(done) + len(todo) > _MAX_BRACES:
            return [*done, *(HOLE + item for item in todo)]
        item = todo.pop(0)
        parts = _first_brace(item)
        if parts is None:
            done.append(item)
        else:
            todo[:0] = parts
    return done


def _first_brace(word: str) -> list[str] | None:
    start = word.find("{")
    while start >= 0:
        if word[start - 1 : start] != "$":
            found = _alternatives(word, start)
            if found is not None:
                end, options = found
                return [word[:start] + option + word[end:] for option in options]
        start = word.find("{", start + 1)
    return None


def _alternatives(word: str, start: int) -> tuple[int, list[str]] | None:
    depth, begin, options = 0, start + 1, []
    for at in range(start, len(word)):
        char = word[at]
        if char == "{":
            depth += 1
        elif char == "," and depth == 1:
            options.append(word[begin:at])
            begin = at + 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                if options:
                    return at + 1, [*options, word[begin:at]]
                span = _range(word[start + 1 : at])
                return (at + 1, span) if span else None
    return None


def _range(text: str) -> list[str] | None:
    number = re.fullmatch(r"(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?", text)
    if number:
        low, high, step = int(number[1]), int(number[2]), abs(int(number[3] or 1)) or 1
        sign = 1 if high >= low else -1
        span = range(low, high + sign, sign * step)
        return [str(value) for value in span[:_MAX_BRACES]] + [HOLE] * (len(span) > _MAX_BRACES)
    letter = re.fullmatch(r"([A-Za-z])\.\.([A-Za-z])", text)
    if letter:
        low, high = ord(letter[1]), ord(letter[2])
        sign = 1 if high >= low else -1
        return [chr(code) for code in range(low, high + sign, sign)]
    return None


def resolve(path: str, cwd: str, home: str) -> str:
    """`path` as an absolute path; holes become `*`, an unknown directory becomes `*`."""
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    elif path.startswith("~"):
        name, _, rest = path[1:].partition("/")
        path = f"{posixpath.dirname(home)}/{name}/{rest}"
    if not path.startswith("/") and not path.startswith(HOLE):
        path = f"{cwd}/{path}" if cwd else f"{HOLE}/{path}"
    if HOLE in path and ".." in path:  # the hole may hold anything: `..` cannot be folded
        return path.replace(HOLE, "*")
    normal = posixpath.normpath(path.replace(HOLE, "*"))
    return normal[1:] if normal.startswith("//") else normal
