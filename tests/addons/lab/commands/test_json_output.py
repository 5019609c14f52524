"""``--format json`` of the lab's commands, held to the committed schemas."""

import json
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from scripts.make_reference import documents
from tests.support.command import ROOT, invoke
from tests.support.documents import Printer, commands_of, kinds_of
from tests.support.folders import write_shell_bot
from tourney.addons.lab import ladder
from tourney.bots.catalogue.shipped import Rating, Rung

pytestmark = pytest.mark.slow  # as a whole: the last test counts what the others checked

CUP = """
name = "cup"
game = "sage-stones"
seed = 3
bots = ["pebble", "random"]
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""

printed = Printer()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished tournament, a bot that crashes, and a dialogue."""
    folder = tmp_path_factory.mktemp("home")
    write_shell_bot(folder, "mute", "*) exit 3;;", games='["sage-stones"]')
    (folder / "dialogue").write_text("> tourney 1\n< bot *\n")
    (folder / "cup.toml").write_text(CUP)
    where = ("--db", str(folder / "t.db"), "--bots", str(folder / "bots"))
    done = invoke("run", str(folder / "cup.toml"), "--workers", "1", *where)
    assert done.exit_code == 0, done.stderr
    return folder


def test_every_command_of_the_lab_prints_documents() -> None:
    assert commands_of("lab") <= set(documents())


def test_dialogues_are_documents(home: Path) -> None:
    bots, mute = ("--bots", str(home / "bots")), str(home / "mute")
    tested = printed("bots", "test", str(home / "dialogue"), "pebble", "--sandbox", "off", *bots)
    assert (tested["passed"], tested["lines"], tested["difference"]) == (True, 1, None)
    untested = printed("bots", "test", str(home / "dialogue"), mute, "--sandbox", "off", *bots, code=1)
    assert untested["difference"]


def test_positions_analyses_and_debugging_are_documents(home: Path, tmp_path: Path) -> None:
    db, bots = ("--db", str(home / "t.db")), ("--bots", str(home / "bots"), "--sandbox", "off")
    explored = printed("positions", "--bot", "pebble", *db)
    assert (explored["matches"], bool(explored["positions"])) == (2, True)
    analyzed = printed("analyze", "cup/1", "--with", "mcts-1", *db, *bots)
    assert (len(analyzed["matches"]), analyzed["failed"]) == (1, [])
    match = json.loads(invoke("show", "cup/1", "--record", *db).stdout)
    seat = 1 + [one["entrant"] for one in match["seats"]].index("pebble")
    own = ("--seat", str(seat), "--bot", str(ROOT / "engines" / "pebble"))
    assert printed("debug", "cup/1", *own, *db, *bots)["first"] is None
    shutil.copytree(ROOT / "engines" / "pebble", tmp_path / "own")
    manifest = tmp_path / "own" / "bot.toml"
    manifest.write_text(manifest.read_text().replace('name = "pebble"', 'name = "own"'))
    place = next(k for k, (actor, _) in enumerate(match["actions"], 1) if actor == seat)
    add = ("--add", f"cup/1@{place}", "--expect", match["actions"][place - 1][1])
    assert invoke("bots", "test", str(tmp_path / "own"), *add, *db, *bots).exit_code == 0
    assert printed("bots", "test", str(tmp_path / "own"), *bots)["passed"] is True


def test_comparisons_and_placements_are_documents(home: Path, tmp_path: Path) -> None:
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"), "--sandbox", "off")
    same = ("--game", "sage-stones", "--seed", "5", "--workers", "1", "--move-ms", "600000")
    compared = printed(
        "compare", "pebble", "random", *same, "--batch", "1", "--max-pairs", "1", "--reuse", *where
    )
    assert len(compared["pentanomial"]) == 5
    rungs = (Rung("random", "random", (), Rating(-100, -110, -90)),)
    with patch.object(ladder, "ladder_of", lambda _game, _seats: rungs):
        out = printed("ladder", str(home / "mute"), *same, *where, code=1)
    assert (out["ending"], out["first_fault"]["kind"]) == ("out", "startup")
    assert printed("ladder", "--list")["rungs"]


def test_gates_and_baselines_are_documents(home: Path, tmp_path: Path) -> None:
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    game = ("--game", "sage-stones")
    (promoted,) = printed("bots", "promote", "pebble", *game, *where)["baselines"]
    assert (promoted["name"], promoted["number"], promoted["gate"]) == ("pebble", 1, None)
    assert printed("bots", "baselines", "--db", str(tmp_path / "t.db"))["baselines"] == [promoted]
    fast = ("--batch", "1", "--workers", "1", "--move-ms", "600000", "--sandbox", "off")
    gated = printed("gate", str(home / "mute"), *game, *fast, *where, code=1)
    assert (gated["verdict"], gated["reason"]) == ("rejected", "faults")
    assert (gated["against"][0]["digest"], gated["first_fault"]["kind"]) == (promoted["digest"], "startup")
    assert printed("bots", "promote", "--undo", "pebble", *where)["baselines"] == []


def test_tunings_are_documents(tmp_path: Path) -> None:
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"), "--workers", "1")
    (tmp_path / "tune.toml").write_text(
        'game = "sage-stones"\ngames = 2\nrate = 0.0001\nparameters = ["best"]\n'
        '[limits]\nnodes = 1\nmove-ms = 600000\n[run]\nsandbox = "off"\nreuse = true\n'
    )
    tuned = printed("tune", "tinker", str(tmp_path / "tune.toml"), *where, code=1)
    assert (tuned["ended"], tuned["gate"], tuned["parameters"][0]["name"]) == (True, None, "best")


def test_every_kind_of_document_of_the_lab_was_checked() -> None:
    """The tests above print each kind at least once; run this module as a whole."""
    assert kinds_of("lab") <= printed.seen
