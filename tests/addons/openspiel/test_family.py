"""The games of OpenSpiel: names, refusals, and the property suite."""

import sys
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.command import ROOT, invoke
from tests.support.tournaments import refused
from tourney.addons.openspiel.family import _spiel
from tourney.addons.openspiel.state import action_strings, check_action, decode, encode, integer_weights
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts
from tourney.errors import ActionError, GameError, PositionError
from tourney.games.base import CHANCE, OVER, AnyGame
from tourney.games.check.suite import check_game
from tourney.games.registry import FAMILIES, find_game
from tourney.games.tree import choose
from tourney.seeds import stream

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
PAGE = ROOT / "docs" / "reference" / "openspiel.md"


def test_parameters_make_the_game_and_its_name() -> None:
    game = find_game("openspiel:breakthrough(rows=6,columns=6)")
    assert game.name == "openspiel:breakthrough(columns=6,rows=6)"
    assert find_game(game.name).new().position() == game.new().position()
    assert find_game("openspiel:breakthrough").name == "openspiel:breakthrough"
    assert game.rules == find_game("openspiel:tic_tac_toe").rules
    assert "2...." not in game.new().observation(1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openspiel:no_such_game", ("no game 'no_such_game'", "tourney games openspiel")),
        ("openspiel:breakthrough(rows=6", ("closing bracket",)),
        ("openspiel:breakthrough(size=6)", ("OpenSpiel refuses",)),
        ("openspiel:hex(board_size=123456789)", ("more than 6 digits",)),
        ("openspiel:hex(board_size=99999)", ("too large",)),
        ("openspiel:goofspiel", ("act at the same time",)),
        ("openspiel:phantom_go(sampled=", ("closing bracket",)),
        ("openspiel:crossword", ("actions without a number",)),
        ("openspiel:", ("names no game",)),
    ],
)
def test_what_cannot_be_played_is_refused(name: str, words: tuple[str, ...]) -> None:
    with refused(GameError, *words):
        find_game(name)


def test_missing_extra_is_named() -> None:
    _spiel.cache_clear()
    try:
        with (
            patch.dict(sys.modules, {"pyspiel": None}),
            refused(GameError, "pip install 'tourney[openspiel]'"),
        ):
            FAMILIES.find("openspiel").make("tic_tac_toe")
    finally:
        _spiel.cache_clear()


@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "connect_four",
        "breakthrough(rows=5,columns=5)",
        "pig(winscore=20)",
        "catch",
        "kuhn_poker",
        "leduc_poker(players=3)",
        "liars_dice",
        "dark_hex",
        "phantom_ttt",
        "coordinated_mp",
        "blackjack",
        "tiny_bridge_4p",
        "first_sealed_auction",
    ],
)
def test_game_passes_the_property_suite(name: str) -> None:
    assert list(check_game(find_game(f"openspiel:{name}"), games=3)) == []


def test_page_has_every_game() -> None:
    listed = {
        line.split("`")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"
    }
    kinds = pyspiel.registered_games()
    assert {f"openspiel:{name}" for name in listed} >= set(FAMILIES.find("openspiel").names())
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{kind.short_name}`" in text for kind in kinds if kind.short_name[:7] != "python_")


def test_ranks_follow_returns() -> None:
    state = find_game("openspiel:tic_tac_toe").new()
    for action in ("x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)", "x(0,2)"):
        state = state.play(action)
    assert (state.actor, state.ranks(), state.reason()) == (OVER, (1, 2), "returns")
    assert state.position() == "moves x(0,0) o(1,0) x(0,1) o(1,1) x(0,2)"


def test_hidden_actions_stay_hidden_until_the_end() -> None:
    game = find_game("openspiel:kuhn_poker")
    state = game.new()
    assert state.actor == CHANCE
    assert not any(state.visible(action, seat) for action in state.legal_actions() for seat in (1, 2))
    state = state.play(state.legal_actions()[0]).play(state.play(state.legal_actions()[0]).legal_actions()[0])
    assert (state.actor, state.visible("Bet", 1), state.visible("Bet", 2)) == (1, True, False)
    assert state.observation(1) != state.observation(2)
    while state.actor != OVER:
        assert not state.revealed()
        state = state.play(state.legal_actions()[0])
    assert state.revealed()


@pytest.mark.parametrize("name", ["leduc_poker", "liars_dice", "dark_hex", "phantom_ttt"])
def test_samples_fit_what_the_seat_saw(name: str) -> None:
    game = find_game(f"openspiel:{name}")
    randbelow = stream(3, "play")
    state = game.new()
    different = 0
    while state.actor != OVER:
        if state.actor != CHANCE:
            seen = state.observation(state.actor)
            sampled = game.sample(seen, state.actor, randbelow)
            assert (sampled.actor, sampled.observation(state.actor)) == (state.actor, seen)
            assert sampled.legal_actions() == state.legal_actions()
            different += sampled.position() != state.position()
        state = state.play(choose(state, randbelow))
    assert different


@pytest.mark.parametrize(
    "text", ["", "moves", "view", "view x", "view x 1 2", "view x a -", "view x - ffff", "x " * 9]
)
def test_strings_that_are_no_observations_are_refused(text: str) -> None:
    game = find_game("openspiel:kuhn_poker")
    with refused(PositionError):
        game.sample(text, 1, stream(1, "x"))


@pytest.mark.parametrize("name", ["breakthrough(rows=5,columns=5)", "pig(winscore=15)", "leduc_poker"])
def test_search_plays_the_game_as_it_is(name: str) -> None:
    game: AnyGame = find_game(f"openspiel:{name}")
    state, randbelow = game.new(), stream(1, "search")
    search = Mcts(heuristics_of(game.name), randbelow)
    searched = 0
    while state.actor != OVER and searched < 4:
        if state.actor == CHANCE:
            state = state.play(choose(state, randbelow))
            continue
        seen, seat = state.observation(state.actor), state.actor
        sample = partial(game.sample, seen, seat, randbelow) if game.has_hidden_actions else None
        found = search.run(state, Budget(nodes=20), sample)
        assert found.action in state.legal_actions()
        state = state.play(found.action)
        searched += 1


def test_search_finds_the_winning_move() -> None:
    state = find_game("openspiel:tic_tac_toe").new()
    for action in ("x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)"):
        state = state.play(action)
    assert Mcts(heuristics_of("x"), stream(1, "s")).run(state, Budget(nodes=200)).action == "x(0,2)"


@pytest.mark.parametrize(
    ("probabilities", "weights"),
    [
        ([1 / 3] * 3, (1, 1, 1)),
        ([0.5, 0.25, 0.25], (2, 1, 1)),
        ([1 / 36, 2 / 36, 33 / 36], (1, 2, 33)),
        ([0.9, 0.1, 0.0], (9, 1, 0)),
        ([1.0], (1,)),
        ([1 / 2598960] * 2598960, None),
    ],
)
def test_probabilities_become_exact_weights(
    probabilities: list[float], weights: tuple[int, ...] | None
) -> None:
    found = integer_weights(probabilities)
    assert set(found) == {1} if weights is None else found == weights


@pytest.mark.parametrize(
    "probabilities", [[0.5, 0.4], [2**-0.5, 1 - 2**-0.5], [0.3, 0.3, 0.3], [], [-0.5, 1.5]]
)
def test_probabilities_that_are_no_fractions_are_refused(probabilities: list[float]) -> None:
    with refused(GameError):
        integer_weights(probabilities)


@pytest.mark.parametrize("text", ["a b", "", "100%", "é\n", "!~", "\udcff"])
def test_encoded_text_is_decoded(text: str) -> None:
    assert decode(encode(text)) == text
    assert encode(text).isascii()
    assert " " not in encode(text)


def test_action_strings_are_unique_and_short() -> None:
    found = action_strings(["a", "a", "", "?", "é" * 100, "b c"], [1, 2, 3, 4, 5, 6])
    assert found[:4] == ["a~1", "a~2", "~3", "?~4"]
    assert found[5] == "b%20c"
    assert all(check_action(text) == text for text in found)


@pytest.mark.parametrize("text", ["", "?", "a b", "%", "%e9", "%41", "x" * 201, "%C3%A"])
def test_strings_of_no_action_are_refused(text: str) -> None:
    with refused(ActionError):
        check_action(text)


def test_games_are_listed(tmp_path: Path) -> None:
    shown = invoke("games", "openspiel", "--format", "csv")
    assert shown.exit_code == 0
    assert len(shown.stdout.splitlines()) == 1 + len(FAMILIES.find("openspiel").names())
