"""Limits, openings and tournament files from command lines."""

from pathlib import Path

import pytest

from tests.support.tournaments import refused, write_file
from tourney.errors import TournamentError, UsageError
from tourney.match.spec import DEFAULT_LIMITS
from tourney.run.file_schema import EntrantLine
from tourney.run.tournament_file import (
    Terms,
    clock_limits,
    file_text,
    read_terms,
    read_tournament_file,
    toml_values,
)


def test_options_go_before_a_files_limits(tmp_path: Path) -> None:
    text = '[limits]\nclock-ms = 8000\nnodes = 50\n[options]\nx = "1"\n'
    path = write_file(tmp_path, 'opening-book = "a.epd"\nopening-order = "sequential"\n' + text)
    terms, limits = read_terms(path, {"nodes": 9, "resign": {"movecount": 3, "score": 600}})
    assert (limits.clock_ms, limits.move_ms, limits.nodes) == (8000, None, 9)
    assert limits.resign is not None
    assert (terms.opening_book, terms.opening_order) == ("a.epd", "sequential")
    assert read_terms(None, {}) == read_terms(None, {"move-ms": 1000}) == (Terms(), DEFAULT_LIMITS)


@pytest.mark.parametrize(
    ("text", "given", "sentence"),
    [
        ("seed = 3", {}, "there is no table [limits]"),
        ("opening-book = 3", {}, "opening-book is 3"),
        ('opening-plies = "x"', {}, 'opening-plies is "x"'),
        ("[limits]\nnodes = 0", {}, "[limits]: nodes is 0"),
        ("[limits]", {"increment-ms": 5}, "increment-ms is set without clock-ms"),
    ],
)
def test_wrong_terms_are_one_sentence(
    tmp_path: Path, text: str, given: dict[str, object], sentence: str
) -> None:
    path = write_file(tmp_path, text)
    with pytest.raises((TournamentError, UsageError)) as caught:
        read_terms(path, given)
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)


def test_clock_is_seconds_and_increment() -> None:
    assert clock_limits("8+0.08") == {"clock-ms": 8000, "increment-ms": 80}
    assert clock_limits("60") == {"clock-ms": 60_000, "increment-ms": 0}
    for wrong in ("", "8+", "x", "1e3", "8+0.0001"):
        with refused(UsageError, "as 8+0.08"):
            clock_limits(wrong)


def test_words_are_toml_or_text() -> None:
    words = ("a=1", "b.c={d = 2}", "e=My cup", 'f="3"')
    assert toml_values("--set", words) == {"a": 1, "b.c": {"d": 2}, "e": "My cup", "f": "3"}
    for wrong in ("a", "=1", "a b=1"):
        with refused(UsageError, "does not have the form KEY=VALUE"):
            toml_values("--set", (wrong,))


def test_file_of_a_command_line_is_a_tournament_file(tmp_path: Path) -> None:
    given = ("sage-stones", (EntrantLine("pebble"), EntrantLine("random")), "swiss")
    path, text = file_text(*given, None, ("rounds=2", "limits.move-ms=70", "title=My cup"))
    found = read_tournament_file(tmp_path / path, text)
    assert (found.plan.format, found.plan.rounds, found.plan.limits.move_ms) == ("swiss", 2, 70)
    assert found.plan.name == path.stem
    assert found.plan.name.startswith("sage-stones-swiss-")
    assert found.presentation.title == "My cup"
    assert file_text(*given, None, ("rounds=3",))[0] != path
    assert file_text(*given, "cup", ())[0] == Path("cup.toml")


def test_file_of_a_command_line_has_tables_for_programs(tmp_path: Path) -> None:
    engine = EntrantLine(
        command=("stockfish", "-x"), protocol="uci", options={"Clear Hash": "", "Hash": 4}, go={"nodes": 5}
    )
    _, text = file_text("chess", (EntrantLine("./a"), engine), "round-robin", "cup", ())
    assert read_tournament_file(tmp_path / "cup.toml", text).entrants == (EntrantLine("./a"), engine)
    assert "bots" not in file_text("chess", (engine,), "round-robin", "cup", ())[1]
