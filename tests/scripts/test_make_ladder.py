"""The page of the ladders says what their measured ratings say, and every rung is above the one below."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.make_ladder import PAGE, main, measure, page_text, ratings_text
from tests.support.command import GOLDEN
from tests.support.tournaments import begin, played
from tourney.bots.catalogue.shipped import RATINGS, engines_dir, ladder_of, ladders_dir
from tourney.results.ratings import rate_batch
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult

MEASURED: dict[str, Any] = tomllib.loads((ladders_dir() / RATINGS).read_text())
LADDERS = MEASURED["ladder"]
ALL = sorted([*LADDERS, *MEASURED["other"]], key=lambda ladder: str(ladder["name"]))


def test_page_has_what_was_measured() -> None:
    assert (ladders_dir() / RATINGS).read_text() == ratings_text(ALL)
    assert (engines_dir() / PAGE).read_text() == page_text(ALL)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: str(ladder["name"]))
def test_measured_rungs_are_those_of_the_ladder(ladder: dict[str, Any]) -> None:
    rungs = ladder_of(ladder["game"], ladder["seats"])
    assert {rung.name for rung in rungs} <= set(ladder["ratings"])
    assert list(ladder["steps"]) == [rung.name for rung in rungs[1:]]


def test_each_rung_of_two_seats_is_significantly_stronger() -> None:
    """The lower end of the 95 % interval of each step is above 0, for at least five rungs of every game."""
    two = {ladder["game"]: ladder["steps"] for ladder in LADDERS if ladder["seats"] == 2}
    assert set(two) == set(GOLDEN)
    for steps in two.values():
        assert len(steps) >= 4
        assert all(low > 0 for _, low, _ in steps.values())


@pytest.mark.parametrize("ladder", ALL, ids=lambda ladder: str(ladder["name"]))
def test_elo_is_relative_to_the_mean_of_the_table(ladder: dict[str, Any]) -> None:
    assert "Elo is relative to the mean of the table." in (engines_dir() / PAGE).read_text()
    elo = [values[0] for values in ladder["ratings"].values()]
    assert sum(elo) == pytest.approx(0, abs=0.05 * len(elo) + 1e-9)


def test_measured_elo_is_relative_to_the_mean_of_the_table(tmp_path: Path) -> None:
    """Also where one bot loses all its matches, and is not in the zero of other tables."""
    with Database.open(str(tmp_path / "t.db"), create=True) as database:
        cup = begin(database, 3, games=4)
        entrants = database.tournaments.entrants(cup.id)
        for number, row in list(database.schedules.pending(cup.id)):
            seats = row.seats
            ranks = (1, 1) if 2 not in seats else (1, 2) if seats[1] == 2 else (2, 1)
            match = MatchResult(number, played(spec_of(cup, entrants, row), ranks))
            database.matches.add(cup.id, [match])
        assert len(rate_batch(database, cup, "loss").pool.zero) == 2
        measured = measure(database, replace(cup, root="0" * 64), ())
    elo = [values[0] for values in measured["ratings"].values()]
    assert sum(elo) == pytest.approx(0, abs=0.15)
    assert elo[0] < -100 < elo[1]


def test_skipper_beats_a_thousand_playouts() -> None:
    """The 95 % intervals of the two ratings do not meet."""
    (table,) = [other for other in MEASURED["other"] if other["name"] == "skipper"]
    assert table["ratings"]["skipper"][1] > table["ratings"]["mcts-1000"][2]


def test_searched_set_ups_beat_drawn_ones() -> None:
    """The two bots search alike, so the interval of their difference is that of the set-ups."""
    (table,) = [other for other in MEASURED["other"] if other["name"] == "castellan"]
    assert table["ratings"]["castellan-10"][1] > 0 > table["ratings"]["mcts-10"][2]


def test_wrong_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
    assert main(["sqlite:////nowhere/none.db", "engines"]) != 0
