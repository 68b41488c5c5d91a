"""A reviewer's answer: exactly one JSON object, or it does not count (gateway.md C-3, C-4).

Does not ask a reviewer. Anything that could be read in two ways is invalid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass

MAX_CHARS = 65_536
LEAST_CONFIDENCE = 0.5

_FENCE = re.compile(r"\A```(?:json|JSON)?[ \t]*\r?\n(?P<body>.*?)\r?\n?```\Z", re.DOTALL)
_KEYS = frozenset({"verdict", "confidence", "reasons", "evidence_refs", "suspected_injection"})
_REF = re.compile(r"receipt:(0|[1-9]\d{0,17})")


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """A valid answer of one reviewer."""

    verdict: str
    confidence: float
    reasons: tuple[str, ...] = ()
    evidence_refs: tuple[int, ...] = ()
    suspected_injection: bool = False

    @property
    def passes(self) -> bool:
        """Whether it counts as a pass: sure enough, and no injection suspected."""
        sure = self.confidence >= LEAST_CONFIDENCE
        return self.verdict == "pass" and sure and not self.suspected_injection


class _Twice(ValueError):
    pass


def read_answer(text: str, receipts: Collection[int] | None = None) -> ReviewAnswer | None:
    """The answer in `text`, None if it is invalid; `receipts` are those that may be referred to."""
    if len(text) > MAX_CHARS:
        return None
    bare = text.strip()
    fenced = _FENCE.match(bare)
    body = fenced["body"] if fenced else bare
    try:
        answer = json.loads(body, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return _checked(answer, receipts) if isinstance(answer, dict) else None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Twice
    return found


def _refuse(name: str) -> object:
    raise ValueError(name)


def _checked(answer: dict[str, object], receipts: Collection[int] | None) -> ReviewAnswer | None:
    if not _KEYS.issuperset(answer):
        return None
    verdict, confidence = answer.get("verdict"), answer.get("confidence")
    reasons, refs = _texts(answer.get("reasons", [])), _texts(answer.get("evidence_refs", []))
    injection = answer.get("suspected_injection", False)
    if verdict not in ("pass", "fail") or not isinstance(injection, bool):
        return None
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        return None
    if not 0 <= confidence <= 1 or reasons is None or refs is None:
        return None
    numbers = [_REF.fullmatch(ref) for ref in refs]
    if not all(numbers):
        return None
    found = tuple(int(n[1]) for n in numbers if n is not None)
    if receipts is not None and any(number not in receipts for number in found):
        return None
    return ReviewAnswer(str(verdict), float(confidence), reasons, found, injection)


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None
