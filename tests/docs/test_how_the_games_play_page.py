"""The figures of the page on how the games play are those of its commands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.rungs import main
from tests.docs.pages import blocks, page
from tests.support.command import ROOT
from tests.support.tournaments import write_file
from tourney.run.tournament_file import read_tournament_file

PAGE = page("explanation/how-the-games-play.md")
COMMANDS = [shlex.split(line) for block in blocks(PAGE, "text") for line in block.splitlines()]


def test_every_game_has_its_commands_and_they_parse() -> None:
    games = set()
    for words in COMMANDS:
        assert words[:3] == ["python", "-m", "benchmarks.rungs"]
        games.add(main.make_context("rungs", words[3:]).params["game"])
    assert games == {"cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages"}


@pytest.mark.benchmark
@pytest.mark.slow
def test_cheapest_row_is_played_again() -> None:
    """A rung's games depend on the seed, the game and the rung alone, not on the rungs beside it."""
    words = [sys.executable, "-m", "benchmarks.rungs", "sage-stones", "--games", "100", "random"]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    row = ended.stdout.splitlines()[-1]
    assert row.startswith("| `random` | 100 |")
    assert row in PAGE


def test_rows_add_up() -> None:
    rows = re.findall(r"^\| `[\w-]+` \|(?: \d+ \|)? (\d+) \| .*? \| (`.*?`[^|]*) \|", PAGE, re.MULTILINE)
    assert len(rows) > 15
    for games, ends in rows:
        assert int(games) == sum(map(int, re.findall(r"` (\d+)", ends)))


def test_tournament_file_on_the_page_is_read(tmp_path: Path) -> None:
    (text,) = blocks(PAGE, "toml")
    assert len(read_tournament_file(write_file(tmp_path, text)).entrants) == 2
