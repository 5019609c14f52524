"""The page of the ladders says what their measured ratings say, and every rung is above the one below."""

import tomllib
from typing import Any

import pytest

from tourney.bots.catalogue.rungs import RATINGS, ladder_of, ladders_dir
from tourney.resources import engines_dir
from tourney.run.make_ladder import PAGE, main, page_text, ratings_text

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


def test_skipper_beats_a_thousand_playouts() -> None:
    """The lower end of the interval of the difference is above 0."""
    (table,) = [other for other in MEASURED["other"] if other["name"] == "skipper"]
    assert table["ratings"]["skipper"][0] > table["ratings"]["mcts-1000"][0]


def test_wrong_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
    assert main(["sqlite:////nowhere/none.db", "engines"]) != 0
