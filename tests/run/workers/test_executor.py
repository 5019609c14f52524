"""Executors come from a registry, so that a plugin can offer another one."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.command import ROOT, invoke
from tests.executors import InlineExecutor
from tests.tournaments import refused, write_file
from tourney import plugins
from tourney.errors import UsageError
from tourney.run.workers.executor import EXECUTORS
from tourney.run.workers.local import LocalExecutor

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "random"]
games-per-pairing = 4
"""


def test_own_executors_are_the_package_entry_points() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"][EXECUTORS.group] == EXECUTORS.own
    assert EXECUTORS.find_class("local") is LocalExecutor


def test_unknown_executor_error_lists_known_ones() -> None:
    with refused(UsageError, "there is no executor 'dask'; the executors are: local"):
        EXECUTORS.find_class("dask")


def test_run_uses_the_executor_of_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("inline", "tests.executors:InlineExecutor", EXECUTORS.group)
    monkeypatch.setattr(plugins, "installed", lambda group: [point] if group == EXECUTORS.group else [])
    monkeypatch.setattr(InlineExecutor, "made", [])
    file = write_file(tmp_path, CUP)
    places = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    done = invoke("run", str(file), *places, "--executor", "inline", "--workers", "3", "--cpus", "2")
    assert done.exit_code == 0, done.stderr
    assert "cup: all played (4 of 4 matches" in done.stderr
    assert InlineExecutor.made == [(3, 2)]
