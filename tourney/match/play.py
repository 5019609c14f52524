"""A match over channels: the referee's requests, the bots' answers, and the time they take.

It is long because start-up, turns, faults and the end of a match share the state of one class.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Any, Final

from tourney.bots.channel.base import Event
from tourney.errors import GameError, OverloadError, SandboxError, TourneyError
from tourney.games.base import AnyGame
from tourney.match.adjudication import score_of
from tourney.match.again import FIRST, Again, DeviatedError, Kept, KilledError, OverloadedMatchError
from tourney.match.clock import MS, Clocks
from tourney.match.player import Player
from tourney.match.record import FaultKind, write_record
from tourney.match.referee import Referee
from tourney.match.result import MatchLog, PlayedMatch
from tourney.match.seat_times import SeatTimes
from tourney.match.spec import MatchSpec
from tourney.match.timing import GRACE_NS, LATE_NS, Timing
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

CPU_WALL_FACTOR: Final = 4
"""With ``charge = "cpu"`` a turn's wall time is limited as well: to this multiple of its allowance."""


_FAULTS: dict[str, FaultKind] = {
    "timeout": "timeout",
    "closed": "crash",
    "killed": "crash",
    "lost": "crash",
    "overflow": "overflow",
    "malformed": "protocol",
}
_SLICE_NS: Final = 2_000_000
"""While several bots start, each is heard for this time in turn."""
_UNSURE = {"timeout", "crash"}
"""Faults that depend on more than the spec: a match with one is not promised to reproduce."""

_USED_UP = Event("timeout", "its clock and the margin are used up")

_Answer = BotMessage | Invalid | Event
"""A message of the bot, or the event that came instead of a line."""


def play_match(
    spec: MatchSpec,
    game: AnyGame,
    players: Sequence[Player],
    *,
    clock: Callable[[], int] = time.monotonic_ns,
    about: Mapping[str, Any] | None = None,
    again: Again = FIRST,
) -> PlayedMatch:
    """Play a match and return its record, with its log and what was measured.

    ``players`` are in seat order. Those at fault are cut; the others have their ``over`` line and stay open:
    the caller plays on with them or dismisses them. ``clock`` is the channels' own, in nanoseconds. ``about``
    is stored beside the record as it is (host, sandbox). ``again`` says what a play before left.

    What bots do wrong is in the record. Raises InputError for a spec that cannot be played, GameError where
    the game is broken, EnvironmentFailure where the machine fails (KilledError where a bot was killed,
    OverloadedMatchError where one waited too long for a processor), and DeviatedError where the play had to
    repeat another and did not: then the match has no result, and the players are in an unknown state.
    """
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    # By fuel the channels' clock is virtual; the time of the whole match is real always.
    real = time.monotonic_ns if spec.limits.by_fuel else clock
    began = real()
    try:
        pieces = spec.limits.tablebase_pieces
        tables = None if pieces is None else game.tables(pieces)
        match = _RunningMatch(Referee(spec, game, tables), players, clock, again)
        match.start()
        match.play()
        match.end()
    except OverloadError as error:
        raise OverloadedMatchError(error, match.kept()) from error
    except TourneyError:
        raise
    except Exception as error:
        if not _raised_by(error, game):
            raise
        raise GameError(
            f"the game {game.name} is broken: it raised {type(error).__name__} ({error}) in a match"
        ) from error
    return match.played(game, {"started": started, "wall-ms": (real() - began) // MS, **(about or {})})


class _RunningMatch:
    """One match while it is played."""

    def __init__(
        self, referee: Referee, players: Sequence[Player], clock: Callable[[], int], again: Again
    ) -> None:
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
        self._score: int | None = None  # the last one of the turn
        self._scores: list[tuple[int, int]] = []
        self._again = again
        self._before = again.kept if again.mode == "repeat" else None
        self._late: dict[int, Event] = {}  # seats that failed to start although they have kept actions
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
        kept = self._again.kept if self._again.mode == "continue" else None
        self._referee.begin(failed if kept is None else {seat for seat, _, ply in kept.faults if not ply})
        for seat in sorted(failed):
            self._cut(seat, 0)
        if kept is not None:
            self._go_on(kept)

    def _ask_all(
        self, requests: Mapping[int, bytes], wanted: type[Greeting | Ready], failed: set[int]
    ) -> None:
        """Send all requests, then hear each bot, so that bots start in parallel, each with its whole time.

        With ``freeze`` those that have answered stand still while others take longer than the grace.
        """
        seats, clock = self._seats, self._clock
        timings: dict[int, Timing] = {}
        answers: dict[int, _Answer] = {}
        waiting: set[int] = set()

        def hold() -> None:
            seats.hold(self._players.keys() - waiting)

        for seat, request in requests.items():
            if (event := self._early_fault(seat)) is not None:
                answers[seat] = event
            else:
                waiting.add(seat)
                timings[seat] = seats.timing(seat, clock(), self._startup_ns, hold)
                seats.thaw(seat)
                self._players[seat].channel.request(request)
        slow = False
        while waiting:
            for seat in sorted(waiting):
                timing = timings[seat]
                if slow and seats.freeze:
                    hold()
                together = seats.freeze and len(waiting) > 1
                until = timing.grace_ends if not slow else clock() + _SLICE_NS if together else None
                answer = self._read(seat, None, timing, until)
                if answer is not None:
                    timing.finish()
                    answers[seat] = answer
                    waiting.discard(seat)
                elif not slow:
                    timing.begin_measuring()
            slow = True
        for seat in requests:
            answer = answers[seat]
            if seat in timings:
                seats.count(seat, timings[seat])
            if not isinstance(answer, wanted):
                word = "bot" if wanted is Greeting else "ready"
                self._startup_fault(seat, _unexpected(answer, word), failed)
            elif isinstance(answer, Greeting):
                self._players[seat].greeting = answer

    def _startup_fault(self, seat: int, event: Event, failed: set[int]) -> None:
        self._kind(seat, event)
        failed.add(seat)
        self._late[seat] = Event("closed", f"startup: {_words(event, self._startup_ns)}")
        self._log.note(0, seat, f"startup: {_words(event, self._startup_ns)}")

    def _go_on(self, kept: Kept) -> None:
        """Take over the decisions of an earlier play; the bots hear of them with their next requests."""
        referee, times, scores = self._referee, dict(kept.times), dict(kept.scores)
        self._scores = list(kept.scores)
        faults = {(seat, ply): kind for seat, kind, ply in kept.faults if ply}
        while seat := referee.turn:
            ply = len(referee.actions)
            if (seat, ply) in faults:
                self._cut(seat, ply)
                referee.fault(faults[seat, ply])
            elif (seat, ply) in kept.resigned:
                referee.resign()
            elif ply < len(kept.actions):
                elapsed = times.get(ply, 0)
                self._times.append((ply, elapsed))
                self._seats.set_aside(seat, elapsed)
                if why := referee.act(kept.actions[ply][1], scores.get(ply)):
                    raise GameError(f"a match of {referee.spec.game} cannot go on: {why}")
            else:
                break
        if kept.clocks is not None:
            self._clocks.restore(kept.clocks)
        self._log.extend(kept.log)
        self._log.note(len(referee.actions), 0, "a bot was killed here: the match goes on with new processes")

    def kept(self) -> Kept | None:
        """Return what was played so far, or what is kept of an earlier play if that is more."""
        referee, before = self._referee, self._again.kept
        if before is not None and len(before.actions) >= len(referee.actions):
            return before
        if not referee.turn:
            return None
        return Kept(
            actions=tuple(referee.actions),
            faults=referee.faults,
            resigned=referee.resigned,
            times=tuple(self._times),
            clocks=self._clocks.left,
            log=self._log.lines(len(referee.actions)),
            scores=tuple(self._scores),
        )

    def _requests(self) -> Callable[[int], bytes]:
        """Return the function that gives a seat's request; it checks a match that has to repeat another."""

        def checked(seat: int) -> bytes:
            self._check_repetition()
            return self._referee.request(seat)

        return self._referee.request if self._before is None else checked

    def _check_repetition(self) -> None:
        """Raise DeviatedError if the match so far differs from the play that it has to repeat."""
        before, referee = self._before, self._referee
        if before is None:
            return
        pairs = (
            (tuple(referee.actions), before.actions),
            (referee.faults, before.faults),
            (referee.resigned, before.resigned),
        )
        less = any(len(mine) < len(theirs) for mine, theirs in pairs)
        more = any(len(mine) > len(theirs) for mine, theirs in pairs)
        alike = all(mine[: len(theirs)] == theirs[: len(mine)] for mine, theirs in pairs)
        if not alike or (less and (more or not referee.turn)):
            raise DeviatedError
        if not less:
            self._before = None

    # -- turns --------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Ask for action after action until the match is over. Every microsecond here is paid once a move."""
        referee, clocks, clock = self._referee, self._clocks, self._clock
        times, seats = self._times, self._seats
        channels = {seat: (p.channel, p.channel.resumes) for seat, p in self._players.items()}
        wall, turns, frozen, restless = seats.wall, seats.turns, seats.frozen, seats.restless
        by_cpu, factor = self._by_cpu, CPU_WALL_FACTOR if self._by_cpu else 1
        steady, go, allowance = clocks.steady, clocks.go(), clocks.allowance(1)
        act, actions = self._act_scored if self._adjudicated else referee.act, referee.actions
        request_of = self._requests()
        while seat := referee.turn:
            channel, resumes = channels[seat]
            if not steady:
                go, allowance = clocks.go(), clocks.allowance(seat)
            if not (allowance and channel.idle()) and self._judged_early(seat, allowance):
                continue
            request = request_of(seat) + go
            turns[seat] += 1
            used = self._cpu_ns(seat) if by_cpu else 0
            sent = clock()
            if frozen or restless:
                seats.prepare(seat)
            grace = min(GRACE_NS, allowance) if resumes else self._whole(seat, allowance * factor)
            heard = channel.ask(request, sent + grace)
            ply = len(actions)
            elapsed = charged = clock() - sent
            if heard.__class__ is str and "\n" in heard:
                heard = self._noted(seat, heard)
            answer: _Answer | None = None
            if heard.__class__ is not str or elapsed > LATE_NS or not (action := move_action(heard)):
                timing = seats.timing(seat, sent, allowance * factor)
                answer = self._hear_turn(seat, heard, timing)
                action = answer.action if isinstance(answer, Move) else ""
                timing.finish()
                seats.count(seat, timing, ply)
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
                self._take_stderr(seat, ply)

    def _act_scored(self, action: str) -> str:
        """Play an action with the last score of its turn; for limits that look at scores."""
        score, self._score = self._score, None
        if score is not None:
            self._scores.append((len(self._referee.actions), score))
        return self._referee.act(action, score)

    def _noted(self, seat: int, text: str) -> str:
        """Log the ``info`` lines of a text that ends in the answer; return the answer."""
        *infos, answer = text.split("\n")
        for info in infos:
            self._take_info(seat, info[5:])
        return answer

    def _take_info(self, seat: int, text: str) -> None:
        """Log the text of an ``info`` line, and keep its score for limits that look at scores."""
        self._log.add(len(self._referee.actions), seat, "info", (text,))
        if self._adjudicated and self._referee.turn and (score := score_of(text)) is not None:
            self._score = score

    def _whole(self, seat: int, limit: int) -> int:
        """Return the grace of a channel that waits only once: the whole turn; nothing is measured."""
        if self._seats.freeze:
            self._seats.hold(self._players.keys() - {seat})
        return limit

    def _hear_turn(self, seat: int, heard: str | Event, timing: Timing) -> _Answer:
        """Return the answer to ``go`` of a bot that did not answer at once with a single line."""
        timed_out = isinstance(heard, Event) and heard.kind == "timeout"
        answer = self._read(seat, None if timed_out else heard, timing, timing.grace_ends)
        if answer is None:
            if self._seats.freeze:
                self._seats.hold(self._players.keys() - {seat})
            timing.begin_measuring()
            answer = self._read(seat, None, timing)
        assert answer is not None  # noqa: S101 - there was no other end than the limit's
        return answer

    def _judged_early(self, seat: int, allowance: int) -> bool:
        """Judge what a bot sent before its turn, or that it has no time; return whether it is at fault."""
        event = self._late.get(seat) or self._early_fault(seat) or (None if allowance else _USED_UP)
        if event is not None:
            self._fault(seat, event, 0)
            return True
        # Standard error that was written before the request belongs to the bot's last turn.
        self._take_stderr(seat, self._last_ply(seat))
        return False

    def _no_move(self, seat: int, answer: _Answer, allowance: int) -> None:
        """Take an answer to ``go`` that is no action: a resignation or a fault."""
        if isinstance(answer, Resign):
            self._log.note(len(self._referee.actions), seat, "resigned")
            self._referee.resign()
        else:
            self._fault(seat, _unexpected(answer, "move"), allowance)

    def _read(
        self, seat: int, heard: str | Event | None, timing: Timing, until: int | None = None
    ) -> _Answer | None:
        """Return a bot's answer, from what was heard on; None at ``until``. Its ``info`` lines are logged."""
        event = Event("line", heard) if isinstance(heard, str) else heard or timing.hear(until)
        while event is not None and event.kind == "line":
            answer = decode_bot(event.text)
            if not isinstance(answer, Info):
                return answer
            self._take_info(seat, answer.text)
            event = timing.hear(until)
        return event

    def _early_fault(self, seat: int) -> Event | None:
        """Log the ``info`` lines that a bot sent unasked; return the first event that is a fault, if any."""
        for event in self._players[seat].channel.pending():
            if event.kind != "line":
                return event
            message = decode_bot(event.text)
            if not isinstance(message, Info):
                return Event("malformed", f"spoke out of turn: {shown(event.text)}")
            self._log.add(len(self._referee.actions), seat, "info", (message.text,))
        return None

    # -- faults -------------------------------------------------------------------------------------------

    def _fault(self, seat: int, event: Event, allowance: int) -> None:
        kind = self._kind(seat, event)
        ply = len(self._referee.actions)
        self._log.note(ply, seat, f"{kind}: {_words(event, allowance)}")
        self._cut(seat, ply)
        self._referee.fault(kind)

    def _kind(self, seat: int, event: Event) -> FaultKind:
        """Return the fault of an event; note one that need not come again.

        Raises KilledError for a bot that was killed, unless it is to be judged.
        """
        kind = _FAULTS[event.kind]
        alone = event.kind == "lost"
        if alone or (event.kind == "killed" and seat not in self._again.judged):
            name = self._referee.spec.seats[seat - 1].name
            who = f"the sandbox of {name}" if alone else name
            raise KilledError(f"{who} was {event.text}", seat, alone=alone, kept=self.kept())
        if kind in _UNSURE and (not self._by_fuel or event.kind == "killed"):
            self._unsure.add(kind)
        return kind

    def _illegal(self, seat: int, why: str) -> None:
        """Log an illegal action; the referee has judged it, so its count of actions may have gone on."""
        assert self._times  # noqa: S101 - the time of the refused action was appended before it
        ply, _ = self._times.pop()
        self._log.note(ply, seat, f"illegal: {why}")
        self._cut(seat, ply)

    def _cut(self, seat: int, ply: int) -> None:
        self._players[seat].cut()
        self._take_stderr(seat, ply)

    def _take_stderr(self, seat: int, ply: int) -> None:
        if lines := self._players[seat].channel.stderr():
            self._log.add(ply, seat, "stderr", lines)

    def _last_ply(self, seat: int) -> int:
        """Return the ply of a seat's last action; 0 if it has none."""
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
        """Send the last lines to all players that are left."""
        self._check_repetition()
        for seat, player in self._players.items():
            lines = self._referee.take(seat)
            if not player.lost:
                self._seats.thaw(seat)
                player.channel.send(lines)
        self._seats.end()

    def played(self, game: AnyGame, measured: dict[str, Any]) -> PlayedMatch:
        """Return the finished match."""
        referee = self._referee
        assert referee.outcome is not None  # noqa: S101 - the match is over
        for seat in self._players:
            self._take_stderr(seat, self._last_ply(seat))
        times: list[float | None] = [None] * len(referee.actions)
        for ply, elapsed in self._times:
            times[ply] = elapsed // 1000 / 1000
        measured["times-ms"] = times
        measured["seats"] = [self._seats.as_json(seat) for seat in self._players]
        measured["reproducible"] = not self._unsure
        measured["why-not"] = sorted(self._unsure)
        actions, outcome = referee.actions, referee.outcome
        text, digest = write_record(referee.spec, game.rules, actions, outcome)
        log = self._log.lines(len(actions))
        return PlayedMatch.written(text, digest, outcome, len(actions), log, measured)


def _raised_by(error: Exception, game: AnyGame) -> bool:
    """Return whether an exception comes from a game's own code: then the plugin is named, not Tourney."""
    module = type(game).__module__
    home = module.rpartition(".")[0] or module
    frames = [str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)]
    return any(name == module or name.startswith(f"{home}.") for name in frames)


def _unexpected(answer: _Answer, wanted: str) -> Event:
    """Return the fault of a bot that gave another answer than the requested one."""
    match answer:
        case Event():
            return answer
        case Invalid(why):
            return Event("malformed", why)
        case _:
            word = answer.encode().split()[0].decode("ascii")
            return Event("malformed", f"said {word} where {wanted} was asked for")


def _words(event: Event, allowance: int) -> str:
    if event.text or event.kind != "timeout":
        return event.text or event.kind
    return f"no answer within {allowance // MS} ms"
