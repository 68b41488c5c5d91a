"""A sign of each credential format: a short mark that no credential of that format is without.

Decoding at every alignment gives much noise and few texts. One search for the signs tells that
nothing in it is a credential, before anybody finds out what of it is readable. A sign is looked for
in the ASCII characters of the bytes alone: reading bytes drops what is no UTF-8, which can only
bring the characters of a sign together. So a sign counts no character that may be beyond ASCII, and
where the format ignores case no `s` and no `k` (U+017F and U+212A are those, without case).

Does not find credentials: `secrets` does.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import re2
from ahocorasick_rs import AhoCorasick, Implementation

from tripwire.text.pattern_facts import required_words
from tripwire.text.readable import GAP, hidden_texts, may_hide
from tripwire.text.secret_patterns import PATTERNS
from tripwire.text.secret_shapes import ALPHABETS, SHAPES, Shape

_CONTEXT = 10
"""Characters of a prefix and of what follows it that make a sign."""

_WORD_CHARS = 3
"""Shorter words are everywhere in noise: such a sign counts as one without a word."""

SIGNS: dict[str, str] = {
    "jwt": r"eyJ[A-Za-z0-9_-]{8}",
    "jwe": r"eyJ[A-Za-z0-9_-]{8}",
    "url-userinfo": r"[A-Za-z0-9+.-]://",
    "connection-string": r"(?i:pas{0,2}word=|pwd=|ey=|ignature=|ecret=)",
    "authorization-header": r"(?i:authorization)",
    "bearer": r"(?i:bearer\s)",
    "private-key-header": r"(?i:x-(?:api|auth|acce|s?ecret))",
    "command-password": r"\s--?(?:pass|token|secret|api-?key)",
    "command-user": r"\s-u|\s--u",
    "netrc": r"(?i:machine\s)",
    "npmrc": r":_(?:auth|password)",
    "slack-bot-token": r"xoxb-[0-9]{8}",
    "slack-user-token": r"xox[aepr]-[0-9]",
    "slack-app-token": r"xapp-[0-9]-[A-Z0-9]{8}",
    "slack-webhook": r"hooks\.slack",
    "discord-webhook": r"\.com/api/webhooks/",
    "teams-webhook": r"\.webhook\.office\.com",
    "google-chat-webhook": r"chat\.googleapis\.com",
    "zapier-webhook": r"hooks\.zapier\.com",
    "make-webhook": r"(?:make|integromat)\.com/[a-z0-9]{8}",
    "sentry-dsn": r"https://[a-f0-9]{8}",
    "azure-sas": r"[?&]sig=[A-Za-z0-9%/+=]{8}",
    "aws-presigned": r"X-Amz-Signature=",
    "gcp-presigned": r"X-Goog-Signature=",
    "azure-ad-secret": r"[0-9]Q~[A-Za-z0-9_~.-]{8}",
    "azure-function-key": r"[?&]code=[A-Za-z0-9_/=-]{8}",
    "azure-devops-pat": r"[A-Za-z0-9]{8}AZDO",
    "azure-identifiable": r"[A-Za-z0-9+/]{8}(?:\+ASt|AzSe|\+ACR|ACDb|APIM|AzFu|AIoT)",
    "telegram-bot": r"[0-9]{8}:[A-Za-z0-9_-]{8}",
    "discord-bot": r"[A-Za-z0-9_-]{8}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{8}",
    "sendgrid-full": r"SG\.[A-Za-z0-9_-]{8}",
    "mailchimp-key": r"[a-f0-9]{8}-us[0-9]",
    "mailgun-signing": r"[a-f0-9]{8}-[a-f0-9]{8}-[a-f0-9]{8}",
    "airtable-pat": r"pat[A-Za-z0-9]{8}",
    "hubspot-private": r"pat-(?:na|eu|ap)[0-9]-",
    "heroku-key": r"HRKU-",
    "harness-token": r"at\.[A-Za-z0-9_-]{8}",
    "launchdarkly-key": r"(?:sdk|mob|api)-[a-f0-9]{8}",
    "langfuse-secret": r"sk-lf-[a-f0-9]{8}",
    "openai-marked": r"T3BlbkFJ",
    "secret-key": r"k[-_](?:live|test|prod)[-_]",
    "asana-pat": r"[12]/[0-9]{8}",
    "flyio-macaroon": r"FlyV1 fm",
    "bitwarden-access": r"0\.[a-f0-9]{8}-",
    "okta-token": r"00[A-Za-z0-9_-]{40}",
    "yandex-iam": r"\.[A-Za-z0-9_-]{20}",
    "wireguard-key": r"(?i:ey\s?=)",
    "putty-key": r"Private-Lines: [0-9]",
    "shadow-hash": r":\$1\$|:\$2[aby]\$|:\$5\$|:\$6\$|:\$7\$|:\$y\$|:\$gy\$",
    "htpasswd": r":\$apr1\$|:\$2[aby]\$",
    "kubeconfig-data": r"client-key-data:",
    "docker-auth": r"\"auth\"",
    "gcp-service-key": r"\"private_key_id\"",
    "ansible-vault": r"\$ANSIBLE_VAULT;",
    "otp-seed": r"otpauth://",
    "basic-auth-b64": r"(?i:basic\s|baic\s)",
    "ethereum-key": r"(?i:(?:private|ecret)[_ -]?k?ey)",
    "bitcoin-wif": r"[5KL][1-9A-HJ-NP-Za-km-z]{50}",
    "bip32-key": r"[xyz]prv[1-9A-HJ-NP-Za-km-z]{8}",
    "nostr-key": r"nsec1[a-z0-9]{8}",
}
"""Rule of `PATTERNS` → an RE2 pattern for its sign, without anchors."""


def may_hold_any(quick: Sequence[bytes]) -> bool:
    """`may_hold` of parts that stand somewhere in `quick`: when False, it is False for certain."""
    whole = GAP.join(quick)
    if may_hide(whole):  # no sign is shorter than WIDE_CHARS
        return True
    return _has_sign(whole)


def may_hold(parts: Sequence[bytes]) -> bool:
    """Whether `find_shapes` may find anything in what `readable.texts_of` makes of these."""
    if not parts:
        return False
    whole = GAP.join(parts)
    more = hidden_texts(parts, whole)
    if more:
        whole += "\n".join(["", *more]).encode("ascii", "ignore")
    return _has_sign(whole)


def _has_sign(data: bytes) -> bool:
    """Whether a sign stands in the ASCII characters of `data`.

    Noise makes an automaton of patterns build ever new states. So most signs are first looked for
    by a word of theirs, in an automaton that is built beforehand.
    """
    table = _table()
    plain = data.translate(None, _BEYOND_ASCII)
    if table.words.find_matches_as_indexes(plain.decode("ascii").lower()):
        return bool(table.all.Match(plain))
    return bool(table.wordless.Match(plain))


_BEYOND_ASCII = bytes(range(128, 256))


def _sign_of(shape: Shape) -> str:
    count = min(shape.low, max(0, _CONTEXT - len(shape.prefix)))
    return f"{re2.escape(shape.prefix)}[{ALPHABETS[shape.alphabet]}]{{{count}}}"


@dataclass(frozen=True, slots=True)
class _Table:
    """All signs; the words of those that have one, in lower case; and the signs without."""

    all: Any
    words: AhoCorasick
    wordless: Any


@functools.cache
def _table() -> _Table:
    signs = [*map(_sign_of, SHAPES), *(SIGNS[pattern.rule] for pattern in PATTERNS)]
    words: list[str] = []
    wordless: list[str] = []
    for sign in signs:
        found = required_words(sign)
        if found and min(map(len, found)) >= _WORD_CHARS:
            words += map(str.lower, found)
        else:
            wordless.append(sign)
    automaton = AhoCorasick(list(dict.fromkeys(words)), implementation=Implementation.DFA)
    return _Table(_compiled(signs), automaton, _compiled(wordless))


def _compiled(signs: Sequence[str]) -> Any:
    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    table = re2.Set.SearchSet(options)
    table.Add("|".join(dict.fromkeys(signs)))
    table.Compile()
    return table
