"""Programs of the machine enter tournaments by their command and play chess by UCI."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, invoke

ENGINE = ROOT / "tests" / "engines" / "uci_engine.py"
HEAD = 'name = "cup"\ngame = "chess"\nseed = 1\n[run]\nsandbox = "off"\n'


def program(folder: Path) -> Path:
    """Copy the engine into a folder."""
    target = folder / "fixed"
    shutil.copy(ENGINE, target)
    return target


def play(folder: Path, entrants: str, head: str = HEAD) -> list[dict[str, Any]]:
    """Run a tournament file and return its records."""
    file = folder / "cup.toml"
    file.write_text(f"{head}\n{entrants}", encoding="utf-8")
    places = ("--db", str(folder / "t.db"), "--bots", str(folder / "bots"))
    done = invoke("run", str(file), "--workers", "1", "--quiet", *places)
    assert done.exit_code == 0, done.stderr
    out = folder / "records.jsonl"
    assert invoke("export", "cup", "--out", str(out), "--db", str(folder / "t.db")).exit_code == 0
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def test_program_enters_with_options_and_its_games_verify(tmp_path: Path) -> None:
    program(tmp_path)
    entrants = '[[entrant]]\ncommand = ["./fixed"]\nname = "one"\noptions = {Hash = 4}\n'
    records = play(
        tmp_path, entrants + '[[entrant]]\ncommand = ["./fixed"]\nname = "two"\ngo = {nodes = 9}\n'
    )
    assert [record["outcome"]["reason"] for record in records] == ["checkmate", "checkmate"]
    assert all(record["outcome"]["ranks"] == [2, 1] for record in records)
    seats = records[0]["seats"]
    assert {seat["bot"] for seat in seats} == {"fixed"}
    assert seats[0]["digest"] != seats[1]["digest"]
    assert invoke("verify", "--all", "--db", str(tmp_path / "t.db")).exit_code == 0
    shown = invoke("show", "1", "--db", str(tmp_path / "t.db"), "--log").stdout
    assert "score=0.25 depth=1 nodes=7" in shown


@pytest.mark.parametrize(
    ("argument", "kind"),
    [
        ("bestmove a1a1", "illegal"),
        ("bestmove e1e3", "illegal"),
        ("bestmove", "protocol"),
        ("hang", "timeout"),
    ],
)
def test_engine_that_breaks_the_protocol_is_at_fault(tmp_path: Path, argument: str, kind: str) -> None:
    program(tmp_path)
    bad = f'[[entrant]]\ncommand = ["./fixed", "{argument}"]\nname = "bad"\n'
    good = '[[entrant]]\ncommand = ["./fixed"]\nname = "good"\n[limits]\nmove-ms = 100\nponder = "allow"\n'
    records = play(tmp_path, bad + good)
    assert len(records) == 2
    for record in records:
        seat = 1 + [entrant["entrant"] for entrant in record["seats"]].index("bad")
        assert record["outcome"]["faults"] == [[seat, kind, 3 + seat]]
        assert record["outcome"]["ranks"][seat - 1] == 2


@pytest.mark.parametrize(
    ("entrant", "sentence"),
    [
        ('command = ["no-such-engine"]', "there is no program no-such-engine on PATH; install it"),
        ('command = ["./none"]', "there is no executable file"),
        ('command = ["python3", "engine.py"]', "needs more files than a single program: make a folder"),
        ('command = ["./fixed"]\nbot = "mcts"', "bot must be set, or command"),
        ('bot = "mcts"\noptions = {Hash = 3}', "options goes with command only"),
        ('command = ["./fixed"]\ngo = {mate = 3}', "go: mate = 3 is no limit"),
        ('command = ["./fixed"]\nprotocol = "tourney"\ngo = {depth = 3}', "the protocol tourney has no such"),
        ('name = "x"', "bot must be set, or command"),
    ],
)
def test_wrong_entrant_is_refused_in_one_sentence(tmp_path: Path, entrant: str, sentence: str) -> None:
    program(tmp_path)
    file = tmp_path / "cup.toml"
    file.write_text(f"{HEAD}\n[[entrant]]\n{entrant}\n", encoding="utf-8")
    done = invoke("run", str(file), "--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "t.db").exists()


@pytest.mark.parametrize("command", ['["stockfish"]', '["gnuchess", "--uci"]', '["fairy-stockfish"]'])
def test_engines_of_debian_play(tmp_path: Path, command: str) -> None:
    """Two plies after the opening are enough to see that each answers by a legal move."""
    name = json.loads(command)[0]
    if shutil.which(name, path="/usr/games:/usr/bin:/usr/local/bin") is None:
        pytest.skip(f"{name} is not installed")
    program(tmp_path)
    (tmp_path / "mate.book").write_text("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6\n", encoding="utf-8")
    head = HEAD.replace("seed = 1", 'seed = 1\nopening-book = "mate.book"')
    engine = f'[[entrant]]\ncommand = {command}\nname = "engine"\ngo = {{depth = 3}}\n'
    entrants = f'{engine}[[entrant]]\ncommand = ["./fixed"]\nname = "fixed"\n'
    records = play(tmp_path, f"{entrants}[limits]\nmove-ms = 20000\n", head)
    white = next(record for record in records if record["seats"][0]["entrant"] == "engine")
    assert [action for _, action in white["actions"][6:]] == ["h5f7"]
    assert white["outcome"]["reason"] == "checkmate"
