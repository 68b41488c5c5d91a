"""Hosts in words of a command line: of URLs, `user@host:path`, addresses and bare names.

Only a spelling that every program reads the same way gives a host; anything else gives "".
"""

from __future__ import annotations

import re

from tripwire.act.shell.text import HOLE, known

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:[^/?#@\\\s\0]*@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d*)?(?:[/?#].*)?",
    re.DOTALL,
)
_BARE = re.compile(
    r"(?:[^/?#@\\\s:\0]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d*)?(?:[/?#].*)?",
    re.DOTALL,
)
_REMOTE = re.compile(
    r"(?:[^/?#@\\\s:\0]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::.*)?", re.DOTALL
)
_NAME = re.compile(r"(?P<host>\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:.]+\]?|[A-Za-z0-9._-]+)")
_LOOPBACK = re.compile(r"(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[?::1\]?|0\.0\.0\.0|\[?::\]?")
_WITH_HOST = frozenset(
    {"http", "https", "ftp", "ftps", "sftp", "ssh", "git", "ws", "wss", "postgres", "postgresql",
     "mysql", "mariadb", "redis", "rediss", "mongodb", "amqp", "amqps", "ldap", "ldaps", "telnet",
     "tcp", "udp", "rsync", "scp", "smb", "nats", "mqtt", "mqtts", "clickhouse", "git+ssh",
     "git+https", "git+http", "ssl", "tls", "gopher", "dict", "imap", "smtp", "smtps", "socks5",
     "socks5h", "socks4", "socks4a", "svn", "svn+ssh", "irc", "grpc"}
)  # fmt: skip
"""Schemes whose authority is a host; the bucket of `s3://name` is none."""
_LOOKS_LIKE_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SCP = re.compile(r"(?:[^/:\s]+@)?[^/:\s]+:(?!//).*", re.DOTALL)


def is_url(word: str) -> bool:
    """Whether `word` begins like a URL."""
    return bool(_LOOKS_LIKE_URL.match(word))


def is_remote_path(word: str) -> bool:
    """Whether `word` is `host:path` as scp, rsync and git read it."""
    return bool(_SCP.fullmatch(word)) and not is_url(word)


def host_of(value: str, *, kind: str = "url") -> str:
    """The literal host of `value`, lower case; "" if there is none or readers could disagree."""
    match: re.Match[str] | None
    if is_url(value):
        match = _URL.fullmatch(value)
        if match is not None and match["scheme"].lower() not in _WITH_HOST:
            return ""
    elif kind == "none":
        return ""  # a name of a package, bucket or pod is no host, whatever it looks like
    elif kind == "mail":
        return value.rpartition("@")[2].lower() if "@" in value and HOLE not in value else ""
    elif kind == "remote":
        match = _REMOTE.fullmatch(value) if ":" in value or "@" in value else None
    elif kind == "name":
        match = _NAME.fullmatch(value)
    else:
        match = _BARE.fullmatch(value)
    if match is None:
        return ""
    return match["host"].lower().strip("[]")


def is_loopback(host: str) -> bool:
    """Whether the host is this machine (flow.md DEST-7)."""
    return bool(_LOOPBACK.fullmatch(host.lower()))


def shown(value: str) -> str:
    """`value` without the parts that are computed; a computed label leaves the rest of a host."""
    return known(value).lstrip(".") if HOLE in value else value
