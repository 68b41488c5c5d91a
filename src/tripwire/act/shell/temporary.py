"""Names in Python code that stand for temporary files and directories of the program's own.

A name counts only if everything that is ever assigned to it is one: `tmp = tempfile.mkdtemp()`, a
path below it by literal parts, `with NamedTemporaryFile() as f` and `f.name`. Runs nothing.
Does not follow: parameters, attributes of objects, names built in containers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

PLACE = "/tmp/made-by-python"  # noqa: S108 - a stand-in for a path that the program makes
_MAKERS = frozenset(
    {"mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory", "TemporaryFile",
     "SpooledTemporaryFile"}
)  # fmt: skip
_PATHS = frozenset({"Path", "str", "join", "fspath", "abspath", "realpath"})
_ROUNDS = 4


def temporary_names(nodes: list[ast.AST]) -> frozenset[str]:
    """The names that only ever hold something temporary."""
    if _tampered(nodes):
        return frozenset()
    given = list(_assignments(nodes))
    found: frozenset[str] = frozenset()
    for _ in range(_ROUNDS):
        held: dict[str, bool] = {}
        for name, value in given:
            held[name] = held.get(name, True) and value is not None and is_temporary(value, found)
        now = frozenset(name for name, good in held.items() if good)
        if now == found:
            break
        found = now
    return found


def is_temporary(node: ast.expr, names: frozenset[str]) -> bool:
    """Whether an expression is something temporary, or lies below it by literal parts."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Attribute):
        return node.attr == "name" and is_temporary(node.value, names)
    if isinstance(node, ast.Subscript):
        return is_temporary(node.value, names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
        return is_temporary(node.left, names) and _below(node.right)
    if isinstance(node, ast.JoinedStr) and node.values:
        first, *rest = node.values
        start = first.value if isinstance(first, ast.FormattedValue) else None
        return start is not None and is_temporary(start, names) and all(map(_below, rest))
    if isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in _MAKERS:
            return not node.args and all(k.arg != "dir" for k in node.keywords)
        if called in _PATHS and node.args:
            return is_temporary(node.args[0], names) and all(map(_below, node.args[1:]))
    return False


_RELIED = _MAKERS | {"tempfile", "os", "Path", "pathlib", "str"}
"""Names that must keep their meaning."""
_RELIED_PARTS = _MAKERS | _PATHS | {"path", "tempdir"}
"""Attributes that must (`os.path.join = …`)."""


def _tampered(nodes: list[ast.AST]) -> bool:
    """Whether the code gives one of the names we rely on another meaning, or may do so."""
    return any(_tampers(node, nodes) for node in nodes)


def _tampers(node: ast.AST, nodes: list[ast.AST]) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name in _RELIED
    if isinstance(node, ast.alias):
        called = node.asname or node.name
        return called in _MAKERS | {"tempfile"} and not _genuine(node, nodes)
    if isinstance(node, ast.Attribute):
        owner = node.value
        shared = isinstance(owner, (ast.Name, ast.Attribute)) and node.attr in _RELIED_PARTS
        return (
            isinstance(node.ctx, ast.Store)
            and (shared or node.attr == "name")
            and (not _of_self(owner))
        )
    if isinstance(node, ast.Name):
        stored = isinstance(node.ctx, ast.Store) and node.id in _RELIED
        return stored or node.id in ("setattr", "patch", "monkeypatch")
    return False


def _of_self(owner: ast.expr) -> bool:
    """An attribute of an object of the code's own classes."""
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls")


def _genuine(alias: ast.alias, nodes: list[ast.AST]) -> bool:
    """`import tempfile`, or `from tempfile import mkdtemp`, under their own names."""
    for node in nodes:
        if isinstance(node, ast.Import) and alias in node.names:
            return alias.name == "tempfile"
        if isinstance(node, ast.ImportFrom) and alias in node.names:
            return node.module == "tempfile" and alias.asname in (None, alias.name)
    return False


def _below(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(text, str):
        return False
    return ".." not in text.split("/") and not text.startswith("//")


def _assignments(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr | None]]:
    """Each name that is bound, with its value; None where the value cannot be told."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _bound(target, node.value)
        elif (isinstance(node, ast.AnnAssign) and node.value is not None) or isinstance(
            node, ast.NamedExpr
        ):
            yield from _bound(node.target, node.value)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            yield from _bound(node.optional_vars, node.context_expr)
        elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension)):
            yield from _bound(node.target, None)
        elif isinstance(node, ast.arg):
            yield node.arg, None


def _bound(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:  # fd, path = mkstemp()
            yield from _bound(item, value)
    elif isinstance(target, ast.Starred):
        yield from _bound(target.value, None)
