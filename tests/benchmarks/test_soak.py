"""A short soak: a run of bad bots among good ones is killed twice and goes on; all that must hold holds."""

import json
import subprocess
import sys

import pytest

from tests.command import ROOT


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_a_second_writer_only_delays_it() -> None:
    """The script checks; the figures must be those of so short a soak."""
    words = ["--kills", "2", "--games", "2", "--only", "kills,writer"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.soak", *words],
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
    assert (writer["pauses said"], writer["going on said"]) == (1, 1)
