"""The initialize answer: one upstream's as it is, several as their union (G-6).

A client that speaks a later revision first (`server/discover`, an unknown version) is answered so
that it falls back to one of `REVISIONS`. Does not talk to anybody: text in, text out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tripwire.doors.gateway import jsonrpc
from tripwire.doors.gateway.jsonrpc import Message

REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`; the last is offered to a client with an unknown one."""
BATCHING: Final = frozenset({"2024-11-05", "2025-03-26"})
"""Revisions that know batches; later ones refuse them."""
LISTS: Final = ("tools", "prompts", "resources")
NAME: Final = "tripwire-gateway"


def params_for_upstream(message: Message) -> str:
    """The client's initialize params as they are, with a revision that the gateway speaks."""
    text = message.raw("params") or "{}"
    wanted = message.params.get("protocolVersion")
    if wanted in REVISIONS:
        return text
    place = message.inner("params").get("protocolVersion")
    newest = jsonrpc.dumps(REVISIONS[-1])
    if place is None:
        return _with_member(text, "protocolVersion", newest)
    return message.spliced((place, newest))[
        message.parts["params"].start : message.parts["params"].end
        + len(newest)
        - (place.end - place.start)
    ]


def answer(
    answers: Sequence[tuple[str, Message]], missing: Sequence[str], asked: str, version: str
) -> str:
    """The result text of `initialize`, from the upstreams that answered and those that did not.

    `asked` is the revision of the client, `version` Tripwire's own.
    """
    if len(answers) == 1 and not missing:
        return _single(answers[0][1])
    results = [(name, message.inner("result"), message) for name, message in answers]
    merged: dict[str, str] = {}
    for _, parts, message in results:
        for key, part in parts.items():
            merged.setdefault(key, message.text[part.start : part.end])
    revisions = [p["protocolVersion"].value for _, p, _ in results if "protocolVersion" in p]
    merged["protocolVersion"] = jsonrpc.dumps(_common(revisions, asked))
    merged["capabilities"] = _capabilities(answers, missing)
    merged["serverInfo"] = _server_info(answers, version)
    instructions = _instructions(answers, missing)
    if instructions:
        merged["instructions"] = jsonrpc.dumps(instructions)
    return "{" + ",".join(f"{jsonrpc.dumps(k)}:{v}" for k, v in merged.items()) + "}"


def _single(message: Message) -> str:
    text = message.raw("result")
    offered = message.inner("result").get("capabilities")
    if offered is None:
        return _with_member(text, "capabilities", '{"tools":{}}')
    if not isinstance(offered.value, dict) or "tools" in offered.value:
        return text
    inner = _with_member(message.text[offered.start : offered.end], "tools", "{}")
    begin = message.parts["result"].start
    return text[: offered.start - begin] + inner + text[offered.end - begin :]


def _with_member(text: str, key: str, value: str) -> str:
    rest = text.lstrip()[1:]
    comma = "" if rest.lstrip().startswith("}") else ","
    return "{" + f'"{key}":{value}{comma}{rest}'


def _common(revisions: Sequence[Any], asked: str) -> str:
    known = [r for r in revisions if r in REVISIONS]
    if known:
        return str(min(known, key=REVISIONS.index))  # what every upstream speaks
    if revisions:
        return str(revisions[0])
    return asked if asked in REVISIONS else REVISIONS[-1]


def _capabilities(answers: Sequence[tuple[str, Message]], missing: Sequence[str]) -> str:
    offered = [m.get("result").get("capabilities") for _, m in answers]
    union: dict[str, Any] = {"tools": {}}
    for each in offered:
        if isinstance(each, dict):
            union = _union(union, each)
    if missing or len(answers) > 1:
        # What a server that is down offers is not known yet; it is announced when it comes up.
        for key in LISTS if missing else ("tools",):
            union = _union(union, {key: {"listChanged": True}})
    return jsonrpc.dumps(union)


def _union(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(one)
    for key, value in other.items():
        mine = made.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            made[key] = _union(mine, value)
        elif isinstance(mine, bool) and isinstance(value, bool):
            made[key] = mine or value
        else:
            made.setdefault(key, value)
    return made


def _server_info(answers: Sequence[tuple[str, Message]], version: str) -> str:
    union: dict[str, Any] = {"name": NAME, "version": version}
    for _, message in answers:
        info = message.get("result").get("serverInfo")
        if isinstance(info, dict):
            union = _union(union, {k: v for k, v in info.items() if k != "title"})
    return jsonrpc.dumps(union)


def _instructions(answers: Sequence[tuple[str, Message]], missing: Sequence[str]) -> str:
    said = [
        f"# {name}\n{message.get('result')['instructions']}"
        for name, message in answers
        if isinstance(message.get("result").get("instructions"), str)
    ]
    if missing:
        said.append(f"Not available yet: {', '.join(missing)}.")
    return "\n\n".join(said)
