"""The syntax tree of a command line, by tree-sitter (SH-1)."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_bash.language()))
_NEGATED = re.compile(r"(?<!\S)!\s+(?=[{(!<>])")
_CONTINUED = re.compile(r"(?<=\S)\\\r?\n(?=\S)")


_ASCII = bytes(byte if byte < 0x80 else ord(",") for byte in range(256))
_FOREIGN_DELIMITER = re.compile(r"<<-?[ \t]*\S*[^\x00-\x7f]")


def parse(text: str) -> tuple[bytes, Node]:
    """The source as bytes and the root of its tree; any text gives a tree.

    The scanner of the grammar looks characters up in a C table without a bound: beyond ASCII it
    reads foreign memory and may crash the process. It sees a comma for each such byte, which is a
    letter of a word and never part of a name, as the shell has it; offsets stay the same.
    """
    source = text.encode("utf-8", "replace")
    return source, _PARSER.parse(source.translate(_ASCII)).root_node


def is_ambiguous(text: str) -> bool:
    """Whether a here-document ends at a word that the parser cannot tell from others."""
    return bool(_FOREIGN_DELIMITER.search(text)) and not text.isascii()


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
