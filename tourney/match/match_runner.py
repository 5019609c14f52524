"""Plays matches one after the other in this process, and leaves no bot alive when it is closed."""

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import BotCommand, bot_command
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.channel.base import Channel
from tourney.bots.protocols import PROTOCOLS, BotProtocol
from tourney.bots.sandbox.base import Sandbox
from tourney.bots.sandbox.processors import Processors, free_processors, seat_processors, started_on
from tourney.bots.wasm.channel import FuelChannel, FuelClock, Host, Hosts
from tourney.bots.wasm.frames import METER, instance_order
from tourney.errors import TourneyError, UsageError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.again import FIRST, Again, DeviatedError
from tourney.match.ahead import Ahead, Holder, Place, WaitingBot
from tourney.match.external import play_external
from tourney.match.play import play_match
from tourney.match.player import Player, dismiss
from tourney.match.result import PlayedMatch
from tourney.match.seeds import bot_seed
from tourney.match.spec import Entrant, Limits, MatchSpec

Launcher = Callable[[Entrant, Limits], Channel]
"""Starts the bot of an entrant. Raises BotError for a bot that is missing, SandboxError for the machine."""
MAX_IDLE: Final = 16
"""Most bots that a runner keeps for later matches; the one kept longest is ended first."""


def entrant_of(bot: StoredBot, name: str, args: Sequence[str] = ()) -> Entrant:
    """Return a stored bot as an entrant."""
    return Entrant(name, bot.manifest.name, bot.manifest.version, tuple(args), bot.digest)


class StoreLauncher:
    """A ``Launcher`` of a store's bots: in a sandbox, through the adapters of their protocols.

    A bot's files are checked against its digest at its first launch here.
    """

    def __init__(
        self, store: BotStore, sandbox: Sandbox, *, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._store = store
        self._sandbox = sandbox
        self._clock = clock
        self._bots: dict[tuple[str, bool], tuple[StoredBot, Path]] = {}
        self._hosts = Hosts()

    def __call__(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start the bot of an entrant and return its channel."""
        protocol, command = self._found(entrant)
        return protocol.adapt(self._sandbox.spawn(command, memory_mb=limits.memory_mb, clock=self._clock))

    def hold(self, entrant: Entrant, limits: Limits) -> WaitingBot | None:
        """Make the sandbox of an entrant's bot, which starts later; None if the sandbox cannot do that."""
        if not self._sandbox.holds:
            return None
        protocol, command = self._found(entrant)
        held = self._sandbox.hold(command, memory_mb=limits.memory_mb)
        return WaitingBot(lambda: protocol.adapt(held.channel(self._clock)), held.end)

    def meter(self, spec: MatchSpec, seat: int, clock: FuelClock) -> Channel:
        """Return the channel to a new instance of a seat's module, whose time is its fuel."""
        entrant, limits = spec.seats[seat - 1], spec.limits
        protocol, command = self._found(entrant, metered=True)
        key = (entrant.digest, entrant.args, limits.memory_mb)
        host = self._hosts.take(key, lambda: Host.start(command, limits.memory_mb, self._sandbox))
        assert limits.fuel_per_ms is not None  # noqa: S101 - limits that count fuel have it
        order = instance_order(bot_seed(spec.seed, seat), limits.fuel_per_ms, limits.memory_mb << 20)
        back = partial(self._hosts.give_back, key)
        return protocol.adapt(FuelChannel(host, clock, limits.fuel_per_ms, order, back))

    def close(self) -> None:
        """End the hosts of modules that are kept."""
        self._hosts.close()

    def command(self, entrant: Entrant) -> BotCommand:
        """Return the command of an entrant's bot, for an outside referee that starts it."""
        return self._found(entrant)[1]

    def _found(self, entrant: Entrant, *, metered: bool = False) -> tuple[BotProtocol, BotCommand]:
        found = self._bots.get((entrant.digest, metered))
        if found is None:
            bot = self._store.fetch(entrant.digest)
            found = bot, runnable_folder(self._store, bot, self._sandbox, metered=metered)
            self._bots[entrant.digest, metered] = found
        bot, folder = found
        manifest = bot.manifest
        protocol = PROTOCOLS.find(manifest.protocol).configured(manifest.options, manifest.go)
        return protocol, bot_command(bot, entrant.args, folder, metered=metered)


class MatchRunner:
    """Plays matches in this process: starts the bots, plays, ends the bots.

    With ``reuse`` a bot's process is kept for the next match of the same bot, arguments and memory limit,
    as long as it is silent between matches. Close the runner, or use it as a context, to end all bots::

        with MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox) as runner:
            played = runner.play(spec)

    ``sandbox`` is the launcher's: it is checked again where a bot fails to start, and described beside the
    record. ``find`` returns a game by its name. Where bots may ponder and there are enough ``processors``,
    each seat has some of them for its bot alone.
    """

    def __init__(
        self,
        launch: Launcher,
        *,
        sandbox: Sandbox | None = None,
        reuse: bool = False,
        clock: Callable[[], int] = time.monotonic_ns,
        find: Callable[[str], AnyGame] = find_game,
        processors: Processors = (),
        hold: Holder | None = None,
    ) -> None:
        self._launch = launch
        self._ahead = Ahead(hold) if hold is not None and not reuse else None
        self._sandbox = sandbox
        self._reuse = reuse
        self._clock = clock
        self._find = find
        self._processors = processors
        self._idle: list[tuple[object, Player]] = []
        self._about: dict[str, Any] | None = None

    def play(self, spec: MatchSpec, following: MatchSpec | None = None, again: Again = FIRST) -> PlayedMatch:
        """Play a match. Raises what ``play_match`` and the launcher raise; then no bot of it is left alive.

        Sandboxes for ``following``, which is the next match here, are made meanwhile. Where a bot fails at
        start-up and the sandbox fails as well, that is a SandboxError. A match that does not repeat what
        ``again`` keeps of the play before goes on from there.
        """
        if spec.limits.by_fuel:
            again = Again(judged=again.judged)  # all of it comes again, so there is nothing to keep
        if again.kept is not None:
            with suppress(DeviatedError):
                return self._play(spec, following, again)
            again = replace(again, mode="continue")
        return self._play(spec, following, again)

    def _play(self, spec: MatchSpec, following: MatchSpec | None, again: Again) -> PlayedMatch:
        game = self._find(spec.game)
        if game.outside:
            if not isinstance(self._launch, StoreLauncher):
                raise UsageError(f"matches of {game.name} are played by their referee only")
            commands = [self._launch.command(entrant) for entrant in spec.seats]
            return play_external(spec, game, commands, {"host": platform.node()})
        if spec.limits.by_fuel:
            return self._play_by_fuel(spec, game, again)
        players: list[Player] = []
        try:
            places = self._places(spec)
            if self._ahead is not None:
                self._ahead.make(places)
            if self._sandbox is not None:
                self._sandbox.settle()  # nothing of the match before is left when a bot of this one starts
            for place in places:
                players.append(self._player(place))  # noqa: PERF401 - if one fails, the others are cut
            self.end_waiting()
            # On a match's only processor this would take time from its turns.
            early = len(free_processors()) > 1
            if early:
                self._make_ahead(following)
            played = play_match(
                spec, game, players, clock=self._clock, about=self._description(players), again=again
            )
            if self._sandbox is not None and any(p.lost and p.greeting is None for p in players):
                self._sandbox.check()
            if not early:
                self._make_ahead(following)
        except BaseException:
            for player in players:
                player.cut()
            raise
        self._release(spec, players)
        if following is None and self._sandbox is not None:
            self._sandbox.settle()  # what this match read stays cached until its groups are removed
        return played

    def _play_by_fuel(self, spec: MatchSpec, game: AnyGame, again: Again) -> PlayedMatch:
        """Play a match of modules on hosts that are kept, each with a new instance."""
        if not isinstance(self._launch, StoreLauncher):
            raise UsageError('charge = "fuel" is for bots of a store only')
        if spec.limits.meter != METER:
            raise UsageError(f"there is no meter {spec.limits.meter}; this version of Tourney has {METER}")
        clock, players = FuelClock(), list[Player]()
        try:
            for seat in range(1, len(spec.seats) + 1):
                players.append(Player(self._launch.meter(spec, seat, clock)))
            return play_match(spec, game, players, clock=clock, about=self._description(players), again=again)
        finally:
            for player in players:
                player.cut()

    def _make_ahead(self, following: MatchSpec | None) -> None:
        """Begin to make the sandboxes of the following match."""
        if self._ahead is not None and following is not None:
            with suppress(TourneyError):  # it fails again where that match begins
                self._ahead.make(self._places(following))

    def end_waiting(self) -> None:
        """End the sandboxes that were made for a match and not used."""
        if self._ahead is not None:
            self._ahead.end()

    def close(self) -> None:
        """End all kept bots, and what ended bots left to be removed."""
        self.end_waiting()
        idle, self._idle = self._idle, []
        dismiss([player for _, player in idle])
        if isinstance(self._launch, StoreLauncher):
            self._launch.close()
        if self._sandbox is not None:
            self._sandbox.settle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _places(self, spec: MatchSpec) -> list[Place]:
        """Return each seat's bot, limits and processors."""
        given = self._processors if spec.limits.ponder == "allow" else ()
        processors = seat_processors(given, len(spec.seats))
        return [Place(entrant, spec.limits, own) for entrant, own in zip(spec.seats, processors, strict=True)]

    def _player(self, place: Place) -> Player:
        for kept in reversed(self._idle):
            if kept[0] == place.key:
                self._idle.remove(kept)
                player = kept[1]
                player.channel.thaw()
                if player.quiet():
                    return player
                player.cut()
        channel = None if self._ahead is None else self._ahead.start(place)
        if channel is None:
            with started_on(place.processors):
                channel = self._launch(place.entrant, place.limits)
        return Player(channel, reuse=self._reuse)

    def _release(self, spec: MatchSpec, players: list[Player]) -> None:
        if not self._reuse:
            dismiss(players)
            return
        for place, player in zip(self._places(spec), players, strict=True):
            if not player.lost:
                if spec.limits.ponder == "freeze":
                    player.channel.freeze()
                self._idle.append((place.key, player))
        dismiss([player for _, player in self._idle[:-MAX_IDLE]])
        self._idle = self._idle[-MAX_IDLE:]

    def _description(self, players: Sequence[Player]) -> Mapping[str, Any]:
        if self._about is None:
            sandbox = {} if self._sandbox is None else {"sandbox": self._sandbox.as_json()}
            self._about = {"host": platform.node(), **sandbox}
        weakened = {name for player in players for name in player.channel.weakened}
        if not weakened or self._sandbox is None:
            return self._about
        degrees = {**self._sandbox.protections, **dict.fromkeys(weakened, "partial")}
        return {**self._about, "sandbox": {**self._sandbox.as_json(), "protections": degrees}}
