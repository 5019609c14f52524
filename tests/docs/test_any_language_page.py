"""The page on other languages: its CMake project builds, and its console answers."""

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.pages import blocks, page
from tests.support.command import invoke
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.starter import new_bot
from tourney.games.console import Console
from tourney.games.registry import find_game

PAGE = page("how-to/any-language.md")


def test_every_manifest_of_the_page_can_be_read() -> None:
    manifests = [read_manifest(text, "page") for text in blocks(PAGE, "toml")]
    assert [manifest.command for manifest in manifests] == [("./bot",), ("./build/bot",)]


@pytest.mark.compiler
def test_cmake_project_of_the_page_passes_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("there is no cmake")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mybot"
    new_bot(folder, "cpp", "sages-tafl")
    (folder / "Makefile").unlink()
    (folder / "bot.toml").write_text(blocks(PAGE, "toml")[1], encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(blocks(PAGE, "cmake")[0], encoding="utf-8")
    checked = invoke("bots", "check", "./mybot", "--move-ms", "60000", "--startup-ms", "60000")
    assert checked.exit_code == 0, checked.output


def test_console_of_the_page_answers_without_an_error() -> None:
    (lines,) = re.findall(r"printf '([^']+)' \| tourney rules sages-tafl", PAGE)
    console = Console(find_game("sages-tafl"))
    for line in lines.removesuffix(r"\n").split(r"\n"):
        console, answer = console.answer(line)
        assert not answer.startswith("error"), line


def test_words_of_the_console_are_all_on_the_page() -> None:
    for word in Console.COMMANDS:
        assert re.search(rf"^\|.*`{word}\b", PAGE, re.MULTILINE), word
