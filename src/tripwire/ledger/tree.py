"""The Merkle tree over a session's audit entries (RFC 9162 §2.1, SHA-256).

A leaf is an audit line without its newline. Only the roots of the full subtrees are kept, so a tree
of any size is a few dozen hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

EMPTY = hashlib.sha256(b"").digest()
"""The root of the tree without leaves (RFC 9162 §2.1.1)."""


def leaf_hash(line: bytes) -> bytes:
    """The hash of one leaf: prefix 0x00, so that no node can pass for a leaf."""
    return hashlib.sha256(b"\x00" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node: prefix 0x01."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(slots=True)
class Tree:
    """A tree that grows: the roots of its full subtrees, largest first."""

    size: int = 0
    roots: list[bytes] = field(default_factory=list)

    def add(self, lines: Iterable[bytes]) -> None:
        """Append leaves, each a line without its newline."""
        roots, size = self.roots, self.size
        for line in lines:
            new = leaf_hash(line)
            rest = size
            while rest & 1:  # as many full subtrees end here as there are trailing ones
                new = node_hash(roots.pop(), new)
                rest >>= 1
            roots.append(new)
            size += 1
        self.size = size

    def root(self) -> bytes:
        """The root hash as of now."""
        if not self.roots:
            return EMPTY
        found = self.roots[-1]
        for left in reversed(self.roots[:-1]):
            found = node_hash(left, found)
        return found


def roots_at(lines: list[bytes], sizes: Iterable[int]) -> dict[int, bytes]:
    """The root at each of these sizes that the lines reach."""
    tree, found = Tree(), {}
    for size in sorted(set(sizes)):
        if size > len(lines) or size < 0:
            continue
        tree.add(lines[tree.size : size])
        found[size] = tree.root()
    return found
