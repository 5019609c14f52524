"""Control groups: found, made with their limits, and removed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tourney.bots.sandbox.cgroup_search import _mounts, _own, find_cgroups
from tourney.bots.sandbox.cgroups import Cgroups, Home

FOUND = find_cgroups()

HYBRID = """\
33 32 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
34 33 0:29 /user /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 33 0:30 / /sys/fs/cgroup/my\\040pids rw - cgroup cgroup rw,pids
36 33 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
"""


def test_hierarchies_are_parsed_from_proc() -> None:
    """Each of version 2 and version 1 has its mount point and the group that the mount shows."""
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
def test_unreadable_proc_means_no_groups(tmp_path: Path, what: str) -> None:
    """This is not an error."""
    if what == "garbage":
        (tmp_path / "mountinfo").write_text("garbage\n")
        (tmp_path / "cgroup").write_text("garbage\n")
    assert find_cgroups(tmp_path) == Cgroups(())
    assert Cgroups(()).make("1", memory=1, processes=1) is None


def test_group_has_its_limits_and_failure_leaves_nothing(tmp_path: Path) -> None:
    """In folders that stand in for hierarchies, one failure undoes all."""
    new, old = tmp_path / "new", tmp_path / "old"
    new.mkdir()
    groups = Cgroups((Home(new, ("memory", "pids")), Home(old, ("pids",))))
    with pytest.raises(FileNotFoundError):
        groups.make("7", memory=1 << 20, processes=9)
    # These are not real groups, so their files stay in the way; a real one goes with its files.
    (made,) = new.iterdir()
    assert made.name == f"tourney-{os.getpid()}-7"
    bounds = {path.name: path.read_text() for path in made.iterdir()}
    assert bounds == {
        "memory.max": "1048576",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "9",
    }


MAKER = """
import sys
from pathlib import Path
from tourney.bots.sandbox.cgroups import Cgroups, Home
group = Cgroups((Home(Path(sys.argv[1]), ()),)).make("3", memory=1, processes=1)
print("up", flush=True)
sys.stdin.read()
"""


def test_only_groups_of_dead_makers_are_swept(tmp_path: Path) -> None:
    """A maker counts as dead before it is reaped, and even if its number is reused."""
    groups = Cgroups((Home(tmp_path, ()),))
    mine = groups.make("1", memory=1, processes=1)
    assert mine is not None
    (tmp_path / f"tourney-{os.getpid()}-2").mkdir()  # of an earlier process with this number
    words = [sys.executable, "-c", MAKER, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as maker:
        assert maker.stdout is not None
        assert maker.stdout.readline() == b"up\n"
        groups.sweep()
        theirs = tmp_path / f"tourney-{maker.pid}-3"
        assert sorted(tmp_path.iterdir()) == sorted([*mine.folders, theirs])
        maker.kill()
        os.waitid(os.P_PID, maker.pid, os.WEXITED | os.WNOWAIT)
        assert Path(f"/proc/{maker.pid}").exists()
        groups.sweep()
        assert list(tmp_path.iterdir()) == list(mine.folders)
    mine.remove()
    assert list(tmp_path.iterdir()) == []


def test_group_name_in_use_is_skipped(tmp_path: Path) -> None:
    """A process of another namespace may have the same number, and be alive."""
    groups = Cgroups((Home(tmp_path, ()),))
    made = [groups.make("7", memory=1, processes=1) for _ in range(2)]
    names = [group.folders[0].name for group in made if group is not None]
    assert names == [f"tourney-{os.getpid()}-7", f"tourney-{os.getpid()}-7-1"]


def test_group_swept_while_being_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its making and its lock it has no owner."""
    groups = Cgroups((Home(tmp_path, ()),))
    opened = os.open
    swept: list[Path] = []

    def sweep_first(folder: Path, flags: int) -> int:
        if not swept:
            swept.append(folder)
            folder.rmdir()
        return opened(folder, flags)

    monkeypatch.setattr(os, "open", sweep_first)
    made = groups.make("7", memory=1, processes=1)
    assert made is not None
    assert swept
    assert made.folders[0].is_dir()


@pytest.mark.skipif("core" not in FOUND.gives, reason="no control groups can be made here")
def test_group_measures_kills_and_removes_processes() -> None:
    """A process that joins is measured and killed together with its children."""
    group = FOUND.make("test", memory=256 << 20, processes=20)
    assert group is not None
    try:
        script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; setsid sleep 600 & echo up; wait"
        words = [*group.join_words(), "/bin/sh", "-c", script]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"up\n"
            assert (group.folders[0] / "cgroup.procs").read_text()
            assert (group.cpu_ns() or 0) > 0
            group.freeze(frozen=True)
            group.kill()
            assert process.wait(600) == -signal.SIGKILL
    finally:
        group.remove()
    assert not any(folder.exists() for folder in group.folders)
