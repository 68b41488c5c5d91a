"""Reviews of finished replies: options, cards, order, bad input."""

import pytest

from tripwire import say
from tripwire.errors import InputTooLarge, UnknownAction

KNOWN = ["Arialife Heights", "San Villa", "Green Park", "", None]


def labels(text, **options):
    return [line.split(":")[0] for line in say.check_response(text, **options).violations]


def test_violations_come_in_the_order_of_the_rules_credentials_last():
    text = "- I recommend it, key AKIAIOSFODNN7EXAMPLE, mail a@b.io, commission rate 2%"
    assert labels(text) == [
        "CONTACT_LEAK", "BUSINESS_LEAK", "NO_MARKDOWN", "SOFT_SELL_PHRASE",
        "COMMISSION_DISCUSSION_LEAK", "SECRET_LEAK",
    ]  # fmt: skip


def test_offsets_are_those_of_the_raw_text():
    text = "caf\u00e9 \u2014 call 98765\u200b43210\u200b now"
    found = say.check_response(text).findings[0]
    assert text[found.start : found.end] == "98765\u200b43210\u200b"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<!--CARD:{"type":"project_card","note":"}-->"}--> fine', []),
        ('<!--CARD:{"type":"project_card"} and on', []),
        ("<!--CARD:not json-->", []),
        ('<!--CARD:{"type":"project_card"}-->' * 3, ["PROJECT_LIMIT", "CARD_DISCIPLINE"]),
    ],
)
def test_cards_are_read_by_a_parser(text, found):
    assert labels(text) == found


@pytest.mark.parametrize(
    "card", ['{"type":"project_card","note":"%s"}', "oops %s", '{"type":5, "n":"%s"}']
)
def test_a_card_hides_nothing_that_a_stream_would_stop(card):
    text = f"  See <!--CARD:{card % 'call 98765 43210'}--> now"
    found = say.check_response(text)
    assert [line.split(":")[0] for line in found.violations] == ["CONTACT_LEAK"]
    one = found.findings[0]
    assert text[one.start : one.end] == "98765 43210"


def test_offsets_behind_a_card_are_those_of_the_text():
    text = '  <!--CARD:{"type":"project_card"}--> I recommend it'
    one = say.check_response(text).findings[0]
    assert text[one.start : one.end] == "I recommend"


def test_a_malformed_card_is_noted_and_its_text_is_still_read():
    found = say.check_response("<!--CARD:{oops call 98765 43210")
    assert found.notes
    assert [line.split(":")[0] for line in found.violations] == ["CONTACT_LEAK"]


@pytest.mark.parametrize(
    "text", ["Try ARIALIFE HEIGHTS now", "Visit Arialife  Heights", "See San Villa and Green Park"]
)
def test_known_names_are_no_inventions(text):
    assert "HALLUCINATION" not in labels(text, known_project_names=KNOWN)


@pytest.mark.parametrize("name", ["Arialife", "Bobcat", "Green"])
def test_a_part_of_a_known_name_excuses_nothing(name):
    assert "HALLUCINATION" in labels(f"Consider {name} Residency", known_project_names=KNOWN)


def test_unknown_options_name_the_known():
    with pytest.raises(ValueError, match="premium, value, investor, unknown"):
        say.check_response("x", classified={"persona": "rich"})


def test_too_long_a_reply_is_refused_before_any_work():
    with pytest.raises(InputTooLarge):
        say.check_response("x" * 1_000_001)


def test_a_rule_that_fails_is_a_violation():
    from tripwire.doors.say_library import attempted
    from tripwire.model.say import SayRule

    def broken():
        raise ZeroDivisionError("secret words")

    found = attempted(SayRule("R", "R"), broken)
    assert found[0].reason == "internal error in R: ZeroDivisionError"


def test_life_cycles():
    assert say.validate_builder_transition("ACTIVE", "BUILDER_HOLD") is None
    assert (
        say.validate_builder_transition("ON_HOLD", "BUILDER_HOLD") == "Builder is already ON_HOLD."
    )
    assert say.validate_project_transition("ARCHIVED", "PROJECT_HOLD") == (
        "Project is ARCHIVED - Reactivate first before applying another action."
    )
    assert "ARCHIVED" in say.validate_project_transition("LOST", "PROJECT_HOLD")
    assert say.next_project_status("PROJECT_ARCHIVE") == "ARCHIVED"
    with pytest.raises(UnknownAction, match="BUILDER_REMOVE"):
        say.next_builder_status("COMMISSION_WRITTEN_OFF")
    assert say.reason_required("COMMISSION_WRITTEN_OFF")
    assert not say.reason_required("PROJECT_REACTIVATE")
