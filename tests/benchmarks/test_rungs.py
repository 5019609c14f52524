"""Rungs play against themselves in this process, as in a tournament; here, a few games."""

import subprocess
import sys

import click
import pytest

from benchmarks.rungs import Player, Tally, named, play
from tests.support.command import ROOT
from tourney.games import find_game

pytestmark = pytest.mark.benchmark


@pytest.mark.parametrize("game", ["sages-tafl", "sage-stones", "cyvasse"])
def test_games_end_and_repeat(game: str) -> None:
    (rung,) = named(game, 2, ["greedy"])
    rules = find_game(game)
    tallies = [Tally(), Tally()]
    for tally in tallies:
        play(rules, Player(rung), 2, rules.settings(2)[1], 7, tally)
    assert tallies[0] == tallies[1]
    assert sum(tallies[0].reasons.values()) == 1
    assert tallies[0].lengths[0] > 10


def test_scored_and_unscored_rounds_are_counted() -> None:
    tally = Tally()
    for before, after in (
        ("r b h8 1 0:0 1 44 1", "r b h8 2 0:0 1 45 1"),
        ("r b h8 1 0:0 1 44 1", "r b h8 2 2:0 2 0 2"),
        ("r b h8 1 0:0 1 59 1 round-actions=60", "r b h8 2 0:0 2 0 2 round-actions=60"),
        ("r b h8 1 3:0 9 7 1", "r b h15 2 5:0 9 8 1"),
    ):
        tally.take_round(before, after)
    assert (tally.scored, tally.unscored) == ([45, 8], 1)


def test_last_round_without_a_score_counts() -> None:
    tally = Tally()
    tally.take_round("r b h8 2 1:0 12 119 1", "r b h8 1 1:0 12 120 1", over=True)
    assert (tally.scored, tally.unscored) == ([], 1)


def test_names_are_rungs_or_bots_with_nodes() -> None:
    assert named("sages-tafl", 2, [])[0].name == "random"
    assert named("seven-sages", 2, ["alphabeta-30"])[0].args == ("--nodes=30",)
    with pytest.raises(click.UsageError, match="stranger-3 is not a rung"):
        named("sages-tafl", 2, ["stranger-3"])


def test_rung_in_another_language_is_refused_and_no_default() -> None:
    """Its program cannot be called in this process."""
    assert "skipper-400000" not in {rung.name for rung in named("sages-tafl", 2, [])}
    with pytest.raises(click.UsageError, match="skipper-400000 is not a rung of sages-tafl in Python"):
        named("sages-tafl", 2, ["skipper-400000"])


def test_command_prints_a_row_for_each_rung() -> None:
    words = [sys.executable, "-m", "benchmarks.rungs", "sages-tafl", "--games", "2", "greedy"]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1].startswith("| `greedy` | 2 |")
