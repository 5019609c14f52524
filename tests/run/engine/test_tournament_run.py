"""The start of a run: what it does once, and two that start at the same moment."""

from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.tournaments import THREE_PEBBLES, refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.check.database import DatabaseProblems
from tourney.errors import UsageError
from tourney.run.engine import readiness, tournament_run
from tourney.run.engine.readiness import PlaySetup
from tourney.run.engine.tournament_run import open_tournament, run_tournament
from tourney.run.preparation import prepare
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.local import LocalExecutor


@pytest.mark.parametrize("options", [PlaySetup(), PlaySetup(skip_broken=True)], ids=["plain", "skip broken"])
def test_run_opens_sandbox_and_builds_each_bot_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: PlaySetup
) -> None:
    counts: Counter[str] = Counter()

    def counted(module: Any, name: str) -> None:
        real = getattr(module, name)

        def call(*args: Any, **options: Any) -> Any:
            counts[name] += 1
            return real(*args, **options)

        monkeypatch.setattr(module, name, call)

    counted(tournament_run, "prepare")
    counted(readiness, "open_sandbox")
    counted(readiness, "runnable_folder")
    rehearsed: list[str] = []
    monkeypatch.setattr(Sandbox, "rehearse", lambda _, command, **_more: rehearsed.append(command.argv[0]))
    file = read_tournament_file(write_file(tmp_path, THREE_PEBBLES))
    make = partial(LocalExecutor, 1)
    for _ in range(2):
        run_tournament(file, str(tmp_path / "t.db"), tmp_path / "bots", make, options=options)
    digests = {"prepare": 2, "open_sandbox": 2, "runnable_folder": 1}
    assert counts == digests  # the three entrants are one bot, and the second run plays nothing
    assert len(rehearsed) == 1


def test_run_with_nothing_left_reads_no_match_to_check_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that may add something checks all: with more matches or an entrant that returns."""
    text = THREE_PEBBLES.replace("games-per-pairing = 4", "games-per-pairing = 2")
    path = write_file(tmp_path, text)
    checks: list[str] = []

    def check(url: str, **_: Any) -> DatabaseProblems:
        checks.append(url)
        return DatabaseProblems((), ())

    monkeypatch.setattr(tournament_run, "check_parts", check)

    def run(options: PlaySetup | None = None) -> int:
        checks.clear()
        run_tournament(
            read_tournament_file(path),
            str(tmp_path / "t.db"),
            tmp_path / "bots",
            partial(LocalExecutor, 1),
            options=options,
        )
        return len(checks)

    assert run() == 0  # there is no database yet
    assert run() == 0
    with pytest.raises(UsageError):
        run(PlaySetup(unbenched=("pebble",)))
    assert len(checks) == 1
    write_file(tmp_path, THREE_PEBBLES)
    assert run() == 1
    assert run() == 0


def test_tournament_begun_by_another_process_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find no database and prepare; the slower one meets the lock of the other."""
    file = read_tournament_file(write_file(tmp_path, THREE_PEBBLES))
    url = str(tmp_path / "t.db")
    start = partial(open_tournament, file, url, BotStore(tmp_path / "bots"), lambda _: None)
    with ExitStack() as faster:

        def slow(*args: Any, **options: Any) -> Any:
            preparation = prepare(*args, **options)
            monkeypatch.setattr(tournament_run, "prepare", prepare)
            faster.enter_context(start())
            return preparation

        monkeypatch.setattr(tournament_run, "prepare", slow)
        with refused(UsageError, "cup is being run by another process already"), start():
            pass


def test_start_that_another_process_overtook_says_to_start_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one has stored the tournament and does not hold its lock, not yet or no longer."""
    file = read_tournament_file(write_file(tmp_path, THREE_PEBBLES))
    url = str(tmp_path / "t.db")
    start = partial(open_tournament, file, url, BotStore(tmp_path / "bots"), lambda _: None)

    def overtaken(*args: Any, **options: Any) -> Any:
        preparation = prepare(*args, **options)
        monkeypatch.setattr(tournament_run, "prepare", prepare)
        with start():
            pass
        return preparation

    monkeypatch.setattr(tournament_run, "prepare", overtaken)
    with refused(UsageError, "another process began cup while this one prepared it: start again"), start():
        pass
    with start() as begun:
        assert begun.tournament.plan.name == "cup"
