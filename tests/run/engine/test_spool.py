"""The spool returns exactly the results it kept, also from a damaged file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.support.tournaments import begin, digests, played, refused
from tourney.errors import StoreError
from tourney.match.result import PlayedMatch
from tourney.run.engine.recorder import replay_spool, spec_of
from tourney.run.engine.spool import Spool, read_spool
from tourney.store.database import Database
from tourney.store.values import MatchResult, Tournament


def results(repository: Database, tournament: Tournament) -> list[MatchResult]:
    """Return a result for each row without one; two of them are void."""
    entrants = repository.tournaments.entrants(tournament.id)
    return [
        MatchResult(number, None, "the machine failed")
        if number == 2
        else MatchResult(number, None, "memory was full", 1, out_of_memory=True)
        if number == 4
        else MatchResult(number, played(spec_of(tournament, entrants, row)))
        for number, row in repository.schedules.pending(tournament.id)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cup.spool"


def test_spool_returns_results_once_by_number(repository: Database, path: Path) -> None:
    tournament = begin(repository, 3)
    finished = results(repository, tournament)
    spool = Spool(path, tournament, reserve=4096)
    assert spool.open()
    assert spool.keep(reversed(finished[:4]))
    assert spool.keep(finished)
    spool.close()
    found = read_spool(path, tournament)
    assert found is not None
    assert (found.results, found.damaged) == (tuple(finished), 0)


def test_empty_and_cleared_spools_are_deleted(repository: Database, path: Path) -> None:
    tournament = begin(repository, 3)
    assert read_spool(path, tournament) is None
    spool = Spool(path, tournament, reserve=4096)
    assert spool.open()
    assert path.stat().st_size == 4096  # reserved for a full disk
    spool.keep(results(repository, tournament))
    spool.clear()
    spool.keep(results(repository, tournament)[:1])
    kept = read_spool(path, tournament)
    assert kept is not None
    assert [item.number for item in kept.results] == [1]
    spool.clear()
    spool.close()
    assert not path.exists()


def test_next_run_stores_the_spool_of_a_killed_run(repository: Database, path: Path) -> None:
    tournament = begin(repository, 3)
    finished = results(repository, tournament)
    repository.matches.add(tournament.id, finished[:2])
    spool = Spool(path, tournament)
    spool.open()
    spool.keep(finished[1:5])
    messages: list[str] = []
    assert replay_spool(repository, tournament, path, messages.append) == 3
    assert messages == [f"stored 3 results that an earlier run kept in {path}"]
    assert [number for number, _ in repository.schedules.pending(tournament.id)] == [6]
    assert digests(repository, tournament.id)[3] == finished[2].played.record.digest  # type: ignore[union-attr]  # 2 and 4 are void
    assert not path.exists()
    assert replay_spool(repository, tournament, path, messages.append) == 0
    assert len(messages) == 1


def test_results_of_a_refused_host_stay_out(repository: Database, path: Path) -> None:
    """A disk that was full may have kept them."""
    tournament = begin(repository, 3)
    of_liar, of_other = (
        MatchResult(
            item.number,
            item.played
            and PlayedMatch(item.played.record, (), structs.replace(item.played.measured, host=host)),
        )
        for item, host in zip(results(repository, tournament)[::2], ("unix/liar", "unix/good"), strict=False)
    )
    spool = Spool(path, tournament)
    spool.keep([of_liar, of_other])
    spool.close()
    repository.hosts.refuse(tournament.id, "liar", "it lies")
    messages: list[str] = []
    assert replay_spool(repository, tournament, path, messages.append) == 1
    assert list(digests(repository, tournament.id)) == [of_other.number]
    assert messages[-1] == "skipped 1 result of hosts that are refused: those matches are replayed"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, Tournament, list[MatchResult]]:
    """A spool: its path, bytes, tournament and results."""
    folder = tmp_path_factory.mktemp("spool")
    with Database.open(str(folder / "t.db"), create=True) as repository:
        tournament = begin(repository, 3)
        finished = results(repository, tournament)
    path = folder / "cup.spool"
    spool = Spool(path, tournament, reserve=1)
    spool.open()
    spool.keep(finished)
    return path, path.read_bytes(), tournament, finished


@given(data=st.data())
def test_damaged_spool_gives_only_intact_results(
    kept: tuple[Path, bytes, Tournament, list[MatchResult]], data: st.DataObject
) -> None:
    path, text, tournament, finished = kept
    at = data.draw(st.integers(0, len(text) - 1))
    if data.draw(st.booleans()):
        path.write_bytes(text[:at])
    else:
        path.write_bytes(text[:at] + bytes([text[at] ^ data.draw(st.integers(1, 255))]) + text[at + 1 :])
    try:
        found = read_spool(path, tournament)
    except StoreError:
        assert at <= text.index(b"\n")  # the first line names the tournament
        return
    assert found is not None
    assert all(item in finished for item in found.results)


def test_spool_of_another_tournament_is_refused(repository: Database, path: Path) -> None:
    spool = Spool(path, begin(repository, 3))
    spool.open()
    other = begin(repository, 4, name="other")
    with refused(StoreError, str(path), "another tournament", "move it away"):
        replay_spool(repository, other, path, print)
    assert path.exists()


def test_record_of_another_row_is_skipped(repository: Database, path: Path) -> None:
    tournament = begin(repository, 3)
    finished = results(repository, tournament)
    spool = Spool(path, tournament)
    spool.open()
    spool.keep([MatchResult(5, finished[0].played), finished[3]])
    messages: list[str] = []
    assert replay_spool(repository, tournament, path, messages.append) == 1
    assert "1 damaged line of" in messages[1]
    assert "replayed" in messages[1]
    assert repository.matches.get(tournament.id, 5).result is None


def test_failed_write_is_reported_and_half_a_line_skipped(
    repository: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = begin(repository, 3)
    finished = results(repository, tournament)
    spool = Spool(path, tournament)
    assert spool.open()
    assert spool.keep(finished[:1])
    real = os.pwrite

    def half(fd: int, data: bytes, at: int) -> int:
        if len(data) > 1:
            real(fd, data[: len(data) // 2], at)
            raise OSError(28, "No space left on device")
        return real(fd, data, at)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", half)
        assert not spool.keep(finished)
    found = read_spool(path, tournament)
    assert found is not None
    assert (found.results, found.damaged) == (tuple(finished[:1]), 0)
    assert spool.keep(finished)
    again = read_spool(path, tournament)
    assert again is not None
    assert again.results == tuple(finished)
    assert not Spool(path.parent / "gone" / "x.spool", tournament).open()
