"""The registry of games: own games load directly, plugins load by entry point, clashes are reported.

Families of games are made by name on request, and refused in one sentence.
"""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.command import GOLDEN, ROOT, TOYS, installed, invoke, offering
from tests.support.toys import Toe
from tourney.bots.catalogue.manifest import read_manifest
from tourney.errors import GameError
from tourney.games.base import AnyGame
from tourney.games.registry import FAMILIES, GAMES, GameFamily, all_games, find_game
from tourney.plugins import Addon


def test_own_games_are_listed_and_clash_with_none() -> None:
    assert set(GAMES.names()) >= set(GAMES.own)
    assert GAMES.clashes() == {}


def test_own_games_load_without_slow_imports() -> None:
    """Neither package metadata nor diagrams load, because every match starts new processes."""
    script = (
        "import sys; from tourney.games import find_game\n"
        "for name in sys.argv[1:]: find_game(name).new()\n"
        "print([name for name in sys.modules if name.rpartition('.')[2] in"
        " ('metadata', 'dataclasses', 'inspect', 'diagram', 'diagrams')])"
    )
    words = [sys.executable, "-S", "-c", script, *GOLDEN]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_own_game_wins_over_plugin_of_its_name() -> None:
    """Bots get the own game; listing all games reports the plugin."""
    with installed(Addon(games={"cyvasse": "tests.support.toys:Toe"})):
        assert type(find_game("cyvasse")).__module__ == "tourney.games.cyvasse"
        with pytest.raises(
            GameError, match=r"cyvasse of Tourney's own is offered by tests\.support\.toys:Toe as well"
        ):
            all_games()
        done = invoke("games", "--format", "csv")
    assert done.exit_code == 1
    assert done.stderr == (
        "error: the game cyvasse of Tourney's own is offered by tests.support.toys:Toe as well;"
        " uninstall that package\n"
    )
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["name", *GAMES.own]


def test_game_offered_by_two_plugins_is_refused() -> None:
    """Both plugins are named; the same target offered twice is not a clash."""
    addons = [
        Addon(games={"toe": target})
        for target in ("tests.support.toys:Toe", "tests.support.toys:Race", "tests.support.toys:Toe")
    ]
    with offering(), installed(*addons):
        with pytest.raises(
            GameError, match=r"offered twice, by tests\.support\.toys:Race and tests\.support\.toys:Toe"
        ):
            find_game("toe")
        assert GAMES.clashes() == {
            "toe": "the game toe is offered twice, by tests.support.toys:Race and tests.support.toys:Toe;"
            " uninstall one of the packages"
        }
        assert invoke("games", "--quiet").stderr.count("\n") == 1
    with offering(), installed(*addons[::2]):
        assert [game.name for game in all_games()] == ["toe"]


def test_plugin_games_are_listed_with_own_games() -> None:
    """All games are sorted by name."""
    with installed(Addon(games={"race": TOYS["race"]})):
        assert GAMES.names() == tuple(sorted([*GAMES.own, "race"]))
        assert find_game("race").title == "Race"
    GAMES.clear()


def test_unknown_game_error_lists_known_games() -> None:
    """The error is one sentence."""
    known = ", ".join(GAMES.names())
    with pytest.raises(GameError, match=f"there is no game 'checkers'; the games are: {known}"):
        find_game("checkers")


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


@pytest.fixture
def family() -> Iterator[None]:
    with installed(Addon(game_families={"sized": "tests.games.test_registry:Sized"})):
        yield
    GAMES.clear()
    FAMILIES.clear()


@pytest.mark.usefixtures("family")
def test_game_of_a_family_is_made_once_under_its_canonical_name() -> None:
    game = GAMES.find("sized:03")
    assert game.name == "sized:3"
    assert GAMES.find("sized:3") is game
    assert GAMES.knows("sized:9")
    assert not GAMES.knows("other:3")
    assert "sized:3" not in GAMES.names()


@pytest.mark.usefixtures("family")
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


@pytest.mark.usefixtures("family")
def test_commands_take_and_list_games_of_a_family() -> None:
    assert invoke("perft", "sized:3", "2").stdout.split()[-1] == "72"
    assert invoke("check-game", "sized:3", "--games", "2").exit_code == 0
    assert invoke("games", "sized", "--format", "csv").stdout.splitlines()[1].startswith("sized:3,")
    assert "`tourney games sized` lists them" in invoke("games").stderr
    assert invoke("games", "absent").stderr.startswith("error: there is no game")


@pytest.mark.usefixtures("family")
def test_bot_of_a_family_plays_all_its_games() -> None:
    text = 'name = "a"\nversion = "1"\ncommand = ["./a"]\ngames = ["sized", "other:2(x=1)"]\n'
    manifest = read_manifest(text, "bot.toml")
    assert manifest.plays("sized:3")
    assert manifest.plays("other:2(x=1)")
    assert not manifest.plays("other:3")
