"""``tourney positions``: an explorer of a bot's games."""

from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tourney.store.database import Database


@pytest.fixture
def db(tmp_path: Path) -> tuple[str, str]:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        genuine.play_all(database, genuine.begin(database))
    return "--db", str(tmp_path / "a.db")


def test_losses_and_positions_are_tables(db: tuple[str, str]) -> None:
    losses = invoke("positions", "--bot", "drawn-1", "--format", "csv", *db)
    assert losses.exit_code == 0
    assert losses.stdout.splitlines()[0] == "by,value,matches,lost,score"
    seats = [line for line in losses.stdout.splitlines() if line.startswith("seat,")]
    assert sum(int(line.split(",")[2]) for line in seats) == 4
    shown = invoke(
        "positions", "--bot", "drawn-1", "--show", "positions", "--plies", "1", "--format", "csv", *db
    )
    assert shown.stdout.splitlines()[0] == "line,action,by,matches,score,ms"
    assert len(shown.stdout.splitlines()) > 1


def test_results_without_records_have_no_positions(tmp_path: Path) -> None:
    games, where = tmp_path / "games.csv", ("--db", str(tmp_path / "i.db"))
    games.write_text("white,black,result\nann,bob,1-0\nbob,ann,1-0\n")
    assert invoke("import", str(games), *where).exit_code == 0
    done = invoke("positions", "--bot", "ann", *where)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "games has results without records, so its positions are not known" in done.stderr


def test_unknown_entrant_is_refused_with_the_names(db: tuple[str, str]) -> None:
    done = invoke("positions", "--bot", "absent", *db)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cup has no entrant 'absent'; there are: drawn-1, drawn-2, drawn-3" in done.stderr
