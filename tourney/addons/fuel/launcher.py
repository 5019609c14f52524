"""Plays matches by fuel: each seat is a new instance of its module, and all live in one virtual time."""

from collections.abc import Hashable
from functools import partial

from tourney.addons.fuel.channel import FuelChannel, Host, Hosts, VirtualClock
from tourney.addons.fuel.meter import HostOrder, refuse_unknown
from tourney.bots.channel.interface import Channel
from tourney.games.base import AnyGame
from tourney.match.launcher import BotSource, Description, MatchLauncher
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.seeds import bot_seed


class FuelLauncher(MatchLauncher):
    """Keeps the host processes of modules from match to match, and instances of modules never."""

    name = "fuel"

    def __init__(self, bots: BotSource, kept: int) -> None:
        super().__init__(bots, kept)
        self._hosts = Hosts()

    def play(self, spec: MatchSpec, game: AnyGame, describe: Description) -> PlayedMatch:
        """Play a match. Raises UsageError for a meter that this version does not have."""
        refuse_unknown(spec.limits.meter)
        self._hosts.trim([_host_key(spec, seat) for seat in range(len(spec.seats))], self.kept)
        clock = VirtualClock()
        players: list[Player] = []
        try:
            for seat in range(len(spec.seats)):
                players.append(Player(self._channel(spec, seat, clock)))  # noqa: PERF401 - if one fails, the others are cut
            return play_match(spec, game, players, clock=clock, about=describe(players))
        finally:
            for player in players:
                player.cut()

    def close(self) -> None:
        """End the hosts that are kept for later matches."""
        self._hosts.close()

    def _channel(self, spec: MatchSpec, seat: int, clock: VirtualClock) -> Channel:
        """The channel to a new instance of a seat's module, in a host that is kept or new."""
        limits = spec.limits
        assert limits.fuel_per_ms is not None  # noqa: S101 - limits that count fuel have it
        protocol, command = self.bots.prepared(spec.seats[seat], limits.meter)
        key = _host_key(spec, seat)
        host = self._hosts.take(key, lambda: Host.start(command, limits.memory_mb, self.bots.sandbox))
        order = HostOrder(b"N", bot_seed(spec.seed, seat + 1), limits.fuel_per_ms, limits.memory_mb << 20)
        give_back = partial(self._hosts.give_back, key)
        return protocol.adapt(FuelChannel(host, clock, limits.fuel_per_ms, order, give_back))


def _host_key(spec: MatchSpec, seat: int) -> Hashable:
    """Equal for seats of which one can play on the host of the other."""
    entrant, limits = spec.seats[seat], spec.limits
    return entrant.digest, entrant.args, limits.memory_mb, limits.meter
