"""From nodes of the syntax tree to words: quotes, escapes, variables, substitutions (SH-3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from tripwire.act.shell.text import (
    HOLE,
    SPLIT,
    ansi,
    braces,
    known,
    literal,
    quoted,
    unescaped,
    unescaped_in_quotes,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from tripwire.act.shell.scope import Scope

PLAIN = frozenset({"word", "number", "variable_name", "test_operator", "regex", "extglob_pattern"})
_HARMLESS_NUMBERS = frozenset(
    {"$", "?", "#", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID"}
)
_OPERATION = re.compile(r"([A-Za-z_]\w*)(:?[-=+?]|##?|%%?|//?|\^\^?|,,?|:)(.*)", re.DOTALL)
HIDDEN = re.compile(r"(?<!\\)(?:`|[$<>]\()")
"""A substitution inside a node that should hold none: the grammar missed it."""
_BLANK = re.compile(r"(?<!\\)[ \t\n]")
_PLAIN_WORD = re.compile(r"(?!~)[^\\{`$<> \t\n\0]*")
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|CREDENTIALS?|AUTH|PAT|DSN)(?:$|_)|APIKEY"
)


class Shell(Protocol):
    """What expansion needs of the walker."""

    def substitution(self, node: Node, scope: Scope) -> str:
        """What `$(…)` would print, a hole if that cannot be told."""

    def process(self, node: Node, scope: Scope) -> str:
        """The path that stands for `<(…)`."""

    def hunt(self, node: Node, scope: Scope) -> None:
        """Walk every command inside `node`."""

    def lost(self, node: Node, why: str) -> None:
        """A part that cannot be read."""

    def slice(self, start: int, end: int) -> str:
        """The source between two byte offsets."""

    def secret_variable(self) -> None:
        """A variable of the environment with a secret's name was expanded."""


def words(node: Node, scope: Scope, shell: Shell) -> list[str]:
    """The words that one node gives, after splitting, brace and tilde expansion."""
    if node.type == "word":
        text = shell.slice(node.start_byte, node.end_byte)
        if _PLAIN_WORD.fullmatch(text):
            return [text]
    return split(piece(node, scope, shell), scope)


def split(text: str, scope: Scope) -> list[str]:
    """Word splitting, brace and tilde expansion of a joined text."""
    found = []
    for part in text.split(SPLIT) if SPLIT in text else (text,):
        found += [_finished(item, scope) for item in braces(part)]
    return found


def _finished(text: str, scope: Scope) -> str:
    if text.startswith("~") and (text == "~" or text[1] == "/"):
        text = (scope.vars.get("HOME") or scope.home) + text[1:]
    elif text.startswith(("~+", "~-")):
        text = HOLE + text[2:]
    return literal(text)


def single(node: Node, scope: Scope, shell: Shell) -> str:
    """One word without splitting: the value of an assignment or a redirection's target."""
    text = piece(node, scope, shell).replace(SPLIT, " ")
    return _finished(text, scope)


def piece(node: Node, scope: Scope, shell: Shell, *, in_quotes: bool = False) -> str:
    """The text of a node; special characters that are quoted are marked (see `text.quoted`)."""
    kind = node.type
    if kind in PLAIN:
        raw = shell.slice(node.start_byte, node.end_byte)
        if HIDDEN.search(raw) or _BLANK.search(raw):
            shell.lost(node, "a word that was not parsed")
        text = unescaped(raw)
        if node.child_count:  # an extglob pattern or a test's word may hold substitutions
            shell.hunt(node, scope)
        return text
    if kind == "raw_string":
        return quoted(shell.slice(node.start_byte + 1, node.end_byte - 1))
    if kind == "ansi_c_string":
        return quoted(ansi(shell.slice(node.start_byte + 2, node.end_byte - 1)))
    if kind == "string":
        return _string(node, scope, shell)
    if kind == "concatenation":
        return _joined(node, scope, shell)
    if kind == "simple_expansion":
        name = shell.slice(node.start_byte + 1, node.end_byte)
        return _value(name, scope, shell, in_quotes=in_quotes)
    if kind == "expansion":
        return _expansion(node, scope, shell, in_quotes=in_quotes)
    if kind == "command_substitution":
        return _fit(shell.substitution(node, scope).rstrip("\n"), scope, in_quotes=in_quotes)
    return _rare(node, scope, shell)


def _rare(node: Node, scope: Scope, shell: Shell) -> str:
    kind = node.type
    if kind == "process_substitution":
        return shell.process(node, scope)
    if kind == "translated_string":
        return "".join(piece(child, scope, shell) for child in node.named_children)
    if kind == "arithmetic_expansion":
        shell.hunt(node, scope)
        inner = shell.slice(node.start_byte, node.end_byte).strip("$()[] ")
        return inner if inner.isdigit() else HOLE
    if kind == "brace_expression":
        return shell.slice(node.start_byte, node.end_byte)
    if kind == "array":
        items = [single(child, scope, shell) for child in node.named_children]
        return SPLIT.join(items)
    shell.hunt(node, scope)
    return HOLE


def _string(node: Node, scope: Scope, shell: Shell) -> str:
    if node.child_count <= 3 and node.named_child_count <= 1:
        only = node.named_child(0) if node.named_child_count else None
        if only is None or only.type == "string_content":
            start = node.start_byte + 1
            raw = shell.slice(start, node.end_byte - 1)
            if HIDDEN.search(raw):
                shell.lost(node, "a substitution that was not parsed")
            return unescaped_in_quotes(raw)
    parts: list[str] = []
    children = node.children
    end = children[0].end_byte
    for child in children[1:-1]:
        if child.start_byte > end:
            parts.append(unescaped_in_quotes(shell.slice(end, child.start_byte)))
        end = child.end_byte
        if child.is_named and child.type != "string_content":
            parts.append(piece(child, scope, shell, in_quotes=True))
        else:
            parts.append(unescaped_in_quotes(shell.slice(child.start_byte, end)))
    parts.append(unescaped_in_quotes(shell.slice(end, node.end_byte - 1)))
    return "".join(parts)


def _joined(node: Node, scope: Scope, shell: Shell) -> str:
    parts: list[str] = []
    for child in node.children:
        if child.is_named:
            parts.append(piece(child, scope, shell))
        elif child.type not in ("``", "$"):
            parts.append(shell.slice(child.start_byte, child.end_byte))
    return "".join(parts)


def _fit(text: str, scope: Scope, *, in_quotes: bool) -> str:
    """An expansion's value as part of a word: unquoted values are split at `IFS`."""
    if in_quotes:
        return quoted(text)
    separators = scope.vars.get("IFS", " \t\n")
    if HOLE in separators:
        return HOLE
    if separators and any(char in text for char in separators):
        text = re.sub(f"[{re.escape(separators)}]+", SPLIT, text)
    return quoted(text).replace(quoted("*"), "*").replace(quoted("?"), "?")


def _value(name: str, scope: Scope, shell: Shell, *, in_quotes: bool) -> str:
    if name in ("@", "*"):
        if scope.params is None:
            return HOLE
        return (SPLIT if name == "@" or not in_quotes else " ").join(map(quoted, scope.params))
    if name.isdigit():
        if scope.params is None or name == "0":
            return HOLE
        at = int(name)
        value = scope.params[at - 1] if at <= len(scope.params) else ""
        return _fit(value, scope, in_quotes=in_quotes)
    value = variable(name, scope, shell)
    return _fit(value, scope, in_quotes=in_quotes)


def variable(name: str, scope: Scope, shell: Shell) -> str:
    """The value of a variable, a hole if this line did not set it."""
    if name in scope.vars:
        return scope.vars[name]
    if name == "HOME":
        return scope.home
    if name == "PWD" and len(scope.cwds) == 1 and scope.cwds[0]:
        return scope.cwds[0]
    if name == "TMPDIR":
        return "/tmp"  # noqa: S108 - told, not used
    if name == "IFS":
        return " \t\n"
    if name in _HARMLESS_NUMBERS:
        return "0"
    if _SECRET_NAME.search(name.upper()):
        shell.secret_variable()
    return HOLE


def _expansion(node: Node, scope: Scope, shell: Shell, *, in_quotes: bool) -> str:
    body = shell.slice(node.start_byte + 2, node.end_byte - 1)
    if HIDDEN.search(body) and not _has_substitution(node):
        shell.lost(node, "a substitution that was not parsed")
    if re.fullmatch(r"\w+|[@*#?$!-]", body):
        return _value(body, scope, shell, in_quotes=in_quotes)
    if any(child.type not in ("variable_name", "word") for child in node.named_children):
        shell.hunt(node, scope)
    array = re.fullmatch(r"(\w+)\[[@*]\]", body)
    if array:
        value = variable(array[1], scope, shell)
        return SPLIT.join(map(quoted, value.split(SPLIT)))
    if re.search(r"@P$", body):
        shell.lost(node, "a text expanded as a prompt")
    if re.match(r"![A-Za-z_]\w*$", body):
        shell.secret_variable()  # `${!name}` may be any variable
    name = re.match(r"[A-Za-z_]\w*", body)
    if name and name[0] not in scope.vars:
        variable(name[0], scope, shell)  # for its name alone
    operation = _OPERATION.fullmatch(body)
    if operation is None or HOLE in (value := scope.vars.get(operation[1], HOLE)):
        return HOLE
    changed = _operated(value, operation[2], operation[3])
    return HOLE if changed is None else _fit(changed, scope, in_quotes=in_quotes)


def _has_substitution(node: Node) -> bool:
    todo = list(node.children)
    while todo:
        child = todo.pop()
        if child.type in ("command_substitution", "process_substitution"):
            return True
        todo += child.children
    return False


def _operated(value: str, operator: str, operand: str) -> str | None:
    """A parameter operation on a known value; None if it is not one of the simple ones."""
    if operator in (":-", ":=", ":?") and value:
        return value
    if operator in ("-", "=", "?"):
        return value
    if operator == ":" and (span := re.fullmatch(r"\s*(\d+)(?::(\d+))?", operand)):
        start = int(span[1])
        return value[start : start + int(span[2])] if span[2] else value[start:]
    if operator in ("^^", ",,") and not operand:
        return value.upper() if operator == "^^" else value.lower()
    if any(char in operand for char in "*?[\\$`'\"{}"):
        return None
    if operator in ("#", "##"):
        return value.removeprefix(operand)
    if operator in ("%", "%%"):
        return value.removesuffix(operand)
    if operator in ("/", "//"):
        old, _, new = operand.partition("/")
        return value.replace(old, new, -1 if operator == "//" else 1) if old else value
    return None


def printable(text: str) -> str:
    """A word for messages and scans: holes and marks removed."""
    return literal(known(text)).replace(SPLIT, " ")
