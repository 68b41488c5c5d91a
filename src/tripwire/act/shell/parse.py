"""The syntax tree of a command line, by tree-sitter (SH-1)."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_bash.language()))
_NEGATED = re.compile(r"(?<!\S)!\s+(?=[{(!<>])")
_CONTINUED = re.compile(r"(?<=\S)\\\r?\n(?=\S)")


def parse(text: str) -> tuple[bytes, Node]:
    """The source as bytes and the root of its tree; any text gives a tree."""
    source = text.encode("utf-8", "replace")
    return source, _PARSER.parse(source).root_node


def readings(command: str) -> tuple[str, ...]:
    r"""The texts to classify: the grammar misses words split by `\` and a newline, and `! {`.

    What is done about it is wrong inside comments and quotes, so every reading is taken.
    """
    found = [command]
    if "\\" in command:
        found.append(_CONTINUED.sub("", command))
    if "!" in command:
        found += [_NEGATED.sub(" ", text) for text in found]
    return tuple(dict.fromkeys(found))
