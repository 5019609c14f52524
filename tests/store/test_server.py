"""The same on a server: runs where TOURNEY_TEST_SERVER names an empty PostgreSQL database, as a URL."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tournaments import begin, digests, played, refused
from tourney.errors import StoreError, UsageError
from tourney.run.draw import spec_of
from tourney.store import maintenance
from tourney.store.repository import Repository
from tourney.store.values import Finished

URL = os.environ.get("TOURNEY_TEST_SERVER", "")

pytestmark = pytest.mark.skipif(not URL, reason="TOURNEY_TEST_SERVER names no PostgreSQL database")


@pytest.fixture
def server() -> Iterator[Repository]:
    with Repository.open(URL, create=True) as opened:
        yield opened


def test_a_server_gives_the_same_as_a_file(server: Repository, tmp_path: Path) -> None:
    seen = []
    with Repository.open(str(tmp_path / "t.db"), create=True) as file:
        for repository in (server, file):
            tournament = begin(repository, 4, games=4)
            entrants = repository.entrants(tournament.id)
            for number, row in repository.pending(tournament.id):
                made = played(spec_of(tournament, entrants, row), faults=((1, "crash", 2),))
                repository.record_results(tournament.id, [Finished(number, made)])
            seen.append(
                (
                    repository.standings(tournament.id),
                    repository.pair_totals(tournament.id),
                    repository.faults(tournament.id),
                    repository.progress(tournament.id),
                    list(repository.results(tournament.id)),
                    list(repository.matches(tournament.id, entrant=1)),
                    list(repository.records(tournament.id)),
                    repository.log(tournament.id, 5),
                    repository.measured(tournament.id, 5),
                    digests(repository, tournament.id),
                )
            )
    assert seen[0] == seen[1]
    assert maintenance.check_database(URL) == ()
    with refused(StoreError, "is not empty"):
        maintenance.copy_database(str(tmp_path / "t.db"), URL)
    maintenance.copy_database(URL, str(tmp_path / "back.db"))
    with Repository.open(str(tmp_path / "back.db")) as back:
        assert digests(back, back.tournament().id) == seen[0][-1]
    with refused(UsageError, "is on a server"):
        maintenance.backup_database(URL, tmp_path / "no.db")

    tournament = server.tournament()
    with (
        server.run_lock(tournament, 0.0),
        refused(UsageError, "is being run by another process already"),
        server.run_lock(tournament, 0.0),
    ):
        pass
    with server.run_lock(tournament, 0.0):
        pass
