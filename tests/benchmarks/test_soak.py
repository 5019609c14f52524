"""A short soak test: a run of bad bots among good ones is killed twice, and all checks hold."""

import json
import subprocess
import sys

import pytest

from tests.support.command import ROOT

pytestmark = pytest.mark.benchmark


@pytest.mark.slow
def test_run_survives_kills_and_a_second_writer() -> None:
    """The script checks the run; the test checks its figures."""
    words = ["--kills", "2", "--games", "2", "--only", "kills", "--only", "writer"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.soak", "parts", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kills, writer = map(json.loads, done.stdout.splitlines())
    assert (kills["part"], kills["matches"], kills["kills"]) == ("kills", 30, 2)
    assert kills["faults"] == writer["faults"]
    assert set(kills["faults"]) == {"crash", "overflow", "startup", "timeout"}
    assert (writer["pauses said"], writer["resumed said"]) == (1, 1)
