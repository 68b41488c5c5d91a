"""Which credential values the session has met, and whether a text carries one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tripwire.model.label import Origin


@dataclass(frozen=True, slots=True)
class SecretHit:
    """A known value found in a text. `via` names the encodings undone; `coverage` is 0..1."""

    fingerprint: str
    length: int
    rule: str
    via: tuple[str, ...]
    coverage: float
    origin: Origin


@dataclass(slots=True)
class KnownSecrets:
    """Values seen, and what of them has already been sent where."""

    key: bytes = b""
    values: dict[str, Origin] = field(default_factory=dict, repr=False)

    def learn(self, text: str, *, secret_source: bool, origin: Origin) -> None:
        """Remember the credentials in `text`."""

    def learn_user(self, text: str) -> None:
        """Remember what the user typed: a value may go to the destination typed with it."""

    def learn_sent(self, place: str, texts: Iterable[str]) -> None:
        """Remember that `texts` went to `place` (DLP-6)."""

    def hits(
        self, texts: Iterable[str], *, place: str = "", depth: int = 3, max_kb: int = 1024
    ) -> tuple[SecretHit, ...]:
        """Known values that `texts`, with what went to `place` before, would carry there."""
        return ()

    def snapshot(self) -> object:
        """A comparable copy without raw values."""
        return ()
