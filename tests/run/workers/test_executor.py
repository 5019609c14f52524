"""Executors come from a registry, so that a plugin can offer another one."""

from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.executors import InlineExecutor
from tests.support.tournaments import refused, write_file
from tourney import plugins
from tourney.errors import UsageError
from tourney.plugins import Addon
from tourney.run.workers.executor import EXECUTORS, find_executor
from tourney.run.workers.local import LocalExecutor

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "random"]
games-per-pairing = 4
"""


def test_local_executor_is_found_by_its_name() -> None:
    assert EXECUTORS.find_class("local") is LocalExecutor


KNOWN = f"there is no executor 'ray'; the executors are: {', '.join(EXECUTORS.names())}"


def test_unknown_executor_error_lists_known_ones() -> None:
    with refused(UsageError, KNOWN):
        find_executor("ray://here:1")


def test_executor_refuses_what_it_does_not_take() -> None:
    for text, given, words in (
        ("local://here:1", {}, "the executor local plays on this machine and takes no address"),
        ("local", {"recheck": 5}, "--recheck is for executors on other hosts, as dask://HOST:PORT"),
        ("local", {"allow_mixed": True}, "--allow-mixed is for executors on other hosts"),
    ):
        with refused(UsageError, words):
            find_executor(text, **given)


def test_run_takes_the_executor_of_the_file_by_default(tmp_path: Path) -> None:
    file = write_file(tmp_path, CUP + '[run]\nexecutor = "ray"\n')
    places = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    done = invoke("run", str(file), *places)
    assert done.exit_code == 2
    assert f"{file}, [run]: executor: {KNOWN}" in done.stderr
    assert not (tmp_path / "t.db").exists()
    share = invoke("run", str(file), *places, "--recheck", "101%")
    assert (share.exit_code, "--recheck '101%': give a percentage" in share.stderr) == (2, True)
    done = invoke("run", str(file), *places, "--executor", "local", "--workers", "1")
    assert done.exit_code == 0, done.stderr


def test_run_uses_the_executor_of_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addon = Addon(executors={"inline": "tests.support.executors:InlineExecutor"})
    monkeypatch.setattr(plugins, "others", lambda: ({"inline": addon}, {}))
    monkeypatch.setattr(InlineExecutor, "made", [])
    file = write_file(tmp_path, CUP)
    places = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    done = invoke("run", str(file), *places, "--executor", "inline", "--workers", "3", "--cpus", "2")
    assert done.exit_code == 0, done.stderr
    assert "cup: all played (4 of 4 matches" in done.stderr
    assert InlineExecutor.made == [(3, 2)]
