"""The shipped bots as processes: whole games of every game that they support."""

import shutil

import pytest

from tests.engines.conftest import Play, room_of, spec_of
from tests.support.programs import needs_compiler
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.shipped import shipped_bots
from tourney.bots.catalogue.store import BotStore
from tourney.games.registry import find_game

MANIFESTS = {
    name: read_manifest((folder / "bot.toml").read_text(), name) for name, folder in shipped_bots().items()
}
PROGRAMS = {name: manifest.command[0] for name, manifest in MANIFESTS.items()}
LONG_GAMES = {"cyvasse", "element", "seven-sages"}
"""Their matches are in the slow tests; each bot plays another game too."""
PAIRS = [
    pytest.param(
        *(name, game),
        marks=[
            pytest.mark.skipif(
                PROGRAMS[name] == "node" and shutil.which("node") is None, reason="node is not installed"
            ),
            *([needs_compiler] if manifest.build[:1] == ("make",) else []),
            *([pytest.mark.slow] if game in LONG_GAMES else []),
        ],
    )
    for name, manifest in MANIFESTS.items()
    for game in manifest.games
]


def test_each_folder_has_a_bot_of_its_name() -> None:
    assert {name: manifest.name for name, manifest in MANIFESTS.items()} == {name: name for name in MANIFESTS}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_bot_plays_whole_games(name: str, game: str, play: Play) -> None:
    """It takes all seats of the largest table, and each of the smallest against random, without faults."""
    counts = find_game(game).seat_counts
    tables = [[name] * counts[-1]]
    for seat in range(counts[0] if name not in {"random", "pebble"} else 0):
        tables.append(["random"] * counts[0])
        tables[-1][seat] = name
    for seed, table in enumerate(tables):
        played = play(game, *table, seed=seed)
        assert played.record.outcome.faults == ()
        assert played.record.outcome.reason not in {"fault", "resign"}
        notes = [line.text for line in played.log if line.kind != "info"]
        assert [text for text in notes if not text.startswith("the machine was overloaded")] == []


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("pebble", "sages-tafl"),
        pytest.param("mason", "sage-stones", marks=needs_compiler),
        *(
            pytest.param(name, game, marks=pytest.mark.slow)
            for name, game in (
                ("random", "element"),
                ("greedy", "cyvasse"),
                ("mcts", "element"),
                ("alphabeta", "seven-sages"),
            )
        ),
    ],
)
def test_same_seed_gives_same_record(name: str, game: str, shipped: BotStore) -> None:
    """The second game uses new processes; another seed gives another record."""
    table = [name] * find_game(game).seat_counts[0]
    digests = []
    for seed in (5, 5, 6):
        with room_of(shipped) as room:
            digests.append(room.play(spec_of(shipped, game, table, seed)).record.digest)
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.slow
@pytest.mark.parametrize("game", MANIFESTS["greedy"].games)
def test_greedy_is_better_than_random(game: str, play: Play) -> None:
    """It wins from either seat; the seeds are fixed, so the result is too."""
    for seat, table in enumerate((("greedy", "random"), ("random", "greedy"))):
        assert play(game, *table, seed=1).record.outcome.ranks[seat] == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", MANIFESTS["alphabeta"].games)
def test_alphabeta_is_better_than_random(game: str, play: Play) -> None:
    """A few nodes are enough to win from either seat; the seeds are fixed."""
    for seat, table in enumerate((("alphabeta", "random"), ("random", "alphabeta"))):
        assert play(game, *table, seed=1).record.outcome.ranks[seat] == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", ["cyvasse", "element", "seven-sages"])
def test_mcts_is_better_than_greedy(game: str, play: Play) -> None:
    """In these games four playouts win one of two games from each seat; the seeds are fixed."""
    for seat, table in enumerate((("mcts", "greedy"), ("greedy", "mcts"))):
        ranks = [play(game, *table, seed=seed).record.outcome.ranks[seat] for seed in (1, 2)]
        assert 1 in ranks


@needs_compiler
def test_mason_is_better_than_greedy(play: Play) -> None:
    """It wins more of twenty games with alternating seats; the seeds are fixed."""
    won = 0
    for seed in range(10):
        for seat, table in enumerate((("mason", "greedy"), ("greedy", "mason"))):
            won += play("sage-stones", *table, seed=seed).record.outcome.ranks[seat] == 1
    assert won > 10


@pytest.mark.slow
def test_shell_bot_has_under_30_lines() -> None:
    """It is plain shell."""
    text = (shipped_bots()["pebble"] / "bot.sh").read_text()
    assert text.startswith("#!/bin/sh\n")
    assert len(text.splitlines()) < 30
