"""Tables of a Swiss round with more than two seats."""

from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.schedule.player_history import PairingCard
from tourney.schedule.swiss import NEAR, choose_byes, seat_cards
from tourney.seeds import stream


def cards(count: int, seed: int, levels: int = 5) -> list[PairingCard]:
    draw = stream(seed, "cards")
    met: list[dict[int, int]] = [{} for _ in range(count)]
    for a, b in combinations(range(count), 2):
        times = max(0, draw(8) - 5)
        if times:
            met[a][b] = met[b][a] = times
    return [PairingCard(k, 4 * draw(levels), k, met[k], tuple(range(draw(3)))) for k in range(count)]


def cost(tables: list[tuple[PairingCard, ...]], worth: int) -> int:
    """Return the module's cost: a sum over all pairs at a table."""
    return sum(
        (worth * a.met.get(b.number, 0)) ** 2 + (a.score - b.score) ** 2
        for table in tables
        for a, b in combinations(table, 2)
    )


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([3, 4]), st.integers(1, 7), st.integers(0, 2**64 - 1))
def test_no_exchange_between_near_tables_costs_less(seats: int, tables: int, seed: int) -> None:
    """Every entrant sits once, and no exchange of two lowers the cost."""
    field = cards(seats * tables, seed)
    worth = 12
    seated = [tuple(field[number] for number in table) for table in seat_cards(field, seats, worth)]
    assert sorted(card.number for table in seated for card in table) == list(range(len(field)))
    assert {len(table) for table in seated} == {seats}
    assert cost(seated, worth) <= cost(straight(field, seats), worth)
    if tables > NEAR:
        return  # the order of the tables has changed since, so their distance is unknown
    for one, other in combinations(range(tables), 2):
        for i, j in product(range(seats), repeat=2):
            tried = [list(table) for table in seated]
            tried[one][i], tried[other][j] = tried[other][j], tried[one][i]
            assert cost([tuple(table) for table in tried], worth) >= cost(seated, worth)


def straight(field: list[PairingCard], seats: int) -> list[tuple[PairingCard, ...]]:
    order = sorted(field, key=lambda card: (-card.score, card.rank))
    return [tuple(order[start : start + seats]) for start in range(0, len(order), seats)]


def test_pods_follow_standings_without_meetings() -> None:
    field = [PairingCard(k, 10 * (8 - k), k, {}) for k in range(8)]
    assert seat_cards(field, 4, 12) == [(0, 1, 2, 3), (4, 5, 6, 7)]


def test_repeated_meetings_are_avoided_where_scores_allow() -> None:
    """A repeated meeting costs 12 squared; separating the two makes four pairs of unequal scores."""
    pair = {0: {1: 1}, 1: {0: 1}}
    equal = [PairingCard(k, 0, k, pair.get(k, {})) for k in range(6)]
    assert not any({0, 1} <= set(table) for table in seat_cards(equal, 3, 12))
    near = [PairingCard(k, 5 if k < 3 else 0, k, pair.get(k, {})) for k in range(6)]
    assert not any({0, 1} <= set(table) for table in seat_cards(near, 3, 12))
    far = [PairingCard(k, 6 if k < 3 else 0, k, pair.get(k, {})) for k in range(6)]
    assert (0, 1, 2) in seat_cards(far, 3, 12)


def test_fewest_byes_then_lowest_score_get_the_bye() -> None:
    scores = [9, 4, 2, 2, 0, 0, 7]
    rests = [0, 0, 0, 1, 1, 0, 0]
    field = [PairingCard(k, scores[k], k, {}, tuple(range(1, rests[k] + 1))) for k in range(7)]
    assert [card.number for card in choose_byes(field, 4)] == [5, 2, 1]
    assert choose_byes(field[:6], 3) == ()
    again = [PairingCard(k, score, k, byes=(bye,)) for k, (score, bye) in enumerate(((0, 3), (9, 1), (0, 2)))]
    assert [card.number for card in choose_byes(again, 2)] == [1]  # its bye is the longest ago
