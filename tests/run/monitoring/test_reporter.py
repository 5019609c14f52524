"""Reports are written at intervals by one process at a time, which never stops a run."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import wait_for
from tourney.run.monitoring.progress import Heartbeat, Progress
from tourney.run.monitoring.reporter import SECONDS, Reporter

PROGRESS = Progress(rows=9, done=3, played=3, faults=0, void=0, seconds=1.0)


class Desk:
    """A reporter whose program records its calls in a file; ``now`` is the clock in minutes."""

    def __init__(self, folder: Path, minutes: float, program: str = ":", out: Path | None = None) -> None:
        self.now = 0.0
        self.said: list[str] = []
        self.calls = folder / "calls"
        script = f'echo "$TOURNEY_DB $*" >> {self.calls}; {program}; echo page.html'
        words = ("sh", "-c", script, "program")
        self.reporter = Reporter(
            "cup", "the.db", minutes, out, self.said.append, lambda: self.now * 60, words
        )

    def heartbeat(self, minutes: float, paused: str = "") -> None:
        """Send a heartbeat at this minute."""
        self.now = minutes
        self.reporter.heartbeat(Heartbeat(PROGRESS, (), paused))

    def count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0

    def written(self, count: int) -> None:
        """Wait until the last of ``count`` calls has ended, and let the reporter see that."""
        process = self.reporter._process
        assert process is not None
        process.wait(60)
        assert self.count() == count
        self.heartbeat(self.now)


def test_report_is_written_at_intervals_and_at_the_end(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 30, out=tmp_path / "out")
    for minute in (0, 1, 29.9):
        desk.heartbeat(minute)
    assert desk.count() == 0
    desk.heartbeat(30)
    desk.written(1)
    desk.heartbeat(59.9)
    assert desk.reporter._process is None
    desk.heartbeat(60)
    desk.written(2)
    desk.heartbeat(200)
    desk.written(3)
    assert desk.reporter.write_last() == "page.html"
    assert desk.calls.read_text() == f"the.db report cup --quiet --out {tmp_path / 'out'}\n" * 4
    assert desk.said == []


def test_interval_zero_writes_only_the_last_report(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 0)
    for minute in range(0, 600, 30):
        desk.heartbeat(minute)
    assert desk.count() == 0
    assert desk.reporter.write_last() == "page.html"
    assert desk.count() == 1


def test_no_report_starts_in_a_pause_or_beside_another(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 10, program=f"until [ -e {tmp_path}/go ]; do sleep 0.02; done")
    desk.heartbeat(11, paused="the disk is full")
    assert desk.reporter._process is None
    desk.heartbeat(12)
    assert wait_for(lambda: desk.count() == 1)
    desk.heartbeat(23)
    assert desk.count() == 1
    (tmp_path / "go").touch()
    desk.written(1)
    desk.heartbeat(24)
    desk.written(2)


@pytest.mark.parametrize("end", ["pulse", "close"])
def test_hanging_report_is_stopped(tmp_path: Path, end: str) -> None:
    desk = Desk(tmp_path, 10, program="exec sleep 1000")
    desk.heartbeat(10)
    assert wait_for(lambda: desk.count() == 1)
    process = desk.reporter._process
    assert process is not None
    act: dict[str, Callable[[], None]] = {
        "pulse": lambda: desk.heartbeat(10.1 + SECONDS / 60),
        "close": desk.reporter.close,
    }
    act[end]()
    assert process.returncode == -9
    assert desk.said == (["the report was stopped after 900 seconds"] if end == "pulse" else [])


def test_failed_report_is_reported_and_the_next_tried(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 10, program="echo 'error: no room' >&2; exit 3")
    desk.heartbeat(10)
    desk.written(1)
    assert desk.said == ["the report was not written: error: no room"]
    desk.heartbeat(20)
    desk.written(2)
    assert desk.reporter.write_last() == ""


def test_report_process_has_low_priority(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 10, program="exec sleep 1000")
    desk.heartbeat(10)
    process = desk.reporter._process
    assert process is not None
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 10
    desk.reporter.close()
