"""Runs on machines of several sizes, with readings that a test makes up."""

from functools import partial
from pathlib import Path

import pytest

from tests.support.coordination import RecordingListener
from tests.support.memory import set_memory
from tests.support.tournaments import THREE_PEBBLES, refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.errors import SandboxError
from tourney.run.dry_run import dry_run
from tourney.run.engine.readiness import Pinning, PlaySetup
from tourney.run.engine.tournament_run import commit_tournament, open_tournament, run_tournament
from tourney.run.tournament_file import TournamentFile, read_tournament_file
from tourney.run.workers.executor import find_executor, plays_here
from tourney.run.workers.local import LocalExecutor
from tourney.store.database import Database

BOUNDED = f"{THREE_PEBBLES}\n".replace("[limits]", "[limits]\nmemory-mb = 4096")


def file_in(folder: Path, text: str = THREE_PEBBLES) -> TournamentFile:
    return read_tournament_file(write_file(folder, text))


def start(folder: Path, text: str, options: PlaySetup | None = None) -> int:
    """Start a tournament and return the limit of memory in its plan."""
    file, bots = file_in(folder, text), BotStore(folder / "bots")
    with open_tournament(file, str(folder / "t.db"), bots, lambda _: None, options) as (_, tournament, _):
        return tournament.plan.limits.memory_mb


def test_match_that_does_not_fit_leaves_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_memory(monkeypatch, 700)
    run = partial(run_tournament, file_in(tmp_path), str(tmp_path / "t.db"), tmp_path / "bots")
    with refused(SandboxError, "a match of 2 bots with memory-mb = 1024 does not fit into memory"):
        run(partial(LocalExecutor, 2))
    assert not (tmp_path / "t.db").exists()


def test_run_plays_as_many_matches_at_once_as_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_memory(monkeypatch, 3000)
    heard = RecordingListener()
    setup = PlaySetup(pinning=Pinning(4, 1, 4))
    summary = run_tournament(
        file_in(tmp_path), str(tmp_path / "t.db"), tmp_path / "bots", partial(LocalExecutor, 4), heard, setup
    )
    assert (summary.workers, summary.progress.done) == (1, 12)
    assert any(text.startswith("memory: 1 match at a time, not 4: ") for text in heard.messages)
    assert not any("4 workers" in text for text in heard.messages), heard.messages


def test_dry_run_plays_as_many_matches_at_once_as_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimate = partial(dry_run, file_in(tmp_path), str(tmp_path / "t.db"), tmp_path / "bots", Pinning(4))
    set_memory(monkeypatch, 6000)
    assert estimate().workers == 2
    set_memory(monkeypatch, 600)
    assert estimate(here=False).workers == 4
    with refused(SandboxError, "does not fit into memory"):
        estimate()


def test_begun_tournament_keeps_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that leaves memory-mb out means what it meant when the tournament began."""
    set_memory(monkeypatch, 16_000)
    assert start(tmp_path, BOUNDED) == 4096
    assert start(tmp_path, THREE_PEBBLES) == 4096
    assert dry_run(file_in(tmp_path), str(tmp_path / "t.db"), tmp_path / "bots", Pinning(), None).started
    set_memory(monkeypatch, 4000)
    with refused(SandboxError, "memory-mb = 4096", "cup keeps the memory-mb with which it began, so play"):
        start(tmp_path, THREE_PEBBLES)


def test_new_tournament_has_the_lower_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_memory(monkeypatch, 4000)
    assert start(tmp_path, THREE_PEBBLES) == 1024


def test_commitment_needs_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tournament is stored here and may be played elsewhere."""
    set_memory(monkeypatch, 100)
    file, url = file_in(tmp_path), str(tmp_path / "t.db")
    commit_tournament(file, url, tmp_path / "bots", lambda _: None, PlaySetup(commits=True))
    with Database.open(url) as database:
        assert database.tournaments.get("cup").plan.limits.memory_mb == 1024


def test_only_matches_of_this_machine_need_its_memory() -> None:
    class Far(LocalExecutor):
        remote = True

        def __init__(self, workers: int, address: str = "") -> None:
            raise AssertionError("it is not made")

    assert plays_here(partial(find_executor("local"), 2, cpus=1))
    assert plays_here(lambda: LocalExecutor(1))
    assert plays_here(partial(Far, 2)), "without an address it plays here"
    assert not plays_here(partial(Far, 2, address="h:1"))
