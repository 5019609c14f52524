"""Shipped bots that play every game: plugins', chess, variants and OpenSpiel's."""

import pytest

from tests.engines.conftest import room_of, spec_of
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.errors import GameError
from tourney.games import find_game


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("chess", ("random", "random")),  # mcts plays it too, but its playouts to the end take a minute
        ("fairy:minishogi", ("random", "random")),
        ("openspiel:tic_tac_toe", ("random", "mcts")),
        ("openspiel:kuhn_poker", ("mcts", "random")),
    ],
)
def test_random_and_mcts_finish_games_of_extras(game: str, names: tuple[str, str], shipped: BotStore) -> None:
    try:
        find_game(game)
    except GameError as error:
        pytest.skip(str(error))
    with room_of(shipped) as room:
        outcome = room.play(spec_of(shipped, game, names, seed=7)).record.outcome
    assert outcome.faults == ()
    assert sorted(outcome.ranks) in ([1, 2], [1, 1])


@pytest.mark.parametrize("name", ["random", "mcts"])
def test_random_and_mcts_play_a_game_of_a_plugin(name: str, shipped: BotStore) -> None:
    """So that a plugin's game needs no change of these bots."""
    manifest = resolve_bot(name, shipped, shipped.root).manifest
    assert manifest.plays("a-plugin-of-tomorrow")
