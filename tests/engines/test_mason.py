"""Mason's own rules of Sage Stones against Tourney's: it always names a legal square."""

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.engines.conftest import Bot, folder_of, talk
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.games import CHANCE, OVER, find_game, stream

GAME = find_game("sage-stones")


@pytest.fixture(scope="module")
def folder(shipped: BotStore) -> Path:
    return folder_of("mason", shipped)


def mason(folder: Path, store: BotStore) -> AbstractContextManager[Bot]:
    return talk("mason", folder, store)


SETTINGS = [
    (2, {"stones": "10", "play-on": "no"}),
    (2, {"stones": "15", "play-on": "no"}),
    (3, {"stones": "3", "play-on": "yes"}),
    (4, {"stones": "15", "play-on": "no"}),
    (4, {"stones": "15", "play-on": "yes"}),
]


@pytest.mark.parametrize(("seats", "options"), SETTINGS)
def test_mason_names_legal_squares_in_random_games(
    seats: int, options: dict[str, str], folder: Path, shipped: BotStore
) -> None:
    """Every seat plays at random; before each placement of mason's seat, mason chooses a square.

    The games have full columns, redirected rolls, captures and finished colours. The test fails on a wrong
    column, an occupied square or a turn of another seat.
    """
    asked = full = 0
    with mason(folder, shipped) as bot:
        assert bot.ask("tourney 1") == "bot name=mason version=1.0"
        for game in range(25):
            draw = stream(game, "test", seats)
            seat = game % seats + 1
            words = " ".join(f"{key}={value}" for key, value in options.items())
            assert bot.ask(f"game sage-stones seats={seats} seat={seat} seed=1 {words}") == "ready"
            state = GAME.new(seats, options)
            lines: list[str] = []
            while state.actor != OVER:
                actions = state.legal_actions()
                if state.actor == seat:
                    answer = bot.ask(*lines, "go move=1000")
                    assert answer in [f"move {GAME.action_string(action)}" for action in actions], (
                        state.position()
                    )
                    lines = []
                    asked += 1
                    full += any("." not in column for column in state.position().split(" ")[0].split("/"))
                action = actions[draw(len(actions))]
                actor = 0 if state.actor == CHANCE else state.actor
                lines.append(f"play {actor} {GAME.action_string(action)}")
                state = state.play(action)
    assert asked > 40
    assert full > 0 or options["stones"] != "15"


def test_mason_places_its_last_stone_at_once(folder: Path, shipped: BotStore) -> None:
    """With one stone of a colour in hand, any square of the column wins."""
    with mason(folder, shipped) as bot:
        bot.ask("game sage-stones seats=4 seat=1 seed=1 stones=3 play-on=no")
        state = GAME.new(4, {"stones": "3"})
        for text in (
            "roll-112",
            "4a",
            "roll-123",
            "roll-123",
            "roll-123",
            "roll-112",
            "4b",
            *["roll-123"] * 3,
        ):
            state = state.play(GAME.read_action(state, text))
            bot.tell(f"play {0 if 'roll' in text else 1} {text}")
        state = state.play(GAME.read_action(state, "roll-112"))
        answer = bot.ask("play 0 roll-112", "go")
        after = state.play(GAME.read_action(state, answer.removeprefix("move ")))
        assert after.ranks() == (1, 2, 2, 2)


def test_mason_refuses_another_game_with_an_error(folder: Path, shipped: BotStore) -> None:
    command = bot_command(resolve_bot("mason", shipped, Path("/")), folder=folder)
    done = subprocess.run(
        command.argv,
        cwd=folder,
        env=command.environ,
        input="tourney 1\ngame sages-tafl seats=2 seat=1 seed=1\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "plays sage-stones and nothing else" in done.stderr
