"""Matches by seats, the crosstable, the history of rounds, and analyses, as frames."""

from pathlib import Path

import pandas as pd
import pytest

import tourney
from tests.support import genuine
from tourney.match.analysis import Analyser, Analysis, ValuedTurn
from tourney.match.spec import Limits
from tourney.store.database import Database


def test_matches_have_seats_winner_date_and_duration(database: tourney.DatabaseReader) -> None:
    cup = database.tournament("cup")
    matches = cup.matches()
    names = list(matches.columns)
    seats = names[5:7]
    assert names[5:10] == [*seats, *(f"{seat}_rank" for seat in seats), "winner"]
    assert str(matches["date"].dtype) == "datetime64[ns, UTC]"
    for row in matches.to_dict("records"):
        ranks = [row[f"{seat}_rank"] for seat in seats]
        alone = not row["void"] and sorted(ranks) == [1, 2]
        assert pd.isna(row["winner"]) if not alone else row["winner"] == row[seats[ranks.index(1)]]
    assert set(matches[seats[0]]) == set(cup.entrants()["name"])


def test_crosstable_is_in_the_order_of_the_standings(database: tourney.DatabaseReader) -> None:
    cup = database.tournament("cup")
    table = cup.crosstable()
    order = cup.standings()["name"].to_list()
    assert list(table.index) == list(table.columns) == order
    assert table.sum(axis=1).to_list() == cup.standings()["points"].to_list()
    assert table.isna().to_numpy().diagonal().all()
    assert database.tournament("planned").crosstable().isna().all(axis=None)


def test_history_ends_with_the_standings(database: tourney.DatabaseReader) -> None:
    cup = database.tournament("cup")
    history = cup.history()
    last = history[history["round"] == history["round"].max()]
    standings = cup.standings()
    columns = ["name", "rank", "points"]
    assert last[columns].to_numpy().tolist() == standings[columns].to_numpy().tolist()
    skills = cup.ratings("trueskill").set_index("name")["mu"].to_dict()
    assert last.set_index("name")["mu"].to_dict() == pytest.approx(skills, abs=1e-3)


def test_analysis_has_a_row_for_each_valued_action(tmp_path: Path) -> None:
    url = str(tmp_path / "t.db")
    with Database.open(url, create=True) as database:
        cup = genuine.begin(database)
        genuine.play_all(database, cup)
        record = database.records.get(cup.id, 2)
        seat = record.actions[3][0]
        turn = ValuedTurn(3, seat, 800, "better", ("better",), 250)
        analyser = Analyser(record.seats[0], Limits(move_ms=None, nodes=5))
        database.analyses.keep(cup.id, 2, Analysis("tourney-analysis/1", record.digest, analyser, (turn,)))
    with tourney.open_database(url) as opened:
        (row,) = opened.tournament().analysis().to_dict("records")
    assert (row["match"], row["ply"], row["seat"], row["win"], row["loss"]) == (2, 4, seat, 0.8, 0.25)
    assert (row["action"], row["best"], row["mark"]) == (record.actions[3][1], "better", turn.mark)
