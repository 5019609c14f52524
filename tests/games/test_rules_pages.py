"""The worked turns of the rules' pages are what the rules console says."""

import re
from pathlib import Path

import pytest

from tourney.games.console import Console
from tourney.games.registry import find_game

PAGES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("game", ["sages-tafl", "sage-stones", "seven-sages", "element"])
def test_the_worked_turn_is_what_the_console_answers(game: str) -> None:
    page = (PAGES / f"{game}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    assert blocks
    for block in blocks:
        console = Console(find_game(game))
        lines = iter(block.splitlines())
        for line in lines:
            assert line.startswith("> ")
            console, answer = console.answer(line.removeprefix("> "))
            assert answer == next(lines)
