"""The registry of games: own games load directly, plugins load by entry point, clashes are reported."""

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint

import pytest

from tests.command import GOLDEN, ROOT, TOYS, installed, invoke, offering
from tourney.errors import GameError
from tourney.games.registry import GAMES, all_games, find_game


def test_table_of_own_games_matches_entry_points() -> None:
    """An own game must be added in both places."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"][GAMES.group] == GAMES.own
    assert set(GAMES.names()) >= set(GAMES.own)
    assert GAMES.clashes() == {}


def test_own_games_load_without_slow_imports() -> None:
    """Neither package metadata nor diagrams load, because every match starts new processes."""
    script = (
        "import sys; from tourney.games import find_game\n"
        "for name in sys.argv[1:]: find_game(name).new()\n"
        "print([name for name in sys.modules if name.rpartition('.')[2] in"
        " ('metadata', 'dataclasses', 'inspect', 'diagram')])"
    )
    words = [sys.executable, "-S", "-c", script, *GOLDEN]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_own_game_wins_over_plugin_of_its_name() -> None:
    """Bots get the own game; listing all games reports the plugin."""
    claim = [EntryPoint("cyvasse", "tests.toys:Toe", GAMES.group)]
    with installed(*claim):
        assert type(find_game("cyvasse")).__module__ == "tourney.games.cyvasse.game"
        with pytest.raises(
            GameError, match=r"cyvasse of Tourney's own is offered by tests\.toys:Toe as well"
        ):
            all_games()
        done = invoke("games", "--format", "csv")
    assert done.exit_code == 1
    assert done.stderr == (
        "error: the game cyvasse of Tourney's own is offered by tests.toys:Toe as well;"
        " uninstall that package\n"
    )
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["name", *GAMES.own]


def test_game_offered_by_two_plugins_is_refused() -> None:
    """Both plugins are named; the same entry point listed twice is no clash."""
    points = [
        EntryPoint("toe", target, GAMES.group)
        for target in ("tests.toys:Toe", "tests.toys:Race", "tests.toys:Toe")
    ]
    with offering(), installed(*points):
        with pytest.raises(GameError, match=r"offered twice, by tests\.toys:Race and tests\.toys:Toe"):
            find_game("toe")
        assert GAMES.clashes() == {
            "toe": "the game toe is offered twice, by tests.toys:Race and tests.toys:Toe;"
            " uninstall one of the packages"
        }
        assert invoke("games", "--quiet").stderr.count("\n") == 1
    with offering(), installed(*points[::2]):
        assert [game.name for game in all_games()] == ["toe"]


def test_plugin_games_are_listed_with_own_games() -> None:
    """All games are sorted by name."""
    points = [EntryPoint("race", TOYS["race"] + " [extra]", GAMES.group)]
    with installed(*points):
        assert GAMES.names() == tuple(sorted([*GAMES.own, "race"]))
        assert find_game("race").title == "Race"
    GAMES.clear()


def test_unknown_game_error_lists_known_games() -> None:
    """The error is one sentence."""
    with pytest.raises(
        GameError, match="there is no game 'checkers'; the games are: chess, chess960, cyvasse, "
    ):
        find_game("checkers")
