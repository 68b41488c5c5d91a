"""Spellings of paths against the file server: nothing outside the project is served or written."""

import os
import signal
import socket
import stat
import threading
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tripwire.config.presets import builtin_policy
from tripwire.doors.mcp_server.file_server import Ask, FileServer
from tripwire.errors import AuthoringRefused, FileRefused
from tripwire.io import project_files, tripwire_files
from tripwire.io.session import open_session
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.event import SessionOpened

CANARY = "CANARY-of-outside"
NAME = "canary-name.txt"
CAFE = "caf\u00e9"
HUMAN = 'triggers: ["src/**", "link-in/**"]\ncontext: "Known."\ncreated_by: human\n'
LOOKS = (
    'triggers: ["**"]\ncontext: "Met."\ncreated_by: human\n'
    f'match_content: {{keywords: ["{CANARY}"]}}\n'
)
INSIDE = {"src/a.ts": "INSIDE a\n", f"{CAFE}.md": "INSIDE cafe\n", "src/%2e%2e": "INSIDE odd\n"}


def outside_of(base):
    """A neighbour whose name begins like the project's, a home, and a place links lead to."""
    for folder in ("project-evil", "outside", "outside/deep"):
        (base / folder).mkdir()
        (base / folder / NAME).write_text(CANARY)


def project_in(base):
    root = base / "project"
    (root / "src").mkdir(parents=True)
    (root / "~").mkdir()
    for name, text in INSIDE.items():
        (root / name).write_text(text)
    (root / ".tripwires").mkdir()
    (root / ".tripwires" / "known.yml").write_text(HUMAN)
    (root / ".tripwires" / "looks.yml").write_text(LOOKS)
    links = {
        "link-out": "../outside",
        "link-file": f"../outside/{NAME}",
        "link-in": "src",
        "link-zero": "/dev/zero",
        "link-env": "/proc/self/environ",
        "link-root": "/",
        "link-cwd": "/proc/self/cwd",
        "loop": "loop",
        "src/up": "../..",
        "nowhere": "missing",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    return root


def snapshot(base):
    """Every file and directory below `base` but the project: names, sizes, times of change."""
    found = {}
    for folder in ("project-evil", "outside", "outside/deep"):
        for entry in os.scandir(base / folder):
            seen = entry.stat(follow_symlinks=False)
            found[entry.path] = (seen.st_size, seen.st_mtime_ns, seen.st_ino)
    return found, sorted(os.listdir(base))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    base = tmp_path_factory.mktemp("fuzz").resolve()
    outside_of(base)
    project_in(base)
    (base / "state").mkdir()
    return base


@pytest.fixture(scope="module")
def server(base):
    made = serving(base)
    yield made
    made.session.close()


def serving(base):
    root = base / "project"
    opened = SessionOpened("mcp_server", str(root))
    session = open_session(
        builtin_policy(), root=base / "state", name="s", client="mcp", fresh=opened
    )
    return FileServer(session, root, TripwireFolder(root), "c", home=str(base / "outside"))


@pytest.fixture(autouse=True)
def _no_hang():
    """What hangs is interrupted, and fails."""

    def late(*_):
        raise TimeoutError("the server hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


SEGMENTS = st.sampled_from(
    (
        *("..", ".", "", "src", "a.ts", "up", "link-out", "link-file", "link-in", "link-root"),
        *("link-cwd", "link-env", "link-zero", "loop", "nowhere", "pipe", "outside", "deep", NAME),
        *("project", "project-evil", "~", "%2e%2e", "%2E%2E%2f", "..%c0%af", "..;", "..\u2024"),
        *("\uff0e\uff0e", "\u2025", "\u2215", "CON", "NUL", "a.ts.", "a.ts ", "a.ts::$DATA"),
        *("SRC", "A.TS", f"{CAFE}.md", unicodedata.normalize("NFD", f"{CAFE}.md"), "...", ".. "),
        *("dev", "zero", "proc", "self", "environ", "fd", "0", "root", "etc", "passwd"),
        *(". .", ".tripwires"),
    )
) | st.text(max_size=8)
STARTS = st.sampled_from(
    (
        *("", "", "/", "//", "\\", "~/", "~root/", "file://", "file:", "FILE:///"),
        *("file://localhost/", "file://evil/", "{root}/", "{root}\\", "{base}/", "{root}-evil/"),
        *("file://{root}/", "file://{base}/", "file://{root}/../", "C:\\", "\\\\?\\"),
        *("\\\\server\\", "/proc/self/root/", "/proc/self/cwd/", "/dev/fd/", "{root}/./../"),
    )
)
ENDS = st.sampled_from(
    ("", "", "", "/", "/.", "\\", "\0", "%00", "?a", "#L1", " ", ".", "x" * 5000)
)
SLASHES = st.sampled_from(("/", "/", "\\", "//", "/./", "\\/", "%2f", "%5c", "/../"))


@st.composite
def spellings(draw):
    start = draw(STARTS)
    parts = draw(st.lists(SEGMENTS, max_size=6))
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += draw(SLASHES) + part
    return start + text + draw(ENDS)


CALLS = {
    "read_file": lambda path: {"path": path},
    "read part": lambda path: {"path": path, "offset": 1, "limit": 3},
    "list_directory": lambda path: {"path": path},
    "file_stat": lambda path: {"path": path},
    "check_tripwires": lambda path: {"path": path},
    "explain": lambda path: {"path": path},
    "list_tripwires": lambda path: {"path": path},
    "search_files": lambda path: {"pattern": path},
    "create_tripwire": lambda path: {
        "name": path, "triggers": [path], "context": "c", "learned_from": "l", "force": True,
    },
    "edit_tripwire": lambda path: {"name": path, "tags": ["t"], "depends_on": [path]},
    "deactivate_tripwire": lambda path: {"name": path},
    "reactivate_tripwire": lambda path: {"name": path},
}  # fmt: skip


def attacked(base, server, call, spelling):
    """One call; fails if anything of outside comes back or changes."""
    root = base / "project"
    path = spelling.replace("{root}", str(root)).replace("{base}", str(base))
    before = snapshot(base)
    given_out = server.call(call.replace("read part", "read_file"), CALLS[call](path))
    if isinstance(given_out, Ask):
        return
    text = "\n".join(given_out.blocks)
    assert CANARY not in text
    assert NAME in path or NAME not in text
    assert "root:x:0" not in text
    assert "Met." not in text or call in ("explain", "check_tripwires", "list_tripwires")
    if call in ("read_file", "read part", "list_directory", "file_stat") and not given_out.is_error:
        real = real_of(root, path)
        assert real == str(root) or real.startswith(f"{root}/")
        if call.startswith("read"):
            lines = Path(real).read_text("utf-8").splitlines(keepends=True)
            assert text.endswith("".join(lines[:3] if call == "read part" else lines))
    assert snapshot(base) == before
    assert set(os.listdir(root)) - {".tripwires"} == names_of(root)


def names_of(root):
    return {"src", "~", "pipe", f"{CAFE}.md", "loop", "nowhere"} | {
        name for name in os.listdir(root) if name.startswith("link-")
    }


def real_of(root, path):
    """What a path that was served names, by the system's own word."""
    return os.path.realpath(root / project_files.located(root, path).real)


def fuzz(examples):
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@fuzz(60)
@given(call=st.sampled_from(sorted(CALLS)), spelling=spellings())
@example("read_file", f"../outside/{NAME}")
@example("read_file", f"link-out/{NAME}")
@example("read_file", f"{{root}}-evil/{NAME}")
@example("read_file", f"src/up/outside/{NAME}")
@example("read_file", f"file://{{root}}/%2e%2e/outside/{NAME}")
@example("read_file", f"~/{NAME}")
@example("read_file", "pipe")
@example("read_file", "link-zero")
@example("read part", "/dev/zero")
@example("list_directory", "src/up/outside")
@example("file_stat", "/dev/fd/0")
@example("search_files", "../**")
@example("search_files", "link-out/**")
@example("create_tripwire", "../../outside/x")
@example("deactivate_tripwire", f"../../outside/{NAME}")
def test_no_spelling_of_a_path_leads_outside(base, server, call, spelling):
    attacked(base, server, call, spelling)


@pytest.mark.slow
@fuzz(3_000)
@given(call=st.sampled_from(sorted(CALLS)), spelling=spellings())
def test_no_spelling_of_a_path_leads_outside_deeply(base, server, call, spelling):
    attacked(base, server, call, spelling)


@pytest.mark.parametrize("name", ["pipe", "socket", "device", "link-to-pipe"])
@pytest.mark.parametrize("tool", ["read_file", "file_stat", "explain", "list_directory"])
def test_what_is_no_regular_file_does_not_hang(tmp_path, tool, name):
    server = fresh(tmp_path)
    root = tmp_path / "project"
    (root / "link-to-pipe").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        before = os.getcwd()
        os.chdir(root)  # the name of a socket may not be long
        bound.bind("socket")
        os.chdir(before)
    try:
        os.mknod(root / "device", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except OSError:
        if name == "device":
            pytest.skip("this user may not make devices")
    found = server.call(tool, {"path": name})
    server.session.close()
    assert found.is_error == (tool in ("read_file", "list_directory")), found.blocks
    if tool == "read_file":
        assert "no regular file" in found.blocks[0]


def fresh(tmp_path):
    outside_of(tmp_path)
    project_in(tmp_path)
    (tmp_path / "state").mkdir()
    return serving(tmp_path)


def test_pipes_where_rules_are_expected_do_not_hang(tmp_path):
    root = tmp_path / "project"
    server = fresh(tmp_path)
    os.mkfifo(root / ".tripwires" / "pipe.yml")
    os.mkfifo(root / ".tripwirerc.yml")
    os.mkfifo(root / "tripwire.yaml")
    found = server.call("read_file", {"path": "src/a.ts"})
    server.session.close()
    assert found.blocks[0].endswith("INSIDE a\n")
    assert "pipe.yml" in found.blocks[0]  # said, not swallowed


def test_a_pipe_is_not_even_opened(tmp_path):
    """Opening it would wake whoever waits for a reader."""
    server = fresh(tmp_path)
    server.call("read_file", {"path": "pipe"})
    server.session.close()
    with pytest.raises(OSError, match="No such device"):
        os.open(tmp_path / "project" / "pipe", os.O_WRONLY | os.O_NONBLOCK)


def test_miss_a_hard_link_is_a_file_of_the_project(tmp_path):
    """Documented: nothing tells it from any other file."""
    server = fresh(tmp_path)
    os.link(tmp_path / "outside" / NAME, tmp_path / "project" / "hard.txt")
    found = server.call("read_file", {"path": "hard.txt"})
    server.session.close()
    assert found.blocks[0].endswith(CANARY)


# ── links that are swapped in between looking and opening ───────────────────────────────────


def swapped(monkeypatch, module, name, before_it):
    """`module.name` as it is, and after it has looked, somebody acts."""
    honest = getattr(module, name)

    def looked(*args, **kwargs):
        found = honest(*args, **kwargs)
        before_it()
        return found

    monkeypatch.setattr(module, name, looked)


@pytest.fixture
def torn(tmp_path):
    """A project whose `src` becomes a link to a directory outside; and what does it."""
    outside_of(tmp_path)
    root = project_in(tmp_path)
    (root / "src" / NAME).write_text("INSIDE")

    def swap():
        (root / "src").rename(root / "was")
        (root / "src").symlink_to("../outside")

    return root, swap


@pytest.mark.parametrize("path", [f"src/{NAME}", f"link-in/{NAME}"])
def test_a_directory_swapped_for_a_link_is_not_read(torn, monkeypatch, path):
    root, swap = torn
    swapped(monkeypatch, project_files, "path_forms", swap)
    with pytest.raises(FileRefused):
        project_files.read_file(root, path, offset=None, limit=None, max_bytes=100)


def test_a_file_swapped_for_a_link_is_not_read(torn, monkeypatch):
    root, _ = torn

    def swap():
        (root / "src" / NAME).unlink()
        (root / "src" / NAME).symlink_to(f"../../outside/{NAME}")

    swapped(monkeypatch, project_files, "path_forms", swap)
    with pytest.raises(FileRefused, match="changed meanwhile"):
        project_files.read_file(root, f"src/{NAME}", offset=1, limit=1, max_bytes=100)


def test_a_directory_swapped_for_a_link_is_not_listed(torn, monkeypatch):
    root, swap = torn
    swapped(monkeypatch, project_files, "path_forms", swap)
    with pytest.raises(FileRefused):
        project_files.list_directory(root, "src")


def test_of_a_directory_swapped_for_a_link_nothing_is_told(torn, monkeypatch):
    root, swap = torn
    swapped(monkeypatch, project_files, "path_forms", swap)
    with pytest.raises(FileRefused):
        project_files.file_stat(root, f"src/{NAME}")


def test_a_search_does_not_enter_a_directory_swapped_for_a_link(torn):
    root, swap = torn
    found = []
    for path in project_files.walk(root, lambda _: False):
        if not found:  # the top has been looked at, `src` is still to come
            swap()
        found.append(path)
    assert f"src/{NAME}" not in found


def test_a_tripwires_directory_swapped_for_a_link_is_not_written(tmp_path, monkeypatch):
    outside_of(tmp_path)
    root = project_in(tmp_path)
    before = snapshot(tmp_path)

    def swap():
        (root / ".tripwires").rename(root / "was")
        (root / ".tripwires").symlink_to("../outside")

    swapped(monkeypatch, tripwire_files, "_relative", swap)
    with pytest.raises((AuthoringRefused, OSError)), tripwire_files.locked(root, ".tripwires"):
        pytest.fail("the lock is on a directory outside")
    assert snapshot(tmp_path) == before


def test_a_directory_swapped_under_the_lock_is_not_written(tmp_path):
    outside_of(tmp_path)
    root = project_in(tmp_path)
    before = snapshot(tmp_path)
    with tripwire_files.locked(root, ".tripwires") as held:
        (root / ".tripwires").rename(root / "was")
        (root / ".tripwires").symlink_to("../outside")
        held.write("n.yml", b"x")
        assert held.read("n.yml", 10) == (b"x", "")
    assert snapshot(tmp_path) == before
    assert (root / "was" / "n.yml").read_bytes() == b"x"


@pytest.mark.parametrize("target", [f"../../outside/{NAME}", "../../outside/new.yml", "/dev/null"])
def test_a_link_in_the_directory_is_not_written_through_to_outside(tmp_path, target):
    outside_of(tmp_path)
    root = project_in(tmp_path)
    (root / ".tripwires" / "n.yml").symlink_to(target)
    before = snapshot(tmp_path)
    with tripwire_files.locked(root, ".tripwires") as held, pytest.raises(OSError):
        held.write("n.yml", b"x")
    assert snapshot(tmp_path) == before


@pytest.mark.slow
def test_a_link_that_flips_all_the_time_never_leads_outside(tmp_path):
    outside_of(tmp_path)
    root = project_in(tmp_path)
    (root / "src" / NAME).write_text("INSIDE")
    (root / "bait").symlink_to("../outside")
    done = threading.Event()

    def flip():
        while not done.is_set():
            (root / "src").rename(root / "real")
            (root / "bait").rename(root / "src")
            (root / "src").rename(root / "bait")
            (root / "real").rename(root / "src")

    flipping = threading.Thread(target=flip)
    flipping.start()
    seen = set()
    try:
        for _ in range(20_000):
            for work in (
                lambda: (
                    project_files.read_file(
                        root, f"src/{NAME}", offset=None, limit=None, max_bytes=100
                    ).text
                ),
                lambda: str(project_files.list_directory(root, "src")),
            ):
                try:
                    seen.add(work())
                except FileRefused:
                    seen.add("refused")
    finally:
        done.set()
        flipping.join()
    assert seen <= {"INSIDE", "refused", str(sorted([NAME, "a.ts", "%2e%2e", "up"]))}
    assert "INSIDE" in seen
