"""The guard of one stream: text leaves as early as is provably safe (say.md §3.2).

No character of an abort, replace or redact match is ever released; nothing depends on how the text
was cut. It knows rules and text only: no channel, no wire.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import NoReturn

from tripwire.errors import StreamFinished, TripwireAbort
from tripwire.model.say import SayAction, SayRule
from tripwire.say.compiled import Lists, RuleSet, StreamRule
from tripwire.say.found import SayFinding, finding_of, violation_of
from tripwire.say.redaction import Redaction
from tripwire.say.tape import Tape

SLICE = 16_384
"""Characters that are looked at in one go (SAY-23)."""
APOLOGY = "I'm sorry, I can't share that."
_BATCH = 64
"""Chunks that observing rules wait for; they never hold text back."""

OnAbort = Callable[[str, SayRule], object]


class CompiledRules:
    """The rules of a policy that run in a stream, compiled once for many guards."""

    def __init__(self, rules: Iterable[SayRule], lists: Lists | None = None) -> None:
        made = tuple(StreamRule(rule, lists or {}, n) for n, rule in enumerate(rules))
        self.blocking = RuleSet(tuple(r for r in made if r.rule.action is not SayAction.OBSERVE))
        self.observing = RuleSet(tuple(r for r in made if r.rule.action is SayAction.OBSERVE))
        stops = (SayAction.ABORT, SayAction.REPLACE)
        self.stopping = RuleSet(tuple(r for r in made if r.rule.action in stops))
        self.redacting = RuleSet(tuple(r for r in made if r.rule.action is SayAction.REDACT))


class StreamingGuard:
    """Guards one text that arrives in chunks. Not safe for several threads."""

    def __init__(
        self,
        compiled: CompiledRules,
        *,
        on_abort: OnAbort | None = None,
        on_violate: OnAbort | None = None,
        hold_reply: bool = False,
    ) -> None:
        self._compiled = compiled
        self._on_abort, self._on_violate = on_abort, on_violate
        self._hold_reply = hold_reply
        self.reset()

    def reset(self) -> None:
        """Begin a new text; what was found is forgotten."""
        self._tape = Tape()
        self._watched = Tape()
        self._redaction = Redaction(self._compiled.redacting.rules)
        self._findings: list[SayFinding] = []
        self._seen: dict[str, int] = {}
        self._abort: TripwireAbort | None = None
        self._finished = False
        self._replaced: SayFinding | None = None
        self._said_anything = False
        self._kept: list[str] = []
        self._instead: str | None = None
        """What replaces a reply that was held as a whole."""
        self._unwatched: list[str] = []
        self._surrogate = ""

    # ── what was found ───────────────────────────────────────────────────────────────────────

    @property
    def findings(self) -> list[SayFinding]:
        """What was found so far: in the order of the text, what ended it last."""
        if not self._finished and self._abort is None:
            self._watch(final=False)
        found = sorted(self._findings, key=lambda f: (f.start, f.end))
        stops = (SayAction.ABORT, SayAction.REPLACE)
        return sorted(found, key=lambda f: f.action in stops)

    @property
    def violations(self) -> list[str]:
        """`LABEL: pattern matched in stream`, one for each rule that only observes."""
        found = (f for f in self.findings if f.action is SayAction.OBSERVE)
        return [violation_of(finding.rule) for finding in found]

    @property
    def counts(self) -> dict[str, int]:
        """Rule id → matches of the rules that only observe."""
        return dict(self._seen)

    @property
    def held(self) -> int:
        """Raw characters that wait."""
        return self._tape.held + len(self._surrogate) + sum(map(len, self._kept))

    @property
    def replaced(self) -> SayFinding | None:
        """The match whose replacement ended the reply, if one did."""
        return self._replaced

    # ── the stream ───────────────────────────────────────────────────────────────────────────

    def on_chunk(self, chunk: str) -> str:
        """The text that may leave now; it may be empty.

        Raises TripwireAbort (again on every later chunk), StreamFinished after `flush`, TypeError.
        """
        if not isinstance(chunk, str):
            raise TypeError(f"a chunk must be str, not {type(chunk).__name__}")
        if self._abort is not None:
            raise self._again()
        if self._finished:
            raise StreamFinished("the text was finished; call reset() before a new one")
        if self._replaced is not None or not chunk:
            return ""
        if chunk.isascii() and len(chunk) <= SLICE and not (self._surrogate or self._hold_reply):
            text = self._slice(chunk, [])
            self._said_anything = self._said_anything or bool(text)
            return text
        chunk = self._whole_characters(chunk)
        out: list[str] = []
        for at in range(0, len(chunk), SLICE):
            out.append(self._slice(chunk[at : at + SLICE], out))
            if self._replaced is not None:
                break
        return self._released("".join(out))

    def flush(self) -> str:
        """Declare the end: the rest of the text. Raises TripwireAbort."""
        if self._abort is not None or self._finished:
            self._finished = self._abort is None
            return ""
        self._finished = True
        if self._replaced is not None:
            return self._all_kept()
        out: list[str] = []
        if self._surrogate:
            rest, self._surrogate = self._surrogate, ""
            out.append(self._slice(rest, out))
        out.append(self._decide(final=True, sent=out))
        self._kept.append("".join(out))
        return self._all_kept()

    def wrap(self, tokens: Iterable[str]) -> Iterator[str]:
        """The tokens, guarded. On an abort the clean text is yielded before it is raised."""
        for token in tokens:
            yield from self._yielded(self.on_chunk, token)
        yield from self._yielded(lambda _: self.flush(), "")

    async def awrap(self, tokens: AsyncIterable[str]) -> AsyncIterator[str]:
        """The same for an asynchronous source."""
        async for token in tokens:
            for text in self._yielded(self.on_chunk, token):
                yield text
        for text in self._yielded(lambda _: self.flush(), ""):
            yield text

    def _yielded(self, step: Callable[[str], str], token: str) -> Iterator[str]:
        try:
            text = step(token)
        except TripwireAbort as abort:
            if abort.safe_text:
                yield abort.safe_text
            raise
        if text:
            yield text

    def _whole_characters(self, chunk: str) -> str:
        """Joined with half a character that waited; a half at the end waits (SAY-2)."""
        chunk = self._surrogate + chunk
        self._surrogate = ""
        if "\ud800" <= chunk[-1] <= "\udbff":
            chunk, self._surrogate = chunk[:-1], chunk[-1]
        if not chunk.isascii() and any("\ud800" <= char <= "\udfff" for char in chunk):
            chunk = chunk.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return chunk

    def _released(self, text: str) -> str:
        if self._hold_reply:
            self._kept.append(text)
            return ""
        self._said_anything = self._said_anything or bool(text)
        return text

    def _all_kept(self) -> str:
        text = "".join(self._kept) if self._instead is None else self._instead
        self._kept, self._instead = [], None
        return text

    # ── deciding ─────────────────────────────────────────────────────────────────────────────

    def _slice(self, text: str, sent: list[str]) -> str:
        redacting = self._compiled.redacting
        if redacting.rules and redacting.maybe(
            self._tape.with_more(text), self._tape.last, final=True
        ):
            # A span that is replaced changes what stands beside the next one: one by one, so that
            # the cut of the chunks stays invisible.
            out: list[str] = []
            for char in text:
                out.append(self._added(char, [*sent, *out]))
                if self._replaced is not None:
                    break
            return "".join(out)
        return self._added(text, sent)

    def _added(self, text: str, sent: list[str]) -> str:
        tape = self._tape
        before = tape.size
        tape.add(text)
        self._unwatched.append(text)
        if tape.size == before:
            return "" if tape.waiting else self._release(before, final=False)[0]
        return self._decide(final=False, sent=sent, since=before)

    def _decide(self, *, final: bool, sent: list[str], since: int | None = None) -> str:
        """Release, or stop at the smallest length at which a match is certain (SAY-12)."""
        tape, stopping = self._tape, self._compiled.stopping
        if stopping.maybe(tape.data, tape.last, final=final):
            size = self._smallest(tape.size if since is None else since, final=final)
            if size is not None:
                return self._stop(size, final=final and size == tape.size, sent=sent)
        upto = tape.size if final else self._compiled.blocking.pending(tape.data, tape.last)
        if final or len(self._unwatched) >= _BATCH:
            self._watch(final=final)
        text, again = self._release(upto, final=final)
        return text + self._decide(final=final, sent=[*sent, text]) if again else text

    def _smallest(self, since: int, *, final: bool) -> int | None:
        """The smallest size of the text that holds a certain match; None if none does."""
        tape, stopping = self._tape, self._compiled.stopping
        if stopping.first(tape.data, tape.last, final=final) is None:
            return None
        if final and stopping.first(tape.data, tape.last, final=False) is None:
            return tape.size
        ends = tape.character_ends(since)
        low, high = 0, len(ends) - 1
        while low < high:
            middle = (low + high) // 2
            if stopping.first(tape.data[: ends[middle]], tape.last, final=False) is None:
                low = middle + 1
            else:
                high = middle
        return ends[low]

    def _stop(self, size: int, *, final: bool, sent: list[str]) -> str:
        tape = self._tape
        data = tape.data[:size]
        hit = self._compiled.stopping.first(data, tape.last, final=final)
        if hit is None:
            raise RuntimeError("a match was certain and is not")  # pragma: no cover
        start, end, rule = hit
        pending = self._compiled.blocking.pending(data, tape.last)
        span = (tape.offset(start), tape.offset_end(end))
        self._watch(final=False, upto=tape.offset(size))
        safe = self._released_before(min(start, pending))
        finding = finding_of(rule.rule, *span)
        self._findings.append(finding)
        if rule.rule.action is SayAction.REPLACE:
            return self._replace(rule.rule, finding, safe, sent)
        return self._raise(rule.rule, finding, "".join([*sent, safe]))

    def _replace(self, rule: SayRule, finding: SayFinding, safe: str, sent: list[str]) -> str:
        """The replacement ends the reply; if nothing has left yet it is the whole (SAY-16)."""
        self._replaced = finding
        replacement = rule.replacement or APOLOGY
        if self._hold_reply:
            self._instead = replacement
            return ""
        if not (self._said_anything or safe or any(sent)):
            return replacement
        return f"{safe}\n{replacement}"

    def _raise(self, rule: SayRule, finding: SayFinding, safe: str) -> NoReturn:
        if self._hold_reply:
            self._kept.clear()
            safe = ""
        violation = violation_of(rule.label)
        self._abort = TripwireAbort(
            rule=rule.label,
            violation=violation,
            start=finding.start,
            end=finding.end,
            safe_text=safe,
            retry_hint=rule.retry_hint or None,
        )
        try:
            raise self._abort
        except TripwireAbort:
            if self._on_abort is not None:
                self._on_abort(violation, rule)  # what it raises has the abort as its context
            raise

    def _again(self) -> TripwireAbort:
        first = self._abort
        if first is None:
            raise RuntimeError("nothing was aborted")
        return TripwireAbort(
            rule=first.rule,
            violation=first.violation,
            start=first.start,
            end=first.end,
            safe_text="",
            retry_hint=first.retry_hint,
        )

    def _release(self, upto: int, *, final: bool) -> tuple[str, bool]:
        """The raw text before byte `upto`, or to the end of a replaced span: then there is more."""
        if not self._compiled.redacting.rules:
            return self._tape.release(upto, final=final), False
        text, found = self._redaction.release(self._tape, upto, final=final)
        if found is None:
            return text, False
        self._findings.append(found)
        return text, True

    def _released_before(self, upto: int) -> str:
        """The text before byte `upto` with every span replaced, where the stream ends."""
        out: list[str] = []
        rest = self._tape.size - upto
        again = True
        while again:
            text, again = self._release(self._tape.size - rest, final=False)
            out.append(text)
        return "".join(out)

    # ── observing ────────────────────────────────────────────────────────────────────────────

    def _watch(self, *, final: bool, upto: int | None = None) -> None:
        """The first certain match of each rule that only observes; later ones are counted."""
        rules, tape = self._compiled.observing, self._watched
        text = "".join(self._unwatched)
        self._unwatched.clear()
        if not rules.rules or not (text or final):
            return
        tape.add(text)
        size = tape.size if upto is None else tape.at(upto)
        data = tape.data[:size]
        if rules.maybe(data, tape.last, final=final):
            for rule in rules.rules:
                for start, end in rule.matches(data, tape.last, final=final):
                    self._note(rule.rule, tape.offset(start), tape.offset_end(end))
        tape.release(rules.pending(data, tape.last) if not final else size, final=final)

    def _note(self, rule: SayRule, start: int, end: int) -> None:
        times = self._seen[rule.id] = self._seen.get(rule.id, 0) + 1
        if times > 1:
            return
        self._findings.append(finding_of(rule, start, end))
        if self._on_violate is not None:
            self._on_violate(violation_of(rule.label), rule)
