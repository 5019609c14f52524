"""Cores, plain and compiled: both forms are alike, and a core that is played on has what a state has."""

import contextlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.games.test_differential import SETTINGS, Setting
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts
from tourney.errors import PositionError
from tourney.games import CHANCE, OVER, find_game, stream
from tourney.games.base import AnyGame, AnyState
from tourney.games.compiled import compiled_core, core_names, use_plain
from tourney.games.core_base import WIN, Core

MADE = int(os.environ.get("TOURNEY_DIFFERENTIAL_GAMES", "2")) * 20
PLIES = {"cyvasse": 80, "element": 40, "sage-stones": 12, "sages-tafl": 40, "seven-sages": 40}
"""Actions before a search, which end no game."""
FORMS = ("plain", "compiled")
GAMES = [name.replace("_", "-") for name in core_names()]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each form of the cores in turn."""
    chosen = str(request.param)
    if chosen == "compiled" and any(compiled_core(name) is None for name in core_names()):
        pytest.skip("the cores are not compiled for these sources: run make cores (it needs a C compiler)")
    use_plain(chosen == "plain")
    yield chosen
    use_plain(None)


def new(game: AnyGame, state: AnyState) -> Core:
    """A core that holds a state."""
    made = game.scratch(state)
    assert made is not None
    return made


def best_values(game: AnyGame, state: AnyState) -> tuple[int, ...]:
    """The values of a state or, where a seat acts, those after its best action."""
    values = heuristics_of(game.name).values
    if state.actor in {OVER, CHANCE}:
        return tuple(values(state))
    after = [tuple(values(state.play(action))) for action in state.legal_actions()]
    return max(after, key=lambda one: one[state.actor - 1])


def check_same(game: AnyGame, state: AnyState, core: Core, closely: bool) -> list[Any]:
    """Hold a core to a state; ``closely`` with the values after each action. Return the legal actions."""
    where = state.position()
    assert core.actor() == state.actor, where
    legal = list(state.legal_actions())
    codes = core.actions()
    assert [core.decode(code) for code in codes] == legal, where
    assert [int(action) for action in legal] == codes, where
    assert list(core.weights()) == (list(state.chance_weights()) if state.actor == CHANCE else []), where
    assert core.ranks() == state.ranks(), where
    heuristics = heuristics_of(game.name)
    assert tuple(core.values()) == tuple(heuristics.values(state)), where
    if state.actor not in {OVER, CHANCE}:
        assert [core.decode(code) for code in core.candidates()] == list(heuristics.candidates(state))
    if closely:
        after = [tuple(heuristics.values(state.play(action))) for action in legal]
        assert [tuple(values) for values in core.outlook(codes)] == after, where
        if state.actor == CHANCE:
            assert core.prospects() == [best_values(game, state.play(action)) for action in legal], where
    return legal


def follow(game: AnyGame, state: AnyState, codes: list[int], core: Core) -> AnyState:
    """Play codes by the state, each legal; return the last state."""
    for code in codes:
        action = core.decode(code)
        assert state.is_legal(action), (state.position(), game.action_string(action))
        state = state.play(action)
    return state


def check_game(game: AnyGame, state: AnyState, seed: int, most: int) -> None:
    """Play at random in both; every few actions compare closely, and follow a playout."""
    draw = stream(seed, "actions")
    core = new(game, state)
    for ply in range(most):
        legal = check_same(game, state, core, ply % 16 == seed % 16)
        if state.actor == OVER:
            return
        if ply % 16 == seed % 16:
            other = core.copy()
            codes = other.trace(seed + ply, 25)
            check_same(game, follow(game, state, codes, other), other, False)
            other.copy_from(core)
            assert other.key() == core.key()
            assert other.playout(seed + ply, 25) == len(codes)
            check_same(game, follow(game, state, codes, other), other, False)
        action = legal[draw(len(legal))]
        core.play(int(action))
        state = state.play(action)


@pytest.mark.parametrize("name", GAMES)
def test_core_follows_state(name: str, form: str) -> None:
    game = find_game(name)
    for number in range(6):
        seats = game.seat_counts[number % len(game.seat_counts)]
        check_game(game, game.new(seats), 1000 * number, 60)


@pytest.mark.parametrize("setting", [each for each in SETTINGS if each.game in GAMES], ids=str)
def test_core_follows_state_from_rare_positions(setting: Setting, form: str) -> None:
    """The positions are made up, and rare in play; each is played on for a few actions."""
    game = find_game(setting.game)
    draw = stream(20261122, setting.game, setting.seats, *setting.options.values())
    accepted = 0
    for number in range(MADE):
        try:
            state = game.parse_position(setting.made(draw), *game.settings(setting.seats, setting.options))
        except PositionError:
            continue
        accepted += 1
        check_game(game, state, number, 3)
    assert accepted > MADE // 10


@pytest.mark.parametrize("name", GAMES)
def test_playout_plays_legal_games_to_the_end(name: str, form: str) -> None:
    game = find_game(name)
    for seats in game.seat_counts:
        state = game.new(seats)
        core = new(game, state)
        codes = core.trace(seats, game.max_actions)
        state = follow(game, state, codes, core)
        assert state.actor == core.actor() == OVER
        assert state.ranks() == core.ranks()
        assert max(map(abs, core.values())) <= WIN
        again = new(game, game.new(seats))
        assert again.playout(seats, game.max_actions) == len(codes)
        assert again.ranks() == state.ranks()


@pytest.mark.parametrize("name", GAMES)
def test_codes_out_of_range_are_refused(name: str, form: str) -> None:
    game = find_game(name)
    core = new(game, game.new())
    before = core.key()
    for code in (-1, -(2**40), 2**62):
        with pytest.raises(ValueError, match="code"):
            core.play(code)
    assert core.key() == before


@pytest.mark.parametrize("name", GAMES)
def test_illegal_codes_leave_a_scratch_that_works(name: str, form: str) -> None:
    """They are refused, or give a position without meaning, in which all methods still answer."""
    game = find_game(name)
    draw = stream(99, "codes")
    known = new(game, game.new()).trace(1, 200)
    for number in range(10):
        core = new(game, game.new(game.seat_counts[number % len(game.seat_counts)]))
        core.playout(number, draw(150))
        for _ in range(20):
            code = known[draw(len(known))] if draw(4) else draw(1 << 25)
            with contextlib.suppress(ValueError):
                core.play(code)
        assert len(core.outlook(core.actions())) == len(core.actions())
        assert core.playout(number, 30) <= 30


@pytest.mark.parametrize("name", GAMES)
def test_forms_play_the_same_playouts(name: str) -> None:
    game = find_game(name)
    traces = []
    for plain in (True, False):
        use_plain(plain)
        traces.append([new(game, game.new()).trace(seed, 150) for seed in (0, 1, 2**64 - 1)])
    use_plain(None)
    assert traces[0] == traces[1]
    assert traces[0][0] != traces[0][1]


@pytest.mark.parametrize("name", GAMES)
def test_forms_find_the_same_actions(name: str) -> None:
    """A search with a number of nodes decides the same, compiled or plain."""
    game = find_game(name)
    found = []
    for plain in (True, False):
        use_plain(plain)
        draw = stream(7, name)
        state = game.new()
        for k in range(game.max_actions):
            if k >= PLIES[name] and state.actor != CHANCE:
                break
            legal = state.legal_actions()
            state = state.play(legal[draw(len(legal))])
        found.append(Mcts(heuristics_of(name), stream(8, name)).run(state, Budget(6)))
    use_plain(None)
    assert found[0] == found[1]


def test_generator_is_splitmix64() -> None:
    """The first outputs of SplitMix64 from seed 0, as its authors' program prints them; the upper halves."""
    core = Core()
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [core._draw(1 << 32) for _ in first] == [number >> 32 for number in first]


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns after almost every line."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.parametrize("name", GAMES)
def test_threads_do_not_disturb_each_other(name: str, form: str) -> None:
    """A user's threads, or those of a cluster in this process, may follow matches at the same time."""
    game = find_game(name)

    def follow(number: int) -> list[str]:
        state, found = game.new(2, {}), []
        for ply in range(30):
            if state.actor == OVER:
                break
            texts = game.legal_texts(state)
            found += [*texts, state.position()]
            state = game.play_text(state, texts[(7 * ply + number) % len(texts)])
        return found

    numbers = range(6)
    alone = [follow(number) for number in numbers]
    with ThreadPoolExecutor(len(numbers)) as pool:
        assert list(pool.map(follow, numbers)) == alone, form
