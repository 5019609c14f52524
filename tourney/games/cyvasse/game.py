"""The game Nine-Tile Cyvasse, and random states that fit an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.base import Game, GoldenMatch, State
from tourney.games.cyvasse import actions
from tourney.games.cyvasse.board import EMPTY, NAMES, SEAT_NAMES, SIDE, UNLAID, squares_of
from tourney.games.cyvasse.position import Phase, parse_fields, state_of
from tourney.games.cyvasse.state import STEPS, TURN_LIMIT, Play, SetUp, seen_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.cyvasse.view import CyvasseView
    from tourney.games.diagram import Diagram
    from tourney.games.scratch import Scratch
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

    def initial(self, seats: int, options: Mapping[str, str]) -> State[int]:  # noqa: ARG002 - the start is always the same
        """Return the empty board, before White's king tile."""
        return SetUp.begin()

    action_string = staticmethod(actions.action_string)
    parse_action = staticmethod(actions.parse_action)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:  # noqa: ARG002 - likewise
        """Return the state of a position string, without history. Raises PositionError."""
        return state_of(parse_fields(text))

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[int]:
        """Return a random state in which ``seat`` has an observation. Raises PositionError.

        Uniformly random legal actions lay out the hidden side. If the other seat is still laying out its
        side, the number of its actions is uniformly random too.
        """
        fields = parse_fields(observation)
        word = fields.phase.word
        if word in {"play", "rabble"}:
            return state_of(fields)
        if seat not in {1, 2} or (word == "hidden") != (fields.seat != seat):
            raise PositionError(
                f"seat {seat} cannot observe PHASE {word} while seat {fields.seat} lays out its side: PHASE"
                " is hidden from the other seat only"
            )
        if word == "hidden":
            return _lay_out(state_of(fields._replace(phase=Phase("king"))), randbelow(STEPS), randbelow)
        if seat == 1:
            return state_of(fields)
        for s in squares_of(SIDE[1]):
            if fields.ground[s] != UNLAID or fields.board[s] != EMPTY:
                raise PositionError(f"Black cannot see White's side in the set-up, but {NAMES[s]} is shown")
        unseen = _lay_out(SetUp.begin(), STEPS, randbelow)
        assert isinstance(unseen, SetUp)  # noqa: S101 - after White's set-up comes Black's
        ground, board = seen_by(2, fields.ground, unseen.ground), seen_by(2, fields.board, unseen.board)
        return state_of(fields._replace(ground=ground, board=board))

    def view(self, text: str) -> CyvasseView:
        """Return the readable view of a position string or an observation. Raises PositionError."""
        from tourney.games.cyvasse.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self, text, parse_fields(text))

    def scratch(self, state: State[int]) -> Scratch:
        """Return a new mutable copy of a state for search and playouts."""
        from tourney.games.compiled import core  # noqa: PLC0415 - only search needs it

        made: Scratch = core("cyvasse").CyvasseScratch()
        made.load(state)
        return made

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position string or an observation, with the last action marked."""
        from tourney.games.cyvasse.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(view, last)


Play.game = SetUp.game = Cyvasse()


def _lay_out(state: State[int], steps: int, randbelow: RandBelow) -> State[int]:
    for _ in range(steps):
        legal = state.legal_actions()
        state = state.play(legal[randbelow(len(legal))])
    return state
