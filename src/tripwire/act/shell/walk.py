"""Walks the syntax tree of a command line and finds every simple command in it (SH-2)."""

from __future__ import annotations

import re
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from tripwire.act.shell import expand, salvage
from tripwire.act.shell.call import Call
from tripwire.act.shell.dispatch import dispatch, is_known
from tripwire.act.shell.parse import is_ambiguous, parse
from tripwire.act.shell.redirect import Redirects
from tripwire.act.shell.scope import Body, Scope
from tripwire.act.shell.sink import Sink
from tripwire.act.shell.statements import STATEMENTS
from tripwire.act.shell.text import HOLE, SPLIT, known, literal
from tripwire.model.label import Label

if TYPE_CHECKING:
    from tree_sitter import Node

    from tripwire.model.shell_tables import ShellTables

_STATEMENTS_ANYWHERE = STATEMENTS.keys() - {
    "variable_assignment",
    "variable_assignments",
    "comment",
    "compound_statement",
}
MAX_DEPTH = 36
"""Nesting of commands, substitutions and `-c` strings; beyond it a command is opaque."""
MAX_COMMANDS = 5_000
MAX_TEXT = 262_144
"""Characters of one command line."""
MAX_HEREDOCS = 256
"""The grammar needs quadratic time for many open here-documents."""
_MAX_RECURSION = 2
_EVALUATE = frozenset(
    {"let", "test", "[", "[[", "read", "printf", "unset", "declare", "typeset", "local", "export"}
    | {"mapfile", "readarray", "readonly", "wait"}
)
"""Builtins that take a word for a variable's name, subscript included."""
_SUBSCRIPT = re.compile(r"\w\[[^\]$`]{0,80}((?:\$\(|`)[^\]]{1,4096})\]")
_MAX_TRAPS = 64
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})


class Walker:
    """One classification: the tree is walked once, effects go to the sink."""

    def __init__(self, tables: ShellTables) -> None:
        self.tables = tables
        self.sink = Sink()
        self.source = b""
        self.depth = 0
        self.commands = 0
        self.pipes = 0
        self.looping = 0
        self.shells = 0
        self.deferred: list[tuple[str, Scope]] = []
        self.extras: dict[int, list[str]] = {}
        """Words that the grammar gave to a redirection, by the command they belong to."""
        self.locals: list[dict[str, str | None]] = []
        """Variables made local by each open function call, with their values before."""

    # ── texts ────────────────────────────────────────────────────────────────────────────────

    def text(self, text: str, scope: Scope, stdin: str | None) -> str | None:
        """Run a whole command line: the top level, `sh -c`, `eval`, a heredoc for a shell."""
        if HOLE in text:
            self.sink.cannot_tell("sh -c", "the code is computed")
            salvage.salvage(text, self.sink, self.tables)
        if len(text) > MAX_TEXT or text.count("<<") > MAX_HEREDOCS:
            self.sink.cannot_tell("sh -c", "too long to read")
            salvage.salvage(text, self.sink, self.tables)
            return None
        if is_ambiguous(text):
            self.sink.cannot_tell("<<", "a here-document with a delimiter beyond ASCII")
            salvage.salvage(text, self.sink, self.tables)
        outer, self.source = self.source, b""
        self.depth += 1
        try:
            self.source, root = parse(text.replace(HOLE, "$_"))
            before = len(self.sink.opaque)
            output = self.statements(root, scope, stdin)
            if root.has_error and len(self.sink.opaque) == before:
                self.lost(root, "not parsed")
            return output
        finally:
            self.source = outer
            self.depth -= 1

    def slice(self, start: int, end: int) -> str:
        """The source between two byte offsets."""
        return self.source[start:end].decode("utf-8", "replace")

    def source_of(self, node: Node) -> str:
        """The source of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    # ── statements ───────────────────────────────────────────────────────────────────────────

    def statements(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """All statements that are children of `node`; the output of the only one, if it is."""
        outputs = self.in_turn(node.children, scope, stdin)
        if any(output is None for output in outputs):
            return None
        return "".join(output for output in outputs if output is not None)

    def in_turn(self, children: list[Node], scope: Scope, stdin: str | None) -> list[str | None]:
        """The outputs of statements one after the other; `&` puts one into a subshell."""
        outputs: list[str | None] = []
        for child, after in zip_longest(children, children[1:]):
            if child.is_named or child.is_missing:
                in_background = after is not None and after.type == "&"
                inner = scope.copy() if in_background else scope
                outputs.append(self.statement(child, inner, stdin))
        return outputs

    def statement(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """One statement; its output if that can be told."""
        kind = node.type
        if self.depth > MAX_DEPTH or self.commands > MAX_COMMANDS:
            self.lost(node, "nested too deeply or too long")
            return None
        if node.is_missing or kind == "ERROR":
            self.lost(node, "not parsed")
            if node.child_count:
                self.statements(node, scope.copy(), stdin)
            return None
        self.depth += 1
        try:
            method = STATEMENTS.get(kind)
            if method is not None:
                return method(self, node, scope, stdin)
            self.hunt(node, scope)
            return ""
        finally:
            self.depth -= 1

    def lost(self, node: Node, why: str) -> None:
        """A part that cannot be read: opaque, and known programs in it are taken as run."""
        text = self.source_of(node)
        self.sink.cannot_tell(text[:40].split("\n")[0], why)
        salvage.salvage(text, self.sink, self.tables)

    def hunt(self, node: Node, scope: Scope) -> None:
        """Walk the substitutions anywhere inside `node`."""
        todo = list(node.children)
        while todo:
            child = todo.pop()
            if child.type in _SUBSTITUTIONS:
                self.statement_in_copy(child, scope)
            elif child.type in _STATEMENTS_ANYWHERE:
                self.statement(child, scope.copy(), HOLE)
            elif child.type == "ERROR" or child.is_missing:
                self.lost(child, "not parsed")
            elif child.child_count:
                todo += child.children

    def statement_in_copy(self, node: Node, scope: Scope) -> str | None:
        """A substitution's commands, in a subshell."""
        if self.depth > MAX_DEPTH:
            self.lost(node, "nested too deeply")
            return None
        self.depth += 1
        try:
            return self.statements(node, scope.copy(), None)
        finally:
            self.depth -= 1

    def substitution(self, node: Node, scope: Scope) -> str:
        """What `$(…)` prints, a hole if that cannot be told."""
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) == 1 and inner[0].type == "file_redirect":
            redirects = Redirects(self, scope)
            redirects.add(inner[0])
            text = redirects.stdin
        elif (escaped := self.source_of(node)).startswith("`") and "\\" in escaped:
            code = re.sub(r"\\([`\\$])", r"\1", escaped.strip("`"))
            text = self.text(code, scope.copy(), None)
        else:
            text = self.statement_in_copy(node, scope)
        return HOLE if text is None else text

    def process(self, node: Node, scope: Scope) -> str:
        """`<(…)` is a path whose content is the output; `>(…)` a command that gets anything."""
        self.pipes += 1
        path = f"/dev/fd/{62 + self.pipes}"
        if self.slice(node.start_byte, node.start_byte + 1) == ">":
            self.depth += 1
            self.statements(node, scope.copy(), HOLE)
            self.depth -= 1
        else:
            scope.files[path] = self.statement_in_copy(node, scope)
        return path

    def secret_variable(self) -> None:
        """A variable of the environment with a secret's name was expanded (DLP-10)."""
        self.sink.labels.add(Label.SECRET)

    # ── simple commands ──────────────────────────────────────────────────────────────────────

    def command(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """A simple command with its assignments and redirections."""
        words, assigned, redirects = self.parts(node, scope)
        if redirects is not None:
            words += redirects.extra
        words += self.extras.pop(node.id, [])
        if node.has_error:
            self.lost(node, "not parsed")
        if redirects is not None and redirects.stdin is not None:
            stdin = redirects.stdin
        if not words:
            for name, value in assigned:
                self.assign(name, value, scope)
            output: str | None = ""
        elif assigned:
            output = self.run_with(assigned, words, scope, stdin)
        else:
            output = self.run(words, scope, stdin)
        return output if redirects is None else redirects.finish(output)

    def parts(
        self, node: Node, scope: Scope
    ) -> tuple[list[str], list[tuple[str, str]], Redirects | None]:
        """Words, assignments and redirections; pieces that touch are one word."""
        words: list[str] = []
        assigned: list[tuple[str, str]] = []
        redirects: Redirects | None = None
        end = -1
        for child in node.children:
            kind = child.type
            if kind == "variable_assignment":
                assigned.append(self.assignment(child, scope))
            elif kind in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                redirects = redirects or Redirects(self, scope)
                redirects.add(child)
            elif kind in _STATEMENTS_ANYWHERE:  # `time ( … )`, `coproc ( … )`
                self.statement(child, scope.copy(), HOLE)
            elif child.is_named and kind != "comment":
                named = child.named_child(0) if kind == "command_name" else child
                found = expand.words(named or child, scope, self)
                if child.start_byte == end and words and found:
                    words[-1] += found[0]
                    found = found[1:]
                words += found
                end = child.end_byte
        return words, assigned, redirects

    def assignment(self, node: Node, scope: Scope) -> tuple[str, str]:
        """Name and value of `NAME=value`; `+=` appends."""
        name_node, value_node = node.child_by_field_name("name"), node.child_by_field_name("value")
        name = self.source_of(name_node) if name_node else ""
        if name_node is not None and name_node.child_count:
            self.hunt(name_node, scope)
            name = name.partition("[")[0]
        value = ""
        if value_node is not None:
            value = literal(expand.piece(value_node, scope, self, in_quotes=True))
            if value.startswith("~/"):
                value = scope.home + value[1:]
        between = node.children[1] if node.child_count > 1 else None
        if between is not None and between.type == "+=":
            joint = SPLIT if value_node is not None and value_node.type == "array" else ""
            value = scope.vars.get(name, HOLE) + joint + value
        return name, value

    def assign(self, name: str, value: str, scope: Scope) -> None:
        """A variable gets a value; some variables are commands, code or places themselves."""
        scope.vars[name] = value
        self.sink.words[known(value)] = None
        self.subscripts(value, scope)
        effect = self.tables.environment.get(name)
        if effect is None or not value:
            return
        call = Call(name, [value], scope, None, self)
        if effect == "command":
            self.text(value, scope.copy(), HOLE)
        elif effect == "endpoint":
            call.egress(value, sends=True, is_remote=True)
        elif effect == "code" and known(value):
            self.sink.cannot_tell(name, "a variable that loads code")

    def subscripts(self, value: str, scope: Scope) -> None:
        """`a[$(command)]`: arithmetic, `test -v`, `read`, `let` evaluate what a text holds."""
        found = _SUBSCRIPT.search(value) if self.depth < MAX_DEPTH else None
        if found is not None:
            self.text(f": {found[1]}", scope.copy(), None)

    def run_with(
        self, assigned: list[tuple[str, str]], words: list[str], scope: Scope, stdin: str | None
    ) -> str | None:
        """A command with assignments before it: they hold for this command only."""
        before = {name: scope.vars.get(name) for name, _ in assigned}
        for name, value in assigned:
            self.assign(name, value, scope)
        try:
            return self.run(words, scope, stdin)
        finally:
            for name, old in before.items():
                scope.restore_variable(name, old)

    def run(self, words: list[str], scope: Scope, stdin: str | None) -> str | None:
        """Run one simple command given as words."""
        self.commands += 1
        for word in words:
            self.sink.words[known(word)] = None
            if words[0] in _EVALUATE:
                self.subscripts(word, scope)
        if self.depth > MAX_DEPTH or self.commands > MAX_COMMANDS:
            self.sink.cannot_tell(words[0][:40], "nested too deeply or too long")
            salvage.salvage(" ".join(words), self.sink, self.tables)
            return None
        self.depth += 1
        try:
            bodies = scope.functions.get(words[0])
            if bodies is not None:
                for body in bodies:
                    output = self.call_function(body, words[1:], scope, stdin)
                if not is_known(words[0], self.tables):  # `unset -f` may have removed it
                    return output if len(bodies) == 1 else None
            alias = scope.aliases.get(words[0])
            if alias is not None:
                inner = scope.copy()
                inner.aliases = {}
                self.text(f"{alias} {' '.join(map(_requoted, words[1:]))}", inner, stdin)
                if not is_known(words[0], self.tables):
                    return None
            return dispatch(Call(words[0], words[1:], scope, stdin, self))
        finally:
            self.depth -= 1

    def call_function(
        self, body: Body, args: list[str], scope: Scope, stdin: str | None
    ) -> str | None:
        """A function of this line runs with these arguments."""
        body.called = True
        if body.open >= _MAX_RECURSION:
            self.sink.cannot_tell("function", "a function that calls itself")
            return None
        body.open += 1
        params, scope.params = scope.params, list(args)
        outer, self.source = self.source, body.source
        self.locals.append({})
        try:
            return self.statement(body.node, scope, stdin)
        finally:
            self.source = outer
            scope.params = params
            body.open -= 1
            for name, old in self.locals.pop().items():
                scope.restore_variable(name, old)

    def uncalled(self, scope: Scope) -> None:
        """Traps run now; functions that nothing called are taken as called with anything."""
        for text, set_in in islice(self.deferred, _MAX_TRAPS):  # a trap may set another
            self.text(text, set_in.copy(), None)
        if len(self.deferred) > _MAX_TRAPS:
            self.sink.cannot_tell("trap", "too many traps")
        for body in [body for bodies in scope.functions.values() for body in bodies]:
            if not body.called:
                inner = scope.copy()
                inner.params = None
                outer, self.source = self.source, body.source
                self.statement(body.node, inner, HOLE)
                self.source = outer


def _requoted(word: str) -> str:
    return "'" + re.sub(r"'", r"'\\''", word) + "'"
