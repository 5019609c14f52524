"""The shipped bots as processes: whole games of every game that they support."""

import pytest

from tests.engines.conftest import Play, room_of, spec_of
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.store import BotStore, shipped_bots
from tourney.games.registry import find_game

MANIFESTS = {
    name: read_manifest((folder / "bot.toml").read_text(), name) for name, folder in shipped_bots().items()
}
PAIRS = [(name, game) for name, manifest in MANIFESTS.items() for game in manifest.games]


def test_each_folder_holds_bot_of_its_name() -> None:
    assert {name: manifest.name for name, manifest in MANIFESTS.items()} == {name: name for name in MANIFESTS}


@pytest.mark.parametrize(("name", "game"), PAIRS)
def test_bot_plays_whole_games(name: str, game: str, play: Play) -> None:
    """At all seats of the largest table, and at each of the smallest against random; without a fault."""
    counts = find_game(game).seat_counts
    tables = [[name] * counts[-1]]
    for seat in range(counts[0] if name not in {"random", "pebble"} else 0):
        tables.append(["random"] * counts[0])
        tables[-1][seat] = name
    for seed, table in enumerate(tables):
        played = play(game, *table, seed=seed)
        assert played.record["outcome"]["faults"] == []
        assert played.record["outcome"]["reason"] not in {"fault", "resign"}
        assert [line.text for line in played.log if line.kind != "info"] == []


@pytest.mark.parametrize(
    ("name", "game"),
    [("random", "element"), ("pebble", "sages-tafl"), ("greedy", "cyvasse"), ("mason", "sage-stones")],
)
def test_bot_plays_same_again(name: str, game: str, shipped: BotStore) -> None:
    """The same seed gives the same record, in new processes; another seed another."""
    table = [name] * find_game(game).seat_counts[0]
    digests = []
    for seed in (5, 5, 6):
        with room_of(shipped) as room:
            digests.append(room.play(spec_of(shipped, game, table, seed)).record["digest"])
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("game", MANIFESTS["greedy"].games)
def test_greedy_is_better_than_random(game: str, play: Play) -> None:
    """It wins from either seat; the seeds are fixed, so the result is too."""
    for seat, table in enumerate((("greedy", "random"), ("random", "greedy"))):
        assert play(game, *table, seed=1).record["outcome"]["ranks"][seat] == 1


def test_mason_is_better_than_greedy(play: Play) -> None:
    """Of twenty games with the seats changed it wins more; the seeds are fixed."""
    won = 0
    for seed in range(10):
        for seat, table in enumerate((("mason", "greedy"), ("greedy", "mason"))):
            won += play("sage-stones", *table, seed=seed).record["outcome"]["ranks"][seat] == 1
    assert won > 10


def test_shell_bot_is_short() -> None:
    """In plain shell in under 30 lines."""
    text = (shipped_bots()["pebble"] / "bot.sh").read_text()
    assert text.startswith("#!/bin/sh\n")
    assert len(text.splitlines()) < 30
