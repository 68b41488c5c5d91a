"""Recognising credentials: every shape, what is none, places that hold secrets, speed of a bad text.

Examples are put together here from a prefix and filler, so that no scanner takes them for real.
"""

import string
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tripwire.text import plausible, secret_shapes, secrets
from tripwire.text.secret_patterns import KEYED, PATTERNS

FILL = {
    "alnum": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0",
    "upper": "A3DE6GH9JK2MN5PQ8ST1VW4YZ7CF0",
    "lower": "a3de6gh9jk2mn5pq8st1vw4yz7cf0",
    "hex": "a3de6f09b2c58d14e7",
    "url": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0",
    "b64": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0",
    "dot": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0",
}


def body(shape, length):
    fill = FILL[shape.alphabet]
    return (fill * (length // len(fill) + 1))[:length]


@pytest.mark.parametrize("shape", secret_shapes.SHAPES, ids=lambda s: s.rule)
def test_every_shape_is_found_and_a_short_one_is_not(shape):
    token = shape.prefix + body(shape, shape.low)
    text = f"see {token} please"
    assert any(span.text(text).startswith(token) for span in secrets.find(text)), token
    if shape.low > 10:
        short = shape.prefix + body(shape, shape.low - 1)
        assert not any(s.rule == shape.rule for s in secrets.find_shapes(f"see {short} please"))


def test_the_table_is_wide_and_says_whose_facts_it_holds():
    assert len(secret_shapes.SHAPES) + len(PATTERNS) + len(KEYED) >= 300
    assert len({s.source for s in secret_shapes.SHAPES}) >= 110
    assert all(s.source for s in secret_shapes.SHAPES)
    assert len({s.rule for s in secret_shapes.SHAPES}) == len(secret_shapes.SHAPES)


@pytest.mark.parametrize("pattern", KEYED, ids=lambda p: p.rule)
def test_a_providers_name_makes_a_plain_hash_a_credential(pattern):
    name = pattern.rule.removesuffix("-key").replace("-", "_").upper()
    candidates = [
        FILL[kind][i:] + FILL[kind] * 3 for kind in ("hex", "alnum", "upper") for i in range(2)
    ]
    lengths = [*range(12, 80)]
    made = [f"{name}_API_KEY={c[:n]}" for c in candidates for n in lengths]
    assert any(secrets.find(text) for text in made)


FOUND = [
    ("API_KEY=" + "sk-live-" + "FAKE0123456789abcdefXYZ", "sk-live-" + "FAKE0123456789abcdefXYZ"),
    ("password: 'hunt3r-Two!'", "hunt3r-Two!"),
    ('{"client_secret": "zQ9x-77aa-Bb12"}', "zQ9x-77aa-Bb12"),
    ("postgres://app:" + "s3cr3t-pw@db.internal/x", "s3cr3t-pw"),
    ("Server=x;User Id=y;Password=" + "Ab12cd34;", "Ab12cd34"),
    ("Authorization: Bearer " + "aB3dE6gH9jK2mN5pQ8sT", "aB3dE6gH9jK2mN5pQ8sT"),
    ("//registry.example/:_authToken=" + "aB3dE6gH9jK2mN5p", "aB3dE6gH9jK2mN5p"),
    ("machine x.example login me password " + "pa55-word", "pa55-word"),
    ("curl -u me:" + "pa55W0rd-x https://x.example", "pa55W0rd-x"),
    ("Access key ID,Secret access key\nX1,wJalrXUtnFEMIK7MDENG", "wJalrXUtnFEMIK7MDENG"),
]


@pytest.mark.parametrize(("text", "value"), FOUND, ids=[t[:20] for t, _ in FOUND])
def test_found_in_ordinary_text(text, value):
    assert value in [span.text(text) for span in secrets.find(text)]


NOT_SECRETS = [
    "key: /etc/app/tls/server.key",
    "storage_key: users/2024/avatar.png",
    'KEY_FILE = os.environ.get("KEY_FILE", "/etc/app/tls/server.key.path")',
    "id: 550e8400-e29b-41d4-a716-446655440000",
    '"integrity":"sha512-XBx9AXhXktjUqnepgTiE5flcKIYWi/rme0Eaj+5Y0lftuGBq+jyRu/md4WnuxqgP1ubdpNCsYEYPxrzVHD8d6g=="',
    "password: ${DB_PASSWORD}",
    "token = settings.SECRET_TOKEN",
    "api_key: your-api-key-here",
    "export TOKEN=$(gh auth token)",
    "password = getpass.getpass()",
    "primary_key=order_item_id_2",
    "max_tokens: 4096, token_type: bearer, author: someone1234",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "https://docs.python.org/3/library/secrets.html#secrets.token_hex",
    "Secret Santa is on Friday; the password policy page is updated.",
    "TOKEN=xxxxxxxxxxxxxxxxxxxx",
    "def get_secret_token_value(self, secret_name: str) -> SecretTokenValue:",
    "git grep -n \"secret\" && sed -i 's/get_secret/read_secret/' app.py",
]


@pytest.mark.parametrize("text", NOT_SECRETS)
def test_not_secrets(text):
    assert [(s.rule, s.text(text)) for s in secrets.find(text)] == []


SOURCES = [
    ("DB_PASSWORD=hunter2\n", {"hunter2"}),
    ('PASSWORD=p"a\\ss&word!1', {'p"a\\ss&word!1'}),
    ("plainpassword", {"plainpassword"}),
    ("NODE_ENV=production\nDEBUG=true\nPORT=8080\nPATH=/usr/bin:/bin\nDB_USER=postgres", set()),
    ("Error: permission denied", set()),
    ("db.example:5432:app:me:pa55word", {"pa55word"}),
    ("correct horse battery staple", {"correct horse battery staple"}),
    ("API_TOKEN='quoted value 12'  # comment", {"quoted value 12"}),
    ("", set()),
]


@pytest.mark.parametrize(("text", "values"), SOURCES, ids=[t[:16] for t, _ in SOURCES])
def test_in_a_place_that_holds_secrets(text, values):
    assert {span.text(text) for span in secrets.find(text, secret_source=True)} == values


def test_each_line_of_a_private_key_counts():
    lines = ["MIIEowIBAAKCAQEA7bq1v2c3d4e5f6g7h8i9j0k", "lmnopqrstuvwxyz0123456789ABCDEFGH"]
    for end in ("\n", "\\n"):
        text = end.join(
            ["-----BEGIN RSA " + "PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"]
        )
        assert [span.text(text) for span in secrets.find(text)] == lines


def test_a_name_beside_a_whole_text():
    assert secrets.find("hunt3r-Two!", name="password")
    assert not secrets.find("hunt3r-Two!", name="comment")


def test_redaction_shows_rule_and_length_alone():
    text = "use API_KEY=" + "sk-live-" + "FAKE0123456789abcdefXYZ now"
    assert secrets.redact(text) == "use API_KEY=[secret:named-value:31] now"


@given(st.text(max_size=200), st.booleans())
@settings(max_examples=200)
def test_spans_are_ordered_and_inside(text, source):
    spans = secrets.find(text, secret_source=source)
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)


WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "of",
            "and",
            "to",
            "a",
            "in",
            "is",
            "it",
            "you",
            "that",
            "he",
            "was",
            "for",
            "on",
            "are",
            "with",
            "as",
            "I",
            "his",
            "they",
            "be",
            "at",
            "one",
            "have",
            "this",
            "from",
            "or",
            "had",
            "by",
            "hot",
            "but",
            "some",
            "what",
            "there",
            "we",
            "can",
            "out",
            "other",
            "were",
            "all",
            "your",
            "when",
            "up",
            "use",
            "word",
            "how",
            "said",
            "an",
            "each",
            "she",
            "which",
            "do",
            "their",
            "time",
            "if",
            "will",
            "way",
            "about",
            "many",
            "then",
            "them",
            "would",
            "write",
            "like",
            "so",
            "these",
            "her",
            "long",
            "make",
            "thing",
            "see",
            "him",
            "two",
            "has",
            "look",
            "more",
            "day",
            "could",
            "go",
            "come",
            "did",
            "my",
            "sound",
            "no",
            "most",
            "number",
            "who",
            "over",
            "know",
            "water",
            "than",
            "call",
            "first",
            "people",
            "may",
            "down",
            "side",
            "been",
            "now",
            "find",
            "any",
            "new",
            "work",
            "part",
            "take",
            "get",
            "place",
            "made",
            "live",
            "where",
            "after",
            "back",
            "little",
            "only",
            "round",
            "man",
            "year",
            "came",
            "show",
            "every",
            "good",
            "me",
            "give",
            "our",
            "under",
            "name",
            "very",
            "through",
            "just",
            "form",
            "much",
            "great",
            "think",
            "say",
            "help",
            "low",
            "line",
            "before",
            "turn",
            "cause",
            "same",
            "mean",
            "differ",
            "move",
            "right",
            "boy",
            "old",
            "too",
            "does",
            "tell",
            "sentence",
            "set",
            "three",
            "want",
            "air",
            "well",
            "also",
            "play",
            "small",
            "end",
            "put",
            "home",
            "read",
            "hand",
            "port",
            "large",
            "spell",
            "add",
            "even",
            "land",
            "here",
            "must",
            "big",
            "high",
            "such",
            "follow",
            "act",
            "why",
            "ask",
            "men",
            "change",
            "went",
            "light",
            "kind",
            "off",
            "need",
            "house",
            "picture",
            "try",
            "us",
            "again",
            "animal",
            "point",
            "mother",
            "world",
            "near",
            "build",
            "self",
            "earth",
            "father",
            "password",
            "secret",
            "token",
            "key",
        ]
    ),
    min_size=5,
    max_size=120,
)


@given(WORDS)
def test_prose_is_never_a_secret(words):
    assert secrets.find(" ".join(words)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE KEY-----" * 20_000,
        "a=b" + " " * 400_000,
        "key" * 100_000,
        "password=" * 10_000,
        "a," * 200_000,
        "it" * 200_000 + "!",
        "TOKEN=" + "it" * 400 + "?",
        "x." * 200_000,
        "eyJ" + "a" * 400_000,
    ],
    ids=lambda t: t[:12],
)
def test_hostile_texts_take_linear_time(text):
    def took(part):
        start = time.process_time()
        secrets.find(part, secret_source=True)
        return time.process_time() - start

    took("warm")
    half, whole = took(text[: len(text) // 4]), took(text)
    assert whole < 0.2 or whole / max(half, 1e-4) < 12  # four times the text; quadratic would be 16


DIGITS = st.text("0123456789", min_size=8, max_size=14)
ENDING = st.text(string.ascii_letters + string.digits, min_size=18, max_size=34)


@given(st.lists(DIGITS, min_size=1, max_size=2), ENDING)
def test_a_slack_bot_token_is_found_whatever_its_digits(groups, ending):
    token = "-".join(["xoxb", *groups, ending])
    assume(not plausible.never(token))
    assert [span.text(f"see {token} now") for span in secrets.find_shapes(f"see {token} now")] == [
        token
    ]


@pytest.mark.parametrize(
    "text",
    [
        "xoxb-your-slack-bot-token-goes-here",
        "xoxb-123456789012-123456789012-XXXXXXXXXXXXXXXXXXXXXXXX",
        "xoxb-some-long-name-of-a-branch-in-git",
    ],
)
def test_a_placeholder_of_a_slack_token_is_none(text):
    assert not secrets.find_shapes(f"see {text} now")
