"""The benchmark of random matches runs; here, with a few of each game."""

import subprocess
import sys

import pytest
from msgspec import structs

from benchmarks.games import main, play_matches, specs, tables
from tests.support.command import ROOT
from tests.support.toys import Race, Toe
from tourney.games.base import TERMINATIONS
from tourney.games.registry import GAMES, find_game
from tourney.match.record import Record, decode_record

pytestmark = pytest.mark.benchmark

FEW = {
    "chess": 2,
    "chess960": 2,
    "cyvasse": 4,
    "element": 6,
    "sage-stones": 80,
    "sages-tafl": 8,
    "seven-sages": 4,
}


@pytest.mark.parametrize("name", sorted(GAMES.own))
def test_random_games_play_to_their_end_and_verify(name: str) -> None:
    """They end within the game's bound, by one of its reasons, with every seat number and option."""
    game = find_game(name)
    tally, findings = play_matches(game, FEW[name], seed=1)
    assert findings == []
    assert len(tally.lengths) == sum(tally.reasons.values()) == FEW[name]
    assert max(tally.lengths) <= game.max_actions
    assert not set(TERMINATIONS) & set(tally.reasons)
    assert len(tables(game)) <= FEW[name]
    assert {seats for seats, _ in tables(game)} == set(game.seat_counts)


def test_specs_cycle_through_all_seats_and_options() -> None:
    """Options that a number of seats does not allow are left out."""
    assert tables(Toe()) == [(2, {"misere": "no"}), (2, {"misere": "yes"})]
    stones = tables(find_game("sage-stones"))
    assert len(stones) == 13 * (2 + 2 + 2)
    assert all(seats > 2 or options["play-on"] == "no" for seats, options in stones)
    made = list(specs(Race(), 5, seed=1))
    assert [len(spec.seats) for spec in made] == [2, 3, 2, 3, 2]
    assert len({spec.seed for spec in made}) == 5


def test_invalid_record_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output names the game, the seed and the problem; the exit code is 1."""

    def forge(text: bytes) -> Record:
        return structs.replace(decode_record(text), seed="0")

    monkeypatch.setattr("benchmarks.games.decode_record", forge)
    with pytest.raises(SystemExit) as caught:
        main(["matches", "sage-stones", "--games", "5"])
    assert caught.value.code == 1
    shown = capsys.readouterr()
    assert "| sage-stones | 1 | " in shown.out
    assert "sage-stones, seed " in shown.err
    assert "the dice of the seed are" in shown.err


def test_benchmark_prints_a_row_per_game() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.games", "matches", "--games", "1", "sages-tafl", "cyvasse"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    head, _, *rows = done.stdout.splitlines()
    assert head.startswith("| game | games | actions |")
    assert [row.split(" | ")[0] for row in rows] == ["| sages-tafl", "| cyvasse"]
