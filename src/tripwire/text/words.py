"""Splits text into the tokens of the flow index: words, addresses, URLs, numbers (flow.md PROV-1).

A token is whole: its neighbours may not be letters, digits, or one of `_ % + - @ .` that goes on
(flow.md PROV-7). Knows nothing of where a text came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import re2

from tripwire.text.urls import Url, is_email, is_host, parse, plain_parts, site_of
from tripwire.text.well_formed import well_formed

_RUN = re.compile(r"\w++(?:[%+\-@.]++\w++)*+")
_PIECE = re.compile(r"[^\"'`<>(){}\[\]|,;\\]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,15}://[^\s\"'`<>\\^{}|]+")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?")
_DIGITS = re.compile(r"\d[\d \-()./]{5,}\d")
_ASCII_DIGITS = re.compile(_DIGITS.pattern, re.ASCII)
_IBAN_SIGN = re2.compile(r"[A-Z]{2}[0-9]{2}")
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


def tokens(text: str) -> set[str]:
    """Every token of `text`.

    Runs stand as they are, wholes with more parts than one run are prefixed: `u ` a URL, `p ` a
    host with its path, `d ` the site a host belongs to, `c ` any other chunk, `# ` digits of a
    number or an account.
    """
    chunks = set(text.split())
    odd = [chunk for chunk in chunks if not chunk.isalpha()]
    found = set(map(str.casefold, chunks.difference(odd)))
    if odd:
        _add_parts(odd, found)
    plain = text.isascii()
    numbers = (_ASCII_DIGITS if plain else _DIGITS).findall(text)
    found.update([f"# {digits(number)}" for number in numbers])
    if not plain or _IBAN_SIGN.search(well_formed(text)) is not None:
        found.update([f"# {account.replace(' ', '')}" for account in _IBAN.findall(text)])
    return found


def _add_parts(chunks: list[str], found: set[str]) -> None:
    """Adds the parts of chunks that are no plain words.

    All are read in one go, with something between them that no part can hold.
    """
    for run in set(_RUN.findall("\n".join(chunks))):
        if "@" in run:
            found.add(f"d {site_of(run.rpartition('@')[2].casefold())}")
        found.add(fold(run))
    links = [chunk for chunk in chunks if "://" in chunk]
    for link in _URL.findall("\n".join(links)) if links else ():
        found.update(url_tokens(link.rstrip(_TAIL)))
    pieces = [c for c in chunks if ("/" in c or ":" in c) and "://" not in c]
    for piece in _PIECE.findall(",".join(pieces)) if pieces else ():
        if "/" in piece or ":" in piece:
            found.add(f"c {piece.strip(_TAIL)}")


def url_tokens(text: str) -> tuple[str, ...]:
    """Whole, host and host with path of one URL, and the site it belongs to."""
    plain = plain_parts(text)
    if plain is not None:
        scheme, host, path, query = plain
        place = f"{host}{path}"
        return f"u {scheme}://{place}{query}", host, f"p {place}", f"d {site_of(host)}"
    url = parse(text)
    if url is None or not url.host:
        return ()
    return f"u {_canonical(url)}", url.host, f"p {url.place}", f"d {site_of(url.host)}"


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
    return "".join(filter(str.isdigit, text))


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
