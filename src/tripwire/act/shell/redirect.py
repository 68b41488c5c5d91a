"""Redirections of one command: files read and written, sockets, here-documents (SH-7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from tripwire.act.shell import expand
from tripwire.act.shell.call import Call, Runner
from tripwire.act.shell.text import HOLE, literal

if TYPE_CHECKING:
    from tree_sitter import Node

    from tripwire.act.shell.scope import Scope

_SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/]*)(?:/.*)?", re.DOTALL)


class Walking(Runner, expand.Shell, Protocol):
    """What redirections need of the walker."""

    def source_of(self, node: Node) -> str:
        """The source of a node."""

    def lost(self, node: Node, why: str) -> None:
        """A part that cannot be read."""

    def statement(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """Walk one statement."""


class Redirects:
    """Collects the redirections of one command; `finish` applies the output to its files."""

    def __init__(self, walker: Walking, scope: Scope) -> None:
        self.walker = walker
        self.scope = scope
        self.stdin: str | None = None
        self.targets: list[tuple[str, bool]] = []
        """Files written, and whether the standard output goes there."""
        self.after: list[Node] = []
        self.extra: list[str] = []

    def add(self, node: Node) -> None:
        """One redirection."""
        if node.has_error:
            self.walker.lost(node, "not parsed")
        if node.type == "file_redirect":
            self._file(node)
        elif node.type == "herestring_redirect":
            found = [child for child in node.named_children if child.type != "file_descriptor"]
            self.stdin = expand.single(found[0], self.scope, self.walker) + "\n" if found else HOLE
        else:
            self._heredoc(node)

    def _file(self, node: Node) -> None:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        found = node.children_by_field_name("destination") or node.named_children
        targets = [child for child in found if child.type != "file_descriptor"]
        for target in targets[:1]:
            descriptor = node.child_by_field_name("descriptor")
            number = self.walker.source_of(descriptor) if descriptor is not None else ""
            word = expand.single(target, self.scope, self.walker)
            self._one(operator, word, is_output=number in ("", "1"))
        self._words(targets[1:])

    def _words(self, nodes: list[Node]) -> None:
        """Words after the target: the grammar takes arguments of the command for targets."""
        end = -1
        for node in nodes:
            found = expand.words(node, self.scope, self.walker)
            if node.start_byte == end and self.extra and found:
                self.extra[-1] += found[0]
                found = found[1:]
            self.extra += found
            end = node.end_byte

    def _one(self, operator: str, word: str, *, is_output: bool) -> None:
        call = Call("redirection", [], self.scope, None, self.walker)
        if operator in ("<&", ">&", "<&-", ">&-") and (not word or word.rstrip("-").isdigit()):
            return
        socket = _SOCKET.fullmatch(word)
        if socket:
            call.egress(word, sends=">" in operator or "<" in operator)
            call.egress(socket[1], sends=True, kind="name")
            call.fetched(socket[1], kind="name")
            self.stdin = HOLE if "<" in operator else self.stdin
            return
        if operator.startswith("<") and operator != "<>":
            call.reads([word])
            self.stdin = content_of(word, self.scope)
            return
        if operator == "<>":
            call.reads([word])
        self.targets.append((word, is_output))

    def _heredoc(self, node: Node) -> None:
        start = next((c for c in node.named_children if c.type == "heredoc_start"), None)
        body = next((c for c in node.named_children if c.type == "heredoc_body"), None)
        delimiter = self.walker.source_of(start) if start else ""
        if body is None:
            self.stdin = ""
        elif any(char in delimiter for char in "'\"\\"):
            self.stdin = self.walker.source_of(body)
        else:
            self.stdin = _expanded(body, self.scope, self.walker)
        arguments = node.children_by_field_name("argument")
        self._words(arguments)
        taken = {child.id for child in arguments}
        for child in node.named_children:
            if child.id in taken or child.type in ("heredoc_start", "heredoc_body", "heredoc_end"):
                continue
            if child.type.endswith("_redirect"):
                self.add(child)
            elif child.type == "pipeline" or "redirect" not in child.type:
                self.after.append(child)

    def finish(self, output: str | None) -> str | None:
        """Write the output to the targets, then run what follows the here-document's start."""
        call = Call("redirection", [], self.scope, None, self.walker)
        for word, is_output in self.targets:
            call.writes(word, ">", output if is_output else None)
        # zsh sends the output to the file and down the pipe, bash to the file alone
        result = None if any(is_output for _, is_output in self.targets) else output
        for node in self.after:
            if node.type == "pipeline":
                piped: str | None = HOLE if result is None else result
                for child in node.named_children:
                    piped = self.walker.statement(child, self.scope.copy(), piped)
                    piped = HOLE if piped is None else piped
                result = None if piped == HOLE else piped
            else:
                result = self.walker.statement(node, self.scope, None)
        return result


def content_of(word: str, scope: Scope) -> str:
    """The text of a file if this line or the agent wrote it, else a hole."""
    for path in scope.paths(word):
        text = scope.files.get(path)
        if text is not None:
            return text
    return HOLE


def _expanded(body: Node, scope: Scope, walker: Walking) -> str:
    parts: list[str] = []
    raw: list[str] = []
    end = body.start_byte
    for child in body.children:
        if child.start_byte > end:
            raw.append(walker.slice(end, child.start_byte))
            parts.append(raw[-1])
        end = child.end_byte
        if child.type == "heredoc_content":
            raw.append(walker.slice(child.start_byte, end))
            parts.append(raw[-1])
        else:
            parts.append(literal(expand.piece(child, scope, walker, in_quotes=True)))
    parts.append(walker.slice(end, body.end_byte))
    if any(expand.HIDDEN.search(part) for part in raw) or expand.HIDDEN.search(parts[-1]):
        walker.lost(body, "a substitution that was not parsed")
    return re.sub(r"\\([$`\\])", r"\1", "".join(parts))
