"""The anchor ladders' definition."""

from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.shipped import ladder_of, ladders, shipped_bots
from tourney.games.registry import find_game


def test_ladders_have_five_rungs_of_different_names() -> None:
    assert {game for game, _ in ladders()} == {
        "cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages"
    }  # fmt: skip
    for (game, seats), rungs in ladders().items():
        assert seats in find_game(game).seat_counts
        assert len({rung.name for rung in rungs}) == len(rungs) >= 5
        assert rungs[0].name == "random"
        assert "greedy" in {rung.name for rung in rungs}


def test_rungs_name_shipped_bots_that_play_the_game() -> None:
    shipped = shipped_bots()
    for (game, _), rungs in ladders().items():
        for rung in rungs:
            manifest = read_manifest((shipped[rung.bot] / "bot.toml").read_text(), rung.bot)
            assert manifest.plays(game)


def test_unknown_ladder_has_no_rungs() -> None:
    assert ladder_of("sages-tafl", 3) == ()
    assert ladder_of("no-such-game", 2) == ()
