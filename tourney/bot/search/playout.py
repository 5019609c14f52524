"""Playouts: games that go on at random, to the end or up to a number of actions."""

from collections.abc import Sequence

from tourney.bot.heuristics.base import AnyHeuristics, Values
from tourney.games.base import CHANCE, OVER, AnyState
from tourney.seeds import RandBelow


def draw_outcome(weights: Sequence[int], randbelow: RandBelow) -> int:
    """Return the index of a chance outcome, drawn by the integer weights."""
    rest = randbelow(sum(weights))
    for index, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return index
    raise ValueError("the weights of the outcomes are not positive")


def playout(
    state: AnyState, randbelow: RandBelow, heuristics: AnyHeuristics, plies: int | None = None
) -> Values:
    """Play at random and return the values of the last state: uniformly, and chance by its weights.

    After ``plies`` actions (None: at the end of the game) the state is valued as it stands.
    """
    while plies is None or plies > 0:
        actor = state.actor
        if actor == OVER:
            break
        actions = state.legal_actions()
        index = (
            draw_outcome(state.chance_weights(), randbelow) if actor == CHANCE else randbelow(len(actions))
        )
        state = state.play(actions[index])
        if plies is not None:
            plies -= 1
    return heuristics.values(state)
