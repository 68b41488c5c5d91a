"""Lookout: what the events of one session touch, under the rules its project has right now.

Renews the session's tripwires before each decision (CTX-7); decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tripwire.doors.hooks import touched
from tripwire.doors.hooks.hook import Client, Hook
from tripwire.doors.hooks.projects import Projects
from tripwire.doors.hooks.served import is_served
from tripwire.doors.hooks.touched import Place
from tripwire.io.session import Session
from tripwire.model.event import ToolCall, ToolResult
from tripwire.model.tripwire import Enforcement, FileAccess


@dataclass(slots=True)
class Lookout:
    """The eyes of one session: its client, and the directory it was opened for."""

    client: Client
    projects: Projects | None
    """None: this door shows no tripwires."""
    project: str
    home: str
    probe: bool = False
    """The session is a probe of doctor: what it is shown counts in no statistics (CTX-37)."""

    def of_call(self, call: ToolCall, session: Session) -> tuple[FileAccess, ...]:
        """What a call touches, before it runs."""
        place = self._place(call.cwd, session)
        found = self._marked(touched.of_call(call, place) if place else ())
        if self.client.tells_before:
            return found
        return tuple(replace(each, later=True) for each in found)

    def of_result(
        self, result: ToolResult, call: ToolCall, session: Session
    ) -> tuple[FileAccess, ...]:
        """What a result speaks of, and what the call touched if nobody told before it ran."""
        place = self._place(call.cwd, session)
        if place is None:
            return ()
        found = touched.of_result(result, place)
        if not self.client.tells_before:
            found = (*touched.of_call(call, place), *found)
        return self._marked(found)

    def of_prompt(
        self, paths: Iterable[str], hook: Hook, session: Session
    ) -> tuple[FileAccess, ...]:
        """What a prompt mentions, if its client takes context there."""
        place = self._place(hook.cwd, session) if self.client.tells_prompts else None
        return touched.of_prompt(paths, place) if place else ()

    def _marked(self, found: tuple[FileAccess, ...]) -> tuple[FileAccess, ...]:
        return tuple(replace(each, probe=True) for each in found) if self.probe else found

    def _place(self, cwd: str, session: Session) -> Place | None:
        """Where the session is; None if no tripwires are shown."""
        if self.projects is None:
            return None
        root, rules = self.projects.at(self.project or cwd)
        policy = session.engine.policy
        if policy.read is not rules:
            session.engine.policy = replace(policy, read=rules)
        strict = rules.config.enforcement_mode is Enforcement.STRICT
        served = strict and is_served(self.client.name, root, self.home)
        return Place(root, rules, cwd or str(root), self.home, policy.flow.shell, served=served)
