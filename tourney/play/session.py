"""A session: one match with persons in it, played to its end with any number of undos."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from tourney.bots.channel.base import Channel, Event, printable
from tourney.bots.sandbox.base import Sandbox
from tourney.errors import EnvironmentFailure, UsageError
from tourney.games.base import AnyGame, AnyState
from tourney.match.match_runner import Launcher, MatchRunner
from tourney.match.record import Outcome, Record, canonical
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.play.commands import AFTER, Command, Unclear, parse_typed
from tourney.play.person import PersonChannel, PersonLeft, SharedTerminal, Undo
from tourney.play.terminal import Terminal
from tourney.play.undo import Decision, ReplayChannel, decisions_before, withdraws

STDERR_LINES = 5


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat's entrant, its label for people, and how its bot is started (None: a person)."""

    label: str
    entrant: Entrant
    launch: Launcher | None = None


class Session:
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
        self._shared = SharedTerminal(terminal, game, [seat.label for seat in seats], self._decided)

    def play(self) -> PlayedMatch | None:
        """Play until the game is over and no person takes anything back, or a person leaves (None).

        Raises what ``MatchRunner.play`` raises.
        """
        kept: tuple[Decision, ...] = ()
        while True:
            try:
                played = self._play(kept)
                self._end(played)
            except Undo as undo:
                kept = decisions_before(self._decisions, self._persons, undo.count)
                self._shared.print(["taken back"])
            except PersonLeft:
                self._shared.print(["you left the game; it has no result"])
                return None
            else:
                return played

    def _play(self, kept: Sequence[Decision]) -> PlayedMatch:
        self._decisions = []
        self._channels = {}
        launch = partial(self._launch, kept)
        with MatchRunner(launch, sandbox=self._sandbox, find=lambda _: self._game) as runner:
            return runner.play(self._spec)

    def _launch(self, kept: Sequence[Decision], entrant: Entrant, limits: Limits) -> Channel:
        number = self._number[entrant.name]
        seat = self._seats[number]
        own = [decision.event for decision in kept if decision.seat == number]
        inner: Channel | None
        if seat.launch is None:
            inner = self._channels[number] = PersonChannel(number, self._shared)
        else:
            inner = None if own and withdraws(own[-1]) else seat.launch(entrant, limits)
        return ReplayChannel(inner, own, self._noting(number, len(own)))

    def _noting(self, number: int, kept: int) -> Callable[[Event], None]:
        """Return a function that records a seat's decisions; the first ``kept`` are not shown again."""
        count = 0

        def note(event: Event) -> None:
            nonlocal count
            count += 1
            self._decisions.append(Decision(number, event))
            if count <= kept and number in self._channels:
                self._channels[number].catch_up()

        return note

    def _decided(self) -> int:
        return sum(decision.seat in self._persons for decision in self._decisions)

    # -- the end --------------------------------------------------------------------------------------

    def _end(self, played: PlayedMatch) -> None:
        """Show the result; let the person look back or undo until they leave."""
        shared = self._shared
        seat = shared.seat or min(self._persons)
        person = self._channels[seat]
        person.look(_last_state(self._game, played.record).observation(seat))
        person.tell()
        person.draw()
        shared.print(self._result(played))
        while True:
            line = shared.terminal.ask("over, Enter to leave> ", AFTER)
            typed = Command("quit") if not (line or "").strip() else parse_typed(line or "", ())
            match typed:
                case Command("quit"):
                    return
                case Command("undo", rest):
                    shared.undo(int(rest or 1))
                case Command():
                    person.answer(typed)
                case Unclear(why):
                    shared.print([why])

    def _result(self, played: PlayedMatch) -> list[str]:
        outcome = Outcome.from_json(played.record["outcome"])
        resigned = {seat for seat, _ in outcome.resigned}
        faults = {seat: f" (fault: {kind})" for seat, kind, _ in outcome.faults}
        lines = [f"over after {len(played.record['actions'])} actions: {outcome.reason}"]
        for rank, number in sorted((rank, number) for number, rank in enumerate(outcome.ranks, start=1)):
            left = " (resigned)" if number in resigned else faults.get(number, "")
            lines.append(f"  rank {rank}  {self._shared.label(number)}{left}")
        for number in faults:
            log = [line for line in played.log if line.seat == number]
            notes = [f"{self._shared.label(number)}: {line.text}" for line in log if line.kind == "note"]
            errors = [f"    {line.text}" for line in log if line.kind == "stderr"]
            lines += map(printable, notes[-1:] + errors[-STDERR_LINES:])
        return lines


def _last_state(game: AnyGame, record: Record) -> AnyState:
    state = game.new(len(record["seats"]), record["options"])
    for _, text in record["actions"]:
        state = state.play(game.parse_action(text))
    return state


class RecordFile:
    """A new file for a record, as a context; it appears only when ``write`` has written all of it.

    It is tried at once, so that no game is played for a file that cannot be written. Raises UsageError if the
    file exists, EnvironmentFailure if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if path.exists():
            raise UsageError(f"{path} is there already; name another file")
        self._path = path
        self._fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
        try:
            with self._fresh.open("xb"):
                pass
        except OSError as error:
            raise self._failure(error) from error

    def write(self, record: Record) -> None:
        """Write a record as a line of JSON in its canonical form."""
        try:
            self._fresh.write_bytes(canonical(record) + b"\n")
            self._fresh.replace(self._path)
        except OSError as error:
            raise self._failure(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._fresh.unlink(missing_ok=True)

    def _failure(self, error: OSError) -> EnvironmentFailure:
        return EnvironmentFailure(f"{self._path} cannot be written: {error.strerror or error}")
