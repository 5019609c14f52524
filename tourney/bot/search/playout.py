"""Playouts: games that go on at random, to the end or up to a number of actions."""

from tourney.bot.heuristics.base import AnyHeuristics, Values
from tourney.bot.search.state_scratch import MOST_ACTIONS, scratch_of
from tourney.games.base import AnyState
from tourney.seeds import U64, RandBelow


def playout(
    state: AnyState, randbelow: RandBelow, heuristics: AnyHeuristics, plies: int | None = None
) -> Values:
    """Play at random and return the values of the last state: uniformly, and chance by its weights.

    After ``plies`` actions (None: at the end of the game) the state is valued as it stands.
    """
    scratch = scratch_of(state, heuristics)
    scratch.playout(randbelow(U64), MOST_ACTIONS if plies is None else plies)
    return scratch.values()
