"""The memory of a machine and of its control groups, read from folders like the kernel's."""

from pathlib import Path

import pytest

from tourney.bots.sandbox.machine_memory import (
    MachineMemory,
    free_processes,
    machine_memory,
    memory_groups,
    oom_kills,
)

MIB = 1 << 20
NO_LIMIT = "9223372036854771712\n"
"""What a group of version 1 has without a limit."""


class Machine:
    """A machine of 8,000 MiB, of which 6,000 are available; groups are made as a test says."""

    def __init__(self, folder: Path) -> None:
        self.proc, self._folder = folder / "proc", folder
        (self.proc / "self").mkdir(parents=True)
        figures = f"MemTotal: {8000 << 10} kB\nMemFree: 1 kB\nMemAvailable: {6000 << 10} kB\nHugePages: x\n"
        (self.proc / "meminfo").write_text(figures, "ascii")

    def group(self, path: str, **files: int | str) -> None:
        """Make a group of the hierarchy; ``memory_max`` is the file ``memory.max``."""
        group = self._folder / "groups" / path.lstrip("/")
        group.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (group / name.replace("_", ".", 1)).write_text(f"{content}\n", "ascii")

    def join(self, own: str, *, version: int = 2, shown: str = "/") -> None:
        """Put this process into a group of a mounted hierarchy, which shows what is below ``shown``."""
        kind = "cgroup2 cgroup2 rw" if version == 2 else "cgroup cgroup rw,memory"
        line = f"36 33 0:31 {shown} {self._folder / 'groups'} rw - {kind}\n"
        (self.proc / "self" / "mountinfo").write_text(line, "ascii")
        name = "" if version == 2 else "memory"
        (self.proc / "self" / "cgroup").write_text(f"{2 - version}:{name}:{own}\n", "ascii")

    @property
    def memory(self) -> MachineMemory:
        return machine_memory(self.proc)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_machine_without_groups_has_its_own_memory(machine: Machine) -> None:
    assert machine.memory == MachineMemory(8000 * MIB, 6000 * MIB, "this machine")


@pytest.mark.parametrize("path", ["/", "/a", "/a/b"])
def test_lowest_limit_of_all_ancestors_counts(machine: Machine, path: str) -> None:
    for group in ("/", "/a", "/a/b"):
        machine.group(group, memory_max=700 * MIB if group == path else "max", memory_current=100 * MIB)
    machine.join("/a/b")
    assert machine.memory == MachineMemory(700 * MIB, 600 * MIB, "this container")


def test_limit_above_the_machine_bounds_nothing(machine: Machine) -> None:
    machine.group("/a", memory_max=9000 * MIB, memory_current=0)
    machine.join("/a")
    assert machine.memory == MachineMemory(8000 * MIB, 6000 * MIB, "this machine")


def test_group_that_is_slowed_down_is_full(machine: Machine) -> None:
    """The kernel throttles a group above memory.high."""
    machine.group("/a", memory_max=900 * MIB, memory_high=400 * MIB, memory_current=50 * MIB)
    machine.join("/a")
    assert machine.memory == MachineMemory(400 * MIB, 350 * MIB, "this container")


def test_cached_files_of_a_group_are_available(machine: Machine) -> None:
    statistics = f"anon {100 * MIB}\ninactive_file {150 * MIB}\nactive_file {50 * MIB}"
    machine.group("/a", memory_max=700 * MIB, memory_current=300 * MIB, memory_stat=statistics)
    machine.join("/a")
    assert machine.memory.available == 600 * MIB


def test_version_1_counts_its_subgroups(machine: Machine) -> None:
    statistics = (
        f"inactive_file 0\nactive_file 0\ntotal_inactive_file {80 * MIB}\ntotal_active_file {20 * MIB}"
    )
    used = 300 * MIB
    machine.group("/a", memory_limit_in_bytes=700 * MIB, memory_usage_in_bytes=used, memory_stat=statistics)
    machine.group("/", memory_limit_in_bytes=NO_LIMIT.strip(), memory_usage_in_bytes=used)
    machine.join("/a", version=1)
    assert machine.memory == MachineMemory(700 * MIB, 500 * MIB, "this container")


def test_version_1_shows_the_limit_of_a_hidden_ancestor(machine: Machine) -> None:
    """A container's mount ends at its own group, but the kernel adds up the limits above."""
    statistics = f"cache 0\nhierarchical_memory_limit {500 * MIB}"
    machine.group(
        "/", memory_limit_in_bytes=NO_LIMIT.strip(), memory_usage_in_bytes=0, memory_stat=statistics
    )
    machine.join("/docker/x", version=1, shown="/docker/x")
    assert machine.memory == MachineMemory(500 * MIB, 500 * MIB, "this container")


def test_group_that_is_not_mounted_is_unknown(machine: Machine) -> None:
    machine.group("/", memory_max=100 * MIB)
    machine.join("/other", shown="/docker/x")
    assert memory_groups(machine.proc) == ()
    assert machine.memory.total == 8000 * MIB


def test_full_group_has_nothing_available(machine: Machine) -> None:
    machine.group("/a", memory_max=100 * MIB, memory_current=101 * MIB)
    machine.join("/a")
    assert machine.memory.available == 0


@pytest.mark.parametrize(
    ("files", "kills"),
    [
        ({"memory_events": "low 0\noom 1\noom_kill 3"}, 3),
        ({"memory_oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4"}, 4),
        ({}, 7),
    ],
)
def test_own_group_counts_kills_before_the_machine(
    machine: Machine, files: dict[str, str], kills: int
) -> None:
    """What the kernel kills in other containers excuses no bot here."""
    (machine.proc / "vmstat").write_text("nr_free_pages 1\noom_kill 7\n", "ascii")
    machine.group("/a", **files)
    machine.join("/a")
    assert oom_kills(memory_groups(machine.proc), machine.proc) == kills


def test_kernel_without_a_count_has_killed_nothing(machine: Machine) -> None:
    assert oom_kills((), machine.proc) == 0


def test_lowest_limit_of_processes_counts(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    machine.group("/a", pids_max="max", pids_current=7)
    machine.group("/a/b", pids_max=100, pids_current=7)
    machine.join("/a")
    assert free_processes(machine.proc) is None
    machine.join("/a/b")
    assert free_processes(machine.proc) == 93
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("resource.getrlimit", lambda _: (50, 60))
    assert free_processes(machine.proc) == 50
