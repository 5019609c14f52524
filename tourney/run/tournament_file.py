"""The tournament file (TOML), read strictly into a frozen value; and the command lines that replace it."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, structs, to_builtins

from tourney.bots.catalogue.shipped import ladder_of, no_ladder_text
from tourney.bots.catalogue.submission import bots_at
from tourney.errors import BotError, GameError, TournamentError, UsageError
from tourney.exchange.game_writers import writes_games
from tourney.games.base import CHANCE, AnyGame
from tourney.games.external import REFEREE, command_option
from tourney.games.registry import EXTERNAL, find_game
from tourney.match.spec import CommonLimits, EntrantLimits, Limits
from tourney.parsing import BLANKS, DamagedError, file_of, parse_toml, unpacked, utf8_of
from tourney.plugins import offered
from tourney.run.file_schema import (
    DEFAULT_FORMAT,
    MAX_OPENING_PLIES,
    EntrantLine,
    FileLimits,
    FilePath,
    Ponder,
    TournamentTable,
    UntilTable,
    file_schema,
    load_tables,
    read_file_bytes,
)
from tourney.schedule.format import Format, find_format, group_size, working_formats
from tourney.schedule.ranking_rule import RankingRule
from tourney.schema import SchemaError, check_range, read, seed_of, show
from tourney.store.beacon import Beacon
from tourney.store.presentation import MAX_LOGO, NO_PRESENTATION, Link, Presentation, logo_text
from tourney.store.values import Plan, RunSettings
from tourney.texts import counted

Book = tuple[tuple[str, ...], ...]  # openings, each a tuple of actions
LADDER: Final = "@ladder"
"""In ``bots``: the rungs of the game's anchor ladder, as entrants with names and arguments of their own."""


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament file, checked. ``seed`` is None where the first start samples it.

    ``ponder`` is None where the first start chooses it; then the plan has ``allow`` until that. ``memory_mb``
    is None where the file leaves it out; then a tournament that has begun keeps its own. ``rungs`` are
    the names of the entrants of ``@ladder``. ``mirrored``: the file has ``mirrored-dice``.
    """

    path: Path
    plan: Plan
    seed: int | None
    entrants: tuple[EntrantLine, ...]
    run: RunSettings
    ponder: Ponder | None = None
    memory_mb: int | None = None
    presentation: Presentation = NO_PRESENTATION
    rungs: tuple[str, ...] = ()
    mirrored: bool = True
    beacon: Beacon | None = None
    notes: tuple[str, ...] = ()


def read_tournament_file(path: Path, text: str | None = None) -> TournamentFile:
    """Read a tournament file, or the ``text`` that it will hold.

    Raises TournamentError, in one sentence that names the file and the key.
    """
    data = load_tables(path, text)
    name = str(data.get("format", DEFAULT_FORMAT))
    with suppress(TournamentError):
        if (format_ := find_format(name)).in_files:
            return _read(path, data, (format_,), {})
    # The sentence on a mistake names formats that take a key. Only for that all are loaded: those that ask
    # questions load NumPy.
    formats, broken = working_formats()
    if name in broken and name not in [format_.name for format_ in formats]:
        raise TournamentError(f"{path}: {broken[name]}", file=path, key="format")
    return _read(path, data, formats, broken)


def _read(
    path: Path, data: dict[str, object], formats: Sequence[Format], broken: Mapping[str, str]
) -> TournamentFile:
    """Read the keys of a file, in which those of ``formats`` are known."""
    notes: list[str] = []
    try:
        table = read(data, file_schema(formats), toml=True)
        plan = _plan(table, data, path, formats, notes.append)
        rungs = _rungs(table, plan.seats)
        presentation = _presentation(table, path)
        bots = [line for bot in table.bots for line in (rungs if bot == LADDER else _lines_of(bot, path))]
    except SchemaError as error:
        sentence = error.in_toml(str(path))
        if error.inside and not error.path:  # an unknown key, which a broken format may take
            sentence = "; ".join((sentence, *broken.values()))
        raise TournamentError(sentence, file=path, key=error.key) from error
    except GameError as error:
        raise TournamentError(f"{path}: {error}", file=path) from error
    return TournamentFile(
        path=path,
        plan=plan,
        seed=None if table.seed is None else seed_of("seed", table.seed),
        entrants=tuple(line.as_program() for line in (*bots, *table.entrant)),
        run=table.run,
        ponder=table.limits.ponder,
        memory_mb=table.limits.memory_mb,
        presentation=presentation,
        rungs=tuple(line.name or line.bot or "" for line in rungs),
        mirrored=table.mirrored_dice is not None,
        beacon=table.beacon,
        notes=tuple(notes),
    )


def _lines_of(bot: str, path: Path) -> tuple[EntrantLine, ...]:
    """The line of a bot, or those of all bots in a folder or of a pattern, sorted, as `bots check` has them.

    Raises TournamentError for a pattern that matches nothing.
    """
    place = path.parent / bot
    if not any(mark in bot for mark in "*?") and not place.is_dir():
        return (EntrantLine(bot),)
    try:
        places = bots_at(str(place))
    except BotError as error:
        raise TournamentError(
            f"{path}: bots names {bot}, which matches no file", file=path, key="bots"
        ) from error
    if places == (place,):
        return (EntrantLine(bot),)
    return tuple(EntrantLine(os.path.relpath(place, path.parent)) for place in places)


def _rungs(table: TournamentTable, seats: int) -> tuple[EntrantLine, ...]:
    """The rungs of the game's ladder, weakest first, if the file enters it. Raises SchemaError."""
    if table.bots.count(LADDER) > 1:
        raise SchemaError(("bots",), f"names {LADDER} twice")
    for number, line in enumerate(table.entrant):
        if line.bot == LADDER:
            raise SchemaError(
                ("entrant", number, "bot"), f'is {LADDER}, which belongs in bots, as bots = ["{LADDER}"]'
            )
    if LADDER not in table.bots:
        return ()
    rungs = ladder_of(table.game, seats)
    if not rungs:
        raise SchemaError(("bots",), f"names {LADDER}, but {no_ladder_text(table.game, seats)}")
    return tuple(EntrantLine(rung.bot, rung.name, rung.args) for rung in rungs)


def _presentation(table: TournamentTable, path: Path) -> Presentation:
    """The keys for the report. Raises SchemaError and TournamentError for a file that is not a logo."""
    links = tuple(Link(title, url) for title, url in table.links.items())
    logo = b"" if table.logo is None else read_file_bytes(path.parent / table.logo, "a logo", MAX_LOGO)
    if table.logo is not None and not logo:
        raise SchemaError(("logo",), f"names {path.parent / table.logo}, which is empty")
    return Presentation(table.title, table.description, links, logo_text(logo))


def _plan(
    table: TournamentTable,
    data: dict[str, object],
    path: Path,
    formats: Sequence[Format],
    say: Callable[[str], None],
) -> Plan:
    """The plan of a file. Raises SchemaError for keys that do not go together, and GameError."""
    game = find_game(table.game)
    given_options = {key: str(value) for key, value in table.options.items()}
    if table.referee or game.outside:
        given_options |= {REFEREE: _referee(table, game.outside, path.parent)}
    seats, options = game.settings(table.seats, given_options)
    if seats not in (2, 3, 4):
        raise SchemaError(("seats",), f"is {seats}: tournaments are for 2, 3 or 4 seats per table")
    format_ = find_format(table.format)
    if "until" in data and table.until == UntilTable():
        raise SchemaError(("until",), "asks nothing: set width, best, top, order = true, or games")
    check_range(("opening-plies",), table.opening_plies, 0, min(MAX_OPENING_PLIES, game.max_actions - 1))
    if table.opening_plies and game.has_hidden_actions:
        raise SchemaError(("opening-plies",), f"does not go with {game.name}, a game with hidden actions")
    if table.opening_book is None and table.opening_order != "random":
        raise SchemaError(("opening-order",), "is set without opening-book")
    if table.opening_start > 1 and table.opening_order != "sequential":
        raise SchemaError(("opening-start",), 'goes with opening-order = "sequential" only')
    book = _book(table, path, game, seats, options, say)
    rounds_key = format_.rounds_key(seats)  # some formats take rounds for some numbers of seats only
    if table.rounds is not None and rounds_key == "refused":
        with_rounds = " and ".join(other.name for other in formats if other.rounds_key(seats) != "refused")
        raise SchemaError(
            ("rounds",),
            f'does not go with format = "{format_.name}" for {seats} seats: leave it out, as the entrants'
            f" decide how many rounds there are, and set games-per-pairing for more games; {with_rounds} take"
            " it",
        )
    if table.rounds is None and rounds_key == "required":
        raise SchemaError(("rounds",), f'is missing: format = "{format_.name}" needs it')
    check_adjudication(table.limits, game, seats)
    return Plan(
        name=table.name,
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=format_.name,
        seats=seats,
        games_per_pairing=_games_per_pairing(table, seats),
        rounds=table.rounds,
        opening_plies=0 if book else table.opening_plies,
        book=book,
        limits=_limits(table, data).under(game.laws),
        extra=_extra(table, format_, formats),
        mirrored_dice=not game.has_chance if table.mirrored_dice is None else table.mirrored_dice,
        opening_order=planned_order(table.opening_order, book),
        ranking=_rule(table, format_, seats),
    )


def _book(
    table: TournamentTable,
    path: Path,
    game: AnyGame,
    seats: int,
    options: dict[str, str],
    say: Callable[[str], None],
) -> Book:
    """The openings of a file, none without a book. Raises SchemaError."""
    if table.opening_book is None:
        return ()
    if table.opening_plies and book_form(Path(table.opening_book)) not in GAME_FORMS:
        raise SchemaError(("opening-book",), "does not go with opening-plies: choose one of them")
    start = table.opening_start if table.opening_order == "sequential" else None
    place = path.parent / table.opening_book
    return read_book(place, game, seats, options, table.opening_plies, start=start, say=say)


def _rule(table: TournamentTable, format_: Format, seats: int) -> RankingRule:
    """What decides the places of a new tournament. Raises SchemaError for a score that does not fit."""
    if table.score == "places":
        return format_.new_rule(seats)
    if seats == 2:
        raise SchemaError(
            ("score",), 'is "win", which goes with three and four seats: two play for it anyway'
        )
    if not format_.takes_score:
        raise SchemaError(("score",), f'is "win", which does not go with format = "{format_.name}"')
    if table.until != UntilTable():
        raise SchemaError(("score",), 'is "win", but [until] counts opponents beaten: leave one of them out')
    return format_.rule_by_wins(seats)


def _games_per_pairing(table: TournamentTable, seats: int) -> int:
    group = group_size(seats)
    games = table.games_per_pairing or group
    if games % group:
        raise SchemaError(
            ("games-per-pairing",),
            f"is {games}, but must be a multiple of {group}, the size of a mirrored group of {seats} seats",
        )
    return games


def _limits(table: TournamentTable, data: dict[str, object]) -> Limits:
    """The limits of all entrants and of those that have their own. Raises SchemaError."""
    of_entrants = [
        EntrantLimits(**structs.asdict(line.limits), entrant=line.name)
        for line in table.entrant
        if line.limits is not None and line.name is not None
    ]
    limits = table.limits.planned(data)
    names = [limits_of.entrant for limits_of in of_entrants]
    for number, line in enumerate(table.entrant):
        if line.limits is not None and names.count(line.name or "") > 1:
            raise SchemaError(("entrant", number, "name"), f"is {line.name} twice")
    return structs.replace(limits, entrants=tuple(sorted(of_entrants, key=lambda each: each.entrant)))


def check_adjudication(limits: CommonLimits, game: AnyGame, seats: int) -> None:
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
    words = list(table.referee)
    for number, word in enumerate(words):
        with suppress(OSError):  # as a word too long for a name
            if (folder / word).is_file():
                words[number] = str((folder / word).resolve())
    if shutil.which(words[0]) is None:
        raise SchemaError(
            ("referee",), f"names {show(words[0])}, which is not a program that can be executed"
        )
    return command_option(words)


def _keys_of(format_: Format) -> list[str]:
    return [key.name for key in format_.keys]


def _extra(
    table: TournamentTable, format_: Format, formats: Sequence[Format]
) -> tuple[tuple[str, int | str], ...]:
    """The format's own keys that the file has, as they are stored. Refuses those of other formats."""
    settings: list[tuple[str, int | str]] = []
    names = _keys_of(format_)
    for name in {key.name: key for any_format in formats for key in any_format.keys}:
        value = getattr(table, name.replace("-", "_"))
        if value is None:
            continue
        if name not in names:
            takers = " and ".join(any_format.name for any_format in formats if name in _keys_of(any_format))
            raise SchemaError(
                (name,),
                f'does not go with format = "{format_.name}": leave it out, or take a format that has it'
                f" ({takers})",
            )
        if isinstance(value, tuple):
            if len(set(value)) < len(value):
                raise SchemaError((name,), "names an entrant twice")
            value = ",".join(value)  # no name contains a comma
        settings.append((name, int(value) if isinstance(value, bool) else value))
    if table.until != UntilTable():
        if not format_.takes_until:
            takers = " and ".join(any_format.name for any_format in formats if any_format.takes_until)
            raise SchemaError(
                ("until",), f'does not go with format = "{format_.name}"; it is for {takers} tournaments'
            )
        settings += table.until.until.extra()
    return tuple(sorted(settings))


MAX_OPENINGS: Final = 20_000
"""Openings that a plan takes of a book; of a longer one those at even distances, or the first ones."""
POSITIONS: Final = (".epd", ".fen")
"""Endings of books with a position on each line."""
GAME_FORMS: Final = {".pgn": "in PGN", ".bin": "of polyglot"}
"""Endings of books that their game reads as a whole; ``opening-plies`` cuts their lines."""
_MAX_LINE: Final = 1 << 20

OpeningOrder = Literal["random", "sequential"]
Place = tuple[str, Callable[[], tuple[str, ...]]]
"""Where an opening is, as errors name it, and a reader of its actions."""


def read_book(
    path: Path,
    game: AnyGame,
    seats: int,
    options: dict[str, str],
    plies: int = 0,
    *,
    start: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Book:
    """Read an opening book and try every opening. Raises TournamentError, naming the line or the game.

    Each line holds a game's first actions, separated by blanks; ``#`` begins a comment, and blank lines are
    skipped. Of ``.epd`` and ``.fen`` each line is a position; of ``.pgn`` each game is an opening, or with
    ``plies`` its first moves; of ``.bin`` each line to where the book or ``plies`` end. Books are for games
    without hidden actions; with chance each opening sets a position up. Openings that cannot be played are
    left out, with a sentence to ``say``, unless no other is there. The book begins with the opening ``start``
    (from 1), if one is given, and goes on with its first one at the end; of ``MAX_OPENINGS`` at most.
    """
    if game.has_hidden_actions:
        raise TournamentError(
            f"{path}: an opening book does not go with {game.name}, a game with hidden actions"
        )
    book: list[tuple[str, ...]] = []
    errors: list[TournamentError] = []
    places = partial(_places, path, game, plies)
    if book_form(path) == ".bin":
        # To walk a graph takes longer than to keep its lines; other books are too large for that.
        lines = tuple(places())
        total = len(lines)
        places = partial(iter, lines)
    else:
        total = sum(1 for _ in places())
    for where, read_actions in _taken(path, places, total, start):
        try:
            actions = _tried(where, read_actions, game, seats, options, plies)
        except TournamentError as error:
            errors.append(error)
        else:
            if actions:
                book.append(actions)
    if not book:
        raise errors[0] if errors else TournamentError(f"{path}: the opening book holds no opening")
    if errors:
        shown = "; ".join(str(error).removeprefix(f"{path}, ") for error in errors[:3])
        more = f"; and {len(errors) - 3:,} more" if len(errors) > 3 else ""
        say(f"{path}: {len(errors):,} of {total:,} openings are left out: {shown}{more}")
    if total > MAX_OPENINGS:
        say(f"{path}: {MAX_OPENINGS:,} of {total:,} openings are taken")
    return tuple(book)


def planned_order(order: OpeningOrder, book: Book) -> Literal["random", "sequential", "shuffled"]:
    """The order that a new plan stores: random openings repeat none before the end of the book."""
    return "shuffled" if book and order == "random" else order


def _taken(
    path: Path, places: Callable[[], Iterator[Place]], total: int, start: int | None
) -> Iterator[Place]:
    """The openings of a book that a plan takes."""
    if start is None:
        most = min(total, MAX_OPENINGS)
        for number, place in enumerate(places()):
            if (number + 1) * most // total > number * most // total:
                yield place
        return
    if start > total:
        raise TournamentError(
            f"{path}: the book has {counted(total, 'opening')}, and opening-start is {start}"
        )
    turned = chain(islice(places(), start - 1, None), islice(places(), start - 1))
    yield from islice(turned, MAX_OPENINGS)


def _tried(
    where: str,
    read_actions: Callable[[], tuple[str, ...]],
    game: AnyGame,
    seats: int,
    options: dict[str, str],
    plies: int,
) -> tuple[str, ...]:
    """The actions of an opening, of which the first ``plies`` count. Raises TournamentError."""
    try:
        actions = read_actions()
        if plies:  # a set-up is not one of the plies
            actions = actions[: plies + any(action.startswith("=") for action in actions[:1])]
        if not actions:
            return ()
        state = game.initial(seats, options)
        if state.actor == CHANCE and not actions[0].startswith("="):
            raise TournamentError(
                f"{where}: an opening of {game.name} must set a position up, because chance acts first in it"
            )
        while state.actor == CHANCE:  # any dice: the position that is set up replaces what they gave
            state = state.play(state.legal_actions()[0])
        for action in actions:
            state = state.play(game.read_action(state, action))
    except GameError as error:
        raise TournamentError(f"{where}: {error}") from error
    if state.ranks() is not None:
        raise TournamentError(f"{where}: the game is over after this opening; leave actions to play")
    return actions


def _places(path: Path, game: AnyGame, plies: int) -> Iterator[Place]:
    """Yield all places of a book, which is never held in memory as a whole."""
    form = book_form(path)
    try:
        if not path.is_file() and path.exists():
            # A device has no end, and a pipe can be read once only.
            raise TournamentError(f"the opening book {path} cannot be read: it is not a file", file=path)
        with path.open("rb") as file:
            blocks = unpacked(file, str(path))
            if form in GAME_FORMS:
                if not writes_games(game.name):
                    names = " and ".join(sorted(offered("game_files"))) or "no game that is installed"
                    raise TournamentError(
                        f"{path}: a book {GAME_FORMS[form]} goes with {names} only, not with {game.name}"
                    )
                for where, read_actions in game.read_openings(form, blocks, plies):
                    yield f"{path}, {where}", read_actions
                return
            lines = file_of(utf8_of(blocks))
            for number, data in enumerate(iter(partial(lines.readline, _MAX_LINE), b""), 1):
                # In EPD # may be a mate.
                text = (data if form in POSITIONS else data.partition(b"#")[0]).strip(BLANKS)
                if text and not text.startswith(b"#"):
                    yield f"{path}, line {number}", partial(_line_actions, form, text, game)
    except (OSError, DamagedError, GameError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        if isinstance(error, DamagedError):
            why = f"its {error.form} data are damaged: {error}"
        raise TournamentError(f"the opening book {path} cannot be read: {why}", file=path) from error


def book_form(path: Path) -> str:
    """The ending of a book's name in small letters, without that of a compressed file."""
    plain = path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path
    return plain.suffix.lower()


def _line_actions(form: str, data: bytes, game: AnyGame) -> tuple[str, ...]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return game.read_line(text, position=form in POSITIONS)


_KEY: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_CLOCK: Final = re.compile(r"(?:(\d{1,7})/)?(\d+(?:\.\d{1,3})?)(?:\+(\d+(?:\.\d{1,3})?))?", re.ASCII)


class Terms(Struct, frozen=True, rename="kebab"):
    """How bots of a question play: the keys of a tournament file that say so."""

    limits: FileLimits = FileLimits()
    opening_book: FilePath | None = None
    opening_order: Literal["random", "sequential"] = "random"
    opening_plies: Annotated[int, Meta(ge=0, le=MAX_OPENING_PLIES)] | None = None


def read_terms(path: Path | None, limits: Mapping[str, object]) -> tuple[Terms, Limits]:
    """The terms of a tournament file, with other ``limits`` in place of its own, and the plan's limits.

    Raises TournamentError for the file, and UsageError for a value.
    """
    tables = {} if path is None else load_tables(path)
    data = {key: tables[key] for key in Terms.__struct_encode_fields__ if key in tables}
    if path is not None and not data:
        raise TournamentError(f"{path}: there is no table [limits], and no opening-book", file=path)
    written = data.get("limits", {})
    if isinstance(written, dict):
        # The clock of a command line is a whole time control, and the file's does not repeat it.
        is_control = "clock-ms" in limits and "increment-ms" in limits
        left_out = {"clock-moves"} if is_control else set()
        data["limits"] = {key: written[key] for key in written if key not in left_out} | dict(limits)
    try:
        terms = read(data, Terms, toml=True)
        return terms, terms.limits.planned(data)
    except SchemaError as error:
        raise UsageError(error.in_toml("the command line" if path is None else str(path))) from error


def clock_limits(text: str) -> dict[str, object]:
    """The limits of a clock written as ``8+0.08``: seconds, and seconds added by each action.

    ``40/60`` is a repeating control: the seconds again after each 40 actions of a seat. Raises UsageError.
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--clock {text!r} is not of the form SECONDS, SECONDS+INCREMENT or ACTIONS/SECONDS, as 8+0.08 or"
            " 40/60"
        )
    clock, increment = (round(1000 * float(part or 0)) for part in match.groups()[1:])
    limits: dict[str, object] = {"clock-ms": clock, "increment-ms": increment}
    return limits if match[1] is None else {**limits, "clock-moves": int(match[1])}


def toml_values(option: str, words: Iterable[str]) -> dict[str, object]:
    """The keys of ``KEY=VALUE`` words, with values as in TOML. Raises UsageError."""
    values: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not _KEY.fullmatch(key):
            raise UsageError(f"{option} {word!r} does not have the form KEY=VALUE")
        values[key] = toml_value(value)[1]
    return values


def toml_value(text: str) -> tuple[str, object]:
    """A value as TOML writes it, and the value: that of the text or, if it is not TOML, the text itself."""
    try:
        return text, parse_toml(f"x = {text}")["x"]
    except (ValueError, KeyError):
        return json.dumps(text, ensure_ascii=False), text


def _toml_key(key: str) -> str:
    return key if _KEY.fullmatch(key) and "." not in key else json.dumps(key, ensure_ascii=False)


def _is_bot_alone(line: EntrantLine) -> bool:
    return line.bot is not None and line == EntrantLine(line.bot)


def _entrant_table(line: EntrantLine) -> str:
    """An entrant's table in a tournament file."""
    written = [f"{key} = {_toml_text(value)}" for key, value in to_builtins(line).items() if value]
    return "\n[[entrant]]\n" + "".join(f"{text}\n" for text in written)


def _toml_text(value: object) -> str:
    """A value of an entrant's table in TOML: JSON's strings, numbers and arrays are TOML's."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml_text(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def file_text(
    game: str,
    entrants: Sequence[EntrantLine],
    format_: str,
    name: str | None,
    words: Sequence[str],
    options: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Path, str]:
    """The tournament file for a command line, with further keys as ``KEY=VALUE``: its path and its text.

    Entrants that are a bot alone stand in ``bots``, others have a table; ``options`` are the game's. Without
    a name it is made of the game, the format and everything else. Raises UsageError.
    """
    toml_values("--set", words)
    alone = [line.bot for line in entrants if _is_bot_alone(line)]
    tables = [line for line in entrants if not _is_bot_alone(line)]
    keys = {"game": json.dumps(game), "format": json.dumps(format_)}
    keys |= {"bots": json.dumps(alone)} if alone else {}
    keys |= {f"options.{_toml_key(option)}": json.dumps(value) for option, value in options.items()}
    keys |= {word.partition("=")[0]: toml_value(word.partition("=")[2])[0] for word in words}
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    lines += "".join(map(_entrant_table, tables))
    digits = hashlib.sha256(lines.encode("utf-8", "replace")).hexdigest()[:8]
    name = name or f"{re.sub(r'[^a-z0-9._-]+', '-', game.lower()).strip('-.')[:32]}-{format_}-{digits}"
    return Path(f"{name}.toml"), f"name = {json.dumps(name)}\n{lines}"
