"""Real Dask clusters on this machine: a scheduler and workers as processes, and runs on them."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from tests.support.command import PROGRAM, popen
from tests.support.processes import wait_for
from tests.support.sites import site
from tests.support.tournaments import digests
from tourney.check.root import compute_root
from tourney.report.output.layout import Options
from tourney.report.source import load
from tourney.store.database import Database

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "random", "./patient"]
games-per-pairing = 2
[limits]
move-ms = 60000
"""
BOT = """
name = "patient"
version = "1.0"
games = ["sage-stones"]
command = ["python3", "bot.py"]
"""
PROGRAM_OF_BOT = """
import time
from tourney.bot import run

def choose(legal, turn):
    time.sleep(0.02)  # costs no processor, and leaves time to kill what plays
    return min(legal)

run(choose, sees="legal", name="patient", version="1.0")
"""
MATCHES = 6
NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Cluster:
    """A scheduler and its workers, as processes of this machine; ``settings`` are those of Dask."""

    scheme = "tcp"

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.settings = dict(settings or {})
        self.port = free_port()
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.scheduler = self._scheduler()
        # Before it listens it refuses connections, so a client's time limit could pass on a busy machine.
        assert wait_for(self._listens)

    def _listens(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def url(self) -> str:
        return f"dask://127.0.0.1:{self.port}"

    def _start(self, name: str, words: Sequence[str]) -> "subprocess.Popen[bytes]":
        settings = {
            **self.settings,
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "3s",
            "DASK_DISTRIBUTED__WORKER__HEARTBEAT_INTERVAL": "500ms",
            "TOURNEY_CACHE": str(self.folder / "cache"),
        }
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *words],
                stdout=log,
                stderr=log,
                env={**os.environ, **settings},
                cwd=self.folder,
                start_new_session=True,
            )

    def _scheduler(self) -> "subprocess.Popen[bytes]":
        words = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", *NO_PAGES]
        return self._start("scheduler", [*words, "--port", str(self.port)])

    def worker(self, name: str, *preload: str) -> "subprocess.Popen[bytes]":
        """Start a worker with one match slot."""
        address = f"{self.scheme}://127.0.0.1:{self.port}"
        words = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1"]
        words += ["--resources", "matches=1", "--name", name, *NO_PAGES, "--no-nanny"]
        words += ["--host", "127.0.0.1", "--memory-limit", "0", "--local-directory", str(self.folder)]
        self.workers[name] = self._start(name, [*words, *preload])
        return self.workers[name]

    def worker_of_spec(self, name: str, options: Mapping[str, object]) -> None:
        """Start a worker as Dask's own clusters do on their hosts: by a module, from options as JSON."""
        spec = json.dumps({"cls": "distributed.Nanny", "opts": dict(options)})
        address = f"{self.scheme}://127.0.0.1:{self.port}"
        words = ["-m", "distributed.cli.dask_spec", address, "--spec", spec]
        self.workers[name] = self._start(name, words)

    def restart(self) -> None:
        """Restart the scheduler; its workers are gone with it."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.end(*self.workers)
        self.scheduler = self._scheduler()

    def need(self, *names: str) -> None:
        """Let exactly these workers be there: those that are alive stay."""
        self.end(*({*self.workers} - {*names}))
        for name in names:
            if name not in self.workers or self.workers[name].poll() is not None:
                self.worker(name)

    def end(self, *names: str) -> None:
        for name in names:
            process = self.workers.pop(name)
            process.kill()
            process.wait()

    def close(self) -> None:
        self.end(*self.workers)
        self.scheduler.kill()
        self.scheduler.wait()


class Runs:
    """Runs of one tournament file, each with a database of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "patient").mkdir()
        (folder / "patient" / "bot.toml").write_text(BOT)
        (folder / "patient" / "bot.py").write_text(PROGRAM_OF_BOT)
        (folder / "cup.toml").write_text(CUP)

    def words(self, name: str, *more: str) -> list[str]:
        db = str(self.folder / f"{name}.db")
        return ["run", str(self.folder / "cup.toml"), "--db", db, "--bots", str(self.folder / "bots"), *more]

    def start(self, name: str, *more: str, start_new_session: bool = False) -> "subprocess.Popen[str]":
        """Start a run as a process of its own."""
        with (self.folder / f"{name}.err").open("w") as err:
            words = [*PROGRAM, *self.words(name, *more)]
            return popen(words, stdout=err, stderr=err, start_new_session=start_new_session)

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.err").read_text()

    def done(self, name: str) -> int:
        """Return the number of stored matches."""
        file = self.folder / f"{name}.db"
        if not file.exists():
            return 0
        with Database.open(str(file)) as repository:
            found = repository.tournaments.all()
            return repository.schedules.progress(found[0].id).done if found else 0

    @cached_property
    def right(self) -> tuple[dict[int, str], str | None]:
        """The results of the run on this machine."""
        return self.results("local")

    def results(self, name: str) -> tuple[dict[int, str], str | None]:
        """The digests and the root, which must be the same."""
        with Database.open(str(self.folder / f"{name}.db")) as repository:
            tournament = repository.tournaments.get()
            return digests(repository, tournament.id), compute_root(repository, tournament)

    def report(self, name: str) -> list[object]:
        """The files of the report, whose bytes must be the same too."""
        with Database.open(str(self.folder / f"{name}.db")) as repository:
            source = load(repository, repository.tournaments.get())
            return list(site(source, Options(measured=False, match_pages=1)))

    def hosts(self, name: str) -> set[str]:
        with Database.open(str(self.folder / f"{name}.db")) as repository:
            id_ = repository.tournaments.get().id
            return {
                repository.records.measured(id_, number).host.rpartition("/")[2]
                for number in digests(repository, id_)
            }
