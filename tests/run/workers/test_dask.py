"""Real Dask clusters on this machine: a scheduler and workers as processes, and real bots in sandboxes.

Whatever is killed, stopped or lies: the digests, the root, the ratings and the report's bytes are those of a
run on this machine. One scheduler serves all tests of this module; each test starts the workers it needs.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.command import PROGRAM, popen
from tests.processes import PATIENCE, wait_for
from tests.tournaments import digests
from tourney.bots.sandbox.base import open_sandbox
from tourney.ratings.trueskill_rating import TrueSkillMethod
from tourney.report.output.look import Options
from tourney.report.site import site
from tourney.report.source import load
from tourney.run.workers.dask_executor import DaskLink
from tourney.store.repository import Repository
from tourney.store.root import compute_root

pytest.importorskip("distributed", reason="the extra dask is not installed")
dask = pytest.importorskip("dask")

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "random", "./patient"]
games-per-pairing = 4
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
from tourney.bot import run

run(lambda legal, turn: min(legal), sees="legal", name="patient", version="1.0")
"""
MATCHES = 12
NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Cluster:
    """A scheduler and its workers, as processes of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.scheduler = self._scheduler()

    @property
    def url(self) -> str:
        return f"dask://127.0.0.1:{self.port}"

    def _start(self, name: str, words: Sequence[str], **env: str) -> "subprocess.Popen[bytes]":
        settings = {
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "3s",
            "DASK_DISTRIBUTED__WORKER__HEARTBEAT_INTERVAL": "500ms",
            "TOURNEY_CACHE": str(self.folder / "cache"),
        }
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *words],
                stdout=log,
                stderr=log,
                env={**os.environ, **settings, **env},
                cwd=self.folder,
                start_new_session=True,
            )

    def _scheduler(self) -> "subprocess.Popen[bytes]":
        words = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", *NO_PAGES]
        return self._start("scheduler", [*words, "--port", str(self.port)])

    def worker(self, name: str, *preload: str) -> "subprocess.Popen[bytes]":
        """Start a worker with one match slot."""
        words = ["-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", "1"]
        words += ["--resources", "matches=1", "--name", name, *NO_PAGES, "--no-nanny"]
        words += ["--host", "127.0.0.1", "--memory-limit", "0", "--local-directory", str(self.folder)]
        self.workers[name] = self._start(name, [*words, *preload])
        return self.workers[name]

    def restart_scheduler(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()
        self.scheduler = self._scheduler()

    def end_workers(self) -> None:
        for process in self.workers.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        self.workers.clear()

    def close(self) -> None:
        self.end_workers()
        self.scheduler.kill()
        self.scheduler.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def cluster(scheduler: Cluster) -> Iterator[Cluster]:
    """The scheduler without workers."""
    yield scheduler
    scheduler.end_workers()


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
        with Repository.open(str(file)) as repository:
            found = repository.tournaments()
            return repository.progress(found[0].id).done if found else 0

    @cached_property
    def right(self) -> dict[str, Any]:
        """The results of the run on this machine."""
        return self.results("local")

    def results(self, name: str) -> dict[str, Any]:
        """Return all that must be the same, down to the report's bytes."""
        with Repository.open(str(self.folder / f"{name}.db")) as repository:
            tournament = repository.tournament()
            entrants = range(len(repository.entrants(tournament.id)))
            results = tuple(repository.results(tournament.id))
            return {
                "digests": digests(repository, tournament.id),
                "root": compute_root(repository, tournament),
                "ratings": tuple(TrueSkillMethod().rate(results, entrants, tournament.seats)),
                "report": list(site(load(repository, tournament), Options(measured=False, match_pages=1))),
            }

    def hosts(self, name: str) -> set[str]:
        with Repository.open(str(self.folder / f"{name}.db")) as repository:
            id_ = repository.tournament().id
            return {
                repository.measured(id_, number)["host"].rpartition("/")[2]
                for number in digests(repository, id_)
            }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The runs, with one on this machine to compare with."""
    made = Runs(tmp_path_factory.mktemp("runs"))
    assert made.start("local", "--workers", "1").wait(PATIENCE) == 0, made.said("local")
    return made


def finish(runs: Runs, name: str, process: "subprocess.Popen[str]") -> None:
    """Wait for a run, and compare its results."""
    assert process.wait(PATIENCE) == 0, runs.said(name)
    assert runs.results(name) == runs.right


def test_tls_is_taken_from_the_configuration_of_dask() -> None:
    for given, url in (
        ({}, "tcp://here:1"),
        ({"distributed.comm.require-encryption": True}, "tls://here:1"),
        ({"distributed.comm.default-scheme": "tls"}, "tls://here:1"),
    ):
        with dask.config.set(given):
            assert DaskLink("here:1", 1)._url() == url


def test_cluster_gives_the_results_of_this_machine(cluster: Cluster, runs: Runs) -> None:
    """Bots travel to an empty cache; each match is rechecked on the other worker."""
    cluster.worker("one")
    cluster.worker("two")
    process = runs.start("plain", "--executor", cluster.url, "--recheck", "50%", "--allow-mixed")
    finish(runs, "plain", process)
    cache = cluster.folder / "cache" / "bots" / "entries"
    assert len(list(cache.iterdir())) == 3


def test_interrupt_lets_a_cluster_on_this_machine_finish(runs: Runs) -> None:
    """A terminal's signal reaches the cluster's processes, too."""
    words = ("--executor", "dask", "--workers", "1", "--recheck", "0%")
    process = runs.start("here", *words, start_new_session=True)
    assert wait_for(lambda: runs.done("here") > 0)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE) == 128 + signal.SIGINT, runs.said("here")
    said = runs.said("here")
    assert "finishing the matches in progress" in said
    assert not any(word in said for word in ("is lost", "Traceback", "Warning"))
    finish(runs, "here", runs.start("here"))


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_lost_worker_changes_no_result(how: str, cluster: Cluster, runs: Runs) -> None:
    """One that is stopped keeps its connection and is lost to the scheduler, as by a cut network."""
    lost = cluster.worker("one")
    process = runs.start(how, "--executor", cluster.url, "--allow-mixed")
    assert wait_for(lambda: runs.done(how) > 0)
    cluster.worker("two")
    lost.send_signal(signal.SIGKILL if how == "kill" else signal.SIGSTOP)
    finish(runs, how, process)
    assert "two" in runs.hosts(how)
    assert "one is lost" in runs.said(how)


def test_lost_scheduler_changes_no_result(cluster: Cluster, runs: Runs) -> None:
    cluster.worker("one")
    process = runs.start("scheduler", "--executor", cluster.url, "--allow-mixed")
    assert wait_for(lambda: runs.done("scheduler") > 0)
    cluster.restart_scheduler()
    cluster.end_workers()
    cluster.worker("two")
    finish(runs, "scheduler", process)
    assert "two" in runs.hosts("scheduler")


def test_killed_coordinator_changes_no_result(cluster: Cluster, runs: Runs) -> None:
    """Matches that its workers still play are not stored twice."""
    cluster.worker("one")
    process = runs.start("coordinator", "--executor", cluster.url, "--allow-mixed")
    assert wait_for(lambda: runs.done("coordinator") > 0)
    process.kill()
    process.wait()
    assert 0 < runs.done("coordinator") < MATCHES
    finish(runs, "coordinator", runs.start("coordinator", "--executor", cluster.url, "--allow-mixed"))


LIAR = """
from tourney.match.match_runner import MatchRunner
from tourney.match.named_seeds import RandomChannel
from tourney.run.workers import host
from tourney.run.workers.executor import WorkerReply
from tourney.run.workers.wire import PlayRequest, decode, reply_of

def lie(request):
    wanted = decode(request, PlayRequest)
    with MatchRunner(lambda entrant, limits: RandomChannel()) as room:
        return reply_of(WorkerReply(wanted.number, room.play(wanted.spec)), wanted.number)

host.play = lie
"""


def test_lying_worker_is_set_aside_and_changes_no_result(cluster: Cluster, runs: Runs) -> None:
    """Its records are sound, but of other bots; the recheck finds it, this machine decides."""
    preload = cluster.folder / "liar.py"
    preload.write_text(LIAR)
    cluster.worker("liar", "--preload", str(preload))
    cluster.worker("honest")
    process = runs.start("liar", "--executor", cluster.url, "--recheck", "40%", "--allow-mixed")
    finish(runs, "liar", process)
    assert "liar is set aside: its match" in runs.said("liar")
    assert runs.hosts("liar") == {"honest"}


SPY = """
import socket
import sys
from tourney.bot import run

def reached(port):
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            with socket.socket(family) as tried:
                tried.settimeout(5)
                tried.connect((address, port))
                return True
        except OSError:
            pass
    return False

def choose(legal, turn):
    found = reached(int(sys.argv[1]))
    print("scheduler", "reached" if found else "not reached", file=sys.stderr, flush=True)
    return min(legal)

run(choose, sees="legal", name="spy", version="1.0")
"""


@pytest.mark.parametrize("level", ["auto", "off"])
def test_only_bots_without_a_sandbox_reach_the_scheduler(
    level: str, cluster: Cluster, tmp_path: Path
) -> None:
    if open_sandbox("auto").protections["network"] != "enforced":
        pytest.skip("this machine cannot keep bots from the network")
    (tmp_path / "spy").mkdir()
    (tmp_path / "spy" / "bot.toml").write_text(BOT.replace("patient", "spy"))
    (tmp_path / "spy" / "bot.py").write_text(SPY)
    (tmp_path / "cup.toml").write_text(
        f'name = "cup"\ngame = "sage-stones"\nseed = 7\nbots = ["pebble"]\ngames-per-pairing = 2\n'
        f'[[entrant]]\nbot = "./spy"\nargs = ["{cluster.port}"]\n[limits]\nmove-ms = 60000\n'
        f'[run]\nsandbox = "{level}"\nexecutor = "{cluster.url}"\n'
    )
    cluster.worker("one")
    db = tmp_path / "t.db"
    done = subprocess.run(
        [*PROGRAM, "run", str(tmp_path / "cup.toml"), "--db", str(db), "--bots", str(tmp_path / "bots")],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    with Repository.open(str(db)) as repository:
        log = repository.log(repository.tournament().id, 1)
    words = {line.text for line in log if line.text.startswith("scheduler")}
    assert words == {"scheduler not reached" if level == "auto" else "scheduler reached"}
    assert ("bots are not kept from the network" in done.stderr) == (level == "off")
