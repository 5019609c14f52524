"""Read results from CSV and JSON lines: two players with a result, or any number with a rank each."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count, islice, zip_longest
from typing import Final, NamedTuple, TypeVar
from zlib import crc32

from tourney.errors import InputError, RecordError
from tourney.exchange.foreign_game import (
    BYES,
    DRAW_WORDS,
    UNFINISHED,
    ForeignGame,
    Problems,
    UnratedError,
    check_players,
    date_of,
    ending_of,
    is_forfeit,
    ranks_of,
)
from tourney.exchange.nested import by_rows, flattened, name_of
from tourney.exchange.pgn_headers import with_line_feeds
from tourney.exchange.table_header import ACCEPTED, columns_of, is_complete
from tourney.match.evidence import Evidence
from tourney.match.record import read_record
from tourney.parsing import BLANKS, file_of, parse_json

MAX_LINE: Final = 1 << 20
"""Bytes of a line; longer ones are skipped."""
MAX_SEATS: Final = 16
MAX_ARRAY: Final = 64 << 20
"""Bytes of a JSON array, which is read as a whole."""

HEAD_LINES: Final = 20
"""Lines in which the header of CSV stands: programs write a title and a date before it."""
_DELIMITERS: Final = ",;\t|"
RESULT_SEATS: Final = ("white", "black")
"""The players of a game that has a result in one text."""
_SEATLESS: Final = (("winner", "loser"), ("player", "opponent"))
"""Columns that name two players, but not who moved first."""
_LETTERS: Final = "abcd"
_LAST_COMMA: Final = re.compile(rb",\s*\]\s*\Z")
_THOUSANDS: Final = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+", re.ASCII)
"""Numbers in which a comma has two meanings."""
_GROUP: Final = ("round", "table", "repeat")
"""Columns of a table of matches by Tourney which together name a mirrored group."""
_PLAYER_WORDS: Final = {
    **dict.fromkeys(("w", "win", "won"), (1, 2)),
    **dict.fromkeys(("d", "draw", "drawn"), (1, 1)),
    **dict.fromkeys(("l", "loss", "lost"), (2, 1)),
}
"""Results of a player against an opponent."""

_GOALS: Final = re.compile(r"[0-9]+ ?[-:] ?[0-9]+", re.ASCII)
_DAY: Final = re.compile(r"(?i:[0-9]{1,2}[-. /]+[a-z\xe4]{3,4}\.?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)")
"""What spreadsheets make of 1/2."""
_UNIT: Final = re.compile(r"(?<=[0-9])(?:st|nd|rd|th| ?%)\Z", re.ASCII)
_WINS: Final = re.compile(r"(?<=.)[ _]*(?:wins?|won)\Z", re.IGNORECASE)
_NO_NAMES: Final = frozenset({"nan", "NaN", "<NA>"})
"""What programs write for a name that is missing."""

T = TypeVar("T")
Fields = Mapping[str, object]
"""A line's values by the keys of ``table_header``."""


def lines_of(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without empty ones.

    One that is longer than ``MAX_LINE`` is a problem; one that is not UTF-8 is read as Latin-1.
    """
    file = file_of(with_line_feeds(blocks))
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
    head = list(islice(lines, HEAD_LINES))
    header = header_of([text for _, text in head])
    if header is None:
        number, text = head[0] if head else (1, "")
        shown = text[:60].encode("unicode_escape").decode("ascii")
        raise InputError(
            f"{label} line {number} was read as CSV, but {shown!r} is not a header of a table of results: it"
            f" needs the columns {ACCEPTED}; a table without a header"
            ' needs one; PGN begins with a tag, as [Event "..."], JSON lines with {'
        )
    for number, text in head[: header.place]:
        # A title; empty cells and the separator that Excel asks for are none.
        if text.strip(f'{header.delimiter}" ') and not text.lower().startswith("sep="):
            problems.add("title", label, number)
    columns, delimiter = header.columns, header.delimiter
    rows = chain(head[header.place + 1 :], lines)
    # Spreadsheets write the empty rows and columns that they show as well, Markdown a row of lines; and
    # tables that were written one behind the other have the header again.
    blank = f'{delimiter}" ' + (":-" if delimiter == "|" else "")
    filled = ((line, text) for line, text in rows if text.strip(blank) and text != header.text)
    turns = Turns()

    def game(text: str) -> ForeignGame:
        cells = _cells(text, delimiter)
        if cells is not None:
            cells = [*cells[: len(columns)], *_filled(cells[len(columns) :])]
        if cells is None or len(cells) != len(columns):
            raise UnratedError(
                "line", "other columns than the header has" if cells else "a quote is not closed"
            )
        lists = ("players", "ranks", "scores")
        fields: dict[str, object] = {
            key: cell.split() if key in lists else cell.strip()
            for key, cell in zip(columns, cells, strict=True)
            if key
        }
        return _game(fields, turns)

    yield from _games(filled, label, problems, game)


class Header(NamedTuple):
    """The header of a table of results: its place among the lines, separator, columns, and the line."""

    place: int
    delimiter: str
    columns: tuple[str, ...]
    text: str


def header_of(lines: Sequence[str]) -> Header | None:
    """The first line that is a header: the first separator that makes its columns those of a result."""
    for place, line in enumerate(lines[:HEAD_LINES]):
        for delimiter in _DELIMITERS:
            columns = columns_of(tuple(_filled(_cells(line, delimiter) or [])))
            if is_complete(columns):
                return Header(place, delimiter, columns, line)
    return None


def read_json_lines(
    blocks: Iterable[bytes], label: str, problems: Problems
) -> Iterator[tuple[int, ForeignGame]]:
    """Yield the games of JSON lines or of one array: objects with the keys of ``NAMES``, or records.

    Raises InputError for an array of more than ``MAX_ARRAY`` bytes, or one that is not JSON.
    """

    def game(text: str) -> ForeignGame:
        try:
            # Lines that were cut out of an array end in a comma.
            return game_of(parse_json(text.rstrip(", \t"), unique=True))
        except ValueError as error:
            raise UnratedError("line", f"not JSON: {error}"[:80]) from None

    def game_of(value: object) -> ForeignGame:
        if not isinstance(value, dict):
            raise UnratedError("line", "not an object")
        if str(value.get("format", "")).startswith("tourney-"):
            return _recorded(value)
        flat = flattened(value)
        return _game(dict(zip(columns_of(tuple(flat)), flat.values(), strict=True)), turns)

    turns = Turns()
    file = file_of(blocks)
    if file.peek(1).lstrip()[:1] == b"[":
        yield from _games(enumerate(_items(file, label), 1), label, problems, game_of, "item")
        return
    first = file.readline(MAX_LINE + 1)
    if first.startswith(b"{") and not _is_object_of_line(first):
        data = first + file.read(MAX_ARRAY)
        if objects := _objects_in(data):
            yield from _games(enumerate(objects, 1), label, problems, game_of, "item")
            return
        first = data
    lines = lines_of(chain([first], iter(partial(file.read1, MAX_LINE), b"")), label, problems)
    yield from _games(lines, label, problems, game)


def _is_object_of_line(line: bytes) -> bool:
    """Whether a line is an object of JSON lines: a result or a record."""
    try:
        value = parse_json(line.decode("utf-8"))
    except ValueError:
        return False
    if not isinstance(value, dict):
        return False
    is_result = is_complete(columns_of(tuple(flattened(value)))) and not by_rows(value)
    return is_result or str(value.get("format", "")).startswith("tourney-")


def _objects_in(data: bytes) -> list[object]:
    """The results in a text that is one object: itself, its only list of results, or its columns."""
    try:
        value = parse_json(data.decode("utf-8"))
    except ValueError:
        return []
    if not isinstance(value, dict) or str(value.get("format", "")).startswith("tourney-"):
        return []
    if rows := by_rows(value):
        return rows
    if is_complete(columns_of(tuple(flattened(value)))):
        return [value]
    lists = [part for part in value.values() if isinstance(part, list) and part and isinstance(part[0], dict)]
    results = [part for part in lists if is_complete(columns_of(tuple(flattened(part[0]))))]
    return results[0] if len(results) == 1 else []


def _items(file: io.BufferedReader, label: str) -> list[object]:
    data = file.read(MAX_ARRAY + 1)
    if len(data) > MAX_ARRAY:
        raise InputError(
            f"{label} is a JSON array of more than {MAX_ARRAY >> 20} MiB: write one object a line, as"
            " `jq -c '.[]'` does"
        )
    try:
        # A comma before the last bracket has no other meaning.
        items = parse_json(_LAST_COMMA.sub(b"]", data), unique=True)
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
        },
        Turns(),
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


def _game(fields: Fields, turns: "Turns") -> ForeignGame:
    """The game of a line; ``turns`` give seats where nothing says who moved first."""
    if _is_true(fields.get("void")):
        raise UnratedError("void")
    seats = _seats(fields)
    players = _players([fields.get(key, "") for key in seats] if seats else fields.get("players"))
    if any(name.lower() in BYES for name in players):
        raise UnratedError("void", "a bye")
    ranks = _ranks(fields, seats, players)
    check_players(players)
    if any("\0" in name for name in players):
        raise UnratedError("nul")
    if seats in _SEATLESS and turns.swap(players):
        players, ranks = players[::-1], ranks[::-1]
    pair = _text(fields.get("pair", ""))
    if not pair and all(name in fields for name in _GROUP):
        pair = ".".join(_text(fields[name]) for name in _GROUP)
    result = _text(fields.get("result", ""))
    ending = _text(fields.get("reason", "")) or ("forfeit" if is_forfeit(result) else "")
    reason, faults = ending_of(ending, ranks)
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


class Turns:
    """Seats of the games of a table that does not say who moved first.

    If the winner were always first, its strength would be taken for the advantage of the first seat. So each
    of two players that a table names in one order has both seats by turns, beginning with one by chance.
    """

    def __init__(self) -> None:
        # By a hash, in bounded memory: pairs that share one take turns together.
        self._turns = bytearray(1 << 16)

    def swap(self, players: tuple[str, ...]) -> bool:
        """Whether the player that is named first has the second seat in the next game."""
        pair = crc32("\0".join(players).encode())
        place = pair & 0xFFFF
        self._turns[place] ^= 1
        return (pair + self._turns[place]) % 2 == 1


def _seats(fields: Fields) -> tuple[str, ...]:
    """The keys of the players in seat order, () for one key with a list of them."""
    numbered = sorted((int(key[6:]), key) for key in fields if key[:6] == "player" and key[6:].isdigit())
    # Tables of games with fewer players than columns leave the last cells empty.
    used = tuple(key for _, key in numbered if fields[key] not in ("", None))
    if len(used) > 1:
        return used
    if fields.get("players"):
        return ()
    for pair in (("white", "black"), *_SEATLESS):
        if any(key in fields for key in pair):
            return pair
    return used


def _players(names: object) -> tuple[str, ...]:
    names = [name_of(name) for name in names] if isinstance(names, list) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UnratedError("player", "names are texts")
    if missing := next((name for name in names if name in _NO_NAMES), ""):
        raise UnratedError("player", f"{missing} stands for no name")
    # Surrogates, which JSON can spell, have no place in a database or a page.
    players = tuple(name.encode("utf-8", "replace").decode().strip() for name in names)
    if not 2 <= len(players) <= MAX_SEATS:
        raise UnratedError("player", f"{len(players)} players")
    return players


def _ranks(fields: Fields, seats: Sequence[str], players: Sequence[str]) -> tuple[int, ...]:
    """The ranks of the players of ``seats``; of several columns with results the first in this order."""
    for word, sign in (("rank", 1), ("score", -1)):
        values = fields.get(f"{word}s")
        if not values and word == "rank":
            values = [fields[key] for key in _of_seats(word, seats) if key in fields]
        if values:
            return _compared(values, len(players), sign)
    if seats == ("winner", "loser"):
        drawn = _is_true(fields.get("draw")) or _text(fields.get("result")).lower() in DRAW_WORDS
        return (1, 1) if drawn else (1, 2)
    result = _text(fields.get("result"))
    if result == UNFINISHED:
        raise UnratedError("unfinished")
    if result:
        ranks = _PLAYER_WORDS.get(result.lower()) if seats == ("player", "opponent") else None
        ranks = ranks or ranks_of(result)
        if len(players) != len(RESULT_SEATS):
            raise UnratedError("bad-result", result[:20])
        if not ranks and _GOALS.fullmatch(result):
            raise UnratedError("bad-result", f"{result[:20]}, of a game or of several? use score1 and score2")
        if not ranks and _DAY.fullmatch(result):
            raise UnratedError("bad-result", f"{result[:20]}, a date that a spreadsheet made of a result")
        return ranks or _ranks_of_winner(result, seats, players)
    if winner := _text(fields.get("winner")):
        return _ranks_of_winner(winner, seats, players)
    scores = [fields[key] for key in _of_seats("score", seats) if _text(fields.get(key))]
    if scores:
        return _compared(scores, len(players), -1)
    raise UnratedError("no-result")


def _of_seats(word: str, seats: Sequence[str]) -> list[str]:
    """The keys of the ranks or scores of seats."""
    return [f"{word}{key[6:] if key[6:].isdigit() else place}" for place, key in enumerate(seats, 1)]


def _compared(values: object, seats: int, sign: int) -> tuple[int, ...]:
    """Ranks by numbers of which the lowest (``sign`` 1) or the highest (-1) is best."""
    if not isinstance(values, list) or any(isinstance(value, bool) for value in values):
        raise UnratedError("ranks")
    if any(isinstance(value, str) and _THOUSANDS.fullmatch(value.strip()) for value in values):
        raise UnratedError("ranks", "1,200 may mean 1200 or 1.2")
    try:
        # A shared rank may be the mean of places, and a spreadsheet may write it with a comma.
        numbers = [
            sign * float(_UNIT.sub("", value.strip()).replace(",", ".") if isinstance(value, str) else value)
            for value in values
        ]
    except (TypeError, ValueError, OverflowError):
        raise UnratedError("ranks") from None
    # Other numberings, such as 1 1 2 or 0 1, become 1 + the number of players strictly better.
    if len(numbers) != seats or not all(map(math.isfinite, numbers)):
        raise UnratedError("ranks")
    return tuple(1 + sum(better < number for better in numbers) for number in numbers)


def _ranks_of_winner(winner: str, seats: Sequence[str], players: Sequence[str]) -> tuple[int, ...]:
    """Ranks by a winner's name or column; refuses a text that means two of the players."""
    if winner.lower().replace(" ", "").replace("_", "") in DRAW_WORDS:
        return (1,) * len(players)
    (key,) = columns_of((_WINS.sub("", winner),))
    key = {"white": seats[0], "black": seats[-1]}.get(key, key) if len(seats) == len(RESULT_SEATS) else key
    letter = _LETTERS.find(winner.lower()) if seats and seats[0].startswith("player") else -1
    # A name as it is written, or a column; else a letter of columns as team_a; else a name in other letters.
    ways = (
        [name == winner or seat == key for name, seat in zip_longest(players, seats)],
        [place == letter for place, _ in enumerate(players)],
        [name.casefold() == winner.casefold() for name in players],
    )
    won = next((way for way in ways if any(way)), [])
    if sum(won) != 1:
        # A number counts columns from 0 or from 1, or says whether the first won.
        advice = ": write a name, or player1 and player2" if winner.isdecimal() else ""
        raise UnratedError("bad-result", winner[:20] + advice)
    return tuple(1 if wins else 2 for wins in won)


def _is_true(value: object) -> bool:
    return _text(value).lower() in ("true", "1", "1.0", "yes")


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, (str, int, float)) else ""


def _cells(line: str, delimiter: str) -> list[str] | None:
    """The cells of one line, or None for a quote that is not closed."""
    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True))
        # Spreadsheets that expect another separator put the whole line into quotes.
        quoted = len(cells) == 1 and delimiter in cells[0]
        return next(csv.reader(cells, delimiter=delimiter, strict=True)) if quoted else cells
    except (csv.Error, StopIteration):
        return None


def _filled(cells: Sequence[str]) -> list[str]:
    """Cells without the empty ones at the end."""
    last = max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return list(cells[:last])
