"""Files of results as a whole: filters, compression, and files of other kinds."""

import gzip
import re
from pathlib import Path

import pytest

from tests.exchange.files import pgn, read
from tourney.errors import InputError, UsageError
from tourney.exchange import reading
from tourney.exchange.reading import Filter, form_of, holds_results


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


@pytest.mark.parametrize("magic", [b"PK\x03\x04", b"BZh9", b"SQLite format 3\0"])
def test_other_formats_are_refused_by_name(magic: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0 is (a zip|compressed|a database)"):
        read(tmp_path, magic)


@pytest.mark.parametrize(
    ("first", "form"),
    [
        (b'[Event "x"]', "pgn"),
        (b"% a comment of PGN", "pgn"),
        (b'\xef\xbb\xbf {"white": "a"}', "jsonl"),
        (b"white,black,result", "csv"),
    ],
)
def test_first_bytes_tell_the_form(first: bytes, form: str) -> None:
    assert form_of(first) == form
    assert holds_results(first)


@pytest.mark.parametrize("first", [b"", b"\n", b"{", b'{"format": "tourney-record/1"}', b'{"name": "a"}'])
def test_other_lines_hold_no_results(first: bytes) -> None:
    assert not holds_results(first)
