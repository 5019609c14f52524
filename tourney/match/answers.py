"""What bots send in a match: answers to requests; lines and standard error for the log; faults."""

from collections.abc import Callable, Mapping
from typing import Final

from tourney.bots.channel.interface import Event
from tourney.match.adjudication import score_of
from tourney.match.clock import MS
from tourney.match.player import Player
from tourney.match.record import FaultKind
from tourney.match.referee import Referee
from tourney.match.result import MatchLog
from tourney.match.turn_timing import SeatTimes, Timing
from tourney.protocol import BotMessage, Info, Invalid, decode_bot, shown

FAULT_OF: Final[Mapping[str, FaultKind]] = {
    "timeout": "timeout",
    "closed": "crash",
    "overflow": "overflow",
    "malformed": "protocol",
}
"""The fault of a bot by the kind of event that came instead of its answer."""

_SLICE_NS: Final = 2_000_000

Answer = BotMessage | Invalid | Event
"""A message of the bot, or the event that came instead of a line."""


class AnswerReader:
    """Reads the bots' answers; logs what comes beside them."""

    def __init__(self, referee: Referee, players: Mapping[int, Player], log: MatchLog) -> None:
        self._referee = referee
        self._players = players
        self._log = log
        self._adjudicated = referee.spec.limits.adjudicated
        self._score: int | None = None

    def read(
        self, seat: int, heard: str | Event | None, timing: Timing, until: int | None = None
    ) -> Answer | None:
        """A bot's answer, which may begin with what was ``heard`` already; None at ``until``."""
        event = Event("line", heard) if isinstance(heard, str) else heard or timing.hear(until)
        while event is not None and event.kind == "line":
            answer = decode_bot(event.text)
            if not isinstance(answer, Info):
                return answer
            self._take_info(seat, answer.text)
            event = timing.hear(until)
        return event

    def ask_all(
        self, requests: Mapping[int, bytes], seats: SeatTimes, limit: int, clock: Callable[[], int]
    ) -> dict[int, Answer]:
        """Send requests to several seats at once, and give each bot the whole ``limit``, in nanoseconds.

        If waiting bots are frozen, so are those that have answered while others take longer than the grace.
        """
        timings: dict[int, Timing] = {}
        answers: dict[int, Answer] = {}
        waiting: set[int] = set()

        def hold() -> None:
            seats.hold(self._players.keys() - waiting)

        for seat, request in requests.items():
            if (event := self.fault_unasked(seat)) is not None:
                answers[seat] = event
            else:
                waiting.add(seat)
                timings[seat] = seats.timing(seat, clock(), limit, hold)
                seats.thaw(seat)
                self._players[seat].channel.request(request)
        slow = False
        while waiting:
            for seat in sorted(waiting):
                timing = timings[seat]
                if slow and seats.freeze:
                    hold()
                # Bots that start together compete, so each is heard for a short time in turn.
                together = seats.freeze and len(waiting) > 1
                until = timing.grace_ends if not slow else clock() + _SLICE_NS if together else None
                answer = self.read(seat, None, timing, until)
                if answer is not None:
                    timing.finish()
                    answers[seat] = answer
                    waiting.discard(seat)
                elif not slow:
                    timing.begin_measuring()
            slow = True
        for seat, timing in timings.items():
            seats.count(seat, timing)
        return {seat: answers[seat] for seat in requests}

    def after_infos(self, seat: int, text: str) -> str:
        """The last line of a text, whose other lines are ``info`` lines."""
        *infos, answer = text.split("\n")
        for info in infos:
            self._take_info(seat, info[5:])
        return answer

    def fault_unasked(self, seat: int) -> Event | None:
        """The first event that a bot caused between requests and that is a fault, if any."""
        for event in self._players[seat].channel.pending():
            if event.kind != "line":
                return event
            message = decode_bot(event.text)
            if not isinstance(message, Info):
                return Event("malformed", f"spoke out of turn: {shown(event.text)}")
            self._log.add(len(self._referee.actions), seat, "info", (message.text,))
        return None

    def take_score(self) -> int | None:
        """The last score of the turn, for limits that look at scores; it counts once."""
        score, self._score = self._score, None
        return score

    def take_stderr(self, seat: int, ply: int) -> None:
        """Log a bot's standard error so far under a ply."""
        if lines := self._players[seat].channel.stderr():
            self._log.add(ply, seat, "stderr", lines)

    def _take_info(self, seat: int, text: str) -> None:
        self._log.add(len(self._referee.actions), seat, "info", (text,))
        # Before the game begins there is no turn, and a score belongs to no action.
        if self._adjudicated and self._referee.turn and (score := score_of(text)) is not None:
            self._score = score


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


def fault_words(event: Event, allowance: int) -> str:
    """A fault in words, for the log; ``allowance`` is the bot's time in nanoseconds."""
    if event.text or event.kind != "timeout":
        return event.text or event.kind
    return f"no answer within {allowance // MS} ms"
