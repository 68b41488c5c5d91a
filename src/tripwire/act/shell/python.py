"""Python code, judged by its syntax tree: imports, calls, files (SH-8). Nothing is run.

Does not catch: modules of the project that do the work; they are local by declaration (SH-9).
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

from tripwire.act.shell.code import urls
from tripwire.act.shell.temporary import PLACE, is_temporary, temporary_names
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call

_DYNAMIC = frozenset(
    {"eval", "exec", "compile", "__import__", "globals", "locals", "vars", "breakpoint"}
)
_RUNS = frozenset(
    {"system", "popen", "run", "call", "check_call", "check_output", "Popen", "getoutput",
     "getstatusoutput", "spawn", "spawnl", "spawnv", "spawnlp", "spawnvp",
     "posix_spawn", "posix_spawnp", "execv", "execvp",
     "execl", "execlp", "execve", "execvpe", "startfile", "create_subprocess_exec",
     "create_subprocess_shell"}
)  # fmt: skip
_DELETES = frozenset({"rmtree", "remove", "unlink", "rmdir", "removedirs"})
_WRITES = frozenset({"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to"})
_MOVES = frozenset({"rename", "replace", "copy", "copy2", "copyfile", "copytree", "move"})
_CONNECTS = frozenset(
    {
        "open_connection",
        "create_connection",
        "urlopen",
        "urlretrieve",
        "getaddrinfo",
        "gethostbyname",
    }
)
_ESCAPES = frozenset(
    {"__builtins__", "__subclasses__", "__globals__", "__loader__", "__class__", "__getattribute__"}
)
_MAX_CODE = 400_000
SOME_FILE = "?*"
"""One file whose name is computed: of a clean session's concern no more than any deletion."""


_CODE_IN_TEXT = re.compile(r"__import__\s*\(|\bimport\s+(?:os|subprocess|socket|pty|ctypes|sys)\b")
"""A text that somebody means to run: timeit, cProfile, exec under another name."""


def classify(call: Call, text: str) -> None:
    """Effects of a piece of Python."""
    if HOLE in text:
        call.opaque("the code is computed")
    tree = _parsed(text.replace(HOLE, "_")) if len(text) <= _MAX_CODE else None
    if tree is None:
        call.opaque("Python that does not parse")
        for place in urls(text):
            call.egress(place + HOLE, sends=True)
        return
    _Study(call).study(tree)


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip("\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Study:
    """One pass over the tree; names are traced to the module they were imported from."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.modules: dict[str, str] = {}
        self.network = False
        self.constants: list[str] = []
        self.computed = False
        self.temporary: frozenset[str] = frozenset()
        self.set_only: set[int] = set()
        """Mentions of `os.environ` that only set a variable, by identity."""

    def study(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        self.temporary = temporary_names(nodes)
        self.set_only = _set_only(nodes)
        for node in nodes:
            if isinstance(node, ast.Import):
                for item in node.names:
                    self._imported(item.name, item.asname or item.name.partition(".")[0])
            elif isinstance(node, ast.ImportFrom):
                for item in node.names:
                    self._imported(node.module or ".", item.asname or item.name)
                    self._imported(f"{node.module}.{item.name}", item.asname or item.name)
        for node in nodes:
            self._look(node)
        self._places()

    def _imported(self, module: str, name: str) -> None:
        kind = self._kind(module)
        if kind or name not in self.modules:
            self.modules[name] = kind
        if kind == "network":
            self.network = True
        elif kind == "dynamic":
            self.call.opaque("Python that loads code")

    def _kind(self, module: str) -> str:
        """The kind of the nearest module that is known: `urllib.parse.quote` is `urllib.parse`."""
        while module:
            if kind := self.call.tables.python_modules.get(module):
                return kind
            module = module.rpartition(".")[0]
        return ""

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _CODE_IN_TEXT.search(node.value):
                self.call.opaque("Python that holds code as a text")
            self.constants.append(node.value)
        elif isinstance(node, ast.Call):
            self._called(node)
        elif isinstance(node, ast.Attribute):
            if node.attr == "environ" and id(node) not in self.set_only:
                self.call.sink.labels.add(Label.SECRET)
            elif node.attr in _ESCAPES:
                self.call.opaque("Python that reaches into the interpreter")
            elif node.attr in _CONNECTS:
                self.network = True
        elif isinstance(node, ast.Name) and (node.id in _DYNAMIC or node.id in _ESCAPES):
            self.call.opaque("Python that builds code")
        elif isinstance(node, (ast.BinOp, ast.JoinedStr)):
            self.computed = True

    def _called(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            self._called_name(function.id, node)
        elif isinstance(function, ast.Attribute):
            self._called_attribute(function, node)
        elif not isinstance(function, ast.Lambda):
            self.call.opaque("Python that calls what it computed")

    def _called_name(self, name: str, node: ast.Call) -> None:
        if name == "open":
            self._opened(node, 0)
        elif name == "getattr" and not (len(node.args) > 1 and _text(node.args[1]) is not None):
            self.call.opaque("Python that looks up a computed name")
        elif name == "getattr" and _text(node.args[1]) in _RUNS | _CONNECTS | _DYNAMIC | _DELETES:
            self.call.opaque("Python that hides a call")
        elif name == "getenv":
            self.call.sink.labels.add(Label.SECRET)
        elif self.modules.get(name) == "process" and name in _RUNS:
            self._runs(node)
        elif name in _DELETES and name in self.modules:
            self._deleted(node)
        elif name in _MOVES and name in self.modules:
            self._moved(node)

    def _called_attribute(self, function: ast.Attribute, node: ast.Call) -> None:
        name, owner = function.attr, self._owner(function)
        if name in _RUNS and (owner == "process" or name not in ("run", "call")):
            self._runs(node)
        elif name == "import_module":
            self.call.opaque("Python that loads code")
        elif name == "getenv":
            self.call.sink.labels.add(Label.SECRET)
        elif name in _DELETES and (owner in ("process", "delete") or name == "rmtree"):
            self._deleted(node)
        elif name in ("unlink", "rmdir", *_WRITES, "read_text", "read_bytes", "open"):
            self._path_method(function, name, node)
        elif name in _MOVES and owner in ("process", "delete"):
            self._moved(node)

    def _owner(self, function: ast.Attribute) -> str:
        value: ast.expr = function.value
        while isinstance(value, ast.Attribute):
            value = value.value
        return self.modules.get(value.id, "") if isinstance(value, ast.Name) else ""

    def _runs(self, node: ast.Call) -> None:
        words = _words(node.args[0]) if node.args else None
        if words is None:
            self.call.opaque("Python that runs a computed command")
        elif isinstance(words, str):
            self.call.runner.text(words, self.call.scope.copy(), None)
        else:
            given = node.args if all(_text(arg) is not None for arg in node.args) else []
            if len(given) > 1 and len(words) == 1:  # execvp("x", ["x", …]), spawn, exec(*words)
                words = [_text(arg) or HOLE for arg in given]
            self.call.run(words, stdin=HOLE if node.keywords else "")

    def _deleted(self, node: ast.Call) -> None:
        text = self._path(node.args[0]) if node.args else None
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if text is None and name != "rmtree":
            text = SOME_FILE
        self.call.deletes(HOLE if text is None else text, "python", recursive=name == "rmtree")

    def _path(self, node: ast.expr) -> str | None:
        return PLACE if is_temporary(node, self.temporary) else _text(node)

    def _moved(self, node: ast.Call) -> None:
        words = [_text(argument) for argument in node.args[:2]]
        if words and words[0] is not None:
            self.call.reads([words[0]])
        if len(words) == 2:
            self.call.writes(words[1] or HOLE, "python")

    def _opened(self, node: ast.Call, first: int) -> None:
        path = _text(node.args[first]) if len(node.args) > first else None
        modes = [
            *node.args[first + 1 : first + 2],
            *(k.value for k in node.keywords if k.arg == "mode"),
        ]
        mode = "r" if not modes else _text(modes[0]) or "w"
        self._file(path, reads=not set(mode) & set("wax"))

    def _path_method(self, function: ast.Attribute, name: str, node: ast.Call) -> None:
        path: str | None = None
        owner = function.value
        if isinstance(owner, ast.Call) and owner.args:
            path = _text(owner.args[0])
        if name in ("unlink", "rmdir"):
            here = PLACE if is_temporary(owner, self.temporary) else path
            self.call.deletes(SOME_FILE if here is None else here, "python")
        elif name == "open":
            mode = _text(node.args[0]) if node.args else "r"
            self._file(path, reads=not set(mode or "w") & set("wax"))
        else:
            self._file(path, reads=name.startswith("read"))

    def _file(self, path: str | None, *, reads: bool) -> None:
        if reads and path is not None:
            self.call.reads([path])
        elif not reads:
            self.call.writes(HOLE if path is None else path, "python")
        self.call.sink.labels.add(Label.PRIVATE)

    def _places(self) -> None:
        if not self.network:
            return
        found = dict.fromkeys(url for text in self.constants for url in urls(f"'{text}'"))
        for place in found or [HOLE]:
            self.call.egress(place + (HOLE if self.computed else ""), sends=True)
            self.call.fetched(place)


def _set_only(nodes: list[ast.AST]) -> set[int]:
    """`os.environ["X"] = …`, and `os.environ.setdefault("X", …)` whose answer nobody takes."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(id(node.value))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Attribute) and function.attr == "setdefault":
                found.add(id(function.value))
    return found


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "expanduser" and node.args:
        return _text(node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None or right is None else left + right
    return None


def _words(node: ast.expr) -> str | list[str] | None:
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        items = [_text(item) for item in node.elts]
        if items[0] is None:
            return None
        return [HOLE if item is None else item for item in items]
    return _text(node)
