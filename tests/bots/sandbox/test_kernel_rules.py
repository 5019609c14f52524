"""The filter of system calls, run by an interpreter of the few BPF instructions that it uses."""

import errno
import struct
import sys
import time
from pathlib import Path

import pytest

from tests.support.containment import contained
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Event
from tourney.bots.sandbox.kernel_rules import MACHINES, refused_calls, seccomp_filter
from tourney.bots.sandbox.sandbox import open_sandbox

ALLOWED = 0x7FFF0000
REFUSED = 0x00050000
FAR = 60 * 10**9


def verdict(machine: str, number: int, *arguments: int, word: int | None = None, build: bool = False) -> int:
    """Return the kernel's verdict on a call."""
    program = seccomp_filter(machine, build=build)
    assert program is not None
    steps = list(struct.iter_unpack("=HBBI", program))
    data = struct.pack(
        "=IIQ6Q", number, word or MACHINES[machine][0], 0, *arguments, *[0] * (6 - len(arguments))
    )
    at = held = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
            continue
        at += yes if {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code] else no


@pytest.mark.parametrize("build", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_exactly_the_listed_calls_are_refused(machine: str, build: bool) -> None:
    """Every number is tried."""
    column = MACHINES[machine][1]
    wanted: dict[int | None, int] = {}
    for table, error in refused_calls(build=build):
        wanted |= {numbers[column]: REFUSED | error for numbers in table.values()}
    for number in ((41, 53), (198, 199))[column]:
        wanted[number] = REFUSED | errno.EAFNOSUPPORT
    if not build:
        wanted[(16, 29)[column]] = REFUSED | errno.ENOTTY
    for number in range(600):
        assert verdict(machine, number, build=build) == wanted.get(number, ALLOWED), number


@pytest.mark.parametrize("machine", MACHINES)
def test_clone_sockets_and_ioctl_depend_on_arguments(machine: str) -> None:
    """Threads and UNIX sockets are allowed; namespaces, other sockets, and ioctls of files are not."""
    column = MACHINES[machine][1]
    clone, socket, pair, ioctl = (56, 220)[column], (41, 198)[column], (53, 199)[column], (16, 29)[column]
    assert verdict(machine, clone, 0x3D0F00) == ALLOWED  # as a thread is made
    assert verdict(machine, clone, 0x11) == ALLOWED
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, flag | 0x11) == REFUSED | errno.EPERM
    for call in (socket, pair):
        assert {family for family in range(50) if verdict(machine, call, family) == ALLOWED} == {1}
        allowed = {family for family in range(50) if verdict(machine, call, family, build=True) == ALLOWED}
        assert allowed == {1, 2, 10}
    for build in (False, True):
        assert verdict(machine, ioctl, 0, 0x5401, build=build) == ALLOWED
        assert verdict(machine, ioctl, 0, 0x5412, build=build) == REFUSED | errno.EPERM
        assert verdict(machine, ioctl, 0, 0x541C, build=build) == REFUSED | errno.EPERM
    # The ioctls of ext4 that fill a file's cache of extents and show it, and the one that lists cached pages.
    for command in (0x6612, 0x40046629, 0xC020662A, 0xC0606610):
        assert verdict(machine, ioctl, 0, command) == REFUSED | errno.ENOTTY
        assert verdict(machine, ioctl, 0, command, build=True) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_flags_that_reveal_or_change_the_cache_are_refused(machine: str) -> None:
    """RWF_NOWAIT, O_DIRECT and advice on pages; the same calls without them are allowed."""
    column = MACHINES[machine][1]
    openat, madvise, msync = (257, 56)[column], (28, 233)[column], (26, 227)[column]
    direct = (0x4000, 0x10000)[column]
    for read_or_write in ((327, 286)[column], (328, 287)[column]):
        assert verdict(machine, read_or_write, 3, 0, 1, 0, 0, 0) == ALLOWED
        for flag in (1, 8, 0x80):
            assert verdict(machine, read_or_write, 3, 0, 1, 0, 0, flag) == REFUSED | errno.EOPNOTSUPP
    assert verdict(machine, openat, 0, 0, 0o2000000) == ALLOWED  # O_CLOEXEC
    assert verdict(machine, openat, 0, 0, direct) == REFUSED | errno.EINVAL
    refused = {advice for advice in range(30) if verdict(machine, madvise, 0, 0, advice) != ALLOWED}
    assert refused == {3, 12, 20, 21}
    assert verdict(machine, msync, 0, 0, 1) == ALLOWED  # libraries test addresses by it
    assert verdict(machine, msync, 0, 0, 4) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_fcntl_sets_no_locks_leases_or_hints(machine: str) -> None:
    """Locks succeed without effect; questions may be asked; leases, watches and hints do not exist."""
    column = MACHINES[machine][1]
    fcntl = (72, 25)[column]
    for command in (0, 1, 2, 3, 4, 5, 36, 1030, 1031, 1032, 1033):
        assert verdict(machine, fcntl, 0, command) == ALLOWED
    for command in (6, 7, 37, 38):
        assert verdict(machine, fcntl, 0, command) == REFUSED
        assert verdict(machine, fcntl, 0, command, build=True) == ALLOWED
    for command in (1024, 1025, 1026, 1035, 1036, 1037, 1038):
        assert verdict(machine, fcntl, 0, command) == REFUSED | errno.EINVAL
    assert verdict(machine, fcntl, 0, 4, (0x4000, 0x10000)[column]) == REFUSED | errno.EINVAL


def test_calls_of_other_architectures_do_not_exist() -> None:
    """A 32-bit or x32 call has numbers of another table."""
    assert verdict("x86_64", 1, word=0x40000003) == REFUSED | errno.ENOSYS
    assert verdict("x86_64", 0x40000000 | 1) == REFUSED | errno.ENOSYS
    assert seccomp_filter("sparc") is None


@contained
def test_sqlite_works_with_a_write_ahead_log(tmp_path: Path) -> None:
    script = "import sqlite3; c = sqlite3.connect('/tmp/w.db'); c.execute('PRAGMA journal_mode=wal');"
    script += "c.execute('CREATE TABLE t(x)'); c.commit(); print(c.execute('PRAGMA journal_mode').fetchone())"
    words = (sys.executable, "-c", script)
    command = BotCommand(words, tmp_path, environment(), interpreter_paths())
    channel = open_sandbox("auto").spawn(command, memory_mb=512)
    event = channel.wait(time.monotonic_ns() + FAR)
    channel.close(0)
    assert event == Event("line", "('wal',)"), channel.stderr()
