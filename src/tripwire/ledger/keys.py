"""The keys of one session and of one installation, all derived from one secret (RFC 5869).

Does not read or store keys: see io/keys.py.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

_BLOCK = 64


def hkdf(secret: bytes, info: str) -> bytes:
    """HKDF-SHA256 without salt, 32 bytes."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, info.encode() + b"\x01", "sha256")


@dataclass(frozen=True, slots=True, repr=False)
class SessionKeys:
    """What each evidence format is keyed with (gateway.md §2, §3.3)."""

    receipt: bytes
    audit: bytes
    head: bytes
    seal: bytes
    names: bytes
    commitment: bytes
    request_state: bytes

    @classmethod
    def derive(cls, secret: bytes) -> SessionKeys:
        """From the session key; receipts use that key itself (gateway.md §2)."""
        return cls(
            receipt=secret,
            audit=hkdf(secret, "tripwire/audit/v1"),
            head=hkdf(secret, "tripwire/head/v1"),
            seal=hkdf(secret, "tripwire/secrets/v1"),
            names=hkdf(secret, "tripwire/names/v1"),
            commitment=hkdf(secret, "tripwire/commitment/v1"),
            request_state=hkdf(secret, "tripwire/request-state/v1"),
        )

    def name_hash(self, text: str) -> str:
        """A keyed hash that stands for an agent-chosen name or text (gateway.md E-6)."""
        data = text.encode("utf-8", "surrogatepass")
        return mac(self.names, data).hex()[:24]

    def decision_id(self, seq: int) -> str:
        """The id of the decision recorded at audit number `seq`."""
        return "d-" + mac(self.names, b"\x00decision:%d" % seq).hex()[:8]


@dataclass(frozen=True, slots=True, repr=False)
class InstallationKeys:
    """What the files shared by all sessions are keyed with."""

    heads: bytes
    approvals: bytes
    fingerprint: str
    """Names the key without telling it: a key of another installation is no sign of an edit."""

    @classmethod
    def derive(cls, secret: bytes) -> InstallationKeys:
        """From the installation key."""
        return cls(
            hkdf(secret, "tripwire/heads/v1"),
            hkdf(secret, "tripwire/approvals/v1"),
            hkdf(secret, "tripwire/fingerprint/v1").hex()[:16],
        )


def mac(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA256 (RFC 2104); the work that depends on the key alone is done once."""
    ready = halves(key)
    inner, outer = ready[0].copy(), ready[1].copy()
    inner.update(data)
    outer.update(inner.digest())
    return outer.digest()


@lru_cache(maxsize=64)
def halves(key: bytes) -> tuple[_Hash, _Hash]:
    """The two hashes of an HMAC after the key: copy them, never update them."""
    if len(key) > _BLOCK:
        key = hashlib.sha256(key).digest()
    block = key.ljust(_BLOCK, b"\0")
    return (
        hashlib.sha256(bytes(byte ^ 0x36 for byte in block)),
        hashlib.sha256(bytes(byte ^ 0x5C for byte in block)),
    )


def sha256(data: bytes) -> str:
    """SHA-256, lower-case hex."""
    return hashlib.sha256(data).hexdigest()
