"""Tripwires from disk, and again when they change (CTX-1, CTX-2, CTX-5 to CTX-8, §2.2)."""

import os
import shutil
import time

import pytest

from tripwire.io import tripwires as module
from tripwire.io.tripwires import TripwireFolder, load
from tripwire.model.tripwire import ReadConfig

GOOD = 'triggers: ["src/**"]\ncontext: c\ncreated_by: human\n'


@pytest.fixture
def root(tmp_path):
    (tmp_path / ".tripwires").mkdir()
    return tmp_path


def put(root, name, text=GOOD):
    path = root / ".tripwires" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(rules):
    return [tripwire.name for tripwire in rules.tripwires]


def codes(rules):
    return [(problem.code, problem.file) for problem in rules.problems]


@pytest.fixture
def _settled(monkeypatch):
    """Files count as settled at once: ctime cannot be set back."""
    monkeypatch.setattr(module, "_SETTLED_NS", 0)


# ── which files ──────────────────────────────────────────────────────────────────────────────


def test_ctx_7_no_directory_is_no_tripwire_and_no_problem(tmp_path):
    rules = load(tmp_path)
    assert (names(rules), rules.problems, rules.config) == ([], (), ReadConfig())


def test_ctx_1_files_directly_inside_dotfiles_included(root):
    for name in ("b.yml", ".h.yml", "sub/c.yml", "drafts/d.yml", "README.md", "yml", "e.yml.bak"):
        put(root, name)
    (root / ".tripwires/dir.yml").mkdir()
    rules = load(root)
    assert (names(rules), codes(rules)) == (["b", "h"], [])


@pytest.mark.parametrize("name", ["a.yaml", "a.YML", "a.Yaml", "a.yAml"])
def test_ctx_2_a_misnamed_file_is_a_problem_of_its_paths(root, name):
    put(root, name)
    (problem,) = load(root).problems
    assert (problem.code, problem.file) == ("TW006", f".tripwires/{name}")
    assert problem.triggers == ("src/**",)
    assert problem.fix == "rename it to a.yml"


def test_ctx_1_a_link_inside_the_project_is_followed(root):
    (root / "real.yml").write_text(GOOD)
    (root / ".tripwires/l.yml").symlink_to("../real.yml")
    rules = load(root)
    assert (names(rules), codes(rules)) == (["l"], [])


def test_ctx_1_a_link_that_leaves_is_a_problem_and_nothing_is_read(root, tmp_path_factory):
    secret = tmp_path_factory.mktemp("outside") / "secret.yml"
    secret.write_text(GOOD.replace("context: c", "context: the secret text"))
    (root / ".tripwires/l.yml").symlink_to(secret)
    rules = load(root)
    assert (names(rules), codes(rules)) == ([], [("TW001", ".tripwires/l.yml")])
    assert "secret text" not in repr(rules.problems)


def test_ctx_2_links_to_nowhere_and_loops(root):
    (root / ".tripwires/n.yml").symlink_to("nowhere.yml")
    (root / ".tripwires/o.yml").symlink_to("o.yml")
    assert codes(load(root)) == [("TW006", ".tripwires/n.yml"), ("TW006", ".tripwires/o.yml")]


def test_a_pipe_or_device_is_a_problem_and_never_waited_for(root):
    os.mkfifo(root / ".tripwires/p.yml")
    assert codes(load(root)) == [("TW001", ".tripwires/p.yml")]


def test_a_file_without_permission_is_a_problem(root):
    put(root, "a.yml").chmod(0)
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    assert codes(load(root)) == [("TW001", ".tripwires/a.yml")]


def test_ctx_8_one_bad_file_leaves_the_others(root):
    put(root, "a.yml", "{{bad")
    put(root, "b.yml")
    put(root, "c.yml", "#" * (257 << 10))
    put(root, "d.yml", "a: &a [x]\n" + "".join(f"k{n}: *a\n" for n in range(101)))
    rules = load(root)
    assert names(rules) == ["b"]
    assert codes(rules) == [("TW002", f".tripwires/{name}.yml") for name in "acd"]


def test_tw005_the_first_in_byte_order_keeps_the_name(root):
    put(root, "No_Sql.yml")
    put(root, "no-sql.yml", GOOD.replace("src", "lib"))
    put(root, "no sql.yml", "{{bad")
    rules = load(root)
    assert [tripwire.file for tripwire in rules.tripwires] == [".tripwires/No_Sql.yml"]
    broken, twin = rules.problems
    assert broken.code == "TW002"
    assert (twin.code, twin.file, twin.triggers) == ("TW005", ".tripwires/no-sql.yml", ("lib/**",))
    assert ".tripwires/No_Sql.yml" in twin.message


def test_names_that_are_not_utf_8_can_be_recorded(root):
    with open(os.path.join(os.fsencode(root), b".tripwires", b"a\xff.yml"), "w") as file:
        file.write(GOOD)
    rules = load(root)
    assert names(rules) == ["a"]
    rules.tripwires[0].file.encode()


@pytest.mark.parametrize("make", ["file", "dangling"])
def test_a_directory_that_is_none_is_a_problem(tmp_path, make):
    if make == "file":
        (tmp_path / ".tripwires").write_text("x")
    else:
        (tmp_path / ".tripwires").symlink_to("nowhere")
    assert codes(load(tmp_path)) == [("TW001", ".tripwires")]


# ── configuration ────────────────────────────────────────────────────────────────────────────


def test_tw043_a_directory_link_that_leaves(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.yml").write_text(GOOD)
    (root / "rules").symlink_to(outside)
    (root / ".tripwirerc.yml").write_text("tripwires_dir: rules\n")
    put(root, "a.yml")
    rules = load(root)
    assert (names(rules), rules.config.tripwires_dir) == (["a"], ".tripwires")
    assert codes(rules) == [("TW043", ".tripwirerc.yml")]


def test_tw043_the_default_directory_may_leave_no_more_than_another(tmp_path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.yml").write_text(GOOD)
    (tmp_path / ".tripwires").symlink_to(outside)
    rules = load(tmp_path)
    assert (names(rules), codes(rules)) == ([], [("TW043", ".tripwires")])


def test_a_directory_link_inside_is_followed(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/a.yml").write_text(GOOD)
    (tmp_path / ".tripwires").symlink_to("shared")
    rules = load(tmp_path)
    assert (names(rules), codes(rules)) == (["a"], [])
    assert rules.tripwires[0].file == ".tripwires/a.yml"


def test_a_configuration_that_is_a_link_out_or_a_directory_is_a_problem(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "rc.yml"
    outside.write_text("enforcement_mode: advisory\n")
    (root / ".tripwirerc.yml").symlink_to(outside)
    assert codes(load(root)) == [("TW040", ".tripwirerc.yml")]
    (root / ".tripwirerc.yml").unlink()
    (root / ".tripwirerc.yml").mkdir()
    assert codes(load(root)) == [("TW040", ".tripwirerc.yml")]


def test_the_section_read_of_tripwire_yaml(root):
    (root / "tripwire.yaml").write_text("upstreams: []\nread: {repeat: changed, bad: 1}\n")
    rules = load(root)
    assert rules.config.repeat == "changed"
    assert [(p.code, p.file, p.key, p.line) for p in rules.problems] == [
        ("TW042", "tripwire.yaml", "read.bad", 2)
    ]


def test_a_key_set_in_both_is_an_error_and_the_file_of_its_own_holds(root):
    (root / "tripwire.yaml").write_text("read:\n  repeat: changed\n  match_case: false\n")
    (root / ".tripwirerc.yml").write_text("repeat: always\n")
    rules = load(root)
    assert (rules.config.repeat, rules.config.match_case) == ("always", False)
    (problem,) = rules.problems
    assert (problem.code, problem.where) == ("TW041", "tripwire.yaml:2")
    assert problem.key == "read.repeat"


def test_a_broken_tripwire_yaml_that_sets_read_is_a_problem(root):
    (root / "tripwire.yaml").write_text("read: {a\n")
    assert codes(load(root)) == [("TW040", "tripwire.yaml")]
    (root / "tripwire.yaml").write_text("flow: {a\n")
    assert codes(load(root)) == []


def test_text_may_stand_for_the_configuration(root):
    assert load(root, config_text="match_case: false\n").config.match_case is False


# ── changes ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("_settled")
def test_ctx_7_the_same_object_as_long_as_nothing_changes(root):
    put(root, "a.yml")
    folder = TripwireFolder(root)
    first = folder.current()
    assert folder.current() is first
    put(root, "a.yml", GOOD.replace("context: c", "context: other"))
    second = folder.current()
    assert second is not first
    assert second.tripwires[0].context == "other"


def test_ctx_7_a_touched_file_with_the_same_text_changes_nothing(root):
    put(root, "a.yml")
    put(root, "b.yml", "{{bad")
    folder = TripwireFolder(root)
    first = folder.current()
    put(root, "a.yml")
    put(root, "b.yml", "{{bad")
    assert folder.current() is first


def test_ctx_7_a_change_within_one_tick_of_the_clock_is_seen(root):
    path = put(root, "a.yml", GOOD)
    folder = TripwireFolder(root)
    folder.current()
    seen = path.stat()
    with path.open("r+") as file:
        file.write(GOOD.replace("context: c", "context: d"))
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert folder.current().tripwires[0].context == "d"


@pytest.mark.usefixtures("_settled")
def test_ctx_7_files_that_come_go_and_are_renamed(root):
    path = put(root, "a.yml")
    folder = TripwireFolder(root)
    assert names(folder.current()) == ["a"]
    put(root, "b.yml")
    assert names(folder.current()) == ["a", "b"]
    path.rename(root / ".tripwires/c.yml")
    assert names(folder.current()) == ["b", "c"]
    (root / ".tripwires/b.yml").unlink()
    assert names(folder.current()) == ["c"]


@pytest.mark.usefixtures("_settled")
def test_ctx_7_a_directory_that_goes_and_comes_back(root):
    put(root, "a.yml")
    folder = TripwireFolder(root)
    folder.current()
    shutil.rmtree(root / ".tripwires")
    assert names(folder.current()) == []
    put(root, "b.yml")
    assert names(folder.current()) == ["b"]
    (root / "other").mkdir()
    (root / "other/c.yml").write_text(GOOD)
    (root / ".tripwires").rename(root / "gone")
    (root / "other").rename(root / ".tripwires")
    assert names(folder.current()) == ["c"]


@pytest.mark.usefixtures("_settled")
def test_ctx_7_the_configuration_is_seen_too(root):
    put(root, "a.yml")
    folder = TripwireFolder(root)
    folder.current()
    (root / "rules").mkdir()
    (root / "rules/b.yml").write_text(GOOD)
    (root / ".tripwirerc.yml").write_text("tripwires_dir: rules\n")
    assert names(folder.current()) == ["b"]
    (root / ".tripwirerc.yml").unlink()
    assert names(folder.current()) == ["a"]
    (root / "tripwire.yaml").write_text("read: {tripwires_dir: rules}\n")
    assert names(folder.current()) == ["b"]


@pytest.mark.usefixtures("_settled")
def test_ctx_7_the_target_of_a_link_changes(root):
    (root / "real.yml").write_text(GOOD)
    (root / "else.yml").write_text(GOOD.replace("context: c", "context: e"))
    link = root / ".tripwires/l.yml"
    link.symlink_to("../real.yml")
    folder = TripwireFolder(root)
    folder.current()
    (root / "real.yml").write_text(GOOD.replace("context: c", "context: d"))
    assert folder.current().tripwires[0].context == "d"
    link.unlink()
    link.symlink_to("../else.yml")
    assert folder.current().tripwires[0].context == "e"


@pytest.mark.usefixtures("_settled")
def test_ctx_7_a_directory_link_that_is_turned_outwards(tmp_path, tmp_path_factory):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/a.yml").write_text(GOOD)
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.yml").write_text(GOOD)
    link = tmp_path / ".tripwires"
    link.symlink_to("shared")
    folder = TripwireFolder(tmp_path)
    assert names(folder.current()) == ["a"]
    link.unlink()
    link.symlink_to(outside)
    rules = folder.current()
    assert (names(rules), codes(rules)) == ([], [("TW043", ".tripwires")])


@pytest.mark.usefixtures("_settled")
def test_ctx_7_of_many_files_an_edit_in_place_is_seen_soon(root):
    for number in range(70):
        put(root, f"t{number:02d}.yml")
    folder = TripwireFolder(root)
    folder.current()
    put(root, "t33.yml", GOOD.replace("context: c", "context: new"))
    time.sleep(0.1)
    assert folder.current().by_name["t33"].context == "new"
    put(root, "one-more.yml")
    assert "one-more" in folder.current().by_name


def test_only_changed_files_are_parsed_again(root, monkeypatch):
    monkeypatch.setattr(module, "_SETTLED_NS", 0)
    for name in "abc":
        put(root, f"{name}.yml")
    folder = TripwireFolder(root)
    first = folder.current()
    put(root, "b.yml", GOOD.replace("context: c", "context: new"))
    second = folder.current()
    assert second.by_name["a"] is first.by_name["a"]
    assert second.by_name["c"] is first.by_name["c"]
    assert second.by_name["b"] is not first.by_name["b"]


def test_texts_of_an_editor_count_as_if_they_were_saved(root):
    put(root, "a.yml")
    folder = TripwireFolder(root)
    saved = folder.current()
    place = ".tripwires"
    assert folder.with_texts({}) is saved
    assert folder.with_texts({f"{place}/a.yml": GOOD.encode()}) is saved
    new = GOOD.replace("context: c", "context: new").encode()
    rules = folder.with_texts(
        {f"{place}/a.yml": new, f"{place}/b.yml": new, f"{place}/c.yaml": new}
    )
    assert [(t.name, t.context) for t in rules.tripwires] == [("a", "new"), ("b", "new")]
    assert codes(rules) == [("TW006", f"{place}/c.yaml")]
    elsewhere = {f"{place}/sub/d.yml": new, "e.yml": new, f"{place}/f.txt": new}
    assert folder.with_texts(elsewhere) is saved
    assert codes(folder.with_texts({f"{place}/a.yml": b"\xff"})) == [("TW002", f"{place}/a.yml")]
    assert folder.current() is saved


def test_configuration_of_an_editor_stands_for_the_files(root):
    put(root, "a.yml")
    (root / ".tripwirerc.yml").write_text("repeat: always\n")
    folder = TripwireFolder(
        root, config_text="match_case: false\n", policy_text="read: {repeat: session}\n"
    )
    config = folder.current().config
    assert (config.match_case, config.repeat) == (False, "session")
