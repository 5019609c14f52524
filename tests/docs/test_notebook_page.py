"""The blocks of the notebook page run one after the other, and print what stands below them."""

import contextlib
import io
from pathlib import Path

import pytest

from tests.docs.pages import every_block, page


@pytest.mark.slow
def test_blocks_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TOURNEY_DB", "TOURNEY_BOTS"):
        monkeypatch.delenv(name, raising=False)
    names: dict[str, object] = {}
    printed, shown = "", 0
    for language, text in every_block(page("tutorials/notebook.md")):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(text, names)  # noqa: S102 - it is our own page
            printed = output.getvalue()
        else:
            assert (language, text) == ("text", printed)
            shown += 1
    assert shown >= 6
