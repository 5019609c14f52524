"""Alpha-beta finds what plain minimax finds, within its budget, and plays legal actions in real games."""

from typing import Any

import pytest

from tests.support.toys import Race, Toe
from tourney.bot.heuristics import CyvasseHeuristics, heuristics_of
from tourney.bot.search import LIMIT, WIN, Budget, Heuristics, alpha_beta
from tourney.games.base import OVER
from tourney.games.registry import find_game
from tourney.seeds import stream

TOE = Toe()


class Counts(Heuristics[Any]):
    """An advantage that tells positions apart: squares have different worths."""

    informed = True

    def advantages(self, state: Any) -> tuple[int, int]:
        worth = sum((k + 3) * {"X": 100, "O": -100, ".": 0}[mark] for k, mark in enumerate(state.board))
        return worth, -worth


def minimax(state: Any, depth: int, heuristics: Heuristics[Any], ply: int = 0) -> int:
    """The value of a state for the seat to act, by trying all actions."""
    values: list[int] = []
    for action in state.legal_actions():
        after = state.play(action)
        if after.actor == OVER:
            value = heuristics.values(after)[state.actor - 1]
            value += (value < -LIMIT) * (ply + 1) - (value > LIMIT) * (ply + 1)
        elif depth == 1:
            value = heuristics.values(after)[state.actor - 1]
        else:
            value = minimax(after, depth - 1, heuristics, ply + 1)
            value = value if after.actor == state.actor else -value
        values.append(value)
    return max(values)


def toe(actions: str = "", misere: str = "no") -> Any:
    state = TOE.new(2, {"misere": misere})
    for text in actions.split():
        state = state.play(TOE.parse_action(text))
    return state


@pytest.mark.parametrize("misere", ["no", "yes"])
@pytest.mark.parametrize("actions", ["a1 b2 a3", "a1 a2 b2", "b2 a1 c3", "a1 b1 c1 a2"])
def test_value_equals_minimax_at_every_depth(actions: str, misere: str) -> None:
    """Without the table, and in full depth with it too."""
    state = toe(actions, misere)
    left = 9 - len(actions.split())
    for depth in range(1, left + 1):
        budget = Budget(10**9)
        found = alpha_beta(state, budget, Counts(), depth=depth, table_size=0)
        assert found.value == minimax(state, min(depth, found.depth), Counts())
    full = minimax(state, left, Counts())
    assert alpha_beta(state, Budget(10**9), Counts(), table_size=100_000).value == full
    assert alpha_beta(state, Budget(10**9), Counts(), table_size=50).value == full


def test_search_needs_fewer_nodes_than_minimax() -> None:
    """Nine squares have 549,945 actions in all lines of play."""
    budget = Budget(10**9)
    found = alpha_beta(toe(), budget, Heuristics())
    assert (found.value, found.depth) == (0, 9)
    assert found.nodes == budget.spent < 20_000


def test_win_in_one_is_found_at_once() -> None:
    found = alpha_beta(toe("a1 a2 b1 b2"), Budget(1_000), Heuristics())
    assert TOE.action_string(found.action) == "c1"
    assert (found.value, found.depth) == (WIN - 1, 1)


def test_lost_position_holds_out_longest() -> None:
    """X threatens two rows: O is lost, and blocks one of them."""
    found = alpha_beta(toe("a1 b2 c1 c3 a3"), Budget(10_000), Heuristics())
    assert found.value == -(WIN - 2)


def test_seat_may_act_twice_in_a_row() -> None:
    """After a Rabble's move the same seat goes on; values keep their sign."""
    game = find_game("cyvasse")
    state = game.new()
    draw = stream(3, "test")
    for _ in range(62):
        legal = state.legal_actions()
        state = state.play(legal[draw(len(legal))])
    while state.actor != state.play(state.legal_actions()[0]).actor:
        legal = state.legal_actions()
        state = state.play(legal[draw(len(legal))])
    values = {state.play(action).actor for action in state.legal_actions()}
    assert values == {1, 2}
    found = alpha_beta(state, Budget(10**9), Quiet(), depth=1, table_size=0)
    assert found.value == minimax(state, 1, Quiet())


class Quiet(CyvasseHeuristics):
    """Without quiescence."""

    gain = 0


@pytest.mark.parametrize("nodes", [0, 1, 7, 300])
def test_budget_is_kept(nodes: int) -> None:
    budget = Budget(nodes)
    state = find_game("sages-tafl").new()
    found = alpha_beta(state, budget, heuristics_of("sages-tafl"))
    assert found.nodes == budget.spent <= nodes
    assert found.action in state.legal_actions()


def test_clock_ends_the_search() -> None:
    """The clock runs one unit a look, so a search of 50 units has seen at most 50 nodes."""
    now = iter(range(10**9))
    budget = Budget(None, 50, lambda: next(now))
    found = alpha_beta(find_game("sages-tafl").new(), budget, heuristics_of("sages-tafl"))
    assert 0 < found.nodes <= 50


def test_shuffled_root_finds_another_best_action() -> None:
    heuristics = Heuristics[Any]()
    state = toe("a1 b2 c3")
    chosen = {
        alpha_beta(state, Budget(10**9), heuristics, randbelow=stream(seed, "x")).action for seed in range(6)
    }
    assert len(chosen) > 1


def test_games_with_chance_or_more_seats_are_refused() -> None:
    race = Race()
    with pytest.raises(ValueError, match="two seats"):
        alpha_beta(race.new(3).play("roll-1"), Budget(9), Heuristics())
    with pytest.raises(ValueError, match="without chance"):
        alpha_beta(race.new(2).play("roll-1"), Budget(99), Heuristics())
    with pytest.raises(ValueError, match="without chance"):
        alpha_beta(race.new(2), Budget(99), Heuristics())
