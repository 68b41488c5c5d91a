import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.act.rules.sessions import policy_of

from tripwire.act.paths import PathContext, PathList, is_project_root, is_root, path_kinds, resolve

HERE = PathContext("/r", "/home/me", {"docs/note": "/r/.git/hooks/x"}, "/r")
KINDS = path_kinds(policy_of(None).flow.paths, "/home/me")


def test_resolve():
    assert resolve("a/../b.py", HERE) == ("/r/b.py",)
    assert resolve("~/.ssh/id_rsa", HERE) == ("/home/me/.ssh/id_rsa",)
    assert resolve("docs/note", HERE) == ("/r/docs/note", "/r/.git/hooks/x")
    assert resolve("file:///etc/passwd", HERE) == ("/etc/passwd",)
    assert resolve("//etc//passwd", HERE) == ("/etc/passwd",)


@pytest.mark.parametrize(
    "path",
    ["/r/.env", "/r/.env.local", "/r/.e*", "/r/.en?", "/home/me/.aws/config", "/home/me/.aws/*",
     "/home/*/.ssh/id_rsa", "/r/prod.env", "/r/client_secret.json", "/r/id_ed25519", "/r/*.pem",
     "/proc/self/environ", "/home/me/.netrc", "/r/cred*", "/r/?(", "/r/.en?(", "/r/?(a", "/r/!(a)*"],
)  # fmt: skip
def test_secret(path):
    assert KINDS.secret.has(path)


@pytest.mark.parametrize(
    "path",
    ["/r/.env.example", "/r/app.py", "/r/*", "/r/*.py", "/r/test_secrets.py", "/r/secret-santa.md",
     "/home/me/.ssh/known_hosts", "/r/docs/**", "/r/environment.yml"],
)  # fmt: skip
def test_not_secret(path):
    assert not KINDS.secret.has(path)


@pytest.mark.parametrize(
    "path",
    ["/r/.github/workflows/ci.yml", "/r/.gitlab-ci.yml", "/r/.git/config", "/r/.git/hooks/pre-push",
     "/home/me/.zshenv", "/etc/cron.d/x", "/home/me/.local/bin/git", "/home/me/.claude.json",
     "/r/.vscode/tasks.json", "/r/CLAUDE.md", "/r/.mcp.json", "/r/.cursor/rules/x.md"],
)  # fmt: skip
def test_exec(path):
    assert KINDS.exec.has(path)


def test_own_state():
    assert KINDS.own_state.has("/home/me/.local/state/tripwire/sessions/*.json")
    assert KINDS.own_state.has("/r/tripwire.yaml")
    assert KINDS.own_state.below("/home/me/.claude")
    assert not KINDS.own_state.below("/r/src")
    assert not KINDS.own_state.has("/r/src/tripwire/engine.py")


@pytest.mark.parametrize(
    "path", ["/", "/*", "/home/me", "/home/me/*", "/usr", "/home/other", "/etc"]
)
def test_roots(path):
    assert is_root(path, HERE)


@pytest.mark.parametrize("path", ["/r/src", "/tmp/x", "/home/me/project"])
def test_no_roots(path):
    assert not is_root(path, HERE)


def test_project_root():
    assert is_project_root("/r", HERE)
    assert is_project_root("/r/.git", HERE)
    assert not is_project_root("/r/build", HERE)


@given(st.text(max_size=60))
def test_any_path_resolves_to_absolute_ones(path):
    for found in resolve(path, HERE):
        assert found.startswith("/")
        assert "/../" not in f"{found}/"
        KINDS.secret.has(found)


@pytest.mark.parametrize("path", ["/r/x?((/y", "/r/?(", "/r/[z-a]/*", "/r/!(", "/r/*(a|"])
def test_a_path_that_is_no_valid_pattern_has_an_answer(path):
    for kinds in (KINDS.secret, KINDS.exec, KINDS.own_state, KINDS.scratch, KINDS.fixture):
        assert isinstance(kinds.has(path), bool)
    assert not KINDS.scratch.surely_has(path)
    assert not KINDS.fixture.surely_has(path)


def test_only_what_all_matches_stand_in_loosens():
    scratch, fixture = KINDS.scratch, KINDS.fixture
    assert scratch.surely_has("/tmp/job/*")
    assert scratch.surely_has("/r/src/__pycache__/*.pyc")
    assert not scratch.surely_has("/r/*")
    assert fixture.surely_has("/r/tests/fixtures/*")
    assert not fixture.surely_has("/r/t*/data/key")
    assert not fixture.surely_has("/r/.e*")
    public = PathList(["/r/docs/**", "!/r/docs/private/**"], "/home/me")
    assert public.surely_has("/r/docs/a.md")
    assert not public.surely_has("/r/docs/private/a.md")
    assert not public.surely_has("/r/docs/*/a.md")
