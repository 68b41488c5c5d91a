"""read/tripwire_set: what fires, repeat control, exclusion, problems (CTX-8 to CTX-12, 15, 32, 34)."""

import pytest
from tests.read.making import NOW, access, names, problem, rules, tripwire

from tripwire.model.tripwire import Repeat
from tripwire.read.render import injection


def fires(project, *accesses, **options):
    plan = project.plan(accesses or access(), now=options.pop("now", NOW), **options)
    return [t.name for t in names(plan.matches)], plan


def seen_after(plan, seen=()):
    """What the scope knows afterwards, as the rules report it."""
    known = dict(seen)
    for group in plan.groups:
        if group.outcome == "shown":
            known |= {b.tripwire.name: b.digest for b in group.blocks}
            known[group.root.tripwire.name] = group.digest
    known |= {p.file: plan.problem_set for p in plan.notices}
    return known


def test_ctx9_expiry_is_looked_at_with_every_plan():
    project = rules(tripwire("a", dead_from=NOW))
    assert fires(project, now=NOW - 0.001)[0] == ["a"]
    assert fires(project, now=NOW)[0] == []
    assert fires(project, now=NOW - 0.001)[0] == ["a"]


def test_ctx9_a_dependency_expires_too():
    project = rules(tripwire("a", depends_on=["b"]), tripwire("b", ["x"], dead_from=NOW))
    assert [t.name for t in names(fires(project, now=NOW - 1)[1].emitted)] == ["b", "a"]
    assert [t.name for t in names(fires(project)[1].emitted)] == ["a"]


def test_ctx10_inactive_ones_do_not_fire():
    assert fires(rules(tripwire("a", active=False)))[0] == []


def test_ctx11_any_form_fires_and_globs_are_in_file_order():
    project = rules(tripwire("a", ["b/*", "a/*", "a/x"]))
    _, plan = fires(project, access("a/x", forms=["a/x", "b/x"]))
    assert plan.matches[0].globs == ("b/*", "a/*", "a/x")


def test_ctx12_excluded_only_if_every_form_is():
    project = rules(tripwire("a"), exclude_paths=["dist/**"])
    assert fires(project, access("dist/x"))[1].excluded
    assert fires(project, access("dist/x", forms=["dist/x", "src/x"]))[0] == ["a"]
    assert fires(rules(tripwire("a"), exclude_paths=[]), access("dist/x"))[0] == ["a"]


def test_ctx15_negations_look_at_the_same_form():
    project = rules(tripwire("a", ["src/**", "!**/*.test.ts"]))
    assert fires(project, access("src/a.test.ts"))[0] == []
    assert fires(project, access("src/a.ts"))[0] == ["a"]
    plan = fires(rules(tripwire("a", ["!docs/**"])))[1]
    assert plan.matches[0].globs == ("**",)


def test_ctx32_several_paths_make_one_plan():
    project = rules(tripwire("a", ["src/a.ts"]), tripwire("b", ["src/**"]))
    found, plan = fires(project, access("src/b.ts"), access("src/a.ts"), access("lib/c"))
    assert found == ["a", "b"]
    assert plan.paths == ("src/b.ts", "src/a.ts")
    assert injection(plan).count('name="b"') == 1


def test_a_path_without_forms_brings_nothing():
    _, plan = fires(rules(tripwire("a"), problems=[problem()]), access("/etc/x", forms=()))
    assert (plan.matches, plan.problems, plan.paths) == ((), (), ())


@pytest.mark.parametrize("mode", list(Repeat))
def test_ctx34_the_repeat_modes(mode):
    project = rules(tripwire("a", repeat=mode))
    first = fires(project, by_default=Repeat.SESSION)[1]
    again = fires(project, seen=seen_after(first))[1]
    assert bool(again.emitted) == (mode is Repeat.ALWAYS)
    assert again.groups[0].outcome == ("shown" if mode is Repeat.ALWAYS else "repeat")
    assert not again.suppressed


def test_ctx34_the_tripwires_mode_wins_over_the_configs_and_that_over_the_routes():
    assert fires(rules(tripwire("a"), repeat="session"), seen={"a": ""})[1].emitted == ()
    assert fires(rules(tripwire("a", repeat="always"), repeat="session"), seen={"a": ""})[1].emitted
    assert fires(rules(tripwire("a")), seen={"a": ""}, by_default=Repeat.SESSION)[1].emitted == ()
    assert fires(rules(tripwire("a")), seen={"a": ""})[1].emitted


def test_ctx34_changed_shows_a_group_again_when_any_of_it_changed():
    def made(context):
        return rules(
            tripwire("a", depends_on=["b"]), tripwire("b", ["x"], context), repeat="changed"
        )

    first = fires(made("one"))[1]
    seen = seen_after(first)
    assert fires(made("one"), seen=seen)[1].emitted == ()
    changed = fires(made("two"), seen=seen)[1]
    assert [t.name for t in names(changed.emitted)] == ["b", "a"]
    assert fires(made("two"), seen=seen_after(changed, seen))[1].emitted == ()


def test_ctx34_changed_shows_only_what_is_new_of_the_dependencies():
    def made(context):
        return rules(
            tripwire("a", context=context, depends_on=["b"]), tripwire("b", ["x"]), repeat="changed"
        )

    seen = seen_after(fires(made("one"))[1])
    assert [t.name for t in names(fires(made("two"), seen=seen)[1].emitted)] == ["a"]


def test_ctx34_a_block_shown_before_counts_as_emitted_for_later_groups():
    project = rules(
        tripwire("a", ["src/a.ts"], depends_on=["s"]),
        tripwire("b", ["src/b.ts"], depends_on=["s"]),
        tripwire("s", ["src/s.ts"]),
        repeat="session",
    )
    seen = seen_after(fires(project, access("src/a.ts"))[1])
    plan = fires(project, access("src/b.ts"), seen=seen)[1]
    assert [t.name for t in names(plan.emitted)] == ["b"]
    assert fires(project, access("src/s.ts"), seen=seen)[1].groups[0].outcome == "repeat"


def test_ctx34_what_was_shown_for_the_call_is_not_shown_again_in_any_mode():
    project = rules(tripwire("a", repeat="always"), tripwire("b", repeat="always"))
    plan = fires(project, told={"a"})[1]
    assert [t.name for t in names(plan.emitted)] == ["b"]


def test_a_repeated_group_costs_no_budget():
    project = rules(
        tripwire("a", severity="high"), tripwire("b"), repeat="session", max_context_length=70
    )
    first = fires(project)[1]
    assert [t.name for t in names(first.suppressed)] == ["b"]
    second = fires(project, seen=seen_after(first))[1]
    assert [t.name for t in names(second.emitted)] == ["b"]


def test_ctx8_a_notice_once_and_again_when_the_problems_change():
    one, two = problem(), problem(".tripwires/worse.yml")
    first = fires(rules(problems=[one]))[1]
    assert first.notices == (one,)
    seen = seen_after(first)
    assert fires(rules(problems=[one]), seen=seen)[1].notices == ()
    assert fires(rules(problems=[one]), seen=seen)[1].problems == (one,)
    assert fires(rules(problems=[one, two]), seen=seen)[1].notices == (one, two)


def test_ctx8_problems_with_readable_triggers_concern_their_paths_only():
    mine, all_ = problem(triggers=["src/**", "!src/b.ts"]), problem(".tripwires/x.yml")
    project = rules(problems=[mine, all_])
    assert fires(project, access("src/a.ts"))[1].problems == (mine, all_)
    assert fires(project, access("src/b.ts"))[1].problems == (all_,)
    assert fires(project, access("dist/b.ts"))[1].problems == ()


def test_ctx8_triggers_that_cannot_be_relied_on_concern_every_path():
    for triggers in ([], ["{" + ",".join(map(str, range(2000))) + "}"]):
        assert fires(rules(problems=[problem(triggers=triggers)]))[1].problems


def test_unknown_keys_are_warnings_and_no_problems():
    bad = problem(".tripwirerc.yml", "TW042", 'unknown key "x"', line=2)
    _, plan = fires(rules(tripwire("a", unknown_keys=["severty"]), problems=[bad]))
    assert plan.problems == ()
    assert sorted(w.code for w in plan.warnings) == ["TW007", "TW042"]


def test_wants_content_only_where_it_decides():
    project = rules(
        tripwire("a", ["src/**"], match_content={"keywords": ["x"]}),
        tripwire("b", ["**"]),
        tripwire("c", ["off/**"], match_content={"keywords": ["x"]}, active=False),
    )
    assert project.wants_content(["src/a.ts"])
    assert project.wants_content(["x", "src/a.ts"])
    assert not project.wants_content(["off/a.ts"])
    assert not project.wants_content(["dist/a.ts"])
    assert not rules(tripwire("b")).wants_content(["src/a.ts"])


def test_ctx17_the_condition_is_part_of_the_match():
    project = rules(tripwire("a", match_content={"keywords": ["secret"]}))
    assert fires(project, access(content="a SECRET"))[1].matches[0].content == "matched"
    assert fires(project, access(content="nothing"))[0] == []
    assert fires(project, access(content=None))[1].matches[0].content == "not_examined"
    _, plan = fires(project, access("a", content=None), access("b", content="secret"))
    assert plan.matches[0].content == "matched"
    _, plan = fires(project, access("a", content="no"), access("b", content="secret"))
    assert plan.paths == ("b",)


def test_the_same_answer_again():
    project = rules(tripwire("a", depends_on=["b"]), tripwire("b"), problems=[problem()])
    assert fires(project) == fires(project)
