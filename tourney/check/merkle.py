"""The Merkle tree of RFC 6962, section 2.1, with SHA-256: the hash of a list, and the proof of an entry.

A leaf's hash is that of a zero byte and the entry, a node's that of a one byte and its two children; the left
subtree holds the largest power of two of entries that leaves one for the right.
"""

import hashlib
from collections.abc import Iterable, Sequence


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from those of its children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """The hash of a list that is given leaf after leaf; it holds one hash for each power of two of leaves."""

    def __init__(self) -> None:
        self._size = 0
        # The whole subtrees so far, from the left: their sizes are the powers of two in the count of leaves.
        self._stack: list[bytes] = []

    def add(self, leaf: bytes) -> None:
        """Add the hash of the next leaf."""
        self._stack.append(leaf)
        self._size += 1
        size = self._size
        # Each power of two in the count of leaves makes one whole subtree of the last two.
        while size % 2 == 0:
            right = self._stack.pop()
            self._stack[-1] = node_hash(self._stack[-1], right)
            size //= 2

    def hash(self) -> bytes:
        """The hash of the list so far; that of an empty list is SHA-256 of nothing."""
        if not self._stack:
            return hashlib.sha256().digest()
        *rest, node = self._stack
        for left in reversed(rest):
            node = node_hash(left, node)
        return node


def tree_hash(leaves: Iterable[bytes]) -> bytes:
    """The hash of a list, given its leaves' hashes."""
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.hash()


def inclusion_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The audit path of the leaf ``index`` (from 0), from the leaf's sibling up; leaves are hashes."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"there is no leaf {index} among {len(leaves)}")
    if len(leaves) == 1:
        return []
    # The largest power of two below the number of leaves.
    split = 1 << (len(leaves) - 1).bit_length() - 1
    left = leaves[:split]
    right = leaves[split:]
    if index < split:
        return [*inclusion_path(left, index), tree_hash(right)]
    return [*inclusion_path(right, index - split), tree_hash(left)]


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a leaf's hash and its audit path give; None for a path of another length.

    ``index`` counts from 0 among ``size`` leaves (RFC 9162, section 2.1.3.2).
    """
    if not 0 <= index < size:
        return None
    node = leaf
    place = index
    last = size - 1
    for sibling in path:
        if last == 0:
            return None
        if place % 2 or place == last:
            node = node_hash(sibling, node)
            while place % 2 == 0 and place:
                place //= 2
                last //= 2
        else:
            node = node_hash(node, sibling)
        place //= 2
        last //= 2
    return node if last == 0 else None
