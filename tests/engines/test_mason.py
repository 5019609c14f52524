"""Mason's own rules of Sage Stones against Tourney's: it always names a legal square."""

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.engines.conftest import STONES_SETTINGS, Bot, answer_in_random_games, folder_of, talk
from tests.support.programs import needs_compiler
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.games import find_game

GAME = find_game("sage-stones")

pytestmark = needs_compiler


@pytest.fixture(scope="module")
def folder(shipped: BotStore) -> Path:
    return folder_of("mason", shipped)


def mason(folder: Path, store: BotStore) -> AbstractContextManager[Bot]:
    return talk("mason", folder, store)


@pytest.mark.parametrize(("seats", "options"), STONES_SETTINGS)
def test_mason_names_legal_squares_in_random_games(
    seats: int, options: dict[str, str], folder: Path, shipped: BotStore
) -> None:
    with mason(folder, shipped) as bot:
        assert bot.ask("tourney 1") == "bot name=mason version=1.1"
        answer_in_random_games(bot, seats, options)


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
        env=dict(command.env),
        input="tourney 1\ngame sages-tafl seats=2 seat=1 seed=1\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "plays sage-stones and nothing else" in done.stderr
