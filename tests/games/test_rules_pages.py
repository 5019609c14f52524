"""The worked turns of the rules pages match the rules console."""

import re
from pathlib import Path

import pytest

from tourney.games.console import Console
from tourney.games.registry import GAMES, find_game

PAGES = Path(__file__).parents[2] / "docs" / "rules"


def test_every_game_has_page_with_diagram() -> None:
    """A page that is added or renamed is tried below as well."""
    assert {path.stem for path in PAGES.glob("*.md")} == {*GAMES.own, "README"}
    for game in GAMES.own:
        assert f"![board]({game}.svg)" in (PAGES / f"{game}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", sorted(GAMES.own))
def test_worked_turn_of_page_matches_console(game: str) -> None:
    """Every block, line by line; a block that holds no action would prove little."""
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
