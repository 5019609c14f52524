"""The filter of system calls, run by an interpreter of the few BPF instructions that it uses."""

import errno
import struct

import pytest

from tourney.bots.sandbox.seccomp import MACHINES, NOT_PERMITTED, NOT_THERE, PRETENDED, seccomp_filter

ALLOWED = 0x7FFF0000
REFUSED = 0x00050000


def verdict(machine: str, number: int, *arguments: int, word: int | None = None) -> int:
    """Return the kernel's verdict on a call."""
    program = seccomp_filter(machine)
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


@pytest.mark.parametrize("machine", MACHINES)
def test_exactly_the_listed_calls_are_refused(machine: str) -> None:
    """Every number is tried."""
    column = MACHINES[machine][1]
    wanted: dict[int | None, int] = {}
    for table, error in ((NOT_PERMITTED, errno.EPERM), (NOT_THERE, errno.ENOSYS), (PRETENDED, 0)):
        wanted |= {numbers[column]: REFUSED | error for numbers in table.values()}
    socket = (41, 198)[column]
    for number in range(600):
        expected = wanted.get(number, REFUSED | errno.EAFNOSUPPORT if number == socket else ALLOWED)
        assert verdict(machine, number) == expected, number


@pytest.mark.parametrize("machine", MACHINES)
def test_clone_socket_and_ioctl_depend_on_arguments(machine: str) -> None:
    """Threads and plain sockets are allowed; namespaces, other sockets and TIOCSTI are not."""
    column = MACHINES[machine][1]
    clone, socket, ioctl = (56, 220)[column], (41, 198)[column], (16, 29)[column]
    assert verdict(machine, clone, 0x3D0F00) == ALLOWED  # as a thread is made
    assert verdict(machine, clone, 0x11) == ALLOWED
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, flag | 0x11) == REFUSED | errno.EPERM
    families = {family for family in range(50) if verdict(machine, socket, family) == ALLOWED}
    assert families == {1, 2, 10}
    assert verdict(machine, ioctl, 0, 0x5401) == ALLOWED
    assert verdict(machine, ioctl, 0, 0x5412) == REFUSED | errno.EPERM
    assert verdict(machine, ioctl, 0, 0x541C) == REFUSED | errno.EPERM


def test_calls_of_other_architectures_do_not_exist() -> None:
    """A 32-bit or x32 call has numbers of another table."""
    assert verdict("x86_64", 1, word=0x40000003) == REFUSED | errno.ENOSYS
    assert verdict("x86_64", 0x40000000 | 1) == REFUSED | errno.ENOSYS
    assert seccomp_filter("sparc") is None
