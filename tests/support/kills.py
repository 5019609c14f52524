"""Runs of made-up matches that are killed again and again: ``python -m tests.support.kills FOLDER KIND``.

It plays a tournament straight through, and with ``kill -9`` at one place after the other, on one worker and
on four. It prints a JSON object for each: the number of kills, and what the tournament came to. The places
are moments of a run: the begin of a match, and the begin and end of each write to the database.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol

from msgspec import to_builtins

from tests.support import addons
from tests.support.command import ROOT
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import played, write_file
from tourney.run.engine import recorder
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.summary import Summary
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.schedule.adaptive import expected
from tourney.seeds import U64, derive
from tourney.store.database import Database
from tourney.store.matches import Matches
from tourney.store.schedules import Schedules
from tourney.store.tournaments import Tournaments

WRITES: Final[tuple[tuple[type, str, str], ...]] = (
    (Tournaments, "add", "begin"),
    (Schedules, "add", "add rows"),
    (Matches, "add", "add results"),
    (Tournaments, "keep_root", "keep root"),
    (Tournaments, "keep_verdict", "keep verdict"),
)
"""Methods that a run writes by, with the names of their moments."""
PLACES: Final = (2, 9, 4, 35, 60, "last add rows", "after last add rows", "keep root", "after keep root",
                 "keep verdict", "after keep verdict")  # fmt: skip
"""Where the first run is killed, the second, and so on: at a moment by its number, or by its name."""
ELO: Final = {"a": 150.0, "b": -50.0, "c": -100.0, "greedy": 90.0, "random": -150.0, "pebble": 0.0}
"""The strength of the bots; one that is not here has 0."""

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
{settings}
[run]
sandbox = "off"
[[entrant]]
bot = "random"
name = "a"
[[entrant]]
bot = "random"
name = "b"
[[entrant]]
bot = "random"
name = "c"
"""
ADAPTIVE: Final = 'format = "adaptive"\nbatch = 4\n[until]\nbest = 0.9\ngames = 400'
LEVEL: Final = "games-per-pairing = 200\n[until]\nwidth = 130\norder = true"

Make = Callable[[], MatchExecutor]


class Answered(Protocol):
    """The end of a run that asks a question."""

    @property
    def result(self) -> object:
        """The answer so far."""


Run = Callable[[Path, Make], Answered | Summary]


def run_cup(settings: str) -> Run:
    """Return a run of a tournament file with these settings."""

    def run(folder: Path, make: Make) -> Summary:
        file = read_tournament_file(write_file(folder, CUP.format(settings=settings)))
        return run_tournament(file, str(folder / "t.db"), folder / "bots", make)

    return run


KINDS: Final[Mapping[str, Run]] = {
    "until-best": run_cup(ADAPTIVE),
    "until-width-or-order": run_cup(LEVEL),
}
"""Those of the core; ``all_kinds`` has those of the add-ons too."""


def all_kinds() -> Mapping[str, Run]:
    """Every kind of run: an add-on has its ``KINDS`` in ``tests/addons/NAME/killed_runs.py``."""
    kinds = dict(KINDS)
    for part in addons.parts("killed_runs"):
        kinds |= part.KINDS
    return kinds


def play(task: MatchTask) -> WorkerReply:
    """Let each bot win as often as its strength says, by the match's seed."""
    first, other = (
        ELO.get(seat.name, 0.0) + sum(float(arg.partition("=")[2]) for arg in seat.args if "best=" in arg)
        for seat in task.spec.seats
    )
    won = derive(task.spec.seed, "test", task.number % 2) / U64 < expected(100 * (first - other))
    return WorkerReply(task.number, played(task.spec, (1, 2) if won else (2, 1)))


def one_worker(play: Callable[[MatchTask], WorkerReply]) -> MatchExecutor:
    """Return one worker in this process."""
    return FuturesExecutor(Immediate, play)


def four_threads(play: Callable[[MatchTask], WorkerReply]) -> MatchExecutor:
    """Return four workers, whose matches end in any order."""
    return FuturesExecutor(lambda: ThreadPoolExecutor(4), play, workers=4)


Workers = Callable[[Callable[[MatchTask], WorkerReply]], MatchExecutor]


def run_killed(run: Run, folder: Path, workers: Workers) -> int:
    """Run once for each place, in a process that is killed if it gets there; count the kills."""
    kills = 0
    for place in PLACES:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _run_to(place, run, folder, workers)
                status = 0
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        if not os.WIFSIGNALED(ended) and ended:
            raise SystemExit(f"the run after {kills} kills failed")
        kills += os.WIFSIGNALED(ended)
    return kills


def _run_to(place: int | str, run: Run, folder: Path, workers: Workers) -> None:
    numbers = count(1)

    def reach(moment: str) -> None:
        if place in (next(numbers), moment):
            os.kill(os.getpid(), signal.SIGKILL)

    def mortal(name: str, write: Callable[..., Any]) -> Callable[..., Any]:
        def reached(*args: Any, **named: Any) -> Any:
            moment = f"last {name}" if named.get("complete") else name
            reach(moment)
            found = write(*args, **named)
            reach(f"after {moment}")
            return found

        return reached

    def mortal_play(task: MatchTask) -> WorkerReply:
        reach("play")
        return play(task)

    for owner, method, name in WRITES:
        setattr(owner, method, mortal(name, getattr(owner, method)))
    setattr(recorder, "BATCH_SECONDS", 0.0)  # noqa: B010 - it is final; no clock may decide what is stored at once
    run(folder, lambda: workers(mortal_play))


def never(task: MatchTask) -> WorkerReply:
    """Refuse to play."""
    raise AssertionError(f"match {task.number} is played although all is known")


def outcome(run: Run, folder: Path) -> dict[str, Any]:
    """Return what the tournament of a folder came to: its end, its root, its verdict and its records.

    The end is what a further run gives, which has nothing to play.
    """
    again = run(folder, lambda: one_worker(never))
    with Database.open(str(folder / "t.db")) as repository:
        tournament = repository.tournaments.get()
        records = [
            match.result.digest
            for match in repository.matches.all(tournament.id, finished=True)
            if match.result is not None
        ]
        return {
            "name": tournament.name,
            "complete": tournament.complete,
            "root": tournament.root,
            "end": again.until if isinstance(again, Summary) else to_builtins(again.result),
            "verdict": repository.tournaments.verdict(tournament.id),
            "matches": len(records),
            "records": hashlib.sha256("".join(records).encode()).hexdigest(),
        }


def main(folder: Path, kind: str) -> None:
    """Run a kind straight through, and killed; print what each came to."""
    run = all_kinds()[kind]
    for name, workers in (("straight", None), ("one", one_worker), ("four", four_threads)):
        place = folder / name
        place.mkdir()
        kills = 0
        if workers is None:
            run(place, lambda: one_worker(play))
        else:
            kills = run_killed(run, place, workers)
        sys.stdout.write(json.dumps({"kills": kills, "outcome": outcome(run, place)}) + "\n")
        sys.stdout.flush()  # before the next fork


def check_kind(folder: Path, kind: str, kills: int) -> None:
    """Run a kind as a program: killed that many times, it comes to the same end, root and records."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.kills", str(folder), kind],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    straight, one, four = map(json.loads, done.stdout.splitlines())
    assert (straight["kills"], one["kills"], four["kills"]) == (0, kills, kills)
    assert straight["outcome"]["complete"]
    assert straight["outcome"]["root"]
    assert straight["outcome"]["matches"] > 60
    assert one["outcome"] == straight["outcome"]
    assert four["outcome"] == straight["outcome"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
