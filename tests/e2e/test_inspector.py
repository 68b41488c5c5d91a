"""The official MCP inspector, command-line form, against `tripwire serve`.

Needs npm; the inspector and the Node it wants are installed once into `.build/`.
`make test-clients` runs this; docs/how-to/use-the-file-server.md says how to run it by hand.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.client

ROOT = Path(__file__).parents[2]
VERSION = "2.12.0"
NODE = "22.23.5"
"""The inspector wants Node 22.19 or newer; systems often have an older one."""

TRIPWIRE = 'triggers: ["src/**"]\ncontext: "Orders are never deleted."\ncreated_by: human\n'


@pytest.fixture(scope="module")
def inspector():
    """Node and the script that it runs."""
    place = ROOT / ".build" / f"inspector-{VERSION}"
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    node = f"node-{sys.platform}-{machine}"
    modules = place / "node_modules"
    package = modules / "@modelcontextprotocol" / "inspector"
    if not package.is_dir():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed")
        place.mkdir(parents=True, exist_ok=True)
        words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        wanted = [f"@modelcontextprotocol/inspector@{VERSION}", f"{node}@{NODE}"]
        done = subprocess.run(
            [npm, *words, "--prefix", str(place), *wanted],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            shutil.rmtree(place)
            pytest.skip(f"the inspector cannot be installed: {done.stderr.strip()[:200]}")
    script = json.loads((package / "package.json").read_text())["bin"]["mcp-inspector"]
    return [str(modules / node / "bin" / "node"), str(package / script)]


@pytest.fixture
def ask(inspector, tmp_path):
    """Ask the server through the inspector: its exit code and the one object it prints."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "orders.py").write_text("first\nsecond\nthird\n")
    (root / ".tripwires").mkdir()
    (root / ".tripwires" / "orders.yml").write_text(TRIPWIRE)
    (tmp_path / "outside.txt").write_text("not yours")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TRIPWIRE_HOME": str(tmp_path / "state"),
    }
    server = [sys.executable, "-m", "tripwire", "serve", "--project", str(root)]

    def ask(*words):
        done = subprocess.run(
            [*inspector, "--cli", *server, *words],
            cwd=root,
            env=env,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    return ask


def called(ask, tool, **arguments):
    """Exit code, text and whether the tool failed."""
    pairs = [f"{key}={value}" for key, value in arguments.items()]
    code, result = ask("--method", "tools/call", "--tool-name", tool, "--tool-arg", *pairs)
    return code, result["content"][0]["text"], result["isError"]


def test_the_tools_are_listed_and_their_schemas_are_sound(ask):
    code, result = ask("--method", "tools/list", "--strict")
    assert code == 0
    names = [tool["name"] for tool in result["tools"]]
    assert names[0] == "read_file"
    assert len(names) == 11


def test_a_read_carries_what_the_team_knows(ask):
    code, text, failed = called(ask, "read_file", path="src/orders.py", offset=2, limit=1)
    assert (code, failed) == (0, False)
    assert text.startswith('<<<TRIPWIRE severity="warning" name="orders">>>\nOrders are never')
    assert text.endswith("<<<TRIPWIRE_FILE_CONTENT>>>\nsecond\n")


def test_what_is_outside_is_an_error_of_the_tool(ask):
    code, text, failed = called(ask, "read_file", path="../outside.txt")
    assert code != 0
    assert failed
    assert text == "Error: Path is outside the project: ../outside.txt"


def test_a_lesson_is_recorded_and_explained(ask):
    lesson = {"triggers": '["src/*.py"]', "context": "Archive.", "learned_from": "review"}
    code, text, failed = called(ask, "create_tripwire", name="No Deletes", **lesson)
    assert (code, failed) == (0, False), text
    _, text, _ = called(ask, "explain", path="src/orders.py")
    told = json.loads(text)
    assert [match["name"] for match in told["directMatches"]] == ["no-deletes", "orders"]
