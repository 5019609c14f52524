"""The plots of a match: every number that bots printed, times, and clocks by the referee's rule."""

import pytest

from tests.support.tables import make_spec
from tourney.match.record import Outcome, Record, make_record
from tourney.match.spec import Limits
from tourney.report.display import SeatLabel
from tourney.report.pages.bot_info import MatchInfo, SeatInfo
from tourney.report.pages.match_script import clocks_by_seat, clocks_left, match_plots, times_by_seat

SEATS = (SeatLabel(1, "Black", "black"), SeatLabel(2, "Red", "red"))


def record(actors: str, limits: Limits) -> Record:
    actions = [(int(actor), "a") for actor in actors]
    return make_record(make_spec(limits=limits), "1", actions, Outcome((1, 1), "row", ()))


def info(**columns: tuple[float | str | None, ...]) -> MatchInfo:
    return MatchInfo({1: SeatInfo(tuple(range(1, 1 + len(next(iter(columns.values()))))), columns)})


def test_each_number_has_a_plot_and_scores_come_first() -> None:
    found = list(match_plots(info(depth=(1, 2), pv=("a", "b"), score=(3, 4.5)), {}, {}, {}, SEATS, 2))
    assert [plot.name for plot in found] == ["score", "info-depth"]
    assert [plot.open for plot in found] == [True, False]
    assert [plot.seats for plot in found] == [SEATS[:1]] * 2
    assert 'aria-label="Score by action, from 3 to 4.5"' in found[0].svg


def test_plots_below_the_board_share_the_numbers_of_plies() -> None:
    plots = list(match_plots(info(depth=(1, 2), nodes=(10, 40), score=(3, 4.5)), {}, {}, {}, SEATS, 2))
    assert ['id="plies"' in plot.svg for plot in plots] == [False, True, False]
    assert ['<use href="#plies"/>' in plot.svg for plot in plots] == [False, False, True]
    assert 'class="x"' in plots[0].svg, "charts beside the board have larger letters"


def test_plots_are_described_by_short_numbers() -> None:
    (plot,) = match_plots(info(depth=(-32.122167, 100)), {}, {}, {}, SEATS, 2)
    assert 'aria-label="depth by action, from \u221232.1 to 100"' in plot.svg


def test_scores_of_known_units_are_chances_of_the_first_seat() -> None:
    """As a bot of the SDK prints them on seat 1, and an engine on seat 2."""
    one = SeatInfo((1, 3), {"score": (0.5, 1)})
    two = SeatInfo((2, 4, 6), {"score": (0.3, 999, 1.2), "win": (0.6, None, 0.7), "mate": (None, 1, None)})
    chance, *others = match_plots(MatchInfo({1: one, 2: two}), {}, {}, {}, SEATS, 6)
    assert (chance.name, chance.title, chance.open) == ("win", "Chance to win, %", True)
    assert chance.note == "Black's chance, as seen by"
    assert 'aria-label="Chance to win, % by action, from 0 to 100"' in chance.svg
    assert [plot.name for plot in others] == []
    (score,) = match_plots(MatchInfo({1: SeatInfo((1, 3), {"score": (0.5, 1.5)})}), {}, {}, {}, SEATS, 6)
    assert score.name == "score"


def test_scores_of_very_different_sizes_have_plots_of_their_own() -> None:
    one = SeatInfo((1, 3), {"score": (3e9, 2e9)})
    two = SeatInfo((2, 4), {"score": (1.5, -2.0)})
    plots = list(match_plots(MatchInfo({1: one, 2: two}), {}, {}, {}, SEATS, 4))
    assert [(plot.name, plot.title, plot.seats) for plot in plots] == [
        ("score-1", "Score of Black", SEATS[:1]),
        ("score-2", "Score of Red", SEATS[1:]),
    ]
    assert all(plot.open and plot.beside for plot in plots)
    assert "from -2 to 1.5" in plots[1].svg.replace("\u2212", "-"), "from its own point of view"
    alike = SeatInfo((2, 4), {"score": (1e9, 5e9)})
    (both,) = match_plots(MatchInfo({1: one, 2: alike}), {}, {}, {}, SEATS, 4)
    assert (both.name, both.seats) == ("score", SEATS)


def test_one_value_is_no_plot() -> None:
    assert not list(match_plots(info(score=(1.0,)), {1: [(1, 5.0)]}, {}, {}, SEATS, 9))


def test_keys_with_the_names_of_plots_are_plots_of_their_own() -> None:
    times = {2: [(1, 1.0), (2, 2.0)]}
    found = list(match_plots(info(time=(7, 8), clock=(1, 2)), times, {}, {}, SEATS, 2))
    assert [plot.name for plot in found] == ["time", "info-time", "info-clock"]
    assert [plot.seats for plot in found] == [SEATS[1:], SEATS[:1], SEATS[:1]]


def test_times_are_by_seat_without_chance_and_what_was_not_measured() -> None:
    assert times_by_seat(record("0121", Limits()), [9.0, 1.0, None, 2.5]) == {1: [(2, 1.0), (4, 2.5)]}


def test_clocks_follow_the_referees_rule() -> None:
    """An increment after each action; a debt of at most the margin; dice cost nothing."""
    limits = Limits(clock_ms=1000, increment_ms=10)
    left = clocks_left(record("01211", limits), [None, 100.0, 999.75, 5000.0])
    assert left == [(1000, 1000), (1000, 1000), (910, 1000), (910, 10), (-40, 10), (-40, 10)]
    by_seat = clocks_by_seat(left)
    assert by_seat[2] == [(0, 1.0), (2, 1.0), (3, 0.01), (5, 0.01)]


@pytest.mark.parametrize(
    ("limits", "times"),
    [
        (Limits(move_ms=9), [1.0]),
        (Limits(clock_ms=9), []),
        (Limits(clock_ms=9, charge="cpu"), [1.0]),
    ],
)
def test_unknown_clocks_are_left_out(limits: Limits, times: list[float | None]) -> None:
    assert clocks_left(record("1", limits), times) == []
    assert clocks_by_seat([]) == {}
