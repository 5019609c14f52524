"""The frames add up to what the store's own standings and pairs say."""

from fractions import Fraction

import pytest

from tests.report import world
from tests.report.conftest import Report
from tourney.ratings.trueskill_rating import Settings
from tourney.report.crosstable import crosstable, expected, residual_step
from tourney.report.frames import meetings, points_of, seat_frame, tally
from tourney.report.source import Source, load
from tourney.store.repository import Repository


@pytest.fixture(params=[2, 3, 4])
def source(repository: Repository, request: pytest.FixtureRequest) -> Source:
    tournament = world.begin(repository, "abcde", seats=request.param, games=24)
    world.play_all(repository, tournament, void=(2,), most=60)
    return load(repository, tournament)


def test_tallies_are_the_standings(source: Source) -> None:
    table = tally(seat_frame(source), "entrant").to_dict("index")
    assert len(table) >= source.tournament.seats
    for line in source.standings:
        row = table.get(line.number, dict.fromkeys(("games", "wins", "draws", "losses", "units"), 0))
        assert [row["games"], row["wins"], row["draws"], row["losses"]] == [
            line.games,
            line.wins,
            line.draws,
            line.losses,
        ]
        assert points_of(row["units"], source.tournament.seats) == line.points


def test_seats_share_the_points_of_all_matches(source: Source) -> None:
    frame = seat_frame(source)
    counted = len(source.matches) - 1
    table = tally(frame, "seat")
    total = points_of(int(table["units"].sum()), source.tournament.seats)
    assert total == Fraction(counted * source.tournament.seats, 2)
    assert list(table["games"]) == [counted] * source.tournament.seats


def test_meetings_are_the_pairs(source: Source) -> None:
    met = meetings(seat_frame(source)).groupby(["entrant", "opponent"])["half"].agg(["size", "sum"])
    assert {(pair.entrant, pair.opponent): (pair.games, pair.half_points) for pair in source.pairs} == {
        key: (int(row["size"]), int(row["sum"])) for key, row in met.to_dict("index").items()
    }


def test_the_crosstable_holds_every_pair_once_each_way(source: Source) -> None:
    cross = crosstable(source)
    order = [line.person.number for line in cross.lines]
    assert order == [line.number for line in source.standings]
    for i, line in enumerate(cross.lines):
        assert line.cells[i] is None
        for j, cell in enumerate(line.cells):
            back = cross.lines[j].cells[i]
            if cell is not None:
                assert back is not None
                assert float(cell.score) + float(back.score) == cell.games == back.games
                assert cell.shade + back.shade in {7, 8, 9}


def test_expected_scores_add_up_to_one() -> None:
    strong, weak = (40.0, 2.0), (20.0, 3.0)
    settings = Settings()
    assert expected(settings, strong, weak) + expected(settings, weak, strong) == pytest.approx(1)
    assert expected(settings, strong, strong) == 0.5
    assert expected(settings, strong, weak) > 0.99


def test_residuals_are_in_standard_errors() -> None:
    assert residual_step(0.5, 0.5, 100) == 4
    assert residual_step(0.54, 0.5, 100) == 4
    assert residual_step(0.56, 0.5, 100) == 5
    assert residual_step(0.39, 0.5, 100) == 2
    assert residual_step(1.0, 0.5, 100) == 7
    assert residual_step(0.0, 1.0, 1) == 1


def test_an_empty_tournament_has_empty_tables(repository: Repository) -> None:
    source = load(repository, world.begin(repository, "abc"))
    frame = seat_frame(source)
    assert len(frame) == len(meetings(frame)) == len(tally(frame, "seat")) == 0


def test_void_matches_are_in_the_frame_and_count_for_nothing(report: Report) -> None:
    frame = seat_frame(report.source)
    assert set(frame[frame["void"]]["match"]) == {4}
    assert 4 not in set(meetings(frame)["match"])
