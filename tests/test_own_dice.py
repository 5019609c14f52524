"""``mirrored-dice = false``: every match has a seed of its own, and all that reads seeds knows it."""

import hashlib
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tests.support.tournaments import refused, write_file
from tourney.errors import TournamentError
from tourney.exchange.results import import_records
from tourney.results.ratings import rate_batch
from tourney.results.texts import pool_notes
from tourney.run.engine.recorder import spec_of
from tourney.run.preparation import changes_of
from tourney.run.tournament_file import read_tournament_file
from tourney.schedule.row import MatchKey
from tourney.seeds import match_seed
from tourney.store.column_reading import canonical
from tourney.store.database import Database
from tourney.store.values import MatchResult, plan_data, plan_from

FILE = 'name = "cup"\ngame = "sage-stones"\nbots = ["random", "greedy"]\n'


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository, games=4, mirrored_dice=False))
    return path


def test_own_seed_has_the_order_as_last_label() -> None:
    def defined(text: str) -> int:
        digest = hashlib.blake2b(text.encode("ascii"), digest_size=8, key=b"tourney-seed-1")
        return int.from_bytes(digest.digest(), "big")

    assert match_seed(7, 2, 3, 4, 5) == defined("7/match/2/3/4/5")
    assert match_seed(7, 2, 3, 4) == defined("7/match/2/3/4")


def test_no_two_matches_share_a_seed(database: str) -> None:
    with Database.open(database) as repository:
        tournament = repository.tournaments.get("cup")
        entrants = repository.tournaments.entrants(tournament.id)
        for number, row in repository.schedules.rows(tournament.id):
            expected = match_seed(7, row.round, row.table, row.repeat, row.order)
            assert spec_of(tournament, entrants, row).seed == expected
            assert repository.records.get(tournament.id, number).seed == str(expected)
        seeds = [record.seed for _, record in repository.records.all(tournament.id)]
    assert len(set(seeds)) == len(seeds) == 12


def test_plan_holds_the_key_only_where_it_is_false(tmp_path: Path) -> None:
    path = write_file(tmp_path, FILE)
    own = read_tournament_file(path).plan
    assert own == read_tournament_file(write_file(tmp_path, "mirrored-dice = false\n" + FILE)).plan
    plan = read_tournament_file(write_file(tmp_path, "mirrored-dice = true\n" + FILE)).plan
    assert plan.mirrored_dice
    assert "mirrored-dice" not in plan_data(plan)
    assert plan_data(own)["mirrored-dice"] is False
    assert plan_from(canonical(plan_data(own))) == own
    assert plan_from(canonical(plan_data(plan))) == plan


def test_games_without_chance_share_openings_by_default(tmp_path: Path) -> None:
    text = FILE.replace("sage-stones", "sages-tafl")
    assert read_tournament_file(write_file(tmp_path, text)).plan.mirrored_dice


def test_file_without_the_key_keeps_what_is_stored(tmp_path: Path) -> None:
    """A tournament that began with shared dice goes on with them."""
    with Database.open(str(tmp_path / "old.db"), create=True) as repository:
        tournament = genuine.begin(repository, games=4)
    file = read_tournament_file(write_file(tmp_path, "seed = 7\ngames-per-pairing = 4\n" + FILE))
    with pytest.raises(TournamentError) as caught:  # of another key: this one says nothing
        changes_of(file, tournament, (), 1)
    assert "mirrored-dice" not in str(caught.value)


def test_later_file_may_not_change_the_dice(tmp_path: Path, database: str) -> None:
    with Database.open(database) as repository:
        tournament = repository.tournaments.get("cup")
        entrants = repository.tournaments.entrants(tournament.id)
    head = "seed = 7\ngames-per-pairing = 4\nopening-plies = 2\n"
    file = read_tournament_file(write_file(tmp_path, f"mirrored-dice = true\n{head}{FILE}"))
    with refused(TournamentError, "mirrored-dice was false when cup began and is true now"):
        changes_of(file, tournament, entrants, 1)


def test_records_verify_against_their_own_seeds(database: str) -> None:
    assert invoke("verify", "--all", "--db", database).exit_code == 0
    with Database.open(database) as repository:
        shared = genuine.begin(repository, name="shared", games=4)
        own, entrants = repository.tournaments.get("cup"), repository.tournaments.entrants(shared.id)
        played = [
            genuine.play(spec_of(own, entrants, row)) for _, row in repository.schedules.pending(shared.id)
        ]
        repository.matches.add(
            shared.id,
            [
                MatchResult(n, one)
                for (n, _), one in zip(repository.schedules.pending(shared.id), played, strict=True)
            ],
        )
    done = invoke("verify", "--all", "--db", database)
    assert done.exit_code == 1
    assert "the tournament's seed and its place in the schedule give" in done.stdout


@pytest.mark.parametrize("seats", [2, 3])
def test_each_match_is_a_cluster(tmp_path: Path, seats: int) -> None:
    found = {}
    for own in (True, False):
        with Database.open(str(tmp_path / f"{own}.db"), create=True) as repository:
            cup = genuine.begin(repository, seats=seats, games={2: 4, 3: 6}[seats], mirrored_dice=not own)
            genuine.play_all(repository, cup)
            batch = rate_batch(repository, cup, "loss")
            found[own] = batch.pool
            names = {entrant.number: entrant.name for entrant in repository.tournaments.entrants(cup.id)}
            said = " ".join(pool_notes(batch, names))
            assert ("No two games have the same seed" in said) == own
            assert ("Games with the same seed" in said) != own
    assert found[True].clusters == found[True].matches == found[False].matches
    assert found[False].clusters < found[False].matches


def test_imported_records_are_clusters_of_one(database: str) -> None:
    with Database.open(database) as repository:
        cup = repository.tournaments.get("cup")
        records = [(f"line {number}", record) for number, record in repository.records.all(cup.id)]
        again = import_records(repository, "again", lambda: records, "now", again=True)
        keys = [result.key for result in repository.matches.results(again.id)]
        assert keys == [MatchKey(1, table, 1, 1) for table in range(1, 13)]
        rated = []
        for one in (cup, again):
            names = {entrant.number: entrant.name for entrant in repository.tournaments.entrants(one.id)}
            batch = rate_batch(repository, one, "loss")
            rated.append(
                (batch.pool.dispersion, sorted((names[line.entrant], *line[4:9]) for line in batch.ratings))
            )
        assert rated[0] == rated[1]


def test_report_says_which_dice_hold(database: str, tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert invoke("report", "cup", "--db", database, "--out", str(out)).exit_code == 0
    statistics = (out / "statistics.html").read_text("utf-8")
    assert "every match has dice and an opening of its own" in statistics
