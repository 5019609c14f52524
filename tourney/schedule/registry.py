"""The formats there are, by the name that a tournament file uses."""

from tourney.errors import TournamentError
from tourney.schedule.format import Format
from tourney.schedule.round_robin import RoundRobin

FORMATS: dict[str, Format] = {made.name: made for made in (RoundRobin(),)}


def find_format(name: str) -> Format:
    """Return the format of that name. Raises TournamentError if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise TournamentError(f"there is no format {name!r}; the formats are: {known}") from None
