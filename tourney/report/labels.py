"""Entrants as every page names them: a name fit to be shown, and the file their page is in."""

from collections.abc import Sequence
from dataclasses import dataclass

from tourney.games.svg_diagram import seat_colors
from tourney.report import text
from tourney.report.source import Source
from tourney.store.values import StoredEntrant


@dataclass(frozen=True, slots=True)
class EntrantLabel:
    """An entrant on pages. ``slug`` is safe in file names; ``name`` is safe to look at, not yet escaped."""

    number: int
    slug: str
    name: str
    bot: str
    version: str
    title: str
    author: str
    args: str
    digest: str

    @property
    def page(self) -> str:
        """The path of the entrant's page in the site."""
        return f"bots/{self.slug}.html"


def entrant_label(entrant: StoredEntrant) -> EntrantLabel:
    """Return an entrant as pages name it."""
    who = entrant.entrant
    return EntrantLabel(
        number=entrant.number,
        slug=text.slug(entrant.number, who.name),
        name=text.display(who.name),
        bot=text.display(who.bot),
        version=text.display(who.version),
        title=text.display(entrant.title) if entrant.title else "",
        author=text.display(entrant.author) if entrant.author else "",
        args=text.display(" ".join(who.args)) if who.args else "",
        digest=who.digest,
    )


def entrant_labels(source: Source) -> dict[int, EntrantLabel]:
    """Return all entrants by number."""
    return {entrant.number: entrant_label(entrant) for entrant in source.entrants}


@dataclass(frozen=True, slots=True)
class SeatLabel:
    """A seat at the table: its name, and the colour of what it owns on the board."""

    number: int
    name: str
    color: str


def seat_labels(source: Source, seats: int | None = None) -> Sequence[SeatLabel]:
    """Return the seats of a match in order."""
    count = seats or source.tournament.seats
    colors = seat_colors(source.game.seat_names[:count] if source.game else ())
    return tuple(
        SeatLabel(seat, text.display(source.seat_name(seat)), colors[(seat - 1) % len(colors)])
        for seat in range(1, count + 1)
    )
