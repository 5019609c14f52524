"""Control groups of version 2 in a folder that behaves like the kernel's, for machines without them.

It gives a new group exactly the files that its parent delegates, allows groups only where that is permitted,
and removes a group together with its files.
"""

import errno
import os
import subprocess
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path

import pytest

from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.cgroups import Cgroup, Cgroups, Home, drop_caches

CORE = {
    "cgroup.procs": "",
    "cgroup.events": "populated 0\nfrozen 0\n",
    "cgroup.kill": "",
    "cgroup.freeze": "0\n",
    "cpu.stat": "usage_usec 1234567\nuser_usec 1\n",
}
MEMORY = {
    "memory.max": "max\n",
    "memory.swap.max": "max\n",
    "memory.oom.group": "0\n",
    "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 0\noom_group_kill 0\n",
}
PIDS = {"pids.max": "max\n"}
UID = os.getuid()


class Kernel:
    """A hierarchy in a folder; ``grant`` makes a group as its administrator would."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._permitted: set[Path] = set()
        self._mkdir, self._rmdir, self._write = Path.mkdir, Path.rmdir, Path.write_text
        for name, does in (("mkdir", self.make), ("rmdir", self.remove), ("write_text", self.write)):
            monkeypatch.setattr(Path, name, partialmethod(_call, does))

    def grant(self, path: str, controllers: str = "", *, permitted: bool) -> Path:
        """Make a group that delegates controllers; ``permitted`` allows subgroups."""
        folder = self.root / path.lstrip("/")
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - it must not use the replaced method
        self._write(folder / "cgroup.subtree_control", controllers)
        if permitted:
            self._permitted.add(folder)
        return folder

    def make(self, folder: Path) -> None:
        """Make a group as a process would."""
        if folder.parent not in self._permitted:
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        self._mkdir(folder)
        handed = (folder.parent / "cgroup.subtree_control").read_text().split()
        files = {**CORE, **(MEMORY if "memory" in handed else {}), **(PIDS if "pids" in handed else {})}
        for name, text in files.items():
            self._write(folder / name, text)

    def remove(self, folder: Path) -> None:
        """Remove a group with its files, unless a process is in it."""
        if any(Path(f"/proc/{pid}").exists() for pid in (folder / "cgroup.procs").read_text().split()):
            raise OSError(errno.EBUSY, "Device or resource busy", str(folder))
        for file in folder.iterdir():
            file.unlink()
        self._rmdir(folder)

    def write(self, file: Path, text: str) -> int:
        """Write to an existing file; none can be made."""
        if file.is_relative_to(self.root) and not file.exists():
            raise PermissionError(errno.EACCES, "Permission denied", str(file))
        return self._write(file, text)

    def find(self, own: str, shown: str = "/") -> Cgroups:
        """Find groups as a process in one of them, whose mount may show only part of the hierarchy."""
        proc = self.root.parent / "proc"
        if not proc.exists():
            self._mkdir(proc)
        place = str(self.root).replace(" ", "\\040")
        (proc / "mountinfo").write_text(f"36 33 0:31 {shown} {place} rw - cgroup2 cgroup2 rw\n")
        (proc / "cgroup").write_text(f"0::{own}\n")
        return find_cgroups(proc)


def _call(path: Path, does: Callable[..., object], *words: str) -> object:
    return does(path, *words)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """An empty hierarchy, at a place with a blank in its name."""
    root = tmp_path / "cgroup 2"
    root.mkdir()
    return Kernel(root, monkeypatch)


SESSION = f"/user.slice/user-{UID}.slice/user@{UID}.service"


def as_root(kernel: Kernel) -> Cgroups:
    """The shell's own scope has no delegated controllers, but its parent has."""
    kernel.grant("/", "cpu memory pids", permitted=True)
    kernel.grant("/user.slice", "memory pids", permitted=True)
    kernel.grant("/user.slice/session.scope", permitted=True)
    return kernel.find("/user.slice/session.scope")


def as_a_user_of_systemd(kernel: Kernel) -> Cgroups:
    """The user's manager delegates its own controllers."""
    kernel.grant("/", "cpu memory pids", permitted=False)
    kernel.grant(SESSION, "memory pids", permitted=True)
    kernel.grant(f"{SESSION}/app.slice", "memory pids", permitted=True)
    kernel.grant(f"{SESSION}/app.slice/run.scope", permitted=True)
    return kernel.find(f"{SESSION}/app.slice/run.scope")


def in_a_container(kernel: Kernel) -> Cgroups:
    """The mount shows the container's own group as the root."""
    kernel.grant("/", "memory pids", permitted=True)
    return kernel.find("/docker/0123", shown="/docker/0123")


@pytest.mark.parametrize(
    ("where", "home"),
    [
        (as_root, "user.slice"),
        (as_a_user_of_systemd, f"{SESSION[1:]}/app.slice"),
        (in_a_container, ""),
    ],
)
def test_nearest_complete_group_is_found(
    kernel: Kernel, where: Callable[[Kernel], Cgroups], home: str
) -> None:
    """The search tries to make groups and removes them."""
    found = where(kernel)
    assert found.homes == (Home(kernel.root / home, ("core", "memory", "pids")),)
    assert list(kernel.root.rglob("tourney-*")) == []


def test_controllers_that_are_not_delegated_are_not_claimed(kernel: Kernel) -> None:
    """A scope without delegation still has the core files."""
    kernel.grant("/", "memory pids", permitted=False)
    kernel.grant("/a.slice", "memory pids", permitted=False)
    kernel.grant("/a.slice/b.scope", permitted=True)
    assert kernel.find("/a.slice/b.scope").homes == (Home(kernel.root / "a.slice/b.scope", ("core",)),)


@pytest.mark.parametrize("own", ["/a.slice", "/../elsewhere"])
def test_no_permission_means_no_groups(kernel: Kernel, own: str) -> None:
    kernel.grant("/", "memory pids", permitted=False)
    kernel.grant("/a.slice", "memory pids", permitted=False)
    assert kernel.find(own) == Cgroups(())


def test_group_life_cycle(kernel: Kernel) -> None:
    """Limits, processor time, freezing, killing, out-of-memory count, and removal."""
    cgroups = as_root(kernel)
    group = cgroups.make("1", memory=64 << 20, processes=9)
    assert group is not None
    (folder,) = group.folders
    assert folder == kernel.root / "user.slice" / f"tourney-{os.getpid()}-1"

    def text(name: str) -> str:
        return (folder / name).read_text().strip()

    assert (text("memory.max"), text("memory.swap.max"), text("pids.max")) == (str(64 << 20), "0", "9")
    assert text("memory.oom.group") == "1"
    assert group.has_core
    assert group.cpu_ns() == 1_234_567_000
    group.freeze(frozen=True)
    assert text("cgroup.freeze") == "1"
    group.freeze(frozen=False)
    assert text("cgroup.freeze") == "0"
    assert group.memory_kills() == (0, 0)
    killed = MEMORY["memory.events"].replace("oom_kill 0", "oom_kill 2")
    (folder / "memory.events").write_text(killed)
    assert group.memory_kills() == (2, 0)
    (folder / "memory.events").write_text(killed.replace("oom 1", "oom 0"))
    assert group.memory_kills() == (0, 2)  # the group met no limit of its own
    group.kill()
    assert text("cgroup.kill") == "1"
    cgroups.sweep()
    assert folder.exists()  # its maker is alive
    assert not (group.folders[0] / "cgroup.procs").read_text()
    group.remove()
    assert not folder.exists()
    assert group.cpu_ns() is None


def test_process_joins_group_before_it_becomes_the_bot(kernel: Kernel) -> None:
    """A group with a process in it cannot be removed."""
    cgroups = as_root(kernel)
    group = cgroups.make("1", memory=1 << 20, processes=9)
    assert group is not None
    words = [*group.join_words(), "/bin/sh", "-c", "echo $$; read x"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdout is not None
        assert int(bot.stdout.readline()) == bot.pid
        assert (group.folders[0] / "cgroup.procs").read_text().split() == [str(bot.pid)]
    group.remove()
    assert not group.folders[0].exists()


def test_failed_limit_leaves_no_group(kernel: Kernel) -> None:
    """Delegation may be withdrawn at any time; then no bot starts without its limits."""
    cgroups = as_root(kernel)
    kernel.grant("/user.slice", "memory", permitted=True)
    with pytest.raises(PermissionError, match=r"pids\.max"):
        cgroups.make("1", memory=1 << 20, processes=9)
    assert list(kernel.root.rglob("tourney-*")) == []


SOME = "some avg10=0.00 avg60=0.00 avg300=0.00 total=900\n"
FULL = "full avg10=0.00 avg60=0.00 avg300=0.00 total=123\n"


@pytest.mark.parametrize(
    ("pressure", "waited"), [(SOME + FULL, 123_000), (SOME, None), ("", None), (None, None)]
)
def test_waiting_time_is_the_line_full_of_the_pressure(
    tmp_path: Path, pressure: str | None, waited: int | None
) -> None:
    """Older kernels have no such line for a group, and others no pressure at all."""
    (tmp_path / "cpu.stat").write_text("usage_usec 5\n", "ascii")
    if pressure is not None:
        (tmp_path / "cpu.pressure").write_text(pressure, "ascii")
    group = Cgroup((), tmp_path, None)
    assert group.waited_ns() == waited
    group.remove()


def test_group_without_processes_drops_its_caches(tmp_path: Path) -> None:
    """A limit of 0 makes the kernel do it; with processes left it would harm those."""
    for members, wanted in (("", "0"), ("17\n", "max\n")):
        (tmp_path / "cgroup.procs").write_text(members, "ascii")
        (tmp_path / "memory.high").write_text("max\n", "ascii")
        drop_caches(tmp_path)
        assert (tmp_path / "memory.high").read_text("ascii")[: len(wanted)] == wanted


def test_drop_is_repeated_until_only_the_kernels_memory_is_left(tmp_path: Path) -> None:
    """What still stays cached after many tries is counted, so that the next match can say so."""
    for name in ("cgroup.procs", "memory.force_empty"):
        (tmp_path / name).write_text("", "ascii")
    for name, size in (("memory.usage_in_bytes", 12288), ("memory.kmem.usage_in_bytes", 4096)):
        (tmp_path / name).write_text(f"{size}\n", "ascii")
    assert drop_caches(tmp_path) == 8192
    assert (tmp_path / "memory.force_empty").read_text("ascii") == "0"
    (tmp_path / "memory.usage_in_bytes").write_text("4096\n", "ascii")
    assert drop_caches(tmp_path) == 0
    (tmp_path / "memory.usage_in_bytes").unlink()
    for name, text in (("memory.current", "16384\n"), ("memory.reclaim", "")):
        (tmp_path / name).write_text(text, "ascii")
    assert drop_caches(tmp_path) == 0
    assert (tmp_path / "memory.reclaim").read_text("ascii") == "16384"


@pytest.mark.parametrize(
    ("files", "used"),
    [
        ({"memory.peak": 9 << 20, "memory.current": 1 << 20}, 9),
        ({"memory.max_usage_in_bytes": 8 << 20}, 8),
        ({"memory.current": 7 << 20}, 7),
        ({}, None),
    ],
)
def test_most_memory_that_a_group_has_used_is_known(
    tmp_path: Path, files: dict[str, int], used: int | None
) -> None:
    for name, size in files.items():
        (tmp_path / name).write_text(f"{size}\n", "ascii")
    assert Cgroup((), None, tmp_path).used_mb() == used
