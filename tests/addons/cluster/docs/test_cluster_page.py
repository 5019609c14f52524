"""The commands of the page about clusters are those that Dask and Tourney have."""

import re
import shlex

import click
import pytest

from tests.docs.pages import blocks, page
from tourney.cli.main import cli
from tourney.cli.run import command as run_command
from tourney.run.workers.executor import EXECUTORS

pytestmark = pytest.mark.cluster

pytest.importorskip("distributed", reason="the extra dask is not installed")

PAGE = page("how-to/cluster.md")
LINES = [line.partition("#")[0].strip() for block in blocks(PAGE, "sh") for line in block.splitlines()]


def parsed(command: click.Command, words: list[str]) -> dict[str, object]:
    given, rest, _ = command.make_parser(click.Context(command)).parse_args(words)
    return {**given, "rest": rest}


def test_commands_of_the_page_are_understood() -> None:
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    schedulers = [line for line in LINES if line.startswith("dask scheduler")]
    (start,) = [line for line in LINES if line.startswith("dask worker")]
    (run,) = [line for line in LINES if line.startswith("tourney run")]
    assert len(schedulers) == 2
    for line in schedulers:
        assert parsed(scheduler, shlex.split(line)[2:])["port"] == "8786"
    assert parsed(worker, shlex.split(start)[2:])["resources"] == "matches=4"
    name = str(parsed(run_command, shlex.split(run)[2:])["executor"])
    assert name.partition("://")[0] in EXECUTORS.own
    assert "doctor" in cli.list_commands(click.Context(cli))


def test_settings_of_the_page_are_those_of_dask() -> None:
    import dask
    import distributed  # noqa: F401 - brings its settings

    names = re.findall(r"DASK_(DISTRIBUTED__\w+)=", PAGE)
    assert len(names) >= 4
    for name in names:
        key = name.lower().replace("__", ".").replace("_", "-")
        assert dask.config.get(key, "missing") != "missing", key
