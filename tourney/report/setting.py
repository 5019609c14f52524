"""What a match's page is made of, besides its line in the list; processes that render import it quickly."""

from dataclasses import dataclass, field
from typing import Any

from tourney.bots.catalogue.shipped import Provenance
from tourney.errors import GameError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.store.values import Tournament


@dataclass(frozen=True, slots=True)
class Detail:
    """What is stored of one match beyond its result; ``record`` is None where the infrastructure failed.

    What is damaged is left out: ``damaged`` says which part it is (record, log or measurements), and why.
    """

    record: Record | None = None
    log: tuple[LogLine, ...] = ()
    measured: dict[str, Any] = field(default_factory=dict)
    damaged: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EntrantLabel:
    """An entrant on pages. ``slug`` is safe in file names; other strings are safe to show once escaped.

    ``provenance`` is decided by its digest and the bots that ship with this version. ``broken``: why its bot
    could not be started, or "". ``digest``: "" where no bot is known.
    """

    number: int
    slug: str
    name: str
    bot: str
    version: str
    title: str
    author: str
    args: str
    digest: str
    provenance: Provenance
    broken: str

    @property
    def page(self) -> str:
        """The path of the entrant's page in the site."""
        return f"bots/{self.slug}.html"


@dataclass(frozen=True, slots=True)
class SeatLabel:
    """A seat: its number from 1, its name, and the color of its pieces on the board."""

    number: int
    name: str
    color: str


@dataclass(frozen=True)
class Setting:
    """What the pages of matches know of their tournament: nothing that changes while it runs; picklable.

    ``tournament`` says nothing of its progress: it is neither complete nor has it a root.
    """

    tournament: Tournament
    seats: tuple[SeatLabel, ...]

    @property
    def game(self) -> AnyGame | None:
        """The game, or None where it is not installed (any more), broken, or where no rules were run."""
        return known_game(self.tournament.game) if self.tournament.recorded else None


def known_game(name: str) -> AnyGame | None:
    """Return a game, or None where it is not installed (any more), broken, or an outside referee's."""
    try:
        game = find_game(name)
    except GameError:
        return None
    return None if game.outside else game
