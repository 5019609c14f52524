"""Options of a command line go to the game or to the programs that play it."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import ROOT, invoke

pytestmark = pytest.mark.addon("chess")

ENGINE = ROOT / "tests" / "addons" / "chess" / "uci_engine.py"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A UCI engine in the current folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ENGINE, "fixed")
    return tmp_path


def test_run_writes_programs_with_their_options(engine: Path) -> None:
    entrants = ("--bots", "random,uci:./fixed", "--option", "Hash=4", "--each", "go.nodes=9")
    where = ("--name", "cup", "--set", "run.sandbox=off", "--db", str(engine / "t.db"))
    shown = invoke("run", "--game", "chess", *entrants, *where)
    assert shown.exit_code == 0, shown.stderr
    text = (engine / "cup.toml").read_text()
    assert 'bots = ["random"]' in text
    assert 'command = ["./fixed"]\nprotocol = "uci"\noptions = {Hash = 4}\ngo = {nodes = 9}' in text


def test_option_of_the_game_stays_with_the_game(engine: Path) -> None:
    words = ("--game", "sage-stones", "--bots", "random,greedy", "--option", "stones=3", "--name", "cup")
    shown = invoke("run", *words, "--dry-run", "--db", str(engine / "t.db"))
    assert shown.exit_code == 0, shown.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--option", "Hash=4"), "sage-stones has no option Hash"),
        (("--each", "option.Hash=4"), "--each sets option Hash of programs, and random, greedy are bots"),
        (("--each", "Hash=4"), "--each 'Hash=4' is not one of option.NAME=VALUE"),
    ],
)
def test_setting_that_nothing_takes_is_refused(engine: Path, more: tuple[str, ...], message: str) -> None:
    shown = invoke(
        "run", "--game", "sage-stones", "--bots", "random,greedy", *more, "--db", str(engine / "t.db")
    )
    assert shown.exit_code == 2
    assert message in shown.stderr
    assert not list(engine.glob("*.toml"))


def test_check_plays_a_program_of_a_protocol(engine: Path) -> None:
    """The engine knows one game by heart, so a check of it ends with an illegal move."""
    shown = invoke("bots", "check", "uci:./fixed", "--game", "chess", "--sandbox", "off")
    assert "chess at seat 1 of 2" in shown.stdout
    assert engine.exists()
