"""A bot that tries what it must not; `tourney doctor` and the attack tests look what it could do.

A program of its own, with nothing but the standard library: `python canary.py JSON`, where JSON names the
probes and tells what they need to know of the host. For each it prints a line, `PROBE could WHAT` or
`PROBE could-not WHY`; then it waits for a line on standard input. It does no damage where nothing contains
it: it stops at bounds of its own, and takes away what it wrote. It is one file, however many probes there
are, because a bot's folder with this file alone is what is put into the sandbox.
"""

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MIB = 1 << 20
REFUSALS = (errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EAFNOSUPPORT)
VARIABLES = {"PATH", "LANG", "TZ", "HOME", "PYTHONHASHSEED"}
CALLS = {
    # name: numbers on x86_64 and aarch64, arguments that do nothing where the call is allowed
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
CLONE_NEWUSER = 0x10000000
Facts = dict[str, Any]


class Refused(Exception):  # noqa: N818 - it is no error: it is what is hoped for
    """The attack did not work; the text says why."""


def could_read(facts: Facts) -> str:
    """Read a file of the host: a database, say, or another bot's."""
    return f"read {facts['secret']}" if Path(facts["secret"]).read_bytes() else ""


def could_write(facts: Facts) -> str:
    """Write to a file of the host."""
    with Path(facts["secret"]).open("ab") as file:
        file.write(b"!")
    return f"wrote to {facts['secret']}"


def could_list_home(facts: Facts) -> str:
    """Look into the home folder of whoever runs the tournament, past what it was shown on purpose."""
    seen = set(facts["private"]) & {path.name for path in Path(facts["home"]).iterdir()}
    return f"saw {len(seen)} entries of {facts['home']}" if seen else ""


def could_share_tmp(facts: Facts) -> str:
    """See what others have in /tmp."""
    return f"saw {facts['shared']}" if Path(facts["shared"]).exists() else ""


def could_write_system(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Write where the system's files lie."""
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


def could_write_own_folder(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Change its own files: the next match would be played by another bot."""
    path = Path(f"tourney-canary-{os.getpid()}")
    path.write_bytes(b"")
    path.unlink()
    return "wrote to its own folder"


def could_fill(facts: Facts) -> str:
    """Fill /tmp and /dev/shm, by many files."""
    full = []
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - the very places
        written = 0
        with tempfile.TemporaryDirectory(dir=place, prefix="tourney-canary-") as folder:
            try:
                for number in range(facts["fill_mb"] // 8):
                    (Path(folder) / str(number)).write_bytes(b"\1" * (8 * MIB))
                    written += 8
            except OSError:
                continue
        full.append(f"{written} MiB to {place}")
    return f"wrote {' and '.join(full)}" if full else ""


def could_see_referee(facts: Facts) -> str:
    """Find the process that referees."""
    seen = Path(f"/proc/{facts['referee']}/cmdline").read_bytes()
    if seen.hex() != facts["referee_words"]:
        raise Refused("another process has its number here")
    return f"saw process {facts['referee']}"


def could_signal_referee(facts: Facts) -> str:
    """Send it a signal (none that does anything)."""
    could_see_referee(facts)
    os.kill(facts["referee"], 0)
    return "may send signals to its referee"


def could_connect(facts: Facts) -> str:
    """Connect to a server on this machine."""
    with socket.create_connection(("127.0.0.1", facts["port"]), timeout=5):
        return f"connected to port {facts['port']}"


def could_connect_abstract(facts: Facts) -> str:
    """Connect to a socket without a file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect("\0" + facts["abstract"])
    return "connected to an abstract socket"


def could_route(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Reach any network at all."""
    routes = Path("/proc/net/route").read_text("ascii").splitlines()[1:]
    return f"has {len(routes)} routes" if routes else ""


def could_have_rights(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Have capabilities, or get them by a program that gives them."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    words = dict(line.split(":", 1) for line in lines if ":" in line)
    rights = [name for name in ("CapEff", "CapPrm", "CapBnd") if int(words[name], 16)]
    # In a user namespace of its own the bounding set is full and worth nothing as long as no program helps.
    if words["NoNewPrivs"].strip() != "1":
        rights.append("new privileges by exec")
    elif rights == ["CapBnd"]:
        rights = []
    return f"has {', '.join(rights)}" if rights else ""


def could_be_somebody(facts: Facts) -> str:
    """Be root, or whoever runs the tournament."""
    if os.getuid() == 0:
        return "is root"
    same = str(Path("/proc/self/ns/user").readlink()) == facts["user_namespace"]
    return "is the user who runs the tournament" if same and os.getuid() == facts["user"] else ""


def could_make_namespace(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Make a user namespace: all rights, inside, on kernel code that few others reach."""
    libc = ctypes.CDLL(None, use_errno=True)
    return "made a user namespace" if in_child(lambda: libc.unshare(CLONE_NEWUSER) == 0) else ""


def could_map(facts: Facts) -> str:
    """Map more memory than a process may have."""
    size = (facts["memory_mb"] + 16) * MIB
    with mmap.mmap(-1, size):
        return f"mapped {size // MIB} MiB"


def could_share_out_memory(facts: Facts) -> str:
    """Use more memory than the bot may have, by children none of which has too much."""
    share = facts["memory_mb"] * MIB // 4
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
    # The one that was killed for another's memory may have been done by then.
    ended = [os.waitpid(child, 0)[1] for child in children]
    return f"used {6 * share // MIB} MiB at once" if len(heard) == len(children) and not any(ended) else ""


def could_fork(facts: Facts) -> str:
    """Have more processes than a bot may have."""
    children = []
    try:
        for _ in range(facts["processes"]):
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


def could_open(facts: Facts) -> str:
    """Have more files open than a bot may have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    files = []
    try:
        for _ in range(facts["files"]):
            files.append(os.open(os.devnull, os.O_RDONLY))  # noqa: PERF401 - those that are open are closed
    finally:
        for fd in files:
            os.close(fd)
    return f"had {len(files)} files open"


def could_make_large_file(facts: Facts) -> str:
    """Make a file that is larger than a bot's may be (a hole: it takes no room)."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        os.ftruncate(file.fileno(), (facts["file_mb"] + 1) * MIB)
    return f"made a file of {facts['file_mb'] + 1} MiB"


def could_dump_core(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Leave core dumps behind."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    return "may write core dumps" if hard else ""


def could_call(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Make system calls that no bot needs."""
    column = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine)
    if column is None:
        return "cannot be tried on this machine"
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    allowed = []
    for name, (numbers, arguments) in CALLS.items():

        def refused(number: int = numbers[column], words: tuple[int, ...] = arguments) -> bool:
            ctypes.set_errno(0)
            done = libc.syscall(*map(ctypes.c_long, (number, *words)))
            return bool(done < 0 and ctypes.get_errno() in REFUSALS)

        if not in_child(refused):
            allowed.append(name)
    for family, number in (("AF_NETLINK", 16), ("AF_VSOCK", 40)):
        try:
            socket.socket(number, socket.SOCK_DGRAM).close()
        except OSError as error:
            if error.errno in REFUSALS:
                continue
        allowed.append(family)
    return f"was not refused {' '.join(allowed)}" if allowed else ""


def could_move(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Run on other processors than it was given, which may be a rival's."""
    before = os.sched_getaffinity(0)
    wanted = set(range(os.cpu_count() or 1)) if len(before) == 1 else {min(before)}
    os.sched_setaffinity(0, wanted)
    return "chose its processors" if os.sched_getaffinity(0) != before else ""


def could_see_variables(facts: Facts) -> str:  # noqa: ARG001 - a probe like the others
    """Find more in its environment, or its ancestors', than the five variables."""
    found = set(os.environ) - VARIABLES
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        found |= {word.partition(b"=")[0].decode("utf-8", "replace") for word in words if word} - VARIABLES
    return f"saw {len(found)} more variables" if found else ""


def could_leave_child(facts: Facts) -> str:
    """Start a process that stays."""
    if os.fork() == 0:
        stay(facts)
    return "started a process"


def could_leave_daemon(facts: Facts) -> str:
    """Start a process that stays, in a session of its own, whose parent is gone."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            stay(facts)
        os._exit(0)
    os.waitpid(child, 0)
    return "started a process in a session of its own"


def could_work_unseen(facts: Facts) -> str:
    """Use processor time by a child that nobody waits for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        while time.process_time() < facts["burn"]:
            pass
        os._exit(0)
    with suppress(ChildProcessError):  # as the signal is ignored: once the child is gone
        os.waitpid(child, 0)
    return f"used {facts['burn']} s"


PROBES: dict[str, Callable[[Facts], str]] = {
    "variables": could_see_variables,
    "read": could_read,
    "write": could_write,
    "home": could_list_home,
    "shared-tmp": could_share_tmp,
    "system": could_write_system,
    "own-folder": could_write_own_folder,
    "fill": could_fill,
    "see-referee": could_see_referee,
    "signal-referee": could_signal_referee,
    "loopback": could_connect,
    "abstract-socket": could_connect_abstract,
    "routes": could_route,
    "rights": could_have_rights,
    "somebody": could_be_somebody,
    "namespaces": could_make_namespace,
    "map": could_map,
    "memory-by-children": could_share_out_memory,
    "processes": could_fork,
    "open-files": could_open,
    "large-file": could_make_large_file,
    "core-dump": could_dump_core,
    "system-calls": could_call,
    "processors": could_move,
    "child": could_leave_child,
    "daemon": could_leave_daemon,
    "unseen-work": could_work_unseen,
}
"""What can be tried, by name."""


def stay(facts: Facts) -> None:
    """Stay for a while, and say so again and again if that is wanted; never longer than a minute."""
    signal.alarm(60)
    while True:
        if facts.get("ticks"):
            os.write(1, b"tick\n")
        time.sleep(0.005)


def in_child(probe: Callable[[], bool]) -> bool:
    """Try something in a child, which is gone afterwards with all that it did to itself."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if probe() else 1)
        except BaseException:  # noqa: BLE001 - whatever it is, it did not work
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def attempt(name: str, facts: Facts) -> tuple[bool, str]:
    """Try a probe; say whether it worked, and what it did or why not."""
    try:
        what = PROBES[name](facts)
    except (OSError, ValueError, MemoryError, Refused) as error:
        return False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    return bool(what), what or "held back"


def main() -> None:
    """Try the probes of the command line, and wait."""
    plan = json.loads(sys.argv[1])
    for name in plan["probes"]:
        worked, words = attempt(name, plan)
        line = f"{name} {'could' if worked else 'could-not'} {' '.join(words.split())[:300]}\n"
        os.write(1, line.encode("utf-8", "replace"))
    os.write(1, b"done\n")
    sys.stdin.readline()


if __name__ == "__main__":
    main()
