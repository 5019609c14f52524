"""A bot that tries to break out; `tourney doctor` and the attack tests look at what it managed.

A program of its own, of the standard library alone: this file and the two that it imports are copied to the
bot's folder. `python -m tourney.bots.sandbox.canary JSON`, where JSON holds ``Facts``, prints for each probe
`PROBE could WHAT` or `PROBE could-not WHY`, then `done`, and waits for a line on standard input. It does no
damage without a sandbox: it stops at bounds of its own and removes what it wrote.
"""

import json
import mmap
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tourney.bots.sandbox.canary_attempts import (
    append_to_secret,
    ask_cache,
    choose_processors,
    connect_abstract,
    drop_pages,
    fill_places,
    find_own_folder,
    find_variables,
    have_processes,
    list_privileges,
    make_calls,
    make_large_file,
    make_sockets,
    move_counters,
    open_files,
    own_user,
    queue_memory,
    read_figures,
    see_referee,
    signal_referee,
    start_daemon,
    use_locks,
    use_memory,
    use_watches,
    work_in_crowd,
    work_unreaped,
)
from tourney.bots.sandbox.canary_tools import (
    LIBC,
    MIB,
    Facts,
    fork,
    in_child,
    read_proc,
    stay,
    works,
    write_file,
)

SYSTEM = ("/", "/usr", "/usr/lib", "/etc", "/dev", "/bin", "/lib")
CLONE_NEWUSER = 0x10000000

Probe = tuple[Callable[[Facts], object], str]
"""An attempt, and the sentence on what it returned (``{}``); with nothing, or an error, it has failed."""

TRIED: Mapping[str, Mapping[str, Probe]] = {
    "environment": {
        "variables": (find_variables, "saw {} more variables"),
    },
    "process-table": {
        "see-referee": (see_referee, "saw process {referee}"),
        "signal-referee": (signal_referee, "may send signals to its referee"),
    },
    "network": {
        "loopback": (
            lambda facts: socket.create_connection(("127.0.0.1", facts.port), timeout=5),
            "connected to port {port}",
        ),
        "abstract-socket": (connect_abstract, "connected to an abstract socket"),
        "routes": (lambda _: len(read_proc("net/route").splitlines()[1:]), "has {} routes"),
    },
    "system": {
        "system": (lambda _: " ".join(f for f in SYSTEM if works(partial(write_file, f))), "wrote to {}"),
    },
    "host-files": {
        "read": (lambda facts: Path(facts.secret).read_bytes(), "read {secret}"),
        "write": (append_to_secret, "wrote to {secret}"),
        "home": (
            lambda facts: len(set(facts.private) & {path.name for path in Path(facts.home).iterdir()}),
            "saw {} entries of {home}",
        ),
        "host-paths": (find_own_folder, "{}"),
    },
    "bot-folder": {
        "own-folder": (lambda _: write_file("."), "wrote to its own folder"),
    },
    "private-files": {
        "own-pages": (
            lambda facts: [Path(facts.sample).stat().st_dev, Path(facts.sample).stat().st_ino] == facts.inode,
            "shares its files with its other matches",
        ),
    },
    "private-tmp": {
        "used-tmp": (lambda _: len(list(Path("/tmp").iterdir())), "found {} entries in /tmp"),  # noqa: S108 - the very place
        "shared-tmp": (lambda facts: Path(facts.shared).exists(), "saw {shared}"),
        "fill": (fill_places, "wrote {}"),
    },
    "privileges": {
        "privileges": (list_privileges, "has {}"),
    },
    "own-user": {
        "user": (own_user, "is {}"),
    },
    "user-namespaces": {
        "namespaces": (
            # A namespace gives all privileges on rarely used kernel code.
            lambda _: in_child(lambda: LIBC.unshare(CLONE_NEWUSER) == 0),
            "made a user namespace",
        ),
    },
    "address-space": {
        "map": (lambda facts: len(mmap.mmap(-1, (facts.memory_mb + 16) * MIB)) // MIB, "mapped {} MiB"),
    },
    "total-memory": {
        "memory-by-children": (use_memory, "used {} MiB at once"),
    },
    "process-count": {
        "processes": (have_processes, "had {} processes at once"),
    },
    "open-files": {
        "open-files": (open_files, "had {} files open"),
    },
    "file-size": {
        "large-file": (make_large_file, "made a file of {} MiB"),
    },
    "core-dumps": {
        "core-dump": (lambda _: resource.getrlimit(resource.RLIMIT_CORE)[1], "may write core dumps"),
    },
    "system-calls": {
        "system-calls": (make_calls, "was not refused {}"),
    },
    "file-locks": {
        "locks": (use_locks, "{} on {locked}"),
        "watches": (use_watches, "may watch {}"),
    },
    "sockets": {
        "other-sockets": (make_sockets, "made {}"),
        "queued-memory": (queue_memory, "queued {} MiB at once"),
    },
    "system-figures": {
        "figures": (read_figures, "read {}"),
        "counters": (move_counters, "moved {}"),
    },
    "processors": {
        "processors": (choose_processors, "chose its processors"),
    },
}
"""The probes for each protection that a canary can try by itself, by name."""

OBSERVED: Mapping[str, Probe] = {
    "cache-calls": (ask_cache, "was not refused {}"),
    "drop-pages": (drop_pages, ""),
    "read-pages": (lambda facts: not Path(facts.dropped).read_bytes(), "read nothing"),
    "child": (lambda facts: fork(partial(stay, facts.ticks)), "started a process"),
    "daemon": (start_daemon, "started a process in a session of its own"),
    "unreaped-child": (work_unreaped, "used {burn} s"),
    "crowd": (work_in_crowd, "used {burn} s in {crowd} children"),
}
"""Probes whose effect is observed from outside."""

PROBES: Mapping[str, Probe] = {
    name: probe for probes in (*TRIED.values(), OBSERVED) for name, probe in probes.items()
}


def attempt(name: str, facts: Facts) -> tuple[bool, str]:
    """Try a probe; return whether it worked, and what it managed or why not."""
    probe, words = PROBES[name]
    try:
        found = probe(facts)
    except (OSError, ValueError, MemoryError) as error:
        return False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    return (True, words.format(found, **facts._asdict())) if found else (False, "held back")


def main() -> None:
    """Try the probes of the command line, and wait."""
    facts = Facts(**json.loads(sys.argv[1]))
    for name in facts.probes:
        worked, words = attempt(name, facts)
        line = f"{name} {'could' if worked else 'could-not'} {' '.join(words.split())[:300]}\n"
        os.write(1, line.encode("utf-8", "replace"))
    os.write(1, b"done\n")
    sys.stdin.readline()


if __name__ == "__main__":
    main()
