"""Heron's own rules of Sage Stones against Tourney's, in every setting."""

import shutil
from pathlib import Path

import pytest

from tests.engines.conftest import folder_of, talk
from tourney.bots.catalogue.store import BotStore
from tourney.games import CHANCE, OVER, find_game, stream

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

GAME = find_game("sage-stones")
SETTINGS = [
    (2, {"stones": "10", "play-on": "no"}),
    (2, {"stones": "15", "play-on": "no"}),
    (3, {"stones": "3", "play-on": "yes"}),
    (4, {"stones": "15", "play-on": "no"}),
    (4, {"stones": "15", "play-on": "yes"}),
]


@pytest.fixture(scope="module")
def folder(shipped: BotStore) -> Path:
    return folder_of("heron", shipped)


@pytest.mark.parametrize(("seats", "options"), SETTINGS)
def test_heron_names_legal_squares_in_random_games(
    seats: int, options: dict[str, str], folder: Path, shipped: BotStore
) -> None:
    """Every seat plays at random; before each placement of heron's seat, heron chooses a square."""
    asked = full = 0
    words = " ".join(f"{key}={value}" for key, value in options.items())
    with talk("heron", folder, shipped, "--playouts=1") as bot:
        assert bot.ask("tourney 1") == "bot name=heron version=1.0"
        for game in range(25):
            draw = stream(game, "test", seats)
            seat = game % seats + 1
            assert bot.ask(f"game sage-stones seats={seats} seat={seat} seed={game} {words}") == "ready"
            state = GAME.new(seats, options)
            lines: list[str] = []
            while state.actor != OVER:
                actions = state.legal_actions()
                if state.actor == seat:
                    answer = bot.ask(*lines, "go move=1000")
                    assert answer in [f"move {GAME.action_string(action)}" for action in actions]
                    lines = []
                    asked += 1
                    full += any("." not in column for column in state.position().split(" ")[0].split("/"))
                action = actions[draw(len(actions))]
                actor = 0 if state.actor == CHANCE else state.actor
                lines.append(f"play {actor} {GAME.action_string(action)}")
                state = state.play(action)
    assert asked > 40
    assert full > 0 or options["stones"] != "15"


def test_heron_places_its_last_stone_where_it_can(folder: Path, shipped: BotStore) -> None:
    """A second process of the same seed chooses the same squares."""
    answers = []
    for _ in range(2):
        with talk("heron", folder, shipped) as bot:
            bot.ask("game sage-stones seats=4 seat=1 seed=18446744073709551615 stones=3 play-on=no")
            lost = ["play 0 roll-123"] * 3
            said = [bot.ask("play 0 roll-112", "go")]
            said.append(bot.ask(f"play 1 {said[-1][5:]}", *lost, "play 0 roll-112", "go"))
            said.append(bot.ask(f"play 1 {said[-1][5:]}", *lost, "play 0 roll-112", "go"))
            answers.append(said)
    assert answers[0] == answers[1]
    assert all(answer.startswith("move 4") for answer in answers[0])
