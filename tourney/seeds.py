"""Derived seeds and uniform random integers: the only source of randomness in Tourney.

Every random integer is a function of a parent seed and labels, so it can be reproduced at any time and in any
order. Integers only.
"""

import hashlib
import re
from collections.abc import Callable

U64 = 1 << 64

_KEY = b"tourney-seed-1"
_LABEL = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)

RandBelow = Callable[[int], int]
"""A random stream: ``randbelow(total)`` is the next integer, uniform in ``range(total)``."""


def derive(parent: int, *labels: str | int) -> int:
    """Derive a child seed, an unsigned 64-bit integer.

    The first 8 bytes, big-endian, of BLAKE2b (digest size 8, key ``tourney-seed-1``) over the ASCII text
    ``PARENT/LABEL/...``, PARENT and numbers in decimal. Raises ValueError for a label that does not match
    ``[A-Za-z0-9._-]+`` or a parent outside 0..2**64-1.
    """
    if not 0 <= parent < U64:
        raise ValueError(f"seed {parent} is not in 0..2**64-1")
    words = [str(parent)]
    for label in labels:
        word = str(label)
        if label.__class__ is not int and _LABEL.fullmatch(word) is None:
            raise ValueError(f"seed label {word!r} does not match [A-Za-z0-9._-]+")
        words.append(word)
    text = "/".join(words).encode("ascii")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, key=_KEY).digest(), "big")


def deriver(parent: int, *labels: str | int) -> Callable[[int], int]:
    """Return ``derive(parent, *labels, k)`` as a function of k (from 0), faster for many k.

    Raises ValueError as ``derive`` does.
    """
    derive(parent, *labels)
    text = "/".join(map(str, (parent, *labels, "")))
    copy = hashlib.blake2b(text.encode("ascii"), digest_size=8, key=_KEY).copy
    number = int.from_bytes

    def derived(k: int) -> int:
        whole = copy()
        whole.update(b"%d" % k)
        return number(whole.digest(), "big")

    return derived


def uniform(u: int, total: int) -> int:
    """Map a 64-bit integer to ``range(total)``: ``u * total >> 64``."""
    return u * total >> 64


def stream(parent: int, *labels: str | int) -> RandBelow:
    """Return a random stream whose k-th value (from 0) comes from ``derive(parent, *labels, k)``."""
    derived = deriver(parent, *labels)
    k = 0

    def randbelow(total: int) -> int:
        nonlocal k
        u = derived(k)
        k += 1
        return uniform(u, total)

    return randbelow
