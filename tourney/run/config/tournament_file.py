"""The tournament file: TOML, read strictly into frozen values."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from tourney.bots.catalogue.command import MAX_ARG, MAX_ARGS
from tourney.errors import GameError, TournamentError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.spec import Limits
from tourney.parsing import parse_toml
from tourney.run.config.opening_book import Book, read_book
from tourney.run.config.toml_table import TomlTable, show
from tourney.schedule.format import Format, Key, group_size, join_names
from tourney.schedule.registry import file_formats, find_format
from tourney.seeds import U64
from tourney.store.plans import Plan, RunSettings

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
"""What tournaments, entrants and bots may be called."""

_GAME = re.compile(r"[a-z][a-z0-9-]{0,63}", re.ASCII)

MAX_BYTES = 1 << 20
MAX_OPENING_PLIES = 200
_WEEK_MS = 7 * 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """An entrant as the file has it: a bot's name or path, a name of its own or None, and arguments."""

    bot: str
    name: str | None = None
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament file, checked. ``seed`` is None where it is to be drawn."""

    path: Path
    plan: Plan
    seed: int | None
    entrants: tuple[EntrantLine, ...]
    run: RunSettings

    @property
    def folder(self) -> Path:
        """The folder that the file's paths are relative to."""
        return self.path.parent


def read_tournament_file(path: Path) -> TournamentFile:
    """Read a tournament file. Raises TournamentError, in one sentence that names the file and the key."""
    top = TomlTable(_load(path), str(path))
    name = top.text("name", pattern=NAME)
    game, seats, options = _game(top)
    format_ = _format(top)
    seed = top.integer("seed", 0, U64 - 1, None)
    entrants = _entrants(top)
    games_per_pairing = _games_per_pairing(top, seats)
    rounds = _rounds(top, format_, seats)
    plies, book = _opening(top, path.parent, game, seats, options)
    limits = _limits(top.table("limits"))
    run = _run(top.table("run"))
    extra = _extra(top, format_)
    top.finish()
    plan = Plan(
        name=name,
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=format_.name,
        seats=seats,
        games_per_pairing=games_per_pairing,
        rounds=rounds,
        opening_plies=plies,
        book=book,
        limits=limits,
        extra=extra,
    )
    return TournamentFile(path, plan, seed, entrants, run)


def _load(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TournamentError(f"the tournament file {path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise TournamentError(f"{path}: a tournament file has at most {MAX_BYTES >> 20} MiB")
    try:
        return parse_toml(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TournamentError(f"{path}: the file is not UTF-8 (byte {error.start})") from error
    except ValueError as error:
        raise TournamentError(f"{path}: this is no TOML: {error}") from error


def _game(top: TomlTable) -> tuple[AnyGame, int, dict[str, str]]:
    name = top.text("game", pattern=_GAME)
    seats = top.integer("seats", 1, 1000, None)
    given = {}
    for key, value in top.table("options").rest().items():
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            raise TournamentError(
                f"{top.where}, [options]: {show(key)} is {show(value)}, but must be a string or an integer"
            )
        given[key] = str(value)
    try:
        game = find_game(name)
        count, options = game.settings(seats, given)
    except GameError as error:
        raise TournamentError(f"{top.where}: {error}") from error
    if count not in (2, 3, 4):
        top.refuse("seats", f"is {count}: tournaments are for 2, 3 or 4 seats per table")
    return game, count, options


def _format(top: TomlTable) -> Format:
    names = tuple(format_.name for format_ in file_formats())
    return find_format(top.choice("format", names, "round-robin"))


def _entrants(top: TomlTable) -> tuple[EntrantLine, ...]:
    lines = [EntrantLine(bot) for bot in top.texts("bots", ())]
    for table in top.tables("entrant"):
        line = EntrantLine(table.text("bot"), table.text("name", None, NAME), _args(table))
        table.finish()
        lines.append(line)
    if not lines:
        top.refuse("bots", 'is missing: name the bots that play, as bots = ["random", "./mybot"]')
    for line in lines:
        if not line.bot or "\0" in line.bot:
            top.refuse("bots", f"holds {show(line.bot)}, which names no bot")
    return tuple(lines)


def _args(table: TomlTable) -> tuple[str, ...]:
    """Return an entrant's arguments: such as a command can have and a record can hold."""
    args = table.texts("args", ())
    if len(args) > MAX_ARGS:
        table.refuse("args", f"has {len(args):,} arguments, but may have at most {MAX_ARGS}")
    for arg in args:
        if len(arg) > MAX_ARG:
            table.refuse("args", f"holds one of {len(arg):,} characters, but at most {MAX_ARG:,} are allowed")
        if any(unicodedata.category(c) == "Cc" for c in arg):
            table.refuse("args", f"holds {show(arg)}, which has a control character in it")
    return args


def _games_per_pairing(top: TomlTable, seats: int) -> int:
    group = group_size(seats)
    games: int = top.integer("games-per-pairing", 1, 1_000_000, group)
    if games % group:
        top.refuse(
            "games-per-pairing",
            f"is {games}, but must be a multiple of {group}, the size of a mirrored group of {seats} seats",
        )
    return games


def _rounds(top: TomlTable, format_: Format, seats: int) -> int | None:
    rounds: int | None = top.integer("rounds", 1, 1_000_000, None)
    wanted = format_.rounds_key(seats)
    if rounds is not None and wanted == "refused":
        top.refuse("rounds", f'does not go with format = "{format_.name}" for {seats} seats')
    if rounds is None and wanted == "required":
        top.refuse("rounds", f'is missing: format = "{format_.name}" wants it')
    return rounds


def _opening(
    top: TomlTable, folder: Path, game: AnyGame, seats: int, options: dict[str, str]
) -> tuple[int, Book]:
    plies: int = top.integer("opening-plies", 0, min(MAX_OPENING_PLIES, game.max_actions - 1), 0)
    path = top.text("opening-book", None)
    if plies and game.has_hidden_actions:
        top.refuse("opening-plies", f"does not go with {game.name}, a game with hidden actions")
    if path is None:
        return plies, ()
    if not path or "\0" in path:
        top.refuse("opening-book", f"is {show(path)}, which names no file")
    if plies:
        top.refuse("opening-book", "does not go with opening-plies: choose one of them")
    return 0, read_book(folder / path, game, seats, options)


def _limits(table: TomlTable) -> Limits:
    plain = Limits()
    move = table.integer("move-ms", 1, _WEEK_MS, None)
    clock = table.integer("clock-ms", 1, _WEEK_MS, None)
    increment = table.integer("increment-ms", 0, _WEEK_MS, None)
    if increment is not None and clock is None:
        table.refuse("increment-ms", "is set without clock-ms")
    limits = Limits(
        move_ms=plain.move_ms if move is None and clock is None else move,
        clock_ms=clock,
        increment_ms=increment or 0,
        nodes=table.integer("nodes", 1, 2**53 - 1, None),
        margin_ms=table.integer("margin-ms", 0, 60_000, plain.margin_ms),
        startup_ms=table.integer("startup-ms", 1, 3_600_000, plain.startup_ms),
        memory_mb=table.integer("memory-mb", 16, 1 << 24, plain.memory_mb),
        charge=table.choice("charge", ("wall", "cpu"), plain.charge),
        ponder=table.choice("ponder", ("allow", "freeze"), plain.ponder),
    )
    table.finish()
    return limits


def _run(table: TomlTable) -> RunSettings:
    plain = RunSettings()
    run = RunSettings(
        reuse=table.flag("reuse", plain.reuse),
        sandbox=table.choice("sandbox", ("strict", "auto", "off"), plain.sandbox),
        withdrawn=_withdrawn(table),
    )
    table.finish()
    return run


def _withdrawn(table: TomlTable) -> tuple[str, ...]:
    names = table.take("withdrawn", None)
    return () if names is None else _names(table, "withdrawn", names)


def _extra(top: TomlTable, format_: Format) -> tuple[tuple[str, int | str], ...]:
    """Return what the file gives of the format's own keys; those of other formats are named as such."""
    found: list[tuple[str, int | str]] = []
    for key in format_.keys:
        value = _own(top, key)
        if value is not None:
            found.append((key.name, value))
    for other in file_formats():
        for key in other.keys:
            if key not in format_.keys and top.take(key.name, None) is not None:
                top.refuse(key.name, f'does not go with format = "{format_.name}"')
    return tuple(sorted(found))


def _own(top: TomlTable, key: Key) -> int | str | None:
    """Return the value of a format's own key as it is kept, or None where the file does not give it."""
    value: int | str | None
    if key.kind == "integer":
        value = top.integer(key.name, key.low, key.high, None)
    elif key.kind == "choice":
        value = top.choice(key.name, key.words, None)
    elif key.kind == "flag":
        flag = top.take(key.name, None)
        if flag is not None and not isinstance(flag, bool):
            top.refuse(key.name, f"is {show(flag)}, but must be true or false")
        value = None if flag is None else int(flag)
    else:
        names = top.take(key.name, None)
        value = None if names is None else join_names(_names(top, key.name, names))
    return value


def _names(top: TomlTable, key: str, value: object) -> tuple[str, ...]:
    """Return a list of entrants' names, which may not be empty."""
    if not isinstance(value, list) or not value:
        top.refuse(key, f"is {show(value)}, but must be a list of entrants' names")
    for name in value:
        if not isinstance(name, str) or NAME.fullmatch(name) is None:
            top.refuse(key, f"holds {show(name)}, which is no entrant's name")
    if len(set(value)) < len(value):
        top.refuse(key, "names an entrant twice")
    return tuple(value)
