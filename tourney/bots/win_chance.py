"""The chance to win by a bot's ``info`` line: the one reading of scores as probabilities.

A chance is in thousandths, from the mover's point of view: the expected points of the match. In this order:

- ``win=0.62`` is the chance itself; the adapters of engines print it beside a score in pawns (``of_pawns``);
- ``mate=3`` is 1, ``mate=-3`` is 0;
- ``score=`` is in units of a win, from -1 (lost) to 1 (won), as the SDK's ``report`` writes it.
"""

import re
from collections.abc import Mapping
from typing import Final

WHOLE: Final = 1000
"""A sure win, in thousandths."""
MOST_PAWNS: Final = 100.0
"""Larger scores are as good as won."""
KEYS: Final = ("win", "mate", "score")
_KEYS: Final = re.compile(rf"(?:^| )({'|'.join(KEYS)})=([+-]?\d{{1,9}}(?:\.\d{{1,9}})?)(?= |$)", re.ASCII)


def of_pawns(pawns: float) -> int:
    """The chance of an engine's score: Elo's expected score, with 100 centipawns as 100 Elo."""
    return round(WHOLE / (1 + 10 ** (-min(max(pawns, -MOST_PAWNS), MOST_PAWNS) / 4)))


def win_chance(info: str) -> int | None:
    """The chance in thousandths, or None if the line has none."""
    return chance_in({key: float(value) for key, value in _KEYS.findall(info)})


def chance_in(said: Mapping[str, float]) -> int | None:
    """The chance in thousandths that the values of ``KEYS`` mean, or None."""
    if "win" in said:
        return round(WHOLE * said["win"]) if 0 <= said["win"] <= 1 else None
    if "mate" in said:
        return WHOLE if said["mate"] > 0 else 0
    score = said.get("score")
    return None if score is None or not -1 <= score <= 1 else round(WHOLE * (score + 1) / 2)
