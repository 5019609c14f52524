"""Files of results as a whole: filters, compression, and files of other kinds."""

import gzip
import re
from pathlib import Path

import pytest

from tests.exchange.files import one, pgn, read
from tourney import parsing
from tourney.errors import InputError, UsageError
from tourney.exchange import pgn_headers, reading
from tourney.exchange.foreign_game import Problems
from tourney.exchange.reading import Filter, form_of, holds_results, read_files
from tourney.exchange.tally import Tally
from tourney.spawning import Pool


def test_filters_count_what_they_leave_out(tmp_path: Path) -> None:
    rows = ["a,b,1-0,8+0.08,2026-01-01", "a,b,1-0,8+0.08,2026-02-01", "a,c,1-0,60,2026-02-01", "a,b,0-1,60,?"]
    text = "white,black,result,tc,date\n" + "\n".join(rows)
    for filter_, games, option in (
        (Filter(time_controls=frozenset({"60"})), 2, "--time-control"),
        (Filter(since="2026-02-01"), 2, "--since"),
        (Filter(until="2026-01-31"), 1, "--until"),
        (Filter(players=frozenset("ab")), 3, "--player"),
        (Filter(without=frozenset("c")), 3, "--without"),
        (Filter(least=2), 3, "--min-games"),
    ):
        tally, problems = read(tmp_path, text, filter_=filter_)
        assert (tally.games, problems.filtered[option], problems.damaged) == (games, 4 - games, 0)
    with pytest.raises(UsageError, match=r"4 by --time-control\).*time controls there: 60, 8\+0\.08"):
        read(tmp_path, text, filter_=Filter(time_controls=frozenset({"1+1"})))


def zstd(data: bytes) -> bytes:
    """Data compressed in two frames."""
    compressor = pytest.importorskip("zstandard", reason="tourney[zstd] is not installed").ZstdCompressor()
    half = len(data) // 2
    return bytes(compressor.compress(data[:half]) + compressor.compress(data[half:]))


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_compressed_files_are_read(pack, tmp_path: Path) -> None:  # type: ignore[no-untyped-def] # two functions
    text = pgn(*[("a", "b", "1-0"), ("b", "a", "1/2-1/2")] * 500).encode()
    whole, problems = read(tmp_path, pack(text))
    assert (whole.games, problems.counts.total()) == (1000, 0)
    tally, problems = read(tmp_path, pack(text)[:-20])
    assert problems.counts["file"] == 1
    assert 0 < tally.games <= 1000


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_bomb_is_refused(pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def] # as above
    monkeypatch.setattr(reading, "FREE", 1 << 20)
    monkeypatch.setattr(reading, "MAX_RATIO", 100)
    with pytest.raises(InputError, match="expands more than 100 times"):
        read(tmp_path, pack(bytes(8 << 20)))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. e4 e5 2. Nf3 Nc6 1-0\n\n1. d4 d5 1/2-1/2\n", "looks like PGN movetext without tags: put"),
        ("\ufeff\n{by cutechess} 1. {a} e4 {0.1s} 1-0\n", "looks like PGN movetext without tags"),
        ("1... Kd2 2. Kd4 *\n", "looks like PGN movetext without tags"),
        ("1.a1-a4 b2-b4\n", "looks like PGN movetext without tags"),
        ('[{"white": "a", "black": "b"', "was read as a JSON array, because it begins with [: "),
        ("<!DOCTYPE html><title>games</title>", "looks like a web page"),
        ("white,black\n".encode("utf-16-le").decode(), "looks like UTF-16 without a byte order mark"),
        ("white,black\n".encode("utf-16-be").decode(), "looks like UTF-16 without a byte order mark"),
        ("white,black\na,b\n", "line 1 was read as CSV, but 'white,black' is not a header"),
    ],
)
def test_error_names_the_form_that_a_file_looks_like(text: str, sentence: str, tmp_path: Path) -> None:
    for data in (text.encode(), gzip.compress(text.encode())):
        with pytest.raises(InputError, match=re.escape(sentence)):
            read(tmp_path, data)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[tool.ruff]\nline-length = 110\n",
            r"none of 1 games can be rated, read as PGN \(it begins with ",
        ),
        ("; a comment\n", r"there is no game in these results, read as PGN \(it begins with \[, % or ;\)"),
        ("{white: a}\n", r"can be rated, read as JSON \(it begins with \{ or \[\{\): .* line 1: not JSON"),
        ("white,black,result\n", "there is no game in these results, read as CSV"),
    ],
)
def test_file_without_games_is_named_with_its_form(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=sentence):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "magic", [b"PK\x03\x04", b"BZh9", b"SQLite format 3\0", b"\xd0\xcf\x11\xe0", b"%PDF-1.4"]
)
def test_other_formats_are_refused_by_name(magic: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0 is (a zip|compressed|a database|a workbook|a PDF)"):
        read(tmp_path, magic)


@pytest.mark.parametrize(
    ("first", "form"),
    [
        (b'[Event "x"]', "pgn"),
        (b"% a comment of PGN", "pgn"),
        (b'\xef\xbb\xbf {"white": "a"}', "jsonl"),
        (b'{\n  "games": [\n', "jsonl"),
        (b'{"id": 1, "games": [{"white": "a"}]}', "jsonl"),
        (b"white,black,result", "csv"),
    ],
)
def test_first_bytes_tell_the_form(first: bytes, form: str) -> None:
    assert form_of(first) == form
    assert holds_results(first)


@pytest.mark.parametrize(
    "first", [b"", b"\n", b'{"format": "tourney-rec', b'{"format": "tourney-record/1"}', b'{"name": "a"}']
)
def test_other_lines_hold_no_results(first: bytes) -> None:
    assert not holds_results(first)


# A game's tags after an empty line, games inside of comments, braces over cuts, and names of all sorts.
HOSTILE = [
    "1. e4 {ordinary} e5 1-0\n\n1. d4 d5 0-1\n\n",
    *(one("a", f"b{number}", "1-0", Round=str(number)) for number in range(3)),
    '[Event "split"]\n[Site "x"]\n\n[White "a"]\n\n[Black "b1"]\n[Result "0-1"]\n\n1. e4 0-1\n\n',
    one("a", "b2", "1-0", moves='1. e4 {a game:\n\n[Event "x"]\n[White "p"]\n[Black "q"]\n\n e5} d5'),
    one("a", "b2", "1-0", moves='1. e4 {\n\n[White "r"]\n\n[Black "s"]\n[Result "1-0"]\n\n 1-0 } ; } {\n'),
    one("a", "b0", "1-0", moves="1. e4 {never closed"),
    one("Jos\xe9", "b1", "1/2-1/2"),
    one("b1", "Jose\u0301", "1-0", Pair="7"),
    one("Jos\xe9", "b1", "0-1", Pair="7"),
    (
        '[White "no event"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n[White "b"]\n[Black "no event"]\n'
        '[Result "1-0"]\n\n1. e4 1-0\n'
    ),
    one("a", "b1", "1-0", end="0-1"),
    one("a", "b1", "*"),
    one("a", "b1", "1-0", end=""),
    '% [Event "aside"]\n; [White "aside"]\n\n',
    one("a", "b1", "1-0", moves="1. e4 { } {"),
    '\n\n\n   \n\t[Event "blanks"]\n[White "a"][Black "b2"]\n[Result "1-0"]\n\n1. e4 1-0\n\n',
]
ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r", "mixed": b"\r\n"}


def hostile(ends: str) -> bytes:
    """A made-up file, a part in Latin-1, with line ends of a kind."""
    latin = one("M\xfcller", "b0", "1-0").encode("latin-1")
    text = HOSTILE[0].encode() + latin + "".join(HOSTILE[1:]).encode()
    lines = (text * 2).split(b"\n")
    if ends == "mixed":
        return b"".join(line + (b"\n", b"\r\n", b"\r", b"\x1a\n")[k % 4] for k, line in enumerate(lines))
    return ENDS[ends].join(lines)


def all_of(tally: Tally, problems: Problems) -> list[object]:
    """All that files gave."""
    return [
        tally.players,
        *(list(tally.rows()), list(tally.groups()), tally.distinct),
        *(problems.read, problems.counts, problems.filtered, problems.places),
    ]


@pytest.mark.parametrize("ends", ENDS)
def test_file_cut_anywhere_gives_what_one_process_gives(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(b"\xef\xbb\xbf" + hostile(ends))
    filters = (Filter(without=frozenset({"b2"})), Filter(pairs=False), Filter())
    whole = [all_of(*read_files([path, path], filter_, form="pgn")) for filter_ in filters]
    _, problems = read_files([path], Filter(), form="pgn")
    assert {"cut", "contradiction", "unfinished", "latin", "unicode", "comment"} <= set(problems.counts)
    monkeypatch.setattr(reading, "Pool", lambda _, work, ahead: Pool(1, work, ahead))
    monkeypatch.setattr(reading, "LEAST_RANGES", 2)
    ranges = read_ranges(monkeypatch)
    for size in (*range(16, 200, 3), 256, 400, 700, 1000):
        monkeypatch.setattr(reading, "RANGE", size)
        filter_ = filters[size % 3]
        assert all_of(*read_files([path, path], filter_, form="pgn", processes=2)) == whole[size % 3], size
    # Both happened: a guess that was right, and one after which the range was read again.
    assert {part.line is None for part in ranges if part.start} == {True, False}


def read_ranges(monkeypatch: pytest.MonkeyPatch) -> list[reading._Range]:
    """A list that takes each range that is read."""
    ranges: list[reading._Range] = []
    read_range = reading._read_range

    def noted(part: reading._Range) -> object:
        ranges.append(part)
        return read_range(part)

    monkeypatch.setattr(reading, "_read_range", noted)
    return ranges


def test_game_too_long_is_skipped_over_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.pgn"
    many = [one("a", "b", "1-0", moves="1. e4 e5 " * count) for count in (1, 90, 5, 400, 1, 2, 300)]
    path.write_text("".join(many) + one("a", "b", "*"))
    monkeypatch.setattr(pgn_headers, "MAX_GAME", 600)
    monkeypatch.setattr(reading, "MAX_READ", 128)
    monkeypatch.setattr(parsing, "MAX_READ", 128)
    whole = all_of(*read_files([path], Filter()))
    monkeypatch.setattr(reading, "Pool", lambda _, work, ahead: Pool(1, work, ahead))
    for size in (128, 256, 512):
        monkeypatch.setattr(reading, "RANGE", size)
        assert all_of(*read_files([path], Filter(), processes=2)) == whole, size


def test_files_that_cannot_be_cut_have_no_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "RANGE", 64)
    monkeypatch.chdir(tmp_path)
    text = pgn(*[("a", "b", "1-0")] * 50)
    files = {"plain": text.encode(), "-": text.encode(), "utf-16": text.encode("utf-16")}
    files |= {"packed": gzip.compress(text.encode() * 50), "small": text.encode()[:511]}
    for name, data in files.items():
        Path(name).write_bytes(data)
    selection = ("", 0, Filter())
    assert [name for name in files if reading._ranges(Path(name), selection)] == ["plain"]
