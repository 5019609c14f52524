"""The report's tables agree with the standings and pairs."""

from fractions import Fraction

import pytest

from tests.report import world
from tests.report.conftest import Report
from tourney.report.output.layout import Options
from tourney.report.pages.bot import faults
from tourney.report.pages.overview import seat_lines
from tourney.report.pages.pair import crosstable, meetings, residual_step, superiority
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import units_of_win
from tourney.store.database import Database
from tourney.store.derived import DrawProbability
from tourney.store.values import MatchResult


@pytest.fixture(params=[2, 3, 4])
def source(repository: Database, request: pytest.FixtureRequest) -> ReportSource:
    tournament = world.begin(repository, "abcde", seats=request.param, games=24)
    world.play_all(repository, tournament, void=(2,), most=60)
    return load(repository, tournament)


def test_seat_totals_add_up_to_the_standings(source: ReportSource) -> None:
    for line in source.standings:
        totals = [totals for (number, _), totals in source.seat_totals.items() if number == line.number]
        sums = [sum(values) for values in zip(*totals, strict=True)] or [0] * 5
        assert (sums[0], *sums[2:4]) == (line.games, line.wins, line.draws)
        assert Fraction(sums[1], units_of_win(source.tournament.seats)) == line.points


def test_seats_share_the_points_of_all_matches(source: ReportSource) -> None:
    counted = len(source.matches) - 1
    seats = source.tournament.seats
    total = sum(totals.units for totals in source.seat_totals.values())
    assert Fraction(total, units_of_win(seats)) == Fraction(counted * seats, 2)
    assert [line.totals.games for line in seat_lines(source)] == [counted] * seats


def test_meetings_add_up_to_the_pairs(source: ReportSource) -> None:
    met = {key: (len(rows), sum(row.half for row in rows)) for key, rows in meetings(source).items()}
    assert {(pair.entrant, pair.opponent): (pair.games, pair.half_points) for pair in source.pairs} == met


def test_crosstable_has_every_pair_both_ways(source: ReportSource) -> None:
    cross = crosstable(renderer(source, Options()))
    order = [line.number for line, _ in cross.lines]
    assert order == [line.number for line in source.standings]
    for i, (_, cells) in enumerate(cross.lines):
        assert cells[i] is None
        for j, cell in enumerate(cells):
            back = cross.lines[j][1][i]
            if cell is not None:
                assert back is not None
                assert (cell.half_points + back.half_points) / 2 == cell.games == back.games
                assert cell.shade + back.shade in {7, 8, 9}


def test_expected_scores_of_a_pair_add_up_to_one(source: ReportSource) -> None:
    assert source.meetings.keys() == {(pair.entrant, pair.opponent) for pair in source.pairs if pair.games}
    for (a, b), meeting in source.meetings.items():
        back = source.meetings[b, a]
        assert meeting.expected + back.expected == pytest.approx(1)
        assert meeting.z == -back.z


def test_residuals_are_in_standard_deviations() -> None:
    assert [residual_step(z) for z in (0.0, 0.9, -0.9, 1.2, -2.2, 9.0, -9.0)] == [4, 4, 4, 5, 2, 7, 1]


def test_empty_tournament_has_empty_tables(repository: Database) -> None:
    source = load(repository, world.begin(repository, "abc"))
    assert len(faults(source)) == len(meetings(source)) == len(source.seat_totals) == 0


def test_void_matches_are_not_counted_as_meetings(report: Report) -> None:
    assert {match.number for match in report.source.matches if match.result.void} == {4}
    assert 4 not in {row.match.number for rows in meetings(report.source).values() for row in rows}


def test_superiority_has_every_pair_both_ways(source: ReportSource) -> None:
    better = superiority(renderer(source, Options()))
    assert [line for line, _ in better.lines] == list(source.batch.ratings)
    assert len(list(better.download.rows)) == 10
    for i, (_, cells) in enumerate(better.lines):
        assert cells[i] is None
        for j, cell in enumerate(cells):
            back = better.lines[j][1][i]
            if cell is not None:
                assert back is not None
                assert cell.los + back.los == pytest.approx(1)
                assert cell.shade + back.shade in {7, 8, 9}
                assert (cell.los >= 0.5) == (i < j) or cell.los == pytest.approx(0.5, abs=0.0005)
    assert sum(line.p_best for line, _ in better.lines) == pytest.approx(1, abs=0.03)


def test_notes_name_the_limits_of_the_ratings(repository: Database) -> None:
    tournament = world.begin(repository, "abcd", games=2)
    looked, prior = load(repository, tournament).pool_notes
    assert looked.startswith("The number of matches was open: ")
    assert prior == "No match has been rated yet, so the intervals are those of the prior."
    rows = dict(repository.schedules.rows(tournament.id))
    entrants = repository.tournaments.entrants(tournament.id)
    for number, row in rows.items():
        if set(row.seats) in ({0, 1}, {2, 3}):
            match = world.played(spec_of(tournament, entrants, row), number)
            repository.matches.add(tournament.id, [MatchResult(number, match)])
    notes = load(repository, tournament).pool_notes
    assert notes[1].startswith("No match connects these 2 groups of bots")
    assert any("Seats, in Elo relative to their mean: seat 1: " in note for note in notes)


def test_stored_draw_probability_is_used(repository: Database) -> None:
    tournament = world.begin(repository, "abc", games=4)
    world.play_all(repository, tournament)
    before = load(repository, tournament)
    kept = DrawProbability(0.4, "cup", 12)
    repository.ratings.keep_draw_probability(tournament.game, tournament.seats, kept)
    after = load(repository, tournament)
    assert after.settings.draw_probability == 0.4
    assert after.ratings != before.ratings
    assert after.batch == before.batch
