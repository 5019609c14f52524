"""All tournament formats by name: Tourney's own and those of the entry-point group ``tourney.formats``."""

from tourney.errors import TournamentError
from tourney.plugins import Registry
from tourney.schedule.format import Format, History, Pairings, Setup

FORMATS: Registry[Format] = Registry(
    "format",
    "tourney.formats",
    Format,
    {
        "adaptive": "tourney.schedule.adaptive:Adaptive",
        "compare": "tourney.compare.format:ComparisonFormat",
        "gauntlet": "tourney.schedule.gauntlet:Gauntlet",
        "import": "tourney.schedule.registry:Imported",
        "knockout": "tourney.schedule.knockout:Knockout",
        "round-robin": "tourney.schedule.round_robin:RoundRobin",
        "swiss": "tourney.schedule.swiss:Swiss",
    },
    TournamentError,
)


class Imported(Format):
    """The schedule of imported records: all its matches are played, and no round follows."""

    name = "import"
    in_files = False

    def check(self, setup: Setup) -> None:
        """Accept every tournament."""

    def next_rounds(self, setup: Setup, history: History) -> Pairings:  # noqa: ARG002 - nothing to add
        """Return no rounds."""
        return Pairings((), complete=True)


def find_format(name: str) -> Format:
    """Return the format of that name. Raise TournamentError if there is none, or if its plugin is broken."""
    return FORMATS.find(name)


def file_formats() -> tuple[Format, ...]:
    """Return the formats that a tournament file may name, sorted. Raise as ``Registry.all`` does."""
    return tuple(format_ for format_ in FORMATS.all() if format_.in_files)
