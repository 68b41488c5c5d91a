"""A guarded function: sync, async, generator, async generator; methods too (flow.md LIB-1, LIB-4).

Chunks are learnt as they pass, exceptions as failures.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Protocol

from tripwire.model.verdict import Verdict

_TAIL = 512
"""Characters of a stream that are read again with the next chunk: a value cut in two by chunking
must be seen whole."""


class Judge(Protocol):
    """What a wrapper needs of a Guard."""

    def check(self, tool: str, args: Mapping[str, Any], *, source: str | None) -> Verdict:
        """Judge a call before it runs."""

    async def acheck(self, tool: str, args: Mapping[str, Any], *, source: str | None) -> Verdict:
        """`check` inside a running loop."""

    def observe(
        self,
        tool: str,
        args: Mapping[str, Any],
        result: object,
        error: BaseException | None = None,
        *,
        source: str | None,
    ) -> Verdict:
        """Learn what a call gave back."""

    def refuse(self, verdict: Verdict) -> str:
        """What the caller of a stopped call gets."""


def wrap(
    guard: Judge, function: Callable[..., Any], name: str, source: str | None
) -> Callable[..., Any]:
    """`function`, judged before each call and learnt from after it."""
    bind = functools.partial(_arguments, inspect.signature(function))
    make = _wrapper_for(function)
    return functools.wraps(function)(make(guard, function, name, source, bind))


def _wrapper_for(function: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.isgeneratorfunction(function):
        return _generator
    if inspect.iscoroutinefunction(function):
        return _coroutine
    return _plain


def _arguments(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The call's arguments by name, defaults included, without `self` and `cls`."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    named: dict[str, Any] = {}
    for key, parameter in signature.parameters.items():
        value = bound.arguments.get(key)
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value or {})
        elif key not in ("self", "cls"):
            named[key] = value
    return named


def _plain(
    guard: Judge, function: Callable[..., Any], name: str, source: str | None, bind: Any
) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        named = bind(args, kwargs)
        verdict = guard.check(name, named, source=source)
        if not verdict.passes:
            return guard.refuse(verdict)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            guard.observe(name, named, None, error, source=source)
            raise
        return _delivered(guard, guard.observe(name, named, result, source=source), result)

    return guarded


def _coroutine(
    guard: Judge, function: Callable[..., Any], name: str, source: str | None, bind: Any
) -> Callable[..., Any]:
    async def guarded(*args: Any, **kwargs: Any) -> Any:
        named = bind(args, kwargs)
        verdict = await guard.acheck(name, named, source=source)
        if not verdict.passes:
            return guard.refuse(verdict)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            guard.observe(name, named, None, error, source=source)
            raise
        return _delivered(guard, guard.observe(name, named, result, source=source), result)

    return guarded


def _generator(
    guard: Judge, function: Callable[..., Any], name: str, source: str | None, bind: Any
) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Iterator[Any]:
        named = bind(args, kwargs)
        verdict = guard.check(name, named, source=source)
        if not verdict.passes:
            yield guard.refuse(verdict)
            return
        tail = ""
        try:
            for chunk in function(*args, **kwargs):
                tail, verdict = _learn_chunk(guard, name, named, tail, chunk, source)
                if not verdict.passes:
                    yield guard.refuse(verdict)
                    return
                yield chunk
        except Exception as error:
            guard.observe(name, named, None, error, source=source)
            raise

    return guarded


def _async_generator(
    guard: Judge, function: Callable[..., Any], name: str, source: str | None, bind: Any
) -> Callable[..., Any]:
    async def guarded(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        named = bind(args, kwargs)
        verdict = await guard.acheck(name, named, source=source)
        if not verdict.passes:
            yield guard.refuse(verdict)
            return
        tail = ""
        try:
            async for chunk in function(*args, **kwargs):
                tail, verdict = _learn_chunk(guard, name, named, tail, chunk, source)
                if not verdict.passes:
                    yield guard.refuse(verdict)
                    return
                yield chunk
        except Exception as error:
            guard.observe(name, named, None, error, source=source)
            raise

    return guarded


def _learn_chunk(
    guard: Judge, name: str, named: dict[str, Any], tail: str, chunk: Any, source: str | None
) -> tuple[str, Verdict]:
    """Learn one chunk before it passes, with the tail of the text before it.

    Returns the new tail and what was said of the chunk: a stopped one is not handed on.
    """
    if not isinstance(chunk, str):
        return "", guard.observe(name, named, chunk, source=source)
    text = tail + chunk
    return text[-_TAIL:], guard.observe(name, named, text, source=source)


def _delivered(guard: Judge, verdict: Verdict, result: Any) -> Any:
    return result if verdict.passes else guard.refuse(verdict)
