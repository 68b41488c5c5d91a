"""The nearest known word, and silence where nothing is near."""

from tripwire.config.suggest import did_you_mean, nearest

WORDS = ("sensitive_params", "verify", "match", "id")


def test_a_typo_finds_its_word():
    assert nearest("sensitve_params", WORDS) == "sensitive_params"
    assert nearest("Sensitive-Params", WORDS) == "sensitive_params"
    assert did_you_mean("verfy", WORDS) == 'did you mean "verify"?'


def test_nothing_near_lists_what_is_known():
    assert did_you_mean("zzz", WORDS) == "known here: id, match, sensitive_params, verify"
    assert nearest("x" * 100_000, WORDS) == ""
