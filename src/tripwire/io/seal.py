"""secrets.enc: what replay needs and nobody may read, encrypted and append-only (flow.md §2.5).

Each line is `{"box":"<base64 of nonce and ciphertext>","n":N}`; the box is AES-256-GCM under a key
derived from the session key, bound to session and number. The audit holds the hash of the line.
"""

from __future__ import annotations

import base64
import os

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tripwire.errors import JournalTampered
from tripwire.ledger.keys import sha256

_NONCE = 12


class Seal:
    """Encrypts and opens the records of one session."""

    def __init__(self, key: bytes, session: str) -> None:
        self._cipher = AESGCM(key)
        self._session = session.encode()

    def close(self, number: int, content: bytes) -> tuple[bytes, str]:
        """The line of record `number` (with its newline), and its hash."""
        nonce = os.urandom(_NONCE)
        box = nonce + self._cipher.encrypt(nonce, content, self._bound(number))
        line = b'{"box":"%s","n":%d}' % (base64.b64encode(box), number)
        return line + b"\n", sha256(line)

    def open(self, line: bytes) -> tuple[int, bytes]:
        """Number and content. Raises JournalTampered."""
        try:
            record = orjson.loads(line)
            number = int(record["n"])
            box = base64.b64decode(record["box"], validate=True)
            return number, self._cipher.decrypt(box[:_NONCE], box[_NONCE:], self._bound(number))
        except (ValueError, TypeError, KeyError, InvalidTag):
            raise JournalTampered("edited: a sealed record cannot be opened") from None

    def _bound(self, number: int) -> bytes:
        return b"tripwire/secrets/v1\0%s\0%d" % (self._session, number)
