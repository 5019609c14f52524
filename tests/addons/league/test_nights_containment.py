"""A night contains bots no less than the last one did."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.addons.league import leagues
from tests.support.boxes import WEAK, WHOLE
from tests.support.tournaments import refused
from tourney.addons.league import nights
from tourney.addons.league.night_play import NightPlan
from tourney.addons.league.nights import run_night
from tourney.errors import SandboxError
from tourney.run.engine import readiness
from tourney.run.engine.readiness import Pinning


def test_night_stops_where_the_last_one_contained_more(
    tmp_path: Path, admitted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before submissions are built and tried: a new night is a new tournament."""
    said: list[str] = []
    box = WHOLE
    for module in (readiness, nights):
        monkeypatch.setattr(module, "open_sandbox", lambda *_: box)
    league = leagues.new_league(tmp_path)
    leagues.put(league, "mason", "stone")
    leagues.put(league, "weaver", "cloth")
    assert leagues.run(league).matches > 0
    leagues.put(league, "mason", "stone", "new")
    box = WEAK
    with refused(SandboxError, "night-0001-2 began with", "pass --allow-weaker"):
        leagues.run(league, 1)
    assert (league.inbox / "mason" / "stone.ready").exists()
    weaker = NightPlan(None, 8, Pinning(), leagues.workers, allow_weaker=True)
    done = run_night(leagues.reopened(league), weaker, leagues.NOW + timedelta(days=1), said.append)
    assert done.matches > 0
    assert any("--allow-weaker: night-0001-2 began with" in text for text in said)
    assert leagues.run(league, 2).matches > 0, "the next night needs no option"
