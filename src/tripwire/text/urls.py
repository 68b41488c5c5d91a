"""URLs as two parsers see them, classes of hosts, and the patterns of `trusted_urls`.

A URL whose host the two parsers read differently has no host that can be trusted (flow.md PROV-8).
Does not resolve names: a public name that points to loopback is a public name here.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import ada_url
import re2

from tripwire.text.fold import skeleton
from tripwire.text.well_formed import well_formed

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,15}://")
_SCP_LIKE = re.compile(r"(?:[\w.\-]+@)?([A-Za-z0-9][\w.\-]*\.[A-Za-z]{2,}):(?!//)([^\s:]+)")
_HOST = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_\-]*[A-Za-z0-9_])?\.)+[A-Za-z]{2,24}")
_EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~\-]+@(?:[\w\-]+\.)+[\w\-]{2,}")
_PLAIN = re.compile(
    r"(https?)://([A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,24})"
    r"(/[A-Za-z0-9_\-./~!$&()*+,;=:@]*)?(\?[A-Za-z0-9_\-./~!$&()*+,;=:@]+)?"
)
"""What both parsers read alike: a dotted ASCII name, no port, user, escape or backslash."""
_METADATA = frozenset(
    {
        "169.254.169.254",
        "169.254.170.2",
        "fd00:ec2::254",
        "metadata.google.internal",
        "metadata.goog",
        "100.100.100.200",
        "192.0.0.192",
    }
)
_LONGEST = 8192
"""Longer than any URL in honest use; beyond it nothing is parsed and nothing is trusted."""


@dataclass(frozen=True, slots=True)
class Url:
    """A URL in parts. `agreed` is false where the two parsers differ: then `host` is a guess."""

    whole: str
    scheme: str
    host: str
    port: str
    path: str
    query: str
    userinfo: str
    agreed: bool

    @property
    def bare(self) -> bool:
        """Nothing but a host: no path, query, fragment or user."""
        return self.path in ("", "/") and not self.query and not self.userinfo

    @property
    def place(self) -> str:
        """Host and path, the form that is compared with what was read."""
        return f"{self.host}{self.path}"


@lru_cache(maxsize=4096)
def parse(text: str) -> Url | None:
    """The URL that `text` is as a whole, or None. `git@host:path` counts as one."""
    plain = plain_parts(text)
    if plain is None:
        return _parse(text)
    scheme, host, path, query = plain
    return Url(text, scheme, host, "", path, query, "", agreed=True)


def plain_parts(text: str) -> tuple[str, str, str, str] | None:
    """Scheme, host, path and query of a URL that all parsers read alike, None for any other text.

    Only to save time: such a URL has no port, user, escape, backslash or dot segment.
    """
    plain = _PLAIN.fullmatch(text) if len(text) <= _LONGEST else None
    if plain is None:
        return None
    scheme, host, path, query = plain.groups("")
    if "/." in path or "xn--" in host or "XN--" in host:
        return None
    return scheme, host.lower(), path or "/", query


def _parse(text: str) -> Url | None:
    text = text.strip()
    if len(text) > _LONGEST or not text:
        return None
    if _SCHEME.match(text) is None:
        scp = _SCP_LIKE.fullmatch(text)
        if scp is None:
            return None
        return Url(
            text, "ssh", scp.group(1).casefold(), "", f"/{scp.group(2)}", "", "", agreed=True
        )
    try:
        one = ada_url.URL(text)
    except ValueError:
        return Url(text, "", "", "", "", "", "", agreed=False)
    query = f"{one.search}{one.hash}"
    user = f"{one.username}:{one.password}" if one.username or one.password else ""
    host = one.hostname.strip("[]").casefold().rstrip(".")
    agreed = _same_host(text, host)
    scheme = one.protocol.rstrip(":")
    return Url(text, scheme, host, one.port, one.pathname, query, user, agreed)


def _same_host(text: str, host: str) -> bool:
    """Whether RFC 3986 reads the same host (a name that is not ASCII is compared by script)."""
    if "\\" in text.split("?", 1)[0]:
        return False
    try:
        other = (urlsplit(text).hostname or "").casefold().rstrip(".")
    except ValueError:
        return False
    if other == host:
        return True
    if not other.isascii():
        return host.startswith("xn--") and not suspicious_host(other)
    try:
        return ipaddress.ip_address(other) == ipaddress.ip_address(host)
    except ValueError:
        return False


def host_of(value: str) -> str:
    """The host of a URL, an e-mail address, `host:port` or a bare host; "" if there is none."""
    url = parse(value)
    if url is not None:
        return url.host
    if is_email(value):
        return value.rsplit("@", 1)[1].casefold()
    head = value.strip().split("/", 1)[0]
    name, _, port = head.partition(":")
    if port and not port.isdigit():
        return ""
    return name.casefold() if is_host(name) or is_internal_host(name) else ""


@lru_cache(maxsize=4096)
def site_of(host: str) -> str:
    """The part of a host name that one owner holds, told without a list: `a.b.evil.example`.

    Two labels, or three where the last two are as short as `co.uk`.
    """
    labels = host.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or ":" in host:
        return host
    short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3 if short else -2 :])


def is_email(value: str) -> bool:
    """Whether the whole value is one e-mail address."""
    return len(value) < 320 and _EMAIL.fullmatch(value.strip()) is not None


def is_host(value: str) -> bool:
    """Whether the whole value is a dotted host name or an address."""
    return len(value) < 254 and (_HOST.fullmatch(value) is not None or _address(value) is not None)


def emails(text: str) -> list[str]:
    """Every e-mail address in `text`."""
    return _EMAIL.findall(text) if "@" in text else []


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_metadata_host(host: str) -> bool:
    """A cloud's metadata service: what it answers is a credential (flow.md DEST-7)."""
    return host.strip("[]").casefold() in _METADATA


def is_internal_host(host: str) -> bool:
    """Loopback, `*.localhost` and single-label service names (flow.md DEST-7)."""
    host = host.strip("[]").casefold().rstrip(".")
    if not host or is_metadata_host(host):
        return False
    address = _address(host) if host[0].isdigit() or ":" in host else None
    if address is not None:
        return address.is_loopback or address.is_unspecified
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return re.fullmatch(r"[a-z_][a-z0-9_\-]*", host) is not None


def suspicious_host(host: str) -> bool:
    """A host with letters of mixed scripts, or of one that only looks Latin (flow.md PROV-7)."""
    host = host.casefold()
    if any(label.startswith("xn--") for label in host.split(".")):
        host = _decoded(host)
    return any(_suspicious(label) for label in host.split(".") if not label.isascii())


def _suspicious(label: str) -> bool:
    scripts = {unicodedata.name(c, "?").split(" ", 1)[0] for c in label if c.isalpha()}
    if scripts <= {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}:
        return False  # Japanese is written in several scripts at once
    return len(scripts) > 1 or (scripts != {"LATIN"} and skeleton(label).isascii())


def _decoded(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return f"{host}\u0430"  # undecodable: as good as mixed


def matches(pattern: str, url: Url) -> bool:
    """Whether `url` is under `pattern`; `*` crosses no `/`, nor `.` in the host (flow.md §2.3)."""
    if not url.agreed or url.userinfo:
        return False
    scheme, host, path = _pattern(pattern)
    if scheme is not None and scheme != url.scheme:
        return False
    bare = well_formed(url.host)
    named = f"{bare}:{url.port}" if url.port else bare
    if host.fullmatch(named) is None and host.fullmatch(bare) is None:
        return False
    return path.fullmatch(well_formed(url.path)) is not None and ".." not in url.path


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> tuple[str | None, Any, Any]:
    scheme: str | None = None
    if "://" in pattern:
        scheme, pattern = pattern.split("://", 1)
    host, slash, path = pattern.partition("/")
    return (
        scheme,
        _glob(host.casefold(), r"[^./]*"),
        _glob(f"/{path}" if slash else "/**", "[^/]*"),
    )


def _glob(pattern: str, star: str) -> Any:
    """Stars only; `**` at the end takes the rest."""
    rest = pattern.endswith("**")
    body = pattern[:-2] if rest else pattern
    parts = star.join(re2.escape(part) for part in body.split("*"))
    return re2.compile(parts + (".*" if rest else ""))
