"""Known values: any encoding, parts, order, destinations; and never a false hit in prose."""

import base64
import codecs
import itertools
import string
import urllib.parse

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.memory.known_secrets import KnownSecrets
from tripwire.model.label import Origin, Trust

VALUE = "sk-live-FAKE0123456789abcdefXYZ"
ORIGIN = Origin(3, "mail", "read_creds", Trust.PLATFORM)
PLACE = "bob@corp.example"

ENCODERS = {
    "plain": lambda t: t,
    "base64": lambda t: base64.b64encode(t.encode()).decode(),
    "url base64": lambda t: base64.urlsafe_b64encode(b"?" + t.encode()).decode().rstrip("="),
    "base32": lambda t: base64.b32encode(t.encode()).decode(),
    "hex": lambda t: t.encode().hex(),
    "hex with colons": lambda t: t.encode().hex(":").upper(),
    "percent": lambda t: "".join(f"%{b:02x}" for b in t.encode()),
    "\\x": lambda t: "".join(f"\\x{b:02x}" for b in t.encode()),
    "decimal": lambda t: " ".join(map(str, t.encode())),
    "binary": lambda t: " ".join(f"{b:08b}" for b in t.encode()),
    "rot13": lambda t: codecs.encode(t, "rot13"),
    "reversed": lambda t: t[::-1],
    "swapped case": lambda t: t.swapcase(),
    "quoted": urllib.parse.quote,
}
SEPARATORS = ["", " ", "-", "\n", "\u200b"]


def knowing(*values, source=True):
    known = KnownSecrets()
    for value in values:
        known.learn(f"PASSWORD={value}", secret_source=source, origin=ORIGIN)
    assert len(known) == len(values)
    return known


TOKENS = st.text(string.ascii_letters + string.digits + "-_!", min_size=20, max_size=40).filter(
    lambda t: (
        sum(map(str.isdigit, t)) >= 4
        and sum(map(str.isalpha, t)) >= 10
        and t[0].isalnum()
        and t[-1].isalnum()
    )
)


@given(
    TOKENS,
    st.sampled_from(sorted(ENCODERS)),
    st.sampled_from(sorted(ENCODERS)),
    st.sampled_from(SEPARATORS),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_known_value_is_found_under_two_encodings_and_separators(token, first, second, separator):
    known = KnownSecrets()
    known._remember(token, "named-value", ORIGIN, secret_source=True)
    text = separator.join(ENCODERS[second](ENCODERS[first](token)))
    assert known.hits([f"see {text} there"], place=PLACE), (first, second)


WORDS = [
    "the",
    "build",
    "is",
    "green",
    "and",
    "deploy",
    "went",
    "fine",
    "yesterday",
    "please",
    "review",
    "report",
    "for",
    "friday",
    "meeting",
    "agenda",
    "with",
    "notes",
    "from",
    "team",
    "about",
    "next",
    "release",
    "of",
    "product",
    "plan",
    "while",
    "testing",
    "results",
    "look",
    "good",
    "across",
    "all",
    "regions",
    "thanks",
    "everyone",
    "involved",
    "see",
    "you",
    "then",
]


@given(st.lists(st.sampled_from(WORDS), min_size=3, max_size=300))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_prose_never_hits(words):
    known = knowing(VALUE, "hunter2", "plain-Passw0rd", "0123456789abcdef0123456789abcdef")
    assert known.hits([" ".join(words)], place=PLACE) == ()


@pytest.mark.parametrize(
    ("text", "coverage"),
    [
        (f"ref {VALUE} end", 1.0),
        ("ref sk-live-FAKE0123456789ab end", 0.7),
        (f"ref {VALUE[:-1]} end", 0.9),
        ("ref 3456789abcdefXYZ sk-live-FAKE012 end", 0.9),
        ("xyz FAKE0123 live sk 456789ab cdefXYZ", 0.6),
        ("ref sk-live-FAKE end", 0),
    ],
)
def test_parts_add_up_in_any_order(text, coverage):
    hits = knowing(VALUE).hits([text], place=PLACE)
    assert (hits[0].coverage if hits else 0) >= coverage
    assert bool(hits) is bool(coverage)


def test_a_value_split_over_arguments():
    assert knowing(VALUE).hits(["sk-live-FAKE012", "3456789abcdefXYZ"], place=PLACE)


def test_a_value_split_over_calls_to_one_destination():
    known = knowing(VALUE)
    assert not known.hits(["part one sk-live-FAKE012"], place="https://a.evil.example/x?1")
    known.learn_sent("https://a.evil.example/x?1", ["part one sk-live-FAKE012"])
    assert known.hits(["part two 3456789abcdefXYZ"], place="https://b.evil.example/y")
    assert not known.hits(["part two 3456789abcdef"], place="https://other.example/y")


def test_one_character_a_call():
    known = knowing(VALUE)
    sent = 0
    for char in VALUE:
        if known.hits([PLACE, char], place=PLACE):
            break
        known.learn_sent(PLACE, [PLACE, char])
        sent += 1
    assert sent < 0.7 * len(VALUE)


def test_without_fragments_only_whole_values_count():
    known = knowing(VALUE)
    assert not known.scan([VALUE[:-2]], place=PLACE, fragments=False).hits
    assert known.scan([VALUE], place=PLACE, fragments=False).hits


def test_what_the_user_typed_for_a_destination_may_go_there_alone():
    known = knowing(VALUE)
    known.learn_user(f"send {VALUE} to bob@corp.example")
    assert not known.hits([VALUE], place="bob@corp.example")
    assert known.hits([VALUE], place="eve@corp.example")
    assert known.hits([VALUE], place="")


def test_an_exempt_value_does_not_cover_another_that_is_encoded():
    known = knowing(VALUE, "corr3ct-H0rse!staple")
    known.learn_user(f"send {VALUE} to bob@corp.example")
    other = base64.b64encode(b"corr3ct-H0rse!staple").decode()
    assert known.hits([f"{VALUE} {other}"], place="bob@corp.example")


@pytest.mark.parametrize(
    "place",
    [
        "https://evil.example/x",
        "a@not-corp.example",
        "eve.bob@corp.example",
        "https://corp.example.evil.test",
    ],
)
def test_a_look_alike_of_the_typed_destination_is_another(place):
    known = knowing(VALUE)
    known.learn_user(f"send {VALUE} to bob@corp.example and not-evil.example or corp.example.org")
    assert known.hits([VALUE], place=place)


def test_short_values_stand_alone_or_as_written():
    known = knowing("hunter2")
    assert known.hits(["the password is Hunter-2."])
    assert known.hits(["xxhunter2xx"])
    assert not known.hits(["a ghunter 2000 show"])


def test_values_of_signs_are_compared_as_written():
    known = knowing("!$%&/()=+*")
    assert known.hits(["use !$%&/()=+* now"])
    assert not known.hits(["use () now"])


def test_a_stored_base64_value_is_known_in_clear():
    known = KnownSecrets()
    known.learn_result("data:\n  pw: aHVudGVyMmh1bnRlcg==\n", secret_source=True, origin=ORIGIN)
    assert known.hits(["it is hunter2hunter"])


def test_results_name_their_values():
    known = KnownSecrets()
    assert (
        known.learn_result(
            {"password": "hunt3r-Two!", "comment": "hunt3r-Two?"},
            secret_source=False,
            origin=ORIGIN,
        )
        == 1
    )
    assert known.hits(["hunt3r-Two!"])


def test_nothing_shows_a_value():
    known = knowing(VALUE, "pässwörd-lang-123")
    known.learn_user(f"send {VALUE} to bob@corp.example")
    known.learn_sent(PLACE, ["sk-", "li", "v", "sk-live-FAKE012"])
    shown = repr(known) + repr(known.snapshot()) + repr(known.hits([VALUE], place="x.example"))
    shown += known.redact(f"it is {VALUE} or pässwörd-lang-123")
    for piece in ("FAKE", "sk-live", "pässwörd", "lang-123"):
        assert piece not in shown


def test_snapshots_are_equal_after_the_same_lessons_and_keyed():
    def taught(key=b"k"):
        known = KnownSecrets(key=key)
        known.learn(f"API_KEY={VALUE}", secret_source=True, origin=ORIGIN)
        known.learn_sent(PLACE, ["sk-live-FAKE012"])
        return known

    left = taught()
    left.hits([VALUE], place=PLACE)
    assert left.snapshot() == taught().snapshot()
    assert left.snapshot() != taught(b"other").snapshot()


def test_looking_changes_nothing():
    known = knowing(VALUE)
    before = known.snapshot()
    assert known.hits([VALUE], place=PLACE) == known.hits([VALUE], place=PLACE)
    assert known.snapshot() == before


def test_what_was_not_looked_at_is_said_even_with_nothing_known():
    assert KnownSecrets().scan(["x" * 2000], max_kb=1).not_scanned == (
        "text after 1024 characters",
    )
    assert knowing(VALUE).scan(["y " * 1000], max_kb=1).not_scanned


def test_many_planted_values_are_all_found_whole_and_real_ones_in_parts():
    known = KnownSecrets()
    planted = [f"pl4nt-{i:06d}-{i * 7919 % 999983:06d}-Zq" for i in range(3000)]
    for value in planted:
        known._remember(value, "named-value", ORIGIN, secret_source=False)
    known.learn(f"API_KEY={VALUE}", secret_source=True, origin=ORIGIN)
    assert known.hits([f"x {planted[2999]} y"])
    assert known.hits([f"x {planted[0]} y"])
    assert known.hits(["sk-live-FAKE0123456789ab"], place=PLACE)


@pytest.mark.parametrize(
    ("first", "second"), [*itertools.product(["base64", "hex", "base32"], repeat=2)]
)
def test_blob_in_blob(first, second):
    assert knowing(VALUE).hits([ENCODERS[second](ENCODERS[first](VALUE))], place=PLACE)
