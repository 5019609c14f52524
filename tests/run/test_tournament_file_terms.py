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


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("8+0.08", (8_000, 80, None)),
        ("0.5", (500, 0, None)),
        ("40/60", (60_000, 0, 40)),
        ("40/60.5+0.6", (60_500, 600, 40)),
    ],
)
def test_clock_of_a_command_line_has_limits(text: str, limits: tuple[int, int, int | None]) -> None:
    planned = read_terms(None, clock_limits(text))[1]
    assert (planned.clock_ms, planned.increment_ms, planned.clock_moves) == limits
    assert planned.move_ms is None


@pytest.mark.parametrize("text", ["", "8+", "x", "1e3", "8+0.0001", "40/", "/60", "40/60/60", "4.5/60"])
def test_clock_of_another_form_is_refused(text: str) -> None:
    with refused(UsageError, "is not of the form SECONDS, SECONDS+INCREMENT or ACTIONS/SECONDS"):
        clock_limits(text)


def test_clock_with_no_actions_is_refused() -> None:
    with refused(UsageError, "clock-moves is 0"):
        read_terms(None, clock_limits("0/60"))


def test_clock_replaces_the_repeating_control_of_a_file(tmp_path: Path) -> None:
    path = write_file(tmp_path, "[limits]\nclock-ms = 60000\nclock-moves = 40\n")
    assert read_terms(path, {})[1].clock_moves == 40
    assert read_terms(path, clock_limits("8+0.08"))[1].clock_moves is None


def test_file_of_a_command_line_has_tables_for_programs(tmp_path: Path) -> None:
    engine = EntrantLine(
        command=("stockfish", "-x"), protocol="uci", options={"Clear Hash": "", "Hash": 4}, go={"nodes": 5}
    )
    _, text = file_text("chess", (EntrantLine("./a"), engine), "round-robin", "cup", ())
    assert read_tournament_file(tmp_path / "cup.toml", text).entrants == (EntrantLine("./a"), engine)
    assert "bots" not in file_text("chess", (engine,), "round-robin", "cup", ())[1]
