"""Nine-Tile Cyvasse as a game of Tourney's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import Game, GoldenMatch, State
from tourney.games.cyvasse import actions
from tourney.games.cyvasse.board import SEAT_NAMES
from tourney.games.cyvasse.position import read_position
from tourney.games.cyvasse.state import STEPS, TURN_LIMIT, SetUp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import RandBelow
from tourney.errors import PositionError
from tourney.games.cyvasse.board import EMPTY, NAMES, SIDE, UNLAID, squares_of
from tourney.games.cyvasse.position import Phase, Position, parse_fields, state_of
from tourney.games.cyvasse.state import seen_by
from tourney.seeds import RandBelow


class Cyvasse(Game[int]):
    """Two armies of 23 pieces on a board that each player lays out in secret."""

    name = "cyvasse"
    title = "Nine-Tile Cyvasse"
    rules = "1"
    seat_counts = (2,)
    seat_names = SEAT_NAMES
    has_hidden_actions = True
    diagram_plies = 74
    golden_match = GoldenMatch(("greedy", "random"), 4)
    max_actions = 2 * STEPS + 2 * TURN_LIMIT

    def initial(self, seats: int, options: Mapping[str, str]) -> State[int]:  # noqa: ARG002 - there is one table only
        """Return the empty board, before White's king tile."""
        return SetUp.begin()

    def action_string(self, action: int) -> str:
        """Return an action's string."""
        return actions.action_string(action)

    def parse_action(self, text: str) -> int:
        """Return the action that a string names, or raise ActionError."""
        return actions.parse_action(text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:  # noqa: ARG002 - likewise
        """Return the state that a position string names, without history, or raise PositionError."""
        return read_position(text)

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[int]:
        """Return a full state that fits what a seat sees, drawn by ``draw``. Raises PositionError."""
        return sample_state(observation, seat, randbelow)

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position string or an observation, with the last action marked."""
        from tourney.games.cyvasse.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(view, last)


def sample_state(observation: str, seat: int, randbelow: RandBelow) -> State[int]:
    """Return a state that shows ``seat`` an observation; what it cannot see is drawn. Raises PositionError.

    A side unseen is laid out by actions drawn uniformly from the legal ones; while its seat is still at it,
    how far it has come is drawn uniformly too.
    """
    fields = parse_fields(observation)
    word = fields.phase.word
    if word in {"play", "rabble"}:
        return state_of(fields)
    if seat not in {1, 2} or (word == "hidden") != (fields.seat != seat):
        raise PositionError(
            f"seat {seat} does not see PHASE {word} while seat {fields.seat} lays out its side: PHASE is"
            " hidden from the other seat, and from it alone"
        )
    if word == "hidden":
        return _lay_out(state_of(fields._replace(phase=Phase("king"))), randbelow(STEPS), randbelow)
    if seat == 1:
        return state_of(fields)
    _check_unseen(fields)
    unseen = _lay_out(SetUp.begin(), STEPS, randbelow)
    assert isinstance(unseen, SetUp)  # noqa: S101 - when White is done, Black sets up
    return state_of(
        fields._replace(
            ground=seen_by(2, fields.ground, unseen.ground),
            board=seen_by(2, fields.board, unseen.board),
        )
    )


def _lay_out(state: State[int], steps: int, randbelow: RandBelow) -> State[int]:
    for _ in range(steps):
        legal = state.legal_actions()
        state = state.play(legal[randbelow(len(legal))])
    return state


def _check_unseen(fields: Position) -> None:
    for s in squares_of(SIDE[1]):
        if fields.ground[s] != UNLAID or fields.board[s] != EMPTY:
            raise PositionError(f"Black does not see White's side in the set-up, but {NAMES[s]} is shown")
