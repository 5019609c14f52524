"""A match over channels: the referee's requests, the bots' answers, and the time they take."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Final

from msgspec import structs

from tourney.bots.channel.interface import Event
from tourney.bots.channel.waiting import wait_for_any
from tourney.errors import GameError, OutOfMemoryError, SandboxError, TourneyError
from tourney.games.base import AnyGame
from tourney.match.player import MS, Clocks, Player
from tourney.match.record import UNSURE_FAULTS, FaultKind, make_record, score_of
from tourney.match.referee import Referee
from tourney.match.result import NOT_MEASURED, MatchLog, Measurements, PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.match.turn_timing import GRACE_NS, LATE_NS, SeatTimes, Timing
from tourney.protocol import (
    HELLO,
    BotMessage,
    Greeting,
    Info,
    Invalid,
    Move,
    Ready,
    Resign,
    decode_bot,
    move_action,
    shown,
)

CPU_WALL_FACTOR: Final = 4  # a turn charged by processor time may take this multiple of its allowance
_SLICE_NS: Final = 2_000_000  # of a wait for one bot while others wait to be heard
_LOOK_NS: Final = 50_000_000  # the longest wait for several bots at once
_USED_UP: Final = Event("timeout", "its clock and the margin are used up")
_FAULT_OF: Final[Mapping[str, FaultKind]] = {
    "timeout": "timeout",
    "closed": "crash",
    "overflow": "overflow",
    "malformed": "protocol",
}
"""The fault of a bot by the kind of event that came instead of its answer."""

Answer = BotMessage | Invalid | Event  # a message of the bot, or the event that came instead of a line


def play_match(
    spec: MatchSpec,
    game: AnyGame,
    players: Sequence[Player],
    *,
    clock: Callable[[], int] = time.monotonic_ns,
    about: Measurements = NOT_MEASURED,
) -> PlayedMatch:
    """Play a match to its end; faults of bots are in its record.

    ``players`` are in seat order. Those at fault are ended; the others have received their ``over`` line and
    stay open for the caller. ``clock`` is the channels' own, in nanoseconds; ``about`` is what is known
    beside the record before the match (host, sandbox).

    Raises InputError for a spec that cannot be played, GameError if the game is broken, and
    EnvironmentFailure if the machine fails (SandboxError if it ended a bot, OutOfMemoryError if that was
    because its memory was full, OverloadError if a bot waited too long for a processor). Then the match has
    no result, and the players are in an unknown state.
    """
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    # With fuel the channels' clock is virtual, but the duration of a match is always real.
    real = time.monotonic_ns if spec.limits.by_fuel else clock
    began = real()
    try:
        pieces = spec.limits.tablebase_pieces
        tables = None if pieces is None else game.tables(pieces)
        match = _RunningMatch(Referee(spec, game, tables, lenient=True), players, clock)
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
        self._clocks = Clocks(limits, len(players), [entrant.name for entrant in referee.spec.seats])
        self._startup_ns = limits.startup_ms * MS
        self._by_cpu = limits.charge == "cpu"
        self._cpu_at_answer = 0  # of the last turn that was not answered at once
        self._log = MatchLog(len(players))
        freeze = limits.ponder == "freeze" and not limits.by_fuel
        self._seats = SeatTimes(self._players, referee.spec.seats, clock, self._log, freeze=freeze)
        self._times: list[tuple[int, int]] = []
        self._adjudicated = limits.adjudicated
        self._score: int | None = None  # the last one of the turn; it counts once
        self._unsure = {"reuse"} if any(player.reuse for player in players) else set[str]()

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
        for seat, answer in self._hear_all(requests).items():
            player = self._players[seat]
            if isinstance(answer, Greeting) and wanted is Greeting:
                player.greeting = answer
            elif not isinstance(answer, wanted):
                event = unexpected(answer, "bot" if wanted is Greeting else "ready")
                self._kind(seat, event)
                failed.add(seat)
                self._log.note(0, seat, f"startup: {player.fault_words(event, self._startup_ns)}")

    def _hear_all(self, requests: Mapping[int, bytes]) -> dict[int, Answer]:
        """Send requests to several seats at once, and give each bot the whole time of the start-up.

        The referee waits for all of them together, so what one bot does costs no other any time. If waiting
        bots are frozen, so are those that have answered while others take longer than the grace.
        """
        seats = self._seats
        clock = self._clock
        timings: dict[int, Timing] = {}
        answers: dict[int, Answer] = {}
        waiting: set[int] = set()
        ended: dict[int, int] = {}  # the seats whose output has ended, and when

        def hold() -> None:
            seats.hold(self._players.keys() - waiting - ended.keys())

        for seat, request in requests.items():
            if (event := self._fault_unasked(seat)) is not None:
                answers[seat] = event
            else:
                waiting.add(seat)
                timings[seat] = seats.timing(seat, clock(), self._startup_ns, hold)
                seats.thaw(seat)
                self._players[seat].channel.request(request)
        while waiting:
            if seats.freeze and any(timings[seat].slow for seat in waiting):
                hold()
            looked, gone = self._look_at_all({seat: timings[seat] for seat in waiting})
            waiting -= gone
            ended |= dict.fromkeys(gone, clock())
            for seat in sorted(waiting):
                timing = timings[seat]
                until = self._until(timing, alone=len(waiting) == 1) if looked is None else looked
                answer = self._read(seat, None, timing, until)
                if answer is not None:
                    timing.finish()
                    answers[seat] = answer
                    waiting.discard(seat)
                elif not timing.slow and clock() >= timing.grace_ends:
                    timing.begin_measuring()
        # It may take half a second to know how a bot died, and no other seat should wait for that.
        for seat, when in sorted(ended.items()):
            answers[seat] = self._hear_out(seat, timings[seat])
            timings[seat].finish(when)
        for seat, timing in timings.items():
            seats.count(seat, timing)
        return {seat: answers[seat] for seat in requests}

    def _look_at_all(self, timings: Mapping[int, Timing]) -> tuple[int | None, set[int]]:
        """Wait for several bots at once, and read what each has written.

        Returns when the look began, and the seats whose output has ended; None and no seats if the bots
        cannot be waited for at once: then each is waited for in turn.
        """
        channels = {seat: self._players[seat].channel for seat in timings}
        if len(channels) == 1 or not all(c.resumes and c.sources() for c in channels.values()):
            return None, set()
        # Not longer than a slice, because a channel may have to speak again while its bot is silent.
        left = min(timing.due for timing in timings.values()) - self._clock()
        wait_for_any(channels.values(), min(left, _LOOK_NS))
        began = self._clock()
        # All are looked at before any is judged: a judgement may take long, and later output is late.
        return began, {seat for seat, channel in channels.items() if channel.collect()}

    def _until(self, timing: Timing, *, alone: bool) -> int | None:
        """The end of a channel's own wait: soon while other bots wait to be heard, None if none does."""
        if not timing.slow:
            return timing.grace_ends
        return None if alone else self._clock() + _SLICE_NS

    def play(self) -> None:
        """Ask for action after action until the match is over."""
        # This runs once a move, so the quick way makes no call that it can spare. Attributes are read where
        # they are used: twelve copies in local variables would save 27 nanoseconds of 9 microseconds.
        referee = self._referee
        clocks = self._clocks
        clock = self._clock
        seats = self._seats
        channels = {seat: (p.channel, p.channel.resumes) for seat, p in self._players.items()}
        factor = CPU_WALL_FACTOR if self._by_cpu else 1
        act = self._act_scored if self._adjudicated else referee.act
        go = clocks.go()
        allowance = clocks.allowance(1)
        while seat := referee.turn:
            channel, resumes = channels[seat]
            if not clocks.steady:
                go = clocks.go(seat)
                allowance = clocks.allowance(seat)
            if not (allowance and channel.idle()) and self._judged_early(seat, allowance):
                continue
            request = referee.request(seat) + go
            seats.turns[seat] += 1
            used = cpu = self._cpu_ns(seat) if self._by_cpu else 0
            sent = clock()
            if seats.frozen or seats.restless:
                seats.prepare(seat)
            grace = min(GRACE_NS, allowance) if resumes else self._whole(seat, allowance * factor)
            heard = channel.ask(request, sent + grace)
            ply = len(referee.actions)
            elapsed = charged = clock() - sent
            if heard.__class__ is str and "\n" in heard:
                heard = self._after_infos(seat, heard)
            answer: Answer | None = None
            # A move that comes at once needs no measuring; all else takes the slower way.
            if heard.__class__ is not str or elapsed > LATE_NS or not (action := move_action(heard)):
                timing = seats.timing(seat, sent, allowance * factor)
                answer = self._hear_turn(seat, heard, timing)
                action = answer.action if isinstance(answer, Move) else ""
                elapsed = timing.elapsed
                charged = timing.charged
                cpu = self._cpu_at_answer
            elif self._by_cpu:
                cpu = self._cpu_ns(seat)
            seats.wall[seat] += elapsed
            if self._by_cpu and not isinstance(answer, Event):
                charged = cpu - used
                if charged > allowance:
                    action = ""
                    answer = Event("timeout")
            if action:
                if not clocks.steady:
                    clocks.spend(seat, charged)
                self._times.append((ply, elapsed))
                if why := act(action):
                    self._illegal(seat, action, why)
            elif answer is not None:
                self._no_move(seat, answer, allowance)
            if answer is not None:
                self._take_stderr(seat, ply)

    def _act_scored(self, action: str) -> str:
        """Play an action with the last score of its turn; for limits that look at scores."""
        score = self._score
        self._score = None
        return self._referee.act(action, score)

    def _whole(self, seat: int, limit: int) -> int:  # a channel that waits only once has no shorter grace
        if self._seats.freeze:
            self._seats.hold(self._players.keys() - {seat})
        return limit

    def _hear_turn(self, seat: int, heard: str | Event, timing: Timing) -> Answer:
        timed_out = isinstance(heard, Event) and heard.kind == "timeout"
        answer = self._read(seat, None if timed_out else heard, timing, timing.grace_ends)
        if answer is None:
            self._whole(seat, 0)
            timing.begin_measuring()
            answer = self._hear_out(seat, timing)
        now = self._clock()
        if self._by_cpu and not isinstance(answer, Event):
            # Before all else: a bot that ponders is not charged for what it computes after its answer.
            self._cpu_at_answer = self._cpu_ns(seat)
        timing.finish(now)
        self._seats.count(seat, timing, len(self._referee.actions))
        return answer

    def _judged_early(self, seat: int, allowance: int) -> bool:
        """Judge lines that a bot sent before its turn, or a used-up clock; whether it is at fault."""
        event = self._fault_unasked(seat) or (None if allowance else _USED_UP)
        if event is not None:
            self._fault(seat, event, 0)
            return True
        # Standard error that was written before the request belongs to the bot's last turn.
        self._take_stderr(seat, self._last_ply(seat))
        return False

    def _no_move(self, seat: int, answer: Answer, allowance: int) -> None:
        if isinstance(answer, Resign):
            self._log.note(len(self._referee.actions), seat, "resigned")
            self._referee.resign()
        else:
            self._fault(seat, unexpected(answer, "move"), allowance)

    def _read(
        self, seat: int, heard: str | Event | None, timing: Timing, until: int | None = None
    ) -> Answer | None:
        """A bot's answer, of which a part may be ``heard`` already; None at ``until``."""
        event = Event("line", heard) if isinstance(heard, str) else heard or timing.hear(until)
        while event is not None and event.kind == "line":
            answer = decode_bot(event.text)
            if not isinstance(answer, Info):
                return answer
            self._take_info(seat, answer.text)
            event = timing.hear(until)
        return event

    def _hear_out(self, seat: int, timing: Timing) -> Answer:
        """A bot's answer, or the event that comes instead by the end of its time."""
        answer = self._read(seat, None, timing)
        assert answer is not None  # noqa: S101 - without ``until`` it only ends with an answer or event
        return answer

    def _fault_unasked(self, seat: int) -> Event | None:
        """The first event that a bot caused between requests and that is a fault, if any."""
        for event in self._players[seat].channel.pending():
            if event.kind != "line":
                return event
            message = decode_bot(event.text)
            if not isinstance(message, Info):
                return Event("malformed", f"spoke out of turn: {shown(event.text)}")
            self._log.add(len(self._referee.actions), seat, "info", (message.text,))
        return None

    def _take_stderr(self, seat: int, ply: int) -> None:
        """Log a bot's standard error so far under a ply."""
        if lines := self._players[seat].channel.stderr():
            self._log.add(ply, seat, "stderr", lines)

    def _after_infos(self, seat: int, text: str) -> str:
        # All lines but the last are ``info`` lines.
        *infos, answer = text.split("\n")
        for info in infos:
            self._take_info(seat, info[5:])
        return answer

    def _take_info(self, seat: int, text: str) -> None:
        self._log.add(len(self._referee.actions), seat, "info", (text,))
        # Before the game begins there is no turn, and a score belongs to no action.
        if self._adjudicated and self._referee.turn and (score := score_of(text)) is not None:
            self._score = score

    def _fault(self, seat: int, event: Event, allowance: int) -> None:
        kind = self._kind(seat, event)
        ply = len(self._referee.actions)
        self._log.note(ply, seat, f"{kind}: {self._players[seat].fault_words(event, allowance)}")
        self._cut(seat, ply)
        self._referee.fault(kind)

    def _kind(self, seat: int, event: Event) -> FaultKind:
        """The fault of an event. Raises SandboxError or OutOfMemoryError if the machine ended the bot."""
        name = self._referee.spec.seats[seat - 1].name
        if event.kind == "lost":
            raise SandboxError(f"the sandbox of {name} was {event.text}")
        if event.kind == "starved":
            raise OutOfMemoryError(f"{name} was {event.text}", bot=name)
        kind = _FAULT_OF[event.kind]
        if kind in UNSURE_FAULTS and not self._referee.spec.limits.by_fuel:
            self._unsure.add(kind)
        return kind

    def _illegal(self, seat: int, action: str, why: str) -> None:
        # The referee may have played substitutes since the action, so its count of actions is too large.
        ply, _ = self._times.pop()
        # A second answer that comes late is taken for the answer to the next request.
        last = next((played for actor, played in reversed(self._referee.actions[:ply]) if actor == seat), "")
        if action == last:
            why += ": the bot gave it as its last answer, so this may be a second answer to that request"
        self._log.note(ply, seat, f"illegal: {why}")
        self._cut(seat, ply)

    def _cut(self, seat: int, ply: int) -> None:
        self._players[seat].cut()
        self._take_stderr(seat, ply)

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
            self._take_stderr(seat, self._last_ply(seat))
        took = dict(self._times)
        times = (took[ply] // 1000 / 1000 if ply in took else None for ply in range(len(referee.actions)))
        engines = tuple(player.identity for player in self._players.values())
        measured = structs.replace(
            about,
            engines=engines if any(engines) else (),
            times_ms=tuple(times),
            seats=tuple(map(self._seats.measured, self._players)),
            reproducible=not self._unsure,
            why_not=tuple(sorted(self._unsure)),
        )
        record = make_record(referee.spec, game.rules, referee.actions, referee.outcome)
        return PlayedMatch(record, self._log.lines(len(referee.actions)), measured)


def unexpected(answer: Answer, wanted: str) -> Event:
    """The fault of a bot that gave another answer than the requested one."""
    match answer:
        case Event():
            return answer
        case Invalid(why):
            return Event("malformed", why)
        case _:
            word = answer.encode().split()[0].decode("ascii")
            return Event("malformed", f"said {word} where {wanted} was asked for")


def _raised_by(error: Exception, game: AnyGame) -> bool:
    """Whether an exception comes from a game's own code, so that the message names the plugin."""
    module = type(game).__module__
    home = module.rpartition(".")[0] or module
    frames = [str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)]
    return any(name == module or name.startswith(f"{home}.") for name in frames)
