"""Castellan lays out one of its set-ups from either seat, and keeps its King for a while."""

from collections.abc import Sequence

import pytest

from benchmarks.rungs import Player
from scripts.search_set_ups import GAME, SET_UPS, Search, for_black
from tourney.bot import Match, Turn
from tourney.bots.catalogue.shipped import Rung
from tourney.protocol import HIDDEN, Go, NewGame

LINES = [line.split(" ") for line in SET_UPS.read_text().splitlines() if not line.startswith("#")]
CASTELLAN = Player(Rung("castellan-1", "castellan", ("--nodes=1",)))
KEPT_TURNS = 12
"""The turns of both sides for which the King is kept in all games: six moves of each."""


def laid_out(seat: int, seed: int, begun: Sequence[str] = ()) -> list[str]:
    """The actions of a seat's set-up, of which the first are given."""
    match = Match(NewGame(GAME.name, 2, seat, seed, options={}))
    CASTELLAN.start(match)
    state = GAME.new()
    for action in LINES[0] if seat == 2 else ():
        state = state.play(GAME.read_action(state, action))
        match.add(1, HIDDEN)
    laid = list[str]()
    while state.actor == seat and len(laid) < len(LINES[0]):
        turn = Turn(match, Go(), state.observation(seat), None, lambda _: None)
        chosen = begun[len(laid)] if len(laid) < len(begun) else str(CASTELLAN.choose(turn.state, turn))
        laid.append(chosen)
        state = state.play(GAME.read_action(state, chosen))
        match.add(seat, chosen)
    assert state.actor == 3 - seat
    return laid


@pytest.mark.parametrize("seat", [1, 2])
def test_seed_draws_a_set_up_for_either_seat(seat: int) -> None:
    set_ups = [line if seat == 1 else list(map(for_black, line)) for line in LINES]
    drawn = [laid_out(seat, seed) for seed in range(6)]
    assert all(set_up in set_ups for set_up in drawn)
    assert len({set_ups.index(set_up) for set_up in drawn}) > 1


def test_set_up_that_an_opening_began_is_completed() -> None:
    """The planned tile may be laid already, so a search goes on."""
    begun = ["king-b5", "tile-8", "tile-7"]
    laid = laid_out(1, 1, begun)
    assert laid[:3] == begun
    assert laid not in LINES


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_set_up_keeps_its_king_at_first(line: list[str]) -> None:
    """Against set-ups that it was not searched with, from both seats."""
    search = Search(seed=77, nodes=3)
    opponents = [search.draw("check", number) for number in range(4)]
    trial = search.trial(tuple(line), opponents, range(8))
    assert min(trial.lost, default=400) >= KEPT_TURNS
