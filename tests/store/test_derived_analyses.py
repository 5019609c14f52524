"""Analyses beside records: one for each analyser, gone with the result they belong to."""

from pathlib import Path

from msgspec import structs

from tests.support import genuine
from tests.support.tournaments import refused
from tourney.check.database import check_database
from tourney.errors import StoreDamaged
from tourney.match.analysis import Analyser, Analysis, ValuedTurn
from tourney.match.spec import Entrant, Limits
from tourney.store.database import Database

BOT = Entrant("reference", "reference", "1", (), "7" * 64)


def analysis(digest: str, nodes: int | None = 10, value: int = 500) -> Analysis:
    limits = Limits(nodes=nodes) if nodes else Limits(move_ms=7)
    return Analysis(
        "tourney-analysis/1", digest, Analyser(BOT, limits), (ValuedTurn(1, 2, value, "a", ("a", "b"), 70),)
    )


def test_analyses_are_kept_by_analyser_and_replaced(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = genuine.begin(database).id
        genuine.play_all(database, database.tournaments.by_id(cup))
        digest = database.records.get(cup, 2).digest
        small, large, timed = analysis(digest), analysis(digest, 1000), analysis(digest, None)
        for one in (small, large, timed, structs.replace(small, points=())):
            database.analyses.keep(cup, 2, one)
        assert database.analyses.of(cup, 2) == (large, structs.replace(small, points=()), timed)
        assert database.analyses.of(cup, 3) == ()
        assert database.analyses.done(cup, large.analyser.key) == {2}
        assert set(database.analyses.packed(cup, [1, 2, 3])) == {2}
        assert check_database(str(tmp_path / "a.db")) == ()


def test_analysis_of_another_record_is_not_stored(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = genuine.begin(database).id
        genuine.play_all(database, database.tournaments.by_id(cup))
        database.analyses.keep(cup, 1, analysis(database.records.get(cup, 2).digest))
        assert database.analyses.of(cup, 1) == ()


def test_analysis_goes_with_its_result(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = genuine.begin(database).id
        genuine.play_all(database, database.tournaments.by_id(cup))
        database.analyses.keep(cup, 1, analysis(database.records.get(cup, 1).digest))
        database.matches.take_back(cup, [1])
        assert database.analyses.of(cup, 1) == ()
        assert check_database(str(tmp_path / "a.db")) == ()


def test_damaged_analysis_is_named(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = genuine.begin(database).id
        genuine.play_all(database, database.tournaments.by_id(cup))
        digest = database.records.get(cup, 1).digest
        database.analyses.keep(cup, 1, structs.replace(analysis(digest), format="tourney-analysis/2"))
        with refused(StoreDamaged, "match 1", "analysis", "a packed analysis"):
            database.analyses.of(cup, 1)
    assert "a packed analysis" in check_database(str(tmp_path / "a.db"))[0]
