"""Entrants as every page names them: a name fit to be shown, and the file their page is in."""

from collections.abc import Sequence
from dataclasses import dataclass

from tourney.games.svg_diagram import seat_colors
from tourney.report import names
from tourney.report.source import Source
from tourney.store.values import StoredEntrant


@dataclass(frozen=True, slots=True)
class Person:
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


def person(entrant: StoredEntrant) -> Person:
    """Return an entrant as pages name it."""
    who = entrant.entrant
    return Person(
        number=entrant.number,
        slug=names.slug(entrant.number, who.name),
        name=names.display(who.name),
        bot=names.display(who.bot),
        version=names.display(who.version),
        title=names.display(entrant.title) if entrant.title else "",
        author=names.display(entrant.author) if entrant.author else "",
        args=names.display(" ".join(who.args)) if who.args else "",
        digest=who.digest,
    )


def people(source: Source) -> dict[int, Person]:
    """Return all entrants by number."""
    return {entrant.number: person(entrant) for entrant in source.entrants}


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat at the table: its name, and the colour of what it owns on the board."""

    seat: int
    name: str
    color: str


def chairs(source: Source, seats: int | None = None) -> Sequence[Chair]:
    """Return the seats of a match in order."""
    count = seats or source.tournament.seats
    colors = seat_colors(source.game.seat_names[:count] if source.game else ())
    return tuple(
        Chair(seat, names.display(source.seat_name(seat)), colors[(seat - 1) % len(colors)])
        for seat in range(1, count + 1)
    )
