"""What a search found, and its line for the match log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tourney.bot.heuristics.base import WIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tourney.bot.turn import Turn

_MOST_ACTIONS = 10
_MOST_CHARACTERS = 400


class Found(NamedTuple):
    """The result of a search."""

    action: Any
    """The best action found; always legal."""
    value: int
    """Its value for the seat to act, from -WIN to WIN."""
    depth: int
    """The depth searched in full (alpha-beta), or the length of ``line`` (MCTS)."""
    nodes: int
    """The nodes (alpha-beta) or playouts (MCTS) used."""
    line: Sequence[Any]
    """The expected actions, this one first; chance outcomes are left out."""


def report(turn: Turn, found: Found) -> None:
    """Write ``info score= depth= nodes= pv=`` to the match log.

    The score is the value in units of a win, from -1.00 to 1.00. The line is cut after some actions.
    """
    text = turn.game.action_string
    words: list[str] = []
    room = _MOST_CHARACTERS
    for action in found.line[:_MOST_ACTIONS]:
        words.append(text(action))
        room -= len(words[-1]) + 1
        if room < 0:
            words.pop()
            break
    hundredths = abs(found.value) * 100 // WIN
    sign = "-" if found.value < 0 and hundredths else ""
    score = f"{sign}{hundredths // 100}.{hundredths % 100:02}"
    extra = {"pv": ",".join(words)} if words else {}
    turn.info(score=score, depth=found.depth, nodes=found.nodes, **extra)
