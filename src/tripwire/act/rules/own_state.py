"""act/own-state — the agent may not touch what guards it: state, keys, config, hooks.

Does not catch: a program inside the project that does it, or a path put together at run time that
the shell classifier cannot follow; such a command is opaque instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripwire.act.facts import CallFacts, call_facts
from tripwire.act.paths import PathContext, PathList, path_kinds, resolve
from tripwire.act.shell.effects import ShellEffects
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule
from tripwire.text.glob import match

ID = "act/own-state"

_VERBS = frozenset(
    {"approve", "deny", "revoke", "uninstall", "install", "init", "pins", "token", "hook", "rotate"}
)
_DAEMON = frozenset({"stop", "start"})
_KILLERS = frozenset({"kill", "pkill", "killall", "systemctl", "launchctl"})
_INSTALLERS = frozenset({"pip", "pip3", "pipx", "uv", "poetry", "pdm", "conda", "mamba", "brew"})
_MEDDLERS = frozenset(
    {"mount", "umount", "bwrap", "proot", "unshare", "sqlite3", "xattr", "setfattr", "setfacl"}
    | {"chattr", "rename", "prename", "gdb", "lldb", "losetup", "fusermount"}
)
"""Programs that change what a word of theirs names in ways that are no write of a file."""
_SWITCHES = ("disableAllHooks", "allowManagedHooksOnly", "--setting-sources")
_MOVES = frozenset({"mv", "git mv", "move"})
_STATE_FILES = (
    "receipts.jsonl",
    "audit.jsonl",
    "heads.jsonl",
    "approvals.jsonl",
    "checkpoints.txt",
    "pins.json",
    "tokens.json",
    "head.json",
    "secrets.enc",
    "daemon.pid",
    "tripwire.sock",
)
_INNER = re.compile(
    r"\b(?:import|from)\s+tripwire\.(?:cli|io|ledger|doors\.hooks)\b"
    r"|\bfrom\s+tripwire\s+import\b[^;\n]{0,200}\b(?:cli|io|ledger)\b"
)
"""Code that takes Tripwire's own parts in hand: its verbs, its journal, its keys."""
_STARTERS = frozenset(
    {"expect", "tmux", "screen", "dtach", "abduco", "zellij", "at", "batch", "osascript", "socat"}
)
"""Programs that run, in a terminal or at a time of their own, what a text of theirs says."""
_SPOKEN = re.compile(
    r"\btripwire\s[^;\n]{0,200}?(--accept|\b(?:" + "|".join(sorted(_VERBS)) + r"))\b"
)
_REMEDY = "A person can do this in a terminal of their own; the agent cannot."


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A BLOCK if the call writes, deletes or reads what is Tripwire's own; no approval lifts it."""
    facts = call_facts(event, case)
    touched = facts.own_state or tuple(_around(facts, event, case))
    if touched:
        names = ", ".join(touched[:3])
        yield Finding(ID, Action.BLOCK, f"{event.exposed} touches Tripwire's own: {names}", _REMEDY)
    if any("TRIPWIRE_HOME" in (write.content or "") for write in facts.exec_writes):
        yield Finding(ID, Action.BLOCK, f"{event.exposed} moves Tripwire's state", _REMEDY)
    if facts.shell is not None and (verb := _own_verb(facts.shell) or _spoken(facts.shell, event)):
        yield Finding(ID, Action.BLOCK, f"{event.exposed} runs `{verb}`, a person's verb", _REMEDY)


def _around(facts: CallFacts, event: ToolCall, case: Case) -> Iterator[str]:
    """Own places that the call reaches through a directory above, a search, or a strange tool."""
    files = case.memory.files
    own = path_kinds(case.policy.flow.paths, files.home).own_state
    if any(write.how in _MOVES for write in facts.writes):
        yield from (p for p in facts.read_paths if own.below(p))
    for write in facts.writes:
        whole = write.path.rstrip("*").rstrip("/")
        above = files.home == whole or f"{files.root}/".startswith(f"{whole}/")
        if write.path.endswith("*") and not above and own.below(whole):
            yield write.path
    yield from (p for p in facts.deletions if "**" in p and _searched(p, files.home, own))
    shell = facts.shell
    if shell is None or not _MEDDLERS & {p.rsplit("/", 1)[-1] for p in shell.programs}:
        return
    here = PathContext(event.cwd or files.root, files.home, event.links, files.root)
    for word in shell.words:
        if len(word) < 1024 and own.any(resolve(word, here)):
            yield word


def _searched(path: str, home: str, own: PathList) -> bool:
    """`find ~/.local -name '*.jsonl' -delete`: the state lies below, and has such files."""
    start, _, rest = path.partition("**")
    tail = rest.rpartition("/")[2]
    places = (f"{home}/.local/state/tripwire/{name}" for name in _STATE_FILES)
    return any(
        place.startswith(start) and own.has(place) and tail.strip("*") and match(tail, name)
        for place, name in zip(places, _STATE_FILES, strict=True)
    )


def _own_verb(shell: ShellEffects) -> str:
    programs = {p.rsplit("/", 1)[-1] for p in shell.programs}
    spelled = set(shell.words)
    as_module = any(
        flag == "-m" and re.fullmatch(r"tripwire(?:\.\w+)*", module)
        for flag, module in zip(shell.words, shell.words[1:], strict=False)
    )
    if "tripwire" in programs or as_module:
        for verb in sorted(_VERBS & spelled):
            return f"tripwire {verb}"
        if any(word.startswith("--accept") for word in spelled):
            return "tripwire check --accept"
        if "daemon" in spelled and _DAEMON & spelled:
            return "tripwire daemon"
    # An event forged by the agent would speak as the client, and in the user's own words.
    if any(p.startswith("python") for p in programs) and any(
        word.endswith("tripwire/doors/hooks/shim.py") or _INNER.search(word) for word in spelled
    ):
        return "tripwire hook"
    if any("run/tripwire.sock" in word for word in spelled):
        return "tripwire hook"
    if programs & _KILLERS and any("tripwire" in word for word in spelled):
        return f"{min(programs & _KILLERS)} tripwire"
    return _switched_off(programs, spelled)


def _spoken(shell: ShellEffects, event: ToolCall) -> str:
    """A person's verb in a text that another program would run."""
    programs = {p.rsplit("/", 1)[-1] for p in shell.programs}
    texts = [text for text in event.args.values() if isinstance(text, str)]
    if any(p.startswith("python") for p in programs) and any(map(_INNER.search, texts)):
        return "tripwire hook"
    if programs & _STARTERS:
        found = next(filter(None, map(_SPOKEN.search, texts)), None)
        if found is not None:
            return f"tripwire {'check ' if found[1] == '--accept' else ''}{found[1]}"
    return ""


def _switched_off(programs: set[str], spelled: set[str]) -> str:
    """The guard taken out of its environment, or a client started without it."""
    if programs & _INSTALLERS:
        if {"uninstall", "remove", "rm"} & spelled and "tripwire" in spelled:
            return "uninstall tripwire"
        if any(re.match(r"tripwire(?:\[\w+\])?\s*[=<>~!@]", word) for word in spelled):
            return "install another tripwire"
    if "claude" in programs:
        if any(any(switch in word for switch in _SWITCHES) for word in spelled):
            return "claude without hooks"
        if {"config"} <= spelled and {"hooks", "set"} <= spelled:
            return "claude config set hooks"
    return ""


RULE = Rule(ID, ToolCall, check)
