"""Draw, resign and tablebase adjudication: the rules of cutechess, on the scores that bots report.

A score is a bot's word, so it never wins a match: a seat loses by its own scores only, and a draw needs those
of both seats. Counts are kept for each seat: where seats take turns they give what cutechess' counts give.
"""

import re
from collections import deque
from typing import Final, Literal

from tourney.games.base import AnyState, Tables
from tourney.match.record import Adjudication
from tourney.match.spec import Limits

MAX_SCORE: Final = 10**12 - 1
"""The most hundredths of a score; larger ones count as this."""
_SCORE = re.compile(r"(?:\A| )score=([+-]?)([0-9]{1,300})(?:\.([0-9]{0,300}))?(?= |\Z)", re.ASCII)


def score_of(info: str) -> int | None:
    """The score of a bot's ``info`` line in hundredths, further decimals cut off; None without one.

    ``score=0.31`` is 31, ``score=-2`` is -200.
    """
    found = _SCORE.search(info)
    if found is None:
        return None
    value = min(int(found[2] + f"{found[3] or ''}00"[:2]), MAX_SCORE)
    return -value if found[1] == "-" else value


Verdict = tuple[tuple[int, ...], Adjudication]
"""The ranks of a match that is ended, and why."""


class Adjudicator:
    """Counts the scores of a match of two seats, and ends it when its limits say so.

    ``plies`` are the actions of seats in the opening, without a set-up. ``tables`` is None where the limits
    ask for none.
    """

    def __init__(self, limits: Limits, plies: int, tables: Tables | None) -> None:
        self._draw = limits.draw
        self._resign = limits.resign
        self._pieces = limits.tablebase_pieces or 0
        self._tables = tables
        self._plies = plies
        most = max((rule.movecount for rule in (limits.draw, limits.resign) if rule), default=0)
        self._scores: list[deque[int]] = [deque(maxlen=most) for _ in range(3)]
        self._even, self._lost, self._won = [0] * 3, [0] * 3, [0] * 3

    def judge(self, seat: int, score: int | None, state: AnyState) -> Verdict | None:
        """Take a seat's action, the score it gave, and the state after it, in which the game is not over.

        Returns the verdict if the match ends here.
        """
        self._plies += 1
        if self._tables is not None and 0 < state.ending() <= self._pieces:
            ranks = self._tables(state)
            if ranks is not None:
                return ranks, Adjudication("tablebase")
        # As in cutechess: a capture or a pawn's move starts the count of even scores again.
        if self._draw is not None and state.irreversible():
            self._even = [0] * 3
        if score is None:
            self._even[seat] = self._lost[seat] = self._won[seat] = 0
            self._scores[seat].clear()
            return None
        self._scores[seat].append(score)
        return self._drawn(seat, score) or self._resigned(seat, score)

    def _drawn(self, seat: int, score: int) -> Verdict | None:
        rule = self._draw
        if rule is None:
            return None
        self._even[seat] = self._even[seat] + 1 if abs(score) <= rule.score else 0
        # ``movenumber`` counts the actions of each seat, and plies those of both.
        if self._plies < 2 * rule.movenumber or min(self._even[1:]) < rule.movecount:
            return None
        return (1, 1), self._found("draw", rule.movecount, rule.movecount)

    def _resigned(self, seat: int, score: int) -> Verdict | None:
        rule = self._resign
        if rule is None:
            return None
        self._lost[seat] = self._lost[seat] + 1 if score <= -rule.score else 0
        self._won[seat] = self._won[seat] + 1 if score >= rule.score else 0
        count, other = rule.movecount, rule.movecount if rule.sides == 2 else 0
        if self._lost[seat] < count or self._won[3 - seat] < other:
            return None
        if seat == 1:
            return (2, 1), self._found("resign", count, other)
        return (1, 2), self._found("resign", other, count)

    def _found(self, rule: Literal["draw", "resign"], *counts: int) -> Adjudication:
        """The reason, with the given number of last scores of each seat."""
        kept = [list(scores) for scores in self._scores[1:]]
        texts = [
            tuple(map(str, scores[len(scores) - count :])) for scores, count in zip(kept, counts, strict=True)
        ]
        return Adjudication(rule, tuple(texts))
