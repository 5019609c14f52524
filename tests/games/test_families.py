"""Families of games: made by name on request, and refused in one sentence."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from tests.command import installed, invoke
from tests.toys import Toe
from tourney.bots.catalogue.manifest import read_manifest
from tourney.errors import GameError
from tourney.games.base import AnyGame
from tourney.games.family import FAMILIES, GameFamily
from tourney.games.registry import GAMES


class Sized(GameFamily):
    """Toe under the names ``sized:3`` and, canonically the same, ``sized:03``."""

    name = "sized"
    title = "Boards of any size"

    def make(self, text: str) -> AnyGame:
        if text == "broken":
            raise ValueError("no wood")
        if text == "bad":
            return Toe()
        if text.lstrip("0") != "3":
            raise GameError("the only board of sized is sized:3")
        game = Toe()
        game.name = "sized:3"
        return game

    def names(self) -> tuple[str, ...]:
        return ("sized:3",)


@pytest.fixture(autouse=True)
def family() -> Iterator[None]:
    point = EntryPoint("sized", "tests.games.test_families:Sized", FAMILIES.group)
    with installed(point):
        yield
    GAMES.clear()
    FAMILIES.clear()


def test_game_of_a_family_is_made_once_under_its_canonical_name() -> None:
    game = GAMES.find("sized:03")
    assert game.name == "sized:3"
    assert GAMES.find("sized:3") is game
    assert GAMES.knows("sized:9")
    assert not GAMES.knows("other:3")
    assert "sized:3" not in GAMES.names()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("sized:4", "the only board of sized is sized:3"),
        ("sized:broken", "the game family sized is broken: ValueError: no wood"),
        ("sized:bad", "the game family sized is broken: it makes no game for sized:bad"),
        ("sized:a b", "'sized:a b' names no game: after FAMILY: come letters, digits and _ . , = ( ) + -"),
        ("other:3", "there is no game family 'other'; the game families are: "),
    ],
)
def test_wrong_name_is_refused_in_one_sentence(name: str, sentence: str) -> None:
    with pytest.raises(GameError) as error:
        GAMES.find(name)
    assert str(error.value).startswith(sentence)


def test_commands_take_and_list_games_of_a_family() -> None:
    assert invoke("perft", "sized:3", "2").stdout.split()[-1] == "72"
    assert invoke("check-game", "sized:3", "--games", "2").exit_code == 0
    assert invoke("games", "sized", "--format", "csv").stdout.splitlines()[1].startswith("sized:3,")
    assert "`tourney games sized` lists them" in invoke("games").stderr
    assert invoke("games", "cyvasse").stderr.startswith("error: there is no game family 'cyvasse'")


def test_bot_of_a_family_plays_all_its_games() -> None:
    text = 'name = "a"\nversion = "1"\ncommand = ["./a"]\ngames = ["sized", "other:2(x=1)"]\n'
    manifest = read_manifest(text, "bot.toml")
    assert manifest.plays("sized:3")
    assert manifest.plays("other:2(x=1)")
    assert not manifest.plays("other:3")
