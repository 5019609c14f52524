"""Read results from CSV and JSON lines: two players with a result, or any number with a rank each."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tourney.errors import InputError
from tourney.match.record import FAULT_KINDS
from tourney.outcomes.game import RANKS, UNFINISHED, Game, check_players, date_of, ending_of
from tourney.outcomes.problems import Problems
from tourney.parsing import parse_json

MAX_LINE: Final = 1 << 20
"""Bytes of a line; longer ones are skipped."""
MAX_SEATS: Final = 16
MAX_TIED: Final = 4
"""Players up to which any rank may be shared: the likelihood of a tie adds up all of its orders."""

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

_FAULT: Final = "\0fault"
"""The key of a record's first fault, which no file can have."""

Fields = Mapping[str, Any]


class _BadError(Exception):
    """A line that gives no game: the kind of problem, and what is wrong."""

    def __init__(self, kind: str, why: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.why = why


def lines_of(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without empty ones.

    One that is longer than ``MAX_LINE`` is a problem; one that is not UTF-8 is read as Latin-1.
    """
    number, rest, skipping = 1, b"", False
    for block in blocks:
        *whole, tail = block.split(b"\n")
        for part in whole:
            line, rest = rest + part, b""
            yield from _line(line, number, label, problems, skipping=skipping)
            skipping = False
            number += 1
        rest += tail
        if len(rest) > MAX_LINE:
            if not skipping:
                problems.read += 1
                problems.add("long", label, number)
            rest, skipping = b"", True
    yield from _line(rest, number, label, problems, skipping=skipping)


def _line(
    data: bytes, number: int, label: str, problems: Problems, *, skipping: bool
) -> Iterator[tuple[int, str]]:
    if number == 1:
        data = data.removeprefix(b"\xef\xbb\xbf")
    data = data.removesuffix(b"\r")
    if skipping or not data.strip():
        return
    if len(data) > MAX_LINE or b"\0" in data:
        problems.read += 1
        problems.add("nul" if b"\0" in data else "long", label, number)
        return
    try:
        yield number, data.decode("utf-8")
    except UnicodeDecodeError:
        problems.add("latin", label, number)
        yield number, data.decode("latin-1")


def read_csv(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, Game]]:
    """Yield the games of CSV with a header, separated by commas, semicolons or tabs.

    Raises InputError for a header without the columns that a result needs.
    """
    lines = lines_of(blocks, label, problems)
    number, head = next(lines, (1, ""))
    for delimiter in ",;\t":
        columns = [_key(cell) for cell in _cells(head, delimiter) or ()]
        if _complete(columns):
            break
    else:
        shown = head[:60].encode("unicode_escape").decode("ascii")
        raise InputError(
            f"{label} line {number}: {shown!r} is no header of a table of results: it needs the columns"
            f" {_ACCEPTED}"
        )
    seats = [name for name in columns if name.startswith("player") and name[6:].isdigit()]

    def fields(text: str) -> Fields:
        cells = _cells(text, delimiter)
        if cells is None or len(cells) != len(columns):
            raise _BadError("line", "other columns than the header has" if cells else "a quote is not closed")
        found: dict[str, Any] = dict(zip(columns, cells, strict=True))
        if "rank1" in found:
            used = [name for name in seats if found[name].strip()]
            found["players"] = [found[name] for name in used]
            found["ranks"] = [found.get(f"rank{name[6:]}", "") for name in used]
        for key in ("players", "ranks"):
            if isinstance(found.get(key), str):
                found[key] = found[key].split()
        return found

    yield from _games(lines, label, problems, fields)


def read_json_lines(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, Game]]:
    """Yield the games of JSON lines: objects with the keys of ``NAMES``, or records of Tourney."""

    def fields(text: str) -> Fields:
        try:
            value = parse_json(text)
        except ValueError as error:
            raise _BadError("line", str(error)[:80]) from None
        if not isinstance(value, dict):
            raise _BadError("line", "no object")
        if str(value.get("format", "")).startswith("tourney-"):
            return _record(value)
        return {_key(key): field for key, field in value.items()}

    yield from _games(lines_of(blocks, label, problems), label, problems, fields)


def _record(value: dict[str, Any]) -> Fields:
    """Return what matters of a record of Tourney, whose digest is not checked here."""
    try:
        outcome = value["outcome"]
        faults = outcome["faults"]
        players = [seat["entrant"] for seat in value["seats"]]
        void = len(faults) == len(players) and all(fault[1] == "startup" for fault in faults)
        first = (str(faults[0][1]), int(faults[0][0]) - 1) if faults else None
        return {
            "players": players,
            "ranks": outcome["ranks"],
            "pair": value["seed"],
            "reason": outcome["reason"],
            "void": void,
            _FAULT: first,
        }
    except (LookupError, TypeError, ValueError):
        raise _BadError("line", "no record of Tourney: use `tourney import` for whole tournaments") from None


def _games(
    lines: Iterable[tuple[int, str]], label: str, problems: Problems, fields: Callable[[str], Fields]
) -> Iterator[tuple[int, Game]]:
    for number, text in lines:
        problems.read += 1
        try:
            game = _game(fields(text))
        except _BadError as error:
            problems.add(error.kind, label, number, error.why)
        else:
            yield number, game


def _game(fields: Fields) -> Game:
    if _text(fields.get("void", "")).lower() in ("true", "1", "yes"):
        raise _BadError("void")
    players = _players(fields)
    ranks = _ranks(fields, len(players))
    if why := check_players(players):
        raise _BadError(why)
    if any("\0" in name for name in players):
        raise _BadError("nul")
    pair = _text(fields.get("pair", ""))
    if not pair and all(name in fields for name in _GROUP):
        pair = ".".join(_text(fields[name]) for name in _GROUP)
    reason, fault, faulty = ending_of(_text(fields.get("reason", "")), ranks)
    if known := fields.get(_FAULT):
        fault, faulty = known
        if fault not in FAULT_KINDS or faulty not in range(len(players)):
            raise _BadError("line", "a fault that there is not")
    return Game(
        players,
        ranks,
        pair,
        False,
        _text(fields.get("time_control", "")),
        date_of(_text(fields.get("date", ""))),
        reason,
        fault,
        faulty,
    )


def _players(fields: Fields) -> tuple[str, ...]:
    names = fields.get("players") or [fields.get("white", ""), fields.get("black", "")]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _BadError("player", "names are texts")
    # Surrogates, which JSON can spell, have no place in a database or a page.
    found = tuple(name.encode("utf-8", "replace").decode().strip() for name in names)
    if not 2 <= len(found) <= MAX_SEATS:
        raise _BadError("player", f"{len(found)} players")
    return found


def _ranks(fields: Fields, seats: int) -> tuple[int, ...]:
    given = fields.get("ranks")
    if given:
        try:
            ranks = tuple(int(rank) for rank in given if not isinstance(rank, (float, bool)))
        except (TypeError, ValueError):
            raise _BadError("ranks") from None
        # Other numberings, such as 1 1 2 or 0 1, become 1 + the number of players strictly better.
        if len(ranks) != seats:
            raise _BadError("ranks")
        if seats > MAX_TIED and any(ranks.count(rank) > 1 for rank in ranks if rank < max(ranks)):
            raise _BadError("ranks", f"with more than {MAX_TIED} players only the last rank may be shared")
        return tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
    result = _text(fields.get("result", ""))
    if result == UNFINISHED:
        raise _BadError("unfinished")
    if not result:
        raise _BadError("no-result")
    if seats != 2 or result not in RANKS:
        raise _BadError("bad-result", result[:20])
    return RANKS[result]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, (str, int, float)) else ""


def _key(name: str) -> str:
    """Return the name of a column or key as this module uses it."""
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    if found := _NUMBERED.fullmatch(plain):
        return f"{'rank' if found[1] == 'rank' else 'player'}{found[2]}"
    for key, names in NAMES.items():
        if plain in names:
            return key
    return plain


def _complete(columns: Sequence[str]) -> bool:
    """Return whether a header has what a result needs, each column once."""
    if len(set(columns)) < len(columns):
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
    """Return the cells of one line, or None for a quote that is not closed."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        return None
