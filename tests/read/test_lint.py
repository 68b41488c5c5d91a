"""read/lint: each code of §4.3 has a file that has it and one that has not."""

import pytest
from tests.read.making import NOW, problem, rules, tripwire

from tripwire.read.lint import failed, lint
from tripwire.read.lint_codes import CODES, found
from tripwire.read.lint_files import ProjectFiles

FILES = ProjectFiles(["src/a.ts", "src/b.ts", ".tripwires/a.yml"])


def lints(*tripwires, files=FILES, strict=True, **fields):
    project = rules(*tripwires, **fields)
    return [(f.code, f.file) for f in lint(project, files, now=NOW, strict=strict)]


def codes(*tripwires, **options):
    return sorted({code for code, _ in lints(*tripwires, **options)})


def agents(name="a", **fields):
    full = {"created_by": "agent:bot", "learned_from": "a review", "expires": "2099-01-01"}
    return tripwire(name, **{**full, **fields})


CASES = {
    "TW007": (tripwire("a", unknown_keys=["severty"]), tripwire("a")),
    "TW010": (tripwire("a", created_by=""), tripwire("a")),
    "TW011": (agents(learned_from="  "), agents()),
    "TW012": (agents(expires=""), agents()),
    "TW013": (tripwire("a", tags=["Security"]), tripwire("a", tags=["a" * 32])),
    "TW014": (tripwire("a", created_by="agent: x"), tripwire("a", created_by="tool:import")),
    "TW015": (agents(severity="critical"), agents(severity="high")),
    "TW016": (tripwire("a", depends_on=["ghost"]), tripwire("a")),
    "TW017": (tripwire("a", depends_on=["a"]), tripwire("a")),
    "TW020": (tripwire("a", dead_from=NOW), tripwire("a", dead_from=NOW, active=False)),
    "TW023": (tripwire("a", context="x" * 4_097), tripwire("a", context=f" {'x' * 4_096} ")),
    "TW024": (tripwire("a", context="x" * 16_385), tripwire("a", context="x" * 16_384)),
    "TW026": (tripwire("a", context="x" * 9_500), tripwire("a", context="x" * 9_400)),
    "TW027": (tripwire("a", context="<<<TRIPWIRE"), tripwire("a", context="<<< wire")),
    "TW028": (tripwire("a", ["**", "src/[!a]/*"]), tripwire("a", ["**", "src/[^a]/*"])),
    "TW029": (tripwire("a", ["**", "/src/**"]), tripwire("a", ["**", "src/**"])),
    "TW030": (tripwire("a", ["lib/**"]), tripwire("a", ["src/*"])),
    "TW031": (tripwire("a", ["**", "!app/(auth)/**"]), tripwire("a", ["**", "!app/auth/**"])),
    "TW034": (
        tripwire("a", match_content={"semantic": "money"}),
        tripwire("a", match_content={"keywords": ["money"]}),
    ),
}


@pytest.mark.parametrize("code", CASES)
def test_one_tripwire(code):
    bad, good = CASES[code]
    assert code in codes(bad)
    assert code not in codes(good)
    if CODES[code].strict:
        assert code not in codes(bad, strict=False)


def test_a_clean_project_has_nothing():
    assert lints(tripwire("a"), agents("b", triggers=["src/a.ts"])) == []


LOADING = [1, 2, 3, 4, 5, 6, 8, 9, 32, 33, 35, 40, 41, 42, 43]


@pytest.mark.parametrize("code", [f"TW{number:03}" for number in LOADING])
def test_problems_of_loading_are_errors(code):
    (finding,) = lint(rules(problems=[problem(code=code, line=3, key="a.b")]), now=NOW)
    assert (finding.code, finding.level, finding.where) == (code, "error", ".tripwires/bad.yml:3")
    assert finding.message.startswith("a.b: ")


def test_tw007_names_the_nearest_key():
    (finding,) = lint(rules(tripwire("a", unknown_keys=["severty"])), now=NOW)
    assert 'did you mean "severity"?' in finding.fix
    (finding,) = lint(rules(tripwire("a", unknown_keys=["banana"])), now=NOW)
    assert "did you mean" not in finding.fix


def test_agents_are_held_to_the_configuration():
    bare = agents(learned_from="", expires="", severity="critical")
    relaxed = {
        "require_learned_from": False,
        "auto_expire_days": 0,
        "agent_max_severity": "critical",
    }
    assert codes(bare, **relaxed) == []
    assert codes(tripwire("a", created_by="tool:x")) == []


def test_tw016_a_broken_dependency_is_missing():
    assert ("TW016", ".tripwires/a.yml") in lints(
        tripwire("a", depends_on=["bad"]), problems=[problem()]
    )


def test_tw017_cycles_are_found_whatever_their_length_and_once():
    ring = [tripwire(f"r{n}", depends_on=[f"r{(n + 1) % 30}"]) for n in range(30)]
    assert [code for code, _ in lints(*ring)].count("TW017") == 1
    two = [tripwire("a", depends_on=["b"]), tripwire("b", depends_on=["a", "b"])]
    assert [code for code, _ in lints(*two)].count("TW017") == 2


def test_tw018_a_living_one_depends_on_a_dead_one():
    assert "TW018" in codes(tripwire("a", depends_on=["b"]), tripwire("b", active=False))
    assert "TW018" in codes(tripwire("a", depends_on=["b"]), tripwire("b", dead_from=NOW))
    assert "TW018" not in codes(
        tripwire("a", depends_on=["b"], active=False), tripwire("b", active=False)
    )


def test_tw019_the_limit_cuts():
    line = [tripwire(f"t{n}", depends_on=[f"t{n + 1}"] if n < 3 else []) for n in range(4)]
    assert "TW019" in codes(*line, max_dependency_depth=2)
    assert "TW019" not in codes(*line, max_dependency_depth=3)


def test_tw021_sets_of_triggers():
    twins = [tripwire("a", ["src/*", "x"]), tripwire("b", ["x", "src/*", "x"])]
    assert "TW021" in codes(*twins)
    assert "TW021" not in codes(twins[0], tripwire("b", ["x", "src/*"], active=False))


def test_tw022_one_finding_per_set_of_criticals():
    a, b, c = (
        tripwire(name, triggers, severity="critical")
        for name, triggers in (("a", ["**"]), ("b", ["src/*"]), ("c", ["lib/*"]))
    )
    files = ProjectFiles(["src/a", "src/b", "lib/b", "x"])
    found_ = lints(a, b, c, files=files)
    assert [code for code, _ in found_].count("TW022") == 2
    assert "TW022" not in codes(a, files=files)


def test_tw024_counts_what_can_fire():
    halves = [tripwire("a", context="x" * 8_192), tripwire("b", context="x" * 8_193)]
    assert "TW024" in codes(*halves)
    assert "TW024" not in codes(halves[0], tripwire("b", context="x" * 8_193, active=False))


def test_tw025_the_whole_group_counts():
    critical = tripwire("a", severity="critical", depends_on=["b"])
    need = tripwire("b", ["x"], context="y" * 60)
    assert "TW025" in codes(critical, need, max_context_length=150)
    assert "TW025" not in codes(critical, max_context_length=150)
    assert "TW025" not in codes(critical, need)
    assert "TW025" not in codes(tripwire("a", context="y" * 600), max_context_length=150)


def test_tw030_hidden_files_are_project_files():
    hidden = ProjectFiles(["src/a.ts"], ["node_modules/x"])
    assert "TW030" not in codes(tripwire("a", ["node_modules/**"]), files=hidden)
    assert "TW030" in codes(tripwire("a", ["lib/**"]), files=hidden)
    assert lint(rules(tripwire("a", ["lib/**"])), now=NOW, strict=True) == ()


def test_tw044_exclude_paths_leaves_nothing():
    everything = ProjectFiles([], ["src/a.ts", ".tripwires/a.yml"])
    assert "TW044" in codes(tripwire("a"), files=everything, exclude_paths=["**"])
    some = ProjectFiles([".tripwires/a.yml"], ["src/a.ts"])
    assert "TW044" not in codes(tripwire("a", ["src/**"]), files=some, exclude_paths=["src/**"])


def test_sub_directories_are_warned_about_and_drafts_are_not():
    files = ProjectFiles(["src/a.ts", ".tripwires/team/x.yml", ".tripwires/drafts/y.yml"])
    assert lints(tripwire("a"), files=files) == [("TW006", ".tripwires/team/x.yml")]
    assert not failed(lint(rules(tripwire("a")), files, now=NOW))


def test_lines_are_those_of_the_key_or_of_the_one_around_it():
    lines = {"triggers": 1, "triggers.1": 3, "tags": 7}
    project = rules(tripwire("a", ["**", "/x"], tags=["BAD"], lines=lines))
    assert [(f.code, f.line, f.column) for f in lint(project, now=NOW)] == [
        ("TW029", 3, 1),
        ("TW013", 7, 1),
    ]


def test_order_is_broken_files_then_severity_then_name():
    bad = {"created_by": ""}
    project = rules(
        tripwire("z", severity="critical", **bad), tripwire("b", **bad), tripwire("a", **bad),
        problems=[problem()],
    )  # fmt: skip
    assert [f.file for f in lint(project, now=NOW)] == [
        ".tripwires/bad.yml", ".tripwires/z.yml", ".tripwires/a.yml", ".tripwires/b.yml"
    ]  # fmt: skip


def test_exit_codes():
    warning, error = found("TW020", "f", "m"), found("TW010", "f", "m")
    assert not failed([])
    assert not failed([warning])
    assert failed([warning], strict=True)
    assert failed([error])


def test_every_code_of_the_specification_is_there():
    numbers = [*range(1, 36), *range(40, 45), 50, *range(301, 312)]
    assert list(CODES) == [f"TW{number:03}" for number in numbers]
