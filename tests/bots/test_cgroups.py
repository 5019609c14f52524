"""Control groups: found where they are mounted, made with their bounds, and taken away."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tourney.bots.cgroups import Cgroups, Home, _mounts, _own, find_cgroups

FOUND = find_cgroups()

HYBRID = """\
33 32 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
34 33 0:29 /user /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 33 0:30 / /sys/fs/cgroup/my\\040pids rw - cgroup cgroup rw,pids
36 33 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
"""


def test_hierarchies_are_found_in_the_kernels_words() -> None:
    """Version 2 and the controllers of version 1, each with where it is mounted and what the mount shows."""
    assert _mounts(HYBRID) == {
        "": (Path("/sys/fs/cgroup/unified"), "/"),
        "memory": (Path("/sys/fs/cgroup/memory"), "/user"),
        "pids": (Path("/sys/fs/cgroup/my pids"), "/"),
    }
    assert _own("4:memory:/user/a:b\n3:cpu,pids:/x\n0::/s\n") == {
        "memory": "/user/a:b",
        "cpu": "/x",
        "pids": "/x",
        "": "/s",
    }


@pytest.mark.parametrize("what", ["none", "garbage"])
def test_where_nothing_can_be_told_there_are_none(tmp_path: Path, what: str) -> None:
    """No /proc as expected is no error: there are just no groups."""
    if what == "garbage":
        (tmp_path / "mountinfo").write_text("garbage\n")
        (tmp_path / "cgroup").write_text("garbage\n")
    assert find_cgroups(tmp_path) == Cgroups(())
    assert Cgroups(()).make("1", memory=1, processes=1) is None


def test_group_has_its_bounds_and_a_failure_leaves_nothing(tmp_path: Path) -> None:
    """In folders that stand for hierarchies: what is written where; one that lacks fails the whole."""
    new, old = tmp_path / "new", tmp_path / "old"
    new.mkdir()
    groups = Cgroups((Home(new, ("memory", "pids"), 2), Home(old, ("pids",), 1)))
    with pytest.raises(FileNotFoundError):
        groups.make("7", memory=1 << 20, processes=9)
    # These are no real groups, so their files stay in the way; a real one goes with its files.
    (made,) = new.iterdir()
    assert made.name == f"tourney-{os.getpid()}-7"
    bounds = {path.name: path.read_text() for path in made.iterdir()}
    assert bounds == {
        "memory.max": "1048576",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "9",
    }


def test_groups_of_processes_that_are_gone_are_swept(tmp_path: Path) -> None:
    """Those of the living stay."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / f"tourney-{gone.pid}-3").mkdir()
    (tmp_path / f"tourney-{os.getpid()}-3").mkdir()
    Cgroups((Home(tmp_path, ("core",), 2),)).sweep()
    assert [path.name for path in tmp_path.iterdir()] == [f"tourney-{os.getpid()}-3"]


@pytest.mark.skipif("core" not in FOUND.gives, reason="no control groups can be made here")
def test_group_accounts_for_ends_and_forgets_its_processes() -> None:
    """A process that joins is accounted for, with its children, and killed with them by one word."""
    group = FOUND.make("test", memory=256 << 20, processes=20)
    assert group is not None
    try:
        script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; setsid sleep 600 & echo up; wait"
        words = [*group.join_words(), "/bin/sh", "-c", script]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"up\n"
            assert not group.empty()
            assert (group.cpu_ns() or 0) > 0
            group.freeze(frozen=True)
            group.kill()
            assert process.wait(60) == -signal.SIGKILL
    finally:
        group.remove()
    assert not any(folder.exists() for folder in group.folders)
