"""GNU Go plays the go of OpenSpiel."""

import json
import shutil
from pathlib import Path

import pytest

from tests.command import invoke

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")


def test_gnugo_plays_whole_games(tmp_path: Path) -> None:
    if shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        pytest.skip("gnugo is not installed")
    words = ["gnugo", "--mode", "gtp", "--level", "1", "--chinese-rules", "--capture-all-dead"]
    entrants = "".join(
        f'[[entrant]]\nname = "{name}"\nprotocol = "gtp"\ncommand = {json.dumps([*words, "--seed", seed])}\n'
        for name, seed in (("one", "1"), ("two", "2"))
    )
    file = tmp_path / "cup.toml"
    head = 'name = "cup"\ngame = "openspiel:go(board_size=5)"\nseed = 1\n[limits]\nmove-ms = 20000\n'
    file.write_text(f'{head}[run]\nsandbox = "off"\n{entrants}', encoding="utf-8")
    db = ("--db", str(tmp_path / "t.db"))
    done = invoke("run", str(file), "--workers", "1", "--quiet", "--bots", str(tmp_path / "bots"), *db)
    assert done.exit_code == 0, done.stderr
    for match in ("1", "2"):
        record = json.loads(invoke("show", match, "--json", *db).stdout)["record"]
        assert record["outcome"]["faults"] == []
        assert record["outcome"]["reason"] in {"returns", "resign"}
        assert len(record["actions"]) > 4
    assert invoke("verify", "--all", *db).exit_code == 0
    assert "GoState" in invoke("show", "1", *db).stdout
