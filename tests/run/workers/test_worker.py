"""Worker processes: their imports, processors and replies."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.tournaments import entrant, refused
from tourney.errors import BotError
from tourney.match.spec import MatchSpec
from tourney.run.workers import worker
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.run.workers.local import LocalExecutor

HEAVY = (
    "pandas",
    "numpy",
    "sqlmodel",
    "sqlalchemy",
    "jinja2",
    "alembic",
    "rich",
    "tourney.store",
    "trueskill",
)

SCRIPT = """
import sqlmodel
from tourney.run.workers.local import LocalExecutor
executor = LocalExecutor(1)
executor._executor = executor._start()
print(*executor._executor.submit(eval, "sorted(__import__('sys').modules)").result())
executor.close()
"""


@pytest.mark.parametrize("by", ["a file", "standard input"])
def test_worker_imports_only_what_playing_needs(tmp_path: Path, by: str) -> None:
    """Nor does it run the main program again."""
    script = tmp_path / "program.py"
    script.write_text(SCRIPT)
    words = [str(script)] if by == "a file" else []
    done = subprocess.run(
        [sys.executable, *words], input=SCRIPT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stderr == ""
    modules = set(done.stdout.split())
    assert "tourney.match.runner" in modules
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the platform does not pin")
def test_workers_are_pinned_to_processors_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[list[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {3, 1, 5, 7})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, cpus: shares.append(list(cpus)))
    for slot in range(6):
        worker.pin(slot, 1)
    assert shares == [[1], [3], [5], [7], [1], [3]]
    shares.clear()
    for slot in range(3):
        worker.pin(slot, 2)
    assert shares == [[1, 3], [5, 7], [1, 3]]
    shares.clear()
    for cpus in (0, 4, 9):
        worker.pin(1, cpus)
    assert shares == []
    worker.pin(2, 3)
    assert shares == [[1, 3, 5]]


def task(tmp_path: Path) -> MatchTask:
    spec = MatchSpec("sages-tafl", (), (entrant("a"), entrant("b")), 7)
    return MatchTask(4, spec, str(tmp_path / "no-store"), "off", reuse=False)


def test_missing_bot_raises_a_bot_error(tmp_path: Path) -> None:
    with refused(BotError, "has no bot with the digest 0000"):
        worker.play_task(task(tmp_path))


def test_machine_failure_is_a_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def play(self, spec: MatchSpec, following: MatchSpec | None, guide: object, absent: object) -> None:
            raise OSError(24, "Too many open files")

    monkeypatch.setattr(worker, "_match_runner", lambda *_args: Broken())
    monkeypatch.setattr(worker, "kill_strays", lambda _known: 0)  # this process has other children
    answer = worker.play_task(task(tmp_path))
    assert (answer.number, answer.played) == (4, None)
    assert answer.failure == "OSError: [Errno 24] Too many open files"


def test_unusable_bot_costs_no_other_match_of_its_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each task of a batch has its own reply or error, in their order."""
    good = WorkerReply(9)
    play = worker._play
    monkeypatch.setattr(worker, "_play", lambda task, _: good if task.number == 9 else play(task, None))
    (first, second, third), seconds = worker.play_batch(
        [replace(task(tmp_path), number=9), task(tmp_path), replace(task(tmp_path), number=9)]
    )
    assert (first, third) == (good, good)
    assert isinstance(second, BotError)
    assert seconds >= 0


def test_executor_gives_each_match_its_reply(tmp_path: Path) -> None:
    """Real workers reply to each of several batches of matches that cannot be played."""
    executor = LocalExecutor(1)
    try:
        futures = [executor.submit(replace(task(tmp_path), number=k)) for k in range(1, 20)]
        executor.flush()
        for future in futures:
            assert isinstance(future.exception(timeout=600), BotError)
        assert executor.capacity >= 2
        executor.drain()
        late = executor.submit(task(tmp_path))
        executor.flush()
        assert late.result(timeout=600) == WorkerReply(4)
    finally:
        executor.close()
