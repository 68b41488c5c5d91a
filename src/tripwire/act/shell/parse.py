"""The syntax tree of a command line, by tree-sitter (SH-1)."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_bash.language()))
_CONTINUED = re.compile(r"(?<=\S)\\\r?\n(?=\S)")


def parse(text: str) -> tuple[bytes, Node]:
    """The source as bytes and the root of its tree; any text gives a tree."""
    source = text.encode("utf-8", "replace")
    return source, _PARSER.parse(source).root_node


def readings(command: str) -> tuple[str, ...]:
    r"""The texts to classify: a word may be split by `\` and a newline, which the grammar misses.

    Joining is wrong inside comments and single quotes, so both readings are taken.
    """
    if "\\" not in command:
        return (command,)
    joined = _CONTINUED.sub("", command)
    return (command,) if joined == command else (command, joined)
