"""Heron's own rules of Sage Stones against Tourney's, in every setting."""

import shutil
from pathlib import Path

import pytest

from tests.engines.conftest import STONES_SETTINGS, answer_in_random_games, folder_of, talk
from tourney.bots.catalogue.store import BotStore

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@pytest.fixture(scope="module")
def folder(shipped: BotStore) -> Path:
    return folder_of("heron", shipped)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "options"), STONES_SETTINGS)
def test_heron_names_legal_squares_in_random_games(
    seats: int, options: dict[str, str], folder: Path, shipped: BotStore
) -> None:
    with talk("heron", folder, shipped, "--playouts=1") as bot:
        assert bot.ask("tourney 1") == "bot name=heron version=1.2"
        answer_in_random_games(bot, seats, options)


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
