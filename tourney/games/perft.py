"""Perft: the number of action sequences of a length, the field's test of a move generator."""

from collections.abc import Iterator

from tourney.games.base import AnyGame, AnyState


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
