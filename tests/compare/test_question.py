"""What all questions share: pairs by batches, and numbers as they are published."""

import math

import pytest

from tourney.compare.comparison import ComparisonFormat
from tourney.compare.question import BatchSums, PairBatch, added, rounded
from tourney.errors import TournamentError
from tourney.schedule.format import Participant, Setup
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
    sums.add(results[:4])
    sums.add(results[4:])
    assert sums.batches == {
        1: [PairBatch((0, 1, 0, 0, 0), 1), PairBatch((1, 0, 0, 0, 0), 0)],
        2: [PairBatch((0, 0, 1, 0, 0), 0)],
    }
    assert added(sums.batches[1]) == PairBatch((1, 1, 0, 0, 0), 1)
    assert PairBatch((0,) * 5, 3).all_lost


def test_unbounded_ends_have_no_number() -> None:
    assert (rounded(-math.inf), rounded(None), rounded(-0.01)) == (None, None, 0.0)
    assert math.copysign(1, rounded(-0.01) or 0.0) == 1


@pytest.mark.parametrize("extra", [(), (("alpha", "x"), ("batch", 1)), (("batch", 0), ("width", "wide"))])
def test_damaged_settings_are_refused(extra: tuple[tuple[str, int | str], ...]) -> None:
    setup = Setup((Participant(0), Participant(1)), 2, 1, extra=extra)
    with pytest.raises(TournamentError, match="the settings of the comparison cannot be read"):
        ComparisonFormat().check(setup)
