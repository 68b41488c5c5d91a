"""Reads values out of a call's arguments: by path, as places, as texts.

Argument paths are `to`, `headers.cc`, `attendees[*].email`, or a template `{owner}/{repo}`
(flow.md §2.4). JSON text in a string is opened, as nested values are (DEST-5).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from tripwire.text import shapes, urls
from tripwire.text.content import strings
from tripwire.text.lexicon import lexicon

_TEMPLATE = re.compile(r"\{([^{}]+)\}")
_SPLIT = re.compile(r"[,;\s]+")
_ADDRESS_WORDS = """
to cc bcc recipient recipients email emails emailaddress address addresses attendee attendees
invitee invitees participants guests replyto forwardto webhook webhookurl callback callbackurl
url uri urls endpoint host hostname server remote destination dest target targeturl headers
header link href notify notifyemail sharewith grantee
"""
_BODY_WORDS = """
body content text message html description note notes comment summary subject title prompt
query pattern search oldstring newstring newsource command
"""
_ADDRESS_NAMES = frozenset(_ADDRESS_WORDS.split())
_ACCOUNT_NAMES = lexicon(
    "wallet walletaddress account accountid accountnumber accountno acct payee payeeid payto "
    "payout payoutaddress beneficiary iban receiver receiveraddress recipientaddress toaddress "
    "toaccount walletid depositaddress withdrawto forwardto split splitto"
)
_SHORTEST = 15
_LONGEST = 64
_ETHEREUM = len("0x") + 40
_BODY_NAMES = frozenset(_BODY_WORDS.split())


def values_at(args: Mapping[str, object], path: str) -> list[str]:
    """The texts that an argument path names, lists flattened; absent is empty."""
    if "{" in path:
        filled = _TEMPLATE.sub(lambda m: next(iter(values_at(args, m.group(1))), ""), path)
        return [filled] if filled.strip("/") else []
    if path.isidentifier():  # the most by far: one name at the top
        return list(_texts(args[path])) if path in args else []
    found: list[object] = [args]
    for step in path.replace("[*]", ".[*]").split("."):
        found = [inner for value in found for inner in _step(value, step)]
    return [text for value in found for text in _texts(value)]


def _step(value: object, step: str) -> Iterator[object]:
    value = opened(value)
    if step == "[*]":
        if isinstance(value, list | tuple):
            yield from value
        elif value is not None:
            yield value
    elif isinstance(value, Mapping) and step in value:
        yield value[step]
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _step(item, step)


def opened(value: object) -> object:
    """A JSON object or array that is written as text; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _texts(value: object) -> Iterator[str]:
    value = opened(value)
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for item in value.values() for text in _texts(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in _texts(item))
    elif value is not None:
        yield from strings(value)


def recipients(values: list[str]) -> list[str]:
    """Each address of fields that may hold several: `a@x.example, b@x.example`."""
    out: list[str] = []
    for value in values:
        if "@" in value and "://" not in value:
            found = urls.emails(value)
            rest = [p for p in _SPLIT.split(value) if p and "@" not in p]
            out.extend(found or [value])
            out.extend(p for p in rest if urls.is_host(p))
        elif value.strip():
            out.append(value.strip())
    return list(dict.fromkeys(out))


def undeclared(args: Mapping[str, object], declared: frozenset[str]) -> Iterator[tuple[str, str]]:
    """(value, name) of address-like arguments that no role names (DEST-5)."""
    yield from _walk(args, "", declared, 0)


def _walk(
    value: object, name: str, declared: frozenset[str], depth: int
) -> Iterator[tuple[str, str]]:
    value = opened(value)
    if depth > 32:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            if str(key) not in declared or depth:
                yield from _walk(item, str(key), declared, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _walk(item, name, declared, depth + 1)
    elif isinstance(value, str):
        yield from ((found, name) for found in _addresses(value, name))


def _addresses(value: str, name: str) -> list[str]:
    plain = name.casefold().replace("_", "").replace("-", "")
    text = value.strip()
    if _SHORTEST <= len(text) <= _LONGEST and _is_account(text, plain):
        return [text]
    if plain in _ADDRESS_NAMES:
        found = urls.emails(text) if "@" in text else []
        links = re.findall(r"[A-Za-z][\w+.\-]*://[^\s\"'<>]+", text[:8192])
        return [*links, *(mail for mail in found if not any(mail in link for link in links))]
    if plain in _BODY_NAMES or len(text) > 2048:
        return []
    return [text] if urls.is_email(text) or ("://" in text and urls.parse(text)) else []


def _is_account(text: str, plain: str) -> bool:
    """An IBAN or a wallet; one that may be a digest or an id only where its name says so."""
    if text[2:4].isdecimal() and text[:2].isalpha():
        return shapes.iban_valid(text.replace(" ", "").upper())
    kind, norm = shapes.typed(text) or ("", "")
    if kind != "address" or len(norm) < _SHORTEST:
        return False
    certain = text[:2] in ("0x", "0X") and len(text) == _ETHEREUM
    return certain or plain in _ACCOUNT_NAMES or plain in _ADDRESS_NAMES


def all_texts(args: Mapping[str, object]) -> tuple[str, ...]:
    """Every text of the arguments, keys left out, JSON in strings kept as it is."""
    return tuple(text for value in args.values() for text in _leaves(value))


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, bytes | bytearray):
        yield bytes(value).decode("utf-8", "replace")
    elif value is not None and not isinstance(value, bool):
        yield from strings(value)
