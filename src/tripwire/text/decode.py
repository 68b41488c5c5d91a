"""What a text says when its encodings are undone, layer by layer (flow.md DLP-5).

Work is bounded: each layer is a few linear passes, layers are counted and capped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """One reading of a text; `via` names the decoders that led to it, outermost first."""

    text: str
    via: tuple[str, ...] = ()


def layers(text: str, *, depth: int = 3, max_chars: int = 1 << 20) -> Iterator[Layer]:
    """The text itself and everything that decodes out of it, up to `depth` steps."""
    yield Layer(text[:max_chars])
