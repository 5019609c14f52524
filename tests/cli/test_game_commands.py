"""``tourney perft``, ``tourney games`` and ``tourney check-game``."""

import csv
import io
import json

import pytest

from tests.command import TOYS, invoke, offering


def test_perft_counts_from_the_start_and_from_a_position() -> None:
    """Only the number is printed; a position, seats and options are accepted."""
    with offering(**TOYS):
        assert invoke("perft", "toe", "3").stdout == "504\n"
        assert invoke("perft", "toe", "0").stdout == "1\n"
        assert invoke("perft", "toe", "2", "--position", "XO./OXO/.X. 1").stdout == "4\n"
        assert invoke("perft", "race", "3", "--seats", "3").stdout == "8\n"
        assert invoke("perft", "toe", "1", "--option", "misere=yes").stdout == "9\n"


def test_divided_perft_has_a_line_per_first_action() -> None:
    """With --divide, the last line is the sum."""
    with offering(**TOYS):
        lines = invoke("perft", "race", "4", "--divide").stdout.splitlines()
    assert lines == ["roll-1 8", "roll-2 8", "16"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["toe", "1", "--position", "nonsense"], "'nonsense' is not of the form"),
        (["toe", "1", "--seats", "5"], "toe is played with 2 seats, not 5"),
        (["toe", "1", "--option", "size=4"], "toe has no option size"),
        (["toe", "1", "--option", "misere"], "option 'misere' does not have the form NAME=VALUE"),
        (["toe", "0", "--divide"], "--divide needs a DEPTH of at least 1"),
        (["race", "1", "--position", "-"], "race cannot read positions"),
    ],
)
def test_perft_refuses_bad_input(words: list[str], says: str) -> None:
    """Bad input is one sentence and exit code 2."""
    with offering(**TOYS):
        done = invoke("perft", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_games_are_listed_in_every_output_format() -> None:
    """Each form has names, titles, seats and options."""
    with offering(**TOYS):
        table = invoke("games").stdout.splitlines()
        rows = list(csv.DictReader(io.StringIO(invoke("games", "--format", "csv").stdout)))
        data = json.loads(invoke("games", "--format", "json").stdout)["games"]
    assert [line.split()[0] for line in table[2:]] == ["odds", "race", "toe"]
    assert [row["name"] for row in rows] == ["odds", "race", "toe"]
    assert data[2] == {
        "name": "toe",
        "title": "Noughts and Crosses",
        "seats": [2],
        "chance": False,
        "hidden": False,
        "rules": "1",
        "options": [
            {"name": "misere", "default": "no", "values": ["no", "yes"], "help": "three in a row lose"}
        ],
    }
    assert (data[0]["hidden"], data[1]["chance"], data[1]["seats"]) == (True, True, [2, 3])


def test_consecutive_option_values_are_shown_as_a_range() -> None:
    """An option with many numbers in a row is abridged."""
    assert "stones=10|3..15 " in invoke("games").stdout


def test_broken_plugins_are_reported() -> None:
    """Each broken plugin is an error line; the others are listed; the exit code is 1."""
    bad = {"gone": "tests.nowhere:Gone", "wrong": "tests.toys:Toe", "no_game": "tests.toys:ToeState"}
    with offering(**TOYS, **bad):
        done = invoke("games", "--format", "csv")
    assert done.exit_code == 1
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["name", "odds", "race", "toe"]
    said = done.stderr.splitlines()
    assert len(said) == 3
    assert all(line.startswith("error: the plugin of game ") for line in said)
    assert "tests.nowhere:Gone" in said[0]


def test_check_game_passes_a_sound_game() -> None:
    """A sound game: one line, exit code 0, nothing on standard error."""
    with offering(**TOYS):
        done = invoke("check-game", "odds", "--games", "6", "--seed", "5")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("odds has all ")
    assert "6 games, 24 actions" in done.stdout


def test_check_game_shows_how_to_reproduce_a_failure() -> None:
    """The failure has the rules console's lines that lead to it; exit code 1."""
    with offering(leaky="tests.broken:LeakyOdds"):
        done = invoke("check-game", "leaky", "--games", "4")
        assert done.exit_code == 1
        assert done.stderr == "error: leaky fails 1 of 20 properties\n"
        head, *lines = done.stdout.splitlines()
        assert head.startswith("no-leak fails: with hidden actions exchanged (")
        assert [line.split()[0] for line in lines] == ["new", "play"]
        console = invoke("rules", "leaky", given="".join(line.strip() + "\n" for line in lines))
        assert console.stdout == "ok\nok\n"


@pytest.mark.parametrize("words", [["toe", "--games", "0"], ["toe", "--seed", "-1"], ["draughts"]])
def test_check_game_refuses_bad_input(words: list[str]) -> None:
    """An unknown game and numbers out of range are exit code 2."""
    with offering(**TOYS):
        done = invoke("check-game", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
