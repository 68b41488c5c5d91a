"""The `flow:` section: labels, destinations, paths, the flow table (flow.md §2.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tripwire.config import flow_keys
from tripwire.config.problems import Problems
from tripwire.config.reading import Section, Value
from tripwire.config.roles_schema import Library, policies, preset_roles
from tripwire.config.strict_yaml import packaged
from tripwire.errors import PolicyError
from tripwire.model.label import Label, WriteClass
from tripwire.model.policy import DlpLimits, FlowPolicy, FlowRow, PathLists
from tripwire.model.shell_tables import ShellTables
from tripwire.model.verdict import Action
from tripwire.text.glob import translate

CLIENT = "claude-code"
"""The source of the client's own tools, and the preset they have by default."""

FILE_SERVER = "tripwire"
"""The source of the file server's tools, and their preset (README of the specs, rule 5)."""

HOOK_TIMEOUT_MS = 10_000
"""What `install` writes as the client's timeout; a decision must come earlier (flow.md §2.3)."""

_ACTIONS = ("INFORM", "VERIFY", "ASK", "BLOCK")
_ROW_ID = re.compile(r"act/[a-z][a-z0-9-]{0,60}", re.ASCII)
_CONDITION = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}", re.ASCII)
_ONLY_WILD = re.compile(r"(?:[a-z*][a-z0-9+.*-]*://)?[*.?]+(?:[/:].*)?", re.IGNORECASE | re.DOTALL)
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Shipped:
    """What holds where the file is silent: the packaged table, lists and shell tables."""

    rows: tuple[FlowRow, ...]
    paths: PathLists
    index_hosts: tuple[str, ...]
    internal_hosts: tuple[str, ...]
    shell: ShellTables


def shipped(shell: ShellTables) -> Shipped:
    """The packaged `flow.yaml` and `paths.yaml`, which are `flow:` sections themselves."""
    table, lists = (_packaged(name) for name in ("flow", "paths"))
    found = Shipped(
        rows=_rows(table.get("rules")),
        paths=_paths(lists, PathLists()),
        index_hosts=_urls(lists.get("index_hosts")) or _urls(table.get("index_hosts")),
        internal_hosts=_urls(lists.get("internal_hosts")) or _urls(table.get("internal_hosts")),
        shell=shell,
    )
    table.value.problems.raise_if_any()
    lists.value.problems.raise_if_any()
    return found


def _packaged(name: str) -> Section:
    from_file = Value(packaged(name)[0], "", Problems())
    return from_file.section(flow_keys.FLOW)


def flow_policy(section: Section, library: Library, under: Shipped) -> FlowPolicy:
    """The section over the shipped defaults."""
    level = section.word("level", ("default", "cautious", "strict"), "default")
    careful = level != "default"
    for name, words in (("hiding", ("off", "on")), ("remember", ("session", "project", "never"))):
        section.word(name, words, words[0])
    own = (CLIENT, FILE_SERVER)
    tools = {name: preset_roles(name) for name in own if name in library.names}
    return FlowPolicy(
        mode=section.word("mode", ("enforce", "monitor"), "enforce"),
        tools=tools | policies(section.get("policies"), library),
        rows=_table(section, under.rows),
        trusted_urls=_urls(section.get("trusted_urls")),
        internal_hosts=_listed(section, "internal_hosts", under.internal_hosts),
        index_hosts=_listed(section, "index_hosts", under.index_hosts),
        paths=_paths(section, under.paths),
        strict_destinations=section.flag("strict_destinations"),
        strict_links=section.flag("strict_links") or careful,
        own_only=section.flag("own_only") or careful,
        level=level,
        purpose=section.switch("purpose", default=True),
        me=section.texts("me"),
        own_domains=_domains(section.get("own_domains")),
        prompt_pastes=section.word("prompt_pastes", ("trusted", "untrusted"), "trusted"),
        approval_ttl=section.seconds("approval_ttl", 8 * 3600.0, most=90 * _DAY),
        unsafe_allow_unanswered=_fallback(section.get("ask_fallback")),
        deadline_ms=section.whole("deadline_ms", 8000, least=100, most=HOOK_TIMEOUT_MS - 1),
        dlp=_dlp(section.inner("dlp", flow_keys.DLP)),
        shell=under.shell,
    )


def _fallback(value: Value | None) -> bool:
    if value is None:
        return False
    if value.node.value == "allow":
        value.fail(
            'must be one of block, unsafe_allow, not "allow"',
            "if you mean it, write unsafe_allow: unanswered questions then pass",
        )
        return False
    return value.word(("block", "unsafe_allow"), "block") == "unsafe_allow"


def _dlp(section: Section) -> DlpLimits:
    return DlpLimits(
        depth=section.whole("depth", 3, least=0, most=4),
        max_kb=section.whole("max_kb", 1024, least=1, most=65_536),
        shapes=section.switch("shapes", default=True),
        fragments=section.switch("fragments", default=True),
    )


# ── lists ────────────────────────────────────────────────────────────────────────────────────


def _paths(section: Section, under: PathLists) -> PathLists:
    def adds(name: str, shipped_globs: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(shipped_globs + _globs(section.get(name))))

    def replaces(name: str, shipped_globs: tuple[str, ...]) -> tuple[str, ...]:
        value = section.get(name)
        return shipped_globs if value is None else _globs(value)

    own = section.get("own_state_paths")
    for entry in own.many() if own is not None else ():
        if isinstance(entry.node.value, str) and entry.node.value.startswith("!"):
            entry.fail("Tripwire's own files are never taken out", "remove it")
    return PathLists(
        secret=adds("secret_paths", under.secret),
        exec=adds("exec_paths", under.exec),
        build=adds("build_paths", under.build),
        untrusted=adds("untrusted_paths", under.untrusted),
        shared=adds("shared_paths", under.shared),
        public=replaces("public_paths", under.public),
        scratch=replaces("scratch_paths", under.scratch),
        fixture=replaces("fixture_paths", under.fixture),
        build_outputs=_names(section.get("build_outputs"), under.build_outputs),
        sources=tuple(dict.fromkeys(under.sources + _names(section.get("source_directories"), ()))),
        own_state=adds("own_state_paths", under.own_state),
    )


def _names(value: Value | None, under: tuple[str, ...]) -> tuple[str, ...]:
    """Names of directories; a path or a glob is a fault."""
    if value is None:
        return under
    found = []
    for entry in value.many():
        text = entry.text()
        if text in (".", "..") or set(text) & set("/\\*?[]{}!"):
            entry.fail(f"{entry.shown()} is no name of a directory", "write it like build")
        elif text:
            found.append(text)
    return tuple(found)


def _globs(value: Value | None) -> tuple[str, ...]:
    """Path globs; a relative one is taken from the file's directory."""
    if value is None:
        return ()
    found = []
    for entry in value.many():
        text = entry.text()
        if not text:
            continue
        if text.startswith("!("):
            entry.fail("`!(…)` is not supported", "list what should match; `!glob` takes paths out")
            continue
        try:
            translate(text.removeprefix("!"), path=True)
        except PolicyError as error:
            entry.fail_as(error)
            continue
        found.append(_anchored(text, entry))
    return tuple(found)


def _anchored(text: str, entry: Value) -> str:
    """A relative glob starts at the file's directory; `!` in front takes paths out again."""
    if text.startswith("!"):
        return f"!{_anchored(text[1:], entry)}"
    if text.startswith(("/", "~", "**")) or not entry.node.base or entry.node.place.packaged:
        return text
    text = text.removeprefix("./")
    return f"{entry.node.base}/{text}" if "/" in text else f"**/{text}"


def _listed(section: Section, name: str, under: tuple[str, ...]) -> tuple[str, ...]:
    value = section.get(name)
    return under if value is None else _urls(value)


def _urls(value: Value | None) -> tuple[str, ...]:
    """URL patterns; one whose host is nothing but wildcards would trust everything."""
    if value is None:
        return ()
    found = []
    for entry in value.many():
        text = entry.text()
        if not text:
            continue
        if _ONLY_WILD.fullmatch(text):
            entry.fail(f"{entry.shown()} would match every host", "name a host, like *.example.com")
        elif any(char.isspace() for char in text):
            entry.fail(
                f"{entry.shown()} is no URL pattern", "write it like https://api.example.com/v1/*"
            )
        else:
            found.append(text)
    return tuple(found)


def _domains(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    found = []
    for entry in value.many():
        text = entry.text()
        if text and (set(text) & set("*/@: ") or "." not in text):
            entry.fail(f"{entry.shown()} is no mail domain", "write it like example.com")
        elif text:
            found.append(text.lower())
    return tuple(found)


# ── the flow table ───────────────────────────────────────────────────────────────────────────


def _table(section: Section, under: tuple[FlowRow, ...]) -> tuple[FlowRow, ...]:
    replaced = section.get("rules")
    if replaced is not None and replaced.node.value == ():
        replaced.fail(
            "an empty table would pass everything", "remove the key, or set mode: monitor"
        )
    rows = under if replaced is None else _rows(replaced)
    return rows + _rows(section.get("+rules"))


def _rows(value: Value | None) -> tuple[FlowRow, ...]:
    if value is None:
        return ()
    return tuple(_row(entry.section(flow_keys.ROW)) for entry in value.each())


def _row(section: Section) -> FlowRow:
    for name in ("id", "classes", "action"):
        if section.usable and section.get(name) is None:
            section.fail(f"a row needs `{name}`", f"add `{name}: …`")
    ident, classes = section.get("id"), section.get("classes")
    text = ident.text() if ident is not None else ""
    if text and ident is not None and not _ROW_ID.fullmatch(text):
        ident.fail(f"{ident.shown()} is no rule id", "write it like act/my-rule")
    if classes is not None and classes.node.value == ():
        classes.fail("must not be empty", "name a write class")
    skip = section.texts("skip")
    for word in skip:
        if not _CONDITION.fullmatch(word):
            section.fail("skip holds a word that is no condition", "write it like named-code")
    return FlowRow(
        id=text,
        needs=frozenset(Label(word) for word in section.words("needs", Label)),
        classes=frozenset(WriteClass(word) for word in section.words("classes", WriteClass)),
        action=Action[section.word("action", _ACTIONS, "BLOCK")],
        skip=frozenset(skip),
        remedy=section.text("remedy"),
        at=section.value.node.place.file_line,
    )
