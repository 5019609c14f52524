"""The README's pictures are made, shown and small."""

import re
import struct
from pathlib import Path

import pytest

from scripts.make_images import HEIGHT, WIDTH, main
from tests.report.browser import needs_browser
from tests.support.command import ROOT

NAMES = ["replay-dark.png", "replay-light.png", "standings.png", "terminal.png"]


def test_readme_shows_every_picture_and_they_are_small() -> None:
    shown = re.findall(r"\]\(docs/images/([a-z-]+\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(shown) == NAMES
    assert {path.name for path in (ROOT / "docs" / "images").glob("*.png")} == set(NAMES)
    assert sum((ROOT / "docs" / "images" / name).stat().st_size for name in NAMES) < 600_000


@pytest.mark.browser
@needs_browser
def test_pictures_are_taken_in_both_colours(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    assert main([str(tmp_path)]) == 0
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(found) == NAMES
    assert found["replay-light.png"] != found["replay-dark.png"]
    for name in NAMES[:3]:
        assert struct.unpack(">II", found[name][16:24]) == (WIDTH, HEIGHT)


def test_bad_arguments_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main([]) == 2
    assert main([str(tmp_path / "file")]) == 3
    assert [line.split(" ")[0] for line in capsys.readouterr().err.splitlines()] == ["usage:", "error:"]
