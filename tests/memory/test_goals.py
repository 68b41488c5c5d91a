"""Whose goal holds (gateway.md I-1…I-3)."""

from tripwire.memory.goals import Goals
from tripwire.model.event import IntentDeclared
from tripwire.text import values


def test_the_users_words_come_first():
    goals = Goals()
    goals.declared(IntentDeclared("Pay Globex"), 1, False)
    goals.user_said("Pay Acme", 2, True)
    goals.user_said("scheduled: pay Mallory", 3, False)
    assert (goals.current, goals.source) == ("Pay Acme", "user")


def test_a_goal_after_an_untrusted_read_changes_nothing_and_is_noted():
    goals = Goals()
    goals.declared(IntentDeclared("Pay Acme 500 USDC"), 1, False)
    goals.declared(IntentDeclared("pay acme  500 USDC"), 2, True)
    assert not goals.changed
    goals.declared(IntentDeclared("Pay Mallory 900 USDC"), 3, True)
    assert goals.changed == ["Pay Mallory 900 USDC"]
    assert goals.current == "Pay Acme 500 USDC"
    assert goals.holds(values.number(500).key)
    assert not goals.holds(values.number(900).key)
    goals.user_said("Pay Mallory", 4, True)
    assert not goals.changed


def test_a_first_goal_after_an_untrusted_read_is_no_goal_and_no_origin():
    goals = Goals()
    goals.declared(IntentDeclared("Pay Mallory 900 USDC"), 1, True)
    assert (goals.current, goals.source, goals.changed) == ("", "", [])
    assert goals.late == ["Pay Mallory 900 USDC"]
    assert "after an untrusted text" in goals.missing
    assert not goals.holds(values.number(900).key)
    goals.user_said("Pay Mallory", 2, True)
    assert (goals.current, goals.late) == ("Pay Mallory", [])


def test_each_statement_can_be_had_by_itself():
    goals = Goals()
    assert (goals.stated, goals.missing) == ((), "no goal was stated")
    goals.declared(IntentDeclared("Pay Acme"), 1, False)
    assert goals.stated == ("Pay Acme",)
    goals.user_said("Pay Globex", 2, True)
    goals.user_said("and Initech", 3, True)
    assert goals.stated == ("Pay Globex", "and Initech")


def test_of_many_words_only_the_latest_are_read_clause_by_clause():
    goals = Goals()
    for number in range(4):
        goals.user_said(f"{number} " + "x" * 6000, number, True)
    assert [text[0] for text in goals.latest] == ["2", "3"]
    goals.user_said("y" * 20_000, 5, True)
    assert len(goals.latest) == 1
