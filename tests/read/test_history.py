"""read/history: git's output as values, cut short or odd."""

from tripwire.read.history import Change, changes_of, commits_of

HEAD = "\x01{}\x02{}\x02100\x02A@X.example\x02{}\0"


def text(name, parents="", message="m", entries=""):
    return HEAD.format(name, parents, message) + entries + "\0"


def test_commits():
    one = text(
        "aa",
        "bb cc",
        "fix\x02x\n\nbody",
        "\n1\t2\ta\x01b\nc\0-\t-\tbin\x000\t3\t\x00old\x00\x01new\x00",
    )
    two = text("bb")
    found = list(commits_of(one + two))
    assert [c.id for c in found] == ["aa", "bb"]
    assert found[0].parents == ("bb", "cc")
    assert (found[0].at, found[0].author, found[0].subject) == (100.0, "a@x.example", "fix\x02x")
    assert found[0].changes == (Change("a\x01b\nc", 1, 2), Change("bin"), Change("\x01new", 0, 3))
    assert found[0].changes[0].lines == 2
    assert found[1].changes == ()


def test_what_is_cut_short_is_left_out():
    whole = text("aa", entries="\n1\t2\ta\x003\t4\tsecond")
    assert next(iter(commits_of(whole.rstrip("\0")))).changes == (Change("a", 1, 2),)
    assert list(commits_of("")) == []
    assert next(iter(commits_of("\x01aa\0"))).at == 0
    assert list(changes_of(["1\t1\t", "old"])) == []
    assert list(changes_of(["nonsense", "9" * 40 + "\t1\tx"])) == [Change("x", int("9" * 12), 1)]
