"""Modules that `tourney bots new --wasm` writes play as the programs of their sources."""

from pathlib import Path

import pytest

from tests.engines.test_starters import TABLES, Reference, matches, write
from tourney.addons.fuel.starter import missing_tools
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.starter import BEATEN, new_bot
from tourney.bots.catalogue.store import BotStore
from tourney.errors import BotError

pytestmark = pytest.mark.compiler


def write_module(language: str, folder: Path) -> Path:
    """Write a simple bot as a module; skip the test if this machine cannot build it."""
    if needed := missing_tools(language):
        pytest.skip(f"this machine builds no modules from {language}: that needs {needed}")
    return write("simple", language, "sage-stones", folder, wasm=True)


@pytest.mark.parametrize("language", ["c", "rust"])
def test_module_plays_as_the_program_of_its_source(
    language: str, in_shell: Reference, shipped: BotStore, tmp_path: Path
) -> None:
    bot = write_module(language, tmp_path)
    assert matches(shipped, bot, "sage-stones", BEATEN["simple"], TABLES["sage-stones"]) == in_shell(
        "sage-stones"
    )


@pytest.mark.slow
def test_module_of_python_plays_as_the_program_of_its_source(shipped: BotStore, tmp_path: Path) -> None:
    """CPython takes long to compile."""
    bots = write("simple", "python", "sage-stones", tmp_path), write_module("python", tmp_path)
    played = [matches(shipped, bot, "sage-stones", "random", ((2, 1),)) for bot in bots]
    assert played[0] == played[1]


def test_module_of_a_search_has_the_source_of_the_program(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("program", "module")]
    for folder in folders:
        new_bot(folder, "c", "sages-tafl", "search", wasm=folder.name == "module")
    program, module = ((folder / "skipper.c").read_text().replace(folder.name, "NAME") for folder in folders)
    assert program == module
    manifest = read_manifest((folders[1] / "bot.toml").read_text("utf-8"), "bot.toml")
    assert manifest.command == ("bot.wasm",)
    assert manifest.build[-1] == "skipper.c"
    assert not (folders[1] / "Makefile").exists()


def test_languages_without_modules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="no template in java for WebAssembly, but in python, c, rust"):
        new_bot(tmp_path / "mybot", "java", wasm=True)
    assert not [*tmp_path.iterdir()]
