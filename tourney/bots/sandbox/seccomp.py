"""The filter of system calls: a BPF program that the kernel runs before each call of a bot.

It refuses what no player of board games needs and what enlarges the kernel's attack surface: tracing and
reading other processes, mounts, namespaces, keys, BPF, performance counters, modules, clocks, swap, io_uring,
and all but the plainest socket families (AF_VSOCK, for one, reaches the host of a virtual machine from any
network namespace). It allows all else, as the last of several walls. Calls of another architecture (32-bit
programs on a 64-bit kernel) do not exist for a bot.
"""

import errno
import platform
import struct
from functools import cache
from typing import Final

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Instructions of classic BPF: load a word of the call, compare it, test its bits, return."""
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000
"""The kernel's verdicts; the lower half of a refusal is the bot's errno, 0 a pretended success."""
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets of a call's number, its architecture, and the lower halves of its first two arguments."""
_NEW_NAMESPACES: Final = 0x7E020000
_X32: Final = 0x40000000
_FAMILIES: Final = (1, 2, 10)
"""AF_UNIX, AF_INET, AF_INET6: in the sandbox they reach only the bot's own processes."""
_TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which type into a terminal."""

MACHINES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's word for each known architecture, and its column in the tables below."""

NOT_PERMITTED: Final[dict[str, tuple[int | None, int | None]]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
}
"""Refused with EPERM: numbers on x86_64 and aarch64."""
NOT_THERE: Final[dict[str, tuple[int | None, int | None]]] = {
    "_sysctl": (156, None),
    "clone3": (435, 435),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "memfd_secret": (447, 447),
}
"""Refused with ENOSYS, so that a library falls back. A filter cannot read the flags of clone3."""
PRETENDED: Final[dict[str, tuple[int | None, int | None]]] = {"sched_setaffinity": (203, 122)}
"""Succeeds without effect: some engines give up if they may not choose their processors."""
_CLONE, _SOCKET, _IOCTL = (56, 220), (41, 198), (16, 29)


@cache
def seccomp_filter(machine: str | None = None) -> bytes | None:
    """Return the program for an architecture (default: this one) for bubblewrap; None if it is unknown."""
    word, column = MACHINES.get(machine or platform.machine(), (0, -1))
    if column < 0:
        return None
    program = [
        _step(_LOAD, _MACHINE),
        _step(_EQUAL, word, yes=1),
        _refusal(errno.ENOSYS),
        _step(_LOAD, _NUMBER),
    ]
    if column == 0:
        program += [_step(_AT_LEAST, _X32, no=1), _refusal(errno.ENOSYS)]
    for table, verdict in ((NOT_PERMITTED, errno.EPERM), (NOT_THERE, errno.ENOSYS), (PRETENDED, 0)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                program += [_step(_EQUAL, number, no=1), _refusal(verdict)]
    clone = [_step(_LOAD, _FIRST), _step(_ANY_BIT, _NEW_NAMESPACES, no=1), _refusal(errno.EPERM)]
    socket = [_step(_LOAD, _FIRST), *_one_of(_FAMILIES), _refusal(errno.EAFNOSUPPORT)]
    terminal = [_step(_LOAD, _SECOND), *_none_of(_TERMINAL_INPUT)]
    for numbers, body in ((_CLONE, clone), (_SOCKET, socket), (_IOCTL, terminal)):
        whole = [*body, _step(_RETURN, _ALLOW)]
        program += [_step(_EQUAL, numbers[column], no=len(whole)), *whole]
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """Return an instruction; ``yes`` and ``no`` are the instructions to skip if a test holds or not."""
    return struct.pack("=HBBI", code, yes, no, value)


def _refusal(error: int) -> bytes:
    return _step(_RETURN, _REFUSE | error)


def _one_of(values: tuple[int, ...]) -> list[bytes]:
    """Allow the call if the loaded word is one of these."""
    return [part for value in values for part in (_step(_EQUAL, value, no=1), _step(_RETURN, _ALLOW))]


def _none_of(values: tuple[int, ...]) -> list[bytes]:
    """Refuse the call if the loaded word is one of these."""
    return [part for value in values for part in (_step(_EQUAL, value, no=1), _refusal(errno.EPERM))]
