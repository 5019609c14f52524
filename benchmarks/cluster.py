"""What a Dask cluster costs beside worker processes of this machine, and what one coordinator can take.

    python -m benchmarks.cluster [--matches 60] [--workers 1 2 4]

Bots sleep for a while at their first turn and resign, so that two processors suffice; they are started once
(``reuse``, without a sandbox). The last row of the first table has whole games of a bot that answers at once.
Scheduler and workers are processes on the loopback, each worker with one match slot.

The first table has the time a match takes by ``local`` with one worker, and by a cluster of one, side by
side. The second has matches a second on more workers, and the processor time that a match costs coordinator
and scheduler: there is one of each, so the one that costs most is the ceiling.
"""

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tourney.run.config.tournament_file import read_tournament_file
from tourney.run.engine.session import run_tournament
from tourney.run.monitoring.progress import Listener, Progress
from tourney.run.workers.executor import find_executor

TICKS: Final = os.sysconf("SC_CLK_TCK")
SLEEPS_MS: Final = (0, 30, 100, 300, 1000)
SCALING_MS: Final = 100
BOT: Final = """
name = "sleeper"
version = "1.0"
games = ["sage-stones"]
command = ["python3", "bot.py"]
"""
PROGRAM: Final = """
import sys, time

legal = ""
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        print("ready", flush=True)
    elif word == "legal":
        legal = rest.split()[0]
    elif word == "go" and sys.argv[1] == "play":
        print("move", legal, flush=True)
    elif word == "go":
        time.sleep(int(sys.argv[1]) / 1000)
        print("resign", flush=True)
    elif word == "quit":
        break
"""
CUP: Final = """
name = "cup"
game = "sage-stones"
seed = 7
games-per-pairing = {matches}
[[entrant]]
bot = "./sleeper"
name = "a"
args = ["{how}"]
[[entrant]]
bot = "./sleeper"
name = "b"
args = ["{how}"]
[limits]
move-ms = 60000
[run]
reuse = true
sandbox = "off"
"""


class Taken(NamedTuple):
    """The seconds of a match, and the milliseconds of processor time that it costs."""

    seconds: float
    coordinator: float
    scheduler: float


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, int]]:
    """Give the URL of a cluster, and the process id of its scheduler."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    pages = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")
    words = [["dask_scheduler", *pages, "--port", str(port)]]
    for _ in range(workers):
        worker = ["dask_worker", f"tcp://127.0.0.1:{port}", *pages, "--nthreads", "1", "--no-nanny"]
        words.append(
            [*worker, "--resources", "matches=1", "--memory-limit", "0", "--local-directory", str(folder)]
        )
    env = {**os.environ, "TOURNEY_CACHE": str(folder / "cache")}
    with (folder / "dask.log").open("ab") as log:
        made = [
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *rest], stdout=log, stderr=log, env=env
            )
            for module, *rest in words
        ]
    try:
        yield f"dask://127.0.0.1:{port}", made[0].pid
    finally:
        for process in made:
            process.kill()
            process.wait()


def cpu_ms(pid: int) -> float:
    """Return the processor time of a process, in milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / TICKS


def own_ms() -> float:
    """Return the processor time of this process, its children apart."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return 1000 * (used.ru_utime + used.ru_stime)


class Watch(Listener):
    """Notes when matches were stored, and the processor time until then."""

    def __init__(self, scheduler: int) -> None:
        self._scheduler = scheduler
        self.seen: list[tuple[int, float, float, float]] = []

    def progress(self, progress: Progress) -> None:
        """Note the matches stored so far."""
        used = cpu_ms(self._scheduler) if self._scheduler else 0.0
        self.seen.append((progress.played, time.monotonic(), own_ms(), used))


def run(folder: Path, executor: str, how: str, matches: int, workers: int = 1, scheduler: int = 0) -> Taken:
    """Play matches, and twice as many as there are workers before them, which start workers and bots."""
    count = matches + 2 * workers
    file = folder / "cup.toml"
    file.write_text(CUP.format(matches=count + count % 2, how=how), encoding="utf-8")
    remote = executor != "local"
    make = find_executor(executor, recheck=0 if remote else None, allow_mixed=remote)
    watch = Watch(scheduler)
    database = str(folder / f"{time.monotonic_ns()}.db")
    run_tournament(
        read_tournament_file(file), database, folder / "bots", lambda: make(workers), listener=watch
    )
    first = next(seen for seen in watch.seen if seen[0] >= 2 * workers)
    last = watch.seen[-1]
    played, seconds, own, other = (after - before for after, before in zip(last, first, strict=True))
    return Taken(seconds / played, own / played, other / played)


def main(words: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.cluster", description=__doc__)
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "sleeper").mkdir()
        (folder / "sleeper" / "bot.toml").write_text(BOT, encoding="utf-8")
        (folder / "sleeper" / "bot.py").write_text(PROGRAM, encoding="utf-8")
        print(f"{given.matches} matches, ms a match\n{'match':>12}{'local':>10}{'dask':>10}{'overhead':>10}")
        with cluster(folder, 1) as (url, _):
            for how in (*map(str, SLEEPS_MS), "play"):
                here = run(folder, "local", how, given.matches)
                there = run(folder, url, how, given.matches)
                one, two = 1000 * here.seconds, 1000 * there.seconds
                label = "a game" if how == "play" else f"{how} ms"
                print(f"{label:>12}{one:>10.1f}{two:>10.1f}{two - one:>10.1f}", flush=True)
        print(
            f"\nmatches of {SCALING_MS} ms\n"
            f"{'workers':>12}{'a second':>10}{'coordinator':>13}{'scheduler':>11}"
        )
        for workers in given.workers:
            with cluster(folder, workers) as (url, pid):
                taken = run(folder, url, str(SCALING_MS), workers * given.matches, workers, pid)
            rate = 1 / taken.seconds
            print(
                f"{workers:>12}{rate:>10.1f}{taken.coordinator:>10.1f} ms{taken.scheduler:>8.1f} ms",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
