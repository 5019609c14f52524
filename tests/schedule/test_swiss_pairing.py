"""Pairing of a Swiss round: score groups, floats and byes; and minimum-cost matchings on several levels."""

from itertools import combinations, groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.schedule.player_history import PairingCard
from tourney.schedule.swiss_pairing import (
    LARGEST,
    NO_COST,
    Edge,
    Pairs,
    _FloatChoice,
    choose_floats,
    match_levels,
    pair_group,
    pair_round,
)
from tourney.seeds import derive, stream, uniform


def fields(count: int, levels: int, rounds: int, seed: int) -> list[PairingCard]:
    """Return a possible field with ``levels`` scores after some rounds."""
    draw = stream(seed, "field")
    met: list[set[int]] = [set() for _ in range(count)]
    byes = set()
    for _ in range(rounds):
        near = draw(2)
        order = sorted(range(count), key=lambda k: near * k + draw(9))
        while len(order) > 1:
            a = order.pop(0)
            free = [b for b in order if b not in met[a]]
            if free:
                order.remove(free[0])
                met[a].add(free[0])
                met[free[0]].add(a)
        byes.update(order[:1])
    steps = sorted(draw(40) for _ in range(levels))
    scores = sorted((steps[draw(levels)] for _ in range(count)), reverse=True)
    return [
        PairingCard(
            number=number,
            score=scores[number],
            rank=number,
            met=dict.fromkeys(met[number], 1),
            floated=(draw(3) - 1, draw(3) - 1),
            balance=draw(3) - 1,
            last=draw(3) - 1,
            byes=(1,) if number in byes else (),
        )
        for number in range(count)
    ]


FIELDS = st.builds(
    fields, st.integers(2, 60), st.integers(1, 11), st.integers(0, 5), st.integers(0, 2**64 - 1)
)


def cost(step: _FloatChoice, pairs: Pairs) -> tuple[int, ...]:
    """Return the sums of a choice on all levels, repeated meetings first."""
    sums: list[tuple[int, ...]] = [(0, *NO_COST)]
    for a, b in pairs:
        across = step.cost(a, b) if step.group[a] != step.group[b] else NO_COST
        sums.append((int(b in step.foes[a]), *across))
    return tuple(map(sum, zip(*sums, strict=True)))


@settings(max_examples=250, deadline=None)
@given(FIELDS)
def test_examined_pairs_contain_the_best_choice(field: list[PairingCard]) -> None:
    """The costs equal those of the cheapest matching of the complete graph."""
    step = _FloatChoice(field, 3)
    edges: list[Edge] = []
    for a, b in combinations(range(step.size), 2):
        edges.append((a, b, cost(step, ((a, b),))))
    whole = match_levels(step.size, edges, 1)
    assert cost(step, choose_floats(field, 3)) == cost(step, whole)


@settings(max_examples=100, deadline=None)
@given(FIELDS)
def test_rest_of_every_group_is_paired_within_it(field: list[PairingCard]) -> None:
    """Every entrant is in one pair or has the bye; no meeting repeats without need."""
    floats = choose_floats(field, 3)
    pairs = pair_round(field, 3)
    assert sorted(k for pair in pairs for k in pair) == list(range(len(field) + len(field) % 2))
    again = [pair for pair in pairs if pair[1] < len(field) and field[pair[1]].number in field[pair[0]].met]
    assert set(again) <= set(floats)
    for a, b in pairs:
        if b < len(field) and field[a].score != field[b].score:
            assert (a, b) in floats


def plain(scores: list[int]) -> list[PairingCard]:
    return [PairingCard(number, score, number) for number, score in enumerate(scores)]


def test_last_of_group_meets_first_of_next() -> None:
    assert choose_floats(plain([4, 4, 4, 2, 2, 2]), 1) == ((2, 3),)


def test_odd_group_floats_one_step_at_a_time() -> None:
    """5-5-5, 4-4, 3: by two steps of one rather than one of two."""
    assert choose_floats(plain([5, 5, 5, 4, 4, 3]), 1) == ((2, 3), (4, 5))


def test_bye_goes_to_the_last_without_one() -> None:
    field = plain([2, 2, 2, 0, 0])
    assert choose_floats(field, 1) == ((2, 3), (4, 5))  # 5 stands for the bye
    field[4] = PairingCard(4, 0, 4, byes=(1,))
    assert choose_floats(field, 1) == ((2, 4), (3, 5))


def test_entrant_does_not_float_the_same_way_twice() -> None:
    field = plain([4, 4, 4, 2, 2, 2])
    field[2] = PairingCard(2, 4, 2, floated=(-1, 0))
    assert choose_floats(field, 1) == ((1, 3),)
    field[1] = PairingCard(1, 4, 1, floated=(0, -1))
    assert choose_floats(field, 1) == ((0, 3),)
    field[0] = PairingCard(0, 4, 0, floated=(-1, 0))
    assert choose_floats(field, 1) == ((1, 3),)  # two rounds before counts less than last time
    field[3] = PairingCard(3, 2, 3, floated=(1, 0))
    assert choose_floats(field, 1) == ((1, 4),)


def test_repeated_meeting_is_the_last_resort() -> None:
    three = [
        PairingCard(0, 4, 0, {1: 1, 2: 1}),
        PairingCard(1, 2, 1, {0: 1, 2: 1}),
        PairingCard(2, 0, 2, {0: 1, 1: 1}, byes=(1,)),
    ]
    assert choose_floats(three, 1) == (
        (0, 2),
        (1, 3),
    )  # one meeting must repeat
    both = [PairingCard(0, 4, 0, {1: 1}), PairingCard(1, 4, 1, {0: 1})]
    assert choose_floats(both, 1) == ((0, 1),)


def test_group_is_folded_at_its_middle() -> None:
    assert pair_group(plain([0] * 8), 1) == ((0, 4), (1, 5), (2, 6), (3, 7))
    assert pair_group([], 1) == ()


def group(leads: list[int], met: set[tuple[int, int]]) -> list[PairingCard]:
    return [
        PairingCard(k, 0, k, {b if a == k else a: 1 for a, b in met if k in (a, b)}, balance=lead)
        for k, lead in enumerate(leads)
    ]


def all_pairings(left: tuple[int, ...]) -> list[Pairs]:
    if not left:
        return [()]
    first = left[0]
    return [
        ((first, other), *rest)
        for other in left[1:]
        for rest in all_pairings(tuple(k for k in left[1:] if k != other))
    ]


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 4).flatmap(lambda h: st.lists(st.integers(-2, 2), min_size=2 * h, max_size=2 * h)),
    st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] < p[1]), max_size=5),
)
def test_group_is_paired_by_balance_then_by_fold(leads: list[int], met: set[tuple[int, int]]) -> None:
    """Compared with all pairings: the squares of the balances afterwards, then of the offsets."""
    half = len(leads) // 2
    free = [
        pairing for pairing in all_pairings(tuple(range(len(leads)))) if not any(p in met for p in pairing)
    ]
    if not free:
        return

    def worth(pairing: Pairs) -> tuple[int, int]:
        squares = 0
        for a, b in pairing:
            low, high = sorted((leads[a], leads[b]))
            squares += (low + 1) ** 2 + (high - 1) ** 2
        return squares, sum((b - a - half) ** 2 for a, b in pairing)

    found = pair_group(group(leads, met), 1)
    assert not met.intersection(found)
    assert worth(found) == min(map(worth, free))


@settings(max_examples=10, deadline=None)
@given(st.integers(30, 70), st.integers(0, 2**64 - 1))
def test_large_group_gets_the_best_pairing_of_the_complete_graph(half: int, seed: int) -> None:
    draw = stream(seed, "group")
    count = 2 * half
    met = {(k, (k + half + draw(9) - 4) % count) for k in range(count)}
    met = {(min(pair), max(pair)) for pair in met}
    field = group([draw(3) - 1 for _ in range(count)], met)
    middle = sorted(contender.balance for contender in field)[half]
    edges: list[Edge] = []
    for a, b in combinations(range(count), 2):
        if (a, b) not in met:
            one, two = field[a].balance, field[b].balance
            edges.append(
                (a, b, (abs(one - middle) + abs(two - middle) - abs(one - two), (b - a - half) ** 2))
            )
    costs = {(a, b): levels for a, b, levels in edges}
    whole = [costs[pair] for pair in match_levels(count, edges, 1)]
    found = [costs[pair] for pair in pair_group(field, 1)]
    assert list(map(sum, zip(*found, strict=True))) == list(map(sum, zip(*whole, strict=True)))


@pytest.mark.parametrize("met", [set(), {(k, k + LARGEST // 2 + 2) for k in range(LARGEST // 2 + 2)}])
def test_group_beyond_the_largest_is_paired_near_the_fold(met: set[tuple[int, int]]) -> None:
    """All entrants are paired with one they have not met, and balances still come first."""
    count = LARGEST + 4
    leads = [1 - 2 * (k // 2 % 2) for k in range(count)]
    pairs = pair_group(group(leads, met), 1)
    assert sorted(k for pair in pairs for k in pair) == list(range(count))
    assert not met.intersection(pairs)
    assert all(leads[a] + leads[b] == 0 for a, b in pairs)
    assert max(abs(b - a - count // 2) for a, b in pairs) < 10


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, LARGEST + 2])
def test_group_without_a_pairing_is_refused(count: int) -> None:
    """The first entrant has met all others."""
    with pytest.raises(ValueError, match="no pairing without a repeated meeting"):
        pair_group(group([0] * count, {(0, k) for k in range(1, count)}), 1)


def test_pairs_stay_within_score_groups_except_floats() -> None:
    """Only floats meet entrants of another score group."""
    field = fields(60, 5, 2, 4)
    pairs = pair_round(field, 1)
    across = sum(field[a].score != field[b].score for a, b in pairs)
    groups = [len(list(members)) for _, members in groupby(field, key=lambda contender: contender.score)]
    assert across <= len(groups)


def best(nodes: frozenset[int], edges: dict[frozenset[int], tuple[int, ...]]) -> list[tuple[object, ...]]:
    """Return the costs of the best of all matchings with the most pairs."""
    if not nodes:
        return [(0,)]
    first = min(nodes)
    found: list[tuple[object, ...]] = list(best(nodes - {first}, edges))
    for pair, cost in edges.items():
        if first in pair and pair <= nodes:
            for tail in best(nodes - pair, edges):
                sums = cost if len(tail) == 1 else tuple(a + b for a, b in zip(cost, tail[1:], strict=True))  # type: ignore[operator]  # the sums are integers
                found.append((tail[0] - 1, *sums))  # type: ignore[operator]  # likewise the number of pairs
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sets(st.integers(0, 6), min_size=2, max_size=2).map(frozenset),
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 9)),
        min_size=1,
        max_size=14,
    ),
    st.integers(0, 2**64 - 1),
)
def test_cheapest_of_the_largest_matchings_is_found(
    edges: dict[frozenset[int], tuple[int, ...]], seed: int
) -> None:
    """Compared with all matchings: the most pairs first, then the costs level by level."""
    listed: list[Edge] = [(min(pair), max(pair), cost) for pair, cost in edges.items()]
    pairs = match_levels(7, listed, seed)
    assert len({node for pair in pairs for node in pair}) == 2 * len(pairs)
    costs = [edges[frozenset(pair)] for pair in pairs]
    assert (-len(pairs), *map(sum, zip(*costs, strict=True))) == min(best(frozenset(range(7)), edges))


def test_matching_ignores_edge_order_and_ties() -> None:
    """All perfect matchings cost the same; the seed alone chooses."""
    edges: list[Edge] = [(a, b, (1, 0)) for a, b in combinations(range(8), 2)]
    found = {match_levels(8, edges[k:] + edges[:k], 5) for k in range(len(edges))}
    assert len(found) == 1
    assert len({match_levels(8, edges, seed) for seed in range(20)}) > 5


def test_costs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="costs of a matching of 2 nodes take 131 bits"):
        match_levels(2, [(0, 1, (1 << 130,))], 1)
    assert match_levels(2, [(0, 1, (1 << 90,))], 1) == ((0, 1),)
    assert match_levels(4, [], 1) == ()


def test_lowest_levels_are_dropped_when_weights_overflow() -> None:
    """The levels that fit decide as they would without those that do not."""
    samples = [uniform(derive(5, "level", a, b), 1 << 30) for a, b in combinations(range(8), 2)]
    pairs = list(combinations(range(8), 2))
    few: list[Edge] = [(a, b, (x >> 27, x >> 10)) for (a, b), x in zip(pairs, samples, strict=True)]
    more: list[Edge] = [(a, b, (*costs, x << 70, x)) for (a, b, costs), x in zip(few, samples, strict=True)]
    assert match_levels(8, more, 1) == match_levels(8, few, 1)
    fits: list[Edge] = [(a, b, (*costs, x)) for (a, b, costs), x in zip(few, samples, strict=True)]
    assert match_levels(8, fits, 1) == match_levels(8, few, 1)  # the first two leave no tie
