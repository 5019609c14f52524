"""The tournament file (TOML), read strictly into a frozen value."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec

from tourney.bots.catalogue.shipped import ladder_of, no_ladder_text
from tourney.errors import GameError, TournamentError
from tourney.games.base import CHANCE, AnyGame
from tourney.games.external import REFEREE, command_option
from tourney.games.registry import EXTERNAL, find_game
from tourney.match.spec import Limits
from tourney.parsing import parse_toml
from tourney.run.config.file_schema import (
    MAX_OPENING_PLIES,
    EntrantLine,
    FileLimits,
    Ponder,
    TournamentTable,
    UntilTable,
    attribute_of,
    file_schema,
)
from tourney.schedule.format import Format, find_format, group_size, working_formats
from tourney.schema import SchemaError, check_range, read, show
from tourney.store.origin import seed_of
from tourney.store.presentation import MAX_LOGO, NO_PRESENTATION, Link, Presentation, logo_text
from tourney.store.values import Plan, RunSettings

MAX_BYTES: Final = 1 << 20

LADDER: Final = "@ladder"
"""In ``bots``: the rungs of the game's anchor ladder, as entrants with names and arguments of their own."""


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament file, checked. ``seed`` is None where the first start samples it.

    ``ponder`` is None where the first start chooses it; then the plan has ``allow`` until that. ``rungs`` are
    the names of the entrants that ``@ladder`` brought. ``mirrored``: the file has ``mirrored-dice``.
    """

    path: Path
    plan: Plan
    seed: int | None
    entrants: tuple[EntrantLine, ...]
    run: RunSettings
    ponder: Ponder | None = None
    presentation: Presentation = NO_PRESENTATION
    rungs: tuple[str, ...] = ()
    mirrored: bool = True

    @property
    def folder(self) -> Path:
        """The folder that the file's paths are relative to."""
        return self.path.parent


def read_tournament_file(path: Path, text: str | None = None) -> TournamentFile:
    """Read a tournament file, or the ``text`` that it will hold.

    Raises TournamentError, in one sentence that names the file and the key.
    """
    data = load_tables(path, text)
    formats, broken = working_formats()
    name = str(data.get("format"))
    if name in broken and name not in [format_.name for format_ in formats]:
        raise TournamentError(f"{path}: {broken[name]}", file=path, key="format")
    try:
        table = read(data, file_schema(formats), toml=True)
        plan = _plan(table, data, path, formats)
        rungs = rung_lines(plan.game, plan.seats) if _enters_ladder(table) else ()
        presentation = _presentation(table, path)
    except SchemaError as error:
        sentence = error.in_toml(str(path))
        if error.inside and not error.path:  # an unknown key, which a broken format may take
            sentence = "; ".join((sentence, *broken.values()))
        raise TournamentError(sentence, file=path, key=error.key) from error
    except GameError as error:
        raise TournamentError(f"{path}: {error}", file=path) from error
    bots = (rungs if bot == LADDER else (EntrantLine(bot),) for bot in table.bots)
    entrants = (*chain.from_iterable(bots), *table.entrant)
    names = tuple(line.name or line.bot or "" for line in rungs)
    seed = None if table.seed is None else seed_of("seed", table.seed)
    return TournamentFile(
        path,
        plan,
        seed,
        entrants,
        table.run,
        table.limits.ponder,
        presentation,
        names,
        mirrored=table.mirrored_dice is not None,
    )


def rung_lines(game: str, seats: int) -> tuple[EntrantLine, ...]:
    """The rungs of a game's ladder, weakest first. Raises SchemaError for a game without one."""
    found = ladder_of(game, seats)
    if not found:
        raise SchemaError(("bots",), f"names {LADDER}, but {no_ladder_text(game, seats)}")
    return tuple(EntrantLine(rung.bot, rung.name, rung.args) for rung in found)


def _enters_ladder(table: TournamentTable) -> bool:
    """Whether the file enters the ladder. Raises SchemaError where it cannot."""
    if table.bots.count(LADDER) > 1:
        raise SchemaError(("bots",), f"names {LADDER} twice")
    for number, line in enumerate(table.entrant):
        if line.bot == LADDER:
            raise SchemaError(
                ("entrant", number, "bot"), f'is {LADDER}, which belongs in bots, as bots = ["{LADDER}"]'
            )
    return LADDER in table.bots


def load_tables(path: Path, text: str | None = None) -> dict[str, object]:
    """The tables of a tournament file. Raises TournamentError."""
    text = read_text(path, "a tournament file", MAX_BYTES) if text is None else text
    try:
        return parse_toml(text)
    except ValueError as error:
        raise TournamentError(f"{path}: this is not valid TOML: {error}", file=path) from error


def _presentation(table: TournamentTable, path: Path) -> Presentation:
    """The keys for the report. Raises SchemaError and TournamentError for a file that is not a logo."""
    links = tuple(Link(title, url) for title, url in table.links.items())
    logo = b"" if table.logo is None else read_bytes(path.parent / table.logo, "a logo", MAX_LOGO)
    if table.logo is not None and not logo:
        raise SchemaError(("logo",), f"names {path.parent / table.logo}, which is empty")
    return Presentation(table.title, table.description, links, logo_text(logo))


def _plan(table: TournamentTable, data: dict[str, object], path: Path, formats: Sequence[Format]) -> Plan:
    """The plan of a file. Raises SchemaError for keys that do not go together, and GameError."""
    game = find_game(table.game)
    given = {key: str(value) for key, value in table.options.items()}
    if table.referee or game.outside:
        given |= {REFEREE: _referee(table, game.outside, path.parent)}
    seats, options = game.settings(table.seats, given)
    if seats not in (2, 3, 4):
        raise SchemaError(("seats",), f"is {seats}: tournaments are for 2, 3 or 4 seats per table")
    format_ = find_format(table.format)
    if "until" in data and table.until == UntilTable():
        raise SchemaError(("until",), "asks nothing: set width, best, top, order = true, or games")
    book: Book = ()
    check_range(("opening-plies",), table.opening_plies, 0, min(MAX_OPENING_PLIES, game.max_actions - 1))
    if table.opening_plies and game.has_hidden_actions:
        raise SchemaError(("opening-plies",), f"does not go with {game.name}, a game with hidden actions")
    plies = table.opening_plies
    if table.opening_book is not None:
        if plies and not table.opening_book.endswith(".pgn"):
            raise SchemaError(("opening-book",), "does not go with opening-plies: choose one of them")
        book = read_book(path.parent / table.opening_book, game, seats, options, plies)
        plies = 0
    elif table.opening_order != "random":
        raise SchemaError(("opening-order",), "is set without opening-book")
    check_adjudication(table.limits, game, seats)
    return Plan(
        name=table.name,
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=format_.name,
        seats=seats,
        games_per_pairing=_games_per_pairing(table, seats),
        rounds=_rounds(table, format_, seats),
        opening_plies=plies,
        book=book,
        limits=plan_limits(table.limits, data),
        extra=_extra(table, format_, formats),
        mirrored_dice=not game.has_chance if table.mirrored_dice is None else table.mirrored_dice,
        opening_order=table.opening_order,
    )


def check_adjudication(limits: Limits, game: AnyGame, seats: int) -> None:
    """Check that the limits can end matches of this game. Raises SchemaError, GameError and TablesError."""
    for key in ("draw", "resign", "tablebase-pieces"):
        if getattr(limits, key.replace("-", "_")) is None:
            continue
        if game.outside:
            raise SchemaError(("limits", key), "does not go with an outside referee, which ends the matches")
        if seats != 2:
            raise SchemaError(("limits", key), f"goes with two seats only, and this tournament has {seats}")
    if limits.tablebase_pieces is not None:
        game.tables(limits.tablebase_pieces)


def _referee(table: TournamentTable, outside: bool, folder: Path) -> str:
    """The referee's command as an option; words that name files of the folder become their paths.

    Raises SchemaError.
    """
    if not outside:
        raise SchemaError(("referee",), f'goes with game = "{EXTERNAL}" only')
    if REFEREE in table.options:
        raise SchemaError(("options", REFEREE), "is set by the key referee: leave it out")
    if not table.referee or not table.referee[0]:
        raise SchemaError(
            ("referee",),
            f'is missing: game = "{EXTERNAL}" needs it, as referee = ["python3", "play_game.py"]',
        )
    words = [str((folder / word).resolve()) if _is_file(folder / word) else word for word in table.referee]
    if shutil.which(words[0]) is None:
        raise SchemaError(
            ("referee",), f"names {show(words[0])}, which is not a program that can be executed"
        )
    return command_option(words)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # as a word too long for a name
        return False


def _games_per_pairing(table: TournamentTable, seats: int) -> int:
    group = group_size(seats)
    games = group if table.games_per_pairing is None else table.games_per_pairing
    if games % group:
        raise SchemaError(
            ("games-per-pairing",),
            f"is {games}, but must be a multiple of {group}, the size of a mirrored group of {seats} seats",
        )
    return games


def _rounds(table: TournamentTable, format_: Format, seats: int) -> int | None:
    wanted = format_.rounds_key(seats)
    if table.rounds is not None and wanted == "refused":
        raise SchemaError(("rounds",), f'does not go with format = "{format_.name}" for {seats} seats')
    if table.rounds is None and wanted == "required":
        raise SchemaError(("rounds",), f'is missing: format = "{format_.name}" needs it')
    return table.rounds


def plan_limits(table: FileLimits, data: Mapping[str, object]) -> Limits:
    """The limits of a file's ``data``; with a clock and no ``move-ms`` an action alone has no limit."""
    # A default and the same value in the file mean different things here, so the file itself is asked.
    written = data.get("limits")
    given = written if isinstance(written, dict) else {}
    if table.by_fuel and given.get("ponder") == "allow":
        raise SchemaError(
            ("limits", "ponder"), 'is "allow", but with charge = "fuel" no bot runs in the turn of another'
        )
    limits = table.fixed().metered()
    if limits.clock_ms is None:
        if "increment-ms" in given:
            raise SchemaError(("limits", "increment-ms"), "is set without clock-ms")
        return limits
    return limits if "move-ms" in given else msgspec.structs.replace(limits, move_ms=None)


def _extra(
    table: TournamentTable, format_: Format, formats: Sequence[Format]
) -> tuple[tuple[str, int | str], ...]:
    """The format's own keys that the file has, as they are stored. Refuses those of other formats."""
    found: list[tuple[str, int | str]] = []
    for name in {key.name: key for other in formats for key in other.keys}:
        value = getattr(table, attribute_of(name))
        if value is None:
            continue
        if name not in [key.name for key in format_.keys]:
            raise SchemaError((name,), f'does not go with format = "{format_.name}"')
        if isinstance(value, tuple):
            if len(set(value)) < len(value):
                raise SchemaError((name,), "names an entrant twice")
            value = ",".join(value)  # no name contains a comma
        found.append((name, int(value) if isinstance(value, bool) else value))
    if table.until != UntilTable():
        if not format_.takes_until:
            takers = " and ".join(other.name for other in formats if other.takes_until)
            raise SchemaError(
                ("until",), f'does not go with format = "{format_.name}"; it is for {takers} tournaments'
            )
        found += table.until.until.extra()
    return tuple(sorted(found))


MAX_BOOK_BYTES: Final = 4 << 20

Book = tuple[tuple[str, ...], ...]
"""Openings, each a tuple of actions."""


def read_text(path: Path, noun: str, most: int) -> str:
    """The text of a file of at most ``most`` bytes; ``noun`` names it, with its article."""
    try:
        return read_bytes(path, noun, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise TournamentError(f"{path}: the file is not UTF-8 (byte {error.start})", file=path) from error


def read_bytes(path: Path, noun: str, most: int) -> bytes:
    """The content of a file as ``read_text`` does."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        name = noun.partition(" ")[2]
        raise TournamentError(f"the {name} {path} cannot be read: {error.strerror}", file=path) from error
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise TournamentError(f"{path}: {noun} has at most {size}", file=path)
    return data


def read_book(path: Path, game: AnyGame, seats: int, options: dict[str, str], plies: int = 0) -> Book:
    """Read an opening book and try every opening. Raises TournamentError, naming the line or the game.

    Each line holds a game's first actions, separated by blanks; ``#`` begins a comment, and blank lines are
    skipped. Of ``.epd`` each line is a position; of ``.pgn`` each game is an opening, or with ``plies`` its
    first moves. Books are for games without hidden actions; with chance each opening sets a position up.
    """
    if game.has_hidden_actions:
        raise TournamentError(
            f"{path}: an opening book does not go with {game.name}, a game with hidden actions"
        )
    book = []
    for where, actions in _openings(path, game, plies):
        state = game.initial(seats, options)
        if state.actor == CHANCE and not actions[0].startswith("="):
            raise TournamentError(
                f"{where}: an opening of {game.name} must set a position up, because chance acts first in it"
            )
        try:
            while state.actor == CHANCE:
                state = state.play(state.legal_actions()[0])
            for action in actions:
                state = state.play(game.read_action(state, action))
        except GameError as error:
            raise TournamentError(f"{where}: {error}") from error
        if state.ranks() is not None:
            raise TournamentError(f"{where}: the game is over after this opening; leave actions to play")
        book.append(actions)
    if not book:
        raise TournamentError(f"{path}: the opening book holds no opening")
    return tuple(book)


def _openings(path: Path, game: AnyGame, plies: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the openings of a book with their places for errors. Raises TournamentError."""
    text = read_text(path, "an opening book", MAX_BOOK_BYTES)
    if path.suffix == ".pgn":
        for number, read in enumerate(_games(text, path, game), 1):
            where = f"{path}, game {number}"
            try:
                actions = read()
            except GameError as error:
                raise TournamentError(f"{where}: {error}") from error
            begun = actions[:1] if actions and actions[0].startswith("=") else ()
            cut = actions[: plies + len(begun)] if plies else actions
            if cut:
                yield where, cut
        return
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}, line {number}"
        if path.suffix == ".epd":
            if line.strip() and not line.startswith("#"):
                try:
                    yield where, (game.set_up(line.strip()),)
                except GameError as error:
                    raise TournamentError(f"{where}: {error}") from error
        elif actions := tuple(line.partition("#")[0].split()):
            yield where, actions


def _games(text: str, path: Path, game: AnyGame) -> Iterable[Callable[[], tuple[str, ...]]]:
    """A function for each game of a PGN, which reads its actions. Raises TournamentError."""
    if game.name not in ("chess", "chess960"):
        raise TournamentError(
            f"{path}: a book in PGN goes with chess and chess960 only, not with {game.name}"
        )
    from tourney.games.chess.starts import read_games  # noqa: PLC0415 - needs an extra

    return read_games(text, chess960=game.name == "chess960")
