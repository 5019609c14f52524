"""What ``[until]`` decides: answers from simulated results, and how near they are."""

import pytest

from tests.support.schedules import play_out, results
from tourney.match.evidence import POINT, Evidence
from tourney.results.interval_widths import look_of
from tourney.results.until import as_planned, ended_by, ending_text, progress_text
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Format, History, Participant, Setup
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import MatchKey, ResultRow
from tourney.schedule.until_rule import CyclePoints, Duels, Until

STRONG = (600, 300, 100, -100, -300, -600)
NAMES = [f"bot-{number}" for number in range(6)]


def setup_of(until: Until, entrants: int = 6, seats: int = 2, repeats: int = 200) -> Setup:
    players = tuple(Participant(number, NAMES[number]) for number in range(entrants))
    return Setup(players, seats, 7, repeats, extra=until.extra())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("until", "kind", "entrants", "words"),
    [
        (Until(best=9500), "best", (0,), "bot-0 is the best, with 95 % confidence"),
        (Until(top=2), "top", (0, 1), "the best 2 are bot-0, bot-1, with 95 % confidence"),
        (Until(order=True), "order", (0, 1, 2, 3, 4, 5), "the order is bot-0, bot-1, "),
        (Until(width=100), "width", (), "every Elo is known to 100 on each side"),
    ],
)
@pytest.mark.parametrize("format_", [RoundRobin(), Adaptive()])
def test_answer_ends_the_tournament(
    format_: Format, until: Until, kind: str, entrants: tuple[int, ...], words: str
) -> None:
    adaptive = isinstance(format_, Adaptive)
    asked = Until(until.width, until.best, until.top, until.order, 6000 if adaptive else None)
    setup = setup_of(asked, repeats=1 if adaptive else 200)
    history = play_out(format_, setup, STRONG)[-1]
    found = ended_by(format_, setup, history)
    assert found is not None
    assert (found.kind, found.entrants) == (kind, entrants)
    assert words in ending_text(found, asked, NAMES)
    assert f"ended early: {words}" in progress_text(setup, history, format_.name, complete=True)
    assert not as_planned(format_, setup, len(history.rows))


@pytest.mark.parametrize(
    ("strengths", "most"), [((150, 0, -20, -40, -60, -3000), 1080), ((3000, 0, -10, -20, -30, -40), 360)]
)
def test_bots_without_points_or_losses_block_no_answer(strengths: tuple[int, ...], most: int) -> None:
    """The best of six bots is known before the 40 cycles of 30 matches are played."""
    setup = setup_of(Until(best=9500), repeats=40)
    history = play_out(RoundRobin(), setup, strengths)[-1]
    found = ended_by(RoundRobin(), setup, history)
    assert found is not None
    assert (found.kind, found.entrants) == ("best", (0,))
    assert len(history.rows) <= most


def test_equal_bots_are_played_out() -> None:
    setup = setup_of(Until(best=9500), entrants=3, repeats=40)
    history = play_out(RoundRobin(), setup, (0, 0, 0))[-1]
    assert ended_by(RoundRobin(), setup, history) is None
    assert as_planned(RoundRobin(), setup, len(history.rows))
    assert len(history.rows) == 240
    assert "it is not reached that the best is known" in progress_text(
        setup, history, "round-robin", complete=True
    )


def test_games_are_the_reason_where_they_end_it() -> None:
    setup = setup_of(Until(best=9500, games=240), entrants=3, repeats=200)
    history = play_out(RoundRobin(), setup, (0, 0, 0))[-1]
    found = ended_by(RoundRobin(), setup, history)
    assert found is not None
    assert found.kind == "games"
    assert as_planned(RoundRobin(), setup, len(history.rows))


def test_target_sigma_ends_a_tournament_by_its_results() -> None:
    """Its intervals are those that hold at every look, unless the budget ended it."""
    extra = (("budget", 400), ("target-sigma", 60))
    setup = Setup(setup_of(Until(games=1)).participants, 2, 7, 1, extra=extra)
    assert not as_planned(Adaptive(), setup, 120)
    assert as_planned(Adaptive(), setup, 400)
    alone = Setup(setup.participants, 2, 7, 1, extra=extra[1:])
    assert not as_planned(Adaptive(), alone, 120)


def test_running_tournament_says_how_near_it_is() -> None:
    setup = setup_of(Until(width=20, best=9000), entrants=3)
    rows = RoundRobin().next_rounds(setup, History()).rows
    text = progress_text(setup, History(rows, results(rows, STRONG)), "round-robin", complete=False)
    assert text.startswith(
        "goes on until each Elo is known to 20 on each side or the best is known with 90 %"
    )
    assert "the widest interval is " in text


def test_look_is_tuned_for_width() -> None:
    wide, narrow = (look_of(RoundRobin(), setup_of(Until(width=width))) for width in (100, 1))
    assert wide.games < narrow.games == 200 * 2 * 5


def test_duels_take_groups_as_units() -> None:
    split = [
        ResultRow(MatchKey(1, table, 1, order), seats, (1, 2))
        for table in range(1, 41)
        for order, seats in ((1, (0, 1)), (2, (1, 0)))
    ]
    history = History(results=split)
    shared, single = history.sums(Duels), history.sums(Duels, shared_dice=False)
    assert (shared.groups(0, 1), single.groups(1, 0)) == (40, 80)
    assert shared.lead(0, 1)[0] == single.lead(0, 1)[0] == 0
    assert shared.lead(0, 1)[1] < single.lead(0, 1)[1], "mirrored games that compensate vary less"


def test_cycles_compare_points_against_any_opponents() -> None:
    """In each cycle 0 beats 1, 1 beats 2, and 2 draws with 0."""
    games = (((0, 1), (1, 2)), ((1, 2), (1, 2)), ((2, 0), (1, 1)))
    cycles = CyclePoints(3, meetings=2)
    for round_ in range(1, 5):
        cycles.take([ResultRow(MatchKey(round_, k, 1, 1), *game) for k, game in enumerate(games, 1)])
    cycles.take([ResultRow(MatchKey(5, 1, 1, 1), (0, 1), (1, 2))])
    assert cycles.groups(2, 0) == 4
    assert cycles.lead(0, 1)[0] == pytest.approx(4 * 0.125 / 6)
    assert cycles.lead(2, 0)[0] == pytest.approx(-4 * 0.25 / 6)
    assert cycles.points[0] > cycles.points[1] > cycles.points[2]


def test_duels_count_no_void_matches() -> None:
    lost = ResultRow(MatchKey(1, 1, 1, 1), (0, 1), (1, 1), void=True)
    duels = Duels()
    duels.take([lost])
    assert duels.groups(0, 1) == 0
    assert not duels.ahead(0, 1, 0.05)


def test_luck_is_subtracted_by_the_share_of_earlier_rounds() -> None:
    """Luck alone decides: without it the bots are equal, and the error of the lead is a fraction."""
    errors = []
    for known in (1, 0):
        duels = Duels(shared_dice=False)
        for round_ in range(1, 41):
            luck = known * POINT // 2 * (-1) ** (round_ // 2)
            ranks = (1, 2) if round_ // 2 % 2 == 0 else (2, 1)
            evidence = Evidence("", "", (luck, -luck) if luck else (), 1)
            row = ResultRow(MatchKey(round_, 1, 1, 1), (0, 1), ranks, evidence=evidence)
            duels.take([row])
        errors.append(duels.lead(0, 1)[1])
    assert errors[0] < 0.8 * errors[1]
