"""Slices of a night: its end, its budget of matches, and the bounds for authors."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.addons.league.leagues import NOW, new_league, put, reopened, run, workers
from tourney.addons.league import night_play
from tourney.addons.league.folder import League
from tourney.addons.league.night_play import NightPlan
from tourney.addons.league.nights import run_night
from tourney.errors import InputError
from tourney.run.engine.readiness import Pinning
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.tournament_file import TournamentFile
from tourney.store.database import Database
from tourney.store.values import Tournament

pytestmark = pytest.mark.usefixtures("admitted")


class Clock:
    """A clock that goes on by some seconds each time that it is read."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def timed(league: League, seconds: float, step: float) -> int:
    """Run a night of virtual seconds; the number of its matches."""
    plan = NightPlan(seconds, None, Pinning(), workers, Clock(step))
    return run_night(reopened(league), plan, NOW, lambda _: None).matches


def test_slices_end_with_the_night(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    assert timed(league, 30, step=15) == 4, "the first slice, then too little is left"
    with Database.open(league.database) as database:
        assert all(one.complete and one.root for one in database.tournaments.all())


def test_slices_grow_with_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one is short, as the lengths of matches are not known; none is larger than all before."""
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    budgets: list[int] = []
    real = run_tournament

    def noted(file: TournamentFile, *words: Any) -> Any:
        budgets.append(int(dict(file.plan.extra)["budget"]))
        return real(file, *words)

    monkeypatch.setattr(night_play, "run_tournament", noted)
    assert timed(league, 4000, step=600) == budgets[-1]
    assert budgets[:3] == [4, 8, 16]
    assert all(later <= 2 * before for before, later in pairwise(budgets))


def test_budget_of_matches_is_kept(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    assert run(league, matches=5).matches == 4, "whole mirrored groups"


def test_author_over_the_quota_plays_no_further_slice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    put(league, "bob", "floater")
    real = night_play._state_of

    def slow(database: Database, tournament: Tournament) -> night_play._State:
        found = real(database, tournament)
        return replace(found, seconds={"ann": 2000.0, "bob": 1.0})

    monkeypatch.setattr(night_play, "_state_of", slow)
    assert run(league, matches=48).matches == 48
    with Database.open(league.database) as database:
        tournament = database.tournaments.get()
        names = {one.number: one.name for one in database.tournaments.entrants(tournament.id)}
        assert tournament.run.withdrawn == ("ann.drifter.1",)
        later = [
            names[n]
            for one in database.matches.results(tournament.id)
            if one.number > 32
            for n in one.entrants
        ]
    assert "ann.drifter.1" not in later
    assert "bob.floater.1" in later


def test_house_alone_does_not_play(tmp_path: Path) -> None:
    said: list[str] = []
    assert run(new_league(tmp_path), said=said).matches == 0
    assert any("too few bots" in text for text in said)


def test_tables_of_several_seats_share_the_night(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("seats = [2]", "seats = [2, 3]"))
    put(league, "ann", "drifter")
    assert run(league, matches=12).matches == 24
    with Database.open(league.database) as database:
        assert [one.name for one in database.tournaments.all()] == ["night-0001-2", "night-0001-3"]


def test_bad_limits_are_named(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("move-ms = 1000", "move-ms = 0"))
    with pytest.raises(InputError, match="move-ms is 0"):
        reopened(league)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        ('a"b', '"a\\"b"'),
        (["x", 1], '["x", 1]'),
        ({"a": 1, "b": False}, "{a = 1, b = false}"),
    ],
)
def test_values_are_written_as_toml(value: object, text: str) -> None:
    assert night_play._toml(value) == text


def test_league_keeps_the_limit_of_its_nights(tmp_path: Path) -> None:
    """Its bots were accepted with that; a file that names another one changes it."""
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    assert (league.memory_mb, league.limits.memory_mb) == (None, 1024)
    file = league.folder / "league.toml"
    text = file.read_text()
    file.write_text(text.replace("[limits]", "[limits]\nmemory-mb = 2048"))
    run(league)
    file.write_text(text)
    assert reopened(league).limits.memory_mb == 2048
    run(league, 1)
    with Database.open(league.database) as database:
        assert [one.plan.limits.memory_mb for one in database.tournaments.all()] == [2048, 2048]
