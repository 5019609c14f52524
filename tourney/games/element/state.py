"""The state of Element: a position that can be played on."""

from collections.abc import Sequence

from tourney.games.base import CHANCE as CHANCE_ACTS
from tourney.games.base import OVER, State
from tourney.games.element import legal
from tourney.games.element.positions import ACT, CHANCE, DRAW, LAST_TURN, RIVER, Position, position_string
from tourney.games.element.turn import after


class ElementState(State[int]):
    """A position of Element. No history counts."""

    __slots__ = ("_actor", "_captured", "_legal", "_position")

    def __init__(self, position: Position) -> None:
        self._position = position
        self._captured = position.captured()
        self._legal: Sequence[int] | None = None
        if self._captured or position.turn == LAST_TURN:
            self._actor = OVER
        else:
            self._actor = CHANCE_ACTS if position.phase == CHANCE else position.seat

    @property
    def seats(self) -> int:
        """Two, three or four."""
        return len(self._position.sages)

    @property
    def actor(self) -> int:
        """The seat to act, CHANCE or OVER."""
        return self._actor

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions or the outcomes of chance, sorted."""
        if self._legal is None:
            self._legal = () if self._actor == OVER else self._list_actions()
        return self._legal

    def _list_actions(self) -> Sequence[int]:
        at = self._position
        if at.phase == ACT:
            return legal.acts(at)
        if at.phase == DRAW:
            return legal.draws(at)
        if at.phase == CHANCE:
            return [action for action, _ in legal.outcomes(at)]
        return legal.river_choices(at) if at.phase == RIVER else legal.flow_choices(at)

    def play(self, action: int) -> "ElementState":
        """Return the state after a legal action."""
        return ElementState(after(self._position, action))

    def ranks(self) -> tuple[int, ...] | None:
        """Return rank 1 for the seats whose prey is captured; all have it after the last turn."""
        if self._actor != OVER:
            return None
        if not self._captured:
            return (1,) * self.seats
        winners = [(seat - 2) % self.seats + 1 for seat in self._captured]
        return tuple(1 if seat in winners else 1 + len(winners) for seat in range(1, self.seats + 1))

    def reason(self) -> str:
        """Return "capture", or "length" after the last turn."""
        if self._actor != OVER:
            return ""
        return "capture" if self._captured else "length"

    def position(self) -> str:
        """Return the position string."""
        return position_string(self._position)

    def chance_weights(self) -> Sequence[int]:
        """Return the number of ways to draw each outcome."""
        if self._actor != CHANCE_ACTS:
            raise ValueError("this is no chance node")
        return [weight for _, weight in legal.outcomes(self._position)]
