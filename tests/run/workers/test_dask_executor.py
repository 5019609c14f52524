"""Real Dask clusters on this machine: a scheduler and workers as processes, and real bots in sandboxes.

Whatever is killed, stopped or lies: digests and root are those of a run on this machine. One scheduler serves
the tests of this module; a worker lives until a test ends it.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, popen
from tests.support.processes import PATIENCE, wait_for
from tests.support.sites import site
from tests.support.tournaments import digests
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.report.output.layout import Options
from tourney.report.source import load
from tourney.run.workers.dask_executor import DaskLink
from tourney.store.database import Database
from tourney.store.root import compute_root

pytestmark = pytest.mark.cluster

pytest.importorskip("distributed", reason="the extra dask is not installed")
dask = pytest.importorskip("dask")

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


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.close()


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
    cluster.need("one", "two")
    process = runs.start("plain", "--executor", cluster.url, "--recheck", "50%", "--allow-mixed")
    finish(runs, "plain", process)
    assert runs.report("plain") == runs.report("local")
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
    cluster.need("one", "two")
    process = runs.start(how, "--executor", cluster.url, "--allow-mixed")
    assert wait_for(lambda: runs.done(how) > 0)
    cluster.workers["one"].send_signal(signal.SIGKILL if how == "kill" else signal.SIGSTOP)
    finish(runs, how, process)
    cluster.end("one")
    assert "two" in runs.hosts(how)
    # A worker that stops when it has given all its results owes nothing, so the run need not name it.
    if how == "kill" or "one" not in runs.hosts(how):
        assert "one is lost" in runs.said(how)


def test_lost_scheduler_changes_no_result(cluster: Cluster, runs: Runs) -> None:
    cluster.need("one")
    process = runs.start("scheduler", "--executor", cluster.url, "--allow-mixed")
    assert wait_for(lambda: runs.done("scheduler") > 0)
    cluster.restart()
    cluster.need("two")
    finish(runs, "scheduler", process)
    assert "two" in runs.hosts("scheduler")
    assert "Traceback" not in runs.said("scheduler")


def test_killed_coordinator_changes_no_result(cluster: Cluster, runs: Runs) -> None:
    """Matches that its workers still play are not stored twice."""
    cluster.need("one")
    process = runs.start("coordinator", "--executor", cluster.url, "--allow-mixed")
    assert wait_for(lambda: runs.done("coordinator") > 0)
    process.kill()
    process.wait()
    assert 0 < runs.done("coordinator") < MATCHES
    finish(runs, "coordinator", runs.start("coordinator", "--executor", cluster.url, "--allow-mixed"))


LIAR = """
from tourney.match.match_runner import MatchRunner
from tourney.match.named_seeds import RandomChannel
from tourney.run.workers import host_service
from tourney.run.workers.executor import WorkerReply
from tourney.run.workers.messages import BatchRequest, decode, reply_of

def lie(request):
    replies = []
    for asked in decode(request, BatchRequest).matches:
        with MatchRunner(lambda entrant, limits: RandomChannel()) as room:
            replies.append(reply_of(WorkerReply(asked.number, room.play(asked.spec)), asked.number))
    return b"\\n".join(replies)

host_service.play = lie
"""


def test_lying_worker_is_refused_and_changes_no_result(cluster: Cluster, runs: Runs) -> None:
    """Its records are sound, but of other bots; the recheck finds it, this machine decides."""
    preload = cluster.folder / "liar.py"
    preload.write_text(LIAR)
    cluster.need("one")
    cluster.worker("liar", "--preload", str(preload))
    process = runs.start("liar", "--executor", cluster.url, "--recheck", "100%", "--allow-mixed")
    finish(runs, "liar", process)
    assert "liar is refused: its match" in runs.said("liar")
    assert runs.hosts("liar") == {"one"}


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
    cluster.need("one")
    db = tmp_path / "t.db"
    done = subprocess.run(
        [*PROGRAM, "run", str(tmp_path / "cup.toml"), "--db", str(db), "--bots", str(tmp_path / "bots")],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    with Database.open(str(db)) as repository:
        log = repository.records.log(repository.tournaments.get().id, 1)
    words = {line.text for line in log if line.text.startswith("scheduler")}
    assert words == {"scheduler not reached" if level == "auto" else "scheduler reached"}
    assert ("bots are not kept from the network" in done.stderr) == (level == "off")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate of an own authority for this machine, and that of a stranger."""
    trustme = pytest.importorskip("trustme", reason="trustme is not installed")
    folder = tmp_path_factory.mktemp("tls")
    for name in ("", "strange-"):
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(str(folder / f"{name}ca.pem"))
        issued.cert_chain_pems[0].write_to_path(str(folder / f"{name}host.pem"))
        issued.private_key_pem.write_to_path(str(folder / f"{name}host-key.pem"))
    return folder


def tls_settings(folder: Path, name: str = "") -> dict[str, str]:
    """Return the variables that the guide sets, by its own words."""
    first = "export DASK_DISTRIBUTED__COMM__REQUIRE"
    block = Path("docs/how-to/cluster.md").read_text().split(first)[1].split("dask scheduler")[0]
    script = f"{first}{block}env"
    text = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]}
    ).stdout
    found = dict(
        line.split("=", 1) for line in text.splitlines() if line.startswith("DASK_DISTRIBUTED__COMM")
    )
    assert len(found) == 9
    return {
        key: str(folder / f"{name}{value}") if value.endswith(".pem") else value
        for key, value in found.items()
    }


def test_tls_needs_a_certificate_of_the_authority(
    certificates: Path, runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client without one, or with a stranger's, is refused in one sentence."""
    secret = Cluster(tmp_path, tls_settings(certificates))
    secret.scheme = "tls"
    try:
        secret.worker("one")
        monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "5s")
        plain = runs.start("no-tls", "--executor", secret.url)
        assert plain.wait(PATIENCE) == 3
        for key, value in tls_settings(certificates, "strange-").items():
            monkeypatch.setenv(key, value)
        assert runs.start("strange", "--executor", secret.url).wait(PATIENCE) == 3
        for name in ("no-tls", "strange"):
            said = runs.said(name).splitlines()[-1]
            assert said.startswith("error: the Dask scheduler 127.0.0.1:"), said
            assert "TLS" in said
            assert runs.done(name) == 0
        for key, value in tls_settings(certificates).items():
            monkeypatch.setenv(key, value)
        finish(runs, "tls", runs.start("tls", "--executor", secret.url, "--allow-mixed"))
        assert runs.hosts("tls") == {"one"}
    finally:
        secret.close()
