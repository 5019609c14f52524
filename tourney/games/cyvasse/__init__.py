"""Nine-Tile Cyvasse: two armies on a board that both players lay out in secret.

The rules and their terms are on the page ``docs/rules/cyvasse.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.base import GoldenMatch
from tourney.games.core_game import CoreGame, CoreState
from tourney.games.cyvasse import board

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tourney.games.cyvasse.core import CyvasseCore
    from tourney.seeds import RandBelow


class CyvasseState(CoreState):
    """A state of Nine-Tile Cyvasse: of the set-up, White's first, unseen by the other side, or of play."""

    __slots__ = ()

    core: CyvasseCore

    def observation(self, seat: int) -> str:
        """The position string; in the set-up without the other side, and PHASE may be ``hidden``."""
        return self.core.observation(seat)

    def visible(self, action: int, seat: int) -> bool:  # noqa: ARG002 - all actions of the set-up are hidden
        """Whether a seat sees an action: in the set-up only the acting seat does."""
        return seat == self.actor or not self.core.is_hidden()

    def revealed(self) -> bool:
        """Whether nothing is hidden: in the set-up only before the first action."""
        return not (self.core.is_hidden() and self.core.is_begun())


class Cyvasse(CoreGame[board.CyvassePosition]):
    """Two armies of 23 pieces on a board that each player lays out in secret."""

    name = "cyvasse"
    title = "Nine-Tile Cyvasse"
    rules = "1"
    seat_counts = (2,)
    seat_names = board.SEAT_NAMES
    has_hidden_actions = True
    diagram_plies = 74
    golden_match = GoldenMatch(("greedy", "random"), 4)
    max_actions = 2 * board.STEPS + 2 * board.TURN_LIMIT
    package = __name__
    core_class = "CyvasseCore"
    state = CyvasseState
    action = board.CyvasseAction
    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)
    start = board.START

    def notation(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        """The actions in words in the set-up, and then with the code of the piece that moves."""
        return list(board.written(actions))

    def read(self, text: str) -> board.CyvassePosition:
        from tourney.games.cyvasse.position import parse_position  # noqa: PLC0415 - few bots parse positions

        return parse_position(text)

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> CoreState:
        """A random state in which ``seat`` has an observation. Raises PositionError.

        Uniformly random legal actions lay out the hidden side. If the other seat is still laying out its
        side, the number of its actions is uniformly random too.
        """
        from tourney.games.cyvasse.position import check, parse_fields  # noqa: PLC0415 - likewise

        fields = parse_fields(observation)
        word = fields.phase.word
        if not fields.in_play and (seat not in {1, 2} or (word == "hidden") != (fields.seat != seat)):
            raise PositionError(
                f"seat {seat} cannot observe PHASE {word} while seat {fields.seat} lays out its side: PHASE"
                " is hidden from the other seat only"
            )
        if word == "hidden":
            fields = fields._replace(phase=board.Phase("king"))
            check(fields)
            return _lay_out(self.state_at(fields), randbelow(board.STEPS), randbelow)
        if seat == 2 and not fields.in_play:
            for s in board.SIDE[1]:
                if fields.ground[s] != board.UNLAID or fields.board[s] != board.EMPTY:
                    raise PositionError(
                        f"Black cannot see White's side in the set-up, but {board.NAMES[s]} is shown"
                    )
            unseen = parse_fields(_lay_out(self.state_at(board.START), board.STEPS, randbelow).position())
            end = board.SIDE[1][-1] + 1
            fields = fields._replace(
                ground=unseen.ground[:end] + fields.ground[end:],
                board=unseen.board[:end] + fields.board[end:],
            )
        check(fields)
        return self.state_at(fields)


def _lay_out(state: CoreState, steps: int, randbelow: RandBelow) -> CoreState:
    for _ in range(steps):
        codes = state.core.actions()
        state = state.play(codes[randbelow(len(codes))])
    return state
