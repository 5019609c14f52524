"""A run pauses while the database cannot be written, then continues without loss."""

import os
import signal
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support.coordination import RecordingListener, run
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import answer, begin, digests, refused
from tourney.errors import StoreError, StoreUnavailable
from tourney.run.engine import run_control
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.recorder import replay_spool
from tourney.run.engine.run_control import RunControl
from tourney.run.engine.spool import Spool, read_spool
from tourney.run.summary import End, RunProgress, RunStatus
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.matches import Matches
from tourney.store.schedules import Schedules


def test_store_error_stops_the_run_with_its_sentence(
    repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(repository, 3)

    def full(*_args: object) -> None:
        raise StoreError("the database t.db failed: database or disk is full; free some space")

    with monkeypatch.context() as patch:
        patch.setattr(Matches, "add", full)
        with refused(StoreError, "disk is full"):
            run(repository)
    assert run(repository).progress.done == 6


class Failing:
    """Makes the next ``times`` writes fail."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, subject: type[Matches | Schedules], times: int
    ) -> None:
        self.times = times
        real: Any = subject.add

        def write(*args: Any, **kwargs: Any) -> Any:
            if self.times:
                self.times -= 1
                raise StoreUnavailable("the database t.db failed: database or disk is full")
            return real(*args, **kwargs)

        monkeypatch.setattr(subject, "add", write)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_control, "PAUSES", (0.0,))


def patient(repository: Database, **more: Any) -> Coordinator:
    """Return a coordinator that retries for an hour, without waiting between attempts."""
    executor = FuturesExecutor(Immediate, more.pop("play", answer), 2)
    control = RunControl(retry_seconds=3600.0, **more)
    return Coordinator(repository, repository.tournaments.get().id, executor, Path("/nowhere"), control)


def test_full_disk_pauses_the_run_without_loss(
    repository: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tournament = begin(repository, 4)
    spool = Spool(tmp_path / "cup.spool", tournament)
    failing = Failing(monkeypatch, Matches, 3)
    heard = RecordingListener()
    summary = patient(repository, listener=heard, spool=spool).run()
    assert failing.times == 0
    assert (summary.end, summary.progress.done, summary.pauses) == (End.FINISHED, 12, 1)
    assert len(digests(repository, tournament.id)) == 12
    paused, on = heard.messages
    assert paused.startswith("paused: the database t.db failed: database or disk is full; ")
    assert f"in {spool.path}" in paused
    assert on.startswith("resumed: the database can be written again after ")
    assert not spool.dirty


@pytest.mark.parametrize("failures", [0, 3])
def test_heartbeats_tell_of_the_last_match_and_the_pause(
    repository: Database, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    begin(repository, 4)
    Failing(monkeypatch, Matches, failures)
    statuses: list[RunStatus] = []

    class Watching(RecordingListener):
        def heartbeat(self, progress: RunProgress, status: RunStatus) -> None:
            statuses.append(status)

    wall = count(1_000)
    monkeypatch.setattr("tourney.run.engine.coordinator.time.time", lambda: float(next(wall)))
    # Two seconds between two looks at the clock, so that each step has its heartbeat.
    patient(repository, listener=Watching(), clock=count(0, 2).__next__).run()
    if failures:
        first = next(number for number, status in enumerate(statuses) if status.paused)
        assert {status.paused_since for status in statuses if status.paused} == {1_000.0 + first}
        assert statuses[first].last_match == 0
    else:
        assert statuses[-1].last_match >= 1_000
        assert {status.paused_since for status in statuses} == {0}


def test_unstored_round_pauses_the_run(repository: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = begin(repository, 4, pair=False)
    failing = Failing(monkeypatch, Schedules, 2)
    heard = RecordingListener()
    assert patient(repository, listener=heard).run().end is End.FINISHED
    assert failing.times == 0
    assert [text.split(":")[0] for text in heard.messages] == ["paused", "resumed"]
    assert repository.schedules.progress(tournament.id)[:2] == (12, 12)


def test_spooled_results_are_not_played_again_after_final_failure(
    repository: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tournament = begin(repository, 4)
    spool = Spool(tmp_path / "cup.spool", tournament)
    counts: Counter[int] = Counter()

    def play(task: MatchTask) -> WorkerReply:
        counts[task.number] += 1
        return answer(task)

    with monkeypatch.context() as patch:
        Failing(patch, Matches, 10_000)
        now = iter(range(0, 10**9, 1000))
        coordinator = patient(repository, play=play, spool=spool, clock=lambda: float(next(now)))
        with refused(StoreUnavailable, "disk is full", str(spool.path), "for the next start to store"):
            coordinator.run()
    spool.close()
    assert repository.schedules.progress(tournament.id).done == 0
    assert counts
    assert replay_spool(repository, tournament, spool.path, print) == len(counts)
    assert patient(repository, play=play).run().progress.done == 12
    assert counts == Counter(dict.fromkeys(range(1, 13), 1))


def test_signal_ends_a_pause_and_error_names_the_spool(
    repository: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tournament = begin(repository, 3)
    spool = Spool(tmp_path / "cup.spool", tournament)

    class Impatient(RecordingListener):
        def say(self, text: str) -> None:
            super().say(text)
            if text.startswith("paused"):
                os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        Failing(patch, Matches, 10_000)
        with refused(StoreUnavailable, str(spool.path)):
            patient(repository, listener=Impatient(), spool=spool).run()
    left = read_spool(spool.path, tournament)
    assert left is not None
    assert left.results
