"""Letters in place of figures, in a real browser."""

from pathlib import Path
from typing import Any

from tests.report.browser import needs_browser, probe
from tests.report.conftest import Report
from tourney.games.diagrams import style


@needs_browser
def test_letters_replace_figures_inside_use_elements(tmp_path: Path) -> None:
    """The box of a sprite is that of its figure, and after the switch that of its letter."""
    page = tmp_path / "sprite.html"
    page.write_text(
        f"<!doctype html><html><head><style>{style()}</style></head><body>"
        '<svg class="tb" id="board" viewBox="0 0 200 200" width="200" height="200"><defs><g id="s1">'
        '<g class="tb-figure"><rect width="50" height="50"/></g>'
        '<g class="tb-letter"><rect width="10" height="10"/></g></g></defs>'
        '<use href="#s1" id="piece"/></svg></body></html>',
        encoding="utf-8",
    )
    script = """
    const width = () => document.getElementById('piece').getBBox().width;
    const board = document.getElementById('board');
    const found = [width()];
    board.classList.add('tb-letters');
    found.push(width());
    board.classList.remove('tb-letters');
    found.push(width());
    return found;
    """
    assert probe(page, script, tmp_path / "profile") == [50, 10, 50]


@needs_browser
def test_boards_of_the_game_page_can_show_letters(report: Report, tmp_path: Path) -> None:
    script = """
    const board = document.querySelector('.game-boards figure:nth-child(2) svg.tb');
    const shown = kind => [...board.querySelectorAll('.' + kind)]
      .filter(element => getComputedStyle(element).display !== 'none').length;
    const before = [shown('tb-figure'), shown('tb-letter')];
    board.classList.add('tb-letters');
    return [before, [shown('tb-figure'), shown('tb-letter')]];
    """
    found: Any = probe(report.folder / "game.html", script, tmp_path / "profile")
    (figures, no_letters), (no_figures, letters) = found
    assert figures == letters > 5
    assert no_letters == no_figures == 0
