"""Evidence by betting: its error rates at every look, and Holm's procedure on it."""

import math
from collections.abc import Iterator

import pytest

from tourney.ratings.betting import evidence, holm, needed
from tourney.ratings.sprt import expected_score
from tourney.seeds import U64, derive


def batches(run: int, elo: float, drawn: float, count: int = 24, size: int = 8) -> Iterator[list[int]]:
    """Yield batches of pairs of a bot that is ``elo`` stronger, with this share of drawn games."""
    won = expected_score(elo) - drawn / 2
    for batch in range(count):
        counts = [0] * 5
        for pair in range(size):
            points = 0
            for game in (1, 2):
                u = derive(run, "pair", batch, pair, game) / U64
                points += 2 if u < won else 1 if u < won + drawn else 0
            counts[points] += 1
        yield counts


@pytest.mark.parametrize("drawn", [0.0, 0.6])
def test_true_nulls_are_rarely_rejected_at_any_look(drawn: float) -> None:
    """In at most 5 % of runs that are watched for 24 batches; with 200 runs 16 is three deviations above."""
    for null, alternative in ((0, 40), (0, -40), (30, 70)):
        runs = [list(batches(run, null, drawn)) for run in range(200)]
        wrong = sum(evidence(run, null, alternative) >= needed(1, 0.05) for run in runs)
        assert wrong <= 16


def test_true_alternatives_are_mostly_found() -> None:
    found = sum(evidence(batches(run, 80, 0.3), 0, 80) >= needed(1, 0.05) for run in range(50))
    assert found >= 45


def test_first_bet_follows_from_the_alternative_alone() -> None:
    gap = expected_score(20) - 0.5
    bet = gap / (0.125 + gap**2)
    assert evidence([[0, 0, 0, 0, 1]], 0, 20) == pytest.approx(math.log1p(bet / 2), abs=1e-6)
    assert evidence([[1, 0, 0, 0, 0]], 0, 20) == 0
    assert evidence([[1, 0, 0, 0, 0]], 0, -20) == evidence([[0, 0, 0, 0, 1]], 0, 20)


def test_evidence_never_falls() -> None:
    run = list(batches(3, 40, 0.2))
    looks = [evidence(run[:k], 0, 40) for k in range(len(run) + 1)]
    assert looks[0] == 0
    assert looks == sorted(looks)
    assert looks[-1] > 0


def test_holm_rejects_step_by_step() -> None:
    enough = [needed(k, 0.05) for k in (1, 2, 3)]
    assert holm([], 0.05) == ()
    assert holm([enough[0]], 0.05) == (True,)
    assert holm([enough[1], enough[2], enough[0]], 0.05) == (True, True, True)
    assert holm([enough[1], enough[2], enough[0] - 0.01], 0.05) == (True, True, False)
    assert holm([enough[1], enough[1], enough[1]], 0.05) == (False, False, False)
