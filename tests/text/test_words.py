from hypothesis import given
from hypothesis import strategies as st

from tripwire.text import words


def tokens(text):
    return set(words.tokens(text))


def test_tokens_of_prose():
    assert {"mail", "bob@corp.example", "now"} <= tokens("Mail Bob@Corp.example, now!")


def test_an_address_is_whole():
    found = tokens("bob@corp.example.evil.io")
    assert "bob@corp.example" not in found
    assert "bob@corp.example.evil.io" in found


def test_url_parts():
    found = tokens("see https://Docs.Example.com/A/b?q=1.")
    assert {
        "u https://docs.example.com/A/b?q=1",
        "docs.example.com",
        "p docs.example.com/A/b",
    } <= found


def test_paths_keep_their_case():
    assert "c src/App.py" in tokens("edit `src/App.py`")
    assert "c src/app.py" not in tokens("edit `src/App.py`")


def test_numbers_are_compared_without_separators():
    iban = "# DE89370400440532013000"
    assert iban in tokens("IBAN: DE89 3704 0044 0532 0130 00")
    assert words.whole("DE89370400440532013000") == iban
    assert "# 4917012345678" in tokens("call +49 170 1234-5678")
    assert words.whole("+4917012345678") == "# 4917012345678" or "4917012345678" in tokens(
        "+4917012345678"
    )


def test_sentences_glued_together():
    assert "site.com" in tokens(words.sentences("I saw site.com.They said no"))


@given(st.text(max_size=200))
def test_a_whole_token_of_a_text_is_found_in_it(text):
    for token in words.tokens(text):
        assert token
    for run in words.runs(text):
        assert run in tokens(text)


_PIECES = (
    "Report",
    "a.b@Mail.Example",
    "https://x.example/p?q=1",
    "(030) 123-4567",
    "c:/d,e:f",
    "DE89 3704 0044 0532 0130 00",
    "http://u:p@h/",
    "é.x",
    "\u0663\u0664",
    "_a%b",
    " ",
    ";",
)
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)


@given(_TEXTS, _TEXTS)
def test_lines_read_together_say_what_each_says_alone(one, other):
    assert words.tokens(f"{one}\n{other}") == words.tokens(one) | words.tokens(other)


@given(_TEXTS)
def test_a_letter_beyond_ascii_changes_no_other_token(text):
    assert words.tokens(f"{text}\né") == words.tokens(text) | {"é"}
