"""MCTS finds forced wins, weighs chance, samples what is hidden, and serves every number of seats."""

from typing import Any

import pytest

from tests.support.toys import Odds, Race, Toe
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import WIN, Budget, Heuristics, Mcts, playout
from tourney.bot.search.mcts import _log
from tourney.games.base import AnyState
from tourney.games.registry import find_game
from tourney.games.tree import draw_outcome
from tourney.seeds import stream

TOE, RACE, ODDS = Toe(), Race(), Odds()


def search(state: AnyState, nodes: int = 400, seed: int = 1) -> Any:
    return Mcts(Heuristics(), stream(seed, "test")).run(state, Budget(nodes))


def toe(actions: str) -> AnyState:
    state: AnyState = TOE.new()
    for text in actions.split():
        state = state.play(TOE.parse_action(text))
    return state


@pytest.mark.parametrize("seed", range(5))
def test_forced_win_is_found(seed: int) -> None:
    """X has a corner, O the edge beside it: only some squares win by force, three actions deep."""
    state = toe("a1 b1 a3 a2")
    found = search(state, 1_500, seed)
    assert TOE.action_string(found.action) in {"b2", "c3", "c1"}
    assert found.value > WIN // 2


@pytest.mark.parametrize("seed", range(5))
def test_threat_is_blocked(seed: int) -> None:
    assert TOE.action_string(search(toe("a1 b2 b1"), 800, seed).action) == "c1"


def test_informed_search_ends_at_a_win() -> None:
    """One playout values all actions, and a won one needs no other."""

    class Informed(Heuristics[Any]):
        informed = True

    found = Mcts(Informed(), stream(1, "test")).run(toe("a1 a2 b1 b2"), Budget(500))
    assert (TOE.action_string(found.action), found.value, found.nodes) == ("c1", WIN, 1)


@pytest.mark.parametrize("seats", [2, 3])
def test_points_of_a_die_are_taken(seats: int) -> None:
    """In the race nothing speaks for leaving points; chance follows every action."""
    state = RACE.new(seats).play("roll-2")
    found = search(state, 600)
    assert found.action == "take"
    assert all("roll" not in action for action in found.line)


def test_winning_roll_is_weighed() -> None:
    """Seat 1 has three points, and wins with its next turn; the value shows it."""
    state = RACE.new(2)
    for action in ("roll-2", "take", "roll-1", "leave", "roll-1", "take", "roll-2", "take", "roll-1"):
        state = state.play(action)
    assert search(state, 200).value == WIN


def test_outcomes_are_drawn_by_weight() -> None:
    draw = stream(1, "test")
    drawn = [draw_outcome((2, 0, 1), draw) for _ in range(300)]
    assert drawn.count(1) == 0
    assert 170 < drawn.count(0) < 230


def test_hidden_choice_is_sampled() -> None:
    """Seat 2 looks for what seat 1 hid, and cannot know it: no choice is better than another."""
    hidden = ODDS.new().play(2)
    assert hidden.observation(2).endswith("?")
    draw = stream(1, "sample")
    seen: list[str] = []

    def sample() -> AnyState:
        state = ODDS.sample(hidden.observation(2), 2, draw)
        seen.append(state.position())
        return state

    chosen = set()
    for seed in range(12):
        found = Mcts(Heuristics(), stream(seed, "test")).run(sample(), Budget(90), sample)
        assert found.action in hidden.legal_actions()
        chosen.add(found.action)
    assert len(set(seen)) == 3
    assert len(chosen) > 1


def test_without_budget_some_candidate_is_played() -> None:
    state = toe("a1")
    found = search(state, 0)
    assert found.action in state.legal_actions()
    assert (found.nodes, found.value) == (0, 0)


def test_single_action_needs_no_search() -> None:
    state = toe("a1 a2 b1 b2 c2 c1 a3 b3")
    assert len(state.legal_actions()) == 1
    assert search(state).nodes == 0


def test_state_without_acting_seat_is_refused() -> None:
    with pytest.raises(ValueError, match="no seat acts"):
        search(RACE.new(2))


def test_logarithm_is_close_and_rises() -> None:
    unit = 1 << 32
    assert abs(_log(1_000) - 6 * unit - 9078 * unit // 10_000) < unit // 25
    assert all(_log(n) < _log(n + 1) for n in range(1, 100))


def test_playout_may_be_cut() -> None:
    """Uncut it ends with a result, cut with the value of the heuristics."""
    game = find_game("sage-stones")
    heuristics = heuristics_of("sage-stones")
    draw = stream(1, "test")
    whole = playout(game.new(3), draw, heuristics)
    assert sorted(whole) == [-WIN // 2, -WIN // 2, WIN]
    cut = playout(game.new(3), draw, heuristics, 12)
    assert all(abs(value) < WIN // 2 for value in cut)
    assert playout(game.new(3), draw, heuristics, 0) == heuristics.values(game.new(3))
