"""The chance to win that a bot's ``info`` line tells: the one reading of scores as probabilities.

A chance is in thousandths, from the mover's point of view: the expected points of the match. In this order:

- ``win=0.62`` is the chance itself;
- ``mate=3`` is 1, ``mate=-3`` is 0;
- ``score=`` of an engine is in pawns: ``1 / (1 + 10 ** (-pawns / 4))``, Elo's expected score with 100
  centipawns as 100 Elo;
- ``score=`` of any other bot is in units of a win, from -1 (lost) to 1 (won), as the SDK's ``report``
  writes it.
"""

import re
from typing import Final

WHOLE: Final = 1000
"""A sure win, in thousandths."""
MOST_PAWNS: Final = 100.0
"""Larger scores are as good as won."""
ENGINES: Final = frozenset({"uci", "uci-fen", "xboard"})
"""The protocols whose scores are in pawns."""
_KEYS: Final = re.compile(r"(?:^| )(win|mate|score)=([+-]?\d{1,9}(?:\.\d{1,9})?)(?= |$)", re.ASCII)


def win_chance(info: str, *, pawns: bool) -> int | None:
    """The chance in thousandths, or None if the line tells none; ``pawns`` is the unit of its score."""
    said = {key: float(value) for key, value in _KEYS.findall(info)}
    if "win" in said:
        return round(WHOLE * said["win"]) if 0 <= said["win"] <= 1 else None
    if "mate" in said:
        return WHOLE if said["mate"] > 0 else 0
    if "score" not in said:
        return None
    score = said["score"]
    if pawns:
        score = min(max(score, -MOST_PAWNS), MOST_PAWNS)
        return round(WHOLE / (1 + 10 ** (-score / 4)))
    return round(WHOLE * (score + 1) / 2) if -1 <= score <= 1 else None
