"""The commands of the page about clusters are those that Dask and Tourney have."""

import ast
import configparser
import inspect
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from tests.addons.cluster.dask_cluster import MATCHES, Cluster, Runs
from tests.docs.pages import blocks, page
from tests.support.processes import PATIENCE
from tourney.addons.cluster.dask import RESOURCE
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


def test_units_of_the_page_start_scheduler_and_worker_again() -> None:
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    units = [configparser.ConfigParser(interpolation=None) for _ in range(2)]
    for unit, text in zip(units, blocks(PAGE, "ini"), strict=True):
        unit.optionxform = str  # type: ignore[assignment,method-assign]  # keys of systemd have capitals
        unit.read_string(text)
        assert unit["Service"]["Restart"] == "always"
    commands = [shlex.split(unit["Service"]["ExecStart"]) for unit in units]
    assert [words[:2] for words in commands] == [
        ["/opt/tourney/bin/dask", "scheduler"],
        ["/opt/tourney/bin/dask", "worker"],
    ]
    assert parsed(scheduler, commands[0][2:])["port"] == "8786"
    options = parsed(worker, commands[1][2:])
    assert (options["resources"], options["scheduler"]) == ("matches=4", "tcp://10.0.0.1:8786")
    assert units[1]["Service"]["Delegate"] == "yes"


def ssh_options() -> dict[str, Any]:
    """The options that the page gives to SSHCluster."""
    (program,) = [text for text in blocks(PAGE, "python") if "SSHCluster" in text]
    (call,) = [
        node
        for node in ast.walk(ast.parse(program))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "SSHCluster"
    ]
    return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}


def test_programs_of_the_page_use_options_that_dask_has() -> None:
    from distributed import Nanny, Scheduler, SSHCluster

    options = ssh_options()
    inspect.signature(SSHCluster).bind(["10.0.0.1"], **options)
    # On the hosts these are the arguments of the constructors, as SSHCluster starts them.
    inspect.signature(Nanny).bind("tcp://10.0.0.1:8786", **options["worker_options"])
    inspect.signature(Scheduler).bind(**options["scheduler_options"])
    assert options["worker_options"]["resources"] == {RESOURCE: 4}


@pytest.mark.slow
def test_worker_of_the_ssh_recipe_plays_on_loopback(tmp_path: Path) -> None:
    """SSHCluster starts this program on a host by ssh; the test starts it here."""
    options = ssh_options()["worker_options"]
    runs = Runs(tmp_path)
    cluster = Cluster(tmp_path)
    try:
        cluster.worker_of_spec("ssh", {**options, "host": "127.0.0.1"})
        process = runs.start("ssh", "--executor", cluster.url, "--allow-mixed")
        assert process.wait(PATIENCE) == 0, runs.said("ssh")
        assert runs.done("ssh") == MATCHES
    finally:
        cluster.close()
