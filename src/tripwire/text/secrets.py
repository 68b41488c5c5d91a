"""Which parts of a text are credentials (flow.md DLP-1, DLP-2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class SecretSpan:
    """A credential at `[start, end)` of a text, in code points, and the rule that knows it."""

    start: int
    end: int
    rule: str

    def text(self, of: str) -> str:
        """The credential itself; `of` is the text that was searched."""
        return of[self.start : self.end]


def find(text: str, *, secret_source: bool = False) -> tuple[SecretSpan, ...]:
    """Credentials in `text`, left to right, without overlaps.

    With `secret_source` the text comes from a place that holds credentials (a `.env`, a keychain
    tool): every plausible value counts.
    """
    return ()


def redact(text: str, *, secret_source: bool = False) -> str:
    """The text with each credential replaced by `[secret:<rule>:<length>]` (DLP-9)."""
    out, last = [], 0
    for span in find(text, secret_source=secret_source):
        out += [text[last : span.start], f"[secret:{span.rule}:{span.end - span.start}]"]
        last = span.end
    return "".join([*out, text[last:]])
