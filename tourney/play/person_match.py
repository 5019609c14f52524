"""One match with persons in it, played to its end with any number of undos.

After an undo the match is replayed from its start with the same seed, which gives the same dice, and each
seat's kept decisions are answered for it. A bot is started again and receives the kept actions as a game that
began with them, without a turn for them; so nothing that was undone has an influence on it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from tourney.bots.channel.interface import Channel, Event, FailedChannel, ForwardingChannel, cut_line
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.check.record import replay
from tourney.games.base import AnyGame
from tourney.match.result import PlayedMatch
from tourney.match.runner import Launcher, MatchRunner
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.play.person import PersonChannel, PersonLeft, SharedTerminal, Undo
from tourney.play.terminal import AFTER, Terminal
from tourney.protocol import (
    Go,
    Hello,
    Info,
    Legal,
    Move,
    NewGame,
    Position,
    decode_bot,
    decode_referee,
    shown,
)

STDERR_LINES = 5


@dataclass(frozen=True, slots=True)
class Decision:
    """A seat's answer to its turn: a line (``move ...`` or ``resign``), or the event that came instead."""

    seat: int
    event: Event


class ReplayChannel(ForwardingChannel):
    """Answers ``go`` by kept decisions while there are any, then passes everything on to another channel.

    ``note`` is called with each decision, kept ones too. A bot that fails at its new start although it has
    kept decisions fails at the first turn after them.
    """

    def __init__(self, inner: Channel, kept: Iterable[Event], note: Callable[[Event], None]) -> None:
        super().__init__(inner)
        self._failure: Event | None = None
        self._kept = deque(kept)
        self._note = note
        self._wanted = ""
        self._answer: Event | None = None

    def send(self, data: bytes) -> None:
        if self._failure is None:
            self._inner.send(data)

    def request(self, data: bytes) -> None:
        lines = data.decode("utf-8").split("\n")[:-1]
        messages = [decode_referee(line) for line in lines]
        asked = messages[-1]
        self._wanted = "bot" if isinstance(asked, Hello) else "ready" if isinstance(asked, NewGame) else "go"
        if self._wanted == "go" and self._kept:
            past = (
                f"{line}\n"
                for line, message in zip(lines, messages, strict=True)
                if not isinstance(message, Position | Legal | Go)
            )
            self.send("".join(past).encode("utf-8"))
            self._answer = self._kept.popleft()
        elif self._failure is None:
            self._inner.request(data)

    def wait(self, deadline: int) -> Event:
        if self._answer is not None:
            event = self._answer
            if event.kind != "timeout":  # which is noted by ``time_out``
                self._answer = None
                self._note(event)
            return event
        if self._wanted != "go":
            return self._start(deadline)
        event = self._failure or self._inner.wait(deadline)
        info = event.kind == "line" and isinstance(decode_bot(event.text), Info)
        if not info and event.kind != "timeout":
            self._note(event)
        return event

    def time_out(self, event: Event) -> Event:
        """Note a time-out as a decision; at start-up with kept decisions it is put off as any failure is."""
        if self._wanted == "go":
            self._note(event)
        elif self._kept:
            return self._put_off(event)
        return event

    def _start(self, deadline: int) -> Event:
        """The answer at start-up; with kept decisions a failure is put off until they are used up."""
        if self._kept and self._failure is not None:
            return Event("line", self._wanted)
        event = self._inner.wait(deadline)
        if self._kept and event.kind == "line" and event.text.partition(" ")[0] not in (self._wanted, "info"):
            return self._put_off(Event("malformed", shown(event.text)))
        if self._kept and event.kind not in ("line", "timeout"):
            return self._put_off(event)
        return event

    def _put_off(self, failure: Event) -> Event:
        """Put a failure at start-up off to the first turn after the kept decisions; return an answer."""
        self._failure = failure
        self.resumes = False  # there is nothing to wait for from now on
        return Event("line", self._wanted)

    def pending(self) -> Sequence[Event]:
        """Pass on, once the kept decisions are used up; an event that is a fault is a decision."""
        if self._kept or self._failure is not None:
            return ()
        events = self._inner.pending()
        for event in events if self._wanted in ("ready", "go") else ():  # at start-up it is not a decision
            if event.kind != "line":
                self._note(event)
                break
            if not isinstance(decode_bot(event.text), Info):
                self._note(Event("malformed", f"spoke out of turn: {shown(event.text)}"))
                break
        return events


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat's entrant, its label for people, and how its bot is started (None: a person)."""

    label: str
    entrant: Entrant
    launch: Launcher | None = None


class PersonMatch:
    """Plays a match; its seats are in order, and at least one is a person's.

    ``sandbox`` is the one that the bots are started in. Entrants' names must differ.
    """

    def __init__(
        self,
        spec: MatchSpec,
        game: AnyGame,
        seats: Sequence[Seat],
        terminal: Terminal,
        sandbox: Sandbox | None = None,
    ) -> None:
        self._spec = spec
        self._game = game
        self._seats = dict(enumerate(seats, start=1))
        self._number = {seat.entrant.name: number for number, seat in self._seats.items()}
        self._persons = frozenset(number for number, seat in self._seats.items() if seat.launch is None)
        self._sandbox = sandbox
        self._decisions: list[Decision] = []
        self._channels: dict[int, PersonChannel] = {}
        self._shared = SharedTerminal(
            terminal,
            game,
            [seat.label for seat in seats],
            lambda: sum(decision.seat in self._persons for decision in self._decisions),
        )

    def play(self) -> PlayedMatch | None:
        """Play until the game is over and no person takes anything back, or a person leaves (None).

        Raises what ``MatchRunner.play`` raises.
        """
        decisions: tuple[Decision, ...] = ()
        while True:
            try:
                played = self._play(decisions)
                self._end(played)
            except Undo as undo:
                own_decisions = [
                    k for k, decision in enumerate(self._decisions) if decision.seat in self._persons
                ]
                decisions = tuple(self._decisions[: own_decisions[-undo.count]])
                self._shared.print(["taken back"])
            except PersonLeft:
                self._shared.print(["you left the game; it has no result"])
                return None
            else:
                return played

    def _play(self, decisions: Sequence[Decision]) -> PlayedMatch:
        # The replayed decisions are noted again as they are answered, so both start empty.
        self._decisions = []
        self._channels = {}
        with MatchRunner(
            partial(self._launch, decisions), sandbox=self._sandbox, find=lambda _: self._game
        ) as runner:
            return runner.play(self._spec)

    def _launch(self, decisions: Sequence[Decision], entrant: Entrant, limits: Limits) -> Channel:
        number = self._number[entrant.name]
        seat = self._seats[number]
        own_events = [decision.event for decision in decisions if decision.seat == number]
        inner: Channel
        if seat.launch is None:
            inner = self._channels[number] = PersonChannel(number, self._shared)
        elif own_events and (
            own_events[-1].kind != "line" or not isinstance(decode_bot(own_events[-1].text), Move)
        ):
            # A bot whose last kept answer withdrew its seat is not asked again, so it is not started.
            inner = FailedChannel("the seat has left the match")
        else:
            inner = seat.launch(entrant, limits)
        return ReplayChannel(inner, own_events, self._noting(number, len(own_events)))

    def _noting(self, number: int, kept: int) -> Callable[[Event], None]:
        """A function that records a seat's decisions; the first ``kept`` are not shown again."""
        count = 0

        def note(event: Event) -> None:
            nonlocal count
            count += 1
            self._decisions.append(Decision(number, event))
            if count <= kept and number in self._channels:
                self._channels[number].catch_up()

        return note

    def _end(self, played: PlayedMatch) -> None:
        """Show the result; let the person look back or undo until they leave."""
        shared = self._shared
        seat = shared.seat or min(self._persons)
        person = self._channels[seat]
        person.look(replay(played.record, self._game).observation(seat))
        person.tell()
        person.draw()
        shared.print(self._result(played))
        with suppress(PersonLeft):
            person.choose("over, Enter to leave> ", AFTER)

    def _result(self, played: PlayedMatch) -> list[str]:
        outcome = played.outcome
        resigned = {seat for seat, _ in outcome.resigned}
        faults = {seat: f" (fault: {kind})" for seat, kind, _ in outcome.faults}
        lines = [f"over after {played.count} actions: {outcome.reason}"]
        for rank, number in sorted((rank, number) for number, rank in enumerate(outcome.ranks, start=1)):
            left = " (resigned)" if number in resigned else faults.get(number, "")
            lines.append(f"  rank {rank}  {self._shared.label(number)}{left}")
        for number in faults:
            notes = [f"{self._shared.label(number)}: {text}" for text in played.lines(number, "note")]
            errors = [f"    {text}" for text in played.lines(number, "stderr")]
            lines += map(cut_line, notes[-1:] + errors[-STDERR_LINES:])
        return lines
