"""Sandboxes made ahead: what waits in them, when it starts, and what becomes of those that are not used."""

import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.support.containment import contained
from tests.support.folders import write_bot
from tests.support.gates import FIRST
from tests.support.processes import alive, leftovers, running, wait_for
from tests.support.tables import TOE, make_spec, outcome, toy
from tests.support.tournaments import refused
from tourney.bots.catalogue.command import BotCommand, environment
from tourney.bots.catalogue.store import DIFFERED, VARIES, BotStore
from tourney.bots.channel.interface import Channel, Event, FailedChannel, MemoryUse
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.check.named_seeds import RandomChannel
from tourney.check.record import verify
from tourney.errors import BotError, GameError, OutOfMemoryError, SandboxError
from tourney.match import runner as match_runner
from tourney.match.match_memory import MAX_KEPT
from tourney.match.play import play_match
from tourney.match.result import PlayedMatch
from tourney.match.runner import (
    MatchRunner,
    PreparedSandboxes,
    SeatStart,
    StoreLauncher,
    WaitingBot,
    bot_doubts,
    entrant_of,
)
from tourney.match.spec import Entrant, Limits, MatchSpec

FAR = 10**18
LIMITS = Limits(move_ms=60_000, startup_ms=60_000)
TOKEN = f"held-{os.getpid()}"


class Room:
    """A good bot in real sandboxes, and what was made and started when."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.steps: list[str] = []
        (folder / "bot").write_text(FIRST, encoding="utf-8")
        (folder / "bot").chmod(0o755)
        self.command = BotCommand(("./bot", TOKEN), folder, environment())

    def launch(self, _entrant: Entrant, limits: Limits) -> Channel:
        self.steps.append("launch")
        return self.sandbox.spawn(self.command, memory_mb=limits.memory_mb)

    def hold(self, entrant: Entrant, limits: Limits) -> WaitingBot:
        self.steps.append(f"hold {entrant.name}")
        held = self.sandbox.hold(self.command, memory_mb=limits.memory_mb)

        def start() -> Channel:
            self.steps.append(f"start {entrant.name}")
            return ProcessChannel(*held.release())

        def end() -> None:
            self.steps.append(f"end {entrant.name}")
            held.end()

        return WaitingBot(start, end)

    def runner(self) -> MatchRunner:
        return MatchRunner(self.launch, sandbox=self.sandbox, find=toy, hold=self.hold)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Yield a room; when its test is over, no process and no control group of it is left."""
    tmp_path.chmod(0o755)
    sandbox = open_sandbox("auto")
    before, groups_before = set(BotProcesses.alive), groups_of(sandbox)
    yield Room(tmp_path, sandbox)
    sandbox.settle()
    assert BotProcesses.alive == before
    assert running(TOKEN) == leftovers(tmp_path) == []
    assert groups_of(sandbox) <= groups_before


def groups_of(sandbox: Sandbox) -> set[Path]:
    """Return the control groups that this process made and that still exist."""
    own = f"tourney-{os.getpid()}-*"
    return {group for home in sandbox._cgroups.homes for group in home.folder.glob(own)}


def spec(*names: str) -> MatchSpec:
    seats = tuple(Entrant(name, name, "1", (), name * 64) for name in names)
    given = make_spec(limits=LIMITS)
    return MatchSpec(given.game, given.options, seats, given.seed, LIMITS, given.opening)


@contained
def test_match_says_that_pages_of_an_earlier_one_stay_cached(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The protection is then partial in its measurements, and its log names the bytes."""
    monkeypatch.setattr(room.sandbox, "settle", lambda: 8192)
    with room.runner() as runner:
        played = runner.play(spec("a", "b"))
    assert played.measured.sandbox is not None
    assert played.measured.sandbox.protections["page-cache"] == "partial"
    assert "8192 bytes that bots of earlier matches read stay cached" in str(played.log)


@contained
@pytest.mark.parametrize("processors", [1, 2])
def test_following_match_starts_in_prepared_sandboxes(
    room: Room, processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made while this match is played, or right after it on its only processor."""

    def play(*args: Any, **how: Any) -> PlayedMatch:
        room.steps.append("play")
        return play_match(*args, **how)

    monkeypatch.setattr(match_runner, "play_match", play)
    monkeypatch.setattr(match_runner, "free_processors", lambda: tuple(range(processors)))
    with room.runner() as runner:
        first = runner.play(spec("a", "b"), spec("b", "c"))
        made = ["hold b", "hold c"]
        both = ["play", *made] if processors == 1 else [*made, "play"]
        assert room.steps == ["hold a", "hold b", "start a", "start b", *both]
        second = runner.play(spec("b", "c"))
    assert room.steps[7:] == ["start b", "start c", "play"]
    assert [outcome(played)["faults"] for played in (first, second)] == [[], []]


@contained
def test_unused_sandbox_is_ended(room: Room) -> None:
    """The next match may be another one, or none."""
    with room.runner() as runner:
        runner.play(spec("a", "b"), spec("c", "d"))
        runner.play(spec("a", "c"), spec("d", "a"))
        assert room.steps[6:] == ["hold a", "start a", "start c", "end d", "hold d", "hold a"]
    assert sorted(room.steps[-2:]) == ["end a", "end d"]


@contained
def test_sandbox_that_died_waiting_is_replaced(room: Room) -> None:
    """It is not a fault of the bot whose program had not begun."""
    with room.runner() as runner:
        runner.play(spec("a", "b"), spec("a", "b"))
        for pid in BotProcesses.alive:
            os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: not any(map(alive, BotProcesses.alive)))
        played = runner.play(spec("a", "b"))
    assert room.steps[-4:] == ["start a", "launch", "start b", "launch"]
    assert outcome(played)["faults"] == []


def test_failing_preparation_leaves_the_match_alone() -> None:
    """The following match meets the failure itself, in its own start."""

    def broken(_entrant: Entrant, _limits: Limits) -> WaitingBot | None:
        raise SandboxError("no more processes")

    prepared = PreparedSandboxes(broken)
    place = SeatStart(spec("a").seats[0], LIMITS, ())
    with pytest.raises(SandboxError):
        prepared.make([place])
    assert prepared.start(place) is None
    prepared.end()


@contained
def test_bot_begins_only_when_it_is_released(room: Room) -> None:
    """What its sandbox needed is not in its time, and the word that released it is not in its input."""
    script = "echo begun; read x; echo $x"
    command = BotCommand(("/bin/sh", "-c", script, TOKEN), room.command.folder, environment())
    held = room.sandbox.hold(command, memory_mb=512)
    poll = select.poll()
    poll.register(held._pipes.stdout, select.POLLIN)
    assert poll.poll(60_000)
    waiting = fcntl.ioctl(held._pipes.stdout, termios.FIONREAD, b"    ")
    assert int.from_bytes(waiting, sys.byteorder) == 1  # the sandbox is ready, and the bot has said nothing
    channel = ProcessChannel(*held.release())
    sandboxes_ns = held._group._before_ns
    assert sandboxes_ns > 0
    assert channel.wait(FAR).text == "begun"
    channel.request(b"first\n")
    assert channel.wait(FAR).text == "first"
    used = held._group._used()
    assert used is not None
    assert (channel.cpu_ms() or 0) * 10**6 <= used - sandboxes_ns + 10**6
    channel.close(0)


@contained
def test_limits_are_exact_whichever_program_sets_them(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell whose ``ulimit`` or environment differs is helped by programs."""
    script = "exec 3</proc/self/limits; cat <&3; env; exec cat /proc/1/environ"
    command = BotCommand(("/bin/sh", "-c", script), room.command.folder, environment())
    said = []
    for helped in (False, True):
        if helped:
            monkeypatch.setattr("tourney.bots.sandbox.bubblewrap._processes_flag", lambda: "")
            monkeypatch.setattr("tourney.bots.sandbox.bubblewrap._shell_is_exact", lambda: False)
        channel = ProcessChannel(*room.sandbox.hold(command, memory_mb=512).release())
        lines = []
        while (event := channel.wait(FAR)).kind == "line":
            lines.append(event.text)
        channel.close(0)
        said.append(lines)
    assert said[0] == said[1]
    assert any(line.split()[:5] == ["Max", "address", "space", "536870912", "536870912"] for line in said[0])
    assert any(line.split()[:4] == ["Max", "processes", "512", "512"] for line in said[0])


HOLDER = """
import sys
from pathlib import Path
from tourney.bots.catalogue.command import BotCommand, environment
from tourney.bots.sandbox.sandbox import open_sandbox

command = BotCommand(("./bot", sys.argv[1]), Path(sys.argv[2]), environment())
held = open_sandbox("auto").hold(command, memory_mb=512)
print(held._group.pid, flush=True)
sys.stdin.read()
"""


@contained
def test_kill_9_leaves_no_waiting_sandbox(room: Room) -> None:
    """The sandbox ends with the process that made it; its groups are removed by a sweep."""
    words = [sys.executable, "-c", HOLDER, TOKEN, str(room.command.folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = int(process.stdout.readline())
        assert alive(first)
        process.kill()
    assert wait_for(lambda: not alive(first))
    assert running(TOKEN) == []

    def swept() -> bool:
        room.sandbox.sweep()
        groups = f"tourney-{process.pid}-*"
        return not any(any(home.folder.glob(groups)) for home in room.sandbox._cgroups.homes)

    assert wait_for(swept)


# -- the end of all bots -----------------------------------------------------------------------------------


class Closing(RandomChannel):
    """A bot that records that it was closed."""

    def __init__(self, closed: list[float]) -> None:
        super().__init__()
        self._closed = closed

    def close(self, grace: float) -> None:
        self._closed.append(grace)


def test_room_ends_all_bots_when_a_launch_fails() -> None:
    """The second bot cannot start: the first is ended, and the launch's error is raised."""
    closed: list[float] = []

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        if entrant.name == "entrant-2":
            raise SandboxError("no room")
        return Closing(closed)

    with MatchRunner(launch, find=toy) as room, pytest.raises(SandboxError, match="no room"):
        room.play(make_spec())
    assert closed == [0]


def test_room_ends_all_bots_when_the_game_raises() -> None:
    """The error names the game, and no bot is left."""
    closed: list[float] = []

    class Broken(type(TOE)):  # type: ignore[misc]  # the toy's class has a private name
        def parse_action(self, text: str) -> int:
            raise ZeroDivisionError("oops")

    with (
        MatchRunner(lambda _e, _l: Closing(closed), find=lambda _name: Broken()) as room,
        pytest.raises(GameError, match=r"the game toe is broken: it raised ZeroDivisionError \(oops\)"),
    ):
        room.play(make_spec())
    assert closed == [0, 0]


def test_failed_sandbox_is_no_loss() -> None:
    """A bot has not lost if the sandbox itself cannot start."""

    class Failing(PlainSandbox):
        def check(self) -> None:
            raise SandboxError("bubblewrap does not work here")

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        return FailedChannel("gone") if entrant.name == "entrant-1" else RandomChannel()

    with MatchRunner(launch, find=toy, sandbox=Failing("auto")) as room, pytest.raises(SandboxError):
        room.play(make_spec())
    with MatchRunner(launch, find=toy, sandbox=PlainSandbox("off")) as room:
        assert room.play(make_spec()).record.outcome.faults == ((1, "startup", 0),)


def test_room_keeps_a_bounded_number_of_bots() -> None:
    """The room limits the number of bots that wait while a match is played."""
    closed: list[float] = []
    with MatchRunner(lambda _e, _l: Closing(closed), find=toy, reuse=True) as room:
        for number in range(20):
            entrants = tuple(
                Entrant(f"{number}-{seat}", "x", "1", (str(number),), "0" * 64) for seat in (1, 2)
            )
            room.play(MatchSpec("toe", (), entrants, 1, Limits(move_ms=None)))
        assert len(closed) == 40 - 2 - MAX_KEPT
    assert len(closed) == 40


def test_reused_bot_starts_again_after_output_between_matches() -> None:
    """Output after a game answers no request, so the process plays no further match."""
    started: list[Channel] = []

    class Chatty(RandomChannel):
        def pending(self) -> Sequence[Event]:
            return [Event("line", "move a1")] if self._turn and not self._answers and self.over else ()

        over = False

        def send(self, data: bytes) -> None:
            super().send(data)
            self.over = b"over" in data

    def launch(_entrant: Entrant, _limits: Limits) -> Channel:
        started.append(Chatty())
        return started[-1]

    with MatchRunner(launch, find=toy, reuse=True) as room:
        for _ in range(2):
            assert room.play(make_spec()).record.outcome.faults == ()
    assert len(started) == 4


@pytest.mark.parametrize("failure", ["a fault", "a machine"])
def test_missing_store_entry_is_neither_a_fault_nor_a_failure(
    failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A runner knows the bot from an earlier match, and cannot start it any more."""

    def broken(*_: object, **__: object) -> Channel:
        raise SandboxError("the machine failed")

    store, sandbox = BotStore(tmp_path / "store"), open_sandbox("off")
    bot = store.add(write_bot(tmp_path, files={"bot.sh": FIRST}, command='["sh", "bot.sh"]'))
    entrants = tuple(entrant_of(bot, name) for name in ("one", "two"))
    spec = structs.replace(make_spec(limits=LIMITS), seats=entrants)
    with MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox, find=toy) as runner:
        assert runner.play(spec).outcome.faults == ()
        store.remove(bot.digest)
        if failure == "a machine":
            monkeypatch.setattr(PlainSandbox, "spawn", broken)
        with refused(
            BotError, "one: the store", "has no bot", f"`tourney bots remove --undo {bot.digest[:12]}`"
        ):
            runner.play(spec)
        monkeypatch.undo()
        store.restore(bot.digest)
        assert runner.play(spec).outcome.faults == ()


def test_bot_that_says_so_is_not_promised_to_reproduce(tmp_path: Path) -> None:
    store = BotStore(tmp_path / "bots")
    entrants = []
    for name, more in (("steady", ""), ("varying", "deterministic = false\n")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(
            f'name = "{name}"\nversion = "1"\ncommand = ["./run"]\n{more}', "ascii"
        )
        (folder / "run").write_text(FIRST, "ascii")
        (folder / "run").chmod(0o755)
        entrants.append(Entrant(name, name, "1", (), store.add(folder).digest))
    limits = Limits(move_ms=60_000)
    with MatchRunner(StoreLauncher(store, PlainSandbox("off"))) as room:
        for seats, why in ((entrants, (VARIES,)), ([entrants[0]] * 2, ())):
            played = room.play(MatchSpec("sage-stones", (), tuple(seats), 7, limits))
            assert (played.reproducible, played.measured.why_not) == (not why, why)
        store.mark_varying(entrants[0].digest)
        played = room.play(MatchSpec("sage-stones", (), tuple(entrants), 7, limits))
        assert played.measured.why_not == (DIFFERED, VARIES)
        fuel = structs.replace(limits, charge="fuel", ponder="allow").metered()
        assert bot_doubts(store.root, MatchSpec("sage-stones", (), tuple(entrants), 7, fuel)) == ()


class Filling(RandomChannel):
    """A bot of which the test knows what it uses; what becomes available when it is ended.

    At its second turn memory is full: the kernel has ``killed`` it, or the referee has to stop it. Without a
    ``group`` the memory of its processes was ``seen``.
    """

    free = 0

    def __init__(self, mb: int, *, group: bool, end: str = "", seen: int = 0) -> None:
        super().__init__()
        self._seen = seen
        self._mb, self._group, self._end = mb, group, end
        self._open = True

    def wait(self, deadline: int) -> Event:
        if self._end and self._turn == 2:
            if self._end == "killed":
                self.close(0)
            return Event("starved", self._end)
        return super().wait(deadline)

    def memory_use(self) -> MemoryUse:
        return MemoryUse(self._mb, whole=True) if self._group else MemoryUse(self._seen, whole=False)

    def close(self, grace: float) -> None:
        Filling.free += self._mb * self._open
        self._open = False


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine have what bots that were ended have used."""
    monkeypatch.setattr(Filling, "free", 0)
    monkeypatch.setattr(match_runner, "_available_mb", lambda: Filling.free)
    monkeypatch.setattr(match_runner, "SETTLE_SECONDS", 0)


@pytest.mark.parametrize(
    ("used", "group", "end", "bot", "proven"),
    [
        ((100, 900), True, "killed", "entrant-2", True),
        ((900, 100), True, "killed", "entrant-1", True),
        ((200, 190), True, "killed", "entrant-1", False),
        ((100, 90), True, "killed", "", False),
        ((100, 900), False, "killed", "entrant-2", True),
        ((900, 100), False, "killed", "", False),
        ((100, 900), False, "stopped", "entrant-2", True),
        ((900, 100), False, "stopped", "entrant-1", True),
        ((190, 200), False, "stopped", "entrant-2", False),
        ((100, 90), False, "stopped", "", False),
    ],
)
def test_bot_that_used_the_most_memory_is_to_blame(
    monkeypatch: pytest.MonkeyPatch,
    used: tuple[int, int],
    group: bool,
    end: str,
    bot: str,
    proven: bool,
) -> None:
    """Not the one that the kernel has ended, of which nothing is known without a group; nor one of little."""
    fill(monkeypatch)
    players = {
        "entrant-1": Filling(used[0], group=group, end=end),
        "entrant-2": Filling(used[1], group=group),
    }
    limits = Limits(move_ms=1000, memory_mb=512)
    with (
        MatchRunner(lambda entrant, _: players[entrant.name], find=toy) as room,
        pytest.raises(OutOfMemoryError, match=f"entrant-1 was {end}") as raised,
    ):
        room.play(make_spec(limits=limits))
    assert (raised.value.bot, raised.value.proven) == (bot, proven)
    assert Filling.free == sum(used), "a bot was not ended"


def test_memory_that_processes_had_in_use_is_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has ended the children of the second bot, so that what is freed is not measured."""
    fill(monkeypatch)
    players = {
        "entrant-1": Filling(400, group=False, end="stopped", seen=60),
        "entrant-2": Filling(0, group=False, seen=600),
    }
    limits = Limits(move_ms=1000, memory_mb=512)
    with (
        MatchRunner(lambda entrant, _: players[entrant.name], find=toy) as room,
        pytest.raises(OutOfMemoryError) as raised,
    ):
        room.play(make_spec(limits=limits))
    assert (raised.value.bot, raised.value.proven) == ("entrant-2", True)


@pytest.mark.parametrize("reuse", [False, True])
def test_absent_bot_crashes_at_its_first_turn(reuse: bool) -> None:
    """It is not started, does not fail at start-up, and is not kept for another match."""
    started: list[str] = []

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        started.append(entrant.name)
        return RandomChannel()

    with MatchRunner(launch, find=toy, reuse=reuse) as room:
        played = room.play(make_spec(), absent={"entrant-2": "not started again"})
        assert started == ["entrant-1"]
        [(seat, kind, count)] = played.record.outcome.faults
        assert (seat, kind, count) == (2, "crash", len(played.record.actions))
        assert "crash: not started again" in played.lines(2, "note")
        assert verify(played.record, toy(played.record.game)) == []
        assert room.play(make_spec()).record.outcome.faults == ()
    assert started.count("entrant-2") == 1
