"""`${VAR}`, `${VAR:-default}` and `$$` in every string of a configuration (gateway.md §2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tripwire.config.node import Node
from tripwire.config.problems import Problems

_DOLLAR = re.compile(r"\$(?:\$|\{([^{}]*)\}|\{)")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


def interpolated(
    node: Node, environ: Mapping[str, str], problems: Problems, path: str = ""
) -> Node:
    """The node with every variable replaced; unset ones without default are faults."""
    if isinstance(node.value, Mapping):
        children = {
            key: interpolated(child, environ, problems, f"{path}.{key}" if path else key)
            for key, child in node.value.items()
        }
        return replace(node, value=children)
    if isinstance(node.value, tuple):
        entries = tuple(
            interpolated(child, environ, problems, f"{path}[{number}]")
            for number, child in enumerate(node.value)
        )
        return replace(node, value=entries)
    if isinstance(node.value, str) and "$" in node.value:
        return _replaced(node, node.value, environ, problems, path)
    return node


def _replaced(
    node: Node, text: str, environ: Mapping[str, str], problems: Problems, path: str
) -> Node:
    used = False

    def value_of(found: re.Match[str]) -> str:
        nonlocal used
        if found[0] == "$$":
            return "$"
        inner = _NAME.fullmatch(found[1]) if found[1] is not None else None
        if inner is None:
            problems.add(
                node.place, path, "`${` without a variable name", "write `$$` for a plain `$`"
            )
            return ""
        used = True
        name, default = inner[1], inner[2]
        current = environ.get(name)
        if default is not None:
            return current or default
        if current is None:
            fix = f"set it, or write ${{{name}:-default}}"
            problems.add(node.place, path, f"the environment variable {name} is not set", fix)
            return ""
        return current

    value = _DOLLAR.sub(value_of, text)
    return replace(node, value=value, interpolated=used)
