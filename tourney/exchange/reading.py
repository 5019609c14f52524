"""Read files of results of any form into a tally, through filters.

Files are plain, gzip or Zstandard, as their first bytes say, and are read in bounded memory. A compressed
file may expand a thousandfold: a file of games expands ten to a hundred times, so what expands more is
refused before it takes the machine's time.
"""

import re
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple
from unicodedata import normalize

from tourney.errors import InputError, UsageError
from tourney.exchange.foreign_game import ForeignGame, Problems
from tourney.exchange.nested import by_rows, flattened
from tourney.exchange.pgn_headers import PgnRange, read_pgn
from tourney.exchange.table import MAX_LINE, header_of, read_csv, read_json_lines
from tourney.exchange.table_header import columns_of
from tourney.exchange.tally import Tally, without_rare
from tourney.exchange.trf import LINE as TRF_LINE
from tourney.exchange.trf import read_trf
from tourney.parsing import MAX_READ, DamagedError, is_compressed, parse_json, unpacked, utf8_of
from tourney.spawning import Pool

Reader = Callable[[Iterable[bytes], str, Problems], Iterator[tuple[int, ForeignGame]]]

READERS: Final[dict[str, Reader]] = {
    "pgn": read_pgn,
    "csv": read_csv,
    "jsonl": read_json_lines,
    "trf": read_trf,
}
"""The readers by the name of their form."""
TITLES: Final = {"pgn": "PGN", "csv": "CSV", "jsonl": "JSON", "trf": "TRF"}
"""The forms' names in sentences."""
_WHY: Final = {
    "pgn": " (it begins with [, % or ;)",
    "csv": " (it begins with neither [, % nor ;, nor with { or [{)",
    "jsonl": " (it begins with { or [{)",
    "trf": " (a line begins with 001 and a number)",
}
"""Why a form was guessed, in sentences."""
STEP: Final = 20_000
"""Games between two reports of progress."""
RANGE: Final = 4 * MAX_READ
"""Bytes of a file that a process reads at a time: about 2,000 games."""
LEAST_RANGES: Final = 8
"""From this many ranges on, starting processes pays."""
_AHEAD: Final = 2
"""Ranges in flight for each process."""
MAX_RATIO: Final = 1000
"""Bytes out of each byte of a compressed file, beyond the first ``FREE`` bytes."""
FREE: Final = 64 << 20
_PLAYERS: Final = frozenset(("white", "players", "player1", "winner", "player"))
"""Keys of which an object of a result has one."""
_TAGS_OF_PGN: Final = re.compile(rb'^[ \t]*\[(?:Event|Site|White)[ \t]+"[^\n]*\]', re.MULTILINE)
_REFUSED: Final = {
    b"PK\x03\x04": (
        "a zip archive or a workbook: unpack it, compress the file with gzip or zstd, or save a table as CSV"
    ),
    b"\xd0\xcf\x11\xe0": "a workbook of a spreadsheet: save its table as CSV",
    b"%PDF": "a PDF: save the results as CSV or PGN",
    b"BZh": "compressed with bzip2: unpack it, or compress it with gzip or zstd",
    b"\xfd7zXZ": "compressed with xz: unpack it, or compress it with gzip or zstd",
    b"7z\xbc\xaf": "a 7z archive: unpack it, or compress the file with gzip or zstd",
    b"SQLite format 3": "a database: name it by --db, as in `tourney ratings --db FILE`",
}

_COMMENTS: Final = rb"(?:\{[^{}]*\}\s*)*"
"""The comments of PGN before a move, and what is between them."""
_UNRATED: Final = {
    _COMMENTS + rb"1\s*\.+\s*" + _COMMENTS + rb"\S": (
        'looks like PGN movetext without tags: put [White "..."], [Black "..."] and [Result "..."] on lines'
        " before the moves of each game, or write a table of results"
    ),
    rb"[^\0]\0[^\0]\0|\0[^\0]\0[^\0]": ("looks like UTF-16 without a byte order mark: save it as UTF-8"),
    rb"(?i:<(?:!doctype|html|\?xml|head|body)\b)": (
        "looks like a web page: download the file of results itself"
    ),
}
"""Texts that begin like this are taken for one of ``READERS``' forms, but are of none; and what to do."""


def label_of(path: Path) -> str:
    """The name of a file in messages."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def chunks(path: Path, problems: Problems, label: str = "") -> Iterator[Iterator[bytes]]:
    """Give the content of a file (``-``: standard input) in blocks of at most some MiB.

    ``label`` is the file's name in messages (default: its path). A compressed file that is damaged or ends
    early gives what can be read, and is a problem of the kind ``file``. Raises InputError for a file that
    cannot be read, or cannot be one of results.
    """
    label = label or label_of(path)
    try:
        if str(path) == "-":
            yield utf8_of(_content(sys.stdin.buffer, label, problems))
        else:
            with path.open("rb") as file:
                yield utf8_of(_content(file, label, problems))
    except OSError as error:
        raise InputError(f"{label} cannot be read: {error.strerror or error}") from error


class _Counted:
    """A file whose first bytes were read already, with the number of bytes that were taken."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first = first
        self._file = file
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        data, self._first = self._first[:size], self._first[size:]
        data = data or self._file.read(size)
        self.taken += len(data)
        return data


def _content(file: BinaryIO, label: str, problems: Problems) -> Iterator[bytes]:
    first = file.read(MAX_READ)
    for magic, why in _REFUSED.items():
        if first.startswith(magic):
            raise InputError(f"{label} is {why}")
    source, total = _Counted(first, file), 0
    try:
        for block in unpacked(source, label):
            total += len(block)
            # Checked as it grows: a small file may expand to more than the disk before it ends.
            if total > FREE + MAX_RATIO * source.taken:
                raise InputError(
                    f"{label} expands more than {MAX_RATIO:,} times: it is not a compressed file of games"
                )
            yield block
    except DamagedError as error:
        problems.add("file", label, 0, f"{error.form}: {error}")


@dataclass(frozen=True, slots=True)
class Filter:
    """What games to take; empty values take all.

    ``since`` and ``until`` are days (``YYYY-MM-DD``), both included. ``players``: both or all players are
    among these; ``without``: none is. ``least``: games that a player must have. With ``pairs`` False each
    game counts by itself.
    """

    time_controls: frozenset[str] = frozenset()
    since: str = ""
    until: str = ""
    players: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    least: int = 0
    pairs: bool = True

    def refuses(self, game: ForeignGame) -> str:
        """The option that leaves out a game, or ""."""
        if self.time_controls and game.time_control not in self.time_controls:
            return "--time-control"
        if self.since and not (game.date and game.date >= self.since):
            return "--since"
        if self.until and not (game.date and game.date <= self.until):
            return "--until"
        if self.players and not self.players.issuperset(game.players):
            return "--player"
        if self.without and not self.without.isdisjoint(game.players):
            return "--without"
        return ""


def form_of(first: bytes) -> str:
    """The form of a file by its first bytes: ``pgn``, ``jsonl``, ``trf`` or ``csv``."""
    text = first.removeprefix(BOM_UTF8).lstrip()
    # A collection of PGN may have a title or a comment before its first game.
    if text[:1] not in (b"[", b"") and not re.match(rb'\{\s*(?:"|\}|\Z)', text) and _TAGS_OF_PGN.search(text):
        return "pgn"
    if text.startswith(b"{") or re.match(rb'\[\s*(?:[\[{\]"]|\Z)', text):
        return "jsonl"
    # A table whose first column has no name begins like a comment of PGN.
    if text.startswith(b";") and any(
        header_of(text[:MAX_LINE].decode(encoding, "replace").splitlines())
        for encoding in ("utf-8", "latin-1")
    ):
        return "csv"
    if text[:1] in (b"[", b"%", b";"):
        return "pgn"
    return "trf" if TRF_LINE.search(text) else "csv"


def _refuse_unrated(first: bytes, label: str) -> None:
    """Raise InputError for a text that has results, but in no form of ``READERS``."""
    text = first.removeprefix(BOM_UTF8).lstrip()
    for beginning, sentence in _UNRATED.items():
        if re.match(beginning, text):
            raise InputError(f"{label} {sentence}")


def holds_results(first: bytes) -> bool:
    """Whether a file that begins so has results, and not records or a tournament of Tourney."""
    if is_compressed(first) or not (first.strip() and form_of(first) == "jsonl"):
        return bool(first.strip())
    if first.lstrip().startswith(b"["):
        return True
    try:
        value = parse_json(first.removeprefix(BOM_UTF8).lstrip().split(b"\n", 1)[0])
    except ValueError:
        # An object over several lines, or longer than this beginning; records say what they are.
        return b'"tourney-' not in first
    if not isinstance(value, dict) or str(value.get("format", "")).startswith("tourney"):
        return False
    inner = [part[0] for part in value.values() if isinstance(part, list) and part]
    if by_rows(value) or (any(isinstance(part, dict) for part in inner) and "seats" not in value):
        return True
    return not _PLAYERS.isdisjoint(columns_of(tuple(flattened(value))))


def game_of(problems: Problems) -> str:
    """The name of the game if none is given: files of PGN are of chess."""
    return "chess" if problems.forms == {"pgn"} else "unknown"


def read_files(
    paths: Sequence[Path],
    filter_: Filter,
    *,
    form: str | None = None,
    labels: Mapping[Path, str] | None = None,
    step: Callable[[int], None] = lambda _: None,
    processes: int = 1,
) -> tuple[Tally, Problems]:
    """The games of some files, and all that is wrong with the others.

    Large files of PGN that are not compressed are read by ``processes``, with the same results.

    ``form`` is a name of ``READERS`` (default: by the first bytes of each file);
    ``labels`` name files in messages (default: their paths); ``step`` is called with the number of games now
    and then. Raises InputError for a file that cannot be read, and UsageError if no game is left.
    """
    games = _Games()
    problems = games.problems
    filter_ = replace(
        filter_,
        players=frozenset(normalize("NFC", name) for name in filter_.players),
        without=frozenset(normalize("NFC", name) for name in filter_.without),
    )
    with Pool(processes, "reads games", _AHEAD) as pool:
        for scope, path in enumerate(paths):
            label = (labels or {}).get(path) or label_of(path)
            with chunks(path, problems, label) as blocks:
                first = next(blocks, b"")
                if not first:
                    continue
                if form is None:
                    _refuse_unrated(first, label)
                file_form = form or form_of(first)
                problems.forms.add(file_form)
                problems.guessed = problems.guessed or form is None
                selection = label, scope, filter_
                # The seats of a game of PGN are two, so a range need not know of the games before it.
                parallel = processes > 1 and file_form == "pgn" and games.tally.seats in {None, 2}
                if parallel and (ranges := _ranges(path, selection)):
                    _take_ranges(ranges, games, pool, step)
                else:
                    games.take(READERS[file_form](chain([first], blocks), label, problems), selection, step)
    tally = games.tally
    if filter_.least > 1:
        tally, gone = without_rare(tally, filter_.least)
        if gone:
            problems.counts["filter"] += gone
            problems.filtered["--min-games"] += gone
    if not tally.games:
        raise UsageError(_nothing(problems, games.controls))
    return tally, problems


class _Names:
    """Gives each name one form, and notes the names that come in several.

    The form is the composed one of Unicode (NFC), with single blanks and without marks that have no width.
    Names that differ in capital letters alone stay two, as a program may have both.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._spelt: dict[str, dict[str, str]] = {}  # forms and the names they became, by small letters
        self._usual: set[str] = set()  # noted names that are their own form, for speed
        self.first_uses: list[tuple[str, str, int]] = []  # the first line of each form of each name

    def __call__(self, game: ForeignGame, label: str, line: int) -> ForeignGame:
        if self._usual.issuperset(game.players):
            return game
        players = tuple(map(_one_form, game.players))
        for name, form in zip(players, game.players, strict=True):
            self.note(name, form, label, line)
        self._usual.update(name for name in players if name in game.players)
        return game._replace(players=players)

    def note(self, name: str, form: str, label: str, line: int) -> None:
        forms = self._spelt.setdefault(name.casefold(), {})
        if form in forms:
            return
        if name in forms.values():
            self._problems.add("unicode", label, line, name)
        elif forms:
            self._problems.add("case", label, line, f"{name}, {next(iter(forms.values()))}")
        forms[form] = name
        self.first_uses.append((name, form, line))


_NO_WIDTH: Final = dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2060\ufeff\xad"))


def _one_form(name: str) -> str:
    return " ".join(normalize("NFC", name).translate(_NO_WIDTH).split()) or name


_Selection = tuple[str, int, Filter]  # a file's name in messages, its number, and what games to take


class _Games:
    """The games taken from files, or from a range of one, and what is wrong with the others."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.problems = Problems()
        self.controls: Counter[str] = Counter()
        self.names = _Names(self.problems)

    def take(
        self,
        games: Iterable[tuple[int, ForeignGame]],
        selection: _Selection,
        step: Callable[[int], None] = lambda _: None,
    ) -> None:
        label, scope, filter_ = selection
        problems = self.problems
        seats = self.tally.seats or 0
        for line, game_as_read in games:
            game = self.names(game_as_read, label, line)
            if problems.read % STEP == 0:
                step(problems.read)
            if filter_.time_controls:
                self.controls[game.time_control] += 1
            if why := filter_.refuses(game):
                problems.add("filter", label, line)
                problems.filtered[why] += 1
                continue
            seats = seats or len(game.players)
            if len(game.players) != seats:
                problems.add("seats", label, line, f"{len(game.players)}, not {seats}")
                continue
            self.tally.add(game if filter_.pairs else game._replace(pair=""), scope)

    def extend(self, later: "_Games", label: str, lines: int) -> None:
        self.tally.extend(later.tally)
        self.problems.extend(later.problems, lines)
        self.controls.update(later.controls)
        for name, form, line in later.names.first_uses:
            self.names.note(name, form, label, line + lines)


class _Range(NamedTuple):
    """A range of a file of PGN, and the line in it (from 1) of its first game if that is known."""

    path: Path
    selection: _Selection
    start: int
    size: int
    line: int | None


def _ranges(path: Path, selection: _Selection) -> list[_Range]:
    """The ranges of a file; none for one that is small, compressed, a pipe or UTF-16."""
    piped = str(path) == "-"
    path = path.resolve()  # a worker has another /dev/stdin
    size = path.stat().st_size if path.is_file() and not piped else 0
    if size < LEAST_RANGES * RANGE:
        return []
    with path.open("rb") as file:
        first = file.read(4)
    if is_compressed(first) or first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return []
    return [_Range(path, selection, start, RANGE, None if start else 1) for start in range(0, size, RANGE)]


def _read_range(part: _Range) -> tuple[_Games, int, int | None, int | None]:
    """The games of a range, and its ``lines``, ``first`` and ``after`` as of ``PgnRange``."""
    games = _Games()
    # Only where ranges are joined it is known which forms of names came before.
    games.names = _Names(Problems())
    with part.path.open("rb") as file:
        file.seek(max(part.start - 1, 0))
        # A carriage return before the range ends a line together with what comes.
        before = file.read(1) if part.start else b""
        text = (before if before == b"\r" else b"") + file.read(part.size)
        text = text if part.start else text.removeprefix(BOM_UTF8)
        # Further blocks end where those of one process do: what is read of a game too long depends on it.
        reader = PgnRange(chain([text], iter(lambda: file.read(MAX_READ), b"")), part.line)
        games.take(reader.read(part.selection[0], games.problems), part.selection)
    return games, reader.lines, reader.first, reader.after


def _take_ranges(ranges: Sequence[_Range], games: _Games, pool: Pool, step: Callable[[int], None]) -> None:
    """Count the games of a file as one process would.

    Reading from the beginning of a game on depends on nothing before it. So a range is right if it began
    where the games before it end; any other is read again from there, in this process.
    """
    lines, following = 0, ranges[0].line
    for part, reply in pool.run(_read_range, ((part, part) for part in ranges)):
        taken, count, first, after = reply
        if following is not None and following <= lines + count + 1:
            if first != following - lines:
                taken, count, first, after = _read_range(part._replace(line=following - lines))
            games.extend(taken, part.selection[0], following - 1)
            following = None if after is None else lines + after
            step(games.problems.read)
        lines += count


def _nothing(problems: Problems, controls: dict[str, int]) -> str:
    reasons = _WHY if problems.guessed else dict.fromkeys(READERS, "")
    read_as = " and ".join(TITLES[form] + reasons[form] for form in READERS if form in problems.forms)
    if not problems.read:
        return f"there is no game in these results{read_as and ', read as '}{read_as}"
    why = "; ".join(sentence for _, sentence in problems.sentences_by_kind(1))
    if controls and problems.counts["filter"]:
        frequent = sorted(controls.items(), key=lambda item: (-item[1], item[0]))[:5]
        why += f" (time controls there: {', '.join(name or 'none' for name, _ in frequent)})"
    return f"none of {problems.read:,} games can be rated, read as {read_as}: {why}"
