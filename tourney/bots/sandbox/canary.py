"""A bot that tries to break out; `tourney doctor` and the attack tests examine its success.

A program of its own, of the standard library alone: this file and ``canary_tools`` are copied to the bot's
folder. `python -m tourney.bots.sandbox.canary JSON`, where JSON holds ``Facts``, prints for each probe
`PROBE could WHAT` or `PROBE could-not WHY`, then `done`, and waits for a line on standard input. It does no
damage without a sandbox: it stops at bounds of its own and removes what it wrote.
"""

import fcntl
import json
import mmap
import os
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from resource import RLIMIT_CORE, RLIMIT_NOFILE, getrlimit, setrlimit

from tourney.bots.sandbox import canary_tools as tools
from tourney.bots.sandbox.canary_tools import LIBC, MIB, Facts, fork, in_child, read_proc, works

CLONE_NEWUSER = 0x10000000
FILL_MB = 160


def _find_variables(_: Facts) -> int:
    variables = set(os.environ)
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            words = path.read_bytes().split(b"\0")
            variables |= {word.partition(b"=")[0].decode("utf-8", "replace") for word in words if word}
    return len(variables - tools.VARIABLES)


def _append_to_secret(facts: Facts) -> int:
    with Path(facts.secret).open("ab") as file:
        return file.write(b"!")


def _find_own_folder(facts: Facts) -> str:
    folder = bytes.fromhex(facts.folder)
    for name in ("1/cmdline", "self/mountinfo"):
        if folder in read_proc(name):
            return f"read its folder's path in /proc/{name}"
    return "has its folder's path as working directory" if folder == os.fsencode(Path.cwd()) else ""


def _fill_places(_: Facts) -> str:
    full = []
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - the very places
        files = range(FILL_MB // 8)
        with tempfile.TemporaryDirectory(dir=place, prefix="tourney-canary-") as folder, suppress(OSError):
            written = [(Path(folder) / str(file)).write_bytes(b"\1" * (8 * MIB)) for file in files]
            full.append(f"{sum(written) // MIB} MiB to {place}")
    return " and ".join(full)


def _see_referee(facts: Facts) -> bool:
    if read_proc(f"{facts.referee}/cmdline").hex() != facts.referee_words:
        raise ValueError("another process has its number here")
    return True


def _signal_referee(facts: Facts) -> bool:
    """Send the referee a signal (one that does nothing)."""
    _see_referee(facts)
    os.kill(facts.referee, 0)
    return True


def _connect_abstract(facts: Facts) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(f"\0tourney-doctor-{facts.token}")
    return True


def _list_privileges(_: Facts) -> str:
    lines = read_proc("self/status").decode().splitlines()
    words = dict(line.split(":", 1) for line in lines if ":" in line)
    held = [name for name in ("CapEff", "CapPrm", "CapBnd") if int(words[name], 16)]
    # In a user namespace of its own the bounding set is full, but useless unless a program grants privileges.
    if words["NoNewPrivs"].strip() != "1":
        held.append("new privileges by exec")
    elif held == ["CapBnd"]:
        held = []
    return ", ".join(held)


def _own_user(facts: Facts) -> str:
    if os.getuid() == 0:
        return "root"
    same = str(Path("/proc/self/ns/user").readlink()) == facts.user_namespace
    return "the user who runs the tournament" if same and os.getuid() == facts.user else ""


def _use_memory(facts: Facts) -> int:
    """Use more memory than the bot may have, in children that each stay below the limit."""
    share = facts.memory_mb * MIB // 4

    def fill() -> object:
        memory = mmap.mmap(-1, share)
        for at in range(0, share, mmap.PAGESIZE):
            memory[at] = 1
        return memory

    return tools.all_at_once(6, fill) * 6 * share // MIB


def _queue_memory(facts: Facts) -> int:
    """Queue more data in sockets than the bot's memory, in children that hold them."""
    share = (facts.memory_mb + 64) * MIB // 4

    def queue() -> object:
        queued = 0
        data = b"1" * 65_536
        pairs = []
        while queued < share:
            pairs.append(socket.socketpair())
            for end in pairs[-1]:
                end.setblocking(False)
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MIB)
                with suppress(BlockingIOError):
                    while queued < share:
                        queued += end.send(data)
        return pairs

    return tools.all_at_once(4, queue) * 4 * share // MIB


def _have_processes(facts: Facts) -> int:
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


def _open_files(facts: Facts) -> int:
    hard = getrlimit(RLIMIT_NOFILE)[1]
    setrlimit(RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        for _ in range(facts.files):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    return facts.files


def _make_large_file(facts: Facts) -> int:
    """Make a file larger than a bot's may be (a hole: it takes no space)."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        os.ftruncate(file.fileno(), (facts.file_mb + 1) * MIB)
    return facts.file_mb + 1


def _ask_cache(_: Facts) -> str:
    allowed = tools.allowed_calls(tools.CACHE_CALLS)
    for name in tools.PAGE_NOTES:
        look = partial(Path(f"/proc/thread-self/{name}").open, "wb" if name == "clear_refs" else "rb")
        if works(look) or in_child(look):
            allowed.append(name)
    with Path("/usr/bin/env").open("rb") as file, suppress(OSError):
        with suppress(BlockingIOError):
            os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
        allowed.append("preadv2")
    return " ".join(allowed)


def _drop_pages(facts: Facts) -> None:
    """Advise the kernel to drop a file from its cache; the referee looks whether it did."""
    with Path(facts.kept).open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _use_locks(facts: Facts) -> str:
    fd = os.open(facts.locked, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(fd, fcntl.LOCK_UN)
    except BlockingIOError:
        return "saw a lock"
    fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 1, 1, 0))
    second_file = os.open(facts.locked, os.O_RDONLY)  # a lock is seen only through another open file
    question = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0)
    kind = struct.unpack_from("h", fcntl.fcntl(second_file, fcntl.F_OFD_GETLK, question))[0]
    os.close(second_file)
    os.close(fd)
    return "" if kind == fcntl.F_UNLCK else "set a record lock"


def _use_watches(_: Facts) -> str:
    if LIBC.inotify_init1(0) >= 0:
        return "files"
    fd = os.open("/usr", os.O_RDONLY | os.O_DIRECTORY)
    fcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    os.close(fd)
    return "folders"


def _make_sockets(_: Facts) -> str:
    makers: tuple[Callable[[int, int], object], ...] = (socket.socket, socket.socketpair)
    made = [name for name, *kind in tools.SOCKETS for make in makers if works(partial(make, *kind))]
    return " ".join(dict.fromkeys(made))


def _move_counters(_: Facts) -> str:
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


def _read_figures(_: Facts) -> str:
    seen = [name for name in tools.HIDDEN if works(partial(read_proc, name))]
    before = {name: read_proc(name) for name in tools.CHANGING}
    hog = b"1" * (16 * MIB)
    until = time.monotonic() + 0.05
    while time.monotonic() < until:
        in_child(lambda: True)
    return " ".join(seen + [name for name in tools.CHANGING if hog and read_proc(name) != before[name]])


def _make_calls(_: Facts) -> str:
    allowed = tools.allowed_calls(tools.CALLS)
    for family, number in (("AF_NETLINK", 16), ("AF_VSOCK", 40)):
        try:
            socket.socket(number, socket.SOCK_DGRAM).close()
        except OSError as error:
            if error.errno in tools.REFUSALS:
                continue
        allowed.append(family)
    return " ".join(allowed)


def _choose_processors(_: Facts) -> bool:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1) if len(before) == 1 else {min(before)})
    return os.sched_getaffinity(0) != before


def _start_daemon(facts: Facts) -> bool:
    """Start a process that stays, in a session of its own, and whose parent is gone."""

    def leave() -> int:
        os.setsid()
        return fork(partial(tools.stay, facts.ticks))

    return in_child(leave)


def _work_unreaped(facts: Facts) -> bool:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with suppress(ChildProcessError):  # raised once the child is gone, as the signal is ignored
        os.waitpid(fork(partial(tools.burn, facts.burn)), 0)
    return True


def _work_in_crowd(facts: Facts) -> bool:
    """Use processor time in children that compete with each other, and stay when they are done."""
    read, written = os.pipe()

    def work() -> None:
        tools.burn(facts.burn / facts.crowd)
        os.write(written, b"1")
        signal.pause()

    for _ in range(facts.crowd):
        fork(work)
    done = 0
    while done < facts.crowd:
        done += len(os.read(read, facts.crowd))
    return True


def _connect_loopback(facts: Facts) -> socket.socket:
    return socket.create_connection(("127.0.0.1", facts.port), timeout=5)


def _write_to_system(_: Facts) -> str:
    return " ".join(folder for folder in tools.SYSTEM if works(partial(tools.write_file, folder)))


def _see_private(facts: Facts) -> str:
    """Look for private entries by name: bots may enter folders that they cannot list."""
    paths = [f"{folder}/{name}" for folder, names in facts.private for name in names]
    seen = [path for path in paths if os.path.exists(path)]  # noqa: PTH110 - it raises nothing
    return f"{seen[0]} and {len(seen) - 1} more" if len(seen) > 1 else "".join(seen)


def _is_original(facts: Facts) -> bool:
    return [(status := Path(facts.sample).stat()).st_dev, status.st_ino] == facts.inode


def _make_namespace(_: Facts) -> bool:
    return in_child(lambda: LIBC.unshare(CLONE_NEWUSER) == 0)


def _map_memory(facts: Facts) -> int:
    return len(mmap.mmap(-1, (facts.memory_mb + 16) * MIB)) // MIB


Probe = tuple[Callable[[Facts], object], str]
"""An attempt, and the sentence on what it returned (``{}``); with nothing, or an error, it has failed."""

_ROWS: tuple[tuple[str, str, Callable[[Facts], object], str], ...] = (
    ("environment", "variables", _find_variables, "saw {} more variables"),
    ("process-table", "see-referee", _see_referee, "saw process {referee}"),
    ("process-table", "signal-referee", _signal_referee, "may send signals to its referee"),
    ("network", "loopback", _connect_loopback, "connected to port {port}"),
    ("network", "abstract-socket", _connect_abstract, "connected to an abstract socket"),
    ("network", "routes", lambda _: len(read_proc("net/route").splitlines()[1:]), "has {} routes"),
    ("system", "system", _write_to_system, "wrote to {}"),
    ("host-files", "read", lambda facts: Path(facts.secret).read_bytes(), "read {secret}"),
    ("host-files", "write", _append_to_secret, "wrote to {secret}"),
    ("host-files", "private-entries", _see_private, "saw {}"),
    ("host-files", "host-paths", _find_own_folder, "{}"),
    ("bot-folder", "own-folder", lambda _: tools.write_file("."), "wrote to its own folder"),
    ("private-files", "own-pages", _is_original, "shares its files with its other matches"),
    ("private-tmp", "used-tmp", lambda _: len(os.listdir("/tmp")), "found {} entries in /tmp"),  # noqa: PTH208, S108 - the very place
    ("private-tmp", "shared-tmp", lambda facts: Path(facts.shared).exists(), "saw {shared}"),
    ("private-tmp", "fill", _fill_places, "wrote {}"),
    ("privileges", "privileges", _list_privileges, "has {}"),
    ("own-user", "user", _own_user, "is {}"),
    ("user-namespaces", "namespaces", _make_namespace, "made a user namespace"),
    ("address-space", "map", _map_memory, "mapped {} MiB"),
    ("total-memory", "memory-by-children", _use_memory, "used {} MiB at once"),
    ("process-count", "processes", _have_processes, "had {} processes at once"),
    ("open-files", "open-files", _open_files, "had {} files open"),
    ("file-size", "large-file", _make_large_file, "made a file of {} MiB"),
    ("core-dumps", "core-dump", lambda _: getrlimit(RLIMIT_CORE)[1], "may write core dumps"),
    ("system-calls", "system-calls", _make_calls, "was not refused {}"),
    ("file-locks", "locks", _use_locks, "{} on {locked}"),
    ("file-locks", "watches", _use_watches, "may watch {}"),
    ("sockets", "other-sockets", _make_sockets, "made {}"),
    ("sockets", "queued-memory", _queue_memory, "queued {} MiB at once"),
    ("system-figures", "figures", _read_figures, "read {}"),
    ("system-figures", "counters", _move_counters, "moved {}"),
    ("processors", "processors", _choose_processors, "chose its processors"),
    ("", "cache-calls", _ask_cache, "was not refused {}"),
    ("", "drop-pages", _drop_pages, ""),
    ("", "read-pages", lambda facts: not Path(facts.dropped).read_bytes(), "read nothing"),
    ("", "child", lambda facts: fork(partial(tools.stay, facts.ticks)), "started a process"),
    ("", "daemon", _start_daemon, "started a process in a session of its own"),
    ("", "unreaped-child", _work_unreaped, "used {burn} s"),
    ("", "crowd", _work_in_crowd, "used {burn} s in {crowd} children"),
)
"""Protection, name, attempt and sentence of each; without the first, the effect is observed from outside."""

PROBES: Mapping[str, Probe] = {name: (probe, words) for _, name, probe, words in _ROWS}
TRIED: Mapping[str, list[str]] = {
    tried: [name for protection, name, *_ in _ROWS if protection == tried] for tried, *_ in _ROWS if tried
}
"""The probes for each protection that a canary can try by itself."""


def _attempt(name: str, facts: Facts) -> tuple[bool, str]:
    """Whether a probe worked, and its result or the reason that it failed."""
    probe, words = PROBES[name]
    try:
        gain = probe(facts)
    except (OSError, ValueError, MemoryError) as error:
        return False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    return (True, words.format(gain, **facts._asdict())) if gain else (False, "held back")


def main() -> None:
    """Try the probes of the command line, and wait."""
    facts = Facts(**json.loads(sys.argv[1]))
    for name in facts.probes:
        worked, words = _attempt(name, facts)
        line = f"{name} {'could' if worked else 'could-not'} {' '.join(words.split())[:300]}\n"
        os.write(1, line.encode("utf-8", "replace"))
    os.write(1, b"done\n")
    sys.stdin.readline()


if __name__ == "__main__":
    main()
