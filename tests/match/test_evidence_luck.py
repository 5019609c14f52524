"""Luck: fair dice have none on average, whatever the bots and the values; sums are bounded."""

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tourney.games.base import CHANCE, OVER
from tourney.games.core_base import WIN
from tourney.games.registry import find_game
from tourney.match.evidence import CAP, POINT, Coefficient, draws, has_luck, largest_rise, luck_of, mean_luck
from tourney.match.record import Outcome, Record, make_record
from tourney.match.spec import Entrant, MatchSpec
from tourney.seeds import derive


def record_of(seed: int, seats: int = 2, game: str = "sage-stones") -> Record:
    """A match of random bots."""
    rules = find_game(game)
    state = rules.new(seats)
    actions: list[tuple[int, str]] = []
    while state.actor != OVER:
        draw = derive(seed, "luck", len(actions))
        if state.actor == CHANCE:
            action = state.outcome(draw)
        else:
            legal = state.legal_actions()
            action = legal[draw * len(legal) >> 64]
        actions.append((state.actor, rules.action_string(action)))
        state = state.play(action)
    bots = tuple(Entrant(f"bot-{seat}", "random", "1", (), "0" * 64) for seat in range(seats))
    _, options = rules.settings(seats)
    spec = MatchSpec(game, tuple(options.items()), bots, seed)
    ranks = state.ranks()
    assert ranks is not None
    return make_record(spec, rules.rules, actions, Outcome(ranks, state.reason(), ()))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_luck_of_a_draw_is_0_on_average(seats: int) -> None:
    """By weight over all outcomes; each is replayed as if it had been drawn."""
    game, record = find_game("sage-stones"), record_of(1, seats)
    place = [actor for actor, _ in record.actions].index(CHANCE, 12)
    state = game.new(seats, record.options)
    for _, text in record.actions[:place]:
        state = state.play(game.parse_action(text))
    sums = [0] * seats
    for outcome, weight in zip(state.legal_actions(), state.chance_weights(), strict=True):
        actions = (*record.actions[:place], (0, game.action_string(outcome)))
        *_, drawn = draws(_with(record, actions), game)
        assert drawn.ply == place
        assert max(map(abs, drawn.luck)) <= drawn.most
        sums = [total + weight * luck for total, luck in zip(sums, drawn.luck, strict=True)]
    assert max(map(abs, sums)) <= sum(state.chance_weights())  # rounding of the mean alone


def _with(record: Record, actions: Sequence[tuple[int, str]]) -> Record:
    return make_record(record.spec, record.rules, actions, record.outcome)


def test_luck_is_bounded_and_explains_results() -> None:
    pairs = []
    for seed in range(24):
        record = record_of(seed)
        luck = luck_of(record)
        assert max(map(abs, luck)) <= CAP
        pairs.append((1.5 - record.outcome.ranks[0], luck[0] / POINT))
    mean = [sum(column) / len(pairs) for column in zip(*pairs, strict=True)]
    products = [sum((a[i] - mean[i]) * (a[j] - mean[j]) for a in pairs) for i, j in ((0, 0), (0, 1), (1, 1))]
    assert products[1] / math.sqrt(products[0] * products[2]) > 0.5


def test_what_has_no_luck() -> None:
    assert has_luck(find_game("element"))
    assert not has_luck(find_game("sages-tafl"))
    record = record_of(3)
    assert luck_of(_with(record, [(0, "roll-9"), *record.actions[1:]])) == ()
    assert luck_of(_other_rules(record)) == ()


def _other_rules(record: Record) -> Record:
    return make_record(record.spec, "0", record.actions, record.outcome)


def test_coefficient_is_that_of_earlier_groups() -> None:
    found = Coefficient()
    assert found.value == 0
    found.add([(0.5 + luck, luck) for luck in (-0.4, -0.2, 0.1, 0.3) * 4])
    assert 0.5 < found.value < 1
    found.add([(0.5 + 3 * luck, luck) for luck in (-0.3, 0.3) * 50])
    assert found.value == 1
    found.add([(0.5 - 9 * luck, luck) for luck in (-0.3, 0.3) * 90])
    assert found.value == 0


def test_dice_that_are_known_raise_an_alarm() -> None:
    fair = mean_luck([POINT // 5, -POINT // 5] * 50, 100)
    assert (fair.mean, fair.z, fair.alarm) == (0, 0, False)
    known = mean_luck([POINT // 5, -POINT // 10] * 100, 200)
    assert known.mean == pytest.approx(0.05)
    assert known.alarm
    assert mean_luck([], 0).z == 0


@pytest.mark.parametrize("game", ["sage-stones", "sages-tafl"])
def test_largest_rise_is_of_one_action_before_the_end(game: str) -> None:
    record = record_of(3, game=game)
    rules = find_game(game)
    for seat in (1, 2):
        state = rules.new(2, record.options)
        values = [rules.values(state)[seat - 1]]
        for _, text in record.actions[:-1]:
            state = state.play(rules.parse_action(text))
            values.append(rules.values(state)[seat - 1])
        rise = largest_rise(record, seat)
        assert rise is not None
        assert round((rise.after - rise.before) * POINT) == max(b - a for a, b in pairwise(values))
        assert rise.before == pytest.approx((values[rise.ply] + WIN) / POINT)


def test_record_without_rules_has_no_rise() -> None:
    record = record_of(3)
    assert largest_rise(make_record(record.spec, "999", record.actions, record.outcome), 1) is None
    assert largest_rise(_with(record, [*record.actions[:4], (1, "nonsense")]), 1) is None
