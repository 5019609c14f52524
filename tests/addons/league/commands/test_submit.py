"""``tourney league submit``."""

from pathlib import Path

from tests.support.command import invoke
from tests.support.folders import write_bot
from tests.support.leagues import new_league


def test_submit_prints_the_place(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    bot = write_bot(tmp_path, "drifter", games='["sage-stones"]')
    done = invoke(
        "league", "submit", str(bot), "--author", "ann", "--name", "x", "--league", str(league.folder)
    )
    assert (done.exit_code, done.stdout) == (0, f"{league.inbox}/ann/x.zip.ready\n")
