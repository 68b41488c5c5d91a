"""Compound statements: lists, branches, loops, functions, pipelines (SH-2).

Each function takes the walker, a node, the scope and the standard input, and gives the output as
text where it can be told. Every branch counts as taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tripwire.act.shell import expand
from tripwire.act.shell.redirect import Redirects, Walking
from tripwire.act.shell.scope import Body
from tripwire.act.shell.text import HOLE

if TYPE_CHECKING:
    from tree_sitter import Node

    from tripwire.act.shell.scope import Scope


class Walker(Walking, Protocol):
    """What statements need of the walker."""

    extras: dict[int, list[str]]
    locals: list[dict[str, str | None]]
    looping: int

    def statements(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """Walk the children of a node."""

    def in_turn(self, children: list[Node], scope: Scope, stdin: str | None) -> list[str | None]:
        """Walk statements one after the other."""

    def statement_in_copy(self, node: Node, scope: Scope) -> str | None:
        """Walk the commands of a substitution in a subshell."""

    def command(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """Walk a simple command."""

    def assignment(self, node: Node, scope: Scope) -> tuple[str, str]:
        """Name and value of an assignment."""

    @property
    def source(self) -> bytes:
        """The text the nodes point into."""


Statement = Callable[["Walker", "Node", "Scope", "str | None"], "str | None"]
_MAX_ROUNDS = 8
_MAX_BODIES = 4


def _command(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    return walker.command(node, scope, stdin)


def _inside(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    return walker.statements(node, scope, stdin)


def _nothing(_walker: Walker, _node: Node, _scope: Scope, _stdin: str | None) -> str | None:
    return ""


def _subshell(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    return walker.statements(node, scope.copy(), stdin)


def _group(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    if node.children and node.children[0].type == "((":
        walker.hunt(node, scope)
        return ""
    return walker.statements(node, scope, stdin)


def _redirected(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    redirects = Redirects(walker, scope)
    body = node.child_by_field_name("body")
    for child in node.children:
        if child.is_named and child.type.endswith("_redirect"):
            redirects.add(child)
        elif child.type == "ERROR" or child.is_missing:
            walker.lost(child, "not parsed")
    inner = stdin if redirects.stdin is None else redirects.stdin
    if redirects.extra and body is not None:
        walker.extras[_last_command(body).id] = redirects.extra
    if body is not None:
        output = walker.statement(body, scope, inner)
        if redirects.extra and walker.extras.pop(_last_command(body).id, []):
            output = walker.run(redirects.extra, scope, inner)
    else:
        output = walker.run(redirects.extra, scope, inner) if redirects.extra else ""
    return redirects.finish(output)


def _last_command(node: Node) -> Node:
    """The command a redirection at the end of `node` belongs to."""
    while node.type in ("list", "pipeline", "negated_command", "redirected_statement"):
        inner = node.named_children
        if not inner:
            break
        node = inner[-1]
    return node


def _pipeline(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    piped, output = stdin, ""
    for child in node.children:
        if not (child.is_named or child.is_missing):
            continue
        told = walker.statement(child, scope.copy(), piped)
        piped = HOLE if told is None else told
        output = piped
    return None if HOLE in output else output


def _list(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    """`a && b || c`: the part after `||` may start from any earlier state."""
    parts, operators = _flattened(node)
    states = [scope.state()]
    outputs: list[str | None] = []
    for at, part in enumerate(parts):
        if at and operators[at - 1] == "||":
            scope.join(states)
        outputs.append(walker.statement(part, scope, stdin))
        if at == 0:
            states[0] = scope.state() if all(op == "&&" for op in operators) else states[0]
        states.append(scope.state())
    scope.join(states)
    if any(output is None for output in outputs):
        return None
    return "".join(output for output in outputs if output is not None)


def _flattened(node: Node) -> tuple[list[Node], list[str]]:
    parts: list[Node] = []
    operators: list[str] = []
    here: Node | None = node
    while here is not None and here.type == "list":
        children = here.children
        for child in reversed(children[1:]):
            if child.is_named or child.is_missing:
                parts.append(child)
            else:
                operators.append(child.type)
        here = children[0] if children else None
    if here is not None:
        parts.append(here)
    parts.reverse()
    operators.reverse()
    return parts, operators + ["&&"] * (len(parts) - len(operators))


def _if(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    conditions = node.children_by_field_name("condition")
    for condition in conditions:
        if condition.is_named:
            walker.statement(condition, scope, stdin)
    known_ids = {condition.id for condition in conditions}
    before = scope.state()
    states = [before]
    branch: list[Node] = []
    for child in node.children:
        if child.type in ("elif_clause", "else_clause"):
            walker.in_turn(branch, scope, stdin)
            branch = []
            states.append(scope.state())
            scope.restore(before)
        if child.id not in known_ids:
            branch.append(child)
    walker.in_turn(branch, scope, stdin)
    states.append(scope.state())
    scope.join(states)
    return None


def _loop(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    before = scope.state()
    _forget_assigned(walker, node, scope)
    walker.statements(node, scope, stdin)
    scope.join([before, scope.state()])
    return None


def _for(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    name_node = node.child_by_field_name("variable")
    name = walker.source_of(name_node) if name_node is not None else "_"
    values: list[str] = []
    for child in node.children_by_field_name("value"):
        if child.is_named:
            values += expand.words(child, scope, walker)
    if not node.children_by_field_name("value"):
        values = list(scope.params) if scope.params else [HOLE]
    body = node.child_by_field_name("body")
    before = scope.state()
    _forget_assigned(walker, node, scope)
    if len(values) > _MAX_ROUNDS or walker.looping:
        values = [HOLE]
    walker.looping += 1
    for child in node.children:
        if child.type == "ERROR" or child.is_missing:
            walker.lost(child, "not parsed")
    for value in dict.fromkeys(values):
        scope.vars[name] = value
        if body is not None:
            walker.statement(body, scope, stdin)
    walker.looping -= 1
    scope.join([before, scope.state()])
    return None


def _forget_assigned(walker: Walker, node: Node, scope: Scope) -> None:
    """A later round may start with what an earlier one assigned: such variables are unknown."""
    todo = list(node.children)
    while todo:
        child = todo.pop()
        if child.type == "variable_assignment":
            name = child.child_by_field_name("name")
            if name is not None and walker.source_of(name) in scope.vars:
                scope.vars[walker.source_of(name)] = HOLE
        if child.child_count and child.type not in ("word", "string", "raw_string"):
            todo += child.children


def _case(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    before = scope.state()
    states = [before]
    for child in node.children:
        if child.type == "case_item":
            scope.restore(before)
            values = {value.id for value in child.children_by_field_name("value")}
            for part in child.children:
                if part.id in values:
                    walker.hunt(part, scope)
                    if part.type in ("command_substitution", "process_substitution"):
                        walker.statement_in_copy(part, scope)
            body = [part for part in child.children if part.id not in values]
            walker.in_turn(body, scope, stdin)
            states.append(scope.state())
        elif child.type == "ERROR" or child.is_missing:
            walker.lost(child, "not parsed")
        elif child.is_named:
            expand.piece(child, scope, walker)
    scope.join(states)
    return None


def _function(walker: Walker, node: Node, scope: Scope, _stdin: str | None) -> str | None:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is None or body is None:
        walker.lost(node, "not parsed")
        return None
    key = expand.single(name, scope, walker)
    bodies = scope.functions.setdefault(key, [])
    if len(bodies) < _MAX_BODIES:
        bodies.append(Body(body, walker.source))
    else:
        walker.lost(node, "a function defined too often")
    for child in node.children:
        if child.type.endswith("_redirect"):
            Redirects(walker, scope).add(child)
    return ""


def _declaration(walker: Walker, node: Node, scope: Scope, stdin: str | None) -> str | None:
    """`export`, `declare`, `local`, `readonly`, `typeset`: assignments, or a list of secrets."""
    words = [walker.source_of(node.children[0])] if node.children else ["declare"]
    assigned = False
    for child in node.children[1:]:
        if child.type == "variable_assignment":
            assigned = True
            name, value = walker.assignment(child, scope)
            if walker.locals and words[0] in ("local", "declare", "typeset"):
                walker.locals[-1].setdefault(name, scope.vars.get(name))
            walker.assign(name, value, scope)
        elif child.is_named and not child.type.endswith("_redirect"):
            words += expand.words(child, scope, walker)
    if not assigned:
        return walker.run(words, scope, stdin)
    return ""


def _unset(_walker: Walker, node: Node, scope: Scope, _stdin: str | None) -> str | None:
    for child in node.named_children:
        name = _walker.source_of(child)
        if name in scope.vars:
            scope.vars[name] = HOLE
    _walker.hunt(node, scope)
    return ""


def _assignment(walker: Walker, node: Node, scope: Scope, _stdin: str | None) -> str | None:
    walker.assign(*walker.assignment(node, scope), scope)
    return ""


STATEMENTS: dict[str, Statement] = {
    "command": _command,
    "redirected_statement": _redirected,
    "pipeline": _pipeline,
    "list": _list,
    "program": _inside,
    "negated_command": _inside,
    "do_group": _inside,
    "elif_clause": _inside,
    "else_clause": _inside,
    "variable_assignments": _inside,
    "subshell": _subshell,
    "compound_statement": _group,
    "if_statement": _if,
    "while_statement": _loop,
    "c_style_for_statement": _loop,
    "for_statement": _for,
    "case_statement": _case,
    "function_definition": _function,
    "declaration_command": _declaration,
    "unset_command": _unset,
    "variable_assignment": _assignment,
    "comment": _nothing,
}
