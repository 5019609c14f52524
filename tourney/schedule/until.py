"""``[until]`` of a tournament file: what a tournament plays to find out. It ends when any of it is known.

Whether it is known is decided before each batch of rounds, from the results that the format sees
(``tourney.results.until``); so the same records give the same decision with any number of workers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from tourney.errors import TournamentError

Kind = Literal["width", "best", "top", "order", "games"]

SHARE: Final = 10_000
"""``best`` is stored in ten-thousandths."""
CONFIDENCE: Final = 9500
"""The confidence of ``top`` and ``order``, in ten-thousandths."""
LIMITS: Final[dict[str, tuple[int, int]]] = {
    "until-best": (SHARE // 2, SHARE - 1),
    "until-games": (1, 2_000_000),
    "until-order": (1, 1),
    "until-top": (1, 100_000),
    "until-width": (1, 1000),
}
"""The settings of a stored plan, with their least and largest values."""


@dataclass(frozen=True, slots=True)
class Until:
    """What ends a tournament; None and False where it does not.

    ``width``: each Elo is known to so many Elo on each side. ``best``: one entrant is the best, with this
    confidence (ten-thousandths). ``top``: which entrants are the best so many. ``order``: the order of all.
    ``games``: so many matches are played.
    """

    width: int | None = None
    best: int | None = None
    top: int | None = None
    order: bool = False
    games: int | None = None

    @classmethod
    def of(cls, extra: Iterable[tuple[str, int | str]]) -> "Until | None":
        """Return what the settings of a plan say, or None if nothing."""
        found = {name.removeprefix("until-"): int(value) for name, value in extra if name in LIMITS}
        if not found:
            return None
        return cls(
            found.get("width"),
            found.get("best"),
            found.get("top"),
            bool(found.get("order")),
            found.get("games"),
        )

    def extra(self) -> tuple[tuple[str, int], ...]:
        """Return it as settings of a plan, sorted by name."""
        values = {
            "until-best": self.best,
            "until-games": self.games,
            "until-order": 1 if self.order else None,
            "until-top": self.top,
            "until-width": self.width,
        }
        return tuple((name, value) for name, value in values.items() if value is not None)

    @property
    def compares(self) -> bool:
        """Whether it asks who is better than whom."""
        return self.best is not None or self.top is not None or self.order

    def check(self, entrants: int, unit: int) -> None:
        """Raise TournamentError where so many entrants, or matches played at least, make no sense of it."""
        if self.top is not None and self.top >= entrants:
            raise TournamentError(
                f"[until] top is {self.top}, but there are {entrants} entrants: set it to"
                f" {entrants - 1} or less"
            )
        if self.games is not None and self.games < unit:
            raise TournamentError(
                f"[until] games is {self.games}, but the first {unit} matches belong together: set games"
                f" to {unit} or more"
            )
