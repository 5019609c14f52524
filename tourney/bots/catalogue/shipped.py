"""What ships with Tourney: the bots, with their digests and ladders, the rules, and the report's templates.

A checkout has them in ``engines/``, ``docs/rules/`` and ``templates/`` beside the package, a wheel in
``_data/`` inside it.

Whether a bot ships is decided by its digest, never by its name. ``engines/ladder/rungs.toml`` defines, per
game and number of seats, the rungs of a ladder: shipped bots with arguments, the weakest first.
``engines/ladder/ratings.toml`` has what ``make ladder`` measured of them.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct, structs

from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.errors import BotError, EnvironmentFailure
from tourney.games.base import AnyGame
from tourney.games.registry import GAMES
from tourney.prepared_types import prepared

if TYPE_CHECKING:
    from tourney.games.guide import Guide

HOUSE = "house"
"""The author of the bots that ship, in leagues."""
_PACKAGE = Path(__file__).resolve().parents[2]


def templates_dir() -> Path:
    """The folder of the report's Jinja2 templates and static files."""
    return _find("templates")


def engines_dir() -> Path:
    """The folder of the shipped bots, one subfolder each."""
    return _find("engines")


def rules_dir() -> Path:
    """The folder of the games' rules pages, ``GAME.md`` each."""
    return _find("rules", "docs/rules")


def rules_text(game: AnyGame, guide: "Guide | None") -> str:
    """A game's rules as Markdown, the plugin's own or those of ``docs/rules``, or "" without any."""
    if guide is not None and guide.rules:
        return guide.rules
    if game.name not in GAMES.own:
        return ""
    path = rules_dir() / f"{game.name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def short_rules(game: AnyGame, guide: "Guide") -> str:
    """The rules in short as Markdown."""
    lines = [f"# {game.title}", "", guide.aim, "", *(f"- {line}" for line in (*guide.turn, *guide.end))]
    lines += ["", *(f"- {figure.name} ({figure.glyph}): {figure.text}" for figure in guide.figures)]
    return "\n".join(lines).rstrip() + "\n"


def _find(name: str, beside: str = "") -> Path:
    """A data folder; prefer the wheel's, because other packages may have a folder of that name.

    ``beside`` is its path in a checkout (default: its name).
    """
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / (beside or name)):
        if folder.is_dir():
            return folder
    raise EnvironmentFailure(f"Tourney's folder {name} is missing beside {_PACKAGE}; reinstall Tourney")


T = TypeVar("T")
Provenance = Literal["shipped", "submitted", "replacement"]
"""Whose files a bot consists of; a replacement bears the name of a shipped bot, and consists of others."""


def shipped_bots() -> dict[str, Path]:
    """The folders of the bots that ship with Tourney, by name, sorted."""
    return {place.name: place for place in sorted(engines_dir().iterdir()) if (place / FILE_NAME).is_file()}


def shipped_digests() -> dict[str, str]:
    """The digests of the shipped bots of this version, by name, sorted."""
    return {name: digest_of_folder(folder)[0] for name, folder in shipped_bots().items()}


def provenance(digest: str, names: Iterable[str], shipped: dict[str, str]) -> Provenance:
    """Origin of the files of a bot, shown under ``names``; ``shipped`` as above."""
    if any(shipped.get(name, digest) != digest for name in names):
        return "replacement"
    return "shipped" if digest in shipped.values() else "submitted"


def refuse_shipped_name(name: str, digest: str | None = None) -> None:
    """Raise BotError for a bot that bears the name of a shipped one, unless it has that one's digest."""
    # The digests come last, because they take reading all shipped files.
    if name in shipped_bots() and digest != shipped_digests()[name]:
        raise BotError(
            f"it is called {name}, as a bot that ships with Tourney; give it another name in {FILE_NAME}, or"
            " insist with tourney bots add --replace-shipped"
        )


FOLDER = "ladder"  # the folder of the ladders beside the bots
RATINGS = "ratings.toml"


class Rating(NamedTuple):
    """A rating in Elo, 0 being the mean of the ladder's table, with the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


class Rung(Struct, frozen=True):
    """An entrant of a ladder: its name there, the shipped bot, and its arguments.

    ``rating`` is None where the rung has not been measured.
    """

    name: str
    bot: str
    args: tuple[str, ...] = ()
    rating: Rating | None = None


class _Rungs(Struct):
    game: str
    seats: int
    rungs: tuple[Rung, ...]


class _Ratings(Struct):
    game: str
    seats: int
    ratings: dict[str, Rating]


class _LadderFile(Struct, Generic[T]):
    ladder: tuple[T, ...]


def ladders_dir() -> Path:
    """The folder of the ladders' tournament files."""
    return engines_dir() / FOLDER


def ladders() -> dict[tuple[str, int], tuple[Rung, ...]]:
    """The rungs by game and number of seats, weakest first.

    Raises EnvironmentFailure for a damaged installation.
    """
    file, ratings = ladders_dir() / "rungs.toml", ladders_dir() / RATINGS
    measured: dict[tuple[str, int], dict[str, Rating]] = {}
    try:
        if ratings.is_file():
            tables = msgspec.toml.decode(ratings.read_bytes(), type=prepared(_LadderFile[_Ratings]))
            measured = {(table.game, table.seats): table.ratings for table in tables.ladder}
        ladders_by_game: dict[tuple[str, int], tuple[Rung, ...]] = {}
        for line in msgspec.toml.decode(file.read_bytes(), type=prepared(_LadderFile[_Rungs])).ladder:
            rated = measured.get((line.game, line.seats), {})
            rungs = (structs.replace(rung, rating=rated.get(rung.name)) for rung in line.rungs)
            ladders_by_game[line.game, line.seats] = tuple(rungs)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EnvironmentFailure(f"{file} cannot be read ({error!r}); reinstall Tourney") from error
    return ladders_by_game


def ladder_of(game: str, seats: int) -> tuple[Rung, ...]:
    """A game's rungs, weakest first; empty for a game or number of seats without a ladder."""
    return ladders().get((game, seats), ())


def no_ladder_text(game: str, seats: int) -> str:
    """Why there is no ladder for a game and a number of seats, and what to do instead."""
    with_ladder = sorted({f"{name} ({seats} seats)" for name, seats in ladders()})
    return (
        f"{game} with {seats} seats has no ladder; there are ladders of {', '.join(with_ladder)};"
        " name the bots of another game one by one"
    )
