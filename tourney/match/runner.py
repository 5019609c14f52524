"""Plays matches one after the other in this process: starts the bots, plays, and ends the bots."""

import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from msgspec import structs

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import BotCommand, bot_command
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import naming
from tourney.bots.channel.interface import AbsentChannel, Channel
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.modules import surplus
from tourney.bots.protocols import PROTOCOLS, BotProtocol
from tourney.bots.sandbox.machine_memory import machine_memory
from tourney.bots.sandbox.processes import Processors, free_processors, seat_processors, started_on
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.errors import OutOfMemoryError, SandboxError, TourneyError, UsageError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.launcher import LAUNCHERS, PROCESSES, MatchLauncher, launcher_of
from tourney.match.machine_settings import machine_settings, settings_text
from tourney.match.match_memory import MAX_KEPT
from tourney.match.play import play_match
from tourney.match.player import Player, dismiss
from tourney.match.result import Measurements, PlayedMatch, SandboxMeasurements
from tourney.match.spec import Entrant, Limits, MatchSpec

SETTLE_SECONDS: Final = 0.05
SETTLE_LOOKS: Final = 40
PLENTY: Final = 4  # a bot that has used this part of its limit at least is to blame for a full memory
NONE_ABSENT: Final[Mapping[str, str]] = MappingProxyType({})
Launcher = Callable[[Entrant, Limits], Channel]
"""Starts the bot of an entrant. Raises BotError for a bot that is missing, SandboxError for the machine."""


class WaitingBot(NamedTuple):
    """A sandbox whose bot has not started. ``start`` raises SandboxError."""

    start: Callable[[], Channel]
    end: Callable[[], None]


class SeatStart(NamedTuple):
    """A bot to start; ``processors`` are those that it may use, () for all."""

    entrant: Entrant
    limits: Limits
    processors: Processors

    @property
    def key(self) -> object:
        """Equal for bots of which one can play in place of the other: all that a process depends on."""
        return self.entrant.digest, self.entrant.args, self.limits.memory_mb, self.processors


Holder = Callable[[Entrant, Limits], WaitingBot | None]
"""Makes the sandbox of an entrant's bot; None if its kind starts bots at once. Raises as Launcher does."""


def entrant_of(bot: StoredBot, name: str, args: Sequence[str] = ()) -> Entrant:
    """A stored bot as an entrant."""
    return Entrant(name, bot.manifest.name, bot.manifest.version, tuple(args), bot.digest)


def bot_doubts(bots: str | Path, spec: MatchSpec) -> tuple[str, ...]:
    """Why bots of a store need not play a match the same again, sorted; () by fuel, or if none vary."""
    store = BotStore(Path(bots))
    seats = () if spec.limits.by_fuel else spec.seats
    return tuple(sorted({why for entrant in seats for why in store.doubts(entrant.digest)}))


class StoreLauncher:
    """A ``Launcher`` of a store's bots: in a sandbox, through the adapters of their protocols.

    A bot's files are checked against its digest at its first launch here.
    """

    def __init__(self, store: BotStore, sandbox: Sandbox) -> None:
        self.store = store
        self.sandbox = sandbox
        self._bots: dict[tuple[str, str | None], tuple[StoredBot, Path]] = {}

    def __call__(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start the bot of an entrant."""
        protocol, command = self.prepared(entrant)
        return protocol.adapt(self.sandbox.spawn(command, memory_mb=limits.memory_mb))

    def hold(self, entrant: Entrant, limits: Limits) -> WaitingBot | None:
        """A ``Holder`` for this store's bots."""
        if not self.sandbox.holds:
            return None
        protocol, command = self.prepared(entrant)
        held = self.sandbox.hold(command, memory_mb=limits.memory_mb)
        return WaitingBot(lambda: protocol.adapt(ProcessChannel(*held.release())), held.end)

    def refuse_removed(self, spec: MatchSpec) -> None:
        """Raise BotError if a bot of a match was removed from the store since it was first launched here."""
        for entrant in spec.seats:
            if not self.store.has(entrant.digest):
                with naming(entrant.name):
                    self.store.fetch(entrant.digest)

    def prepared(self, entrant: Entrant, meter: str | None = None) -> tuple[BotProtocol, BotCommand]:
        """The protocol and the command of an entrant's bot; see ``tourney.match.launcher.BotSource``."""
        runnable = self._bots.get((entrant.digest, meter))
        if runnable is None:
            bot = self.store.fetch(entrant.digest)
            runnable = bot, runnable_folder(self.store, bot, self.sandbox, meter)
            self._bots[entrant.digest, meter] = runnable
        bot, folder = runnable
        manifest = bot.manifest
        options = manifest.started(entrant.args)[0]
        protocol = PROTOCOLS.find(manifest.protocol).configured(options, manifest.go)
        return protocol, bot_command(bot, entrant.args, folder, metered=meter is not None)


class PreparedSandboxes:
    """Sandboxes that are made before their bots start: those of a match, or of the match after it."""

    def __init__(self, hold: Holder) -> None:
        self._hold = hold
        self._waiting: list[tuple[object, WaitingBot]] = []

    def make(self, places: Iterable[SeatStart]) -> None:
        """Make a sandbox for each place that has none yet, all at the same time. Raises as Holder does."""
        there = [key for key, _ in self._waiting]
        for place in places:
            if place.key in there:
                there.remove(place.key)
                continue
            with started_on(place.processors):
                waiting = self._hold(place.entrant, place.limits)
            if waiting is not None:
                self._waiting.append((place.key, waiting))

    def start(self, place: SeatStart) -> Channel | None:
        """Start a bot in the sandbox that waits for it; None if there is none, or if it died meanwhile."""
        for number, (key, waiting) in enumerate(self._waiting):
            if key == place.key:
                del self._waiting[number]
                with suppress(SandboxError):
                    return waiting.start()
                return None
        return None

    def end(self) -> None:
        """End all of them."""
        while self._waiting:
            self._waiting.pop()[1].end()


class MatchRunner:
    """Plays matches in this process.

    With ``reuse`` a bot's process is kept for the next match of the same bot, arguments and memory limit,
    unless it sends something between matches. While a match is played, at most ``kept`` other bots or hosts
    of modules wait. Close the runner, or use it as a context, to end all bots::

        with MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox) as runner:
            played = runner.play(spec)

    ``sandbox`` is the launcher's: it is checked again if a bot fails to start, and described beside the
    record. ``find`` returns a game by its name. If bots may ponder and there are enough ``processors``, each
    seat has some of them for its bot alone. ``clock`` must be that of the launcher's channels.
    """

    def __init__(
        self,
        launch: Launcher,
        *,
        sandbox: Sandbox | None = None,
        reuse: bool = False,
        find: Callable[[str], AnyGame] = find_game,
        processors: Processors = (),
        hold: Holder | None = None,
    ) -> None:
        self._launch = launch
        self.kept = MAX_KEPT
        # Kept bots start once, so no sandboxes are made for them ahead of time.
        self._prepared = PreparedSandboxes(hold if hold is not None and not reuse else lambda *_: None)
        self._sandbox = sandbox
        self._reuse = reuse
        self.clock: Callable[[], int] = time.monotonic_ns
        self._find = find
        self._processors = processors
        self._idle: list[tuple[object, Player]] = []
        self._launchers: dict[str, MatchLauncher] = {}
        self._about: Measurements | None = None

    def play(
        self,
        spec: MatchSpec,
        following: MatchSpec | None = None,
        wrap: Callable[[Channel], Channel] | None = None,
        absent: Mapping[str, str] = NONE_ABSENT,
    ) -> PlayedMatch:
        """Play a match. Raises as ``play_match`` and the launcher do; then no bot of it is left alive.

        ``wrap`` replaces the channel of each seat, as a guide along a record does. The bots of the ``absent``
        entrants are not started, for the reasons given: each crashes at its first turn. Sandboxes for
        ``following``, the next match here, are made meanwhile. Raises SandboxError if a bot fails at start-up
        and the sandbox fails as well. A match that failed, or has a fault, does not count if the store lacks
        one of its bots: raises BotError.
        """
        try:
            played = self._play(spec, following, wrap, absent)
        except Exception:
            self._refuse_removed(spec)
            raise
        if played.outcome.faults:
            self._refuse_removed(spec)
        if isinstance(self._launch, StoreLauncher) and (doubts := bot_doubts(self._launch.store.root, spec)):
            return played.doubted(*doubts)
        return played

    def _refuse_removed(self, spec: MatchSpec) -> None:
        if isinstance(self._launch, StoreLauncher):
            self._launch.refuse_removed(spec)

    def _play(
        self,
        spec: MatchSpec,
        following: MatchSpec | None,
        wrap: Callable[[Channel], Channel] | None,
        absent: Mapping[str, str],
    ) -> PlayedMatch:
        game = self._find(spec.game)
        launcher = launcher_of(spec, game)
        if launcher != PROCESSES:
            return self._launcher(launcher).play(spec, game, self._description)
        players: list[Player] = []
        try:
            places = self._places(spec)
            started = [place for place in places if place.entrant.name not in absent]
            self._trim(started)
            self._prepared.make(started)
            # Nothing of the match before is left when a bot of this one starts.
            cached = 0 if self._sandbox is None else self._sandbox.settle()
            for place in places:
                why = absent.get(place.entrant.name)
                players.append(self._player(place) if why is None else Player(AbsentChannel(why)))
            if cached:
                _mark_cached(players, cached)
            if wrap is not None:
                for player in players:
                    player.channel = wrap(player.channel)
            self.end_waiting()
            # On a single processor, making sandboxes would take time from this match's turns.
            early = len(free_processors()) > 1
            if early:
                self._prepare(following)
            played = play_match(spec, game, players, clock=self.clock, about=self._description(players))
            if self._sandbox is not None and any(p.lost and p.greeting is None for p in players):
                self._sandbox.check()
            if not early:
                self._prepare(following)
        except OutOfMemoryError as error:
            raise _blamed(error, spec, players) from error
        except BaseException:
            for player in players:
                player.cut()
            raise
        self._release(spec, players)
        if following is None and self._sandbox is not None:
            self._sandbox.settle()  # what this match read stays cached until its groups are removed
        return played

    def _launcher(self, name: str) -> MatchLauncher:
        """A launcher by its name; it is kept until the runner is closed."""
        if name not in self._launchers:
            if not isinstance(self._launch, StoreLauncher):
                raise UsageError(f"matches by the launcher {name} are for bots of a store only")
            self._launchers[name] = LAUNCHERS.find_class(name)(self._launch, self.kept)
        launcher = self._launchers[name]
        launcher.kept = self.kept  # the runner's owner may have changed it
        return launcher

    def _prepare(self, following: MatchSpec | None) -> None:
        if following is not None:
            with suppress(TourneyError):  # it fails again, and is reported, when that match begins
                self._prepared.make(self._places(following))

    def end_waiting(self) -> None:
        """End the sandboxes that were made and not used."""
        self._prepared.end()

    def close(self) -> None:
        """End all kept bots, and remove what ended bots have left."""
        self.end_waiting()
        idle = self._idle
        self._idle = []
        dismiss([player for _, player in idle])
        launchers = self._launchers
        self._launchers = {}
        for launcher in launchers.values():
            launcher.close()
        if self._sandbox is not None:
            self._sandbox.settle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _places(self, spec: MatchSpec) -> list[SeatStart]:
        shared = self._processors if spec.limits.ponder == "allow" else ()
        by_seat = seat_processors(shared, len(spec.seats))
        return [
            SeatStart(entrant, spec.limits, processors)
            for entrant, processors in zip(spec.seats, by_seat, strict=True)
        ]

    def _player(self, place: SeatStart) -> Player:
        for key, player in reversed(self._idle):
            if key == place.key:
                self._idle.remove((key, player))
                player.channel.thaw()
                if player.quiet():
                    return player
                player.cut()
        channel = self._prepared.start(place)
        if channel is None:
            with started_on(place.processors):
                channel = self._launch(place.entrant, place.limits)
        return Player(channel, reuse=self._reuse)

    def _release(self, spec: MatchSpec, players: list[Player]) -> None:
        if not self._reuse:
            dismiss(players)
            return
        for place, player in zip(self._places(spec), players, strict=True):
            if isinstance(player.channel, AbsentChannel):
                player.cut()
            if not player.lost:
                if spec.limits.ponder == "freeze":
                    player.channel.freeze()
                self._idle.append((place.key, player))

    def _trim(self, places: Sequence[SeatStart]) -> None:
        """End the idle bots that a match does not take, but for the latest ``kept``: they hold memory."""
        surplus_bots = surplus(self._idle, [place.key for place in places], self.kept)
        for bot in surplus_bots:
            self._idle.remove(bot)
        dismiss([player for _, player in surplus_bots])

    def _description(self, players: Sequence[Player]) -> Measurements:
        """Host and sandbox; protections that are weakened for one of these bots count as partial."""
        box = self._sandbox
        if self._about is None:
            measured = None
            if box is not None:
                measured = SandboxMeasurements(box.level, box.name, dict(box.protections))
            self._about = Measurements(
                host=platform.node(),
                sandbox=measured,
                machine=_machine(),
                settings=settings_text(machine_settings()),
            )
        weakened = {name for player in players for name in player.channel.weakened}
        if not weakened or self._about.sandbox is None:
            return self._about
        degrees = {**self._about.sandbox.protections, **dict.fromkeys(weakened, "partial")}
        return structs.replace(self._about, sandbox=structs.replace(self._about.sandbox, protections=degrees))


def _blamed(error: OutOfMemoryError, spec: MatchSpec, players: Sequence[Player]) -> OutOfMemoryError:
    """The error with the bot that used the most memory, if that is known, after all of them are ended.

    The kernel ends the largest process, not the bot that uses the most: one of many processes, or with files
    in memory, could let it end its opponent. Control groups tell what each bot used at most. Without them it
    is known of processes only; so unless these show who it was, the bots are stopped, and what becomes
    available when one is ended is what it used. A bot that the kernel has ended may be blamed for what its
    processes used, and not for what has become available: another one may have freed it.
    """
    names = [entrant.name for entrant in spec.seats]
    limit = spec.limits.memory_mb
    uses = {
        name: use
        for name, player in zip(names, players, strict=False)
        if (use := player.channel.memory_use()) is not None
    }
    used = {name: use.mb for name, use in uses.items()}
    if not all(use.whole for use in uses.values()) and max(used.values()) <= limit:
        for player in players:
            player.channel.freeze()
        before = _settled_mb()
        for name, player in zip(names, players, strict=False):
            player.cut()
            after = _settled_mb()
            used[name] = max(used.get(name, 0), after - before)
            before = after
    for player in players:
        player.cut()
    bot = max(used, key=lambda name: used[name], default="")
    # A bot that has used little has not filled anything: other programs have.
    if not bot or used[bot] * PLENTY < limit:
        return OutOfMemoryError(str(error), bot="")
    return OutOfMemoryError(str(error), bot=bot, proven=used[bot] > limit)


def _settled_mb() -> int:
    """The memory that is available once ended processes have given back theirs, in MiB."""
    before = _available_mb()
    for _ in range(SETTLE_LOOKS):
        time.sleep(SETTLE_SECONDS)  # no event says when the kernel has freed memory
        now = _available_mb()
        if abs(now - before) <= 1:
            break
        before = now
    return before


def _available_mb() -> int:
    return machine_memory().available >> 20


def _mark_cached(players: Sequence[Player], size: int) -> None:
    """Note that these bots may see what earlier ones read, because the kernel did not drop all of it."""
    why = f"{size} bytes that bots of earlier matches read stay cached"
    for player in players:
        player.channel.weakened = {**player.channel.weakened, "page-cache": why}


@cache
def _machine() -> str:
    """The processor's name and the number of processors."""
    cpuinfo = ""
    with suppress(OSError):
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    model = re.search(r"^model name\s*:\s*(.{1,80})$", cpuinfo, re.MULTILINE)
    name = " ".join((model[1] if model else platform.machine()).split())
    return f"{name}, {os.cpu_count() or 1} processors"
