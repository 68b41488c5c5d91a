"""Session.decide: the one call that every door makes. Judge, write the evidence, remember."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tripwire.engine import Engine
from tripwire.errors import EvidenceUnavailable, JournalTampered, StateUnusable, UsageError
from tripwire.io.anchors import Anchors
from tripwire.io.answers import Answers, used_by
from tripwire.io.files import make_private_dir, unusable
from tripwire.io.holders import Holder
from tripwire.io.journal import Journal, Lines, News
from tripwire.io.keys import KeyStore
from tripwire.io.opening import agree, known_tips, put_beside
from tripwire.io.progress import Progress
from tripwire.io.putoff import Later, Lesson, may_wait, must_last
from tripwire.io.recording import Batch, Situation, adopted, batch
from tripwire.io.replay import Attempts, fold
from tripwire.io.shared import Shared
from tripwire.ledger import receipt
from tripwire.ledger.chain import Tip
from tripwire.ledger.entry import Redactor, set_aside
from tripwire.ledger.keys import SessionKeys, sha256
from tripwire.memory.memory import Memory
from tripwire.model.event import (
    Approved,
    Denied,
    Event,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
    ToolResult,
)
from tripwire.model.label import ALL_LABELS, Label, Origin, Trust
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Finding, Verdict
from tripwire.rule import Case

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Session:
    """One conversation of one agent: an engine, its journal, and the mode of its policy."""

    def __init__(
        self, policy: Policy, journal: Journal, shared: Shared, *, client: str, attended: bool
    ) -> None:
        self.engine = Engine(policy)
        self.journal = journal
        self.path: Path = journal.directory
        self.name = self.path.name
        self._shared = shared
        self._client = client
        self._attended = attended
        self.holds = not attended
        """Whether a held call gets an id under which it can be approved from elsewhere."""
        self._answers = Answers(shared, self.name)
        anchors = Anchors(policy.anchors)
        self._progress = Progress(journal, shared.heads, anchors, policy.checkpoint_every)
        self._monitor = policy.flow.mode == "monitor"
        self._holder = Holder(self.path)
        self._redactor = Redactor(journal.keys, receipt.secret_spans)
        self._start_empty()

    def _start_empty(self) -> None:
        self.engine = Engine(self.engine.policy)
        self.engine.memory.secrets.key = self.journal.keys.names
        self.engine.memory.approvals.key = self.journal.keys.names
        self.engine.memory.approvals.conversation = self.name
        self._attempts = Attempts()
        self._put_off: Lesson | None = None
        self._progress.start_empty()

    # ── deciding ────────────────────────────────────────────────────────────────────────────

    def decide(self, event: Event, *, door: str = "", later: Later | None = None) -> Verdict:
        """Judge, write the evidence, remember.

        With `later`, what a passing call or a result teaches may be put off until the door has
        passed it on: `later` then gets `settle`, to be called soon. Whatever is decided or read
        next, by any thread, is learnt from everything recorded before it first.

        Thread- and process-safe: under the journal's lock it first folds in what other doors of the
        same session have written. The verdict carries `decision_id`.

        Raises EvidenceUnavailable if the record cannot be written: nothing passes then. In monitor
        mode, which stops nothing, the verdict then says that it was not recorded.
        """
        with self.journal.locked():
            try:
                self._catch_up()
                return self._decide(receipt.recordable(event), door, later)
            except EvidenceUnavailable as error:
                if not self._monitor:
                    raise
                return self._unrecorded(error)

    def settle(self) -> None:
        """Learn what was put off, and record what follows from it. Never raises."""
        with self.journal.alone():
            self._learn()
            if not self._progress.owing(self.engine.memory):
                return
        with suppress(EvidenceUnavailable), self.journal.locked():
            self._catch_up()

    @property
    def memory(self) -> Memory:
        """What the session knows, everything recorded learnt."""
        with self.journal.alone():
            self._learn()
            return self.engine.memory

    def _decide(self, event: Event, door: str, later: Later | None = None) -> Verdict:
        case, judged = self._judged(event)
        verdict = self._in_mode(judged)
        broken = isinstance(event, ToolCall) and self._progress.anchors.broken()
        if broken and must_last(event, verdict, case, self.engine):
            self._progress.require_anchors()
        held = ""
        if self.holds and isinstance(event, ToolCall) and not verdict.passes:
            held = self._answers.id_for(event, judged, case, attended=self._attended)
        made = self._append(event, (judged, verdict), case, door, held)
        verdict = replace(verdict, decision_id=made.decision_id, approval=held)
        self._put_off = Lesson(event, verdict, case, self.journal.tips[1].seq)
        self._follow(event, verdict, made)
        if later is None or not may_wait(event, verdict):
            self._learn()
            with suppress(EvidenceUnavailable):  # owed, and paid before the next decision
                self._progress.note(self.engine.memory)
        if must_last(event, verdict, case, self.engine):
            self.journal.sync()
        if self._put_off is not None and later is not None:
            later(self.settle)
        return verdict

    def _judged(self, event: Event) -> tuple[Case, Verdict]:
        """What the rules say, with every answer that was given elsewhere taken in first."""
        case = self.engine.case()
        judged = self.engine.judge(event, case)
        answers = self._answers.news(event, judged, case.memory)
        if not answers:
            return case, judged
        for answer in answers:
            self._decide(answer, "approvals")
        case = self.engine.case()
        return case, self.engine.judge(event, case)

    def approval_state(self, name: str) -> str:
        """What approvals.jsonl says of an approval: pending, granted, denied …; "" for nothing."""
        return self._answers.state(name)

    def _learn(self) -> None:
        """Learn the decision that was put off, if one was."""
        lesson, self._put_off = self._put_off, None
        if lesson is not None and not lesson.learn(self.engine):
            # Origins name receipts by number: a memory that counts otherwise has missed something.
            self.engine.memory.receipts = lesson.receipts
            self._assume_worst("miscounted")

    def _in_mode(self, judged: Verdict) -> Verdict:
        if self._monitor:
            return judged.at_most(Action.INFORM)
        return judged if self._attended else judged.unattended()

    def _append(
        self, event: Event, verdicts: tuple[Verdict, Verdict], case: Case, door: str, held: str
    ) -> Batch:
        secrets = self.engine.memory.secrets
        situation = Situation(
            redactor=self._redactor,
            door=door,
            holder=self._holder.name,
            policy=self.engine.policy.digest,
            used=used_by(event, verdicts[1], case),
            approval=held,
            redact=self.engine.policy.redact,
            secret_source=isinstance(event, ToolResult) and self.engine.reads_secrets(event, case),
            known=secrets.spans if len(secrets) else None,
        )
        made = batch(event, verdicts, self.journal, self._attempts, situation)
        if situation.used:
            self._shared.used(situation.used, self.name, (made.decision_id, made.seq))
        if isinstance(event, Approved | Denied) and self._answers.to_write(event):
            self._shared.answered(event, self.name, made.seq)
        self.journal.append(made.lines, made.receipt, made.sealed)
        if held and isinstance(event, ToolCall):
            self._answers.record(event, held, case, (made.decision_id, made.seq))
        return made

    def _follow(self, event: Event, verdict: Verdict, made: Batch) -> None:
        """What a recorded decision changes besides the memory."""
        if isinstance(event, ToolCall) and verdict.passes:
            self._attempts.begin(event, made.seq, self._holder.name, time.monotonic())
        elif isinstance(event, ToolResult | OutcomeUnknown):
            found = self._attempts.find(event)
            if found is not None:
                self._attempts.end(found.seq)
        if isinstance(event, Approved | Denied):
            self._progress.noted = -1

    def _unrecorded(self, error: EvidenceUnavailable) -> Verdict:
        """Monitor mode goes on, knows that it missed something, and says so (flow.md §7)."""
        self._assume_worst("unrecorded")
        why = f"not recorded: {error.what}"
        return Verdict.of(Finding("act/internal", Action.INFORM, why, remedy=error.fix))

    def _assume_worst(self, why: str) -> None:
        origin = Origin(self.engine.memory.receipts, "tripwire", why, Trust.WORLD)
        for label in ALL_LABELS:
            self.engine.memory.labels.add(label, origin)

    # ── keeping the journal complete ────────────────────────────────────────────────────────

    def _catch_up(self) -> None:
        """Learn what was put off, then what others wrote. Raises EvidenceUnavailable."""
        self._learn()
        try:
            news = self.journal.news()
        except JournalTampered as error:
            self._reload(str(error))
            return
        if news is not None:
            self._take(news)
        if self._progress.owing(self.engine.memory):
            self._progress.note(self.engine.memory)

    def _take(self, news: News) -> None:
        """Learn records, and mend what a dying writer left. Raises JournalTampered."""
        for record in news.records:
            if record.entry.type == "labels_gained":
                self._progress.known_labels |= {Label(name) for name in record.entry.data["labels"]}
            fold(record, self.engine, self._attempts)
        events = [adopted(fields, news.spare_seals, self.journal) for fields in news.orphans]
        for file, content in news.torn:
            self._set_aside(file, content)
        if events:
            self.journal.drop_orphans()
        for event in events:
            self._decide(event, "recovered")

    def _set_aside(self, file: str, content: bytes) -> None:
        why = "unfinished last line"
        self.journal.set_aside(file, content)
        data = set_aside(why, f"{file}.torn", len(content), sha256(content))
        self.journal.append([("state_reset", data)])
        self._decide(SessionOpened(self._client, inherited=ALL_LABELS, why=why), "recovered")

    # ── opening and closing ─────────────────────────────────────────────────────────────────

    def load(self) -> None:
        """Replay the journal; what cannot be verified is set aside, and all labels are held.

        Raises EvidenceUnavailable or StateUnusable.
        """
        with self.journal.locked():
            try:
                self._replay()
            except JournalTampered as error:
                self._begin_again(str(error))
            self._end_dead_attempts()

    def _replay(self) -> None:
        known = known_tips(self.journal, self._shared.heads)
        news = self.journal.news()
        agree(known, news)
        if not known and news is None:
            self._progress.checkpoint("opened")
        elif news is not None:
            self._take(news)

    def _reload(self, why: str) -> None:
        """The files changed under us: another process began again, or somebody tampered."""
        held = self.engine.memory.labels.as_set()
        tip = self.journal.tips[0]
        try:
            self.journal.reopen()
            self._start_empty()
            known = known_tips(self.journal, self._shared.heads)
            news = self.journal.news()
            agree(known, news)
            first = news.records[0].entry if news is not None and news.records else None
            if news is None or first is None or first.type != "state_reset":
                agree([("this process", tip, Tip())], news)
            if news is not None:
                self._take(news)
        except JournalTampered:
            self._begin_again(why)
        origin = Origin(0, "tripwire", "journal", Trust.WORLD)
        for label in held - self.engine.memory.labels.as_set():
            self.engine.memory.labels.add(label, origin)

    def _begin_again(self, why: str) -> None:
        """STATE-3: a new chain that starts from all labels; the old files are kept beside it."""
        try:
            number = put_beside(self.path)
        except OSError as error:
            raise unusable(self.path, error) from None
        self.journal.reopen()
        self._start_empty()
        self._progress.owed = (
            "reset"  # what heads.jsonl said before is of the chain that was set aside
        )
        data = set_aside(why, f"audit.jsonl.aside-{number}", 0, "")
        self.journal.append([("state_reset", data)])
        self._decide(SessionOpened(self._client, inherited=ALL_LABELS, why=why), "recovered")

    def _end_dead_attempts(self) -> None:
        """A call whose process died has an unknown outcome (E-4)."""
        for attempt in list(self._attempts.all()):
            if self._holder.died(attempt.holder):
                call = attempt.event
                gone = OutcomeUnknown(call.call_id, call.source, call.tool, "the guard ended")
                self._decide(gone, "recovered")
        self._holder.sweep()

    def sync(self) -> None:
        """Wait until everything decided so far is on disk. Raises EvidenceUnavailable."""
        with self.journal.locked():
            self.journal.sync()

    def close(self) -> None:
        """Commit and let the session go; it can be opened again. Never raises for a full disk."""
        if self._closed:
            return
        self._closed = True
        with suppress(EvidenceUnavailable, StateUnusable), self.journal.locked():
            if not self.path.is_dir():
                raise EvidenceUnavailable("the session was deleted", where=str(self.path))
            self._catch_up()
            lines: Lines = [("session_closed", {"holder": self._holder.name})]
            self.journal.append(lines)
            self._progress.checkpoint("closed")
        with suppress(EvidenceUnavailable):
            self.journal.close()
        self._holder.close()
        self._progress.anchors.close()
        self._shared.close()

    _closed = False


def open_session(
    policy: Policy,
    *,
    root: Path,
    name: str,
    client: str,
    fresh: SessionOpened | None = None,
    keys_dir: Path | None = None,
    attended: bool = True,
) -> Session:
    """Create or resume the session `<root>/sessions/<name>/`.

    `fresh` is recorded as the opening of a session that has no journal yet; without it the door
    sends its own SessionOpened. With `attended=False` nobody can answer: questions are refusals.

    Raises StateUnusable if the directory or the key cannot be used, UsageError for a bad name or
    key variable, EvidenceUnavailable if the first record cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a session", fix="Use letters, digits, - _ and .")
    directory = Path(root) / "sessions" / name
    make_private_dir(directory)
    store = KeyStore(keys_dir or policy.keys_dir or None)
    secret = store.session(directory) or store.new_session(directory)
    journal = Journal(directory, SessionKeys.derive(secret))
    session = Session(
        policy, journal, Shared.of(Path(root), store), client=client, attended=attended
    )
    session.load()
    if fresh is not None and journal.next_seq == 1:
        session.decide(fresh)
    return session
