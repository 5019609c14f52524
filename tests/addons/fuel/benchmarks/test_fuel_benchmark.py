"""The benchmark of fuel builds modules, plays them beside native bots, and compares what they compute."""

import re
import subprocess
import sys

import pytest

from tests.support.command import ROOT
from tests.support.programs import needs_compiler
from tourney.addons.fuel.starter import missing_tools

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_tools("c")), reason=f"modules from C need {missing_tools('c')}"),
    needs_compiler,
]


def rows(part: str, *words: str) -> list[list[str]]:
    """Run a part of the benchmark and return the rows of its table."""
    command = [sys.executable, "-m", "benchmarks.fuel", "--part", part, "--rounds", "1", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][1:]


def test_speed_has_a_row_for_each_length_and_way() -> None:
    found = rows("speed", "--matches", "1")
    assert [row[1] for row in found] == ["native", "native, reuse", "module"] * 2
    assert int(found[0][0]) < int(found[3][0])


def test_every_slow_instruction_is_quicker_by_new_meter() -> None:
    found = {row[0]: [int(part.split()[0].replace(",", "")) for part in row[1:]] for row in rows("slow")}
    assert found["`ref.func`"][1] < found["`ref.func`"][0]
    assert max(new for _, new in found.values()) < 250


def test_meter_counts_the_same_in_every_run() -> None:
    """The benchmark itself fails if a program takes other fuel in another run."""
    found = {row[0]: row for row in rows("meter", "--rounds", "2")}
    assert set(found) == {"search", "integers", "floats", "sort", "memory"}
    assert all(re.fullmatch(r"[\d.]+ million", row[4]) for row in found.values())
