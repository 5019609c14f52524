"""Read results from CSV and JSON lines: two players with a result, or any number with a rank each."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Final, TypeVar

from tourney.errors import InputError, RecordError
from tourney.exchange.foreign_game import (
    UNFINISHED,
    ForeignGame,
    Problems,
    UnratedError,
    check_players,
    date_of,
    ending_of,
    ranks_of,
)
from tourney.match.evidence import Evidence
from tourney.match.record import read_record
from tourney.parsing import BLANKS, file_of, parse_json

MAX_LINE: Final = 1 << 20
"""Bytes of a line; longer ones are skipped."""
MAX_SEATS: Final = 16
MAX_ARRAY: Final = 64 << 20
"""Bytes of a JSON array, which is read as a whole."""

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "white": ("white", "first"),
    "black": ("black", "second"),
    "result": ("result", "score"),
    "players": ("players", "entrants"),
    "ranks": ("ranks",),
    "pair": ("pair", "opening"),
    "time_control": ("time_control", "timecontrol", "tc"),
    "date": ("date", "utcdate"),
    "reason": ("termination", "reason"),
    "void": ("void",),
}
"""The names that a column or key may have, in small letters, ``-`` and blanks written ``_``."""
_NUMBERED: Final = re.compile(r"(player|entrant|rank)_?([1-9][0-9]?)", re.ASCII)
_GROUP: Final = ("round", "table", "repeat")
"""Columns of a table of matches by Tourney which together name a mirrored group."""
_ACCEPTED: Final = (
    "white, black and result; or players and ranks; or player1, player2 ... and rank1, rank2 ..."
)

T = TypeVar("T")
Fields = Mapping[str, object]
"""A line's values by the keys of ``NAMES``."""


def lines_of(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without empty ones.

    One that is longer than ``MAX_LINE`` is a problem; one that is not UTF-8 is read as Latin-1.
    """
    file = file_of(blocks)
    for number in count(1):
        line = file.readline(MAX_LINE + 1)
        if not line:
            return
        bad = "nul" if b"\0" in line else ""
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            bad = "long"
            # The rest of the line is read in parts too, so that it never takes more memory than one.
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
        if bad:
            problems.read += 1
            problems.add(bad, label, number)
        elif line.strip(BLANKS):
            line = line.rstrip(b"\r\n\x1a")
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError:
                problems.add("latin", label, number)
                text = line.decode("latin-1")
            yield number, text


def read_csv(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, ForeignGame]]:
    """Yield the games of CSV with a header, separated by commas, semicolons or tabs.

    Raises InputError for a header without the columns that a result needs.
    """
    lines = lines_of(blocks, label, problems)
    number, head = next(lines, (1, ""))
    if head.lower().startswith("sep="):  # for Excel
        number, head = next(lines, (1, ""))
    # The header decides: the first separator that makes its columns those of a result.
    for delimiter in ",;\t":
        columns = [_key(cell) for cell in _filled(_cells(head, delimiter) or [])]
        if _complete(columns):
            break
    else:
        shown = head[:60].encode("unicode_escape").decode("ascii")
        raise InputError(
            f"{label} line {number} was read as CSV, but {shown!r} is not a header of a table of results: it"
            f' needs the columns {_ACCEPTED}; PGN begins with a tag, as [Event "..."], JSON lines with {{'
        )
    seats = [name for name in columns if name.startswith("player") and name[6:].isdigit()]
    # Spreadsheets write the empty rows and columns that they show as well.
    filled = ((place, text) for place, text in lines if text.strip(f'{delimiter}" '))

    def game(text: str) -> ForeignGame:
        cells = _cells(text, delimiter)
        if cells is not None:
            cells = [*cells[: len(columns)], *_filled(cells[len(columns) :])]
        if cells is None or len(cells) != len(columns):
            raise UnratedError(
                "line", "other columns than the header has" if cells else "a quote is not closed"
            )
        values = dict(zip(columns, cells, strict=True))
        lists = ("players", "ranks")
        found: dict[str, object] = {k: cell.split() if k in lists else cell for k, cell in values.items()}
        if "rank1" in values:
            used = [name for name in seats if values[name].strip()]
            found["players"] = [values[name] for name in used]
            found["ranks"] = [values.get(f"rank{name[6:]}", "") for name in used]
        return _game(found)

    yield from _games(filled, label, problems, game)


def read_json_lines(
    blocks: Iterable[bytes], label: str, problems: Problems
) -> Iterator[tuple[int, ForeignGame]]:
    """Yield the games of JSON lines or of one array: objects with the keys of ``NAMES``, or records.

    Raises InputError for an array of more than ``MAX_ARRAY`` bytes, or one that is not JSON.
    """

    def game(text: str) -> ForeignGame:
        try:
            return game_of(parse_json(text))
        except ValueError as error:
            raise UnratedError("line", f"not JSON: {error}"[:80]) from None

    def game_of(value: object) -> ForeignGame:
        if not isinstance(value, dict):
            raise UnratedError("line", "not an object")
        if str(value.get("format", "")).startswith("tourney-"):
            return _recorded(value)
        return _game({_key(key): field for key, field in value.items()})

    file = file_of(blocks)
    if file.peek(1).lstrip()[:1] == b"[":
        yield from _games(enumerate(_items(file, label), 1), label, problems, game_of, "item")
    else:
        yield from _games(
            lines_of(iter(partial(file.read1, MAX_LINE), b""), label, problems), label, problems, game
        )


def _items(file: io.BufferedReader, label: str) -> list[object]:
    data = file.read(MAX_ARRAY + 1)
    if len(data) > MAX_ARRAY:
        raise InputError(
            f"{label} is a JSON array of more than {MAX_ARRAY >> 20} MiB: write one object a line, as"
            " `jq -c '.[]'` does"
        )
    try:
        items = parse_json(data.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"{label} was read as a JSON array, because it begins with [: {error}") from None
    assert isinstance(items, list)  # noqa: S101 - for the type checker: it begins with a bracket
    return items


def _recorded(value: object) -> ForeignGame:
    """The game of a record of Tourney, whose digest is not checked here."""
    try:
        record = read_record(value)
    except RecordError:
        raise UnratedError(
            "line", "not a record of Tourney: use `tourney import` for whole tournaments"
        ) from None
    outcome = record.outcome
    if outcome.void:
        raise UnratedError("void")
    return _game(
        {
            "players": [seat.name for seat in record.seats],
            "ranks": list(outcome.ranks),
            "pair": str(record.seed),
            "reason": outcome.reason,
        }
    )._replace(faults=outcome.seat_faults, play=int(Evidence.without_luck(record).play or "0", 16))


def _games(
    lines: Iterable[tuple[int, T]],
    label: str,
    problems: Problems,
    parse: Callable[[T], ForeignGame],
    noun: str = "",
) -> Iterator[tuple[int, ForeignGame]]:
    """Yield games by the number of their line or, with a ``noun``, of their item."""
    for number, text in lines:
        problems.read += 1
        try:
            game = parse(text)
        except UnratedError as error:
            where = (f"{label} {noun} {number}", 0) if noun else (label, number)
            problems.add(error.kind, *where, error.why)
        else:
            yield number, game


def _game(fields: Fields) -> ForeignGame:
    if _text(fields.get("void", "")).lower() in ("true", "1", "yes"):
        raise UnratedError("void")
    players = _players(fields)
    ranks = _ranks(fields, len(players))
    check_players(players)
    if any("\0" in name for name in players):
        raise UnratedError("nul")
    pair = _text(fields.get("pair", ""))
    if not pair and all(name in fields for name in _GROUP):
        pair = ".".join(_text(fields[name]) for name in _GROUP)
    reason, faults = ending_of(_text(fields.get("reason", "")), ranks)
    return ForeignGame(
        players,
        ranks,
        pair,
        False,
        _text(fields.get("time_control", "")),
        date_of(_text(fields.get("date", ""))),
        reason,
        faults,
    )


def _players(fields: Fields) -> tuple[str, ...]:
    names = fields.get("players") or [fields.get("white", ""), fields.get("black", "")]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UnratedError("player", "names are texts")
    # Surrogates, which JSON can spell, have no place in a database or a page.
    players = tuple(name.encode("utf-8", "replace").decode().strip() for name in names)
    if not 2 <= len(players) <= MAX_SEATS:
        raise UnratedError("player", f"{len(players)} players")
    return players


def _ranks(fields: Fields, seats: int) -> tuple[int, ...]:
    column = fields.get("ranks")
    if column:
        if not isinstance(column, list) or any(isinstance(rank, bool) for rank in column):
            raise UnratedError("ranks")
        try:
            # A shared rank may be the mean of places, and a spreadsheet may write it with a comma.
            ranks = tuple(float(rank.replace(",", ".") if isinstance(rank, str) else rank) for rank in column)
        except (TypeError, ValueError, OverflowError):
            raise UnratedError("ranks") from None
        # Other numberings, such as 1 1 2 or 0 1, become 1 + the number of players strictly better.
        if len(ranks) != seats or not all(map(math.isfinite, ranks)):
            raise UnratedError("ranks")
        return tuple(1 + sum(rival < rank for rival in ranks) for rank in ranks)
    result = _text(fields.get("result", ""))
    if result == UNFINISHED:
        raise UnratedError("unfinished")
    if not result:
        raise UnratedError("no-result")
    scored = ranks_of(result)
    if seats != 2 or scored is None:
        raise UnratedError("bad-result", result[:20])
    return scored


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, (str, int, float)) else ""


def _key(name: str) -> str:
    """The name of a column or key as this module uses it."""
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    if numbered := _NUMBERED.fullmatch(plain):
        return f"{'rank' if numbered[1] == 'rank' else 'player'}{numbered[2]}"
    for key, names in NAMES.items():
        if plain in names:
            return key
    return plain


def _complete(columns: Sequence[str]) -> bool:
    """Whether a header has what a result needs, each column once."""
    named = [name for name in columns if name]
    if len(set(named)) < len(named):
        return False
    return any(
        needed <= set(columns)
        for needed in (
            {"white", "black", "result"},
            {"players", "ranks"},
            {"player1", "player2", "rank1", "rank2"},
        )
    )


def _cells(line: str, delimiter: str) -> list[str] | None:
    """The cells of one line, or None for a quote that is not closed."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        return None


def _filled(cells: Sequence[str]) -> list[str]:
    """Cells without the empty ones at the end."""
    last = max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return list(cells[:last])
