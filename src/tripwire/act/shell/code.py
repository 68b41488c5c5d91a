"""Code of languages without a parser here (node, perl, ruby, php, awk, SQL), judged by markers.

Does not catch: code that builds the names it calls at run time without any marker of doing so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tripwire.act.shell.text import HOLE, known
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call

Classify = Callable[["Call", str], None]

WEB_REQUEST = re.compile(
    r"(?i)\b(?:iwr|irm|invoke-(?:web|rest)\w*|curl(?:\.exe)?|wget|downloadstring|downloadfile"
    r"|webclient|httpclient|start-bitstransfer|tcpclient)\b"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s'\"`<>|()\\]*", re.IGNORECASE)
_HOST = re.compile(
    r"['\"]((?:[a-z0-9-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?['\"]",
    re.IGNORECASE,
)
_DESTRUCTIVE_SQL = re.compile(
    r"(?is)\b(?:drop\s+(?:table|database|schema|view|index|user|role|owned|keyspace|collection)"
    r"|truncate\s+(?:table\s+)?[\w\"`.\[]+|delete\s+from\s+[^;]*|flushall|flushdb"
    r"|dropdatabase|update\s+[\w\"`.]+\s+set\s+[^;]*)"
)
_WHERE = re.compile(r"(?i)\bwhere\b\s+(?!(?:1\s*=\s*1|true)\b)")
_SQL_SHELL = re.compile(
    r"(?im)(?:^\s*\\!|\\!\s*\w|\bto\s+program\b|\bfrom\s+program\b|^\s*\.(?:shell|system)\b"
    r"|^\s*system\s|into\s+(?:outfile|dumpfile)|\bload_extension\b|\bxp_cmdshell\b|\\g\s*\|)"
)
_PRIVILEGED_SQL = re.compile(
    r"(?i)\b(?:grant|revoke|create\s+(?:user|role)|alter\s+(?:user|role))\b"
)


def urls(text: str) -> list[str]:
    """URLs and quoted hosts in code."""
    found = dict.fromkeys(_URL.findall(text))
    if not found:
        found = dict.fromkeys(_HOST.findall(text))
    return list(found)


def classify(call: Call, text: str) -> None:
    """Effects of code by the markers it holds (SH-8)."""
    if HOLE in text:
        call.opaque("the code is computed")
    plain = known(text)
    kinds = [
        kind
        for kind, words in call.tables.markers.items()
        if any(_holds(plain, word) for word in words)
    ]
    if "network" in kinds:
        places = urls(plain)
        for place in places or [HOLE]:
            call.egress(place + (HOLE if _computes(plain) else ""), sends=True)
            call.fetched(place)
    if "process" in kinds or "dynamic" in kinds:
        call.opaque("the code runs programs or builds code")
        commands(call, plain)
    if "environment" in kinds:
        call.sink.labels.add(Label.SECRET)
    if "delete" in kinds:
        call.deletes(HOLE, f"{call.name} code", recursive=True)
    if "write" in kinds:
        call.sink.classes.add(WriteClass.LOCAL)
    for quoted in _quoted(plain):
        word = quoted.lstrip("<>+")  # Perl: open(F, ">path")
        if word.startswith(("/", "~", ".")) or "." in word:
            call.reads([word])
            if "write" in kinds:
                call.writes(word, f"{call.name} code")


def _holds(text: str, marker: str) -> bool:
    at = text.find(marker)
    while at >= 0:
        before = text[at - 1 : at]
        after = text[at + len(marker) : at + len(marker) + 1]
        word_start = not (marker[0].isalnum() and (before.isalnum() or before == "_"))
        word_end = not (marker[-1].isalnum() and (after.isalnum() or after == "_"))
        if word_start and word_end:
            return True
        at = text.find(marker, at + 1)
    return False


def _computes(text: str) -> bool:
    return "+" in text or "${" in text or "#{" in text or " . " in text or '".' in text


def _quoted(text: str) -> list[str]:
    return [w for w in re.findall(r"['\"`]([^'\"`\n\\]{1,200})['\"`]", text) if " " not in w][:64]


def commands(call: Call, text: str) -> None:
    """Strings in code that begin with a known egress program are taken as commands."""
    for _, inner in re.findall(r"(['\"`])((?:(?!\1).){1,2000})\1", text, re.DOTALL)[:32]:
        first = inner.split(None, 1)[0].rpartition("/")[2] if inner.split() else ""
        if first in call.tables.egress or first in ("git", "gh", "sh", "bash", "rm"):
            call.runner.text(inner, call.scope.copy(), None)


def sql(call: Call, text: str) -> None:
    """Statements that drop, truncate, or delete without a condition; escapes to a shell."""
    for statement in text.split(";"):
        found = _DESTRUCTIVE_SQL.search(statement)
        if found is None:
            continue
        verb = found[0].lower()
        if not verb.startswith(("delete", "update")) or not _WHERE.search(statement):
            call.sink.classes.add(WriteClass.DESTRUCTIVE)
    if _SQL_SHELL.search(text):
        call.opaque("SQL that runs programs or writes files")
    if _PRIVILEGED_SQL.search(text):
        call.sink.classes.add(WriteClass.PRIVILEGED)
