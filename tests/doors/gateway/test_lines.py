"""Lines over real pipes: whole, in order, bounded, and never faster than their reader."""

import asyncio
import hashlib
import itertools
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.doors.gateway.lines import (
    HIGH_WATER,
    Dropped,
    Enough,
    LineWriter,
    PipeSource,
    Splitter,
    pump,
    widen,
)


async def at_once() -> None:
    return


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_where_chunks_end_does_not_matter(content, cuts):
    splitter = Splitter(1000)
    places = sorted({0, len(content), *(min(cut, len(content)) for cut in cuts)})
    chunks = [content[a:b] for a, b in itertools.pairwise(places)]
    found = [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.end()
    whole = content.split(b"\n")
    assert found == (whole[:-1] if not whole[-1] else whole)


def test_a_line_over_the_cap_is_dropped_and_named():
    splitter = Splitter(10)
    found = [*splitter.feed(b"x" * 11), *splitter.feed(b"y" * 5 + b"\nnext\n")]
    digest = hashlib.sha256(b"x" * 11 + b"y" * 5).hexdigest()
    assert found == [Dropped(16, digest), b"next"]
    assert splitter.end() == []


def piped(work):
    """Run `work(source, writer)` over one pipe."""

    async def main():
        ours, theirs = os.pipe()
        source, writer = PipeSource(ours), LineWriter(theirs)
        try:
            return await asyncio.wait_for(work(source, writer), 20)
        finally:
            writer.abort()
            source.close()

    return asyncio.run(main())


def test_more_than_a_pipe_holds_arrives_in_order():
    sent = [f"{n}:" + "é" * n for n in range(1500)]  # over a megabyte

    async def work(source, writer):
        found: list = []
        for text in sent:
            writer.send(text)
        assert not writer.broken
        writer.close()  # what waits is still written
        await pump(source, 1 << 20, found.append, at_once)
        return found

    assert [line.decode() for line in piped(work)] == sent


def test_a_slow_reader_is_waited_for():
    async def work(source, writer):
        while writer.send("x" * 1000) is None:
            waiting = asyncio.ensure_future(writer.drained())
            await asyncio.sleep(0)
            if not waiting.done():
                break
        found: list = []
        reading = asyncio.ensure_future(pump(source, 1 << 20, found.append, at_once))
        await waiting
        await writer.flushed(5)
        writer.close()
        await reading
        assert sum(map(len, found)) > HIGH_WATER
        return set(found)

    assert piped(work) == {b"x" * 1000}


def test_nothing_is_read_while_somebody_has_to_catch_up():
    async def work(source, writer):
        found: list = []
        free = asyncio.Event()
        reading = asyncio.ensure_future(pump(source, 1 << 20, found.append, free.wait))
        writer.send("one")
        await asyncio.sleep(0.02)
        writer.send("two")
        await asyncio.sleep(0.02)
        assert found == [b"one"]
        free.set()
        writer.close()
        await reading
        return found

    assert piped(work) == [b"one", b"two"]


@pytest.mark.parametrize("fault", [Enough, ZeroDivisionError])
def test_what_a_line_raises_ends_the_pump(fault):
    def take(line):
        raise fault

    async def work(source, writer):
        writer.send("one")
        await pump(source, 1 << 20, take, at_once)

    if fault is Enough:
        piped(work)
    else:
        with pytest.raises(fault):
            piped(work)


def test_a_reader_that_is_gone_breaks_the_writer_and_nothing_else():
    async def work(source, writer):
        source.close()
        writer.send("x")
        assert writer.broken
        writer.send("y")
        await writer.drained()
        await writer.flushed(1)

    piped(work)


def test_a_file_is_no_pipe(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo")

    async def main():
        with path.open("rb") as file:
            widen(file.fileno())
            with pytest.raises(OSError):
                PipeSource(file.fileno())

    asyncio.run(main())
