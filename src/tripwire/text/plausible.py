"""Whether a value can be a credential at all: what is not one, by shape and by name (DLP-2).

Does not catch: a password that is one dictionary word, outside of a place that holds secrets.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

MIN_CHARS = 8
"""Shorter values are no credentials, except in places that hold secrets (DLP-2)."""

MIN_SOURCE_CHARS = 6
"""The same for texts from places that hold secrets."""

_LOOKED_AT = 256
"""Characters of a value that are judged."""

_STRONG_NAME = re.compile(
    r"(?:passw(?:or[dt]|d)|passphrase|passcode|pwd|pswd|secret|token|credential|creds|bearer"
    r"|authorization|api[_ .-]?key|access[_ .-]?key|private[_ .-]?key|signing[_ .-]?key"
    r"|encryption[_ .-]?key|master[_ .-]?key|shared[_ .-]?key|account[_ .-]?key|secret[_ .-]?key"
    r"|client[_ .-]?key|deploy[_ .-]?key|license[_ .-]?key|app[_ .-]?key|webhook|mnemonic"
    r"|passwort|kennwort|contrase(?:n|ñ)a|mot[_ ]de[_ ]passe|senha|密码|пароль"
    r"|(?:^|[_ .-])(?:pw|pass|pat|otp|jwt|seed|salt|auth|cred|dsn)[0-9]{0,2}(?:$|[_ .-]))",
    re.IGNORECASE,
)
_KEY_NAME = re.compile(r"(?:^|[_ .-])key(?:$|[_ .-]?[0-9]*$)|[a-z]Key$|[A-Z]_KEY", re.IGNORECASE)
_NOT_NAME = re.compile(
    r"(?:hash|digest|integrity|checksum|sha[0-9]*|md5|etag|commit|revision|fingerprint|thumbprint"
    r"|public|tokeni[sz]|max_?tokens|num_?tokens|n_?tokens|author(?!i[sz]ation)|authored|keyboard"
    r"|(?:file|path|dir|url|uri|endpoint|host|port|name|type|length|size|count|limit|ttl|expir\w*"
    r"|algorithm|algo|header|prefix|suffix|format|version|region|zone|email|mail|user|username"
    r"|role|mode|level|env|policy|page|field|column|index|label|title|id|ids|enabled|required"
    r"|method|provider|service|store|manager|usage|hint|rotation|age))$"
    r"|\b(?:primary|foreign|partition|sort|storage|cache|object|table|unique"
    r"|composite|row)[_ -]?key",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[x*.•\-_#0?]{3,}|<.*>|\[.*\]|\{.*\}|%[A-Za-z_]+%|\$.*"
    r"|(?:your|my|the|some|an?|enter|insert|put|add|use|new|old)[-_ .].*"
    r"|(?:example|sample|dummy|fake|mock|placeholder|change|replace|todo|tbd|none|null|nil|undefined"
    r"|true|false|yes|redacted|hidden|masked|secret|password|passwd|token|api[-_]?key|test|demo"
    r"|default|admin|root|string|optional|required|xxx|foo|bar|baz|unset|empty|unknown)"
    r"(?:[-_ .]?(?:me|key|token|secret|password|value|here|this|string|123|1234|example|xxx|goes"
    r"|now|it|bar))*[!.]?"
    r"|.*(?:[-_ ]here|x{6,}|\*{4,}|\.{3,}).*",
    re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\(.*|\[.*)|(?:[a-z_]\w*\.)+[A-Za-z_]\w*"
    r"|(?:os|process|env|config|settings|self|this|ctx|request|secrets|vault|var|local|data)\.\S+"
    r"|.*(?:\$\{|\{\{|\(\)).*",
    re.DOTALL,
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?[/\\].*|[A-Za-z]:[/\\].*|file:.*"
    r"|[\w@.~+-]+(?:/[\w@.~+-]+)*/[\w@.~+-]*\.[a-z][a-z0-9]{0,5}|[\w-]+(?:\.[\w-]+)*"
    r"\.(?:key|pem|crt|cer|env|json|ya?ml|toml|txt|md|py|js|ts|go|rs|sh|cfg|conf|ini|png|jpe?g|pub"
    r"|csv|lock|log)"
)
_WORDS = re.compile(
    r"(?:[a-z]+|[A-Z]+|[A-Z][a-z]+|[0-9]{1,4})"
    r"(?:[-_./:+ ](?:[a-z]+|[A-Z]+|[A-Z][a-z]+|[0-9]{1,4}))*"
)
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+[0-9]?|(?:[A-Z][a-z]+)+[0-9]?")
_UUID = re.compile(r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
_NAMED_HASH = re.compile(r"(?:sha-?[0-9]{1,3}|md5|blake[23][bs3]?)[-:=].*", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?![^/\s@]*:[^/\s@]+@).*")
_DULL = re.compile(
    r"[+-]?[0-9][0-9,.]*(?:[a-z%]{0,3})|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|v?[0-9]+(?:\.[0-9]+)+\S*"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+[a-z]{2,}(?::[0-9]+)?"
    r"|localhost(?::[0-9]+)?.*|#[0-9a-fA-F]{3,8}|(?:[0-9]{1,2}:)+[0-9]{2}\S*",
)


def strong_name(name: str) -> bool:
    """Whether a name says that its value is a credential."""
    return bool(_STRONG_NAME.search(name)) and not _NOT_NAME.search(name)


def key_name(name: str) -> bool:
    """Whether a name says that its value may be a key of any kind."""
    return bool(_KEY_NAME.search(name)) and not _NOT_NAME.search(name)


def never(value: str) -> bool:
    """Values that are no credential wherever they stand."""
    value = value[:_LOOKED_AT]
    return bool(
        _PLACEHOLDER.fullmatch(value)
        or _NAMED_HASH.fullmatch(value)
        or _URL.fullmatch(value)
        or _path(value)
    )


def dull(value: str) -> bool:
    """Ids, numbers, dates, versions, hosts, addresses, code: public by their nature."""
    value = value[:_LOOKED_AT]
    return bool(_UUID.fullmatch(value) or _DULL.fullmatch(value) or _CODE.fullmatch(value))


def _path(value: str) -> bool:
    if not _PATH.fullmatch(value):
        return False
    # A base64 value may begin with a slash: its segments are no words, and it is long.
    segments = [part for part in re.split(r"[/\\]", value) if part]
    return not (
        len(value) >= 32 and any(looks_random(part) and len(part) >= 20 for part in segments)
    )


def worded(value: str) -> bool:
    """Whether the value is words, camel case or snake case, with small numbers at most."""
    return bool(_WORDS.fullmatch(value) or _CAMEL.fullmatch(value))


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits per character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def looks_random(value: str) -> bool:
    """Whether the characters of a token look drawn, not written."""
    value = value[:_LOOKED_AT]
    if len(value) < MIN_CHARS or worded(value) or entropy(value) < 2.5:
        return False
    digits = sum(map(str.isdigit, value))
    upper = sum(map(str.isupper, value))
    lower = sum(map(str.islower, value))
    if digits >= 2 and upper + lower >= 2:
        return any(_mixed(part) for part in re.split(r"[-_./:+=~,;|]", value))
    return min(upper, lower) >= 3 and _turns(value) >= 4


def _mixed(part: str) -> bool:
    has_digit = any(map(str.isdigit, part))
    return len(part) >= 6 and has_digit and any(map(str.isalpha, part)) and not worded(part)


def _turns(value: str) -> int:
    """How often the case changes from one letter to the next."""
    letters = [char.isupper() for char in value if char.isalpha()]
    return sum(a != b for a, b in pairwise(letters))


def plausible(name: str, value: str) -> bool:
    """Whether `NAME=value` in an ordinary text is a credential."""
    if len(value) < MIN_CHARS or never(value) or dull(value) or " " in value.strip():
        return False
    if strong_name(name):
        kinds = _kinds(value)
        return not worded(value) and kinds >= 2 and entropy(value) >= 2.5
    return key_name(name) and len(value) >= 16 and looks_random(value) and entropy(value) >= 3.3


def plausible_in_source(name: str, value: str) -> bool:
    """The same for a text from a place that holds secrets: every plausible value counts."""
    if len(value) < MIN_SOURCE_CHARS or never(value):
        return False
    if strong_name(name) or key_name(name) or not name:
        number = value.isdigit() and len(value) < MIN_CHARS
        return not number and not (not name and (dull(value) or (worded(value) and " " in value)))
    if _NOT_NAME.search(name) or dull(value) or worded(value) or " " in value:
        return False
    return len(value) >= MIN_CHARS and looks_random(value)


def _kinds(value: str) -> int:
    return sum(
        (
            any(map(str.isdigit, value)),
            any(map(str.isupper, value)),
            any(map(str.islower, value)),
            any(not char.isalnum() for char in value),
        )
    )
