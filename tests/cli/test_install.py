"""`tripwire install` and `uninstall` in a home of their own: what is written, refused, restored."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tripwire.cli.main import main
from tripwire.config.load import load_policy
from tripwire.io import daemon as resident

SRC = Path(__file__).parents[2] / "src"


class Home:
    """A home, a project and a state directory; verbs run in this process, as in the real one."""

    def __init__(self, tmp: Path, monkeypatch, capsys) -> None:
        self.home, self.project = tmp / "home", tmp / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.settings = self.project / ".claude" / "settings.json"
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.state = tmp / "state"
        for name in [name for name in os.environ if name not in ("PATH", "PYTHONPATH")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PYTHONPATH", str(SRC))
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.chdir(self.project)

    def run(self, *words):
        self.monkeypatch.setenv("TRIPWIRE_HOME", str(self.state))
        self.capsys.readouterr()
        code = main(list(words))
        printed = self.capsys.readouterr()
        return subprocess.CompletedProcess(words, code, printed.out, printed.err)

    def write(self, text):
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_text(text)


@pytest.fixture
def home(tmp_path, monkeypatch, capsys):
    made = Home(tmp_path, monkeypatch, capsys)
    yield made
    resident.end(made.state, wait=2.0)


def test_install_proves_itself_and_uninstall_restores(home):
    before = '{\n  // mine\n  "model": "opus",\n}\n'
    home.write(before)
    done = home.run("install", "claude-code", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["round_trip"] is True
    assert facts["settings"] == str(home.settings)
    assert "// mine" in home.settings.read_text()
    assert home.settings.with_name("settings.json.bak").read_text() == before
    again = home.run("install", "claude-code")
    assert again.returncode == 0
    assert home.run("uninstall", "claude-code").returncode == 0
    assert home.settings.read_text() == before
    assert [p.name for p in home.settings.parent.iterdir()] == ["settings.json"]


def test_what_was_not_there_is_not_there_afterwards(home):
    assert home.run("install", "claude-code", "--user").returncode == 0
    settings = home.home / ".claude" / "settings.json"
    assert "PreToolUse" in json.loads(settings.read_text())["hooks"]
    assert list(home.home.rglob("tripwire.yaml"))
    assert home.run("uninstall", "claude-code", "--user").returncode == 0
    assert list(home.home.iterdir()) == []
    assert json.loads(home.run("uninstall", "claude-code", "--json").stdout)["removed"] is False


def test_changes_made_since_are_kept(home):
    home.write('{"model": "opus"}')
    assert home.run("install", "claude-code").returncode == 0
    data = json.loads(home.settings.read_text())
    data["model"] = "other"
    home.settings.write_text(json.dumps(data))
    assert home.run("uninstall", "claude-code").returncode == 0
    assert json.loads(home.settings.read_text()) == {"model": "other"}


def test_dry_run_and_print_write_nothing(home):
    for flag in ("--dry-run", "--print"):
        done = home.run("install", "claude-code", flag)
        assert done.returncode == 0
        handler = json.loads(done.stdout)["hooks"]["PreToolUse"][0]["hooks"][0]
        assert Path(handler["command"]).is_absolute()
        assert Path(handler["args"][2]).is_absolute()
    assert list(home.project.iterdir()) == []
    assert not home.state.exists()


def test_unreadable_settings_are_left_and_the_snippet_printed(home):
    home.write('{"model": ')
    done = home.run("install", "claude-code")
    assert done.returncode == 2
    assert "not JSON" in done.stderr
    assert str(home.settings) in done.stderr
    assert '"onFailure": "block"' in done.stderr
    assert home.settings.read_text() == '{"model": '
    assert home.run("uninstall", "claude-code").returncode == 2


def test_a_link_that_leads_out_is_refused(home, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home.project / ".claude").symlink_to(elsewhere)
    done = home.run("install", "claude-code")
    assert done.returncode == 2
    assert "outside of your home" in done.stderr
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("where", ["settings.json", "settings.local.json"])
def test_hooks_that_are_switched_off_are_no_protection(home, where):
    home.write("{}")
    (home.project / ".claude" / where).write_text('{"disableAllHooks": true}')
    done = home.run("install", "claude-code")
    assert done.returncode == 2
    assert "disableAllHooks" in done.stderr
    assert "PreToolUse" not in home.settings.read_text()


def test_a_broken_policy_is_named_before_anything_is_written(home):
    (home.project / "tripwire.yaml").write_text("flow:\n  mode: enfroce\n")
    done = home.run("install", "claude-code")
    assert done.returncode == 2
    assert "tripwire.yaml:2" in done.stderr
    assert not home.settings.exists()


def test_monitor_writes_a_policy_that_only_watches(home):
    done = home.run("install", "claude-code", "--monitor")
    assert done.returncode == 0, done.stderr
    policy = home.project / "tripwire.yaml"
    assert "mode: monitor" in policy.read_text()
    policy.write_text("flow:\n  mode: enforce\n")
    assert home.run("install", "claude-code", "--monitor").returncode == 2
    assert "enforce" in policy.read_text()


def test_a_cloned_repository_cannot_switch_a_user_level_guard_off(home):
    (home.project / "tripwire.yaml").write_text(
        "flow: {mode: monitor, ask_fallback: unsafe_allow, trusted_urls: ['https://evil.example/*']}\n"
    )
    assert home.run("install", "claude-code", "--user").returncode == 0
    config = next(home.home.rglob("tripwire.yaml"))
    policy = load_policy(None, project=home.project, user=config).flow
    assert (policy.mode, policy.unsafe_allow_unanswered, policy.trusted_urls) == (
        "enforce",
        False,
        (),
    )


def test_two_scopes_or_another_client_are_usage_errors(home):
    assert home.run("install", "claude-code", "--user", "--project").returncode == 2
    assert home.run("install", "emacs").returncode == 2


def test_the_daemon_verb(home):
    assert home.run("daemon", "status", "--json").returncode == 1
    started = home.run("daemon", "start", "--json")
    assert started.returncode == 0, started.stderr
    facts = json.loads(started.stdout)
    assert facts["running"] is True
    assert json.loads(home.run("daemon", "start", "--json").stdout)["pid"] == facts["pid"]
    assert json.loads(home.run("daemon", "stop", "--json").stdout)["stopped"] is True
    assert home.run("daemon", "status").returncode == 1


def test_the_slow_hook_verb_is_the_same_and_never_exits_1(home):
    stop = b'{"hook_event_name": "Stop", "session_id": "s"}'
    env = {"PATH": os.environ["PATH"], "TRIPWIRE_HOME": str(home.state), "PYTHONPATH": str(SRC)}
    for words, event, code in (
        (["claude-code"], stop, 0),
        (["claude-code"], b"{", 2),
        (["codex"], b'{"hook_event_name": "PreToolUse", "session_id": "s"}', 2),
        ([], b"", 2),
        (["--help"], b"", 2),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "tripwire", "hook", *words],
            input=event,
            capture_output=True,
            env=env,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (code, b""), done.stderr


def test_the_state_directory_is_for_its_owner_alone_from_the_start(home):
    home.state = home.home / "deep" / "state"
    assert home.run("install", "claude-code").returncode == 0
    assert home.state.stat().st_mode & 0o077 == 0
    resident.end(home.state, wait=2.0)


def test_a_dry_run_says_which_file_it_shows(home):
    done = home.run("install", "claude-code", "--dry-run")
    assert f"{home.settings} would become" in done.stderr
    assert json.loads(done.stdout)["hooks"]


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_a_settings_file_that_cannot_be_written_is_named(home, verb):
    (home.project / ".claude").write_text("in the way")
    done = home.run(verb, "claude-code")
    assert done.returncode == 2
    assert str(home.settings) in done.stderr
    assert "internal error" not in done.stderr


def test_uninstall_takes_the_policy_that_only_watches_along(home):
    policy = home.project / "tripwire.yaml"
    assert home.run("install", "claude-code", "--monitor").returncode == 0
    assert "mode: monitor" in policy.read_text()
    assert home.run("uninstall", "claude-code").returncode == 0
    assert not policy.exists()
    assert home.project.is_dir()
    home.run("install", "claude-code", "--monitor")
    policy.write_text(policy.read_text() + "  ask_fallback: block\n")
    home.run("uninstall", "claude-code")
    assert policy.exists()
