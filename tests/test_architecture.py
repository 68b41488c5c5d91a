"""The house rules that a machine can check: layers, purity, sizes, and that every rule is complete."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "tripwire"
MODULES = sorted(SRC.rglob("*.py"))

# ARCHITECTURE.md, "Who may import whom": each room may import the rooms after it.
# Rooms of one tuple never import each other.
LAYERS = (
    ("cli",),
    ("demo", "doors", "workbench"),
    ("io",),
    ("config",),
    ("engine",),
    ("act", "ledger", "read", "say"),
    ("rule",),
    ("memory",),
    ("text",),
    ("model",),
    ("errors",),
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
CORE = {"errors", "model", "text", "memory", "rule", "read", "act", "say", "engine", "ledger"}
IMPURE = {
    "os", "io", "sys", "time", "random", "socket", "subprocess", "asyncio", "anyio", "logging",
    "threading", "pathlib", "tempfile", "shutil", "secrets", "yaml", "mcp", "httpx", "httpx2",
    "aiohttp", "requests", "pygls", "lsprotocol", "pydantic", "starlette", "uvicorn", "rich", "cyclopts", "cryptography",
}  # fmt: skip
ONLY_IN = {
    "yaml": ("config/",),
    "mcp": ("doors/", "demo/"),
    "pygls": ("doors/",),
    "lsprotocol": ("doors/",),
    "cyclopts": ("cli/",),
    "rich": ("cli/",),
}
MAX_LINES = 400
MAX_FUNCTION_LINES = 40


def room(path):
    part = path.relative_to(SRC).parts[0]
    return part.removesuffix(".py")


@cache
def tree(path):
    return ast.parse(path.read_text("utf-8"))


def imports(path):
    """(module, line, whether inside a function or TYPE_CHECKING) of every import of a file."""
    found = []

    def visit(node, lazy):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend((alias.name, child.lineno, lazy) for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
                found.append((child.module, child.lineno, lazy))
            inner = lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            visit(child, inner)

    visit(tree(path), False)
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SRC)))
def test_layers(path):
    here = room(path)
    if here in ("__init__", "__main__"):
        return
    assert here in LEVEL, f"{here} is no room of ARCHITECTURE.md"
    for name, line, _ in imports(path):
        if not name.startswith("tripwire."):
            continue
        there = name.split(".")[1]
        if there == here:
            continue
        assert LEVEL[there] > LEVEL[here], f"{path.name}:{line} imports upwards: {name}"


def test_no_import_cycles():
    names = {module_name(p): p for p in MODULES}
    graph = {
        name: {i for i, _, lazy in imports(path) if i in names and not lazy and i != name}
        for name, path in names.items()
    }
    done, trail = set(), []

    def walk(name):
        assert name not in trail, "import cycle: " + " → ".join([*trail[trail.index(name) :], name])
        if name in done:
            return
        trail.append(name)
        for other in sorted(graph[name]):
            walk(other)
        trail.pop()
        done.add(name)

    for name in graph:
        walk(name)


def module_name(path):
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", [p for p in MODULES if room(p) in CORE], ids=lambda p: p.name)
def test_core_is_pure(path):
    for name, line, _ in imports(path):
        assert name.split(".")[0] not in IMPURE, f"{path}:{line} imports {name}"
    calls = (n for n in ast.walk(tree(path)) if isinstance(n, ast.Call))
    for call in calls:
        if isinstance(call.func, ast.Name):
            assert call.func.id not in ("open", "print", "input"), f"{path}:{call.lineno}"


@pytest.mark.parametrize("library", ONLY_IN)
def test_library_stays_in_its_rooms(library):
    for path in MODULES:
        where = path.relative_to(SRC).as_posix()
        for name, line, _ in imports(path):
            if name.split(".")[0] == library:
                assert where.startswith(ONLY_IN[library]), f"{where}:{line} imports {library}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SRC)))
def test_sizes_and_first_sentence(path):
    text = path.read_text("utf-8")
    assert text.count("\n") <= MAX_LINES, "split it: see ARCHITECTURE.md"
    assert ast.get_docstring(tree(path)), "a file opens by saying what it is for"
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= MAX_FUNCTION_LINES, f"{path.name}:{node.lineno} {node.name}: {length}"


def test_only_the_engine_catches_everything_in_the_core():
    broad = []
    for path in MODULES:
        if room(path) not in CORE:
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler):
                name = getattr(node.type, "id", None)
                if node.type is None or name in ("Exception", "BaseException"):
                    broad.append(path.name)
    assert broad == ["engine.py"]


def test_lazy_imports_only_where_documented():
    for path in MODULES:
        if room(path) in ("cli", "demo", "__main__"):
            continue
        lazy = [f"{path.name}:{line}" for name, line, inside in imports(path) if inside]
        allowed = path.relative_to(SRC).as_posix() in LAZY_MODULES
        assert not lazy or allowed, f"import at the top: {lazy}"


LAZY_MODULES = {
    "io/anchors.py",  # an HTTP client, for the few installations that have such an anchor
    "doors/hooks/shim.py",  # loads the one-shot fallback only when there is no daemon
}


RULE_ROOMS = ("act", "read")


def rules():
    from tripwire.engine import RULES

    return RULES


def row_ids():
    from tripwire.config.presets import builtin_policy

    return {row.id for row in builtin_policy().flow.rows}


@pytest.mark.parametrize("room_name", RULE_ROOMS)
def test_every_rule_module_is_listed(room_name):
    ids = (rule.id.split("/") for rule in rules())
    listed = {name.replace("-", "_") for place, name in ids if place == room_name}
    files = {p.stem for p in (SRC / room_name / "rules").glob("*.py")} - {"__init__"}
    assert files == listed


def all_ids():
    return sorted({rule.id for rule in rules() if rule.id != "act/flow"} | row_ids())


def test_every_rule_has_a_page_and_cases():
    for rule_id in all_ids():
        place, name = rule_id.split("/")
        page = ROOT / "docs" / "reference" / "rules" / place / f"{name}.md"
        assert page.exists(), f"{rule_id} has no page"
        cases = list((ROOT / "tests" / place / "rules" / "cases" / name).glob("*.yaml"))
        texts = [case.read_text("utf-8") for case in cases]
        expects = [re.search(r"^expect: *(\w+)", text, re.MULTILINE).group(1) for text in texts]
        passing = [t for t, e in zip(texts, expects, strict=True) if e in ("ALLOW", "INFORM")]
        assert any(rule_id in t for t in texts), f"{rule_id} has no attack case"
        assert passing, f"{rule_id} has no look-alike that passes"
        assert any(re.search(r"^note:", t, re.MULTILINE) for t in passing), (
            f"{rule_id} documents no miss"
        )


@pytest.mark.parametrize("room_name", RULE_ROOMS)
def test_no_page_without_a_rule(room_name):
    pages = {p.stem for p in (ROOT / "docs" / "reference" / "rules" / room_name).glob("*.md")}
    ids = (rule_id.split("/") for rule_id in all_ids())
    assert pages - {"index"} <= {name for place, name in ids if place == room_name}


def test_tests_mirror_the_source():
    for folder in ("model", "text", "memory", "ledger", "config"):
        for test in (ROOT / "tests" / folder).glob("test_*.py"):
            stem = test.stem.removeprefix("test_")
            assert list(SRC.glob(f"{folder}/**/{stem}.py")) or (SRC / folder / stem).is_dir(), (
                f"{test.name} mirrors no module of {folder}/"
            )


def test_no_index_addresses_or_secrets_of_the_workplace_in_locks():
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text("utf-8")
        assert "://" not in text
        assert not re.search(
            r"^(-i|--index-url|--extra-index-url|--find-links)", text, re.MULTILINE
        )
        pinned = re.findall(r"^[\w.\[\]-]+==", text, re.MULTILINE)
        assert pinned
        assert text.count("--hash=sha256:") >= len(pinned)
