"""Real Dask clusters on this machine: a scheduler and workers as processes, and real bots in sandboxes.

Whatever is killed, stopped or lies: digests and root are those of a run on this machine. One scheduler serves
the tests of this module; a worker lives until a test ends it.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.addons.cluster.dask_cluster import BOT, MATCHES, Cluster, Runs
from tests.support.command import PROGRAM
from tests.support.processes import PATIENCE, wait_for
from tourney.addons.cluster.dask import DaskLink
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.store.database import Database

pytestmark = pytest.mark.cluster

pytest.importorskip("distributed", reason="the extra dask is not installed")
dask = pytest.importorskip("dask")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.close()


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
from tourney.match.runner import MatchRunner
from tourney.check.named_seeds import RandomChannel
from tourney.addons.cluster import host_service
from tourney.run.workers.executor import WorkerReply
from tourney.addons.cluster.messages import BatchRequest, decode, reply_of

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
