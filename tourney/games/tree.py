"""Walks through a game tree: perft counts and random playouts."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tourney.games.base import CHANCE, OVER, AnyAction, AnyGame, AnyState
from tourney.seeds import RandBelow, stream

if TYPE_CHECKING:
    from tourney.games.diagrams import Diagram

_PICTURE_SEED = 7


def perft(state: AnyState, depth: int) -> int:
    """The number of action sequences of length ``depth`` from a state.

    Chance outcomes count as actions. A finished game has only the empty sequence. The last two plies are
    counted by their number of legal actions. The stack is a list, so the depth has no limit.
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
    """Yield each legal action with the number of sequences of length ``depth`` (from 1) that start with it.

    Compare these counts to find where two programs disagree.
    """
    for action in state.legal_actions():
        yield game.action_string(action), perft(state.play(action), depth - 1)


def draw_outcome(weights: Sequence[int], randbelow: RandBelow) -> int:
    """Draw the index of a chance outcome by the integer weights. Raises ValueError."""
    rest = randbelow(sum(weights))
    for index, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return index
    raise ValueError("chance has no outcome of positive weight")


def choose(state: AnyState, randbelow: RandBelow) -> AnyAction:
    """Draw an action: uniformly for a seat, by weight at chance."""
    actions = state.legal_actions()
    if state.actor != CHANCE:
        return actions[randbelow(len(actions))]
    return actions[draw_outcome(state.chance_weights(), randbelow)]


def playout(
    state: AnyState, randbelow: RandBelow, limit: int | None = None
) -> Iterator[tuple[AnyState, AnyAction]]:
    """Play at most ``limit`` random actions; yield each state and its action, the last with None."""
    count = 0
    while state.actor != OVER and (limit is None or count < limit):
        action = choose(state, randbelow)
        yield state, action
        state = state.play(action)
        count += 1
    yield state, None


def picture(game: AnyGame) -> "Diagram":
    """The position of the game's rules page: ``diagram_plies`` random actions at the largest table."""
    *_, (_, action), (state, _) = playout(
        game.new(game.seat_counts[-1]), stream(_PICTURE_SEED, "picture", game.name), game.diagram_plies
    )
    return game.diagram(state.position(), game.action_string(action))
