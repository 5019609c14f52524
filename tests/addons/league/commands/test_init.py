"""``tourney league init``."""

from pathlib import Path

from tests.support.command import invoke


def test_init_prints_the_league_file(tmp_path: Path) -> None:
    done = invoke("league", "init", str(tmp_path / "stones"), "--game", "sage-stones")
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path}/stones/league.toml\n")
    again = invoke("league", "init", str(tmp_path / "stones"), "--game", "sage-stones")
    assert again.exit_code == 2
    assert "exists already" in again.stderr
