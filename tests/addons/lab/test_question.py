"""What all questions share: pairs by batches, and numbers as they are published."""

import math

import pytest

from tourney.addons.lab.comparison import ComparisonFormat
from tourney.addons.lab.question import BatchSums, PairBatch, added, rounded
from tourney.errors import TournamentError
from tourney.match.evidence import POINT, Evidence
from tourney.ratings.sequential import pair_scores
from tourney.schedule.format import Participant, Setup, find_format
from tourney.schedule.ranking_rule import BY_POINTS
from tourney.schedule.row import Row


def test_pairs_are_counted_by_table_and_batch() -> None:
    """The bot's half-points of both games count together, and a void game loses the pair."""
    results = []
    for round_, table, repeat, ranks in (
        (1, 1, 1, ((1, 2), (2, 1))),
        (1, 1, 2, ((1, 1), (1, 2))),
        (1, 2, 1, ((1, 2), (1, 2))),
        (2, 1, 1, ((2, 1), (1, 2))),
    ):
        for order, (seats, rank) in enumerate(zip(((0, table), (table, 0)), ranks, strict=True), 1):
            results.append(Row(round_, table, repeat, order, seats).result(rank))
    results[0] = results[0]._replace(void=True)
    sums = BatchSums()
    sums.take(results[:4])
    sums.take(results[4:])
    assert {table: [batch[:3] for batch in found] for table, found in sums.batches.items()} == {
        1: [((0, 1, 0, 0, 0), 1, 2), ((1, 0, 0, 0, 0), 0, 2)],
        2: [((0, 0, 1, 0, 0), 0, 2)],
    }
    assert added(sums.batches[1]) == PairBatch((1, 1, 0, 0, 0), 1, 4)
    assert PairBatch((0,) * 5, 3).all_lost


def test_luck_is_subtracted_as_earlier_batches_suggest() -> None:
    """The first batch has no share to subtract; void games have no luck."""
    sums = BatchSums()
    for round_ in (1, 2):
        results = []
        for repeat in range(1, 17):
            luck = POINT // 5 * (-1) ** repeat
            for order, seats in enumerate(((0, 1), (1, 0)), 1):
                mine = (1, 2) if (luck > 0) == (order == 1) else (2, 1)
                found = Evidence("", "", (luck, -luck) if order == 1 else (-luck, luck), 1)
                row = Row(round_, 1, repeat, order, seats).result(mine)
                results.append(row._replace(evidence=found))
        sums.take(results)
    first, second = sums.batches[1]
    assert first.scores(luck=True) == {0.0: 8, 1.0: 8}
    assert second.scores(luck=True) == {0.2: 8, 0.8: 8}
    assert (
        second.scores(luck=False) == pair_scores(second.pairs) == {0.0: 8, 0.25: 0, 0.5: 0, 0.75: 0, 1.0: 8}
    )
    assert added([first, second]).luck == 0


def test_unbounded_ends_have_no_number() -> None:
    assert (rounded(-math.inf), rounded(None), rounded(-0.01)) == (None, None, 0.0)
    assert math.copysign(1, rounded(-0.01) or 0.0) == 1


@pytest.mark.parametrize("extra", [(), (("alpha", "x"), ("batch", 1)), (("batch", 0), ("width", "wide"))])
def test_damaged_settings_are_refused(extra: tuple[tuple[str, int | str], ...]) -> None:
    setup = Setup((Participant(0), Participant(1)), 2, 1, extra=extra)
    with pytest.raises(TournamentError, match="the settings of the comparison cannot be read"):
        ComparisonFormat().check(setup)


def test_games_that_repeat_are_counted_once() -> None:
    """A game repeats an earlier one of the same seats and actions; void pairs count as nothing."""
    results = []
    for repeat, (play, void) in enumerate((("x", False), ("x", False), ("y", True), ("z", False)), 1):
        for order, seats in enumerate(((0, 1), (1, 0)), 1):
            row = Row(1, 1, repeat, order, seats).result((1, 2), void=void)
            results.append(row._replace(evidence=Evidence("", play if repeat < 4 else "")))
    sums = BatchSums()
    sums.take(results)
    assert added(sums.batches[1]).distinct == 4


@pytest.mark.parametrize("name", ["compare", "gate", "tune"])
def test_default_of_points_ranks_the_entrants_of_a_question(name: str) -> None:
    assert find_format(name).new_rule(2).tie_breaks == BY_POINTS
