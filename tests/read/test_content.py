"""read/content: regex, keywords, sentence; what cannot be examined counts as met (CTX-17)."""

import pytest
from tests.read.making import access

from tripwire.model.tripwire import ContentCondition
from tripwire.read.content import MATCHED, NOT_EXAMINED, examine, regex_fault


def says(content, similar=None, missing=False, **condition):
    return examine(ContentCondition(**condition), access(content=content, missing=missing), similar)


@pytest.mark.parametrize(
    ("pattern", "text", "met"),
    [
        (r"^import os$", "x\nimport os\ny", True),
        (r"import", "no", False),
        (r"Import", "import", False),
        (r"(?i)Import", "import", True),
        (r"a|b$", "xb\nc", True),
        (r"a.b", "a\nb", False),
        (r"é+", "caféé", True),
    ],
)
def test_regex_is_re2_multi_line_and_unanchored(pattern, text, met):
    assert says(text, regex=(pattern,)) == (MATCHED if met else None)


def test_keywords_are_literal_and_without_case():
    assert says("call EVAL(x)", keywords=("eval(",)) == MATCHED
    assert says("STRASSE", keywords=("straße",)) == MATCHED
    assert says("eval x", keywords=("eval(",)) is None


def test_any_and_all():
    both = {"regex": ("a",), "keywords": ("b", "c")}
    assert says("c", **both) == MATCHED
    assert says("c", mode="all", **both) is None
    assert says("a b C", mode="all", **both) == MATCHED


def test_a_missing_file_does_not_meet_it_and_an_unread_one_does():
    assert says(None, missing=True, regex=("a",)) is None
    assert says(None, regex=("a",)) == NOT_EXAMINED


def test_without_a_model_the_sentence_is_dropped():
    assert says("x", semantic="about money") == ""
    assert says(None, missing=True, semantic="about money") == ""
    assert says("x", semantic="about money", keywords=("y",)) is None
    assert says("x", semantic="about money", keywords=("x",), mode="all") == MATCHED


def test_with_a_model_the_sentence_decides():
    def similar(sentence, text):
        return sentence in text

    assert says("about money", similar, semantic="money") == MATCHED
    assert says("about time", similar, semantic="money") is None
    assert says(None, similar, missing=True, semantic="money") is None


def test_text_that_is_no_unicode_is_searched_all_the_same():
    assert says("a\ud800 key", regex=("key",)) == MATCHED


def test_a_pattern_that_is_none_counts_as_met():
    assert regex_fault("a)(b")
    assert regex_fault("(?=x)")
    assert regex_fault("(") == "missing ): ("  # words, and only what was written
    assert not regex_fault("a(b)")
    assert says("x", regex=("a)(b",)) == NOT_EXAMINED
