"""The formats that a run knows: those of tournament files, and the one that ``tourney compare`` plays."""

from tourney.compare.format import ComparisonFormat
from tourney.schedule import registry
from tourney.schedule.format import Format


def find_format(name: str) -> Format:
    """Return the format of that name. Raises TournamentError if there is none."""
    return ComparisonFormat() if name == ComparisonFormat.name else registry.find_format(name)
