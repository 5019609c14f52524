"""The attempts of the canary that take more than an expression.

Each gives what goes into its sentence in ``canary.PROBES``; if that is nothing, or an error is raised, it has
failed. Of the standard library alone: see ``canary``.
"""

import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from tourney.bots.sandbox.canary_tools import (
    CACHE_CALLS,
    CALLS,
    LIBC,
    MIB,
    REFUSALS,
    Facts,
    all_at_once,
    allowed_calls,
    burn,
    fork,
    in_child,
    read_proc,
    stay,
    works,
)

FILL_MB = 160
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


def find_variables(_: Facts) -> int:
    """Count the variables beyond the five, in its environment and in those of other processes."""
    found = set(os.environ)
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            words = path.read_bytes().split(b"\0")
            found |= {word.partition(b"=")[0].decode("utf-8", "replace") for word in words if word}
    return len(found - VARIABLES)


def append_to_secret(facts: Facts) -> int:
    """Write to a file of the host."""
    with Path(facts.secret).open("ab") as file:
        return file.write(b"!")


def find_own_folder(facts: Facts) -> str:
    """Learn where its folder is on the host."""
    folder = bytes.fromhex(facts.folder)
    for name in ("1/cmdline", "self/mountinfo"):
        if folder in read_proc(name):
            return f"read its folder's path in /proc/{name}"
    return "has its folder's path as working directory" if folder == os.fsencode(Path.cwd()) else ""


def fill_places(_: Facts) -> str:
    """Fill /tmp and /dev/shm with many files."""
    full = []
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - the very places
        files = range(FILL_MB // 8)
        with tempfile.TemporaryDirectory(dir=place, prefix="tourney-canary-") as folder, suppress(OSError):
            written = [(Path(folder) / str(file)).write_bytes(b"\1" * (8 * MIB)) for file in files]
            full.append(f"{sum(written) // MIB} MiB to {place}")
    return " and ".join(full)


def see_referee(facts: Facts) -> bool:
    """Find the referee's process."""
    if read_proc(f"{facts.referee}/cmdline").hex() != facts.referee_words:
        raise ValueError("another process has its number here")
    return True


def signal_referee(facts: Facts) -> bool:
    """Send the referee a signal (one that does nothing)."""
    see_referee(facts)
    os.kill(facts.referee, 0)
    return True


def connect_abstract(facts: Facts) -> bool:
    """Connect to a socket without a file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect(f"\0tourney-doctor-{facts.token}")
    return True


def list_privileges(_: Facts) -> str:
    """Have capabilities, or get them from a program that grants them."""
    lines = read_proc("self/status").decode().splitlines()
    words = dict(line.split(":", 1) for line in lines if ":" in line)
    held = [name for name in ("CapEff", "CapPrm", "CapBnd") if int(words[name], 16)]
    # In a user namespace of its own the bounding set is full, but useless unless a program grants privileges.
    if words["NoNewPrivs"].strip() != "1":
        held.append("new privileges by exec")
    elif held == ["CapBnd"]:
        held = []
    return ", ".join(held)


def own_user(facts: Facts) -> str:
    """Be root, or the user who runs the tournament."""
    if os.getuid() == 0:
        return "root"
    same = str(Path("/proc/self/ns/user").readlink()) == facts.user_namespace
    return "the user who runs the tournament" if same and os.getuid() == facts.user else ""


def use_memory(facts: Facts) -> int:
    """Use more memory than the bot may have, in children that each stay below the limit."""
    share = facts.memory_mb * MIB // 4

    def fill() -> object:
        memory = mmap.mmap(-1, share)
        for at in range(0, share, mmap.PAGESIZE):
            memory[at] = 1
        return memory

    return all_at_once(6, fill) * 6 * share // MIB


def queue_memory(facts: Facts) -> int:
    """Queue more data in sockets than the bot's memory, in children that hold them."""
    share = (facts.memory_mb + 64) * MIB // 4

    def queue() -> object:
        queued, data, pairs = 0, b"1" * 65_536, []
        while queued < share:
            pairs.append(socket.socketpair())
            for one in pairs[-1]:
                one.setblocking(False)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MIB)
                with suppress(BlockingIOError):
                    while queued < share:
                        queued += one.send(data)
        return pairs

    return all_at_once(4, queue) * 4 * share // MIB


def have_processes(facts: Facts) -> int:
    """Have more processes than a bot may have."""
    children = []
    try:
        for _ in range(facts.processes):
            children.append(fork(signal.pause))  # noqa: PERF401 - those that run are ended
    except OSError:
        return 0
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
    return len(children)


def open_files(facts: Facts) -> int:
    """Have more files open than a bot may have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        for _ in range(facts.files):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    return facts.files


def make_large_file(facts: Facts) -> int:
    """Make a file larger than a bot's may be (a hole: it takes no space)."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        os.ftruncate(file.fileno(), (facts.file_mb + 1) * MIB)
    return facts.file_mb + 1


def ask_cache(_: Facts) -> str:
    """Ask which pages of a file are cached, and for the kernel's notes on them, in a child too."""
    allowed = allowed_calls(CACHE_CALLS)
    for name in PAGE_NOTES:
        look = partial(Path(f"/proc/thread-self/{name}").open, "wb" if name == "clear_refs" else "rb")
        if works(look) or in_child(look):
            allowed.append(name)
    with Path("/usr/bin/env").open("rb") as file, suppress(OSError):
        with suppress(BlockingIOError):
            os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
        allowed.append("preadv2")
    return " ".join(allowed)


def drop_pages(facts: Facts) -> None:
    """Advise the kernel to drop a file from its cache; the referee looks whether it did."""
    with Path(facts.kept).open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def use_locks(facts: Facts) -> str:
    """See a lock of another process, and set a record lock, on a folder of the system."""
    fd = os.open(facts.locked, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(fd, fcntl.LOCK_UN)
    except BlockingIOError:
        return "saw a lock"
    fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 1, 1, 0))
    other = os.open(facts.locked, os.O_RDONLY)  # a lock is seen only through another open file
    question = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0)
    kind = struct.unpack_from("h", fcntl.fcntl(other, fcntl.F_OFD_GETLK, question))[0]
    os.close(other)
    os.close(fd)
    return "" if kind == fcntl.F_UNLCK else "set a record lock"


def use_watches(_: Facts) -> str:
    """Watch what other processes read of the system."""
    if LIBC.inotify_init1(0) >= 0:
        return "files"
    fd = os.open("/usr", os.O_RDONLY | os.O_DIRECTORY)
    fcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    os.close(fd)
    return "folders"


def make_sockets(_: Facts) -> str:
    """Make sockets that are not UNIX ones."""
    makers: tuple[Callable[[int, int], object], ...] = (socket.socket, socket.socketpair)
    made = [name for name, *kind in SOCKETS for make in makers if works(partial(make, *kind))]
    return " ".join(dict.fromkeys(made))


def move_counters(_: Facts) -> str:
    """Move what the kernel counts or keeps for the whole machine: a later match could read it."""
    null = Path("/dev/null")
    device = null.stat().st_mtime_ns
    works(lambda: os.utime(null))

    def begin_session() -> bool:
        before = read_proc("self/autogroup").split()[0]
        os.setsid()
        return read_proc("self/autogroup").split()[0] != before

    moved = {
        "the time of /dev/null": null.stat().st_mtime_ns != device,
        "the number of sessions": in_child(begin_session),
        "the number of logins": in_child(lambda: Path("/proc/self/loginuid").write_text(str(os.getuid()))),
        "the weight of its group": in_child(lambda: Path("/proc/self/autogroup").write_text("19")),
        "the number of socket cookies": works(
            lambda: socket.socket(socket.AF_UNIX).getsockopt(socket.SOL_SOCKET, 57, 8)
        ),
    }
    return ", ".join(name for name, done in moved.items() if done)


def read_figures(_: Facts) -> str:
    """Read figures of the whole machine, which other bots change."""
    seen = [name for name in HIDDEN if works(partial(read_proc, name))]
    before = {name: read_proc(name) for name in CHANGING}
    hog = b"1" * (16 * MIB)
    until = time.monotonic() + 0.05
    while time.monotonic() < until:
        in_child(lambda: True)
    return " ".join(seen + [name for name in CHANGING if hog and read_proc(name) != before[name]])


def make_calls(_: Facts) -> str:
    """Make system calls that no bot needs."""
    allowed = allowed_calls(CALLS)
    for family, number in (("AF_NETLINK", 16), ("AF_VSOCK", 40)):
        try:
            socket.socket(number, socket.SOCK_DGRAM).close()
        except OSError as error:
            if error.errno in REFUSALS:
                continue
        allowed.append(family)
    return " ".join(allowed)


def choose_processors(_: Facts) -> bool:
    """Run on other processors than it was given, perhaps a rival's."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(range(os.cpu_count() or 1)) if len(before) == 1 else {min(before)})
    return os.sched_getaffinity(0) != before


def start_daemon(facts: Facts) -> bool:
    """Start a process that stays, in a session of its own, and whose parent is gone."""

    def leave() -> int:
        os.setsid()
        return fork(partial(stay, facts.ticks))

    return in_child(leave)


def work_unreaped(facts: Facts) -> bool:
    """Use processor time in a child that is never reaped."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with suppress(ChildProcessError):  # raised once the child is gone, as the signal is ignored
        os.waitpid(fork(partial(burn, facts.burn)), 0)
    return True


def work_in_crowd(facts: Facts) -> bool:
    """Use processor time in children that compete with each other, and stay when they are done."""
    read, written = os.pipe()

    def work() -> None:
        burn(facts.burn / facts.crowd)
        os.write(written, b"1")
        signal.pause()

    for _ in range(facts.crowd):
        fork(work)
    done = 0
    while done < facts.crowd:
        done += len(os.read(read, facts.crowd))
    return True
