"""The page of the ladders says what their measured ratings say, and every rung is above the one below."""

import tomllib
from typing import Any

import pytest

from scripts.make_ladder import PAGE, main, page_text, ratings_text
from tests.support.command import GOLDEN
from tourney.bots.catalogue.shipped import RATINGS, engines_dir, ladder_of, ladders_dir

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


def test_skipper_beats_a_thousand_playouts() -> None:
    """The 95 % intervals of the two ratings do not meet."""
    (table,) = [other for other in MEASURED["other"] if other["name"] == "skipper"]
    assert table["ratings"]["skipper"][1] > table["ratings"]["mcts-1000"][2]


def test_wrong_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
    assert main(["sqlite:////nowhere/none.db", "engines"]) != 0
