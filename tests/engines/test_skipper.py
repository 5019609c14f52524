"""Skipper's own rules of Sages Tafl against Tourney's, and its strength."""

from pathlib import Path

import pytest

from tests.engines.conftest import Play, folder_of, talk
from tests.support.programs import needs_compiler
from tourney.bots.catalogue.store import BotStore
from tourney.games import OVER, find_game, stream

GAME = find_game("sages-tafl")
BEGIN = "game sages-tafl seats=2 seat={} seed=1"

pytestmark = needs_compiler


@pytest.fixture(scope="module")
def folder(shipped: BotStore) -> Path:
    return folder_of("skipper", shipped)


def test_skipper_knows_all_actions_of_random_games(folder: Path, shipped: BotStore) -> None:
    """It follows whatever is played (it ends at an unknown action), and answers by legal actions."""
    asked = escapes = towers = 0
    with talk("skipper", folder, shipped) as bot:
        assert bot.ask("tourney 1") == "bot name=skipper version=1.0"
        for game in range(30):
            draw = stream(game, "test")
            assert bot.ask(BEGIN.format(game % 2 + 1)) == "ready"
            state = GAME.new()
            lines: list[str] = []
            while state.actor != OVER:
                actions = state.legal_actions()
                if state.actor == game % 2 + 1:
                    answer = bot.ask(*lines, "go nodes=30")
                    assert answer in [f"move {GAME.action_string(action)}" for action in actions]
                    lines = []
                    asked += 1
                # Escapes are preferred, so that games are not all drawn.
                texts = [text for text in map(GAME.action_string, actions) if text.endswith("-off")]
                texts = texts or list(map(GAME.action_string, actions))
                text = texts[draw(len(texts))]
                escapes += text.endswith("-off")
                towers += text.startswith("tower-")
                lines.append(f"play {state.actor} {text}")
                state = state.play(GAME.read_action(state, text))
    assert asked > 1000
    assert escapes > 50
    assert towers > 20


def test_skipper_takes_a_win_and_the_same_nodes_give_the_same_game(folder: Path, shipped: BotStore) -> None:
    """It beats the first legal action of a position, and a second process chooses likewise."""
    games = []
    for _ in range(2):
        with talk("skipper", folder, shipped, "--nodes=500") as bot:
            bot.ask("tourney 1", BEGIN.format(1))
            bot.ask()
            state = GAME.new()
            played: list[str] = []
            while state.actor != OVER:
                text = GAME.action_string(state.legal_actions()[0])
                if state.actor == 1:
                    text = bot.ask("go").removeprefix("move ")
                played.append(text)
                bot.tell(f"play {state.actor} {text}")
                state = state.play(GAME.read_action(state, text))
            assert state.ranks() == (1, 2)
        games.append(played)
    assert games[0] == games[1]


@pytest.mark.slow
def test_skipper_is_better_than_greedy(play: Play) -> None:
    """It wins from either seat; the nodes are fixed, so the result is too."""
    for seat, table in enumerate((("skipper", "greedy"), ("greedy", "skipper"))):
        assert play("sages-tafl", *table, seed=1).record.outcome.ranks[seat] == 1
