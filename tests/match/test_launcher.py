"""Kinds of matches name who starts their bots, and add-ons bring launchers."""

from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec import structs

from tests.support.command import installed
from tests.support.tables import TOE, make_spec, toy
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.check.named_seeds import RandomChannel
from tourney.errors import UsageError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.launcher import LAUNCHERS, PROCESSES, Description, MatchLauncher, launcher_of
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.match.spec import Limits, MatchSpec
from tourney.plugins import Addon


class Dealer(MatchLauncher):
    """A launcher of another package, whose bots are objects of this process."""

    name = "dealer"
    played = 0
    closed = 0

    def play(self, spec: MatchSpec, game: AnyGame, describe: Description) -> PlayedMatch:
        Dealer.played += 1
        players = [Player(RandomChannel()) for _ in spec.seats]
        return play_match(spec, game, players, about=describe(players))

    def close(self) -> None:
        Dealer.closed += 1


class Dealt(type(TOE)):  # type: ignore[misc] # the class of a toy game
    launcher = "dealer"


def test_game_comes_before_the_limits_in_naming_a_launcher() -> None:
    spec = make_spec()
    by_fuel = MatchSpec(
        spec.game, spec.options, spec.seats, spec.seed, structs.replace(Limits(), charge="fuel").metered()
    )
    assert launcher_of(spec, TOE) == PROCESSES
    assert launcher_of(by_fuel, TOE) == "fuel"
    assert launcher_of(by_fuel, find_game("external")) == "outside"
    assert launcher_of(by_fuel, Dealt()) == "dealer"


def test_add_on_plays_the_matches_of_its_game(tmp_path: Path) -> None:
    launch = StoreLauncher(BotStore(tmp_path), PlainSandbox("off"))
    with (
        installed(Addon(launchers={"dealer": f"{__name__}:Dealer"})),
        patch.dict(LAUNCHERS._loaded),
        patch("tourney.match.runner.bot_doubts", return_value=()),
        MatchRunner(launch, find=lambda _: Dealt()) as runner,
    ):
        records = [runner.play(make_spec()).record for _ in range(2)]
        assert (Dealer.played, Dealer.closed) == (2, 0)
    assert Dealer.closed == 1, "a launcher is made once and closed with its runner"
    assert records[0].actions == records[1].actions


def test_match_of_an_unknown_launcher_names_the_known_ones(tmp_path: Path) -> None:
    launch = StoreLauncher(BotStore(tmp_path), PlainSandbox("off"))
    with (
        patch.object(launch, "refuse_removed"),
        MatchRunner(launch, find=lambda _: Dealt()) as runner,
        pytest.raises(UsageError, match=r"no launcher 'dealer'; the launchers are: .*outside"),
    ):
        runner.play(make_spec())


def test_bots_without_a_store_have_no_launcher() -> None:
    by_fuel = structs.replace(Limits(move_ms=1000), charge="fuel").metered()
    with (
        MatchRunner(lambda _entrant, _limits: RandomChannel(), find=toy) as runner,
        pytest.raises(UsageError, match="launcher fuel are for bots of a store only"),
    ):
        runner.play(make_spec(limits=by_fuel))
