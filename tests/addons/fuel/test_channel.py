"""The channel to a module under fuel, and its host process."""

import os
import resource
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.addons.fuel.wasm import binary, start, wasmtime
from tourney.addons.fuel.channel import GUARD_NS, STILL_NS, FuelChannel, Host, Hosts, VirtualClock, _Watch
from tourney.addons.fuel.library import make_engine
from tourney.addons.fuel.meter import HostOrder, HostReport
from tourney.addons.fuel.runtime import host_words
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.modules import CODE
from tourney.bots.sandbox.processes import Pipes
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import SandboxError

MS = 1_000_000
PER_MS = 1_000_000  # so that a unit is a nanosecond
ACTOR = start(
    """
 (loop $main
  (drop (call $listen (i32.const 2048)))
  (if (i32.eq (i32.load8_u (i32.const 2048)) (i32.const 108)) (then (loop $l (br $l))))
  (if (i32.eq (i32.load8_u (i32.const 2048)) (i32.const 99)) (then
   (i32.store8 (i32.const 1024) (i32.add (i32.load8_u (i32.const 1024)) (i32.const 1)))
   (call $say (i32.const 1024) (i32.const 2))))
  (if (i32.eq (i32.load8_u (i32.const 2048)) (i32.const 101)) (then (call $exit (i32.const 4))))
  (br $main))"""
).replace("(func $say", '(data (i32.const 1024) "0\\n") (func $say')
"""By the first letter of its input: loops, counts in a line, or exits; otherwise it reads again."""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> BotCommand:
    folder = tmp_path_factory.mktemp("actor")
    code = wasmtime.Module(make_engine(metered=True), binary(ACTOR)).serialize()
    (folder / CODE).write_bytes(bytes(code))
    words = host_words("fuel", CODE, "actor.wasm")
    return BotCommand(words, folder, environment(), interpreter_paths(), hosted=True)


def started(command: BotCommand) -> Host:
    return Host.start(command, 64, open_sandbox("off"))


@pytest.fixture(scope="module")
def host(command: BotCommand) -> Iterator[Host]:
    made = started(command)
    yield made
    made.end()


def opened(host: Host, clock: VirtualClock | None = None) -> FuelChannel:
    order = HostOrder(b"N", 7, PER_MS, 64 << 20)
    return FuelChannel(host, clock or VirtualClock(), PER_MS, order, lambda _: None)


def test_time_is_fuel_and_budget_starts_with_request(host: Host) -> None:
    clock = VirtualClock()
    channel = opened(host, clock)
    channel.request(b"c\n")
    assert channel.wait(MS) == ("line", "1")
    took = clock.now
    assert 0 < took < MS
    clock.now += 5 * MS  # another bot's turn
    assert channel.ask(b"c\n", clock.now + MS) == ("line", "2")
    assert 0 < clock.now - took - 5 * MS < 2 * took


def test_loop_times_out_at_its_budget_exactly(host: Host) -> None:
    clock = VirtualClock()
    channel = opened(host, clock)
    assert channel.ask(b"loop\n", 3 * MS) == ("timeout", "")
    assert clock.now == 3 * MS
    assert channel.wait(3 * MS) == ("timeout", "")


def test_module_that_wants_more_input_times_out(host: Host) -> None:
    channel = opened(host)
    event = channel.ask(b"what\n", 3 * MS)
    assert event == ("timeout", "it waits for input, and has not answered")


def test_exit_closes_channel(host: Host) -> None:
    channel = opened(host)
    assert channel.ask(b"exit\n", MS) == ("closed", "exited with code 4")
    assert channel.pending() == [("closed", "exited with code 4")]


def test_new_instance_remembers_nothing(host: Host) -> None:
    said = []
    for _ in range(2):
        clock = VirtualClock()
        channel = opened(host, clock)
        said.append((channel.ask(b"c\n", MS), channel.ask(b"c\n", clock.now + MS), clock.now))
        channel.close(0)
    assert said[0] == said[1]
    assert said[0][0] == ("line", "1")


def test_module_runs_only_when_it_is_asked(host: Host) -> None:
    clock = VirtualClock()
    channel = opened(host, clock)
    assert channel.ask(b"c\n", MS) == ("line", "1")
    before = clock.now
    channel.send(b"loop\n")
    channel.close(0)
    assert clock.now == before


def test_host_is_kept_unless_it_is_not_ready(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts, ended = Hosts(), list[Host]()
    monkeypatch.setattr(host, "end", lambda: ended.append(host))
    hosts.give_back("a", host)
    assert hosts.take("b", lambda: host) is host
    assert hosts.take("a", pytest.fail) is host
    monkeypatch.setattr(host, "ready", False)
    hosts.give_back("a", host)
    assert ended == [host]


def test_killed_host_is_an_event(command: BotCommand) -> None:
    own = started(command)
    channel = opened(own)
    assert channel.ask(b"c\n", MS) == ("line", "1")
    os.kill(own._process.pid, signal.SIGKILL)
    event = channel.ask(b"c\n", MS * 2)
    assert event == ("lost", "killed by SIGKILL")
    assert not own.ready
    own.end()


def test_host_without_memory_below_the_bound_is_lost(command: BotCommand) -> None:
    """A ``memory.grow`` that fails because the host lacks memory must decide no match."""
    host = started(command)
    assert opened(host).ask(b"c\n", MS) == ("line", "1")
    resource.prlimit(host._process.pid, resource.RLIMIT_DATA, (32 << 20, 32 << 20))
    event = opened(host).ask(b"c\n", MS)
    assert event == ("lost", "stopped by the machine: the host lacks memory below the bound of 64 MiB")
    host.end()


def test_host_that_cannot_start_says_why(command: BotCommand, tmp_path: Path) -> None:
    (tmp_path / CODE).write_bytes(b"no code")
    broken = BotCommand(command.argv, tmp_path, command.env, command.read_only, hosted=True)
    with pytest.raises(SandboxError, match="does not start"):
        started(broken)


class _Process:
    """Uses the given processor times, one a look."""

    def __init__(self, *used: int | None) -> None:
        self._used = iter(used)

    weakened: Mapping[str, str] = {}

    def cpu_ms(self) -> int | None:
        return next(self._used)


def test_report_that_came_while_the_referee_was_held_up_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is read before each look, so a look that began in time fails no host."""
    now = 0
    monkeypatch.setattr("tourney.addons.fuel.channel.time.monotonic_ns", lambda: now)
    reads, writes = os.pipe()
    host = Host(_Process(None), Pipes(-1, reads, -1))  # type: ignore[arg-type]  # what it needs of processes

    class HeldUp:
        """A poll after which the machine stops this process; meanwhile the report comes."""

        def poll(self, _milliseconds: int) -> bool:
            nonlocal now
            if now == 0:
                now = 10 * GUARD_NS
                os.write(writes, HostReport(b"W", 3).encode())
                return False
            return True

    host._poll = HeldUp()  # type: ignore[assignment]  # as far as the host uses it
    assert host._report(MS).used == 3
    os.close(reads)
    os.close(writes)


def test_fuel_of_one_module_is_not_charged_to_another(host: Host, command: BotCommand) -> None:
    """Both are asked at the same time; the first burns far more than the limit before the second runs."""
    clock, second = VirtualClock(), started(command)
    channels = [opened(host, clock), opened(second, clock)]
    for channel, line in zip(channels, (b"loop\n", b"c\n"), strict=True):
        channel.request(line)
    assert channels[0].wait(50 * MS) == ("timeout", "")
    assert clock.now == 50 * MS
    assert channels[1].wait(MS) == ("line", "1")
    second.end()


@pytest.mark.parametrize(
    ("used", "stuck"),
    [((100, 200, 300), ""), ((100, 105), "no longer works"), ((None,), "took longer")],
)
def test_only_host_that_stands_still_is_stuck(
    used: tuple[int | None, ...], stuck: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0
    monkeypatch.setattr("tourney.addons.fuel.channel.time.monotonic_ns", lambda: now)
    watch = _Watch(_Process(*used), MS)  # type: ignore[arg-type]  # what the watch needs of processes
    assert watch.stuck(now) == ""
    now = GUARD_NS + 20 * MS
    said = []
    for _ in used:
        said.append(watch.stuck(now))
        now += STILL_NS
    assert stuck in said[-1]
    assert bool(stuck) is bool(said[-1])
    assert not any(said[:-1])


def test_virtual_clock_is_the_work_charged_so_far() -> None:
    clock = VirtualClock()
    clock.now += 5
    assert clock() == 5
