"""Waiting bots stand still once the mover has taken the grace, and an instant turn costs nothing more."""

import itertools
import os
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import pytest

from tests.support.piped import NoProcesses
from tests.support.tables import GAMES, HELLO, TOE, make_spec, outcome
from tourney.bots.channel import process as module
from tourney.bots.channel.interface import Event, Reading
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.bots.sandbox.processes import Pipes
from tourney.match import turn_timing
from tourney.match.play import play_match
from tourney.match.player import MS, Player
from tourney.match.result import MatchLog
from tourney.match.spec import Limits
from tourney.match.turn_timing import SeatTimes

START = HELLO + "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"
OVER2, OVER3 = "> over * * reason=*", "> over * * * reason=*"
FREEZE = Limits(move_ms=None, margin_ms=0, ponder="freeze")


Entries = list[tuple[str, str, int]]


class Diary(ScriptedChannel):
    """Writes down when it is frozen, thawed and asked."""

    def __init__(self, script: str, clock: ScriptClock, name: str, entries: Entries) -> None:
        super().__init__(script, clock=clock, name=name)
        self.entries = entries

    def enter(self, what: str) -> None:
        self.entries.append((self._name, what, (self.clock() - 1_000_000_000) // MS))

    def freeze(self) -> None:
        super().freeze()
        self.enter("frozen")

    def thaw(self) -> None:
        super().thaw()
        self.enter("thawed")

    def request(self, data: bytes) -> None:
        self.enter(f"asked {data.split()[-1].decode()}")
        super().request(data)


def diary(*scripts: str, limits: Limits = FREEZE, game: str = "toe") -> Entries:
    """Play a match, and return what happened to the bots and at which millisecond, from the first turn on."""
    clock = ScriptClock()
    entries: Entries = []
    channels = [Diary(script, clock, str(seat), entries) for seat, script in enumerate(scripts, 1)]
    spec = make_spec(game, seats=len(scripts), limits=limits)
    play_match(spec, GAMES[game], [Player(channel) for channel in channels], clock=clock)
    for channel in channels:
        channel.finish()
        assert not channel.frozen or channel.closed
    return entries


def first_turn(entries: Entries) -> Entries:
    return entries[next(k for k, (_, what, _) in enumerate(entries) if what == "asked go") :]


def test_instant_turn_freezes_no_bot() -> None:
    entries = diary(
        START + "> go\n+ 1\n< move a1\n> play 1 a1\n> over 1 2 reason=resign",
        START + "> play 1 a1\n> go\n< resign\n> over 1 2 reason=resign",
    )
    assert first_turn(entries) == [("1", "asked go", 0), ("2", "asked go", 1)]


def test_waiting_bot_is_frozen_after_the_grace_until_its_own_request() -> None:
    """It stays frozen for as long as it waits, and every bot runs again after the match."""
    entries = diary(
        START + "> go\n+ 40\n< move a1\n> play 1 a1\n> play 2 b1\n> go\n+ 7\n< resign\n" + OVER2,
        START + "> play 1 a1\n> go\n< info a thought\n+ 5\n< move b1\n> play 2 b1\n" + OVER2,
    )
    assert first_turn(entries) == [
        *(("1", "asked go", 0), ("2", "frozen", 1)),
        *(("2", "thawed", 40), ("2", "asked go", 40), ("1", "frozen", 41)),
        *(("1", "thawed", 45), ("1", "asked go", 45), ("2", "frozen", 46)),
        ("2", "thawed", 52),
    ]


def test_all_waiting_seats_are_frozen_and_lost_ones_left_alone() -> None:
    """Of three seats the second is lost, so the third alone stands still in the first one's turns."""
    game = HELLO + "> game race seats=3 seat=* seed=*\n"
    entries = diary(
        game + "< ready\n> withdrawn 2\n> play 0 roll-*\n> go\n+ 3\n< resign\n> withdrawn 1\n" + OVER3,
        game + "< nonsense",
        game + "< ready\n> withdrawn 2\n> play 0 roll-*\n> withdrawn 1\n" + OVER3,
        game="race",
    )
    assert first_turn(entries) == [("1", "asked go", 0), ("3", "frozen", 1), ("3", "thawed", 3)]


def test_all_of_three_seats_but_the_mover_are_frozen() -> None:
    game = HELLO + "> game race seats=3 seat=* seed=*\n< ready\n"
    entries = diary(
        game + "> play 0 roll-*\n> go\n+ 3\n! closed killed",
        game
        + "> play 0 roll-*\n> withdrawn 1\n> play 1 *\n> play 0 roll-*\n> go\n+ 3\n< resign\n> withdrawn 2\n"
        + OVER3,
        game + "> play 0 roll-*\n> withdrawn 1\n> play 1 *\n> play 0 roll-*\n> withdrawn 2\n" + OVER3,
        game="race",
    )
    assert first_turn(entries) == [
        *(("1", "asked go", 0), ("2", "frozen", 1), ("3", "frozen", 1)),
        *(("2", "thawed", 3), ("2", "asked go", 3), ("3", "thawed", 6)),
    ]


def test_ponder_allow_freezes_no_bot() -> None:
    entries = diary(
        START + "> go\n+ 40\n< move a1\n> play 1 a1\n> over 1 2 reason=resign",
        START + "> play 1 a1\n> go\n+ 40\n< resign\n> over 1 2 reason=resign",
        limits=Limits(move_ms=None, margin_ms=0, ponder="allow"),
    )
    assert first_turn(entries) == [("1", "asked go", 0), ("2", "asked go", 40)]


def test_bot_that_is_ready_is_frozen_while_the_other_starts() -> None:
    """All begin at once; one that has answered must not slow the rest, and runs again at its next request."""
    slow = "> tourney 1\n+ 300\n< bot\n> game toe seats=2 seat=1 seed=* misere=no\n+ 70\n< ready\n"
    entries = diary(
        slow + "> go\n< resign\n> over 2 1 reason=resign",
        START + "> over 2 1 reason=resign",
    )
    assert entries == [
        *(("1", "asked 1", 0), ("2", "asked 1", 0), ("2", "frozen", 1)),
        *(("1", "asked misere=no", 300), ("2", "thawed", 300), ("2", "asked misere=no", 300)),
        *(("2", "frozen", 301), ("1", "asked go", 370), ("2", "thawed", 370)),
    ]


def test_bots_that_start_slowly_are_all_heard_to_their_limits() -> None:
    """Neither is frozen before it has answered."""
    limits = Limits(move_ms=None, margin_ms=0, ponder="freeze", startup_ms=50)
    slow = "> tourney 1\n+ 20\n< bot\n> game toe seats=2 seat=* seed=* misere=no\n< ready\n" + OVER2
    entries = diary("> tourney 1\n! timeout", slow, limits=limits)
    assert entries == [
        *(("1", "asked 1", 0), ("2", "asked 1", 0), ("2", "frozen", 20)),
        *(("2", "thawed", 50), ("2", "asked misere=no", 50)),
    ]


class Crowd(Diary):
    """A bot whose children work while it waits, and keep the referee from its look: each look comes late."""

    used = 0
    late = 0

    def reading(self) -> Reading:
        return Reading(self.used * MS, 0)

    def wait(self, deadline: int) -> Event:
        event = super().wait(deadline)
        self.clock.advance(self.late)
        self.late = 0
        return event


@pytest.mark.parametrize(
    ("used", "late", "restless"),
    [
        (30, 30, True),
        (6, 30, True),
        (5, 30, False),
        (0, 30, False),
        (3, 4, True),
        (2, 4, False),
        (30, 1, False),
    ],
)
def test_bot_that_delays_the_referee_by_its_work_is_frozen_at_once(
    used: int, late: int, restless: bool
) -> None:
    """From then on it is frozen before each request to another; any other only after the grace."""
    clock = ScriptClock()
    entries: Entries = []
    first = Crowd(
        START + "> go\n+ 3\n< move a1\n> play 1 a1\n> play 2 b1\n> go\n< resign\n" + OVER2,
        *(clock, "1", entries),
    )
    second = Crowd(START + "> play 1 a1\n> go\n< move b1\n> play 2 b1\n" + OVER2, clock, "2", entries)
    players = [Player(first), Player(second)]
    greeted = first.ask

    def ask(data: bytes, deadline: int) -> Any:
        first.late, second.used = (late, used) if b"play" not in data else (0, second.used)
        return greeted(data, deadline)

    first.ask = ask  # type: ignore[method-assign]  # on this instance only
    play_match(make_spec(limits=FREEZE), TOE, players, clock=clock)
    assert players[1].restless is restless
    last = [(name, what) for name, what, _ in entries][-3:]
    if restless:
        assert last == [("2", "frozen"), ("1", "asked go"), ("2", "thawed")]
    else:
        assert last[-1] == ("1", "asked go")


class Idle(ScriptedChannel):
    """A bot that is asked nothing, and has used some CPU time, in milliseconds."""

    used = 0

    def reading(self) -> Reading:
        return Reading(self.used * MS, 0)


@pytest.mark.parametrize(("beyond", "restless"), [(0, False), (5, False), (6, True)])
@pytest.mark.parametrize("before", ["", "turns", "match", "start"])
def test_work_in_its_own_requests_makes_no_bot_restless(before: str, beyond: int, restless: bool) -> None:
    """Many quick turns add up; so do those of an earlier match of the same process, and its start."""
    clock = ScriptClock()
    waiting = Idle("", clock=clock)
    players = {1: Player(Idle("", clock=clock)), 2: Player(waiting)}
    spec = make_spec(limits=FREEZE)

    def times() -> SeatTimes:
        return SeatTimes(players, spec.seats, clock, MatchLog(2), freeze=True)

    seats = times()
    if before == "start":
        start = seats.timing(2, clock(), MS)
        clock.advance(1)
        start.finish()
        seats.count(2, start)
        waiting.used += 1
    elif before:
        seats.wall[2] += 25 * MS
        waiting.used += 25
    if before == "match":
        seats.end()
        seats = times()
    turn = seats.timing(1, clock(), 1000 * MS)
    clock.advance(20)
    waiting.used += beyond
    turn.begin_measuring()
    assert turn.late == 19 * MS
    turn.finish()
    seats.count(1, turn, ply=8)
    assert players[2].restless is restless
    assert seats.restless == ({2} if restless else set())


class Instant:
    """Bots that have answered before the referee's write returns; ``calls`` counts the referee's calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: Counter[str] = Counter()
        self._write, self._read = os.write, os.read
        self._answers: dict[int, int] = {}
        for place, name in ((os, ""), (module, "_")):
            monkeypatch.setattr(place, f"{name}write", self.write)
            monkeypatch.setattr(place, f"{name}read", self.read)

    def channel(self, clock: Callable[[], int]) -> tuple[ProcessChannel, NoProcesses]:
        """Return a channel to such a bot, and its processes."""
        (_, in_write), (out_read, out_write), (err_read, _) = (os.pipe() for _ in range(3))
        for fd in (in_write, out_read, err_read):
            os.set_blocking(fd, False)
        self._answers[in_write] = out_write
        group = NoProcesses()
        channel = ProcessChannel(group, Pipes(in_write, out_read, err_read), clock=clock)
        inner = channel._poll

        def poll(timeout: float) -> list[tuple[int, int]]:
            self.calls["poll"] += 1
            return inner(timeout)

        channel._poll = poll  # type: ignore[assignment]  # shadows the method on this instance only
        return channel, group

    def write(self, fd: int, data: bytes) -> int:
        """Pass on and answer at once."""
        if fd not in self._answers:
            return self._write(fd, data)
        self.calls["write"] += 1
        *_, asked = data.splitlines()
        first = data.rpartition(b"legal ")[2].split()[0]
        answers = {b"tourney": b"bot wants=legal\n", b"game": b"ready\n", b"go": b"move " + first + b"\n"}
        if answer := answers.get(asked.split()[0]):
            self._write(self._answers[fd], answer)
        return self._write(fd, data)

    def read(self, fd: int, size: int) -> bytes:
        """Pass on."""
        self.calls["read"] += 1
        return self._read(fd, size)


@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_turn_within_the_grace_needs_three_system_calls(
    ponder: Literal["allow", "freeze"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs a look for unrequested output, a write and a read, whether waiting bots are frozen or not."""
    instant, clock = Instant(monkeypatch), ScriptClock()
    monkeypatch.setattr(turn_timing, "own_delay_ns", lambda: pytest.fail("looked at its own delay"))
    channels, groups = zip(*(instant.channel(clock) for _ in range(2)), strict=True)
    players = [Player(channel) for channel in channels]
    turns: list[Counter[str]] = []
    for channel in channels:
        ask = channel.ask

        def noting(data: bytes, deadline: int, ask: Callable[..., Any] = ask) -> Any:
            turns.append(Counter(instant.calls))
            return ask(data, deadline)

        channel.ask = noting
    limits = Limits(move_ms=1000, ponder=ponder)
    played = play_match(make_spec(limits=limits), TOE, players, clock=clock)
    assert outcome(played)["faults"] == []
    assert len(turns) == played.count >= 5
    for early, late in itertools.pairwise(turns):
        assert late - early == {"poll": 1, "write": 1, "read": 1}
    assert [dict(group.calls) for group in groups] == [{}, {}]
    for channel in channels:
        channel.close(0)
