"""The rules' page: its worked turn and its numbers are the game's."""

import re
from pathlib import Path

from tests.games.cyvasse.hands import A, B
from tourney.games.console import Console
from tourney.games.registry import find_game

PAGE = Path(__file__).parents[3] / "docs" / "rules" / "cyvasse.md"


def test_the_worked_turn_is_what_the_console_answers() -> None:
    (block,) = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    console = Console(find_game("cyvasse"))
    lines = iter(block.splitlines())
    for line in lines:
        assert line.startswith("> ")
        console, answer = console.answer(line.removeprefix("> "))
        assert answer == next(lines)


def test_the_positions_of_the_perft_table_are_those_that_are_counted() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"A: `{A}`" in text
    assert f"B: `{B}`" in text
    assert "| A | 95 | 7,972 |" in text
    assert "| B | 95 | 3,627 |" in text
