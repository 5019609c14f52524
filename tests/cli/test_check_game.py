"""``tourney check-game``: sound and broken games."""

import pytest

from tests.support.command import TOYS, invoke, offering


def test_check_game_passes_a_sound_game() -> None:
    """A sound game: one line, exit code 0, nothing on standard error."""
    with offering(**TOYS):
        done = invoke("check-game", "odds", "--games", "6", "--seed", "5")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("odds has all ")
    assert "6 games, 24 actions" in done.stdout


def test_check_game_shows_how_to_reproduce_a_failure() -> None:
    """The failure has the rules console's lines that lead to it; exit code 1."""
    with offering(leaky="tests.support.broken:LeakyOdds"):
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
