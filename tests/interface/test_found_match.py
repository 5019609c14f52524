"""Matches from Python: positions follow from the record, and damage beside a record costs only that part."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import tourney
from tests.support import genuine
from tests.support.records import play_random
from tests.support.tournaments import refused
from tourney.errors import GameError, RecordError, UsageError
from tourney.games.registry import find_game
from tourney.store.database import Database


@pytest.fixture
def match(tmp_path: Path) -> tourney.FoundMatch:
    path = tmp_path / "record.json"
    path.write_bytes(play_random(7).record.encode())
    return tourney.read_match(path)


def test_positions_follow_from_the_actions(match: tourney.FoundMatch) -> None:
    positions = list(match.positions())
    assert [one.ply for one in positions] == list(range(len(match.record.actions) + 1))
    assert [one.action for one in positions[1:]] == [action for _, action in match.record.actions]
    assert positions[0].text == find_game("sage-stones").new(2, match.record.options).position()
    assert [one.text for one in match.positions(3)] == [one.text for one in positions[:4]]
    assert "last:" in positions[-1].board()


@pytest.mark.parametrize("last", [-1, True, 2.0, "2"])
def test_wrong_number_of_actions_is_one_sentence(match: tourney.FoundMatch, last: Any) -> None:
    with refused(UsageError, f"last is {last!r}: it must be a number of actions from 0 on"):
        match.positions(last)


def test_actions_are_a_frame_with_actors_and_positions(match: tourney.FoundMatch) -> None:
    frame = match.actions()
    assert len(frame) == len(match.record.actions)
    chance = frame["seat"].isna()
    assert frame.loc[chance, "entrant"].isna().all()
    assert set(frame.loc[~chance, "entrant"]) == {seat.name for seat in match.record.seats}
    assert frame["position"].iloc[-1] == list(match.positions())[-1].text
    assert frame["time_ms"].isna().all()


def test_records_that_cannot_be_replayed_are_refused(match: tourney.FoundMatch) -> None:
    record = match.record
    illegal = structs.replace(record, actions=((1, "nonsense"),))
    with refused(RecordError, "action 1 is not legal"):
        list(replace(match, record=illegal).positions())
    with refused(GameError, "rules version 0 of sage-stones is not installed"):
        list(replace(match, record=structs.replace(record, rules="0")).positions())


def test_files_without_a_record_are_refused(tmp_path: Path) -> None:
    with refused(tourney.TourneyError, "none.json"):
        tourney.read_match(tmp_path / "none.json")
    (tmp_path / "list.json").write_text("[]")
    with refused(RecordError, "list.json is not a record"):
        tourney.read_match(tmp_path / "list.json")


def test_damaged_log_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    url = str(tmp_path / "t.db")
    with Database.open(url, create=True) as database:
        genuine.play_all(database, genuine.begin(database, ("drawn-1", "drawn-2")))
    with sqlite3.connect(url) as connection:
        connection.execute("UPDATE log SET lines = 'x' WHERE match_id = 1")
    connection.close()
    with tourney.open_database(url) as opened:
        match = opened.tournament().match(1)
    assert match.label == "match 1 of cup"
    assert len(match.damaged) == 1
    assert match.log == ()
    assert list(match.positions())
