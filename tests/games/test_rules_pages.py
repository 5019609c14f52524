"""The worked turns of the rules pages match the rules console."""

import re
from pathlib import Path

import pytest

from tests.games.cyvasse.hands import A, B
from tourney.games.console import Console
from tourney.games.registry import GAMES, find_game

PAGES = Path(__file__).parents[2] / "docs" / "rules"


def test_every_game_has_rules_page_with_diagram() -> None:
    """The next test also covers added and renamed pages."""
    assert {path.stem for path in PAGES.glob("*.md")} == {*GAMES.own, "README"}
    for game in GAMES.own:
        assert f"![board]({game}.svg)" in (PAGES / f"{game}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", sorted(GAMES.own))
def test_worked_turns_match_console(game: str) -> None:
    """Every block is compared line by line and has an action."""
    page = (PAGES / f"{game}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    assert any("> play " in block for block in blocks)
    for block in blocks:
        console = Console(find_game(game))
        lines = iter(block.splitlines())
        for line in lines:
            assert line.startswith("> ")
            console, answer = console.answer(line.removeprefix("> "))
            assert answer == next(lines)


def test_perft_table_of_cyvasse_has_the_counted_positions() -> None:
    text = (PAGES / "cyvasse.md").read_text(encoding="utf-8")
    assert f"A: `{A}`" in text
    assert f"B: `{B}`" in text
    assert "| A | 95 | 7,972 |" in text
    assert "| B | 95 | 3,627 |" in text
