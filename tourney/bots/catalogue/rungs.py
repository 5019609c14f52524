"""The anchor ladders: per game and number of seats, shipped bots with arguments, from the weakest up.

``engines/ladder/rungs.toml`` defines the rungs; ``engines/ladder/ratings.toml`` has what ``make ladder``
measured of them.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tourney.errors import EnvironmentFailure
from tourney.resources import engines_dir

FOLDER = "ladder"
"""The folder of the ladders beside the bots."""
RATINGS = "ratings.toml"


class Rating(NamedTuple):
    """A rating in Elo, 0 being the mean of the ladder's table, with the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


class Rung(NamedTuple):
    """An entrant of a ladder: its name there, the shipped bot, and its arguments.

    ``rating`` is None where the rung has not been measured.
    """

    name: str
    bot: str
    args: tuple[str, ...]
    rating: Rating | None


def ladders_dir() -> Path:
    """Return the folder of the ladders' tournament files."""
    return engines_dir() / FOLDER


def ladders() -> dict[tuple[str, int], tuple[Rung, ...]]:
    """Return the rungs by game and number of seats, weakest first.

    Raises EnvironmentFailure for a damaged installation.
    """
    file = ladders_dir() / "rungs.toml"
    try:
        lines = tomllib.loads(file.read_text(encoding="utf-8"))["ladder"]
        measured = _measured(ladders_dir() / RATINGS)
        return {
            (line["game"], line["seats"]): tuple(
                _rung(rung, measured.get((line["game"], line["seats"]), {})) for rung in line["rungs"]
            )
            for line in lines
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EnvironmentFailure(f"{file} cannot be read ({error!r}); reinstall Tourney") from error


def ladder_of(game: str, seats: int) -> tuple[Rung, ...]:
    """Return a game's rungs, weakest first; empty for a game or number of seats without a ladder."""
    return ladders().get((game, seats), ())


def _rung(line: Mapping[str, Any], ratings: Mapping[str, Rating]) -> Rung:
    return Rung(line["name"], line["bot"], tuple(line.get("args", ())), ratings.get(line["name"]))


def _measured(file: Path) -> dict[tuple[str, int], dict[str, Rating]]:
    """Return the ratings by game and seats, then by name; none if the file is missing."""
    if not file.is_file():
        return {}
    lines = tomllib.loads(file.read_text(encoding="utf-8"))["ladder"]
    return {
        (line["game"], line["seats"]): {name: Rating(*values) for name, values in line["ratings"].items()}
        for line in lines
    }
