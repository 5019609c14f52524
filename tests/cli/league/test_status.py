"""``tourney league status``."""

from pathlib import Path

from tests.support.command import invoke


def test_status_of_a_new_league(tmp_path: Path) -> None:
    folder = str(tmp_path / "stones")
    invoke("league", "init", folder, "--game", "sage-stones")
    done = invoke("league", "status", "--league", folder)
    assert done.exit_code == 0
    assert "stones, a league of sage-stones" in done.stdout


def test_status_outside_a_league_says_what_to_do(tmp_path: Path) -> None:
    done = invoke("league", "status", "--league", str(tmp_path))
    assert done.exit_code == 2
    assert "tourney league init NAME --game GAME" in done.stderr
