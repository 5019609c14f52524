"""A match played over channels: the referee's questions, the bots' answers, the time they took."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Any, Final

from tourney.bots.channel.base import Channel, Event
from tourney.bots.channel.cpu_contention import SLOW_NS
from tourney.errors import GameError, SandboxError, TourneyError
from tourney.games.base import AnyGame
from tourney.match.clock import MS, Clocks
from tourney.match.record import FaultKind, write_record
from tourney.match.referee import Referee
from tourney.match.result import MatchLog, PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.protocol import HELLO, QUIT, Greeting, decode, read_greeting, shown

CPU_WALL_FACTOR: Final = 4
"""With ``charge = "cpu"`` a turn's wall time is limited too: to this many times its allowance."""

_FAULTS: dict[str, FaultKind] = {
    "timeout": "timeout",
    "closed": "crash",
    "overflow": "overflow",
    "garbled": "protocol",
}
_UNSURE = ("timeout", "crash")
"""Faults that depend on more than the spec: a match with one is not promised to come out the same again."""


QUIT_SECONDS: Final = 0.5
"""What a bot has for its exit after ``quit``; then it is killed, which is no fault."""


class Player:
    """A channel and what is known of the bot behind it.

    ``greeting`` is what it said at the handshake, None before; a bot that plays several matches is greeted
    once. ``reuse``: it may have played before. ``lost``: it was at fault and its channel is closed.
    """

    __slots__ = ("_cpu_ms", "channel", "greeting", "lost", "reuse")

    def __init__(self, channel: Channel, *, reuse: bool = False) -> None:
        self.channel = channel
        self.greeting: Greeting | None = None
        self.reuse = reuse
        self.lost = False
        self._cpu_ms = 0

    def cut(self) -> None:
        """End a bot that was at fault, at once: it is told nothing more, and it holds nobody up."""
        self.lost = True
        self.channel.close(0)

    def cpu_ms(self) -> int | None:
        """Return the CPU time since the last call (at first: since the bot was started), or None."""
        now = self.channel.cpu_ms()
        if now is None:
            return None
        used, self._cpu_ms = max(0, now - self._cpu_ms), max(now, self._cpu_ms)
        return used

    def quiet(self) -> bool:
        """Say whether nothing but ``info`` came unasked since the last answer; what came is dropped."""
        return not self.lost and all(
            event.kind == "line" and decode(event.text)[0] == "info" for event in self.channel.pending()
        )


def dismiss(players: Sequence[Player]) -> None:
    """Tell all to quit, then end them: they share the time that a bot has for its exit."""
    staying = [player for player in players if not player.lost]
    for player in staying:
        player.channel.send(QUIT)
    deadline = time.monotonic() + QUIT_SECONDS
    for player in staying:
        player.channel.close(max(0.0, deadline - time.monotonic()))


def play_match(
    spec: MatchSpec,
    game: AnyGame,
    players: Sequence[Player],
    *,
    clock: Callable[[], int] = time.monotonic_ns,
    about: Mapping[str, Any] | None = None,
) -> PlayedMatch:
    """Play a match and return its record, with its log and what was measured.

    ``players`` are in seat order. Those at fault are cut; all others have been told that the game is over and
    may play again or be dismissed by the caller, who owns them. ``clock`` is the channels' own, in
    nanoseconds. ``about`` is put beside the record as it is (host, sandbox).

    Whatever bots do is in the record. Raises InputError for a spec that cannot be played, GameError where the
    game is broken, and EnvironmentFailure where the machine fails: then nobody has lost, and the players are
    in no known state.
    """
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    began = clock()
    try:
        table = _Table(Referee(spec, game), players, clock)
        table.start()
        table.play()
        table.end()
    except TourneyError:
        raise
    except Exception as error:
        if not _raised_by(error, game):
            raise
        raise GameError(
            f"the game {game.name} is broken: it raised {type(error).__name__} ({error}) in a match"
        ) from error
    return table.played(game, {"started": started, "wall-ms": (clock() - began) // MS, **(about or {})})


class _Table:
    """One match while it is played."""

    def __init__(self, referee: Referee, players: Sequence[Player], clock: Callable[[], int]) -> None:
        limits = referee.spec.limits
        if len(players) != len(referee.spec.seats):
            raise ValueError(f"{len(players)} players for {len(referee.spec.seats)} seats")
        self._referee = referee
        self._players = dict(enumerate(players, start=1))
        self._clock = clock
        self._clocks = Clocks(limits, len(players))
        self._startup_ns = limits.startup_ms * MS
        self._freeze = limits.ponder == "freeze"
        self._by_cpu = limits.charge == "cpu"
        self._log = MatchLog(len(players))
        self._times: list[tuple[int, int]] = []
        self._wall = [0] * (len(players) + 1)
        self._turns = [0] * (len(players) + 1)
        self._unsure = {"reuse"} if any(player.reuse for player in players) else set[str]()

    # -- start-up -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Greet those who were not greeted yet, begin the game with all, and judge in seat order."""
        failed: set[int] = set()
        self._ask_all({s: HELLO for s, p in self._players.items() if p.greeting is None}, "bot", failed)
        self._ask_all(
            {s: self._referee.game_line(s) for s in self._players if s not in failed}, "ready", failed
        )
        for seat, player in self._players.items():
            if player.greeting is not None:
                self._referee.want(seat, position=player.greeting.position, legal=player.greeting.legal)
        self._referee.begin(failed)
        for seat in sorted(failed):
            self._cut(seat, 0)
        if self._freeze:
            for player in self._players.values():
                if not player.lost:
                    player.channel.freeze()

    def _ask_all(self, requests: Mapping[int, bytes], wanted: str, failed: set[int]) -> None:
        """Ask all at once, then hear each; bots start side by side, and each has the whole start-up time."""
        deadlines = {}
        for seat, request in requests.items():
            if not self._startup_fault(seat, self._unasked(seat), failed):
                deadlines[seat] = self._clock() + self._startup_ns
                self._players[seat].channel.request(request)
        for seat, deadline in deadlines.items():
            event, word, rest = self._hear(seat, deadline)
            if event is not None:
                self._startup_fault(seat, event, failed)
            elif word != wanted:
                self._startup_fault(seat, _astray(word, rest, wanted), failed)
            elif word == "bot":
                greeting = read_greeting(rest)
                if isinstance(greeting, str):
                    self._startup_fault(seat, Event("garbled", greeting), failed)
                else:
                    self._players[seat].greeting = greeting

    def _startup_fault(self, seat: int, event: Event | None, failed: set[int]) -> bool:
        if event is None:
            return False
        failed.add(seat)
        kind = _FAULTS[event.kind]
        if kind in _UNSURE:
            self._unsure.add(kind)
        self._log.note(0, seat, f"startup: {_words(event, self._startup_ns)}")
        return True

    # -- turns --------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Ask for action after action until the match is over."""
        referee, clocks, clock = self._referee, self._clocks, self._clock
        players, times, wall, turns = self._players, self._times, self._wall, self._turns
        plain = not (self._freeze or self._by_cpu)
        steady, go, allowance = clocks.steady, clocks.go(), clocks.allowance(1)
        act, actions = referee.act, referee.actions
        while seat := referee.turn:
            if not plain:
                self._careful_turn(seat)
                continue
            if not steady:
                go, allowance = clocks.go(), clocks.allowance(seat)
            request = referee.request(seat) + go
            asked = players[seat].channel.ask(request, allowance)
            if asked is None:
                self._long_turn(seat, request, allowance)
                continue
            elapsed = clock() - asked[0]
            turns[seat] += 1
            sent, heard = asked
            word, rest = decode(heard) if heard.__class__ is str else ("", "")
            if word != "move":
                event = heard if isinstance(heard, Event) else Event("line", heard)
                self._answer(seat, event, sent, allowance)
                continue
            wall[seat] += elapsed
            if elapsed > SLOW_NS:
                self._explain(seat)
            if not steady:
                clocks.spend(seat, elapsed)
            times.append((len(actions), elapsed))
            if why := act(rest):
                self._illegal(seat, why)

    def _long_turn(self, seat: int, request: bytes, allowance: int) -> None:
        """Take a turn step by step: the bot may have said something unasked."""
        if (event := self._unasked(seat)) is not None:
            self._fault(seat, event, 0)
            return
        self._turns[seat] += 1
        channel = self._players[seat].channel
        # What it wrote to standard error before it is asked belongs to its last turn.
        self._errors(seat, self._last_ply(seat))
        sent = self._clock()
        channel.request(request)
        self._answer(seat, channel.wait(sent + allowance), sent, allowance)

    def _careful_turn(self, seat: int) -> None:
        """Take a turn as ``play`` does, with the bot thawed and frozen around it, or charged by CPU time."""
        channel = self._players[seat].channel
        if (event := self._unasked(seat)) is not None:
            self._fault(seat, event, 0)
            return
        self._turns[seat] += 1
        request = self._referee.request(seat) + self._clocks.go()
        allowance = self._clocks.allowance(seat)
        used = self._cpu_ns(seat) if self._by_cpu else 0
        sent = self._clock()
        channel.thaw()
        channel.request(request)
        event = channel.wait(sent + allowance * (CPU_WALL_FACTOR if self._by_cpu else 1))
        self._answer(seat, event, sent, allowance, used)
        if self._freeze and not self._players[seat].lost:
            channel.freeze()

    def _answer(self, seat: int, event: Event, sent: int, allowance: int, used: int = 0) -> None:
        """Judge what came of a request: the first event, and others if it is ``info``."""
        deadline = sent + allowance * (CPU_WALL_FACTOR if self._by_cpu else 1)
        ply = len(self._referee.actions)
        bad, word, rest = self._hear(seat, deadline, event)
        elapsed = self._clock() - sent
        self._wall[seat] += elapsed
        if elapsed > SLOW_NS:
            self._explain(seat)
        charged = elapsed
        if self._by_cpu and bad is None:
            charged = self._cpu_ns(seat) - used
            if charged > allowance:
                bad = Event("timeout")
        if bad is not None:
            self._fault(seat, bad, allowance)
            return
        if word == "resign":
            self._log.note(ply, seat, "resigned")
            self._referee.resign()
        elif word != "move":
            self._fault(seat, _astray(word, rest, "move"), allowance)
            return
        else:
            self._clocks.spend(seat, charged)
            self._times.append((ply, elapsed))
            if why := self._referee.act(rest):
                self._illegal(seat, why)
                return
        self._errors(seat, ply)

    def _hear(self, seat: int, deadline: int, event: Event | None = None) -> tuple[Event | None, str, str]:
        """Wait for an answer, past ``info`` lines: return what came instead, or its word and the rest."""
        channel = self._players[seat].channel
        while True:
            if event is None:
                event = channel.wait(deadline)
            if event.kind != "line":
                return event, "", ""
            word, rest = decode(event.text)
            if word != "info":
                return None, word, rest
            self._log.add(len(self._referee.actions), seat, "info", (rest,))
            event = None

    def _unasked(self, seat: int, early: Sequence[Event] | None = None) -> Event | None:
        """Judge what a bot said before it was asked: ``info`` is welcome, anything else is a fault now."""
        if early is None:
            early = self._players[seat].channel.pending()
        for event in early:
            if event.kind != "line":
                return event
            word, rest = decode(event.text)
            if word != "info":
                return Event("garbled", f"spoke out of turn: {shown(event.text)}")
            self._log.add(len(self._referee.actions), seat, "info", (rest,))
        return None

    # -- faults -------------------------------------------------------------------------------------------

    def _fault(self, seat: int, event: Event, allowance: int) -> None:
        kind = _FAULTS[event.kind]
        if kind in _UNSURE:
            self._unsure.add(kind)
        ply = len(self._referee.actions)
        self._log.note(ply, seat, f"{kind}: {_words(event, allowance)}")
        self._cut(seat, ply)
        self._referee.fault(kind)

    def _illegal(self, seat: int, why: str) -> None:
        """Note an illegal action; the referee has judged it, so its count of actions may have gone on."""
        assert self._times  # noqa: S101 - the time of the action that was refused was taken down
        ply, _ = self._times.pop()
        self._log.note(ply, seat, f"illegal: {why}")
        self._cut(seat, ply)

    def _cut(self, seat: int, ply: int) -> None:
        self._players[seat].cut()
        self._errors(seat, ply)

    def _errors(self, seat: int, ply: int) -> None:
        if lines := self._players[seat].channel.take_stderr():
            self._log.add(ply, seat, "stderr", lines)

    def _last_ply(self, seat: int) -> int:
        """Return where in the match a seat's last turn was that it answered; 0 if it had none."""
        actions = self._referee.actions
        for ply, _ in reversed(self._times):
            if actions[ply][0] == seat:
                return ply
        return 0

    def _explain(self, seat: int) -> None:
        """Note a long turn in which the bot waited for the machine."""
        if why := self._players[seat].channel.strain():
            self._log.note(len(self._referee.actions), seat, why)

    def _cpu_ns(self, seat: int) -> int:
        used = self._players[seat].channel.cpu_ms()
        if used is None:
            raise SandboxError('charge = "cpu" cannot be had: the CPU time of a bot is not known here')
        return used * MS

    # -- the end ------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Tell all who are still there that it is over."""
        for seat, player in self._players.items():
            lines = self._referee.take(seat)
            if not player.lost:
                player.channel.thaw()
                player.channel.send(lines)

    def played(self, game: AnyGame, measured: dict[str, Any]) -> PlayedMatch:
        """Return the match as it was played."""
        referee = self._referee
        assert referee.outcome is not None  # noqa: S101 - the match is over
        for seat in self._players:
            self._errors(seat, self._last_ply(seat))
        times: list[float | None] = [None] * len(referee.actions)
        for ply, elapsed in self._times:
            times[ply] = elapsed // 1000 / 1000
        measured["times-ms"] = times
        measured["seats"] = [
            {"wall-ms": self._wall[seat] // MS, "cpu-ms": player.cpu_ms(), "turns": self._turns[seat]}
            for seat, player in self._players.items()
        ]
        measured["reproducible"] = not self._unsure
        measured["why-not"] = sorted(self._unsure)
        actions, outcome = referee.actions, referee.outcome
        text, digest = write_record(referee.spec, game.rules, actions, outcome)
        log = self._log.lines(len(actions))
        return PlayedMatch.written(text, digest, outcome, len(actions), log, measured)


def _raised_by(error: Exception, game: AnyGame) -> bool:
    """Say whether an exception comes out of a game's own code: then the plugin is named, not Tourney."""
    module = type(game).__module__
    home = module.rpartition(".")[0] or module
    frames = [str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)]
    return any(name == module or name.startswith(f"{home}.") for name in frames)


def _astray(word: str, rest: str, wanted: str) -> Event:
    """Return the fault of a bot that gave another answer than was asked for."""
    return Event("garbled", rest if word == "?" else f"said {word} where {wanted} was asked for")


def _words(event: Event, allowance: int) -> str:
    if event.kind == "timeout":
        return f"no answer within {allowance // MS} ms"
    return event.text or event.kind
