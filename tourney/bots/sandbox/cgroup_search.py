"""Finds where this process may make control groups, by making one and trying it."""

import atexit
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tourney.bots.sandbox.cgroups import (
    CORE,
    PRESSURE,
    Cgroups,
    Home,
    claim_group,
    full_ns,
    remove_group,
)


def find_cgroups(proc: Path = Path("/proc/self")) -> Cgroups:
    """Folders where groups can be made here: none if that is unknown or not allowed."""
    try:
        mounts = _mounts((proc / "mountinfo").read_text("utf-8", "surrogateescape"))
        own = _own((proc / "cgroup").read_text("utf-8", "surrogateescape"))
    except (OSError, ValueError, IndexError):
        return Cgroups(())
    homes: list[Home] = []
    lacking = {"core", "memory", "pids", "pressure"}
    for controller in ("", "memory", "pids"):
        wanted = {"core", "memory", "pids", "pressure"} if controller == "" else {controller}
        if controller in mounts and controller in own and wanted & lacking:
            home = _best_home(*mounts[controller], own[controller], wanted & lacking, 1 if controller else 2)
            if home is not None:
                homes.append(home)
                lacking -= set(home.gives)
    found = Cgroups(tuple(homes))
    found.sweep()
    atexit.register(found.settle, wait=True)
    return found


def _best_home(mount: Path, root: str, own: str, wanted: set[str], version: int) -> Home | None:
    """The nearest folder, upwards from this process's own group, whose groups have the most."""
    if root != "/":
        if own != root and not own.startswith(f"{root}/"):
            return None
        own = own[len(root) :]
    if "/.." in own:
        return None
    folder = mount / own.lstrip("/")
    best: Home | None = None
    while folder.is_relative_to(mount):
        gives = _try(folder, wanted)
        if gives and (best is None or len(gives) > len(best.gives)):
            best = Home(folder, gives, version)
        if len(gives) == len(wanted) or folder == mount:
            break
        folder = folder.parent
    return best


def _try(folder: Path, wanted: set[str]) -> tuple[str, ...]:
    """Make a group in a folder and return which of the wanted it has, if a process can join it."""
    try:
        child, lock = claim_group(folder, "try")
    except OSError:
        return ()
    try:
        gives = [w for w in sorted(wanted) if _has(w, child)]
        return tuple(gives) if gives and _takes(child) else ()
    finally:
        remove_group(child)
        os.close(lock)


def _has(word: str, child: Path) -> bool:
    """Say whether a group has the files that a word stands for; those of the pressure may be unreadable."""
    if word == "pressure":
        with suppress(OSError):
            fd = os.open(child / PRESSURE, os.O_RDONLY | os.O_CLOEXEC)
            try:
                return full_ns(fd) is not None
            finally:
                os.close(fd)
        return False
    return all((child / name).exists() for name in _files(word, child))


def _files(word: str, child: Path) -> Iterable[str]:
    if word == "core":
        return CORE
    if word == "pids":
        return ("pids.max",)
    return ("memory.max",) if (child / "cgroup.events").exists() else ("memory.limit_in_bytes",)


def _takes(child: Path) -> bool:
    """Say whether a process can join the group."""
    words = ["sh", "-c", f"echo $$ >'{child}/cgroup.procs'"]
    silent = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn("/bin/sh", words, {}, file_actions=silent)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _own(text: str) -> dict[str, str]:
    """This process's group by controller; the key of version 2 is ``""``."""
    groups = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def _mounts(text: str) -> dict[str, tuple[Path, str]]:
    """The mount point of each hierarchy and the group that it shows, by controller."""
    found: dict[str, tuple[Path, str]] = {}
    for line in text.splitlines():
        front, _, back = line.partition(" - ")
        fields, kind = front.split(), back.split()
        place = (Path(_plain(fields[4])), _plain(fields[3]))
        if kind[0] == "cgroup2":
            found.setdefault("", place)
        elif kind[0] == "cgroup":
            for option in kind[-1].split(","):
                if option in ("memory", "pids"):
                    found.setdefault(option, place)
    return found


def _plain(word: str) -> str:
    """Decode the kernel's escape for blanks."""
    return word.replace("\\040", " ")
