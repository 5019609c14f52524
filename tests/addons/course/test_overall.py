"""One ranking over tournaments: points by places, strengths in units of the spread, and missing entrants."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.addons.course.results import tournament
from tests.support.tournaments import begin, refused
from tourney.addons.course.overall import overall
from tourney.errors import UsageError
from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        tournament(opened, "first", 4, games=8)
        tournament(opened, "second", 3, games=8)
        yield opened


def test_places_give_points_and_missing_tournaments_none(database: Database) -> None:
    lines = {line.name: line for line in overall(database, ("first", "second"), "places")}
    # Places of 4 give 100, 66.7, 33.3 and 0 points, places of 3 give 100, 50 and 0.
    assert [round(lines[name].value or 0, 2) for name in "abcd"] == [100, 58.33, 16.67, 0]
    assert [lines[name].rank for name in "abcd"] == [1, 2, 3, 4]
    assert lines["d"].missing == ("second",)
    assert lines["d"].parts[1].place is None
    assert (lines["b"].parts[0].place, lines["b"].parts[0].entrants) == (2, 4)
    for line in lines.values():
        assert line.low is not None
        assert line.high is not None
        assert 0 <= line.low <= (line.value or 0) <= line.high <= 100


def test_strength_is_in_units_of_each_spread(database: Database) -> None:
    lines = {line.name: line for line in overall(database, ("first", "second"), "strength")}
    assert [lines[name].rank for name in "abcd"] == [1, 2, 3, None]
    assert lines["d"].value is None
    first, second = (part.value or 0 for part in lines["a"].parts)
    assert lines["a"].value == pytest.approx((first + second) / 2, abs=1e-3)
    assert sum(lines[name].parts[1].value or 0 for name in "abc") == pytest.approx(0, abs=5e-3)
    assert (lines["a"].low or 0) < (lines["a"].value or 0) < (lines["a"].high or 0)


def test_left_out_entrants_take_no_place(database: Database) -> None:
    lines = overall(database, ("first", "second"), "places", ("a",))
    assert [(line.name, line.parts[0].place) for line in lines] == [("b", 1), ("c", 2), ("d", 3)]
    with refused(UsageError, "no tournament has an entrant eve"):
        overall(database, ("first", "second"), "places", ("eve",))


def test_tied_entrants_share_the_points(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "ties.db"), create=True) as database:
        for name in ("first", "second"):
            tournament(database, name, 3, lambda _, names: (1,) * len(names))
        assert [line.value for line in overall(database, ("first", "second"), "places")] == [50, 50, 50]


def test_same_tournaments_give_the_same_interval(database: Database) -> None:
    one, two = (overall(database, ("first", "second"), "places") for _ in range(2))
    assert one == two


def test_tournaments_that_cannot_be_ranked_are_refused(database: Database) -> None:
    with refused(UsageError, "name two different tournaments or more"):
        overall(database, ("first", "first"), "places")
    begin(database, name="open")
    with refused(UsageError, "open is not finished"):
        overall(database, ("first", "open"), "places")
