"""Which credential values the session has met, and whether a text carries one of them.

Values are compared in one normal form (folded, squeezed, lower case), whole or in parts, in every
layer that the text decodes to, and together with what went to the same place before (DLP-3..6).
Raw values stay in here: nothing that leaves this module shows one.

Does not catch: encryption, paraphrase, parts of a value under 12 characters, timing.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tripwire.memory.secret_index import Parts, Whole
from tripwire.memory.sent import Sent, mentions, place_key
from tripwire.model.label import Origin
from tripwire.text import caesar, decode, fold, plausible, secrets
from tripwire.text.content import documents

ENOUGH = 0.6
"""The part of a value that counts as the value (flow.md DLP-6)."""

_SHORT = 10
"""Normal forms under this many characters must stand alone in the text."""

_ODD = 6
"""Values whose normal form is shorter are compared as they are written."""

_TURNED_CHARS = 131_072
_STRIDES_CHARS = 2048
_LARGE = 16_384
_KEPT_LOOKS = 64
_KEPT_CHARS = 1 << 20


@dataclass(frozen=True, slots=True)
class SecretHit:
    """A known value found in a text. `via` names the encodings undone; `coverage` is 0..1.

    `length` and `rule` are what may be shown of the value (DLP-9).
    """

    fingerprint: str
    length: int
    rule: str
    via: tuple[str, ...]
    coverage: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class Scan:
    """The hits, strongest first, and what was not looked at."""

    hits: tuple[SecretHit, ...] = ()
    not_scanned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Known:
    value: str = field(repr=False)
    normal: str = field(repr=False)
    rule: str
    origin: Origin


@dataclass(slots=True)
class KnownSecrets:
    """Values seen, and what of them has already been sent where.

    `key` keys the fingerprints; a session sets its own before the first event.
    """

    key: bytes = b"tripwire"
    _known: list[_Known] = field(default_factory=list, repr=False)
    _numbers: dict[str, int] = field(default_factory=dict, repr=False)
    _odd: list[int] = field(default_factory=list, repr=False)
    _whole: Whole = field(default_factory=Whole, repr=False)
    _shifted: Whole = field(default_factory=Whole, repr=False)
    _parts: Parts = field(default_factory=Parts, repr=False)
    _sent: Sent = field(default_factory=Sent, repr=False)
    _typed: list[tuple[str, str]] = field(default_factory=list, repr=False)
    _looks: dict[tuple[str, int, int, int, int], _Look] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self._known)

    # ── learning ─────────────────────────────────────────────────────────────────────────────

    def learn(self, text: str, *, secret_source: bool, origin: Origin, name: str = "") -> int:
        """Remember the credentials in `text`; how many it holds, known before or not.

        `name` is the key that the text stands under, if any.
        """
        spans = secrets.find(text, secret_source=secret_source, name=name)
        for span in spans:
            self._remember(span.text(text), span.rule, origin, secret_source=secret_source)
        return len(spans)

    def learn_result(self, result: object, *, secret_source: bool, origin: Origin) -> int:
        """The same for every text of a result, each with the key it stands under."""
        found = 0
        for document in documents(result):
            for name, text in secrets.named_texts(document):
                field = name == secrets.KEY
                source = secret_source and not field
                found += self.learn(
                    text, secret_source=source, origin=origin, name="" if field else name
                )
        return found

    def learn_user(self, text: str) -> None:
        """Remember what the user typed: a value may go to the destination typed with it."""
        self._typed.append((fold.normal(text), fold.folded(text).casefold()))

    def learn_sent(
        self, place: str, texts: Iterable[str], *, depth: int = 3, max_kb: int = 1024
    ) -> None:
        """Remember that `texts` went to `place` (DLP-6)."""
        listed = tuple(texts)
        self._sent.fields(place, listed)
        if self._known:
            self._sent.parts(place, self._look(listed, depth, max_kb * 1024).masks)

    def _remember(self, value: str, rule: str, origin: Origin, *, secret_source: bool) -> None:
        if value in self._numbers:
            return
        number = len(self._known)
        normal = fold.normal(value)
        self._numbers[value] = number
        self._known.append(_Known(value, normal, rule, origin))
        odd = len(normal) < _ODD
        self._whole.add(value if odd else normal)
        self._shifted.add(_distances(value)[1:] if len(normal) >= _SHORT else value)
        self._parts.add(normal, sure=secret_source)
        if odd:
            self._odd.append(number)
        if secret_source:
            self._remember_decoded(value, rule, origin)

    def _remember_decoded(self, value: str, rule: str, origin: Origin) -> None:
        """A stored value is often base64 (`kubectl get secret`): what it says is secret too."""
        for layer in decode.read(value, depth=1, max_chars=4096).layers[1:]:
            text = layer.text.strip()
            usable = plausible.MIN_SOURCE_CHARS <= len(text) <= 256 and "\n" not in text
            if layer.via == ("base64",) and usable:
                self._remember(text, rule, origin, secret_source=False)

    # ── asking ───────────────────────────────────────────────────────────────────────────────

    def hits(
        self, texts: Iterable[str], *, place: str = "", depth: int = 3, max_kb: int = 1024
    ) -> tuple[SecretHit, ...]:
        """Known values that `texts`, with what went to `place` before, would carry there."""
        return self.scan(texts, place=place, depth=depth, max_kb=max_kb).hits

    def scan(
        self,
        texts: Iterable[str],
        *,
        place: str = "",
        depth: int = 3,
        max_kb: int = 1024,
        fragments: bool = True,
        readings: dict[str, decode.Reading] | None = None,
    ) -> Scan:
        """As `hits`, with what was not scanned. A value the user typed for `place` is no hit.

        Without `fragments` only whole values count, and only those of these texts. `readings`
        takes in how texts were decoded, for whoever asks next.
        """
        listed, limit = tuple(texts), max_kb * 1024
        if not self._known:
            return Scan((), decode.beyond(listed, limit))
        look = self._look(listed, depth, limit, readings)
        if fragments:
            look = look.with_(self._look(self._sent.joined(place, listed), depth, limit))
        found: dict[int, tuple[float, tuple[str, ...]]] = {}
        for number, via in look.whole.items():
            found[number] = (1.0, via)
        before = self._sent.masks(place)
        for number, mask in look.masks.items() if fragments else ():
            share = self._parts.share(number, mask | before.get(number, 0))
            if share >= ENOUGH and number not in found:
                found[number] = (share, ("parts",))
        hits = [
            self._hit(number, *how)
            for number, how in found.items()
            if not self.typed_for(self._known[number].value, place)
        ]
        return Scan(tuple(sorted(hits, key=lambda hit: (-hit.coverage, hit.fingerprint))), look.cut)

    def spans(self, text: str) -> tuple[secrets.SecretSpan, ...]:
        """Where known values stand as they are, for redaction."""
        if not self._known:
            return ()
        found = []
        for number in sorted(self._whole.found(fold.normal(text)) | set(self._odd)):
            value, at = self._known[number].value, 0
            while (at := text.find(value, at)) >= 0:
                found.append(secrets.SecretSpan(at, at + len(value), self._known[number].rule))
                at += len(value)
        return secrets.without_overlaps(found)

    def redact(self, text: str) -> str:
        """The text without credentials, known or recognised (DLP-9)."""
        spans = secrets.without_overlaps((*self.spans(text), *secrets.find(text)))
        return secrets.replace(text, spans)

    def _hit(self, number: int, coverage: float, via: tuple[str, ...]) -> SecretHit:
        known = self._known[number]
        return SecretHit(
            self._fingerprint(known.value),
            len(known.value),
            known.rule,
            via,
            coverage,
            known.origin,
        )

    def knows(self, value: str) -> bool:
        """Whether exactly this value was met."""
        return value in self._numbers

    def typed_for(self, value: str, place: str) -> bool:
        """Whether the user typed this value together with this destination, in one message."""
        normal, where = fold.normal(value), place_key(place)
        return bool(where) and any(
            mentions(said, where) and _holds(typed, said, normal, value)
            for typed, said in self._typed
        )

    def _typed_once(self, number: int) -> bool:
        """Whether the user typed this value at all, for whatever destination."""
        known = self._known[number]
        return any(_holds(typed, said, known.normal, known.value) for typed, said in self._typed)

    # ── looking ──────────────────────────────────────────────────────────────────────────────

    def _look(
        self,
        texts: tuple[str, ...],
        depth: int,
        max_chars: int,
        readings: dict[str, decode.Reading] | None = None,
    ) -> _Look:
        """What the texts hold together."""
        look = _Look()
        for text in dict.fromkeys(texts):
            look = look.with_(self._look_into(text, depth, max_chars, readings))
        return look

    def _look_into(
        self, text: str, depth: int, max_chars: int, readings: dict[str, decode.Reading] | None
    ) -> _Look:
        """What one text holds; the last are kept, as judging and learning ask the same."""
        asked = (text, depth, max_chars, len(self._known), len(self._typed))
        look = self._looks.get(asked)
        if look is None:
            look = _Look()
            reading = self._read(text, depth, max_chars, look)
            if readings is not None and reading is not None:
                readings[text] = reading
            kept = sum(len(key[0]) for key in self._looks)
            if len(self._looks) >= _KEPT_LOOKS or kept + len(text) > _KEPT_CHARS:
                self._looks.clear()
            self._looks[asked] = look
        return look

    def _read(self, text: str, depth: int, max_chars: int, look: _Look) -> decode.Reading | None:
        self._look_at(text[:max_chars], (), look)
        if len(text) <= max_chars and any(not self._typed_once(n) for n in look.whole):
            return None  # as it is written, and never exempt: what else is encoded changes nothing
        reading = decode.read(text, depth=depth, max_chars=max_chars)
        look.cut = tuple(dict.fromkeys((*look.cut, *reading.cut)))
        large = len(text) > _LARGE
        for strided, via in _strides(reading.layers[0].text):
            if large:
                self._look_whole(fold.normal(strided), strided, via, look)
            else:
                self._look_at(strided, via, look)
        for layer in reading.layers[1:]:
            self._look_at(layer.text, layer.via, look)
            if len(layer.via) == 1 and len(layer.text) <= _STRIDES_CHARS:
                for start in range(2):
                    self._look_at(layer.text[start::2], (*layer.via, "every-2"), look)
        return reading if len(text) <= max_chars else None

    def _look_at(self, text: str, via: tuple[str, ...], look: _Look) -> None:
        """Adds what one reading holds, forwards and backwards."""
        normal = fold.normal(text)
        if len(normal) >= _ODD:
            self._look_whole(normal, text, via, look)
            self._look_whole(normal[::-1], text[::-1], (*via, "reversed"), look)
            for number, mask in self._parts.found(normal).items():
                look.masks[number] = look.masks.get(number, 0) | mask
            if len(via) <= 2:
                self._look_shifted(text, via, look)
        for number in self._odd:
            if self._known[number].value in text:
                look.whole.setdefault(number, via)

    def _look_whole(self, normal: str, text: str, via: tuple[str, ...], look: _Look) -> None:
        for number in self._whole.found(normal):
            if number not in look.whole and self._stands(number, text):
                look.whole[number] = via

    def _look_shifted(self, text: str, via: tuple[str, ...], look: _Look) -> None:
        for number in self._shifted.found(_distances(text)):
            if len(self._known[number].normal) >= _SHORT:
                look.whole.setdefault(number, (*via, "caesar"))

    def _stands(self, number: int, text: str) -> bool:
        """A short value must be written as it is, or stand alone; a long one is no chance."""
        known = self._known[number]
        if len(known.normal) >= _SHORT or known.value in text:
            return True
        return bool(_alone(known.normal).search(_merged(text)))

    def _fingerprint(self, value: str) -> str:
        data = value.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, key=self.key[:64], digest_size=8).hexdigest()

    def snapshot(self) -> object:
        """A comparable copy without raw values."""
        return {
            "known": tuple((self._fingerprint(k.value), k.rule, k.origin) for k in self._known),
            "sent": self._sent.snapshot(self._fingerprint),
            "typed": tuple(self._fingerprint(said) for _, said in self._typed),
        }


@dataclass(slots=True)
class _Look:
    """What one look at some texts found."""

    whole: dict[int, tuple[str, ...]] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)
    cut: tuple[str, ...] = ()

    def with_(self, other: _Look) -> _Look:
        """Both together."""
        masks = dict(self.masks)
        for number, mask in other.masks.items():
            masks[number] = masks.get(number, 0) | mask
        cut = tuple(dict.fromkeys((*self.cut, *other.cut)))
        return _Look({**other.whole, **self.whole}, masks, cut)


def _holds(typed: str, said: str, normal: str, value: str) -> bool:
    return normal in typed if len(normal) >= _ODD else value.casefold() in said


def _strides(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The text without fillers between its characters: every second, third, fourth of them."""
    if 2 * _ODD <= len(text) <= _TURNED_CHARS:
        for stride in (2, 3, 4) if len(text) <= _STRIDES_CHARS else (2,):
            for start in range(stride):
                yield text[start::stride], (f"every-{stride}",)


def _distances(text: str) -> str:
    # Letters beyond ASCII stay as they are under a shift: their marks must not be stripped here.
    return caesar.distances(fold.squeeze(fold.visible(fold.nfkc(text))))


def _merged(text: str) -> str:
    return fold.merged(fold.folded(text).casefold())


@functools.lru_cache(maxsize=256)
def _alone(normal: str) -> secrets.Regexp:
    return secrets.spaced(normal)
