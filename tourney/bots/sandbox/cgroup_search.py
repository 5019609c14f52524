"""Finds where this process may make control groups, by making one and trying it."""

import atexit
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tourney.bots.sandbox.cgroups import PRESSURE, Cgroups, Home, claim_group, full_ns, opened, remove_group

_FILES: Final = {
    "core": (("cgroup.kill", "cgroup.freeze", "cpu.stat"),),
    "memory": (("memory.max",), ("memory.limit_in_bytes",)),
    "pids": (("pids.max",),),
}
"""What a group that has something has: the files of one of the versions."""


def find_cgroups(proc: Path = Path("/proc/self")) -> Cgroups:
    """Folders in which groups can be made here: none if that is unknown or not allowed."""
    shown = own_groups(proc)
    homes: list[Home] = []
    lacking = {"core", "memory", "pids", "pressure"}
    for controller in ("", "memory", "pids"):
        wanted = {controller} & lacking if controller else lacking
        if wanted and (home := _best_home(shown.get(controller, ()), wanted)) is not None:
            homes.append(home)
            lacking = lacking - {*home.gives}
    if not homes:
        return Cgroups(())
    groups = Cgroups(tuple(homes))
    groups.sweep()
    atexit.register(groups.settle, wait=True)
    return groups


def own_groups(proc: Path = Path("/proc/self")) -> dict[str, tuple[Path, ...]]:
    """This process's group of each hierarchy, then its ancestors up to the mount; none that is not shown.

    By controller; that of version 2 is ``""``.
    """
    try:
        mounts = _mounts((proc / "mountinfo").read_text("utf-8", "surrogateescape"))
        paths = _own((proc / "cgroup").read_text("utf-8", "surrogateescape"))
    except (OSError, ValueError, IndexError):
        return {}
    return {
        controller: _upwards(*mounts[controller], paths[controller])
        for controller in mounts.keys() & paths.keys()
    }


def _upwards(mount: Path, root: str, path: str) -> tuple[Path, ...]:
    """The folders of a group and its ancestors, up to a mount that shows the tree below ``root``."""
    if root != "/":
        if path != root and not path.startswith(f"{root}/"):
            return ()
        path = path[len(root) :]
    if "/.." in path:
        return ()
    folder = mount / path.lstrip("/")
    return tuple(place for place in (folder, *folder.parents) if place.is_relative_to(mount))


def _best_home(folders: Iterable[Path], wanted: set[str]) -> Home | None:
    """The nearest of these folders whose groups have the most."""
    best: Home | None = None
    for folder in folders:
        gives = _try(folder, wanted)
        if gives and (best is None or len(gives) > len(best.gives)):
            best = Home(folder, gives)
        if len(gives) == len(wanted):
            break
    return best


def _try(folder: Path, wanted: set[str]) -> tuple[str, ...]:
    """Make a group in a folder and return the wanted controllers that it has, if a process can join it."""
    try:
        child, lock = claim_group(folder, "try")
    except OSError:
        return ()
    try:
        gives = tuple(word for word in sorted(wanted) if _has(word, child))
        return gives if gives and _takes(child) else ()
    finally:
        remove_group(child)
        os.close(lock)


def _has(word: str, child: Path) -> bool:
    """Whether a group has the files that a word stands for; that of the pressure may be unreadable."""
    if word == "pressure":
        with suppress(OSError), opened(child / PRESSURE) as fd:
            return full_ns(fd) is not None
        return False
    return any(all((child / name).exists() for name in names) for names in _FILES[word])


def _takes(child: Path) -> bool:
    words = ["sh", "-c", f"echo $$ >'{child}/cgroup.procs'"]
    silent = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn("/bin/sh", words, {}, file_actions=silent)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _own(text: str) -> dict[str, str]:
    """This process's group by controller; the key of version 2 is ``""``."""
    rows = (line.split(":", 2) for line in text.splitlines())
    return {controller: path for _, controllers, path in rows for controller in controllers.split(",")}


def _mounts(text: str) -> dict[str, tuple[Path, str]]:
    """The mount point of each hierarchy and the group that it shows, by controller."""
    mounts: dict[str, tuple[Path, str]] = {}
    for line in text.splitlines():
        front, _, back = line.partition(" - ")
        fields = [word.replace("\\040", " ") for word in front.split()]
        kind = back.split()
        shown = [""] if kind[0] == "cgroup2" else kind[-1].split(",") if kind[0] == "cgroup" else []
        for controller in shown:
            if controller in ("", "memory", "pids"):
                mounts.setdefault(controller, (Path(fields[4]), fields[3]))
    return mounts
