"""``tourney league withdraw``."""

from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league, put, reopened, run
from tests.support.command import invoke


@pytest.mark.usefixtures("admitted")
def test_withdrawn_bot_plays_no_further_night(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    run(league)
    where = ("--league", str(league.folder))
    assert invoke("league", "withdraw", "ann/drifter", *where).exit_code == 0
    assert all(one.author == "house" for one in reopened(league).ledger.alive(2))
    put(league, "ann", "drifter")
    run(league, 1)
    judged = reopened(league).ledger.submissions[2]
    assert (judged.fate, judged.version) == ("refused", None)
    assert judged.reason.startswith("it is ann/drifter 1, which was withdrawn: change it")
    again = invoke("league", "withdraw", "ann/drifter", *where)
    assert (again.exit_code, "no bot 'ann/drifter' plays" in again.stderr) == (2, True)
