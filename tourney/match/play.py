"""A match over channels: the referee's requests, the bots' answers, and the time they take."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Final

from msgspec import structs

from tourney.bots.channel.interface import Event
from tourney.errors import GameError, SandboxError, TourneyError
from tourney.games.base import AnyGame
from tourney.match.answers import FAULT_OF, Answer, AnswerReader, fault_words, unexpected
from tourney.match.clock import MS, Clocks
from tourney.match.player import Player
from tourney.match.record import UNSURE_FAULTS, FaultKind, make_record
from tourney.match.referee import Referee
from tourney.match.result import NOT_MEASURED, MatchLog, Measurements, PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.match.turn_timing import GRACE_NS, LATE_NS, SeatTimes, Timing
from tourney.protocol import HELLO, Greeting, Move, Ready, Resign, move_action

CPU_WALL_FACTOR: Final = 4
"""With ``charge = "cpu"`` a turn's wall time is limited as well: to this multiple of its allowance."""


_USED_UP = Event("timeout", "its clock and the margin are used up")


def play_match(
    spec: MatchSpec,
    game: AnyGame,
    players: Sequence[Player],
    *,
    clock: Callable[[], int] = time.monotonic_ns,
    about: Measurements = NOT_MEASURED,
) -> PlayedMatch:
    """Play a match to its end; what bots do wrong is in its record.

    ``players`` are in seat order. Those at fault are ended. The others have received their ``over`` line and
    stay open, for the caller to play on with or to dismiss. ``clock`` is the channels' own, in nanoseconds.
    ``about`` is what is known beside the record before the match (host, sandbox).

    Raises InputError for a spec that cannot be played, GameError if the game is broken, and
    EnvironmentFailure if the machine fails (SandboxError if it ended a bot, OverloadError if a bot waited too
    long for a processor). Then the match has no result, and the players are in an unknown state.
    """
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    # With fuel the channels' clock is virtual, but the duration of a match is always real.
    real = time.monotonic_ns if spec.limits.by_fuel else clock
    began = real()
    try:
        pieces = spec.limits.tablebase_pieces
        tables = None if pieces is None else game.tables(pieces)
        match = _RunningMatch(Referee(spec, game, tables), players, clock)
        match.start()
        match.play()
        match.end()
    except TourneyError:
        raise
    except Exception as error:
        if not _raised_by(error, game):
            raise
        raise GameError(
            f"the game {game.name} is broken: it raised {type(error).__name__} ({error}) in a match"
        ) from error
    about = structs.replace(about, started=started, wall_ms=(real() - began) // MS)
    return match.played(game, about)


class _RunningMatch:
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
        self._by_cpu = limits.charge == "cpu"
        self._by_fuel = limits.by_fuel
        self._log = MatchLog(len(players))
        self._seats = SeatTimes(
            self._players,
            referee.spec.seats,
            clock,
            self._log,
            freeze=limits.ponder == "freeze" and not limits.by_fuel,
        )
        self._times: list[tuple[int, int]] = []
        self._adjudicated = limits.adjudicated
        self._answers = AnswerReader(referee, self._players, self._log)
        self._unsure = {"reuse"} if any(player.reuse for player in players) else set[str]()

    # -- start-up -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Greet the players that were not greeted yet, begin the game with all, and judge in seat order."""
        for seat, player in self._players.items():
            for protection, why in player.channel.weakened.items():
                self._log.note(0, seat, f"{protection} is only partial for this bot: {why}")
        failed: set[int] = set()
        self._ask_all({s: HELLO for s, p in self._players.items() if p.greeting is None}, Greeting, failed)
        self._ask_all(
            {s: self._referee.game_line(s) for s in self._players if s not in failed}, Ready, failed
        )
        for seat, player in self._players.items():
            if player.greeting is not None:
                self._referee.want(seat, position=player.greeting.position, legal=player.greeting.legal)
        self._referee.begin(failed)
        for seat in sorted(failed):
            self._cut(seat, 0)

    def _ask_all(
        self, requests: Mapping[int, bytes], wanted: type[Greeting | Ready], failed: set[int]
    ) -> None:
        answers = self._answers.ask_all(requests, self._seats, self._startup_ns, self._clock)
        for seat, answer in answers.items():
            if not isinstance(answer, wanted):
                word = "bot" if wanted is Greeting else "ready"
                self._startup_fault(seat, unexpected(answer, word), failed)
            elif isinstance(answer, Greeting):
                self._players[seat].greeting = answer

    def _startup_fault(self, seat: int, event: Event, failed: set[int]) -> None:
        self._kind(seat, event)
        failed.add(seat)
        self._log.note(0, seat, f"startup: {fault_words(event, self._startup_ns)}")

    # -- turns --------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Ask for action after action until the match is over."""
        # Every microsecond here is spent once a move: hence the local names, and no call that can be spared.
        referee, clocks, clock = self._referee, self._clocks, self._clock
        times, seats = self._times, self._seats
        channels = {seat: (p.channel, p.channel.resumes) for seat, p in self._players.items()}
        wall, turns, frozen, restless = seats.wall, seats.turns, seats.frozen, seats.restless
        by_cpu, factor = self._by_cpu, CPU_WALL_FACTOR if self._by_cpu else 1
        steady, go, allowance = clocks.steady, clocks.go(), clocks.allowance(1)
        act, actions = self._act_scored if self._adjudicated else referee.act, referee.actions
        while seat := referee.turn:
            channel, resumes = channels[seat]
            if not steady:
                go, allowance = clocks.go(), clocks.allowance(seat)
            if not (allowance and channel.idle()) and self._judged_early(seat, allowance):
                continue
            request = referee.request(seat) + go
            turns[seat] += 1
            used = self._cpu_ns(seat) if by_cpu else 0
            sent = clock()
            if frozen or restless:
                seats.prepare(seat)
            grace = min(GRACE_NS, allowance) if resumes else self._whole(seat, allowance * factor)
            heard, ply = channel.ask(request, sent + grace), len(actions)
            elapsed = charged = clock() - sent
            if heard.__class__ is str and "\n" in heard:
                heard = self._answers.after_infos(seat, heard)
            answer: Answer | None = None
            # A move that comes at once needs no measuring; all else takes the slower way.
            if heard.__class__ is not str or elapsed > LATE_NS or not (action := move_action(heard)):
                timing = seats.timing(seat, sent, allowance * factor)
                answer = self._hear_turn(seat, heard, timing)
                action = answer.action if isinstance(answer, Move) else ""
                elapsed, charged = timing.elapsed, timing.charged
            wall[seat] += elapsed
            if by_cpu and not isinstance(answer, Event):
                charged = self._cpu_ns(seat) - used
                if charged > allowance:
                    action, answer = "", Event("timeout")
            if action:
                if not steady:
                    clocks.spend(seat, charged)
                times.append((ply, elapsed))
                if why := act(action):
                    self._illegal(seat, why)
            elif answer is not None:
                self._no_move(seat, answer, allowance)
            if answer is not None:
                self._answers.take_stderr(seat, ply)

    def _act_scored(self, action: str) -> str:
        """Play an action with the last score of its turn; for limits that look at scores."""
        return self._referee.act(action, self._answers.take_score())

    def _whole(self, seat: int, limit: int) -> int:
        # A channel that waits only once cannot be measured in between, so its grace is the whole turn.
        if self._seats.freeze:
            self._seats.hold(self._players.keys() - {seat})
        return limit

    def _hear_turn(self, seat: int, heard: str | Event, timing: Timing) -> Answer:
        timed_out = isinstance(heard, Event) and heard.kind == "timeout"
        answer = self._answers.read(seat, None if timed_out else heard, timing, timing.grace_ends)
        if answer is None:
            if self._seats.freeze:
                self._seats.hold(self._players.keys() - {seat})
            timing.begin_measuring()
            answer = self._answers.read(seat, None, timing)
        assert answer is not None  # noqa: S101 - without ``until`` it only ends with an answer or event
        timing.finish()
        self._seats.count(seat, timing, len(self._referee.actions))
        return answer

    def _judged_early(self, seat: int, allowance: int) -> bool:
        """Judge what a bot sent before its turn, or a used-up clock; whether it is at fault."""
        event = self._answers.fault_unasked(seat) or (None if allowance else _USED_UP)
        if event is not None:
            self._fault(seat, event, 0)
            return True
        # Standard error that was written before the request belongs to the bot's last turn.
        self._answers.take_stderr(seat, self._last_ply(seat))
        return False

    def _no_move(self, seat: int, answer: Answer, allowance: int) -> None:
        if isinstance(answer, Resign):
            self._log.note(len(self._referee.actions), seat, "resigned")
            self._referee.resign()
        else:
            self._fault(seat, unexpected(answer, "move"), allowance)

    # -- faults -------------------------------------------------------------------------------------------

    def _fault(self, seat: int, event: Event, allowance: int) -> None:
        kind = self._kind(seat, event)
        ply = len(self._referee.actions)
        self._log.note(ply, seat, f"{kind}: {fault_words(event, allowance)}")
        self._cut(seat, ply)
        self._referee.fault(kind)

    def _kind(self, seat: int, event: Event) -> FaultKind:
        """The fault of an event. Raises SandboxError if the machine ended the bot."""
        if event.kind == "lost":
            raise SandboxError(f"the sandbox of {self._referee.spec.seats[seat - 1].name} was {event.text}")
        kind = FAULT_OF[event.kind]
        if kind in UNSURE_FAULTS and not self._by_fuel:
            self._unsure.add(kind)
        return kind

    def _illegal(self, seat: int, why: str) -> None:
        assert self._times  # noqa: S101 - the time of the refused action was appended before it
        # The referee may have played substitutes since the action, so its count of actions is too large.
        ply, _ = self._times.pop()
        self._log.note(ply, seat, f"illegal: {why}")
        self._cut(seat, ply)

    def _cut(self, seat: int, ply: int) -> None:
        self._players[seat].cut()
        self._answers.take_stderr(seat, ply)

    def _last_ply(self, seat: int) -> int:
        """The ply of a seat's last action; 0 if it has none."""
        actions = self._referee.actions
        for ply, _ in reversed(self._times):
            if actions[ply][0] == seat:
                return ply
        return 0

    def _cpu_ns(self, seat: int) -> int:
        used = self._players[seat].channel.cpu_ms()
        if used is None:
            raise SandboxError('charge = "cpu" needs the CPU time of each bot, which is not known here')
        return used * MS

    # -- the end ------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Send the last lines to all players that are not lost."""
        for seat, player in self._players.items():
            lines = self._referee.take(seat)
            if not player.lost:
                self._seats.thaw(seat)
                player.channel.send(lines)
        self._seats.end()

    def played(self, game: AnyGame, about: Measurements) -> PlayedMatch:
        """The finished match."""
        referee = self._referee
        assert referee.outcome is not None  # noqa: S101 - the match is over
        for seat in self._players:
            self._answers.take_stderr(seat, self._last_ply(seat))
        times: list[float | None] = [None] * len(referee.actions)
        for ply, elapsed in self._times:
            times[ply] = elapsed // 1000 / 1000
        measured = structs.replace(
            about,
            times_ms=tuple(times),
            seats=tuple(map(self._seats.measured, self._players)),
            reproducible=not self._unsure,
            why_not=tuple(sorted(self._unsure)),
        )
        record = make_record(referee.spec, game.rules, referee.actions, referee.outcome)
        return PlayedMatch(record, self._log.lines(len(referee.actions)), measured)


def _raised_by(error: Exception, game: AnyGame) -> bool:
    """Whether an exception comes from a game's own code, so that the message names the plugin."""
    module = type(game).__module__
    home = module.rpartition(".")[0] or module
    frames = [str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)]
    return any(name == module or name.startswith(f"{home}.") for name in frames)
