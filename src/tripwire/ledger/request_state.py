"""`requestState` of MCP 2026-07-28: a question, bound to the held call (gateway.md A-1, A-2).

`base64url(payload) "." base64url(HMAC-SHA256)`; the payload is the canonical
{approval, call_hash, expires, nonce, principal, v}. Whoever holds the text cannot change it, use it
for another call, for another principal, after its time, or twice. Asks nobody and keeps nothing.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Container
from dataclasses import dataclass

import orjson

from tripwire.errors import MalformedInput
from tripwire.text.canonical import canonical_bytes

VERSION = 1
LONGEST = 4096
"""Characters of a state that is read at all; ours has some 400."""


@dataclass(frozen=True, slots=True)
class RequestState:
    """What a state says. `expires` in seconds since the epoch; `nonce` is never used twice."""

    approval: str
    call_hash: str
    principal: str
    expires: int
    nonce: str


def written(state: RequestState, key: bytes) -> str:
    """The text that the client gets, and must give back unchanged.

    `key` is `SessionKeys.request_state`, as for `read`.
    """
    payload = _payload(state)
    return f"{_text(payload)}.{_text(hmac.digest(key, payload, 'sha256'))}"


def read(text: str, key: bytes) -> RequestState:
    """The state in a text of `written`. Raises MalformedInput for any other text."""
    state = _genuine(text, key)
    if state is None:
        raise MalformedInput(
            "forged: not a state of this session",
            where="requestState",
            fix="Send back what was received, unchanged, or repeat the call without it.",
        )
    return state


def _genuine(text: str, key: bytes) -> RequestState | None:
    if len(text) > LONGEST or not text.isascii():
        return None
    try:
        payload, mac = (_bytes(part) for part in text.split("."))
        if not hmac.compare_digest(hmac.digest(key, payload, "sha256"), mac):
            return None
        raw = orjson.loads(payload)
        state = RequestState(
            raw["approval"], raw["call_hash"], raw["principal"], raw["expires"], raw["nonce"]
        )
        known = raw["v"] == VERSION
    except (ValueError, TypeError, KeyError):
        return None
    # One spelling only: base64 has several for the same bytes.
    return state if known and written(state, key) == text else None


def fault(
    state: RequestState, *, call_hash: str, principal: str, now: float, used: Container[str]
) -> str:
    """Why this state answers nothing: altered, other principal, expired, used; "" if it does.

    `call_hash` is that of the call it came back with, `used` holds the nonces that were answered.
    """
    if not hmac.compare_digest(state.call_hash, call_hash):
        return "altered"
    if state.principal != principal:
        return "other principal"
    if now > state.expires:
        return "expired"
    return "used" if state.nonce in used else ""


def _payload(state: RequestState) -> bytes:
    return canonical_bytes(
        {
            "approval": state.approval,
            "call_hash": state.call_hash,
            "expires": state.expires,
            "nonce": state.nonce,
            "principal": state.principal,
            "v": VERSION,
        }
    )


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
