"""Draws that are the same on every day: from a derived seed, without a generator that has a state."""

import hashlib

import numpy as np

from tourney.ratings.batch.counts import Floats
from tourney.seeds import derive


def uniforms(count: int, *labels: str | int) -> Floats:
    """Return ``count`` independent draws, uniform between 0 and 1 (neither occurs), of the labels alone.

    SHAKE-256 over the seed derived from 0 and the labels gives 64-bit words; the upper 53 bits of each are a
    draw.
    """
    seed = derive(0, "ratings", *labels)
    data = hashlib.shake_256(seed.to_bytes(8, "big")).digest(8 * count)
    words = np.frombuffer(data, dtype=">u8") >> np.uint64(11)
    drawn: Floats = (words.astype(np.float64) + 0.5) * 2.0**-53
    return drawn


def normals(count: int, *labels: str | int) -> Floats:
    """Return ``count`` independent standard normal draws, a function of the labels alone.

    Pairs of uniform draws become normal by Box and Muller (Annals of Mathematical Statistics 29, 1958).
    """
    pairs = (count + 1) // 2
    first, second = uniforms(2 * pairs, *labels).reshape(2, pairs)
    radius, angle = np.sqrt(-2 * np.log(first)), 2 * np.pi * second
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]
