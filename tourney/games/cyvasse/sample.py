"""Sampling: a full state that fits what a seat sees, for bots that search."""

from tourney.errors import PositionError
from tourney.games.base import State
from tourney.games.cyvasse.board import NAMES, SIDE, squares_of
from tourney.games.cyvasse.ground import UNLAID
from tourney.games.cyvasse.pieces import EMPTY
from tourney.games.cyvasse.position import Fields, Phase, read_fields
from tourney.games.cyvasse.reading import state_of
from tourney.games.cyvasse.setup import STEPS, SetUp, seen_by
from tourney.seeds import Draw


def sample_state(observation: str, seat: int, draw: Draw) -> State[int]:
    """Return a state that shows ``seat`` an observation; what it cannot see is drawn. Raises PositionError.

    A side unseen is laid out by actions drawn uniformly from the legal ones; while its seat is still at it,
    how far it has come is drawn uniformly too.
    """
    fields = read_fields(observation)
    word = fields.phase.word
    if word in {"play", "rabble"}:
        return state_of(fields)
    if seat not in {1, 2} or (word == "hidden") != (fields.seat != seat):
        raise PositionError(
            f"seat {seat} does not see PHASE {word} while seat {fields.seat} lays out its side: PHASE is"
            " hidden from the other seat, and from it alone"
        )
    if word == "hidden":
        return _lay_out(state_of(fields._replace(phase=Phase("king"))), draw(STEPS), draw)
    if seat == 1:
        return state_of(fields)
    _check_unseen(fields)
    unseen = _lay_out(SetUp.begin(), STEPS, draw)
    assert isinstance(unseen, SetUp)  # noqa: S101 - when White is done, Black sets up
    return state_of(
        fields._replace(
            ground=seen_by(2, fields.ground, unseen.ground),
            board=seen_by(2, fields.board, unseen.board),
        )
    )


def _lay_out(state: State[int], steps: int, draw: Draw) -> State[int]:
    for _ in range(steps):
        legal = state.legal_actions()
        state = state.play(legal[draw(len(legal))])
    return state


def _check_unseen(fields: Fields) -> None:
    for s in squares_of(SIDE[1]):
        if fields.ground[s] != UNLAID or fields.board[s] != EMPTY:
            raise PositionError(f"Black does not see White's side in the set-up, but {NAMES[s]} is shown")
