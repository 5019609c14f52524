"""The benchmark of commands runs, with the fewest calls."""

import pytest
from click.testing import CliRunner

from benchmarks import commands
from tests.support.command import ROOT

pytestmark = pytest.mark.benchmark


def test_benchmark_compares_starts_with_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "STARTS", "--version\nbots list\n")
    done = CliRunner().invoke(commands.main, ["starts", "--passes", "1", "--before", str(ROOT)])
    assert done.exit_code == 0, done.output
    rows = [line.strip("| ").split(" | ") for line in done.output.splitlines()[2:]]
    assert [row[0] for row in rows] == ["`--version`", "`bots list`", "completion of a word"]
    assert rows[0][3] == "1.00"
    assert all(float(cell) > 0 for row in rows for cell in row[1:])
