"""The Merkle tree: the published vectors of Certificate Transparency, and the RFC's definition."""

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.ledger.tree import EMPTY, Tree, leaf_hash, node_hash, roots_at

LEAVES = [
    bytes.fromhex(text)
    for text in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def defined(lines):
    """RFC 9162 §2.1.1, word for word."""
    if not lines:
        return hashlib.sha256(b"").digest()
    if len(lines) == 1:
        return leaf_hash(lines[0])
    k = 1
    while k * 2 < len(lines):
        k *= 2
    return node_hash(defined(lines[:k]), defined(lines[k:]))


def test_published_vectors():
    found = roots_at(LEAVES, ROOTS)
    assert {size: root.hex() for size, root in found.items()} == ROOTS
    assert Tree().root() == EMPTY


@settings(max_examples=40)
@given(st.lists(st.binary(max_size=9), max_size=40), st.lists(st.integers(0, 40), max_size=5))
def test_grown_in_any_steps_it_is_the_tree_of_the_definition(lines, cuts):
    tree, done = Tree(), 0
    for cut in [*sorted(min(c, len(lines)) for c in cuts), len(lines)]:
        tree.add(lines[done:cut])
        done = cut
        assert tree.root() == defined(lines[:cut])
    assert tree.size == len(lines)
    assert 41 not in roots_at(lines, [41])
