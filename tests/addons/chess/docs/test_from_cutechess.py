"""The example of the page for users of cutechess and fastchess is a tournament file that works."""

import re
import shutil
from pathlib import Path

import chess
import pytest

from tests.docs.pages import blocks, page
from tests.support.command import ROOT, invoke

pytestmark = pytest.mark.engine

PAGE = page("how-to/from-cutechess.md")


@pytest.mark.parametrize("limits", [0, 1])
def test_example_runs_with_two_engines_of_the_tests(tmp_path: Path, limits: int) -> None:
    """Both programs are replaced by one that plays a fixed game; tables of endings are left out."""
    text, adjudication, *_ = blocks(PAGE, "toml")
    if limits:
        assert "tablebase-pieces = 5\n" in adjudication
        text = text.partition("[limits]")[0] + adjudication.replace("tablebase-pieces = 5\n", "")
    shutil.copy(ROOT / "tests" / "addons" / "chess" / "uci_engine.py", tmp_path / "fixed")
    text = text.replace('["stockfish"]', '["./fixed"]').replace('["gnuchess", "--uci"]', '["./fixed"]')
    text = text.replace("go = {depth", 'name = "other"\ngo = {depth').replace("games-per-pairing = 20", "")
    (tmp_path / "cup.toml").write_text(f'{text}\n[run]\nsandbox = "off"\n', encoding="utf-8")
    (tmp_path / "book.epd").write_text(f"{chess.STARTING_FEN}\n", encoding="utf-8")
    places = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    done = invoke("run", str(tmp_path / "cup.toml"), "--workers", "1", "--quiet", *places)
    assert done.exit_code == 0, done.stderr
    exported = invoke("export", "--format", "pgn", "--db", str(tmp_path / "t.db"))
    assert exported.stdout.count("[Result ") == 2


@pytest.mark.parametrize("program", ["cutechess", "fastchess"])
def test_named_options_are_those_of_the_commands(program: str) -> None:
    """Commands that the table names exist, with the options that it gives them."""
    named = page(f"how-to/from-{program}.md")
    for words, option in re.findall(r"`tourney ((?:bots )?[a-z]+)[^`]*? (--[a-z]+)", named):
        assert option in invoke(*words.split(), "--help").stdout, (words, option)


@pytest.mark.parametrize("program", ["cutechess", "fastchess"])
def test_every_option_of_the_program_has_a_row(program: str) -> None:
    """The lists are those of the programs' own help, in its order."""
    text = (Path(__file__).parent / f"{program}-options.txt").read_text("utf-8")
    options = [line for line in text.splitlines() if not line.startswith("#")]
    _, _, section = page(f"how-to/from-{program}.md").partition("## Option by option\n")
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert [option for option, _ in rows] == options
