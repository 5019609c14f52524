"""Folders of new bots."""

from pathlib import Path

import pytest

from tests.support.addons import PRESENT, needing
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.starter import LANGUAGES, new_bot, searches
from tourney.bots.catalogue.store import BotStore
from tourney.errors import BotError, GameError
from tourney.plugins import CORE

ALL = [
    *(("simple", language, "sage-stones") for language in LANGUAGES),
    *(needing("chess", "simple", language, "chess") for language in LANGUAGES),
    needing("chess", "search", "python", "chess"),
    *(("search", language, game) for language, game in searches()),
]
"""Every template in every language, with a game of its own and one without."""


@pytest.mark.parametrize(("template", "language", "game"), ALL)
def test_new_bot_can_be_added(
    template: str, language: str, game: str, tmp_path: Path, store: BotStore
) -> None:
    """Its manifest has the folder's name and the game, and no placeholder of the template."""
    files = new_bot(tmp_path / "my.bot-1", language, game, template)
    manifest = read_manifest((tmp_path / "my.bot-1" / "bot.toml").read_text(), "bot.toml")
    assert (manifest.name, manifest.version, manifest.games) == ("my.bot-1", "0.1", (game,))
    assert files == tuple(sorted((tmp_path / "my.bot-1").iterdir()))
    assert not any("@" in file.read_text().replace("-o $@", "").replace("@external", "") for file in files)
    assert any("name=my.bot-1" in file.read_text().replace('"', "") for file in files)
    assert store.add(tmp_path / "my.bot-1").manifest == manifest
    assert [path.name for path in tmp_path.iterdir() if path.name != "store"] == ["my.bot-1"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_shipped_game_has_a_function_of_its_own(language: str, tmp_path: Path) -> None:
    texts = set()
    games = (*CORE.games, "chess") if "chess" in PRESENT else (*CORE.games,)
    for game in games:
        files = new_bot(tmp_path / game, language, game)
        texts.add("".join(file.read_text().replace(game, "") for file in files))
    assert len(texts) == len(games)


def test_missing_search_template_names_the_others(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="no search template in rust for cyvasse, but there is in python"):
        new_bot(tmp_path / "mybot", "rust", "cyvasse", "search")
    assert list(tmp_path.iterdir()) == []


def test_starter_of_hidden_game_asks_for_positions(tmp_path: Path) -> None:
    new_bot(tmp_path / "one", "python", "cyvasse")
    new_bot(tmp_path / "two", "python", "sages-tafl")
    assert "run(choose, hidden=True, " in (tmp_path / "one" / "bot.py").read_text()
    assert "run(choose, name=" in (tmp_path / "two" / "bot.py").read_text()


@pytest.mark.addon("fuel")
def test_packages_come_in_python_only(tmp_path: Path) -> None:
    files = new_bot(tmp_path / "one", "python", "cyvasse", "search", packages=True)
    assert [file.name for file in files] == ["bot.py", "bot.toml", "unpack.py"]
    manifest = read_manifest((tmp_path / "one" / "bot.toml").read_text(), "bot.toml")
    assert (manifest.build, manifest.build_output) == (("python3", "unpack.py"), ("packages/*",))
    for language, wasm in (("c", False), ("python", True)):
        with pytest.raises(BotError, match="packages come with a bot in python"):
            new_bot(tmp_path / "two", language, wasm=wasm, packages=True)


def test_name_of_shipped_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="greedy is the name of a bot that ships"):
        new_bot(tmp_path / "greedy", "python")


@pytest.mark.parametrize("name", ["My Bot", ".bot", "-x", "a" * 65])
def test_bad_bot_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BotError, match="is not a name for a bot"):
        new_bot(tmp_path / name, "python")
    assert list(tmp_path.iterdir()) == []


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mybot").mkdir()
    (tmp_path / "dead").symlink_to("nowhere")
    for name in ("mybot", "dead"):
        with pytest.raises(BotError, match=f"{name} exists already"):
            new_bot(tmp_path / name, "python")
    with pytest.raises(BotError, match="there is no folder"):
        new_bot(tmp_path / "gone" / "mybot", "python")
    assert list((tmp_path / "mybot").iterdir()) == []


def test_unknown_game_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="there is no game 'draughts'"):
        new_bot(tmp_path / "mybot", "python", "draughts")
    assert list(tmp_path.iterdir()) == []
