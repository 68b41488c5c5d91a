"""The lexicon that tells what a user's words ask for."""

import pytest

from tripwire.text.purpose import CONCEPTS, all_said, asks_for, shares_word


@pytest.mark.parametrize(
    ("concept", "text"),
    [
        ("del", "please delete the old one"),
        ("del", "bitte lösche die datei"),
        ("pay", "überweise ihm das geld"),
        ("pay", "refund that"),
        ("book", "réserve une table"),
        ("event", "crea un evento"),
        ("send", "schick es an Anna"),
        ("send", "envoie un message"),
        ("invite", "invite dora"),
        ("upd", "reschedule it"),
    ],
)
def test_a_request_is_recognised(concept, text):
    assert asks_for(text.casefold().split(), concept)


@pytest.mark.parametrize("concept", ["del", "pay", "invite", "event"])
def test_a_question_asks_for_nothing(concept):
    assert not asks_for(["what", "is", "the", "weather", "like", "in", "paris"], concept)


def test_words_of_a_tool():
    assert shares_word(["unlock", "it"], ["unlock", "door"])
    assert not shares_word(["send", "it"], ["send", "info"])
    assert all_said(["unlock", "my", "front", "door"], ["unlock", "door"])
    assert not all_said(["unlock", "it"], ["unlock", "door"])
    assert not all_said(["unlock"], ["unlock"])


def test_every_concept_has_words_of_several_languages():
    assert all(len(stems) >= 15 for stems in CONCEPTS.values())
