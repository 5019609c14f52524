"""Labels of entrants and seats, the same on every page."""

from collections.abc import Sequence
from dataclasses import dataclass

from tourney.games.svg_diagram import seat_colors
from tourney.report import text
from tourney.report.source import Source


@dataclass(frozen=True, slots=True)
class EntrantLabel:
    """An entrant on pages. ``slug`` is safe in file names; other strings are safe to show once escaped."""

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


def entrant_labels(source: Source) -> dict[int, EntrantLabel]:
    """Return the labels of all entrants by number."""
    return {
        stored.number: EntrantLabel(
            number=stored.number,
            slug=text.slug(stored.number, stored.name),
            name=text.display(stored.name),
            bot=text.display(stored.entrant.bot),
            version=text.display(stored.entrant.version),
            title=text.display(stored.title) if stored.title else "",
            author=text.display(stored.author) if stored.author else "",
            args=text.display(" ".join(stored.entrant.args)) if stored.entrant.args else "",
            digest=stored.entrant.digest,
        )
        for stored in source.entrants
    }


@dataclass(frozen=True, slots=True)
class SeatLabel:
    """A seat: its number from 1, its name, and the color of its pieces on the board."""

    number: int
    name: str
    color: str


def seat_labels(source: Source) -> Sequence[SeatLabel]:
    """Return the labels of a match's seats in order."""
    count = source.tournament.seats
    colors = seat_colors(source.game.seat_names[:count] if source.game else ())
    return tuple(
        SeatLabel(seat, text.display(source.seat_name(seat)), colors[(seat - 1) % len(colors)])
        for seat in range(1, count + 1)
    )
