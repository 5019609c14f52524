"""The examples on the pages of OpenSpiel and of go engines work as they stand."""

from pathlib import Path

import pytest

from tests.docs.pages import blocks, page
from tests.support.command import invoke
from tests.support.tournaments import write_file
from tourney.run.tournament_file import read_tournament_file

pytestmark = pytest.mark.engine

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

OPENSPIEL = page("reference/openspiel.md")
ENGINES = page("how-to/play-go.md")


def test_commands_of_the_page_work() -> None:
    (block,) = blocks(OPENSPIEL, "console")
    for line in block.splitlines():
        words = line.replace("'", "").removeprefix("$ tourney ").split()
        done = invoke(*words, *(["--games", "2"] if words[0] == "check-game" else []))
        assert done.exit_code == 0, done.output


def test_bot_of_the_page_plays_open_and_hidden_games(tmp_path: Path) -> None:
    (program,) = blocks(OPENSPIEL, "python")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text(program.replace("turn, 200)", "turn, 8)"), encoding="utf-8")
    (tmp_path / "bot" / "bot.toml").write_text(
        'name = "searcher"\nversion = "1"\ngames = ["openspiel"]\ncommand = ["python3", "bot.py"]\n'
    )
    games = ("--game", "openspiel:leduc_poker", "--game", "openspiel:tic_tac_toe")
    where = ("--bots", str(tmp_path / "bots"), "--sandbox", "off", "--move-ms", "20000")
    done = invoke("bots", "check", str(tmp_path / "bot"), *games, *where)
    assert done.exit_code == 0, done.output


@pytest.mark.addon("go")
def test_tournament_of_go_engines_is_read(tmp_path: Path) -> None:
    text, _ = blocks(ENGINES, "toml")
    file = read_tournament_file(write_file(tmp_path, text))
    assert [line.protocol for line in file.entrants] == ["gtp", "gtp"]
    assert file.plan.game == "openspiel:go(board_size=9,komi=7.5)"


@pytest.mark.addon("go")
def test_tournament_of_gomoku_engines_is_read(tmp_path: Path) -> None:
    _, text = blocks(ENGINES, "toml")
    file = read_tournament_file(write_file(tmp_path, text))
    assert [line.protocol for line in file.entrants] == ["gomocup", "gomocup"]
