"""Killed bots: the machine's kills cost no bot a match, and a bot that kills itself gains nothing."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.containment import contained
from tests.support.coordination import RecordingListener, run
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.folders import write_bot
from tests.support.tournaments import digests, write_file
from tourney.bots.catalogue.command import BotCommand, environment
from tourney.bots.catalogue.store import BotStore
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.process_channel import ProcessChannel
from tourney.bots.sandbox.bot_processes import children_of
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.sandbox import Level, Sandbox, open_sandbox
from tourney.match.interrupted import KeptPlay
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.record import Record
from tourney.match.spec import Entrant, Limits
from tourney.run.config.tournament_file import read_tournament_file
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.workers import worker
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database

pytestmark = pytest.mark.containment

FIRST_PLAY = """
tourney) echo "bot wants=legal";;
game) echo ready;;
legal) action=${rest%% *};;
go) echo "move $action";;
"""
"""A bot that plays the first legal action."""
ANY = FIRST_PLAY.replace(
    "action=${rest%% *}", "set -- $rest; shift $(($(od -An -N2 -tu2 /dev/urandom) % $#)); action=$1"
)
"""A bot that plays any action, by the system's random numbers: no two plays are alike."""
TURN = 3
"""The turn of a bot in which it is killed."""
MATCH = 3
"""The victim's first match."""
FAR = 60 * 10**9
"""Nanoseconds in which any program ends."""

FILE = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./victim", "./other", "./third"]


[limits]
ponder = "allow"
memory-mb = 512
move-ms = 600000
startup-ms = 600000
"""

Target = Callable[[int], int]
"""From a bot's first process to the one to kill."""


def bwrap(pid: int) -> int:
    return pid


def init(pid: int) -> int:
    return children_of(pid)[0]


def bot(pid: int) -> int:
    return children_of(init(pid))[0]


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended: the kernel may let a bot play on for a while after its init's end."""
    end = time.monotonic_ns() + FAR
    with suppress(FileNotFoundError, ProcessLookupError):
        while Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2][0] not in "ZX":
            assert time.monotonic_ns() < end, f"process {pid} lives on"
            time.sleep(0.001)


class Killer:
    """A launcher of a cup's bots that kills the victim's process in its first match, ``times`` times."""

    def __init__(self, cup: "Cup", target: Target, moment: str, times: int = 1) -> None:
        self._cup = cup
        self._target = target
        self._moment = moment
        self.times = times

    def __call__(self, entrant: Entrant, limits: Limits) -> Channel:
        channel = self._cup.launch(entrant, limits)
        assert isinstance(channel, ProcessChannel)
        if entrant.name == "victim" and self._cup.playing == MATCH:
            self._arm(channel)
        return channel

    def _arm(self, channel: ProcessChannel) -> None:
        ask, request = channel.ask, channel.request
        count = 0

        def kill() -> None:
            if self.times:
                self.times -= 1
                last = first = channel._group.pid
                while children := children_of(last):
                    last = children[0]
                os.kill(self._target(first), signal.SIGKILL)
                wait_for_end(last)

        def asked(data: bytes, deadline: int) -> str | Event:
            nonlocal count
            count += 1
            if self._moment == "turn" and count == TURN:
                kill()
            return ask(data, deadline)

        def requested(data: bytes) -> None:
            if self._moment == "start-up" and data.startswith(b"game"):
                kill()
            request(data)

        channel.ask = asked  # type: ignore[method-assign]  # the seam of this test
        channel.request = requested  # type: ignore[method-assign]  # likewise


class Cup:
    """A cup of three bots, played in this process; a killer may be in its launcher."""

    def __init__(self, folder: Path, victim: str, level: Level = "auto") -> None:
        folder.chmod(0o755)
        for name, cases in (("victim", victim), ("other", FIRST_PLAY), ("third", FIRST_PLAY)):
            script = f"while read -r word rest; do case $word in\n{cases}\nquit) exit 0;; esac; done\n"
            write_bot(folder, name, {"bot.sh": script}, command='["sh", "bot.sh"]', games='["sage-stones"]')
        self._file = read_tournament_file(write_file(folder, FILE))
        self._folder = folder
        self._store = BotStore(folder / "store")
        self.sandbox: Sandbox = open_sandbox(level)
        self.launch = StoreLauncher(self._store, self.sandbox)
        self.playing = 0
        self.kept: dict[int, list[KeptPlay]] = {}
        self.heard = RecordingListener()
        self.events: list[tuple[str, Any]] = []
        self.heard.event = lambda name, data: self.events.append((name, data))  # type: ignore[method-assign]  # it records them

    def play(
        self, monkeypatch: pytest.MonkeyPatch, name: str, launch: Any = None
    ) -> tuple[dict[int, str], dict[int, Record]]:
        """Play the cup in a database of its own; return digests and records by number."""
        runner = MatchRunner(launch or self.launch, sandbox=self.sandbox)
        monkeypatch.setattr(worker, "_match_runner", lambda *_: runner)
        monkeypatch.setattr(worker, "kill_strays", lambda _known: 0)  # this process has other children
        started = open_tournament(self._file, str(self._folder / f"{name}.db"), self._store, lambda _: None)
        with started as (repository, tournament), runner:
            executor = FuturesExecutor(Immediate, self._play)
            run(repository, executor=executor, listener=self.heard)
            return digests(repository, tournament.id), dict(repository.records.all(tournament.id))

    def _play(self, task: MatchTask) -> WorkerReply:
        self.playing = task.number
        if task.again.kept is not None:
            self.kept.setdefault(task.number, []).append(task.again.kept)
        return worker.play_task(task)

    @property
    def again(self) -> list[tuple[int, str]]:
        """The plays that failed: match and cause."""
        return [(data["match"], data["cause"]) for name, data in self.events if name == "again"]


@pytest.fixture
def cup(tmp_path: Path) -> Callable[..., Cup]:
    return lambda victim=FIRST_PLAY, level="auto": Cup(tmp_path, victim, level)


def assert_kept(kept: list[KeptPlay], record: Record) -> None:
    """Check that a match goes on from each of the plays before, in which its victim acted."""
    seat = [entrant.name for entrant in record.seats].index("victim") + 1
    for before in kept:
        assert [actor for actor, _ in before.actions].count(seat) >= TURN - 1
        assert tuple(map(tuple, record.actions))[: len(before.actions)] == before.actions
    assert kept


@contained
@pytest.mark.parametrize("moment", ["turn", "start-up"])
@pytest.mark.parametrize("target", [bwrap, init, bot])
def test_bot_killed_from_outside_loses_nothing(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, target: Target, moment: str
) -> None:
    made = cup()
    undisturbed, _ = made.play(monkeypatch, "undisturbed")
    killer = Killer(made, target, moment)
    found, records = made.play(monkeypatch, "killed", killer)
    assert killer.times == 0, "the victim was not killed"
    assert made.again == [(MATCH, "machine" if target is bwrap else "killed")]
    assert found == undisturbed
    assert all(record.outcome.faults == () for record in records.values())


@contained
def test_match_goes_on_where_a_bot_was_killed(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that does not repeat its play gets no second chance: its actions stay."""
    made = cup(ANY)
    _, records = made.play(monkeypatch, "killed", Killer(made, bot, "turn"))
    assert made.again == [(MATCH, "killed")]
    record = records[MATCH]
    assert record.outcome.faults == ()
    assert_kept(made.kept[MATCH], record)


SUICIDES = {
    "itself": "kill -9 $$",
    "all": "kill -9 -1; kill -9 $$",
    "namespace": "kill -9 1; kill -9 -1; kill -9 $$",
    "pretence": "exit 137",
    "child": "(kill -9 $$) & wait",
}


@contained
@pytest.mark.parametrize("way", SUICIDES)
def test_bot_that_kills_itself_crashes_in_the_end(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The third play of a match judges it; no other match changes."""
    undisturbed, _ = cup().play(monkeypatch, "undisturbed")
    made = cup(FIRST_PLAY.replace("go)", f'go) turn="$turn."; [ "$turn" = ... ] && {{ {SUICIDES[way]}; }};'))
    found, records = made.play(monkeypatch, "suicides")
    own = {n for n, one in records.items() if "victim" in [seat.name for seat in one.seats]}
    assert sorted(made.again) == sorted((number, "killed") for number in own for _ in range(2))
    for number, record in records.items():
        names = [seat.name for seat in record.seats]
        kinds = [(names[seat - 1], kind) for seat, kind, _ in record.outcome.faults]
        assert kinds == ([("victim", "crash")] if number in own else [])
        assert number in own or found[number] == undisturbed[number]
    assert len(records) == 6


@contained
def test_bot_that_kills_itself_at_start_fails_at_start_up(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cup(FIRST_PLAY.replace("game)", "game) kill -9 $$;"))
    _, records = made.play(monkeypatch, "suicides")
    faults = [fault[1:] for record in records.values() for fault in record.outcome.faults]
    assert faults == [("startup", 0)] * len(faults)
    assert faults


@contained
def test_random_bot_cannot_take_back_an_action_by_dying(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = cup(ANY.replace("go)", 'go) turn="$turn."; [ "$turn" = ... ] && kill -9 $$;'))
    _, records = made.play(monkeypatch, "suicides")
    for number, kept in made.kept.items():
        assert_kept(kept, records[number])


@contained
@pytest.mark.parametrize("name", ["KILL", "USR1"])
def test_bot_of_same_user_cannot_end_bubblewrap(tmp_path: Path, name: str) -> None:
    """Without users of its own the sandbox has the referee's, and signals to a group cross namespaces."""
    sandbox = Bubblewrap("auto", EXTRAS, Users(None), find_cgroups())
    command = BotCommand(("/bin/sh", "-c", f"kill -{name} 0; echo alive"), tmp_path, environment())
    channel = sandbox.spawn(command, memory_mb=512)
    event = channel.wait(time.monotonic_ns() + FAR)
    channel.close(0)
    assert event.kind == ("killed" if name == "KILL" else "closed"), event


def test_bot_without_sandbox_is_judged_in_the_third_play(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cup(level="off")
    killer = Killer(made, bwrap, "turn", times=3)
    _, records = made.play(monkeypatch, "killed", killer)
    assert made.again == [(MATCH, "killed")] * 2
    assert [kind for _, kind, _ in records[MATCH].outcome.faults] == ["crash"]


@contained
def test_match_whose_sandbox_is_killed_each_time_is_void(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No bot can do that, so no bot loses; the other matches are played."""
    made = cup()
    undisturbed, _ = made.play(monkeypatch, "undisturbed")
    found, _ = made.play(monkeypatch, "killed", Killer(made, bwrap, "turn", times=3))
    assert made.again == [(MATCH, "machine")] * 3
    with Database.open(str(tmp_path / "killed.db")) as repository:
        for match in repository.matches.all(1, finished=True):
            assert match.result is not None
            assert match.result.void_reason == ("machine-failure" if match.number == MATCH else None)
            assert match.number == MATCH or found[match.number] == undisturbed[match.number]
