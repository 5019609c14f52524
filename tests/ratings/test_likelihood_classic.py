"""The models of Ordo and BayesElo give the numbers that those programs print."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from tests.ratings.classic_pool import BAYESELO, BAYESELO_PERFECT, ORDO, PERFECT, POOL, Cell, games_of
from tourney.errors import UsageError
from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Counts, Found
from tourney.ratings.likelihood import MODELS, Bayes, Ordo


def counts_of(cells: Iterable[Cell]) -> Counts:
    """Return the counts of cells, each game a cluster by itself."""
    cells = list(cells)
    players = {cell.first for cell in cells} | {cell.second for cell in cells}
    return Counts.of_clusters(games_of(cells), players, 2)


def elo(batch: Batch) -> dict[int, float]:
    return {line.entrant: line.elo for line in batch.ratings}


def test_ordo_is_reproduced_to_its_rounding() -> None:
    assert elo(rate(counts_of(POOL), model=MODELS["ordo"])) == ORDO


def test_anchor_moves_all_ratings_alike() -> None:
    found = rate(counts_of(POOL), model=MODELS["ordo"], anchors={4: 2000.0})
    # ordo -a 2000 -A engine-4 prints these.
    assert elo(found) == {0: 2136.8, 1: 2094.1, 4: 2000.0, 3: 1950.1, 5: 1920.0, 2: 1904.9}
    anchor = next(line for line in found.ratings if line.entrant == 4)
    assert (anchor.low, anchor.high) == (2000.0, 2000.0)


@pytest.mark.parametrize(
    ("cells", "printed"), [(POOL, BAYESELO), ((*POOL, *PERFECT), BAYESELO_PERFECT)], ids=["pool", "perfect"]
)
def test_bayeselo_is_reproduced_to_its_rounding(cells: tuple[Cell, ...], printed: dict[int, int]) -> None:
    found = elo(rate(counts_of(cells), model=MODELS["bayeselo"]))
    assert found.keys() == printed.keys()
    for player, value in printed.items():
        assert abs(found[player] - value) <= 0.5


def test_ordo_refuses_a_player_that_won_all_games() -> None:
    with pytest.raises(
        UsageError, match="model ordo has no ratings for these results: they fall into 2 groups"
    ):
        rate(counts_of((*POOL, *PERFECT)), model=MODELS["ordo"])


def test_bayeselo_refuses_players_that_no_game_connects() -> None:
    apart: Found = Counter([(((0, 1), (1, 2), ()),), (((2, 3), (1, 1), ()),)])
    with pytest.raises(UsageError, match=r"model bayeselo has no ratings .* into 2 groups .* no game was"):
        rate(Counts.of_clusters(apart, range(4), 2), model=MODELS["bayeselo"])


def test_classic_models_refuse_three_seats() -> None:
    counts = Counts.of_clusters(Counter([(((0, 1, 2), (1, 2, 3), ()),)]), range(3), 3)
    with pytest.raises(UsageError, match="two players"):
        rate(counts, model=MODELS["ordo"])


@pytest.mark.parametrize("kind", [Ordo, Bayes])
def test_gradient_and_information_are_derivatives(kind: type[Ordo]) -> None:
    model = kind(counts_of(POOL))
    x = np.linspace(-0.5, 0.7, model.size)
    point, step = model.at(x), 1e-5
    for k in range(model.size):
        shift = step * np.eye(model.size)[k]
        up, down = model.at(x + shift), model.at(x - shift)
        assert (up.value - down.value) / (2 * step) == pytest.approx(point.gradient[k], rel=1e-5, abs=1e-5)
        bend = (down.gradient - up.gradient) / (2 * step)
        assert bend == pytest.approx(point.information[k], rel=1e-4, abs=1e-4)


def test_scores_of_clusters_add_up_to_the_gradient() -> None:
    counts = counts_of(POOL)
    model = Ordo(counts)
    x = np.linspace(-0.5, 0.7, model.size)
    scores = model.scores(x)
    total = np.zeros(model.size)
    np.add.at(total, scores.parameter, scores.value * counts.times[scores.cluster])
    assert total == pytest.approx(model.at(x).gradient)


@pytest.mark.parametrize("name", ["ordo", "bayeselo"])
def test_many_games_leave_ratings_and_superiority_finite(name: str) -> None:
    """The mean of these ratings is not determined by the games, however many there are."""
    many = [Cell(c.first, c.second, 10_000 * c.wins, 10_000 * c.draws, 10_000 * c.losses) for c in POOL]
    batch = rate(counts_of(many), model=MODELS[name])
    assert sum(line.p_best for line in batch.ratings) == pytest.approx(1)
    assert all(0 < line.high - line.low < 2 for line in batch.ratings)
    assert batch.pool.seats == ()
