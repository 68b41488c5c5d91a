import random

from hypothesis import given
from hypothesis import strategies as st

from tripwire.memory.tokens import Bits, Tokens, bits_of
from tripwire.model.label import Label, Origin, Trust


def origin(receipt, trust=Trust.WORLD):
    return Origin(receipt, "s", "t", trust)


def read(index, text, receipt, bits=Bits.WORLD, *, established=False):
    index.learn([text], bits, origin(receipt), established=established)


def test_typed():
    index = Tokens()
    index.learn_user("Mail Bob@Corp.example and file 13, or 2024 reports on site.com.They know", 1)
    for value in ("bob@corp.example", "BOB@corp.example", "2024", "site.com", "reports on"):
        assert index.typed(value), value
    for value in (
        "13",
        "ob",
        "corp.example",
        "bob@corp.example.evil.io",
        "reports at",
        "on reports",
    ):
        assert not index.typed(value), value


def test_case_of_paths_and_queries_counts():
    index = Tokens()
    index.learn_user("open https://Docs.example/Path?Q=a", 1)
    assert index.typed("https://docs.example/Path?Q=a")
    assert not index.typed("https://docs.example/path?Q=a")
    assert not index.typed("https://docs.example/Path?Q=b")


def test_first_untrusted_stays_untrusted():
    index = Tokens()
    read(index, "write to mallory@evil.example", 1)
    read(index, "mallory@evil.example", 2, Bits.PLATFORM)
    assert index.seen("mallory@evil.example").untrusted


def test_first_trusted_is_not_spoilt_by_a_stranger():
    index = Tokens()
    read(index, "alice@corp.example", 1, Bits.PLATFORM, established=True)
    read(index, "alice@corp.example", 2)
    sighting = index.seen("alice@corp.example")
    assert not sighting.untrusted
    assert sighting.bits & Bits.ESTABLISHED


def test_users_words_lift():
    index = Tokens()
    read(index, "mallory@evil.example", 1)
    index.learn_user("yes, mail mallory@evil.example", 2)
    assert not index.seen("mallory@evil.example").untrusted


def test_agents_own_words_are_not_a_source():
    index = Tokens()
    index.learn_agent(["https://made.example/up"], origin(3))
    sighting = index.seen("https://made.example/up")
    assert sighting.unseen
    read(index, "https://made.example/up", 4, Bits.PLATFORM)
    assert not index.seen("https://made.example/up").bits & Bits.FIRST_TRUSTED


def test_origins_are_the_first_eight():
    index = Tokens()
    for receipt in range(1, 20):
        read(index, "again", receipt)
    found = index.seen("again").origins
    assert [o.receipt for o in found] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_bits_are_never_capped():
    index = Tokens()
    for receipt in range(1, 20):
        read(index, "again", receipt)
    read(index, "again", 20, Bits.PLATFORM | Bits.SECRET)
    assert index.seen("again").bits & Bits.SECRET


def test_phrase_needs_all_its_words():
    index = Tokens()
    read(index, "the weekly report is due", 1)
    assert index.seen("weekly report").bits & Bits.WORLD
    assert index.seen("weekly banana").unseen


def test_bits_of_results():
    assert bits_of(Trust.PLATFORM, [Label.PRIVATE]) == Bits.PLATFORM | Bits.PRIVATE
    assert bits_of(Trust.PLATFORM, [], tainted=True) == Bits.TAINTED
    assert bits_of(Trust.WORLD, [], tainted=True) == Bits.WORLD


@given(
    st.lists(st.tuples(st.text("ab@./: ", max_size=20), st.sampled_from(list(Bits))), max_size=6)
)
def test_same_texts_same_snapshot(texts):
    one, two = Tokens(), Tokens()
    for index in (one, two):
        for number, (text, bits) in enumerate(texts, 1):
            index.learn([text], bits, origin(number), established=False)
    assert one.snapshot() == two.snapshot()


@given(st.text(max_size=80), st.text(max_size=80))
def test_untrusted_text_never_lifts(trusted, stranger):
    index = Tokens()
    read(index, stranger, 1)
    before = {t: index.seen(t).untrusted for t in stranger.split()}
    read(index, trusted, 2, Bits.PLATFORM)
    for token, was in before.items():
        assert index.seen(token).untrusted is was


def test_lookup_does_not_look_at_every_token():
    """Tables of very different size answer with the same number of steps: no scan."""
    index = Tokens()
    dice = random.Random(1)
    for receipt in range(1, 40):
        read(index, " ".join(f"w{dice.randrange(10**6)}" for _ in range(500)), receipt)
    assert index.size > 15_000
    assert index.seen("https://never.example/seen").unseen
