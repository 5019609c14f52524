"""Random playouts: a game played by uniform draws, chance by its weights."""

from collections.abc import Iterator
from typing import Any

from tourney.games.base import CHANCE, OVER, AnyState
from tourney.seeds import Draw


def choose(state: AnyState, draw: Draw) -> Any:
    """Return an action of a state that is not over: an outcome by weight at chance, else uniformly drawn."""
    actions = state.legal_actions()
    if state.actor != CHANCE:
        return actions[draw(len(actions))]
    weights = state.chance_weights()
    rest = draw(sum(weights))
    for action, weight in zip(actions, weights, strict=True):
        if rest < weight:
            return action
        rest -= weight
    raise ValueError("chance has no outcome of positive weight")


def playout(state: AnyState, draw: Draw, limit: int | None = None) -> Iterator[tuple[AnyState, Any]]:
    """Yield each state and the action played from it, up to the end or ``limit`` actions; last with None."""
    count = 0
    while state.actor != OVER and (limit is None or count < limit):
        action = choose(state, draw)
        yield state, action
        state = state.play(action)
        count += 1
    yield state, None
