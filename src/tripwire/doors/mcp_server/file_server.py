"""The file server's calls: each is decided by the session, carried out, and recorded (CTX-13, 4.1).

Knows no wire. What a call asks of a person is data (`Ask`): the wire asks, and calls again with the
answer. A file server may be an agent's only way to files, so the ACT rules judge its calls as well.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from tripwire.act.approval import call_hash
from tripwire.doors.mcp_server.arguments import TOOLS, Arguments, ReadFile, typed
from tripwire.doors.mcp_server.tools import Work, run
from tripwire.errors import FileRefused, MalformedInput, NeedsPerson, TripwireError
from tripwire.io.links import links_of
from tripwire.io.project import file_access, path_forms
from tripwire.io.session import Session
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.event import Approved, Denied, ToolCall, ToolResult
from tripwire.model.tripwire import FileAccess
from tripwire.model.verdict import Action, Question, Verdict
from tripwire.read.tripwire_set import TripwireSet

DOOR = "mcp_server"
SOURCE = "tripwire"
"""The server's key in client configurations (README of the specs, rule 5)."""


NOTHING_SAID: Mapping[str, bool] = MappingProxyType({})
"""Nobody was asked yet."""


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
    home: str = ""
    clock: Callable[[], float] = time.time
    _count: int = field(default=0)

    def call(
        self, tool: str, raw: Mapping[str, object], *, said: Mapping[str, bool] = NOTHING_SAID
    ) -> Answer | Ask:
        """Carry out one call. `said` is what a person answered to what this very call asked.

        An answer counts only for the words it was given to: a yes to one question is no yes to
        another, and a change of a file that looks otherwise by now is asked about again.

        Raises EvidenceUnavailable if the call cannot be recorded.
        """
        if tool not in TOOLS:
            return failed(f'no tool "{tool}"; there are {", ".join(TOOLS)}')
        try:
            args = typed(tool, raw)
        except MalformedInput as problem:
            return failed(problem.what)
        rules = self.folder.current()
        policy = self.session.engine.policy
        if policy.read is not rules:
            self.session.engine.policy = replace(policy, read=rules)
        event = self._event(tool, raw, args, rules)
        verdict = self.session.decide(event, door=DOOR)
        if (question := verdict.question) is not None:
            words = _wording(question)
            if words not in said:
                return Ask(words)
            self._answered(event, question, yes=said[words])
            verdict = self.session.decide(event, door=DOOR)
        if not verdict.passes:
            return failed(_refusal(verdict))
        told = "".join(f.tell for f in verdict.findings if f.firing is not None)
        return self._carried_out(event, args, Work(self.root, rules, event.at, told), said)

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
            links=self._links(raw),
            agent=f"mcp:{self.connection}",
            touched=self._touched(args, rules),
        )

    def _links(self, raw: Mapping[str, object]) -> dict[str, str]:
        """Where the paths of a call lead: links, and the spellings that the tools take as well."""
        found = links_of(raw, cwd=str(self.root), home=self.home)
        path = raw.get("path")
        if isinstance(path, str):
            with suppress(OSError, ValueError):
                found[path] = os.path.realpath(path_forms(self.root, path).absolute)
        return found

    def _touched(self, args: Arguments, rules: TripwireSet) -> tuple[FileAccess, ...]:
        if not isinstance(args, ReadFile):
            return ()
        try:
            access = file_access(self.root, rules, args.path, route="read_file")
        except (OSError, ValueError):
            return ()  # no file can have this name: the tool will say so
        return (access,) if access is not None else ()

    def _carried_out(
        self, event: ToolCall, args: Arguments, work: Work, said: Mapping[str, bool]
    ) -> Answer | Ask:
        """Run the tool and record what it gave; the outcome is recorded whatever happens."""
        asked: Ask | None = None
        try:
            given = _run(event.tool, args, work)
        except NeedsPerson as problem:
            words = f"{problem.what}\n\n{problem.diff}"
            if said.get(words):
                given = _again(event.tool, args, replace(work, approved=problem.diff))
            else:
                given = failed(problem.refusal)
                asked = Ask(words) if words not in said else None
        except BaseException:
            self._outcome(event, failed("the tool crashed"))
            raise
        recorded = self._outcome(event, given)
        if not recorded.passes:
            return failed(_refusal(recorded))
        return asked or given

    def _outcome(self, event: ToolCall, given: Answer) -> Verdict:
        content = [{"type": "text", "text": text} for text in given.blocks]
        result = {"content": content, "isError": given.is_error}
        return self.session.decide(
            ToolResult(
                event.call_id,
                event.source,
                event.tool,
                event.args,
                result,
                is_error=given.is_error,
                cwd=event.cwd,
                links=event.links,
                agent=event.agent,
            ),
            door=DOOR,
        )

    def _answered(self, event: ToolCall, question: Question, *, yes: bool) -> None:
        digest = call_hash(event, self.session.memory)
        rules = frozenset(question.rules)
        name = f"ap-{digest[:12]}"
        if not yes:
            self.session.decide(Denied(name, digest, rules, "mcp"), door=DOOR)
            return
        labels = self.session.engine.memory.labels.as_set()
        expires = event.at + self.session.engine.policy.approvals.timeout_ms / 1000
        grant = Approved(name, digest, rules, "user", "mcp", labels, expires)
        self.session.decide(grant, door=DOOR)


def _run(tool: str, args: Arguments, work: Work) -> Answer:
    """What the tool gives, or its refusal. Raises NeedsPerson."""
    try:
        made = run(tool, args, work)
    except NeedsPerson:
        raise
    except FileRefused as problem:
        return failed(problem.what)
    except TripwireError as problem:
        return failed(str(problem))
    except OSError as problem:
        return failed(problem.strerror or type(problem).__name__)
    return Answer(made.blocks, made.data)


def _again(tool: str, args: Arguments, work: Work) -> Answer:
    """The change that a person allowed; refused if the file became another one meanwhile."""
    try:
        return _run(tool, args, work)
    except NeedsPerson as problem:
        return failed(problem.refusal)


def failed(text: str) -> Answer:
    """An error as the agent meets it (read.md §4.1)."""
    return Answer((f"Error: {text}",), is_error=True)


def _wording(question: Question) -> str:
    return f"Tripwire asks before this call runs:\n{question.text}"


def _refusal(verdict: Verdict) -> str:
    lines = [
        f"{f.reason}{'' if f.reason.endswith('.') else '.'} {f.remedy} [{f.rule}]"
        for f in verdict.findings
        if f.action > Action.INFORM
    ]
    tail = f" Details: tripwire explain {verdict.decision_id}" if verdict.decision_id else ""
    return "Tripwire: " + "\n".join(dict.fromkeys(lines)) + tail
