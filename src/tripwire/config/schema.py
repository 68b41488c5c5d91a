"""The root of `tripwire.yaml` → Policy. Reads nodes, opens nothing; faults go into `problems`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tripwire.config import flow_keys, keys
from tripwire.config.flow_schema import Shipped, flow_policy
from tripwire.config.node import Node, Place
from tripwire.config.places import inside
from tripwire.config.problems import Problems
from tripwire.config.read_schema import read_config_of
from tripwire.config.reading import Section, Value
from tripwire.config.roles_schema import Library
from tripwire.config.rules_schema import PROVIDERS, Around, call_rules
from tripwire.config.upstream_schema import json_path, path_of, upstreams
from tripwire.errors import PolicyError
from tripwire.model.policy import Anchor, Approvals, Limits, Pins, Policy
from tripwire.text.glob import translate

_DAY = 86_400.0
_DAY_MS = 86_400_000
_VERIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Given:
    """What the schema cannot know by itself."""

    library: Library
    shipped: Shipped
    own_state: tuple[str, ...] = ()


def policy_of(root: Node, given: Given, problems: Problems) -> Policy:
    """The Policy of a root node; whoever calls raises the problems."""
    whole = Value(root, "", problems)
    if not isinstance(root.value, Mapping):
        whole.fail(f"must be a mapping, not {root.kind}", "write `key: value` lines")
        return Policy()
    section = whole.section(keys.ROOT)
    servers = upstreams(section.get("upstreams"))
    defaults = section.inner("defaults", keys.DEFAULTS)
    on_unmatched = defaults.word("on_unmatched", ("pass", "block"), "pass")
    around = Around(
        servers,
        section.get("upstreams") is not None,
        _verifiers(section.get("verifiers")),
        on_unmatched == "block",
    )
    intent = section.inner("intent", keys.INTENT)
    audit = section.inner("audit", keys.AUDIT)
    _accepted(section)
    flow = flow_policy(section.inner("flow", flow_keys.FLOW), given.library, given.shipped)
    state_dir, keys_dir = _state_dir(section), _keys_dir(section.get("keys_dir"))
    own = (*flow.paths.own_state, *given.own_state, *inside(state_dir), *inside(keys_dir))
    paths = replace(flow.paths, own_state=tuple(dict.fromkeys(own)))
    return Policy(
        flow=replace(flow, paths=paths),
        upstreams=servers,
        call_rules=call_rules(section.get("rules"), around),
        on_unmatched=on_unmatched,
        audit=defaults.word("audit", ("all", "decisions"), "all"),
        checkpoint_every=audit.whole("checkpoint_every", 100, least=1, most=1_000_000),
        pins=_pins(section.inner("pins", keys.PINS)),
        anchors=_anchors(audit.get("anchors")),
        intent_sources=intent.words("source", _SOURCES, _SOURCES),
        intent_on_change=intent.word("on_change", ("flag", "hold", "block"), "hold"),
        approvals=_approvals(section.inner("approvals", keys.APPROVALS)),
        limits=_limits(section.inner("limits", keys.LIMITS)),
        state_dir=state_dir,
        keys_dir=keys_dir,
        redact=_redact(section.get("redact")),
    )


_SOURCES = ("hook", "library", "declared")
_CHANNELS = ("mcp", "cli", "web")


def _accepted(section: Section) -> None:
    """Keys that are checked but have no value in a Policy yet; what they ask for holds anyway."""
    _transport(section.get("transport"))
    store = section.get("store")
    if store is not None and (text := store.text()) and text != "file":
        known = "(the PostgreSQL store)" if text.startswith(("postgresql:", "postgres:")) else ""
        what = f"not available yet in this version {known}" if known else "must be file"
        store.fail(what, "write file, or remove the key")
    section.inner("telemetry", keys.TELEMETRY).flag("metrics", default=True)
    section.text("agent_provider")
    _read(section.get("read"))
    _no_effect(section)


def _read(value: Value | None) -> None:
    """`read:` is the project's, read with its tripwires: a bad value there takes its default."""
    if value is None:
        return
    for found in read_config_of(value.node, value.node.place.shown, prefix="read.")[1]:
        place = Place(found.file, found.line, found.column)
        value.problems.notice(place, found.key or "read", found.message)


def _no_effect(section: Section) -> None:
    """Says of keys that are set that they change nothing in this version."""
    root, problems = section.value.node, section.value.problems
    nodes = [
        ("agent_provider", root.items.get("agent_provider")),
    ]
    servers = root.items.get("upstreams")
    listed = servers.value if servers is not None and isinstance(servers.value, tuple) else ()
    nodes += [(f"upstreams[{n}].sharing", s.items.get("sharing")) for n, s in enumerate(listed)]
    for path, node in nodes:
        if node is not None:
            problems.notice(node.place, path, "accepted, has no effect yet")


def _transport(value: Value | None) -> None:
    if value is None or value.node.value == "stdio":
        return
    kind = value.node.items.get("type")
    if kind is not None and kind.value == "stdio" and len(value.node.items) == 1:
        return
    if value.node.value == "http" or (kind is not None and kind.value == "http"):
        value.fail("not available yet in this version (serving HTTP)", "write stdio, or remove it")
    else:
        value.fail("must be stdio", "write stdio, or remove the key")


def _verifiers(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    names = []
    for name, place, entry in value.pairs():
        if not _VERIFIER.fullmatch(name):
            value.problems.add(place, entry.path, f'"{name[:40]}" is no verifier name')
        one = entry.section(keys.VERIFIER)
        if one.usable and one.get("provider") is None:
            one.fail("needs `provider`", "write provider: offline")
        one.word("provider", ("offline", *PROVIDERS), "offline")
        one.whole("timeout_ms", 8000, least=1, most=600_000)
        names.append(name)
    return tuple(names)


def _approvals(section: Section) -> Approvals:
    value = section.get("channels")
    channels = section.words("channels", _CHANNELS, _CHANNELS)
    if value is not None and not channels and value.node.value == ():
        value.fail("must not be empty: a held call could never be approved", "name mcp, cli or web")
    return Approvals(
        channels=channels,
        timeout_ms=section.whole("timeout_ms", 300_000, least=1, most=_DAY_MS),
        max_ttl=section.seconds("max_ttl", _DAY, most=90 * _DAY),
    )


def _pins(section: Section) -> Pins:
    return Pins(
        mode=section.word("mode", ("enforce", "warn"), "enforce"),
        on_new_tool=section.word("on_new_tool", ("quarantine", "pin"), "quarantine"),
    )


def _anchors(value: Value | None) -> tuple[Anchor, ...]:
    found = []
    for entry in value.each() if value is not None else ():
        one = entry.section(keys.ANCHOR)
        if not one.usable:
            continue
        kind = one.word("type", ("file", "git", "syslog", "http"), "file")
        if one.get("type") is None:
            one.fail("needs `type`", "write file, git, syslog or http")
        target = one.get("target")
        if target is None:
            one.fail("needs `target`", "name the file, repository, socket or address")
            continue
        given = path_of(target) if kind in ("file", "git") else target.text()
        if kind == "http" and given and not given.startswith(("http://", "https://")):
            target.fail("must begin with http:// or https://")
        found.append(Anchor(kind, given, one.flag("required", default=False)))
    return tuple(found)


def _limits(section: Section) -> Limits:
    return Limits(
        message_bytes=section.whole("message_bytes", 16_777_216, least=1024, most=1 << 30),
        depth=section.whole("depth", 128, least=4, most=10_000),
        index_mb=section.whole("index_mb", 64, least=1, most=65_536),
        inflight=section.whole("inflight", 64, least=1, most=10_000),
    )


def _state_dir(section: Section) -> str:
    value = section.get("state_dir")
    if value is not None:
        return path_of(value)
    base = section.value.node.base
    return f"{base}/.tripwire" if base else ".tripwire"


def _keys_dir(value: Value | None) -> str:
    if value is None:
        return ""
    return "beside" if value.node.value == "beside" else path_of(value)


def _redact(value: Value | None) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    found = []
    for entry in value.each():
        if len(entry.node.items) > 1:
            entry.fail("holds several pairs", "write each as its own `- tool: path`")
        for tool, place, path in entry.pairs():
            try:
                translate(tool)
            except PolicyError as error:
                value.problems.add(place, path.path, error.what, error.fix)
            found.append((tool, json_path(path)))
    return tuple(found)
