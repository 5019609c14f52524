"""The Merkle tree of RFC 6962."""

import hashlib
from collections.abc import Sequence

import pytest

from tourney.check.merkle import Tree, inclusion_path, leaf_hash, node_hash, root_from_path, tree_hash

ENTRIES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}
"""The test vectors of the reference implementation of Certificate Transparency."""


def leaves(count: int) -> list[bytes]:
    return [leaf_hash(str(number).encode()) for number in range(count)]


def recursive(hashes: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962, section 2.1, word by word."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(recursive(hashes[:split]), recursive(hashes[split:]))


@pytest.mark.parametrize(("count", "root"), ROOTS.items())
def test_published_vectors_hold(count: int, root: str) -> None:
    assert tree_hash(map(leaf_hash, ENTRIES[:count])).hex() == root


def test_tree_gives_the_hash_after_each_leaf() -> None:
    tree = Tree()
    for count, leaf in enumerate(leaves(40)):
        assert tree.hash() == recursive(leaves(count))
        tree.add(leaf)


def test_tree_hash_is_the_recursive_definition() -> None:
    for count in range(70):
        assert tree_hash(leaves(count)) == recursive(leaves(count))


def test_every_path_leads_to_the_root() -> None:
    for count in range(1, 34):
        hashes = leaves(count)
        root = tree_hash(hashes)
        for index, leaf in enumerate(hashes):
            path = inclusion_path(hashes, index)
            assert len(path) <= (count - 1).bit_length()
            assert root_from_path(leaf, index, count, path) == root


def test_altered_path_leads_elsewhere() -> None:
    hashes = leaves(11)
    root = tree_hash(hashes)
    path = inclusion_path(hashes, 6)
    assert root_from_path(hashes[7], 6, 11, path) != root
    assert root_from_path(hashes[6], 7, 11, path) != root
    assert root_from_path(hashes[6], 6, 11, path[::-1]) != root
    for wrong in (path[:-1], [*path, path[0]]):
        assert root_from_path(hashes[6], 6, 11, wrong) is None
    assert root_from_path(hashes[6], 11, 11, path) is None


def test_leaf_outside_the_tree_has_no_path() -> None:
    with pytest.raises(IndexError, match="no leaf 3 among 3"):
        inclusion_path(leaves(3), 3)


@pytest.mark.parametrize("index", [-1, 3, 4])
def test_places_beside_the_leaves_are_refused(index: int) -> None:
    """The first place before the leaves, and the first two behind them."""
    leaves = [leaf_hash(bytes([number])) for number in range(3)]
    with pytest.raises(IndexError):
        inclusion_path(leaves, index)
    assert root_from_path(leaves[0], index, 3, inclusion_path(leaves, 0)) is None
    assert root_from_path(leaves[0], index, 3, []) is None
    assert root_from_path(leaves[0], 1, 1, []) is None
    assert root_from_path(leaves[0], -1, 1, []) is None
