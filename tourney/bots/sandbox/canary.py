"""A bot that tries to break out; `tourney doctor` and the attack tests look at what it managed.

A program of its own, of the standard library alone, because its file is all that the sandbox shows of it:
`python canary.py JSON`, where JSON names the probes and what they need to know of the host. For each probe
it prints `PROBE could WHAT` or `PROBE could-not WHY`, then `done`, and waits for a line on standard input.
It does no damage without a sandbox: it stops at bounds of its own and removes what it wrote. It is long
because it cannot be divided into several files.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

MIB = 1 << 20
REFUSALS = (errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EAFNOSUPPORT)
VARIABLES = {"PATH", "LANG", "TZ", "HOME", "PYTHONHASHSEED"}
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
CHANGING = ("loadavg", "meminfo", "stat", "uptime")
"""Files of /proc that programs need; their content must be fixed."""
HIDDEN = (
    *("buddyinfo", "cgroups", "diskstats", "interrupts", "schedstat", "softirqs", "vmstat", "zoneinfo"),
    *("sys/fs/dentry-state", "sys/fs/file-nr", "sys/fs/inode-nr", "irq/0/spurious"),
    *("pressure/cpu", "pressure/io", "pressure/memory"),
)
"""Files of /proc on the whole machine that no program needs."""
CLONE_NEWUSER = 0x10000000
FACTS: dict[str, Any] = {}
"""What the command line says of the host."""


class Refused(Exception):  # noqa: N818 - it is no error: it is what is hoped for
    """The attempt failed; the text says why."""


def try_variables() -> str:
    """Find more than the five variables in its environment, or that of another process."""
    found = set(os.environ) - VARIABLES
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        found |= {word.partition(b"=")[0].decode("utf-8", "replace") for word in words if word} - VARIABLES
    return f"saw {len(found)} more variables" if found else ""


def try_read() -> str:
    """Read a file of the host, such as a database."""
    return f"read {FACTS['secret']}" if Path(FACTS["secret"]).read_bytes() else ""


def try_write() -> str:
    """Write to a file of the host."""
    with Path(FACTS["secret"]).open("ab") as file:
        file.write(b"!")
    return f"wrote to {FACTS['secret']}"


def try_home() -> str:
    """Look into the home folder of the tournament's user, beyond what the sandbox shows on purpose."""
    seen = set(FACTS["private"]) & {path.name for path in Path(FACTS["home"]).iterdir()}
    return f"saw {len(seen)} entries of {FACTS['home']}" if seen else ""


def try_shared_tmp() -> str:
    """See files of others in /tmp."""
    return f"saw {FACTS['shared']}" if Path(FACTS["shared"]).exists() else ""


def try_system() -> str:
    """Write to the system's folders."""
    places = []
    for folder in ("/", "/usr", "/usr/lib", "/etc", "/dev", "/bin", "/lib"):
        path = Path(folder) / f"tourney-canary-{os.getpid()}"
        try:
            path.write_bytes(b"")
        except OSError:
            continue
        path.unlink()
        places.append(folder)
    return f"wrote to {' '.join(places)}" if places else ""


def try_own_folder() -> str:
    """Change its own files: another bot would play the next match."""
    path = Path(f"tourney-canary-{os.getpid()}")
    path.write_bytes(b"")
    path.unlink()
    return "wrote to its own folder"


def try_own_pages() -> str:
    """Find the host's own file in its folder, whose cached pages all matches would share."""
    found = Path(FACTS["sample"]).stat()
    return "shares its files with its other matches" if [found.st_dev, found.st_ino] == FACTS["inode"] else ""


def try_host_paths() -> str:
    """Learn where its folder is on the host."""
    folder = bytes.fromhex(FACTS["folder"])
    for name in ("1/cmdline", "self/mountinfo"):
        if folder in Path(f"/proc/{name}").read_bytes():
            return f"read its folder's path in /proc/{name}"
    return "has its folder's path as working directory" if folder == os.fsencode(Path.cwd()) else ""


def try_used_tmp() -> str:
    """Find files in /tmp at its start."""
    found = os.listdir("/tmp")  # noqa: PTH208, S108 - the very place
    return f"found {len(found)} entries in /tmp" if found else ""


def try_fill() -> str:
    """Fill /tmp and /dev/shm with many files."""
    full = []
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - the very places
        written = 0
        with tempfile.TemporaryDirectory(dir=place, prefix="tourney-canary-") as folder:
            try:
                for number in range(FACTS["fill_mb"] // 8):
                    (Path(folder) / str(number)).write_bytes(b"\1" * (8 * MIB))
                    written += 8
            except OSError:
                continue
        full.append(f"{written} MiB to {place}")
    return f"wrote {' and '.join(full)}" if full else ""


def try_see_referee() -> str:
    """Find the referee's process."""
    seen = Path(f"/proc/{FACTS['referee']}/cmdline").read_bytes()
    if seen.hex() != FACTS["referee_words"]:
        raise Refused("another process has its number here")
    return f"saw process {FACTS['referee']}"


def try_signal_referee() -> str:
    """Send the referee a signal (one that does nothing)."""
    try_see_referee()
    os.kill(FACTS["referee"], 0)
    return "may send signals to its referee"


def try_loopback() -> str:
    """Connect to a server on this machine."""
    with socket.create_connection(("127.0.0.1", FACTS["port"]), timeout=5):
        return f"connected to port {FACTS['port']}"


def try_abstract_socket() -> str:
    """Connect to a socket without a file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect("\0" + FACTS["abstract"])
    return "connected to an abstract socket"


def try_routes() -> str:
    """Find a route to any network."""
    routes = Path("/proc/net/route").read_text("ascii").splitlines()[1:]
    return f"has {len(routes)} routes" if routes else ""


def try_privileges() -> str:
    """Have capabilities, or get them from a program that grants them."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    words = dict(line.split(":", 1) for line in lines if ":" in line)
    held = [name for name in ("CapEff", "CapPrm", "CapBnd") if int(words[name], 16)]
    # In a user namespace of its own the bounding set is full, but useless unless a program grants privileges.
    if words["NoNewPrivs"].strip() != "1":
        held.append("new privileges by exec")
    elif held == ["CapBnd"]:
        held = []
    return f"has {', '.join(held)}" if held else ""


def try_user() -> str:
    """Be root, or the user who runs the tournament."""
    if os.getuid() == 0:
        return "is root"
    same = str(Path("/proc/self/ns/user").readlink()) == FACTS["user_namespace"]
    return "is the user who runs the tournament" if same and os.getuid() == FACTS["user"] else ""


def try_namespaces() -> str:
    """Make a user namespace, which gives all privileges on rarely used kernel code."""
    libc = ctypes.CDLL(None, use_errno=True)
    return "made a user namespace" if in_child(lambda: libc.unshare(CLONE_NEWUSER) == 0) else ""


def try_map() -> str:
    """Map more memory than a process may have."""
    size = (FACTS["memory_mb"] + 16) * MIB
    with mmap.mmap(-1, size):
        return f"mapped {size // MIB} MiB"


def try_memory_by_children() -> str:
    """Use more memory than the bot may have, in children that each stay below the limit."""
    share = FACTS["memory_mb"] * MIB // 4
    gate, ready = os.pipe(), os.pipe()
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            os.close(gate[1])
            os.close(ready[0])
            with mmap.mmap(-1, share) as memory:
                for at in range(0, share, mmap.PAGESIZE):
                    memory[at] = 1
                os.write(ready[1], b"!")
                os.close(ready[1])
                os.read(gate[0], 1)
            os._exit(0)
        children.append(child)
    os.close(ready[1])
    heard = b""
    while len(heard) < len(children) and (more := os.read(ready[0], len(children))):
        heard += more
    os.close(gate[1])
    # A child that was killed for another's memory may have reported before.
    ended = [os.waitpid(child, 0)[1] for child in children]
    return f"used {6 * share // MIB} MiB at once" if len(heard) == len(children) and not any(ended) else ""


def try_processes() -> str:
    """Have more processes than a bot may have."""
    children = []
    try:
        for _ in range(FACTS["processes"]):
            child = os.fork()
            if child == 0:
                signal.pause()
                os._exit(0)
            children.append(child)
    except OSError:
        return ""
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
    return f"had {len(children)} processes at once"


def try_open_files() -> str:
    """Have more files open than a bot may have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    files = []
    try:
        for _ in range(FACTS["files"]):
            files.append(os.open(os.devnull, os.O_RDONLY))  # noqa: PERF401 - those that are open are closed
    finally:
        for fd in files:
            os.close(fd)
    return f"had {len(files)} files open"


def try_large_file() -> str:
    """Make a file larger than a bot's may be (a hole: it takes no space)."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        os.ftruncate(file.fileno(), (FACTS["file_mb"] + 1) * MIB)
    return f"made a file of {FACTS['file_mb'] + 1} MiB"


def try_core_dump() -> str:
    """Leave core dumps behind."""
    return "may write core dumps" if resource.getrlimit(resource.RLIMIT_CORE)[1] else ""


def allowed_calls(calls: Mapping[str, tuple[tuple[int, int], tuple[int, ...]]]) -> list[str]:
    """Make these system calls, and return those that were not refused."""
    column = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine)
    if column is None:
        return ["any: they cannot be tried on this machine"]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    allowed = []
    for name, (numbers, arguments) in calls.items():

        def refused(number: int = numbers[column], words: tuple[int, ...] = arguments) -> bool:
            ctypes.set_errno(0)
            done = libc.syscall(*map(ctypes.c_long, (number, *words)))
            return bool(done < 0 and ctypes.get_errno() in REFUSALS)

        if not in_child(refused):
            allowed.append(name)
    return allowed


def try_cache_calls() -> str:
    """Ask which pages of a file are cached."""
    allowed = allowed_calls(CACHE_CALLS)
    fd = os.open("/usr/bin/env", os.O_RDONLY)
    try:
        with suppress(BlockingIOError):
            os.preadv(fd, [bytearray(1)], 0, os.RWF_NOWAIT)
        allowed.append("preadv2")
    except OSError:
        pass
    finally:
        os.close(fd)
    return f"was not refused {' '.join(allowed)}" if allowed else ""


def try_drop_pages() -> str:
    """Advise the kernel to drop a file from its cache."""
    fd = os.open(FACTS["kept"], os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
    return ""


def try_read_pages() -> str:
    """Read a file that is not cached."""
    return "" if Path(FACTS["dropped"]).read_bytes() else "read nothing"


def try_locks() -> str:
    """See a lock of another process, and set a record lock, on a folder of the system."""
    fd = os.open(FACTS["locked"], os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(fd, fcntl.LOCK_UN)
    except BlockingIOError:
        return f"saw a lock on {FACTS['locked']}"
    fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 1, 1, 0))
    other = os.open(FACTS["locked"], os.O_RDONLY)
    question = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0)
    kind = struct.unpack_from("h", fcntl.fcntl(other, fcntl.F_OFD_GETLK, question))[0]
    os.close(other)
    os.close(fd)
    return "" if kind == fcntl.F_UNLCK else f"set a record lock on {FACTS['locked']}"


def try_counters() -> str:
    """Move what the kernel counts or keeps for the whole machine: a later match could read it."""
    moved = []
    null = Path("/dev/null")
    device = null.stat().st_mtime_ns
    with suppress(OSError):
        os.utime(null)
    if null.stat().st_mtime_ns != device:
        moved.append("the time of /dev/null")
    group = Path("/proc/self/autogroup")
    if group.exists():
        before = group.read_text("ascii").split()[0]

        def begin_session() -> bool:
            os.setsid()
            return group.read_text("ascii").split()[0] != before

        if in_child(begin_session):
            moved.append("the number of sessions")
    login = Path("/proc/self/loginuid")
    if login.exists():

        def log_in() -> bool:
            login.write_text(str(os.getuid()), "ascii")
            return True

        if in_child(log_in):
            moved.append("the number of logins")
    with socket.socket(socket.AF_UNIX) as one, suppress(OSError):
        one.getsockopt(socket.SOL_SOCKET, 57, 8)
        moved.append("the number of socket cookies")
    return f"moved {', '.join(moved)}" if moved else ""


def try_watches() -> str:
    """Watch what other processes read of the system."""
    if ctypes.CDLL(None, use_errno=True).inotify_init1(0) >= 0:
        return "may watch files"
    fd = os.open("/usr", os.O_RDONLY | os.O_DIRECTORY)
    fcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    os.close(fd)
    return "may watch folders"


def try_other_sockets() -> str:
    """Make sockets that are not UNIX ones."""
    made = []
    for name, family, kind in (
        ("AF_INET", 2, socket.SOCK_STREAM),
        ("AF_INET", 2, socket.SOCK_DGRAM),
        ("AF_INET6", 10, socket.SOCK_DGRAM),
        ("AF_NETLINK", 16, socket.SOCK_RAW),
        ("AF_TIPC", 30, socket.SOCK_STREAM),
        ("AF_VSOCK", 40, socket.SOCK_STREAM),
    ):
        for make in (socket.socket, socket.socketpair):
            try:
                made_now = make(family, kind)
            except OSError:
                continue
            made.append(name)
            for one in made_now if isinstance(made_now, tuple) else (made_now,):
                one.close()
    return f"made {' '.join(dict.fromkeys(made))}" if made else ""


def try_queued_memory() -> str:
    """Queue more data in sockets than the bot's memory, in children that hold them."""
    gate, ready = os.pipe(), os.pipe()
    share = (FACTS["memory_mb"] + 64) * MIB // 4
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            os.close(gate[1])
            os.close(ready[0])
            os._exit(0 if hold_queued(share, ready[1], gate[0]) else 1)
        children.append(child)
    os.close(ready[1])
    heard = b""
    while len(heard) < len(children) and (more := os.read(ready[0], len(children))):
        heard += more
    os.close(gate[1])
    ended = [os.waitpid(child, 0)[1] for child in children]
    full = len(heard) == len(children) and not any(ended)
    return f"queued {4 * share // MIB} MiB at once" if full else ""


def hold_queued(size: int, ready: int, gate: int) -> bool:
    """Queue so many bytes in sockets, say so, and hold them until the gate closes; False if it is refused."""
    queued, data = 0, b"1" * 65_536
    pairs = []
    while queued < size:
        pairs.append(socket.socketpair())
        for one in pairs[-1]:
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MIB)
            with suppress(BlockingIOError):
                while queued < size:
                    queued += one.send(data)
    os.write(ready, b"!")
    os.close(ready)
    os.read(gate, 1)
    return True


def try_figures() -> str:
    """Read figures of the whole machine, which other bots change."""
    seen = []
    for name in HIDDEN:
        with suppress(OSError):
            if Path(f"/proc/{name}").read_bytes():
                seen.append(name)
    before = {name: Path(f"/proc/{name}").read_bytes() for name in CHANGING}
    hog = b"1" * (16 * MIB)
    until = time.monotonic() + 0.05
    while time.monotonic() < until:
        in_child(lambda: True)
    seen += [name for name in CHANGING if hog and Path(f"/proc/{name}").read_bytes() != before[name]]
    return f"read {' '.join(seen)}" if seen else ""


def try_system_calls() -> str:
    """Make system calls that no bot needs."""
    allowed = allowed_calls(CALLS)
    for family, number in (("AF_NETLINK", 16), ("AF_VSOCK", 40)):
        try:
            socket.socket(number, socket.SOCK_DGRAM).close()
        except OSError as error:
            if error.errno in REFUSALS:
                continue
        allowed.append(family)
    return f"was not refused {' '.join(allowed)}" if allowed else ""


def try_processors() -> str:
    """Run on other processors than it was given, perhaps a rival's."""
    before = os.sched_getaffinity(0)
    wanted = set(range(os.cpu_count() or 1)) if len(before) == 1 else {min(before)}
    os.sched_setaffinity(0, wanted)
    return "chose its processors" if os.sched_getaffinity(0) != before else ""


def try_child() -> str:
    """Start a process that stays."""
    if os.fork() == 0:
        stay()
    return "started a process"


def try_daemon() -> str:
    """Start a process that stays, in a session of its own, and whose parent is gone."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            stay()
        os._exit(0)
    os.waitpid(child, 0)
    return "started a process in a session of its own"


def try_unreaped_child() -> str:
    """Use processor time in a child that is never reaped."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        while time.process_time() < FACTS["burn"]:
            pass
        os._exit(0)
    with suppress(ChildProcessError):  # raised once the child is gone, as the signal is ignored
        os.waitpid(child, 0)
    return f"used {FACTS['burn']} s"


def try_crowd() -> str:
    """Use processor time in children that compete with each other, and stay when they are done."""
    read, written = os.pipe()
    for _ in range(FACTS["crowd"]):
        if os.fork() == 0:
            while time.process_time() < FACTS["burn"] / FACTS["crowd"]:
                pass
            os.write(written, b"1")
            signal.pause()
    done = 0
    while done < FACTS["crowd"]:
        done += len(os.read(read, FACTS["crowd"]))
    return f"used {FACTS['burn']} s in {FACTS['crowd']} children"


PROBES: dict[str, Callable[[], str]] = {
    name.removeprefix("try_").replace("_", "-"): function
    for name, function in list(globals().items())
    if name.startswith("try_")
}
"""What can be tried, by name. A probe returns what it managed; "" or an exception means that it failed."""


def stay() -> None:
    """Stay for at most a minute, and print ticks if the command line asks for them."""
    signal.alarm(60)
    while True:
        if FACTS.get("ticks"):
            os.write(1, b"tick\n")
        time.sleep(0.005)


def in_child(attempt: Callable[[], bool]) -> bool:
    """Try something in a child, whose end undoes what it did to itself."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if attempt() else 1)
        except BaseException:  # noqa: BLE001 - the child must not go on as its parent
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def attempt(name: str) -> tuple[bool, str]:
    """Try a probe; return whether it worked, and what it managed or why not."""
    try:
        what = PROBES[name]()
    except (OSError, ValueError, MemoryError, Refused) as error:
        return False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    return bool(what), what or "held back"


def main() -> None:
    """Try the probes of the command line, and wait."""
    FACTS.update(json.loads(sys.argv[1]))
    for name in FACTS["probes"]:
        worked, words = attempt(name)
        line = f"{name} {'could' if worked else 'could-not'} {' '.join(words.split())[:300]}\n"
        os.write(1, line.encode("utf-8", "replace"))
    os.write(1, b"done\n")
    sys.stdin.readline()


if __name__ == "__main__":
    main()
