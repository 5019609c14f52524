"""GNU Go plays the go of OpenSpiel."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command import invoke, run_file

pytestmark = pytest.mark.engine

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")


def test_gnugo_plays_whole_games(tmp_path: Path) -> None:
    if shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        pytest.skip("gnugo is not installed")
    words = ["gnugo", "--mode", "gtp", "--level", "1", "--chinese-rules", "--capture-all-dead"]
    entrants = "".join(
        f'[[entrant]]\nname = "{name}"\nprotocol = "gtp"\ncommand = {json.dumps([*words, "--seed", seed])}\n'
        for name, seed in (("one", "1"), ("two", "2"))
    )
    head = 'name = "cup"\ngame = "openspiel:go(board_size=5)"\nseed = 1\n[limits]\nmove-ms = 20000\n'
    for record in run_file(tmp_path, f'{head}[run]\nsandbox = "off"\n{entrants}'):
        assert record["outcome"]["faults"] == []
        assert record["outcome"]["reason"] in {"returns", "resign"}
        assert len(record["actions"]) > 4
    assert "GoState" in invoke("show", "1", "--db", str(tmp_path / "t.db")).stdout
