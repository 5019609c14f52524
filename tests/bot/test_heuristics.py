"""Searches play legal actions in all games from any position, and the same in every process."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts, alpha_beta
from tourney.games.base import CHANCE, OVER
from tourney.games.core_base import LIMIT, squash
from tourney.games.registry import find_game
from tourney.seeds import stream

GAMES = ("cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages")
PLAIN = ("cyvasse", "sages-tafl", "seven-sages")
"""The games without chance for two seats."""


def somewhere(name: str, seats: int, plies: int, seed: int) -> Any:
    """A state after random actions in which a seat acts, or the start of the game's first turn."""
    draw = stream(seed, "somewhere")
    state: Any = find_game(name).new(seats)
    found = state
    for _ in range(plies):
        if state.actor == OVER:
            break
        legal = state.legal_actions()
        state = state.play(legal[draw(len(legal))])
        if state.actor not in (CHANCE, OVER):
            found = state
    while found.actor == CHANCE:
        found = found.play(found.legal_actions()[0])
    return found


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=12)
@given(data=st.data())
def test_no_search_plays_an_illegal_action(name: str, data: st.DataObject) -> None:
    game = find_game(name)
    seats = data.draw(st.sampled_from(game.seat_counts))
    state = somewhere(name, seats, data.draw(st.integers(0, 120)), data.draw(st.integers(0, 99)))
    nodes = data.draw(st.integers(0, 6))
    heuristics = heuristics_of(name)
    draw = stream(1, "bot")
    sample = None
    if game.has_hidden_actions:
        seen = state.observation(state.actor)
        sample = lambda: game.sample(seen, state.actor, draw)  # noqa: E731 - short
    found = Mcts(heuristics, draw).run(state, Budget(nodes), sample)
    assert found.action in state.legal_actions()
    blind = Mcts(heuristics, draw, informed=False, plies=5).run(state, Budget(nodes), sample)
    assert blind.action in state.legal_actions()
    if name in PLAIN:
        assert alpha_beta(state, Budget(5 * nodes), heuristics).action in state.legal_actions()


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=25)
@given(plies=st.integers(0, 300), seed=st.integers(0, 99))
def test_heuristics_keep_their_contract(name: str, plies: int, seed: int) -> None:
    """Bounded integers; candidates are legal actions in their order, at least one."""
    heuristics = heuristics_of(name)
    state = somewhere(name, find_game(name).seat_counts[-1], plies, seed)
    values = heuristics.values(state)
    assert len(values) == state.seats
    assert all(type(value) is int and -LIMIT < value < LIMIT for value in values)
    candidates = list(heuristics.candidates(state))
    assert candidates == [action for action in state.legal_actions() if action in candidates] != []
    assert heuristics.key(state) == heuristics.key(somewhere(name, state.seats, plies, seed))


@pytest.mark.parametrize("name", PLAIN)
def test_start_is_even(name: str) -> None:
    """Mirrored sides have mirrored values; the mover may have an edge."""
    heuristics = heuristics_of(name)
    one, two = heuristics.values(find_game(name).new())
    assert one == -two
    assert abs(one) < LIMIT // 10


def test_squash_rises_and_is_odd() -> None:
    points = [squash(x) for x in range(-5_000, 5_001, 50)]
    assert points == sorted(set(points))
    assert all(squash(-x) == -squash(x) for x in range(0, 5_000, 50))
    assert squash(10**12) < LIMIT


def test_unknown_game_is_searched_by_results() -> None:
    assert not heuristics_of("unheard-of").informed


def choices() -> list[str]:
    """What searches with a few nodes find in positions of all games."""
    found = []
    for name in GAMES:
        game = find_game(name)
        heuristics = heuristics_of(name)
        for seats in game.seat_counts:
            state = somewhere(name, seats, 90, 5)
            draw = stream(7, "bot")
            result = Mcts(heuristics, draw).run(state, Budget(8))
            blind = Mcts(heuristics, draw, informed=False, plies=20).run(state, Budget(8))
            found.append(f"{game.action_string(result.action)} {result.value} {blind.value} {draw(10**9)}")
        if name in PLAIN:
            result = alpha_beta(state, Budget(150), heuristics, randbelow=draw)
            found.append(f"{game.action_string(result.action)} {result.value} {result.depth}")
    return found


def test_same_seed_gives_same_action_in_every_process() -> None:
    """Hash seeds differ, so no set order and no hash decides."""
    program = "import json, tests.bot.test_heuristics as t; print(json.dumps(t.choices()))"
    answers = []
    for hash_seed in ("0", "4711"):
        environ = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, check=True)
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
    assert len(set(answers[0])) > 8
