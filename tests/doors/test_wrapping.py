"""A result that a rule stops reaches nobody, whatever kind of function gave it."""

import asyncio

import pytest

from tripwire.doors.wrapping import wrap
from tripwire.errors import EvidenceUnavailable
from tripwire.model.verdict import Action, Finding, Verdict


class StopsSecrets:
    """A guard that lets every call run and stops results that hold a word."""

    def check(self, tool, args, *, source):
        return Verdict()

    async def acheck(self, tool, args, *, source):
        return Verdict()

    def observe(self, tool, args, result, error=None, *, source):
        if "disk full" in str(result):
            raise EvidenceUnavailable("the journal cannot be written")
        stops = "forbidden" in str(result)
        return Verdict.of(Finding("act/x", Action.BLOCK, "no")) if stops else Verdict()

    def refuse(self, verdict):
        return "refused"


def plain(text):
    return [text]


async def coroutine(text):
    return [text]


def generator(text):
    yield "first "
    yield text
    yield "after"


async def async_generator(text):
    yield "first "
    yield text
    yield "after"


def given(function, text):
    """Everything that the caller of the wrapped function sees."""
    answer = wrap(StopsSecrets(), function, "tool", None)(text)
    if function is generator:
        return list(answer)
    if function is async_generator:

        async def all_of_it():
            return [chunk async for chunk in answer]

        return asyncio.run(all_of_it())
    return asyncio.run(answer) if function is coroutine else answer


KINDS = (plain, coroutine, generator, async_generator)


@pytest.mark.parametrize("function", KINDS)
def test_a_stopped_result_is_not_handed_on(function):
    seen = given(function, "forbidden")
    assert "forbidden" not in str(seen)
    assert "after" not in str(seen)
    assert "refused" in str(seen)


@pytest.mark.parametrize("function", KINDS)
def test_a_result_without_a_record_is_not_handed_on(function):
    with pytest.raises(EvidenceUnavailable):
        given(function, "disk full")


@pytest.mark.parametrize("function", [generator, async_generator])
def test_a_word_cut_in_two_by_chunking_is_seen_whole(function):
    def halves(text):
        yield "forb"
        yield "idden"

    async def async_halves(text):
        yield "forb"
        yield "idden"

    chosen = halves if function is generator else async_halves
    wrapped = wrap(StopsSecrets(), chosen, "tool", None)("x")
    if chosen is halves:
        assert list(wrapped) == ["forb", "refused"]
    else:

        async def all_of_it():
            return [chunk async for chunk in wrapped]

        assert asyncio.run(all_of_it()) == ["forb", "refused"]


@pytest.mark.parametrize("function", KINDS)
def test_a_clean_result_arrives_whole(function):
    seen = given(function, "clean")
    expected = ["first ", "clean", "after"] if "generator" in function.__name__ else ["clean"]
    assert seen == expected
