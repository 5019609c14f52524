"""No bot outlives its runner: real tournaments of bots that hang and leave daemons, killed in every way.

The tests wait for events; the deadlines only bound a failure.
"""

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.attacks.runner import Runner
from tests.support.containment import contained
from tests.support.processes import alive, running, wait_for
from tourney.bots.sandbox.cgroup_search import find_cgroups

pytestmark = pytest.mark.containment


@pytest.fixture(params=[pytest.param("auto", marks=contained), "off"])
def runner(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Runner]:
    """A runner whose bot has started and left processes everywhere; none may be left after the test."""
    started = Runner(tmp_path, request.param)
    try:
        assert wait_for(lambda: len(started.sleepers()) >= 4), started.process.poll()
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        assert started.process.stderr is not None
        started.process.stderr.close()
        left = running(started.token)
        for pid in started.sleepers():
            os.kill(int(pid), signal.SIGKILL)
    assert left == []
    homes = [home.folder for home in find_cgroups().homes]
    # This includes groups of other tests, which may still be ending.
    assert wait_for(lambda: not any(_orphaned(group) for home in homes for group in home.glob("tourney-*")))


def _orphaned(folder: Path) -> bool:
    """Return whether a control group holds processes and its maker is gone."""
    with suppress(FileNotFoundError):
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return bool((folder / "cgroup.procs").read_text("ascii"))
        except BlockingIOError:
            return False
        finally:
            os.close(lock)
    return False


def test_kill_9_of_the_runner_leaves_no_bot(runner: Runner) -> None:
    """Its workers notice and end the bots with all their processes."""
    workers = runner.workers()
    assert workers
    runner.process.kill()
    assert runner.finish() == -signal.SIGKILL
    assert wait_for(lambda: not runner.sleepers())
    assert wait_for(lambda: not any(map(alive, workers)))


def test_two_signals_stop_at_once_and_leave_no_bot(runner: Runner) -> None:
    """A match that would never end is stopped, and the exit code is the signal's."""
    runner.process.send_signal(signal.SIGTERM)
    runner.process.send_signal(signal.SIGINT)
    assert runner.finish() in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert runner.sleepers() == []


def test_kill_9_of_a_worker_leaves_none_of_its_bots(runner: Runner) -> None:
    """The kernel ends a contained bot with its worker; the runner inherits and ends any other."""
    before = set(runner.sleepers())
    for worker in runner.workers():
        os.kill(worker, signal.SIGKILL)
    assert wait_for(lambda: not before & set(runner.sleepers()))


def test_killing_runner_and_workers_leaves_no_contained_bot(runner: Runner, tmp_path: Path) -> None:
    """No process of Tourney is left, so the kernel ends the bots."""
    if 'sandbox = "off"' in (tmp_path / "cup.toml").read_text("ascii"):
        pytest.skip("without containment a daemon stays, as docs/explanation/containment.md says")
    for pid in (runner.process.pid, *runner.workers()):
        os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: not runner.sleepers())
