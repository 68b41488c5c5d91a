"""Splits text into the tokens of the flow index: words, addresses, URLs, numbers (flow.md PROV-1).

A token is whole: its neighbours may not be letters, digits, or one of `_ % + - @ .` that goes on
(flow.md PROV-7). Knows nothing of where a text came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tripwire.text.urls import Url, is_email, is_host, parse, site_of

_RUN = re.compile(r"\w(?:[\w%+\-@.]*\w)?")
_PIECE = re.compile(r"[^\"'`<>(){}\[\]|,;\\]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,15}://[^\s\"'`<>\\^{}|]+")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?")
_DIGITS = re.compile(r"\d[\d \-()./]{5,}\d")
_GLUE = re.compile(r"[_%+\-@.]+")
_GLUED = re.compile(r"\.(?=[A-Z][a-z]+\b)")
_TAIL = ".,;:!?)]}>'\"*="


def runs(text: str) -> list[str]:
    """Words, e-mail addresses, hosts, file names and ids of `text`, in order, folded."""
    return [fold(run) for run in _RUN.findall(text)]


def spelled_runs(text: str) -> list[str]:
    """The same, case kept."""
    return _RUN.findall(text)


def fold(run: str) -> str:
    """Case folded where case carries nothing (words, hosts, mail); ids keep theirs."""
    if run.isalpha() or "@" in run or "." in run:
        return run.casefold()
    return run


def tokens(text: str) -> Iterator[str]:
    """Every token of `text`; the same one may come more than once.

    Runs stand as they are, wholes with more parts than one run are prefixed: `u ` a URL, `p ` a
    host with its path, `d ` the site a host belongs to, `c ` any other chunk, `# ` digits of a
    number or an account.
    """
    chunks = set(text.split())
    for chunk in chunks:
        if chunk.isalpha():
            yield chunk.casefold()
        else:
            yield from _parts(chunk)
    for found in _DIGITS.findall(text):
        yield f"# {digits(found)}"
    for found in _IBAN.findall(text):
        yield f"# {found.replace(' ', '')}"


def _parts(chunk: str) -> Iterator[str]:
    for run in _RUN.findall(chunk):
        yield fold(run)
        if "@" in run:
            yield f"d {site_of(run.rpartition('@')[2].casefold())}"
    if "://" in chunk:
        for found in _URL.findall(chunk):
            yield from url_tokens(found.rstrip(_TAIL))
    elif "/" in chunk or ":" in chunk:
        for piece in _PIECE.findall(chunk):
            if "/" in piece or ":" in piece:
                yield f"c {piece.strip(_TAIL)}"


def url_tokens(text: str) -> Iterator[str]:
    """Whole, host and host with path of one URL."""
    url = parse(text)
    if url is None or not url.host:
        return
    yield f"u {_canonical(url)}"
    yield url.host
    yield f"p {url.place}"
    yield f"d {site_of(url.host)}"


def canonical_url(text: str) -> str:
    """The form URLs are compared in: host folded, the rest to the letter (flow.md PROV-7)."""
    url = parse(text)
    return text if url is None else _canonical(url)


def _canonical(url: Url) -> str:
    port = f":{url.port}" if url.port else ""
    user = f"{url.userinfo}@" if url.userinfo else ""
    return f"{url.scheme}://{user}{url.host}{port}{url.path}{url.query}"


def digits(text: str) -> str:
    """The digits of `text`: how account, card and phone numbers are compared."""
    return "".join(c for c in text if c.isdigit())


def whole(value: str) -> str:
    """The one token that `value` as a whole would be, "" if it is several words."""
    value = value.strip()
    if not value:
        return ""
    if "://" in value:
        return f"u {canonical_url(value)}"
    compact = value.replace(" ", "")
    if _IBAN.fullmatch(value):
        return f"# {compact}"
    if _RUN.fullmatch(value):
        return fold(value)
    if _DIGITS.fullmatch(value.lstrip("+")):
        return f"# {digits(value)}"
    if not any(c.isspace() for c in value) and ("/" in value or ":" in value):
        return f"c {value.strip(_TAIL)}"
    return ""


def parts(run: str) -> list[str]:
    """What a run is glued together from: `q3-report.pdf` → q3, report, pdf."""
    found = _GLUE.split(run)
    return [part for part in found if part] if len(found) > 1 else []


def sentences(text: str) -> str:
    """A user's text with "site.com.They" taken apart: a dot glued to a capital ends a sentence."""
    return _GLUED.sub(". ", text)


def addresses(texts: Iterable[str]) -> Iterator[str]:
    """Every URL, e-mail address and dotted host in `texts`: what an instruction would plant."""
    for text in texts:
        if "://" in text:
            yield from (found.rstrip(_TAIL) for found in _URL.findall(text))
        for run in _RUN.findall(text) if "." in text else ():
            if "." in run and (is_email(run) or is_host(run)):
                yield run
