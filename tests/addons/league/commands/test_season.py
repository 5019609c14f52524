"""``tourney league season``."""

from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league, put, run
from tests.support.command import invoke


@pytest.mark.usefixtures("admitted")
def test_season_is_closed_and_listed(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    where = ("--league", str(league.folder))
    assert "cannot be closed" in invoke("league", "season", "--close", *where).stderr
    put(league, "ann", "drifter")
    run(league)
    done = invoke("league", "season", "--close", "--format", "csv", *where)
    assert done.exit_code == 0, done.stderr
    first, second = done.stdout.splitlines()[1:]
    assert first.startswith("1,2026-11-26T22:00:00+00:00,")
    assert second.startswith("2,")
