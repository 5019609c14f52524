"""Two databases of one league become one: by digest, all or nothing."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.store.test_derived_analyses import analysis
from tests.support.command import invoke
from tests.support.records import as_json
from tests.support.tournaments import begin, entrant, played, refused
from tourney.check.database import check_database
from tourney.check.root import keep_root
from tourney.errors import RecordError, UsageError
from tourney.exchange.lines import export_lines
from tourney.exchange.merging import Merged, merge_databases
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import Row
from tourney.store.baselines import Promotion
from tourney.store.column_reading import pack
from tourney.store.database import Database
from tourney.store.derived import Checkpoint
from tourney.store.values import MatchResult, Tournament


def play(repository: Database, tournament: Tournament, *numbers: int) -> None:
    """Store made-up results of matches; the same ones in any database."""
    entrants = repository.tournaments.entrants(tournament.id)
    rows = dict(repository.schedules.rows(tournament.id))
    found = [MatchResult(n, played(spec_of(tournament, entrants, rows[n]))) for n in numbers]
    repository.matches.add(tournament.id, found)


def exported(repository: Database, name: str) -> list[bytes]:
    return list(export_lines(repository, repository.tournaments.get(name), measured=True, private=True))


def merge(here: Path, there: Path) -> tuple[Merged, ...]:
    with Database.open(str(there)) as other, Database.open(str(here), write=True) as repository:
        return merge_databases(repository, other, str(there), "today")


@pytest.fixture
def halves(tmp_path: Path) -> tuple[Path, Path, list[bytes]]:
    """One tournament of 12 matches in two databases, each with other results; and all of it as exported."""
    here, there, whole = (tmp_path / name for name in ("here.db", "there.db", "whole.db"))
    with Database.open(str(here), create=True) as repository:
        tournament = begin(repository, 4)
        play(repository, tournament, 1, 5)
    shutil.copy(here, there)
    with Database.open(str(here)) as repository:
        play(repository, tournament, 2, 9, 12)
    with Database.open(str(there)) as repository:
        play(repository, tournament, *(n for n in range(1, 13) if n not in (1, 2, 5, 12)))
    with Database.open(str(whole), create=True) as repository:
        tournament = begin(repository, 4)
        play(repository, tournament, *range(1, 13))
        keep_root(repository, tournament.id)
        return here, there, exported(repository, "cup")


def test_halves_of_a_tournament_become_the_whole(halves: tuple[Path, Path, list[bytes]]) -> None:
    here, there, whole = halves
    before = there.read_bytes()
    with Database.open(str(here)) as repository:
        repository.ratings.keep_checkpoint(1, "plain", Checkpoint(5, {}))
    assert merge(here, there) == (Merged("cup", new=False, taken=7, matches=12),)
    with Database.open(str(here)) as repository:
        assert exported(repository, "cup") == whole
        assert repository.tournaments.get("cup").root
        assert repository.ratings.checkpoint(1, "plain") is None
    assert check_database(str(here)) == ()
    assert merge(here, there) == (Merged("cup", new=False, taken=0, matches=12),)
    assert there.read_bytes() == before
    merge(there, here)
    with Database.open(str(there)) as repository:
        assert exported(repository, "cup") == whole


def test_analyses_come_along_but_replace_none(halves: tuple[Path, Path, list[bytes]], tmp_path: Path) -> None:
    here, there, _ = halves
    with Database.open(str(there)) as other, Database.open(str(here)) as mine:
        digests = {n: digest for n, _, digest in other.matches.digests(1)}
        first, third = (analysis(digests[n] or "") for n in (1, 3))
        deep, kept = analysis(digests[1] or "", 1000), analysis(digests[1] or "", value=400)
        for number, one in ((1, first), (3, third), (1, deep)):
            other.analyses.keep(1, number, one)
        mine.analyses.keep(1, 1, kept)
    merge(here, there)
    merge(here, tmp_path / shutil.copy(there, tmp_path / "again.db"))
    with Database.open(str(here)) as mine:
        assert list(mine.analyses.all(1)) == [(1, deep), (1, kept), (3, third)]
        assert check_database(str(here)) == ()


def test_rounds_drawn_there_alone_come_with_their_results(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    with Database.open(str(here), create=True) as repository:
        tournament = begin(repository, 3, pair=False)
        repository.schedules.add(
            tournament.id, [Row(1, 1, 1, 1, (0, 1)), Row(1, 1, 1, 2, (1, 0))], complete=False
        )
        play(repository, tournament, 1)
    shutil.copy(here, there)
    with Database.open(str(there)) as repository:
        repository.schedules.add(
            tournament.id, [Row(2, 1, 1, 1, (1, 2)), Row(2, 1, 1, 2, (2, 1))], complete=True
        )
        play(repository, tournament, 2, 3)
        wanted = exported(repository, "cup")
    assert merge(here, there) == (Merged("cup", new=False, taken=2, matches=4),)
    with Database.open(str(here)) as repository:
        assert exported(repository, "cup") == wanted


def test_tournament_that_is_not_here_is_brought_in(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    with Database.open(str(here), create=True) as repository:
        begin(repository, 2, name="ours")
    with Database.open(str(there), create=True) as repository:
        theirs = begin(repository, 3, name="theirs")
        play(repository, theirs, 1, 2, 4)
        repository.baselines.promote(
            "sage-stones", "a", entrant("a").digest, Promotion("a-bot", "1.0", (), "2026-11-22")
        )
        wanted = exported(repository, "theirs"), compute_standings(repository, theirs.id)
    done = invoke("db", "merge", str(there), "--db", str(here))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "theirs brought in: 3 of 6 matches came from" in " ".join(done.stderr.split())
    with Database.open(str(here)) as repository:
        made = repository.tournaments.get("theirs")
        assert (exported(repository, "theirs"), compute_standings(repository, made.id)) == wanted
        assert [one.name for one in repository.baselines.all()] == ["a"]
    merge(here, there)
    with Database.open(str(here)) as repository:
        assert len(repository.baselines.all(history=True)) == 1


def test_other_digest_of_a_match_refuses_the_whole_database(
    halves: tuple[Path, Path, list[bytes]],
) -> None:
    here, there, _ = halves
    with Database.open(str(there)) as repository:
        tournament = repository.tournaments.get("cup")
        row = dict(repository.schedules.rows(tournament.id))[2]
        other = played(spec_of(tournament, repository.tournaments.entrants(tournament.id), row), (1, 1))
        repository.matches.add(tournament.id, [MatchResult(2, other)])
        begin(repository, 2, name="another")
    with Database.open(str(here)) as repository:
        before = exported(repository, "cup")
    with refused(UsageError, f"match 2 of cup in {there} has the digest", "but here it has the digest"):
        merge(here, there)
    with Database.open(str(here)) as repository:
        assert exported(repository, "cup") == before
        assert [one.name for one in repository.tournaments.all()] == ["cup"]


@pytest.mark.parametrize(("count", "games", "what"), [(5, 2, "entrants"), (4, 4, "plan")])
def test_other_tournament_of_the_same_name_is_refused(
    halves: tuple[Path, Path, list[bytes]], count: int, games: int, what: str
) -> None:
    here, there, _ = halves
    there.unlink()
    with Database.open(str(there), create=True) as repository:
        begin(repository, count, games=games)
    with refused(UsageError, f"cup in {there} has another {what} than the cup here", "--name"):
        merge(here, there)


def test_altered_record_there_is_refused_by_match(halves: tuple[Path, Path, list[bytes]]) -> None:
    here, there, _ = halves
    with Database.open(str(there)) as repository:
        record = dict(repository.records.all(1))[3]
    forged = as_json(record)
    forged["outcome"]["reason"] = "forged"
    with sqlite3.connect(there) as connection:
        connection.execute("UPDATE match SET record = ? WHERE id = 3", (pack(forged),))
    connection.close()
    with refused(RecordError, f"match 3 of cup in {there}"):
        merge(here, there)


def test_run_that_goes_on_and_the_same_database_are_refused(
    halves: tuple[Path, Path, list[bytes]],
) -> None:
    here, there, _ = halves
    with Database.open(str(here)) as repository:
        tournament = repository.tournaments.get("cup")
        with repository.run_lock(tournament, 0.0), refused(UsageError, "cup"):
            merge(here, there)
    done = invoke("db", "merge", str(here), "--db", str(here))
    assert (done.exit_code, "is both source and target" in done.stderr) == (2, True)
