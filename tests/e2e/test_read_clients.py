"""READ in real clients against a scripted model on loopback: what the model is shown, by route.

Needs the clients (downloaded once into `.build/`) and the scripted model (see
`test_claude_code.py`); off by default, run by `make test-clients`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.test_claude_code import (
    RIGS,
    ROOT,
    Rig,
    attacker,
    bash,
    claude,
    free_port,
    read,
    text_of,
)

from tripwire.io import daemon as resident

pytestmark = pytest.mark.client

CODEX = "0.171.0"
GEMINI = "0.61.0"
CODEX_BINARY = "package/vendor/x86_64-unknown-linux-musl/bin/codex"
__all__ = ["attacker", "claude"]


def rule(project, name, trigger, more=""):
    folder = project / ".tripwires"
    folder.mkdir(exist_ok=True)
    text = f'triggers: ["{trigger}"]\ncontext: ADVICE-{name}.\ncreated_by: human\n{more}'
    (folder / f"{name}.yml").write_text(text)


def file(project, name):
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"text of {name}\nsecond line\n")
    return path


@pytest.fixture
def rig(tmp_path, claude, attacker):
    made = Rig(tmp_path, claude, attacker)
    yield made
    made.close()


def shown(rig, name):
    """How often the last request of the conversation holds the advice of that name."""
    bodies = [json.loads(line)["body"] for line in rig.log.read_text().splitlines()]
    longest = max((b for b in bodies if b.get("messages")), key=lambda b: len(b["messages"]))
    return json.dumps(longest["messages"]).count(f"ADVICE-{name}.")


def edit(path, old, new):
    tool = {"file_path": str(path), "old_string": old, "new_string": new}
    return {"tool": "Edit", "input": tool}


def write(path, content):
    return {"tool": "Write", "input": {"file_path": str(path), "content": content}}


ROUTES = {
    "read": lambda p: [read(p)],
    "cat": lambda p: [bash(f"cat {p.relative_to(p.parents[1])}")],
    "sed": lambda p: [bash(f"sed -n 1,2p {p}")],
    "grep": lambda p: [bash(f"grep -n text {p}")],
    "cd": lambda p: [bash(f"cd {p.parent} && cat {p.name}")],
    "nested": lambda p: [bash(f"bash -c 'cat {p}'")],
    "write": lambda p: [write(p.with_name("write-new.txt"), "new\n")],
    "redirect": lambda p: [bash(f"echo x > {p.with_name('redirect-new.txt')}")],
}


def test_every_route_of_claude_code_shows_the_text_once_and_stops_nothing(rig):
    turns = []
    for name, made in ROUTES.items():
        path = file(rig.project, f"src/{name}.txt")
        rule(rig.project, name, f"src/{name}*.txt")
        turns += made(path) * 2 if name not in ("write", "redirect") else made(path)
    assert rig.tripwire("install", "claude-code", "--project").returncode == 0
    results = rig.run("look around", *turns)
    assert [text_of(r) for r in results if r.get("is_error")] == []
    assert {name: shown(rig, name) for name in ROUTES} == dict.fromkeys(ROUTES, 1)


def test_an_edit_shows_it_before_the_file_changes(rig):
    path = file(rig.project, "src/edit.txt")
    rule(rig.project, "edit", "src/edit.txt", "repeat: always\n")
    assert rig.tripwire("install", "claude-code", "--project").returncode == 0
    _, edited = rig.run("edit it", read(path), edit(path, "second", "changed"))
    assert not edited.get("is_error"), text_of(edited)
    assert shown(rig, "edit") == 2
    assert "changed line" in path.read_text()


def test_hits_of_a_search_and_mentions_show_it(rig):
    file(rig.project, "src/hit.txt")
    file(rig.project, "src/mentioned.txt")
    rule(rig.project, "hit", "src/hit.txt")
    rule(rig.project, "mentioned", "src/mentioned.txt")
    assert rig.tripwire("install", "claude-code", "--project").returncode == 0
    rig.run("see @src/mentioned.txt", bash("grep -rl 'text of src/hit' ."))
    assert (shown(rig, "hit"), shown(rig, "mentioned")) == (1, 1)


def test_a_changed_tripwire_is_shown_again(rig):
    path = file(rig.project, "src/again.txt")
    (rig.project / ".tripwirerc.yml").write_text("repeat: changed\n")
    rule(rig.project, "again", "src/again.txt")
    rule(rig.project, "once", "src/again.txt")
    assert rig.tripwire("install", "claude-code", "--project").returncode == 0
    # What changes it is no agent, so it is done where no hook sees it: by a script of the project.
    script = rig.project / "change.sh"
    script.write_text("sed -i s/ADVICE-again[.]/ADVICE-again.NEW/ .tripwires/again.yml\n")
    rig.run("go", read(path), bash("sh change.sh"), bash(f"cat {path}"))
    assert (shown(rig, "again"), shown(rig, "once")) == (2, 1)


def test_strict_denies_with_the_tool_and_the_retry_through_the_server_shows_it(rig):
    path = file(rig.project, "src/strict.txt")
    (rig.project / ".tripwirerc.yml").write_text("enforcement_mode: strict\n")
    rule(rig.project, "strict", "src/strict.txt")
    server = {
        "command": sys.executable,
        "args": ["-m", "tripwire", "serve", "--project", str(rig.project)],
        "env": {"PYTHONPATH": str(ROOT / "src")},
    }
    (rig.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"tripwire": server}}))
    settings = rig.project / ".claude" / "settings.json"
    allowed = json.loads(settings.read_text())
    allowed["permissions"]["allow"].append("mcp__tripwire__read_file")
    settings.write_text(json.dumps(allowed))
    assert rig.tripwire("install", "claude-code", "--project").returncode == 0
    served = {"tool": "mcp__tripwire__read_file", "input": {"path": str(path)}}
    denied, answered = rig.run("read it", read(path), served)
    assert denied["is_error"]
    assert "mcp__tripwire__read_file" in text_of(denied)
    assert json.dumps(str(path))[1:-1] in text_of(denied)
    assert not answered.get("is_error"), text_of(answered)
    assert "ADVICE-strict." in text_of(answered)
    assert "second line" in text_of(answered)


# ── Codex ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def codex():
    """The client's binary."""
    if not (RIGS / "scripted_model.py").exists():
        pytest.skip(f"no scripted model in {RIGS} (TRIPWIRE_RIGS)")
    folder = ROOT / ".build" / f"codex-{CODEX}"
    binary = folder / CODEX_BINARY
    if not binary.exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        words = ["npm", "pack", f"@openai/codex@{CODEX}-linux-x64", "--silent"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"the client cannot be downloaded: {done.stderr.strip()[:200]}")
        subprocess.run(["tar", "xzf", done.stdout.strip()], cwd=folder, check=True)
    return binary


class OtherRig:
    """One project, one home, one scripted conversation of a client that is not Claude Code."""

    def __init__(self, tmp: Path) -> None:
        self.tmp, self.port = tmp, free_port()
        self.project, self.home, self.state = tmp / "project", tmp / "home", tmp / "state"
        self.log = tmp / "requests.jsonl"
        for folder in (self.project, self.home):
            folder.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TRIPWIRE_HOME": str(self.state),
        }

    tripwire = Rig.tripwire
    _await_port = Rig._await_port

    def run(self, words, *turns):
        """The requests that the model got."""
        script = self.tmp / "turns.json"
        script.write_text(json.dumps([*turns, {"text": "done"}]))
        flags = ["--port", str(self.port), "--script", str(script), "--log", str(self.log)]
        model = subprocess.Popen([sys.executable, str(RIGS / "scripted_model.py"), *flags])
        try:
            self._await_port()
            done = subprocess.run(
                words,
                cwd=self.project,
                env=self.env,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        finally:
            model.kill()
            model.wait()
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line)["body"] for line in self.log.read_text().splitlines()]

    def close(self):
        resident.end(self.state, wait=1.0)


class CodexRig(OtherRig):
    """Codex, which takes hooks only once they are trusted: the flag stands for the person."""

    def __init__(self, tmp: Path, codex: Path) -> None:
        super().__init__(tmp)
        self.codex = codex
        self.env["CODEX_HOME"] = str(self.home)
        (self.home / "config.toml").write_text(
            'model = "m"\nmodel_provider = "rig"\napproval_policy = "never"\n'
            'sandbox_mode = "danger-full-access"\n'
            f'[model_providers.rig]\nname = "rig"\nbase_url = "http://127.0.0.1:{self.port}"\n'
            f'wire_api = "responses"\n[projects."{self.project}"]\ntrust_level = "trusted"\n'
        )

    def say(self, prompt, *turns):
        """The items of the longest request."""
        flags = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        bodies = self.run([str(self.codex), "exec", *flags, prompt], *turns)
        return max((body["input"] for body in bodies), key=len)


@pytest.fixture
def codex_rig(tmp_path, codex):
    made = CodexRig(tmp_path, codex)
    yield made
    made.close()


def command(text):
    return {"tool": "exec_command", "input": {"cmd": text}}


def test_every_shell_route_of_codex_shows_the_text_once_and_stops_nothing(codex_rig):
    commands = {
        "cat": "cat src/cat.txt",
        "sed": "sed -n 1,2p src/sed.txt",
        "grep": "grep -n text src/grep.txt",
        "redirect": "echo x > src/redirect.txt",
    }
    for name in commands:
        if name != "redirect":
            file(codex_rig.project, f"src/{name}.txt")
        rule(codex_rig.project, name, f"src/{name}.txt")
    (codex_rig.project / "src").mkdir(exist_ok=True)
    assert codex_rig.tripwire("install", "codex", "--project").returncode == 0
    turns = [command(text) for text in commands.values() for _ in (1, 2)]
    items = codex_rig.say("look around", *turns)
    told = json.dumps([i for i in items if i.get("role") == "developer"])
    assert {name: told.count(f"ADVICE-{name}.") for name in commands} == dict.fromkeys(commands, 1)
    outputs = [i["output"] for i in items if i["type"] == "function_call_output"]
    assert len(outputs) == len(turns)
    assert not any("Tripwire" in output for output in outputs)


def test_a_mention_in_codex_shows_it_with_the_prompt(codex_rig):
    file(codex_rig.project, "src/a.txt")
    rule(codex_rig.project, "mentioned", "src/a.txt")
    assert codex_rig.tripwire("install", "codex", "--project").returncode == 0
    items = codex_rig.say("see @src/a.txt", command("cat src/a.txt"))
    assert json.dumps(items).count("ADVICE-mentioned.") == 1


def test_a_question_is_a_refusal_in_codex_and_nothing_runs(codex_rig):
    rule(codex_rig.project, "keys", "src/**")
    assert codex_rig.tripwire("install", "codex", "--project").returncode == 0
    items = codex_rig.say("break it", command("echo x > .tripwires/keys.yml"))
    assert "ADVICE-keys." in (codex_rig.project / ".tripwires" / "keys.yml").read_text()
    assert "read/authority" in json.dumps(items)


# ── Gemini CLI ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def gemini():
    """The client's script."""
    if not (RIGS / "scripted_model.py").exists():
        pytest.skip(f"no scripted model in {RIGS} (TRIPWIRE_RIGS)")
    folder = ROOT / ".build" / f"gemini-{GEMINI}"
    script = folder / "node_modules" / "@google" / "gemini-cli" / "bundle" / "gemini.js"
    if not script.exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        words = ["npm", "i", "--silent", f"@google/gemini-cli@{GEMINI}"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"the client cannot be downloaded: {done.stderr.strip()[:200]}")
    return script


class GeminiRig(OtherRig):
    """Gemini CLI with a fake key."""

    def __init__(self, tmp: Path, script: Path) -> None:
        super().__init__(tmp)
        self.script = script
        self.env |= {
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{self.port}",
            "GEMINI_API_KEY": "fake",
        }
        (self.home / ".gemini").mkdir()
        auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (self.home / ".gemini" / "settings.json").write_text(json.dumps(auth))

    def say(self, prompt, *turns):
        """The contents of the longest request."""
        words = ["node", str(self.script), "-p", prompt, "--yolo", "-m", "gemini-2.5-flash"]
        bodies = self.run(words, *turns)
        return max((body.get("contents", []) for body in bodies), key=len)


@pytest.fixture
def gemini_rig(tmp_path, gemini):
    made = GeminiRig(tmp_path, gemini)
    yield made
    made.close()


def answers(contents):
    """What the model was shown of each of its calls."""
    parts = [part for content in contents for part in content["parts"]]
    return [json.dumps(p["functionResponse"]) for p in parts if "functionResponse" in p]


def test_gemini_shows_it_with_the_result(gemini_rig):
    file(gemini_rig.project, "src/read.txt")
    file(gemini_rig.project, "src/cat.txt")
    for name in ("read", "cat"):
        rule(gemini_rig.project, name, f"src/{name}.txt")
    assert gemini_rig.tripwire("install", "gemini", "--project").returncode == 0
    read_, cat = answers(
        gemini_rig.say(
            "look around",
            {"tool": "read_file", "input": {"file_path": "src/read.txt"}},
            {"tool": "run_shell_command", "input": {"command": "cat src/cat.txt"}},
        )
    )
    assert "second line" in read_
    assert "ADVICE-read." in read_
    assert "second line" in cat
    assert "ADVICE-cat." in cat


def test_gemini_under_strict_is_denied_the_raw_read(gemini_rig):
    file(gemini_rig.project, "src/a.txt")
    rule(gemini_rig.project, "strict", "src/a.txt")
    (gemini_rig.project / ".tripwirerc.yml").write_text("enforcement_mode: strict\n")
    (gemini_rig.project / ".gemini").mkdir()
    servers = {"mcpServers": {"tripwire": {"command": sys.executable, "args": ["-c", "pass"]}}}
    (gemini_rig.project / ".gemini" / "settings.json").write_text(json.dumps(servers))
    assert gemini_rig.tripwire("install", "gemini", "--project").returncode == 0
    turn = {"tool": "read_file", "input": {"file_path": "src/a.txt"}}
    (denied,) = answers(gemini_rig.say("read it", turn))
    assert "mcp__tripwire__read_file" in denied
    assert "second line" not in denied
