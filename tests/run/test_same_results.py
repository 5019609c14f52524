"""Every run of a schedule gives the same results: one worker, several, or killed and continued.

The matches are real, of bots without processes. One bot never starts, so it is benched; another crashes in
some matches. Killed runs are separate processes.
"""

import os
import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.executors import BackwardsExecutor, FuturesExecutor, Immediate
from tests.support.sites import site
from tests.support.tournaments import begin, digests
from tourney.bots.channel.interface import Channel, Event
from tourney.check.named_seeds import RandomChannel
from tourney.check.root import compute_root
from tourney.check.schedule import StoredSchedule, TournamentCheck, check_schedule
from tourney.match.runner import MatchRunner
from tourney.match.spec import Entrant, Limits
from tourney.report.output.layout import Options
from tourney.report.source import load
from tourney.results.standings import compute_standings
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.run_control import RunControl
from tourney.run.listeners import Listener
from tourney.run.summary import End, RunProgress
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.database import Database

NOWHERE = Path("/nowhere")
DEAD, FRAIL = "b", "c"


class Case(NamedTuple):
    """A tournament and its number of matches (None: results decide it)."""

    format: str
    entrants: int
    seats: int
    games: int
    rows: int | None
    rounds: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()
    benched: bool = True  # False: the format itself drops an entrant that fails at start-up


CASES = {
    "round-robin": Case("round-robin", 5, 2, 4, 40),
    "round-robin-of-4": Case("round-robin", 5, 4, 8, 40),
    "swiss": Case("swiss", 7, 2, 2, 30, rounds=5, benched=False),
    "pods": Case("swiss", 9, 4, 4, None, rounds=5, benched=False),
    "gauntlet": Case("gauntlet", 4, 2, 16, 48, extra=(("challengers", "a"),)),
    "knockout": Case("knockout", 8, 2, 4, None, extra=(("third-place", 1),), benched=False),
    "adaptive": Case("adaptive", 5, 2, 2, 48, extra=(("batch", 4), ("budget", 48))),
    "adaptive-of-4": Case("adaptive", 6, 4, 4, 48, extra=(("batch", 3), ("budget", 48))),
}


REPORTED = ("round-robin", "pods")
"""Those whose reports are compared too. A report takes longer than the run, and is made of what is stored."""


class Silent(RandomChannel):
    """A bot whose program does not start."""

    def wait(self, deadline: int) -> Event:
        return Event("closed", "exit code 1")


class Frail(RandomChannel):
    """A bot that crashes at its second turn in every third match, by its seed."""

    def wait(self, deadline: int) -> Event:
        return super().wait(deadline) if self._turn < 2 or self._seed % 3 else Event("closed", "exit code 1")


def launch(entrant: Entrant, _limits: Limits) -> Channel:
    return {DEAD: Silent, FRAIL: Frail}.get(entrant.name, RandomChannel)()


def play(task: MatchTask) -> WorkerReply:
    with MatchRunner(launch) as room:
        return WorkerReply(task.number, room.play(task.spec))


def run(
    database: Path, executor: MatchExecutor, max_faults: int | None = None, listener: Listener | None = None
) -> End:
    with Database.open(str(database)) as repository:
        tournament = repository.tournaments.get().id
        control = RunControl(listener or Listener(), max_faults=max_faults)
        return Coordinator(repository, tournament, executor, NOWHERE, control).run().end


def one(database: Path, max_faults: int | None = None) -> End:
    return run(database, FuturesExecutor(Immediate, play), max_faults)


def threads(database: Path, max_faults: int | None = None) -> End:
    return run(database, FuturesExecutor(lambda: ThreadPoolExecutor(3), play, 3), max_faults)


class Gate(Listener):
    """Admits ``count`` matches, and writes to ``tell`` when they are stored."""

    def __init__(self, count: int, tell: int) -> None:
        self._left = threading.Semaphore(count)
        self._count = count
        self._tell = tell

    def play(self, task: MatchTask) -> WorkerReply:
        if not self._left.acquire(blocking=False):
            threading.Event().wait()
        return play(task)

    def progress(self, progress: RunProgress) -> None:
        if progress.played == self._count:
            os.write(self._tell, b"x")


def kill_after(count: int, database: Path, max_faults: int | None) -> None:
    """Run in a separate process, and kill it once it has stored ``count`` matches and plays others."""
    heard, tell = os.pipe()
    pid = os.fork()
    if not pid:
        with suppress(BaseException):
            gate = Gate(count, tell)
            run(database, FuturesExecutor(lambda: ThreadPoolExecutor(2), gate.play, 2), max_faults, gate)
        os._exit(0)
    os.close(tell)
    reached = os.read(heard, 1) == b"x"
    os.close(heard)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert reached, "the run ended before it could be killed"


def killed(database: Path, max_faults: int | None = None) -> End:
    """Kill two runs in the middle, and finish with a third one in reverse order."""
    kill_after(3, database, max_faults)
    kill_after(6, database, max_faults)
    return run(database, BackwardsExecutor(play, 3), max_faults)


def results(database: Path, *, report: bool = False) -> dict[str, Any]:
    """All that must be the same, on request down to the report's bytes."""
    with Database.open(str(database)) as repository:
        tournament = repository.tournaments.get()
        found: dict[str, Any] = {
            "rows": tuple(repository.schedules.rows(tournament.id)),
            "digests": digests(repository, tournament.id),
            "results": tuple(repository.matches.results(tournament.id)),
            "benched": repository.totals.benched(tournament.id),
            "standings": compute_standings(repository, tournament.id),
            "root": compute_root(repository, tournament),
            "schedule": check_schedule(StoredSchedule.of(repository, tournament)),
        }
        if report:
            source = load(repository, tournament)
            found["report"] = list(site(source, Options(measured=False, match_pages=2)))
        return found


def make(database: Path, case: Case) -> Path:
    with Database.open(str(database), create=True) as repository:
        begin(
            repository,
            case.entrants,
            seats=case.seats,
            games=case.games,
            format_=case.format,
            rounds=case.rounds,
            options=(("play-on", "no"), ("stones", "3")),
            extra=case.extra,
        )
    return database


WAYS: dict[str, Callable[..., End]] = {"one": one, "threads": threads, "killed": killed}

pytestmark = [pytest.mark.kill, pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")]


def same(found: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Check that all ways gave the same results, and return them."""
    first, *others = found.values()
    for way, other in zip(list(found)[1:], others, strict=True):
        for what, value in first.items():
            assert other[what] == value, f"{what} of {way}"
    return first


@pytest.mark.parametrize("name", CASES)
def test_threads_and_killed_runs_give_same_results(tmp_path: Path, name: str) -> None:
    found = {}
    case = CASES[name]
    for way, go in WAYS.items():
        database = make(tmp_path / f"{way}.db", case)
        assert go(database) is End.FINISHED
        found[way] = results(database, report=name in REPORTED)
    first = same(found)
    assert case.rows in (None, len(first["rows"]))
    assert len(first["results"]) == len(first["rows"]) > 18
    assert first["root"] is not None
    assert first["schedule"] == TournamentCheck((), None)
    assert [number for number, _ in first["benched"]] == [1] * case.benched


@pytest.mark.parametrize("name", ["round-robin", "pods", "adaptive-of-4"])
def test_fault_limit_stops_all_ways_at_same_match(tmp_path: Path, name: str) -> None:
    """Pairings and results are the same when it stops, and after it continues."""
    stopped, ended = {}, {}
    for way, go in WAYS.items():
        database = make(tmp_path / f"{way}.db", CASES[name])
        assert go(database, max_faults=3) is End.FAULTS
        stopped[way] = results(database)
        assert one(database) is End.FINISHED
        ended[way] = results(database)
    first = same(stopped)
    assert 9 <= len(first["results"]) < len(first["rows"])
    assert first["root"] is None
    assert first["schedule"].findings == ()
    database = make(tmp_path / "without.db", CASES[name])
    assert one(database) is End.FINISHED
    same({**ended, "without": results(database)})
