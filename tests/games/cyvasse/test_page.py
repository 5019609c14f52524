"""The perft table of the rules page has the positions that the tests count."""

from pathlib import Path

from tests.games.cyvasse.hands import A, B

PAGE = Path(__file__).parents[3] / "docs" / "rules" / "cyvasse.md"


def test_perft_table_has_the_counted_positions() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"A: `{A}`" in text
    assert f"B: `{B}`" in text
    assert "| A | 95 | 7,972 |" in text
    assert "| B | 95 | 3,627 |" in text
