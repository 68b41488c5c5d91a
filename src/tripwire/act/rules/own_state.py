"""act/own-state — the agent may not touch what guards it: state, keys, config, hooks.

Does not catch: a program inside the project that does it, or a path put together at run time that
the shell classifier cannot follow; such a command is opaque instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.facts import call_facts
from tripwire.act.shell.effects import ShellEffects
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/own-state"

_VERBS = frozenset(
    {"approve", "deny", "revoke", "uninstall", "install", "init", "pins", "token", "hook"}
)
_DAEMON = frozenset({"stop", "start"})
_KILLERS = frozenset({"kill", "pkill", "killall", "systemctl", "launchctl"})
_REMEDY = "A person can do this in a terminal of their own; the agent cannot."


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A BLOCK if the call writes, deletes or reads what is Tripwire's own; no approval lifts it."""
    facts = call_facts(event, case)
    if facts.own_state:
        names = ", ".join(facts.own_state[:3])
        yield Finding(ID, Action.BLOCK, f"{event.exposed} touches Tripwire's own: {names}", _REMEDY)
    if facts.shell is not None and (verb := _own_verb(facts.shell)):
        yield Finding(ID, Action.BLOCK, f"{event.exposed} runs `{verb}`, a person's verb", _REMEDY)


def _own_verb(shell: ShellEffects) -> str:
    programs = {p.rsplit("/", 1)[-1] for p in shell.programs}
    spelled = set(shell.words)
    pairs = set(zip(shell.words, shell.words[1:], strict=False))
    if "tripwire" in programs or ("-m", "tripwire") in pairs:
        for verb in sorted(_VERBS & spelled):
            return f"tripwire {verb}"
        if "daemon" in spelled and _DAEMON & spelled:
            return "tripwire daemon"
    # An event forged by the agent would speak as the client, and in the user's own words.
    if any(p.startswith("python") for p in programs) and any(
        word.endswith("tripwire/doors/hooks/shim.py") for word in spelled
    ):
        return "tripwire hook"
    if any(word.endswith("run/tripwire.sock") for word in spelled):
        return "tripwire hook"
    if programs & _KILLERS and any("tripwire" in word for word in spelled):
        return f"{min(programs & _KILLERS)} tripwire"
    return ""


RULE = Rule(ID, ToolCall, check)
