"""The figures of the page on how the games play are those of its commands."""

import re
import shlex
import subprocess
import sys

import pytest

from benchmarks.rungs import main
from scripts.search_set_ups import main as search_set_ups
from tests.docs.pages import blocks, page
from tests.support.command import ROOT

PAGE = page("explanation/how-the-games-play.md")
COMMANDS = [shlex.split(line) for block in blocks(PAGE, "text") for line in block.splitlines()]


def test_every_game_has_its_commands_and_they_parse() -> None:
    games = set()
    for words in COMMANDS:
        if words[2] == "scripts.search_set_ups":
            search_set_ups.make_context("search", words[3:])
            continue
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
