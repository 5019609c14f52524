"""The benchmark of attacks runs."""

import subprocess
import sys

import pytest

from tests.support.command import ROOT
from tests.support.containment import contained

pytestmark = pytest.mark.containment


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, "-m", "benchmarks.hostile", "attacks", "--rounds", "1", "--level", "off"]
    return subprocess.run([*program, *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.addon("cluster")  # the benchmark has a part on hosts
def test_benchmark_prints_a_row_for_each_named_attack() -> None:
    """Its exit code depends on the machine's speed, so the test accepts 0 and 1."""
    done = run("sleeps-past-the-deadline", "exits-with-1", "loopback-socket")
    assert done.returncode in (0, 1), done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    named = {name: cells for name, *cells in rows}
    assert list(named) == ["loopback-socket", "sleeps-past-the-deadline", "exits-with-1"]
    kind, *times = named["sleeps-past-the-deadline"]
    assert kind == "timeout"
    assert all(int(time.replace(",", "")) >= 350 for time in times[:2])
    assert named["exits-with-1"][0] == "crash"
    assert named["loopback-socket"][:6] == ["none", "", "", "", "", ""]


@contained
def test_exploits_print_figures_for_both_programs() -> None:
    """The same Tourney stands for the older one."""
    words = ["benchmarks.exploits", "--before", sys.executable, "impostor", "places"]
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = {
        cells[1].strip(): cells[3:5] for cells in (line.split("|") for line in done.stdout.splitlines()[2:])
    }
    assert list(rows) == ["impostor", "places"]
    for before, now in rows.values():
        assert before.split()[:4] == now.split()[:4]
    assert rows["impostor"][1] == " bots add: exit code 2; random is the shipped bot "
    assert rows["places"][1].startswith(" 0 paths of the store seen, ")


@pytest.mark.addon("cluster")
def test_unknown_attack_is_refused() -> None:
    done = run("witchcraft")
    assert done.returncode == 2
    assert "there is no attack witchcraft" in done.stderr


@pytest.mark.addon("cluster")
def test_lying_hosts_gain_nothing_where_all_is_rechecked() -> None:
    """The benchmark of hosts shows it: only what is unchecked, or cannot be proved, counts."""
    words = ["benchmarks.hostile", "hosts", "--matches", "8"]
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert len(rows) == 12
    for lie, recheck, forged, counts, said in rows:
        if recheck == "100 %" or lie == "a time-out at once":
            assert counts == "0"
        if lie == "a time-out at once":
            assert forged != "0"
            assert said == "refused"
