"""The command line as a whole: verbs, help, exit codes, messages, and what is imported."""

import subprocess
import sys

import pytest

from tripwire.cli.main import VERBS, main

pytestmark = pytest.mark.usefixtures("machine")


def test_help_and_version(run):
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert all(f"  {verb}" in out for verb in [*VERBS, "hook"])
    assert run("--version")[1].startswith("tripwire 0.")


def test_no_words_shows_the_help_and_is_a_usage_error(run):
    code, out, _ = run()
    assert code == 2
    assert out.startswith("Usage: tripwire VERB")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(run, verb):
    code, out, err = run(verb, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: tripwire {verb}")
    assert len(out.splitlines()) > 2


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_option_is_a_usage_error(run, verb):
    code, out, err = run(verb, "--bogus-option")
    assert (code, out) == (2, "")
    assert err.startswith(f"tripwire: {verb}: unknown option: --bogus-option")
    assert f"; `tripwire {verb} --help` says more." in err


def test_an_unknown_verb_names_the_nearest(run):
    code, out, err = run("chek")
    assert (code, out) == (2, "")
    assert err == 'tripwire: no verb "chek"; did you mean "check"?\n'
    assert "`tripwire --help` lists the verbs" in run("zzzzzzz")[2]


def test_an_error_with_json_is_one_object(run_json):
    code, found = run_json("check", "-c", "gone.yaml")
    assert code == 2
    assert found["ok"] is False
    assert found["error"]["where"] == "gone.yaml"
    assert found["error"]["what"] == "no such file"
    assert found["errors"] == [found["error"]]


def test_all_faults_of_a_file_are_on_stderr_one_per_line(run, machine):
    (machine / "tripwire.yaml").write_text("rulez: 1\nflwo: 2\n")
    code, out, err = run("check")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        'tripwire: tripwire.yaml:1:1: rulez: unknown key; did you mean "rules"?',
        'tripwire: tripwire.yaml:2:1: flwo: unknown key; did you mean "flow"?',
    ]


def test_python_m_tripwire_is_the_same_command():
    done = subprocess.run(
        [sys.executable, "-m", "tripwire", "chek"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith('tripwire: no verb "chek"')


def test_a_closed_pipe_ends_without_a_traceback():
    words = f"{sys.executable} -m tripwire --help | true"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_hook_imports_neither_cyclopts_nor_rich_nor_yaml():
    code = (
        "import sys; from tripwire.cli.main import main; main(['hook']);"
        "print(sorted({'cyclopts', 'rich', 'yaml', 'mcp', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]"


def test_hook_without_client_is_exit_2_not_1():
    assert main(["hook"]) == 2


def test_a_bug_in_a_verb_is_reported_without_its_values(run, machine, monkeypatch):
    from tripwire.cli import policy_file

    def broken(*_, **__):
        raise ValueError("canary-secret")

    (machine / "tripwire.yaml").write_text("flow: {}\n")
    monkeypatch.setattr(policy_file, "load_policy", broken)
    code, _, err = run("check")
    assert code == 2
    assert "internal error: ValueError" in err
    assert "canary-secret" not in err
