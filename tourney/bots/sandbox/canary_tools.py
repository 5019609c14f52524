"""Tools of the canary and its referee: facts of the host, children, system calls, cached pages.

The kernel's cache of a file's pages is a place in which one match could leave a trace for another. Of the
standard library alone: see ``canary``.
"""

import ctypes
import errno
import mmap
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

MIB = 1 << 20
REFUSALS = (errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EAFNOSUPPORT)
CALLS = {
    # name: numbers on x86_64 and aarch64, arguments that do nothing if the call is allowed
    "ptrace": ((101, 117), (16, 0, 0, 0)),
    "keyctl": ((250, 219), (0, -3, 0, 0)),
    "bpf": ((321, 280), (0, 0, 0, 0)),
    "perf_event_open": ((298, 241), (0, 0, -1, -1)),
    "userfaultfd": ((323, 282), (-1, 0, 0, 0)),
    "io_uring_setup": ((425, 425), (0, 0, 0, 0)),
    "process_vm_readv": ((310, 270), (0, 0, 0, 0)),
    "mount": ((165, 40), (0, 0, 0, 0)),
    "open_by_handle_at": ((304, 265), (-1, 0, 0, 0)),
    "kexec_load": ((246, 104), (0, 99, 0, -1)),
}
CACHE_CALLS = {
    # what is cached: of a mapping, of a file, "if it is cached", and asynchronous input with that flag
    "mincore": ((27, 232), (0, 0, 0, 0)),
    "cachestat": ((451, 451), (-1, 0, 0, 0)),
    "openat2": ((437, 437), (-1, 0, 0, 0)),
    "io_setup": ((206, 0), (0, 0, 0, 0)),
}
SYSTEM = ("/", "/usr", "/usr/lib", "/etc", "/dev", "/bin", "/lib")
VARIABLES = {"PATH", "LANG", "TZ", "HOME", "PYTHONHASHSEED"}
CHANGING = ("loadavg", "meminfo", "stat", "uptime")
"""Files of /proc that programs need; their content must be fixed."""
HIDDEN = (
    *("buddyinfo", "cgroups", "diskstats", "interrupts", "schedstat", "softirqs", "vmstat", "zoneinfo"),
    *("sys/fs/dentry-state", "sys/fs/file-nr", "sys/fs/inode-nr", "irq/0/spurious"),
    *("pressure/cpu", "pressure/io", "pressure/memory"),
)
"""Files of /proc on the whole machine that no program needs."""
PAGE_NOTES = ("smaps", "smaps_rollup", "numa_maps", "pagemap", "clear_refs")
"""Files of each process in /proc that show, or change, what the kernel notes of its pages."""
SOCKETS = (
    *(("AF_INET", 2, socket.SOCK_STREAM), ("AF_INET", 2, socket.SOCK_DGRAM)),
    *(("AF_INET6", 10, socket.SOCK_DGRAM), ("AF_NETLINK", 16, socket.SOCK_RAW)),
    *(("AF_TIPC", 30, socket.SOCK_STREAM), ("AF_VSOCK", 40, socket.SOCK_STREAM)),
)
"""Families and kinds of sockets that are not UNIX ones."""
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
LIBC.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
LIBC.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
CACHED_BYTES = 256 * 1024  # size of each file of ``shared_library``


class Facts(NamedTuple):
    """The targets of the canary, and the facts of the host that it needs."""

    token: str  # marks the command lines of all canaries, and names a socket without a file
    secret: str
    shared: str
    private: list[tuple[str, list[str]]]  # folders, each with its entries that no bot may see
    folder: str  # in hex: bubblewrap's command line holds these facts, too
    sample: str
    inode: list[int]
    kept: str
    dropped: str
    locked: str
    referee: int
    referee_words: str
    port: int
    user: int
    user_namespace: str
    memory_mb: int
    processes: int
    files: int
    file_mb: int
    burn: float
    crowd: int
    probes: tuple[str, ...] = ()
    ticks: bool = False


# Files and sockets that an attempt leaves open close when they are dropped.


def fork(job: Callable[[], object]) -> int:
    """Start a child that does a job and ends, with 0 if the job returned something."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if job() else 1)
        except BaseException:  # noqa: BLE001 - the child must not go on as its parent
            os._exit(2)
    return child


def in_child(job: Callable[[], object]) -> bool:
    """Try something in a child process, whose end undoes its changes to itself."""
    return os.waitstatus_to_exitcode(os.waitpid(fork(job), 0)[1]) == 0


def all_at_once(count: int, hold: Callable[[], object]) -> bool:
    """Whether this number of children can hold something at the same time; each holds until all have it."""
    gate = os.pipe()
    ready = os.pipe()

    def wait() -> object:
        os.close(gate[1])
        os.close(ready[0])
        resource = hold()  # alive until the gate closes
        os.write(ready[1], b"!")
        os.close(ready[1])
        os.read(gate[0], 1)
        return resource

    children = [fork(wait) for _ in range(count)]
    os.close(ready[1])
    heard = b""
    while len(heard) < count and (more := os.read(ready[0], count)):
        heard += more
    os.close(gate[1])
    # A child that was killed for another's memory may have reported before.
    ended = [os.waitpid(child, 0)[1] for child in children]
    return len(heard) == count and not any(ended)


def works(attempt: Callable[[], object]) -> bool:
    """Whether an attempt returns something, and raises no OSError."""
    with suppress(OSError):
        return bool(attempt())
    return False


def write_file(folder: str) -> bool:
    """Write a file to a folder, and remove it. Raises OSError."""
    path = Path(folder) / f"tourney-canary-{os.getpid()}"
    path.write_bytes(b"")
    path.unlink()
    return True


def read_proc(name: str) -> bytes:
    """The content of a file in /proc. Raises OSError."""
    return Path(f"/proc/{name}").read_bytes()


def burn(seconds: float) -> None:
    """Use processor time."""
    while time.process_time() < seconds:
        pass


def stay(ticks: bool) -> None:
    """Stay for at most a minute, and print ticks if they are asked for."""
    signal.alarm(60)
    while True:
        if ticks:
            os.write(1, b"tick\n")
        time.sleep(0.005)


def is_refused(number: int, words: tuple[int, ...]) -> bool:
    """Make a system call; whether the kernel refuses it for lack of rights."""
    ctypes.set_errno(0)
    done = LIBC.syscall(*map(ctypes.c_long, (number, *words)))
    return bool(done < 0 and ctypes.get_errno() in REFUSALS)


def allowed_calls(calls: Mapping[str, tuple[tuple[int, int], tuple[int, ...]]]) -> list[str]:
    """Make these system calls, and return the ones that were not refused."""
    column = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine)
    if column is None:
        return ["any: they cannot be tried on this machine"]
    return [
        name
        for name, (numbers, words) in calls.items()
        if not in_child(partial(is_refused, numbers[column], words))
    ]


@contextmanager
def shared_library() -> Iterator[str]:
    """Make a folder with two files of CACHED_BYTES, on a disk if the machine has one."""
    place = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None  # noqa: S108 - a folder of its own below it
    with tempfile.TemporaryDirectory(prefix="tourney-doctor-library-", dir=place) as name:
        Path(name).chmod(0o755)
        for file in ("kept", "dropped"):
            with (Path(name) / file).open("wb") as written:
                written.write(b"1" * CACHED_BYTES)
                written.flush()
                os.fsync(written.fileno())
        yield name


def cached_pages(path: Path) -> int:
    """Number of cached pages of a file, without changing that. Raises OSError."""
    size = path.stat().st_size
    pages = ctypes.create_string_buffer(-(-size // mmap.PAGESIZE))
    fd = os.open(path, os.O_RDONLY)
    try:
        place = LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
        if place == ctypes.c_void_p(-1).value or LIBC.mincore(place, size, pages):
            raise OSError(ctypes.get_errno(), f"cannot find out what is cached of {path}")
        LIBC.munmap(place, size)
    finally:
        os.close(fd)
    return sum(page & 1 for page in pages.raw)


def drop_pages(path: Path) -> bool:
    """Drop a file from the kernel's cache; return whether its file system allows that."""
    fd = os.open(path, os.O_RDONLY)
    try:
        for _ in range(10):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            if not cached_pages(path):
                return True
    finally:
        os.close(fd)
    return False
