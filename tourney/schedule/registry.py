"""The formats there are, by the name that a tournament file uses."""

from tourney.errors import TournamentError
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Format
from tourney.schedule.gauntlet import Gauntlet
from tourney.schedule.knockout import Knockout
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.swiss import Swiss

FORMATS: dict[str, Format] = {
    made.name: made for made in (RoundRobin(), Swiss(), Gauntlet(), Knockout(), Adaptive())
}


def find_format(name: str) -> Format:
    """Return the format of that name. Raises TournamentError if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise TournamentError(f"there is no format {name!r}; the formats are: {known}") from None
