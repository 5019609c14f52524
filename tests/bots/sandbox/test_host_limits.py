"""Limits that are too low for bots are named."""

import resource
from pathlib import Path

import pytest

from tourney.bots.sandbox.host_limits import low_limits, process_limit, with_limits


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A folder like /proc of a process in the group ``/service``, whose limits are high."""
    group = tmp_path / "pids" / "service"
    group.mkdir(parents=True)
    (group / "pids.max").write_text("max\n", "ascii")
    (tmp_path / "pids" / "pids.max").write_text("9000\n", "ascii")
    (tmp_path / "self").mkdir()
    mount = f"30 23 0:26 / {tmp_path}/pids rw - cgroup cgroup rw,pids\n"
    (tmp_path / "self" / "mountinfo").write_text(mount, "utf-8")
    (tmp_path / "self" / "cgroup").write_text("5:pids:/service\n", "ascii")
    (tmp_path / "sys" / "user").mkdir(parents=True)
    (tmp_path / "sys" / "user" / "max_user_namespaces").write_text("9000\n", "ascii")
    return tmp_path


@pytest.fixture(autouse=True)
def ulimits(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """The hard limits of this process by kind; all others are infinite."""
    hard: dict[int, int] = {}
    unlimited = resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (hard.get(kind, unlimited),) * 2)
    return hard


def test_high_limits_are_not_named(proc: Path) -> None:
    assert list(low_limits(proc)) == []


@pytest.mark.parametrize(
    ("kind", "limit", "words"),
    [
        (resource.RLIMIT_NOFILE, 64, "the limit of open files (ulimit -n) is 64, and bots need 1,024"),
        (resource.RLIMIT_NPROC, 12, "processes and threads (ulimit -u) is 12, and bots need 512"),
        (
            resource.RLIMIT_FSIZE,
            1 << 20,
            "a file in KiB (ulimit -f) is 1,024, and bots need 65,536",
        ),
        (resource.RLIMIT_AS, 1 << 29, "memory in KiB (ulimit -v) is 524,288, and bots need 1,048,576"),
    ],
)
def test_limits_of_a_shell_are_named(
    proc: Path, ulimits: dict[int, int], kind: int, limit: int, words: str
) -> None:
    ulimits[kind] = limit
    (text,) = low_limits(proc)
    assert words in text


def test_limit_of_a_group_above_is_named(proc: Path) -> None:
    """A container's or a service's, which its processes share."""
    (proc / "pids" / "pids.max").write_text("20\n", "ascii")
    (text,) = low_limits(proc)
    assert text == f"the limit of processes in {proc}/pids (pids.max) is 20, and bots need 512"


def test_limit_of_namespaces_is_named(proc: Path) -> None:
    file = proc / "sys" / "user" / "max_user_namespaces"
    file.write_text("0\n", "ascii")
    assert list(low_limits(proc)) == [
        f"the limit in {file} is 0, and each bot needs a namespace of that kind"
    ]


def test_reason_is_followed_by_the_limits(ulimits: dict[int, int]) -> None:
    ulimits |= {resource.RLIMIT_NOFILE: 64}
    assert with_limits("it fails").startswith("it fails: the limit of open files (ulimit -n) is 64")


def test_process_limit_is_given_even_if_it_is_high(ulimits: dict[int, int]) -> None:
    ulimits[resource.RLIMIT_NPROC] = 5000
    assert "(ulimit -u) is 5,000" in process_limit()
    ulimits[resource.RLIMIT_NPROC] = 5
    assert "(ulimit -u) is 5, and bots need 512" in process_limit()
