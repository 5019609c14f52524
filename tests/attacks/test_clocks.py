"""Clocks against cheating bots: work in children, work in the opponent's turn, and a busy machine."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from tests.attacks.arena import Arena, Idle
from tests.attacks.attacks import PONDERERS, Attack, turn
from tests.support.containment import contained
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Channel, Event, ForwardingChannel
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.match import turn_timing
from tourney.match.spec import Limits

pytestmark = pytest.mark.containment

FAR = 60 * 10**9
SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "auto": lambda: open_sandbox("auto"),
    "off": lambda: PlainSandbox("off"),
    "groups": lambda: PlainSandbox("auto", cgroups=find_cgroups()),
}
BY_CHILD = turn(
    "if os.fork() == 0:\n    while time.process_time() < 0.5:\n        pass\n    os._exit(0)\nos.wait()"
)
SLEEPER = turn("time.sleep(0.5)")


@pytest.fixture(params=[pytest.param("auto", marks=contained), "off", "groups"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each way to freeze and measure bots: control groups, or signals and clocks."""
    return SANDBOXES[request.param]()


@pytest.fixture
def arena(tmp_path: Path, sandbox: Sandbox) -> Iterator[Arena]:
    """An arena in each sandbox."""
    tmp_path.chmod(0o755)
    with Arena(tmp_path, sandbox) as made:
        yield made


@pytest.fixture
def timeless(tmp_path: Path, sandbox: Sandbox) -> Iterator[Arena]:
    """An arena in each sandbox whose referee's clock stands still, so that no wall time passes."""
    tmp_path.chmod(0o755)
    with Arena(tmp_path, sandbox, clock=lambda: 1) as made:
        yield made


def test_work_of_children_is_charged(timeless: Arena) -> None:
    """With ``charge = "cpu"``, half a second of a child's work exceeds a fifth of a second."""
    limits = Limits(move_ms=200, margin_ms=0, startup_ms=60_000, charge="cpu", memory_mb=512)
    fight = timeless.fight(BY_CHILD, limits)
    assert fight.faults == [[1, "timeout", 0]]
    assert (fight.played.measured.seats[0].cpu_ms or 0) >= 200


def test_sleep_costs_no_cpu_time_but_wall_time_is_capped(arena: Arena) -> None:
    """A turn ends at four times its limit on the wall clock."""
    limits = Limits(move_ms=20_000, margin_ms=0, startup_ms=60_000, charge="cpu", memory_mb=512)
    fight = arena.fight(SLEEPER, limits)
    assert fight.kinds == (None,)
    assert fight.played.measured.seats[0].wall_ms >= 500
    short = Limits(move_ms=50, margin_ms=0, startup_ms=60_000, charge="cpu", memory_mb=512)
    assert arena.fight(turn("time.sleep(600)"), short).faults == [[1, "timeout", 0]]


def test_start_up_is_not_charged_to_the_first_move(timeless: Arena) -> None:
    """A bot that works before it is ready has its whole first turn."""
    slow = "def begin():\n    while time.process_time() < 0.5:\n        pass\n"
    limits = Limits(move_ms=400, margin_ms=50, startup_ms=60_000, charge="cpu", memory_mb=512)
    fight = timeless.fight(slow, limits)
    assert fight.faults == []
    assert (fight.played.measured.seats[0].cpu_ms or 0) >= 450


WORKER = """
import os, sys, time
bot = os.getpid()
if os.fork() == 0:
    os.setpgid(0, 0)
    while os.getppid() == bot:
        pass
    os._exit(0)
print("up", flush=True)
for line in sys.stdin:
    print("heard", flush=True)
"""


@pytest.fixture
def worker(tmp_path: Path, sandbox: Sandbox) -> Iterator[ProcessChannel]:
    """A bot with a child in its own process group; the child works as long as the bot lives."""
    tmp_path.chmod(0o755)
    (tmp_path / "bot.py").write_text(WORKER, "ascii")
    words = (sys.executable, "-I", "-S", "-B", "bot.py")
    channel = sandbox.spawn(BotCommand(words, tmp_path, environment(), interpreter_paths()), memory_mb=512)
    assert isinstance(channel, ProcessChannel)
    yield channel
    channel.close(0)


def used(channel: ProcessChannel) -> int:
    found = channel._group._used()
    assert found is not None
    return found


def stands_still(used: Callable[[], int]) -> bool:
    """Return whether two readings, with some work in between, find no CPU time used; try for a while."""
    for _ in range(200):
        before = used()
        until = time.process_time() + 0.02
        while time.process_time() < until:
            os.sched_yield()
        if used() == before:
            return True
    return False


def uses_time(used: Callable[[], int]) -> bool:
    """Return whether CPU time is used within a minute."""
    before, until = used(), time.monotonic() + 60
    while time.monotonic() < until:
        if used() > before + 20_000_000:
            return True
        os.sched_yield()
    return False


def test_frozen_bot_uses_no_time(worker: ProcessChannel) -> None:
    """Frozen, even a child in its own group stops; thawed, all continue; frozen, they can end."""
    worker.request(b"")
    assert worker.wait(time.monotonic_ns() + FAR).text == "up"
    assert uses_time(lambda: used(worker))
    for _ in range(2):
        worker.freeze()
        assert stands_still(lambda: used(worker))
        worker.thaw()
        assert uses_time(lambda: used(worker))
        worker.request(b"x\n")
        assert worker.wait(time.monotonic_ns() + FAR).text == "heard"
    worker.freeze()
    worker.close(0)


class Looker(Idle):
    """An opponent that measures the attacker's processor time in its first turn, once the grace is over."""

    resumes = True

    def __init__(self, look: Callable[[], bool]) -> None:
        super().__init__()
        self._look = look
        self.seen: bool | None = None

    def wait(self, deadline: int) -> Event:
        """Measure before the first move, in the wait for the whole turn and not in that for the grace."""
        if self._turn and self.seen is None and deadline < time.monotonic_ns() + FAR:
            return Event("timeout")
        event = super().wait(deadline)
        if event.text.startswith("move") and self.seen is None:
            self.seen = self._look()
        return event


def used_by(token: str) -> int:
    """Return the processor time of all processes, in any session, whose command contains a word."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if token.encode() in (process / "cmdline").read_bytes():
                total += time.clock_gettime_ns((~int(process.name) << 3) | 2)
    return total


@pytest.mark.parametrize("attack", PONDERERS, ids=[attack.name for attack in PONDERERS])
@pytest.mark.parametrize("ponder", ["freeze", "allow"])
def test_frozen_bot_cannot_work_in_the_opponents_turn(
    tmp_path: Path,
    sandbox: Sandbox,
    attack: Attack,
    ponder: Literal["freeze", "allow"],
    record_property: Callable[[str, object], None],
) -> None:
    """No process of a frozen bot works, except daemons if only signals freeze it."""
    tmp_path.chmod(0o755)
    # In a process namespace, signals also reach daemons, unless they fork faster than the search.
    held = attack.contained(sandbox.protections) or sandbox.name == "bubblewrap"
    stays = "daemon" in attack.name and sandbox.protections["all-processes"] != "enforced"
    look = stands_still if ponder == "freeze" and held else uses_time
    lookers: list[Looker] = []

    def opponent() -> Looker:
        lookers.append(Looker(lambda: look(lambda: used_by(table.token))))
        return lookers[-1]

    table = Arena(tmp_path, sandbox, opponent=opponent)
    with table:
        fight = table.fight(attack.code, replace(attack.limits, ponder=ponder), stays=stays)
    if not held:
        level = "limits" if sandbox.level == "auto" else sandbox.level
        record_property("not contained", (level, attack.name, ["work-in-the-opponents-time"]))
    assert fight.kinds == (None,)
    assert lookers[0].seen is True
    assert bool(fight.left) is stays
    assert fight.overstayed == ()


CROWD = (
    "for _ in range(24):\n    if os.fork() == 0:\n        os.setsid()\n        while True:\n            pass"
)
WORKER_BOT = turn(
    "before = time.process_time()\nwhile time.process_time() < before + 0.3:\n    pass\nsay('info worked')"
)


VICTIM = """
import sys, time
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        print("ready", flush=True)
    elif word == "legal":
        first = rest.split(" ")[0]
    elif word == "go":
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
        print("move", first, flush=True)
    elif word == "quit":
        break
"""


@pytest.fixture
def one_processor() -> Iterator[None]:
    """Let all processes that start in the test share a processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


class Thinker(ForwardingChannel):
    """A bot; it is noted what another one used from each request to this one until its answer."""

    def __init__(self, inner: Channel, rival: Callable[[], int]) -> None:
        super().__init__(inner)
        self._rival = rival
        self._at = 0
        self.stolen: list[int] = []

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Ask, and wait for a moment."""
        self._at = self._rival()
        heard = self._inner.ask(data, deadline)
        self.stolen.append(self._rival() - self._at)
        return heard

    def wait(self, deadline: int) -> Event:
        """Wait on."""
        event = self._inner.wait(deadline)
        if self.stolen:
            self.stolen[-1] = self._rival() - self._at
        return event


@contained
@pytest.mark.usefixtures("one_processor")
@pytest.mark.parametrize("ponder", ["freeze", "allow"])
def test_crowd_takes_no_time_from_the_opponent(tmp_path: Path, ponder: Literal["freeze", "allow"]) -> None:
    """A bot needs 100 ms a turn while 24 children of its opponent would work, each in its own session.

    What they used is counted: next to nothing, or about as much as the bot (several times as much if the
    kernel lets them have sessions). In its first turn they may delay the referee; then their bot is known to
    be restless.
    """
    tmp_path.chmod(0o755)
    sandbox = open_sandbox("auto")
    (tmp_path / "worker").mkdir()
    (tmp_path / "worker" / "bot.py").write_text(VICTIM, "utf-8")
    thinkers: list[Thinker] = []

    def opponent() -> Thinker:
        words = (sys.executable, "-I", "-S", "-B", "bot.py")
        command = BotCommand(words, tmp_path / "worker", environment(), interpreter_paths())
        thinkers.append(Thinker(sandbox.spawn(command, memory_mb=256), lambda: used_by(table.token)))
        return thinkers[-1]

    table = Arena(tmp_path, sandbox, opponent=opponent)
    with table:
        limits = Limits(move_ms=600_000, startup_ms=600_000, memory_mb=256, ponder=ponder)
        fight = table.fight(turn(CROWD), limits)
    assert fight.kinds == (None,)
    _, *later = thinkers[0].stolen
    assert later
    if ponder == "allow":
        assert min(later) > 50_000_000
    else:
        assert max(later) < 30_000_000


@pytest.mark.usefixtures("one_processor")
def test_wait_for_a_processor_is_not_charged(tmp_path: Path, sandbox: Sandbox) -> None:
    """A bot needs 300 ms of a processor that it shares with six others, and has 700 ms."""
    tmp_path.chmod(0o755)
    with spinners(tmp_path, sandbox, 6), Arena(tmp_path, sandbox) as arena:
        fight = arena.fight(WORKER_BOT, Limits(move_ms=650, margin_ms=50, startup_ms=1500, memory_mb=512))
    assert fight.kinds == (None,)
    seat = fight.played.measured.seats[0]
    assert seat.overloaded_turns >= 1
    assert seat.waited_ms >= 700
    assert seat.wall_ms >= 1000
    assert "the machine was overloaded" in fight.notes


@pytest.mark.usefixtures("one_processor")
@pytest.mark.parametrize(
    "code",
    [
        "while True:\n    pass",
        "time.sleep(600)",
        "os.kill(0, signal.SIGSTOP)",
        "for _ in range(24):\n    if os.fork() == 0:\n        break\nwhile True:\n    pass",
        f"{CROWD}\ntime.sleep(600)",
        "while True:\n    os.write(2, b'x' * 65536)",
        "for _ in range(900):\n    say('info x')\n    time.sleep(0.0001)\nwhile True:\n    pass",
    ],
    ids=["works", "sleeps", "stops", "crowd", "starves-itself", "errors", "talks"],
)
def test_bot_cannot_lengthen_its_own_turn(tmp_path: Path, sandbox: Sandbox, code: str) -> None:
    """It is charged for what it does to itself; beside others its time is never more than it had.

    What is charged is counted: all but the wait for a processor, and at least all that it used.
    """
    tmp_path.chmod(0o755)
    with Arena(tmp_path, sandbox) as arena:
        fight = arena.fight(turn(code), Limits(move_ms=300, margin_ms=0, startup_ms=60_000, memory_mb=512))
    assert fight.faults == [[1, "timeout", 0]]
    assert "no answer within 300 ms" in fight.notes
    seat = fight.played.measured.seats[0]
    # The last look comes late where the machine has other work.
    assert seat.wall_ms >= 300


LAZY = (
    "try:\n"
    "    Path('/proc/self/autogroup').write_text('19')\n"
    "except OSError:\n"
    "    pass\n"
    "os.nice(19)\n"
    "while True:\n"
    "    os.sched_yield()"
)


CHILDREN = 120
"""Children of a bot that would count as 60 rivals of it on each of two processors."""
LAZY_CROWD = f"for _ in range({CHILDREN}):\n    if os.fork() == 0:\n        break\n{LAZY}"


@pytest.mark.usefixtures("one_processor")
@pytest.mark.parametrize("code", [LAZY, LAZY_CROWD], ids=["alone", "crowd"])
def test_bot_that_waits_on_purpose_times_out(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """Beside others it lowers its priority and yields; neither that nor its own children void the match."""
    monkeypatch.setattr(turn_timing, "MOST_EXTRA_NS", 4 * 10**9)
    tmp_path.chmod(0o755)
    with spinners(tmp_path, sandbox, 1), Arena(tmp_path, sandbox) as arena:
        fight = arena.fight(turn(code), Limits(move_ms=100, margin_ms=0, startup_ms=60_000, memory_mb=512))
    assert fight.faults == [[1, "timeout", 0]]


@contextmanager
def spinners(folder: Path, sandbox: Sandbox, count: int) -> Iterator[None]:
    """Keep programs in sandboxes of their own at work."""
    (folder / "spin.py").write_text("print('up', flush=True)\nwhile True:\n    pass\n", "ascii")
    words = (sys.executable, "-I", "-S", "-B", "spin.py")
    rivals: list[Channel] = []
    try:
        for _ in range(count):
            command = BotCommand(words, folder, environment(), interpreter_paths())
            rivals.append(sandbox.spawn(command, memory_mb=512))
        assert all(rival.wait(time.monotonic_ns() + FAR).text == "up" for rival in rivals)
        yield
    finally:
        for rival in rivals:
            rival.close(0)
