"""Perft: the number of action sequences of a length, the field's test of a move generator."""

from collections.abc import Iterator
from typing import Any

from tourney.games.base import CHANCE, OVER, AnyGame, AnyState
from tourney.seeds import Draw


def perft(state: AnyState, depth: int) -> int:
    """Return the number of action sequences of length ``depth`` from a state.

    Chance outcomes count as actions; a finished game has no sequences but the empty one. The last two plies
    are counted in bulk, by the number of legal actions. The stack is a list, so that no depth is too deep.
    """
    if depth == 0:
        return 1
    total = 0
    open_ = [(state, depth)]
    while open_:
        node, left = open_.pop()
        actions = node.legal_actions()
        if left == 1:
            total += len(actions)
        elif left == 2:
            play = node.play
            for action in actions:
                total += len(play(action).legal_actions())
        else:
            play = node.play
            open_.extend((play(action), left - 1) for action in actions)
    return total


def divide(game: AnyGame, state: AnyState, depth: int) -> Iterator[tuple[str, int]]:
    """Yield each legal action with the number of sequences of length ``depth`` that begin with it.

    ``depth`` is at least 1. Two programs that disagree are brought together by comparing these.
    """
    for action in state.legal_actions():
        yield game.action_string(action), perft(state.play(action), depth - 1)


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
