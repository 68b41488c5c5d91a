"""The parser: any text, offsets of the source, and no character beyond ASCII in the scanner."""

from tripwire.act.shell.parse import is_ambiguous, parse, readings


def test_characters_beyond_ascii_do_not_crash_and_keep_their_place():
    # The scanner looks code points up in an unbounded table: these two killed the process.
    for text in (
        "&\U001048b4诚长${\U000d75c2{\U000a2d1aH",
        "1B榗赯\U0005b82c\U000f0345䍐=떎㻣}蝙≤",
    ):
        source, root = parse(text)
        assert source.decode() == text
        assert root.end_byte <= len(source)
    source, root = parse("echo é; ls 世")
    assert [source[c.start_byte : c.end_byte].decode() for c in root.named_children] == [
        "echo é",
        "ls 世",
    ]


def test_lone_surrogates_are_replaced():
    assert parse("echo \ud800")[0] == b"echo ?"


def test_a_delimiter_beyond_ascii_is_ambiguous():
    assert is_ambiguous("cat <<é\nx\né\n")
    assert is_ambiguous("cat <<-'Eé'\nx\n")
    assert not is_ambiguous("cat <<E\né\nE\n")


def test_every_reading_of_a_split_word_is_taken():
    assert readings("ls") == ("ls",)
    assert "curl x" in readings("cu\\\nrl x")
    assert "# a\\\ncurl x" in readings("# a\\\ncurl x")
    assert " { curl x; }" in readings("! { curl x; }")
