"""The style sheets name only colors and sizes that exist."""

import re

from tourney.bots.catalogue.shipped import templates_dir
from tourney.games.diagrams import GROUNDS, LINES, TOKENS


def test_custom_properties_are_defined_and_are_whole_colors() -> None:
    sheets = {path.name: path.read_text(encoding="utf-8") for path in templates_dir().rglob("*.css")}
    text = "\n".join(sheets.values())
    board = {f"--board-{name}" for name in (*GROUNDS, *LINES)}
    board |= {f"--board-seat-{name}" for name in TOKENS}
    defined = set(re.findall(r"(--[a-z0-9-]+):", text)) | board
    used = set(re.findall(r"var\((--[a-z0-9-]+)", text))
    assert used <= defined, used - defined
    assert "rgb(var(" not in text
    assert all("{" not in sheet.split("}")[-1] for sheet in sheets.values())
