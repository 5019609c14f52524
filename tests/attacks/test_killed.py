"""Killed bots: a dead bot has crashed, unless the kernel shows that the machine ended it."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
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
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.processes import children_of
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.match.record import Record
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.match.spec import Entrant, Limits
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers import worker
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schema import SandboxLevel
from tourney.store.database import Database

pytestmark = pytest.mark.containment

FIRST_PLAY = """
tourney) echo "bot wants=legal";;
game) echo ready;;
legal) action=${rest%% *};;
go) echo "move $action";;
"""
"""A bot that plays the first legal action."""
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
startup-ms = 600000
"""
LIMITS = "move-ms = 600000"

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

    def __init__(self, folder: Path, victim: str, level: SandboxLevel = "auto", limits: str = LIMITS) -> None:
        folder.chmod(0o755)
        for name, cases in (("victim", victim), ("other", FIRST_PLAY), ("third", FIRST_PLAY)):
            script = f"while read -r word rest; do case $word in\n{cases}\nquit) exit 0;; esac; done\n"
            write_bot(folder, name, {"bot.sh": script}, command='["sh", "bot.sh"]', games='["sage-stones"]')
        self._file = read_tournament_file(write_file(folder, FILE + limits))
        self._folder = folder
        self._store = BotStore(folder / "store")
        self.sandbox: Sandbox = open_sandbox(level)
        self.launch = StoreLauncher(self._store, self.sandbox)
        self.playing = 0
        self.starts: Counter[tuple[int, str]] = Counter()
        self.heard = RecordingListener()
        self.events: list[tuple[str, Any]] = []
        self.heard.event = lambda name, data: self.events.append((name, data))  # type: ignore[method-assign]  # it records them

    def play(
        self, monkeypatch: pytest.MonkeyPatch, name: str, launch: Any = None
    ) -> tuple[dict[int, str], dict[int, Record]]:
        """Play the cup in a database of its own; return digests and records by number."""
        start = launch or self.launch

        def counted(entrant: Entrant, limits: Limits) -> Channel:
            self.starts[self.playing, entrant.name] += 1
            return start(entrant, limits)

        self.starts.clear()
        runner = MatchRunner(counted, sandbox=self.sandbox)
        monkeypatch.setattr(worker, "_match_runner", lambda *_: runner)
        monkeypatch.setattr(worker, "kill_strays", lambda _known: 0)  # this process has other children
        started = open_tournament(self._file, str(self._folder / f"{name}.db"), self._store, lambda _: None)
        with started as (repository, tournament, _), runner:
            executor = FuturesExecutor(Immediate, self._play)
            run(repository, executor=executor, listener=self.heard)
            return digests(repository, tournament.id), dict(repository.records.all(tournament.id))

    def _play(self, task: MatchTask) -> WorkerReply:
        self.playing = task.number
        return worker.play_task(task)

    @property
    def again(self) -> list[tuple[int, str]]:
        """The plays that failed: match and cause."""
        return [(data["match"], data["cause"]) for name, data in self.events if name == "again"]


@pytest.fixture
def cup(tmp_path: Path) -> Callable[..., Cup]:
    return lambda *given, **named: Cup(tmp_path, *(given or (FIRST_PLAY,)), **named)


@contained
@pytest.mark.parametrize("moment", ["turn", "start-up"])
def test_match_whose_sandbox_is_killed_starts_again(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """All bots restart, and the match is played from its first action, as if nothing had happened."""
    made = cup()
    undisturbed, _ = made.play(monkeypatch, "undisturbed")
    killer = Killer(made, bwrap, moment)
    found, records = made.play(monkeypatch, "killed", killer)
    assert killer.times == 0, "the victim was not killed"
    assert made.again == [(MATCH, "machine")]
    assert {count for (number, _), count in made.starts.items() if number == MATCH} == {2}
    assert found == undisturbed
    assert all(record.outcome.faults == () for record in records.values())


@contained
@pytest.mark.parametrize("target", [init, bot])
def test_bot_killed_by_hand_has_crashed(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, target: Target
) -> None:
    """Nothing shows who sent the signal; a person can withdraw the match."""
    made = cup()
    undisturbed, _ = made.play(monkeypatch, "undisturbed")
    found, records = made.play(monkeypatch, "killed", Killer(made, target, "turn"))
    assert made.again == []
    assert [kind for _, kind, _ in records[MATCH].outcome.faults] == ["crash"]
    assert {**found, MATCH: ""} == {**undisturbed, MATCH: ""}


SUICIDES = {
    "itself": "kill -9 $$",
    "all": "kill -9 -1; kill -9 $$",
    "namespace": "kill -9 1; kill -9 -1; kill -9 $$",
    "pretence": "exit 137",
    "child": "(kill -9 $$) & wait",
}


def crashes(records: Mapping[int, Record]) -> dict[int, list[tuple[str, str]]]:
    """The faults of each match, as pairs of an entrant and a kind."""
    return {
        number: [(record.seats[seat - 1].name, kind) for seat, kind, _ in record.outcome.faults]
        for number, record in records.items()
    }


@contained
@pytest.mark.parametrize("way", SUICIDES)
def test_bot_that_kills_itself_crashes_at_once(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """It gets no second process and no time; its opponents hear nothing, and no other match changes."""
    undisturbed, _ = cup().play(monkeypatch, "undisturbed")
    made = cup(FIRST_PLAY.replace("go)", f'go) turn="$turn."; [ "$turn" = ... ] && {{ {SUICIDES[way]}; }};'))
    found, records = made.play(monkeypatch, "suicides")
    own = {number for number, one in records.items() if "victim" in [seat.name for seat in one.seats]}
    assert made.again == []
    assert set(made.starts.values()) == {1}
    assert crashes(records) == {number: [("victim", "crash")] * (number in own) for number in records}
    others = found.keys() - own
    assert {number: found[number] for number in others} == {number: undisturbed[number] for number in others}
    assert len(records) == 6


@contained
def test_bot_that_thinks_and_dies_gets_no_new_clock(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps no result of its thinking, and has no second process."""
    thinks = FIRST_PLAY.replace("go)", "go) sleep 0.3; kill -9 $$;")
    made = cup(thinks, limits="clock-ms = 20000")
    _, records = made.play(monkeypatch, "suicides")
    assert set(made.starts.values()) == {1}
    assert sorted(map(tuple, crashes(records).values())) == [()] * 2 + [(("victim", "crash"),)] * 4


@contained
def test_bot_that_kills_itself_at_start_fails_at_start_up(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cup(FIRST_PLAY.replace("game)", "game) kill -9 $$;"))
    _, records = made.play(monkeypatch, "suicides")
    assert made.again == []
    faults = [fault[1:] for record in records.values() for fault in record.outcome.faults]
    assert faults == [("startup", 0)] * len(faults)
    assert faults


@contained
@pytest.mark.parametrize("name", ["KILL", "USR1"])
def test_bot_of_same_user_cannot_end_bubblewrap(tmp_path: Path, name: str) -> None:
    """Without users of its own the sandbox has the referee's, and signals to a group cross namespaces."""
    sandbox = Bubblewrap("auto", EXTRAS, Users(None), find_cgroups())
    command = BotCommand(("/bin/sh", "-c", f"kill -{name} 0; echo alive"), tmp_path, environment())
    channel = sandbox.spawn(command, memory_mb=512)
    event = channel.wait(time.monotonic_ns() + FAR)
    channel.close(0)
    assert event.kind == "closed", event


def test_bot_without_sandbox_crashes_at_once(
    cup: Callable[..., Cup], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cup(level="off")
    _, records = made.play(monkeypatch, "killed", Killer(made, bwrap, "turn"))
    assert made.again == []
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
