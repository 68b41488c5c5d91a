"""Whether a configuration makes sense for the tools that the servers really have.

Pure: takes a Policy and tool listings, gives faults and warnings. `check` prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tripwire.doors.gateway.names import exposed, offered
from tripwire.model.policy import CallRule, Policy, Upstream
from tripwire.text.glob import match

_SEGMENT = re.compile(r"\[(?:\"([^\"]*)\"|'([^']*)'|([^\]]*))\]|([^.\[\]]+)")
_DANGER = re.compile(
    r"(?:^|_)(delete|remove|drop|destroy|wipe|purge|send|pay|transfer|refund|grant|revoke|publish)(?:_|$)",
    re.IGNORECASE,
)
_MOST_SCHEMA = 20_000
_HINTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as the agent will see it."""

    upstream: str
    name: str
    shown: str
    properties: frozenset[tuple[str, ...]]
    """Every argument path of its input schema."""
    open: bool
    """Its schema names no properties, so any argument may come."""
    hints: Mapping[str, bool]

    @property
    def dangerous(self) -> bool:
        """It says, or its name says, that it changes or sends something for good."""
        if self.hints.get("readOnlyHint"):
            return False
        return bool(self.hints.get("destructiveHint")) or _DANGER.search(self.name) is not None


def tool_of(upstream: Upstream, listed: Mapping[str, Any]) -> Tool:
    """A tool from its entry in tools/list."""
    name = str(listed["name"])
    hints = listed.get("annotations")
    found = (
        {k: v for k, v in hints.items() if isinstance(v, bool)} if isinstance(hints, dict) else {}
    )
    schema = listed.get("inputSchema")
    properties = frozenset(_properties(schema if isinstance(schema, dict) else {}))
    shown = exposed(upstream.name, name) if upstream.prefix else name
    return Tool(upstream.name, name, shown, properties, not properties, found)


def _properties(schema: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Argument paths, list items included; bounded, references are followed once each."""
    waiting: list[tuple[tuple[str, ...], Any, frozenset[str]]] = [((), schema, frozenset())]
    for _ in range(_MOST_SCHEMA):
        if not waiting:
            return
        path, node, seen = waiting.pop()
        if not isinstance(node, dict):
            continue
        for name, child in _dict(node.get("properties")).items():
            yield (*path, name)
            waiting.append(((*path, name), child, seen))
        inner = [node.get("items"), node.get("additionalProperties")]
        for several in ("anyOf", "oneOf", "allOf", "prefixItems"):
            listed = node.get(several)
            inner += listed if isinstance(listed, list) else []
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in seen and reference.startswith("#/"):
            waiting.append((path, _referred(schema, reference), seen | {reference}))
        waiting += [(path, child, seen) for child in inner]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _referred(schema: Mapping[str, Any], reference: str) -> Any:
    node: Any = schema
    for part in reference[2:].split("/"):
        node = _dict(node).get(part.replace("~1", "/").replace("~0", "~"))
    return node


# ── warnings ─────────────────────────────────────────────────────────────────────────────────


def collisions(tools: Iterable[Tool]) -> list[str]:
    """Names that two servers would both show (gateway.md §2 `prefix`)."""
    first: dict[str, Tool] = {}
    found = []
    for tool in tools:
        other = first.setdefault(tool.shown, tool)
        if other.upstream != tool.upstream:
            found.append(f'both {other.upstream} and {tool.upstream} show a tool "{tool.shown}"')
    return found


def warnings(policy: Policy, tools: tuple[Tool, ...], answered: frozenset[str]) -> list[str]:
    """What is written but reaches nothing. Only servers in `answered` can tell."""
    found: list[str] = []
    everything = answered == {upstream.name for upstream in policy.upstreams}
    for upstream in policy.upstreams:
        if upstream.name in answered:
            found += _upstream_globs(upstream, [t for t in tools if t.upstream == upstream.name])
    for rule in policy.call_rules:
        if everything or rule.upstream in answered:
            found += _rule(rule, [tool for tool in tools if matches(rule, tool)])
    found += _unguarded(policy, tools)
    return found


def _upstream_globs(upstream: Upstream, tools: list[Tool]) -> list[str]:
    found = []
    for key, patterns in (
        ("tools.allow", upstream.allow),
        ("tools.deny", upstream.deny),
        ("tool_options", tuple(upstream.tool_options)),
    ):
        found += [
            f'{upstream.at}: {key}: "{pattern}" matches no tool of {upstream.name}'
            for pattern in patterns
            if not any(match(pattern, tool.name) for tool in tools)
        ]
    if tools and not any(offered(upstream, tool.name) for tool in tools):
        found.append(f"{upstream.at}: no tool of {upstream.name} is left after allow and deny")
    return found


def matches(rule: CallRule, tool: Tool) -> bool:
    """Whether the rule is for this tool (absent annotations have MCP's defaults)."""
    if rule.tool and not match(rule.tool, tool.shown):
        return False
    if rule.upstream and rule.upstream != tool.upstream:
        return False
    return all(tool.hints.get(name, _HINTS[name]) is wanted for name, wanted in rule.annotation)


def _rule(rule: CallRule, tools: list[Tool]) -> list[str]:
    if not tools:
        return [f'{rule.at}: rule "{rule.id}" matches no tool']
    found = []
    for param in rule.sensitive_params:
        if not any(tool.open or _in_schema(param.path, tool) for tool in tools):
            names = ", ".join(sorted(tool.shown for tool in tools)[:3])
            guards = f'rule "{rule.id}" guards "{param.path}"'
            found.append(f"{rule.at}: {guards}, which no input of {names} is called")
    return found


def _in_schema(path: str, tool: Tool) -> bool:
    anchored = path.startswith("$")
    wanted = tuple(
        next(part for part in found.groups() if part is not None).lower()
        for found in _SEGMENT.finditer(path.lstrip("$"))
    )
    wanted = tuple(part for part in wanted if part not in ("*", "**") and not part.isdigit())
    if not wanted:
        return True
    for names in tool.properties:
        folded = tuple(name.lower() for name in names)
        if folded == wanted or (not anchored and folded[-len(wanted) :] == wanted):
            return True
    return "*" in path and any(wanted[-1] == names[-1].lower() for names in tool.properties)


def _unguarded(policy: Policy, tools: tuple[Tool, ...]) -> list[str]:
    if policy.on_unmatched == "block":
        return []
    found = []
    for tool in tools:
        upstream = policy.upstream(tool.upstream)
        if upstream is None or not offered(upstream, tool.name) or not tool.dangerous:
            continue
        if tool.upstream not in policy.flow.tools and not any(
            matches(rule, tool) for rule in policy.call_rules
        ):
            found.append(
                f'"{tool.shown}" can change or send something, and no rule or policy is for it'
            )
    return found
