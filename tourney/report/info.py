"""What bots said of their own play: ``info score=0.31 depth=7 ...`` out of the log of a match."""

import math
import re
from collections.abc import Sequence

from tourney.match.result import LogLine

_SCORE = re.compile(r"(?:^|\s)score=([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)(?=\s|$)", re.ASCII)


def scores(log: Sequence[LogLine]) -> dict[int, tuple[tuple[float, float], ...]]:
    """Return per seat (ply, score): the last score that its bot gave for each action, in order of plies.

    The ply is that of the action the bot was thinking about: one more than had been played.
    """
    found: dict[int, dict[float, float]] = {}
    for line in log:
        if line.kind != "info":
            continue
        match = _SCORE.search(line.text)
        if match is None:
            continue
        value = float(match[1])
        if math.isfinite(value) and abs(value) < 1e12:
            found.setdefault(line.seat, {})[float(line.ply + 1)] = value
    return {seat: tuple(sorted(points.items())) for seat, points in sorted(found.items())}
