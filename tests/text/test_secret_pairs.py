"""Columns of credentials, and texts that only look like them."""

import pytest

from tripwire.text import secret_pairs, secrets

PROSE = "A processor that provides a CSRF token, or the string NOTPROVIDED\n    def _get_val(), x\n"
NUMBERED = (
    "  12\tfrom app.csrf import get_token\n  13\tdef debug(request):\n  14\tcontext_extras = {}\n"
)


@pytest.mark.parametrize("text", [PROSE, NUMBERED])
def test_prose_and_numbered_code_are_no_table(text):
    assert list(secret_pairs.columns(text)) == []


def test_a_table_of_keys_is_one():
    text = "User,Secret access key\nann,gJ7hQ2vXn4Lw9Rt5Yb1Zp8\n"
    assert [rule for _, _, rule in secret_pairs.columns(text)] == ["named-column"]


def test_the_name_of_a_field_is_told_from_a_value():
    texts = dict.fromkeys(secrets.named_texts({"stdout": "hunter2pass", "k3y_9": "x"}))
    assert (secrets.KEY, "stdout") in texts
    assert ("stdout", "hunter2pass") in texts
    assert ("", "k3y_9") in texts
