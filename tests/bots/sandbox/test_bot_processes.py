"""The processes of a bot: its rivals for a processor, and the event of its end."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tourney.bots.sandbox import bot_processes
from tourney.bots.sandbox.bot_processes import BotProcesses, NamespaceProcesses
from tourney.bots.sandbox.cgroups import Cgroup

OWN, RIVAL, CHURN, ELSEWHERE = 11, 12, 13, 14
"""Processes: one of the bot, a rival, a child of the bot that ends, and one of another processor."""

Start = Callable[..., BotProcesses]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a shell command as a bot, in a group if given; the kernel's counts are those of ``counts``."""
    begun: list[BotProcesses] = []

    def begin(
        script: str, group: Cgroup | None = None, kind: type[BotProcesses] = BotProcesses
    ) -> BotProcesses:
        words = ["/bin/sh", "-c", script]
        begun.append(kind(subprocess.Popen(words, start_new_session=True), group))
        return begun[-1]

    yield begin
    for processes in begun:
        processes._cgroup = None
        processes.kill()
        processes.reap()


class Memory(Cgroup):
    """A group whose counts of killed processes are given."""

    def __init__(self, *, own: int = 0, host: int = 0) -> None:
        super().__init__((), None, Path("/"))
        self._counts = (own, host)

    def memory_kills(self) -> tuple[int, int]:
        return self._counts


KILLED = "kill -9 $$"


@pytest.mark.parametrize(
    ("script", "group", "kind"),
    [
        (KILLED, None, "closed"),
        (KILLED, Memory(), "closed"),
        (KILLED, Memory(own=1), "closed"),
        (KILLED, Memory(host=1), "starved"),
        ("exit 1", Memory(host=1), "starved"),
        ("exit 137", Memory(), "closed"),
        ("exit 1", Memory(), "closed"),
    ],
)
def test_dead_bot_is_starved_only_by_the_hosts_count(
    start: Start, script: str, group: Cgroup | None, kind: str
) -> None:
    """A child that the host killed may be the one without which the bot has to exit."""
    assert start(script, group).last_event().kind == kind


@pytest.mark.parametrize(
    ("script", "kind"), [(KILLED, "starved"), ("exit 137", "starved"), ("exit 1", "closed")]
)
def test_without_group_count_of_machine_must_rise(
    start: Start, monkeypatch: pytest.MonkeyPatch, script: str, kind: str
) -> None:
    counts = iter((3, 4, 4))
    monkeypatch.setattr(bot_processes, "host_kills", lambda: next(counts))
    event = start(script).last_event()
    assert event.kind == kind
    assert ("the machine was out of memory" in event.text) == (kind == "starved")


def test_killed_sandbox_is_lost_and_its_exit_code_is_not(start: Start) -> None:
    assert start(KILLED, Memory(), NamespaceProcesses).last_event().kind == "lost"
    assert start("exit 137", Memory(), NamespaceProcesses).last_event().kind == "closed"


def test_program_that_cannot_kill_itself_is_lost(start: Start) -> None:
    """So is the host of a module; another end of it is a crash."""
    assert start(KILLED).last_event(killed="lost").kind == "lost"
    assert start("exit 1").last_event(killed="lost").kind == "closed"


@pytest.mark.parametrize(
    ("before", "after", "running", "rivals"),
    [
        ({OWN: [0] * 480, RIVAL: [0]}, {OWN: [0] * 480, RIVAL: [0]}, 482, 1),
        ({OWN: [0] * 480}, {OWN: [0]}, 481, 0),
        ({OWN: [0], CHURN: [0]}, {OWN: [0]}, 3, 0),
        ({RIVAL: [0, 0], ELSEWHERE: [1]}, {RIVAL: [0, 0], ELSEWHERE: [1]}, 4, 2),
        ({OWN: [0]}, {OWN: [0]}, 22, 10),
    ],
    ids=["own children", "children fall asleep", "children end", "one processor", "hidden rivals"],
)
def test_rivals_are_threads_of_others(
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    before: dict[int, list[int]],
    after: dict[int, list[int]],
    running: int,
    rivals: int,
) -> None:
    """The referee runs whenever it looks; the kernel's count has it and all hidden threads."""
    looks = iter([{**found, os.getpid(): [0]} for found in (before, after)])
    monkeypatch.setattr(bot_processes, "runnable_threads", lambda: next(looks))
    monkeypatch.setattr(bot_processes, "process_tree", lambda _pid: [OWN])
    monkeypatch.setattr(bot_processes, "read_proc", lambda _path: b"0 0 0 %d/999 9" % running)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0})
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert start("exec sleep 600").rivals() == rivals


def test_kernel_ends_bots_before_the_referee(start: Start) -> None:
    """Otherwise a bot that fills memory with files in memory ends the worker, and no bot loses."""
    bot = start("sleep 60 & wait")
    assert Path(f"/proc/{bot.pid}/oom_score_adj").read_text("ascii") == "1000\n"
    assert Path("/proc/self/oom_score_adj").read_text("ascii") != "1000\n"


def test_bot_that_has_ended_is_not_frozen(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of its processes may be those of others by then."""
    signalled: list[int] = []
    monkeypatch.setattr(bot_processes, "signal_tree", lambda pid, *_, **__: signalled.append(pid))
    bot = start("exit 0", kind=NamespaceProcesses)
    monkeypatch.setattr(bot, "_root", lambda: 1)
    assert bot.exited(60_000)
    bot.freeze()
    bot.freeze(frozen=False)
    assert signalled == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (139, "killed by SIGSEGV (or exited with code 139)"),
        (255, "exited with code 255"),  # of Perl's `die`
        (1, "exited with code 1"),
    ],
)
def test_exit_code_of_no_signal_is_named_as_it_is(code: int, words: str, start: Start) -> None:
    assert start(f"exit {code}", kind=NamespaceProcesses).death() == words
