"""Replacing spans in what is released (say.md SAY-15)."""

from __future__ import annotations

from tripwire.say.compiled import StreamRule, after_char
from tripwire.say.found import SayFinding, finding_of
from tripwire.say.tape import Tape
from tripwire.text.char_ranges import Ranges


class Redaction:
    """The redactions of one stream; remembers a span whose repeat went on beyond its bound."""

    def __init__(self, rules: tuple[StreamRule, ...]) -> None:
        self._rules = rules
        self._swallowing: Ranges | None = None

    def release(self, tape: Tape, upto: int, *, final: bool) -> tuple[str, SayFinding | None]:
        """The text before byte `upto`, or that to the end of the first span in it, replaced.

        After a span the text begins anew: what was glued to it must be judged without it.
        """
        self._swallow(tape, upto)
        span = self._next(tape, upto, final=final)
        if span is None:
            return tape.release(upto, final=final), None
        start, end, rule = span
        if end > upto:  # the replacement leaves once the whole span could
            return tape.release(start), None
        found = finding_of(rule.rule, tape.offset(start), tape.offset_end(end))
        size = tape.size
        text = tape.release(start)
        tape.drop(end - (size - tape.size))
        tape.begin_anew()
        self._swallowing = rule.tail if rule.is_open_ended else ()
        return text + (rule.rule.replacement or f"[redacted:{rule.rule.label}]"), found

    def _next(self, tape: Tape, upto: int, *, final: bool) -> tuple[int, int, StreamRule] | None:
        """The first span that begins before `upto`, merged with those that overlap it."""
        spans = [
            (start, end, rule)
            for rule in self._rules
            for start, end in rule.matches(tape.data, tape.last, final=final)
            if start < upto
        ]
        if not spans:
            return None
        spans.sort(key=lambda span: (span[0], -span[1], span[2].order))
        start, end, strictest = spans[0]
        for other_start, other_end, rule in spans[1:]:
            if other_start >= end:
                break
            end = max(end, other_end)
            strictest = rule if rule.order < strictest.order else strictest
        return start, end, strictest

    def _swallow(self, tape: Tape, upto: int) -> None:
        """Drop what belongs to the span before: more of its repeat, what shows nothing."""
        if self._swallowing is None:
            return
        at = tape.context
        while at < upto:
            end = after_char(tape.data, at)
            code = ord(tape.data[at:end].decode("utf-8", "replace"))
            if not any(low <= code <= high for low, high in self._swallowing):
                self._swallowing = None
                break
            at = end
        tape.drop(at)
