"""The file server's calls: each is decided by the session, carried out, and recorded (CTX-13, 4.1).

Knows no wire. What a call asks of a person is data (`Ask`): the wire asks, and calls again with the
answer. A file server may be an agent's only way to files, so the ACT rules judge its calls as well.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripwire.act.approval import call_hash
from tripwire.doors.mcp_server import tools
from tripwire.doors.mcp_server.arguments import TOOLS, Arguments, ReadFile, typed
from tripwire.errors import FileRefused, MalformedInput, NeedsPerson, TripwireError
from tripwire.io.project import file_access
from tripwire.io.session import Session
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.event import Approved, Denied, ToolCall, ToolResult
from tripwire.model.tripwire import FileAccess
from tripwire.model.verdict import Question, Verdict
from tripwire.read.tripwire_set import TripwireSet

DOOR = "mcp_server"
SOURCE = "tripwire"
"""The server's key in client configurations (README of the specs, rule 5)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gives back: text blocks, the same as data, and whether it failed."""

    blocks: tuple[str, ...]
    data: Mapping[str, object] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to a person; the call is made again with the answer."""

    text: str


@dataclass(slots=True)
class FileServer:
    """One connection: a project, its tripwires, and the session that judges."""

    session: Session
    root: Path
    folder: TripwireFolder
    connection: str
    clock: Callable[[], float] = time.time
    _count: int = field(default=0)

    def call(
        self, tool: str, raw: Mapping[str, object], *, answer: bool | None = None
    ) -> Answer | Ask:
        """Carry out one call. `answer` is what a person said when this very call was asked about.

        Raises EvidenceUnavailable if the call cannot be recorded.
        """
        if tool not in TOOLS:
            return _failed(f'no tool "{tool}"; there are {", ".join(TOOLS)}')
        try:
            args = typed(tool, raw)
        except MalformedInput as problem:
            return _failed(problem.what)
        rules = self.folder.current()
        policy = self.session.engine.policy
        if policy.read is not rules:
            self.session.engine.policy = replace(policy, read=rules)
        event = self._event(tool, raw, args, rules)
        verdict = self.session.decide(event, door=DOOR)
        if (question := verdict.question) is not None:
            if answer is None:
                return Ask(_wording(question))
            self._answered(event, question, yes=answer)
            verdict = self.session.decide(event, door=DOOR)
        if not verdict.passes:
            return _failed(_refusal(verdict))
        return self._carried_out(event, args, rules, verdict, answer=answer)

    def _event(
        self, tool: str, raw: Mapping[str, object], args: Arguments, rules: TripwireSet
    ) -> ToolCall:
        self._count += 1
        return ToolCall(
            f"{self.connection}-{self._count}",
            SOURCE,
            tool,
            raw,
            cwd=str(self.root),
            at=self.clock(),
            agent=f"mcp:{self.connection}",
            touched=self._touched(args, rules),
        )

    def _touched(self, args: Arguments, rules: TripwireSet) -> tuple[FileAccess, ...]:
        if not isinstance(args, ReadFile) or "\0" in args.path:
            return ()
        try:
            access = file_access(self.root, rules, args.path, route="read_file")
        except OSError:
            return ()  # a name that the system refuses: the tool will say so
        return (access,) if access is not None else ()

    def _carried_out(
        self,
        event: ToolCall,
        args: Arguments,
        rules: TripwireSet,
        verdict: Verdict,
        *,
        answer: bool | None,
    ) -> Answer | Ask:
        """Run the tool and record what it gave; the outcome is recorded whatever happens."""
        told = "".join(f.tell for f in verdict.findings if f.firing is not None)
        work = tools.Work(self.root, self.folder, rules, event.at, told, approved=answer is True)
        asked: Ask | None = None
        try:
            made = tools.run(event.tool, args, work)
            given = Answer(made.blocks, made.data)
        except NeedsPerson as problem:
            if answer is None:
                asked = Ask(f"{problem.what}\n\n{problem.diff}")
            given = _failed(problem.refusal)
        except (FileRefused, TripwireError) as problem:
            given = _failed(problem.what if isinstance(problem, FileRefused) else str(problem))
        except OSError as problem:
            given = _failed(f"{problem.strerror or type(problem).__name__}")
        except BaseException:
            self._outcome(event, _failed("the tool crashed"))
            raise
        self._outcome(event, given)
        return asked or given

    def _outcome(self, event: ToolCall, given: Answer) -> None:
        content = [{"type": "text", "text": text} for text in given.blocks]
        result = {"content": content, "isError": given.is_error}
        self.session.decide(
            ToolResult(
                event.call_id,
                event.source,
                event.tool,
                event.args,
                result,
                is_error=given.is_error,
                cwd=event.cwd,
                agent=event.agent,
            ),
            door=DOOR,
        )

    def _answered(self, event: ToolCall, question: Question, *, yes: bool) -> None:
        digest, rules = call_hash(event), frozenset(question.rules)
        name = f"ap-{digest[:12]}"
        if not yes:
            self.session.decide(Denied(name, digest, rules, "mcp"), door=DOOR)
            return
        labels = self.session.engine.memory.labels.as_set()
        expires = event.at + self.session.engine.policy.approvals.timeout_ms / 1000
        grant = Approved(name, digest, rules, "user", "mcp", labels, expires)
        self.session.decide(grant, door=DOOR)


def _failed(text: str) -> Answer:
    return Answer((f"Error: {text}",), is_error=True)


def _wording(question: Question) -> str:
    return f"Tripwire asks before this call runs:\n{question.text}"


def _refusal(verdict: Verdict) -> str:
    lines = [
        f"{f.reason}{'' if f.reason.endswith('.') else '.'} {f.remedy} [{f.rule}]"
        for f in verdict.findings
        if f.action > 1
    ]
    tail = f" Details: tripwire explain {verdict.decision_id}" if verdict.decision_id else ""
    return "Tripwire: " + "\n".join(dict.fromkeys(lines)) + tail


def as_json(value: object) -> str:
    """JSON for people: two spaces, keys in the order they were made (read.md §4.1)."""
    return json.dumps(value, indent=2, ensure_ascii=False)
