"""The tables of nights are kept and read back."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tourney.addons.league.folder import League, make_league
from tourney.addons.league.ledger import BotVersion, Night
from tourney.addons.league.tables import NightTable, TableRow, keep_table, latest_table, night_table
from tourney.errors import StoreError

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
THEN = "2026-11-25T22:00:00+00:00"
ROW = TableRow("mason", "drifter", 1, "a" * 64, True, 1, 1, 55.5, 10.0, 101.0, 40, 40, {"2": 55.5})


def test_tables_are_read_back(tmp_path: Path) -> None:
    make_league(tmp_path / "stones", "sage-stones", NOW)
    league = League.open(tmp_path / "stones")
    assert latest_table(league) is None
    league.ledger.add(Night(1, 1, THEN), Night(2, 1, THEN))
    table = NightTable("tourney-league-night/1", "stones", 1, 1, (ROW,))
    keep_table(league, table)
    assert latest_table(league) == table
    assert table.row_of(BotVersion("mason", "drifter", 1, "a" * 64, 1)) == ROW
    assert table.row_of(BotVersion("mason", "drifter", 2, "b" * 64, 1)) is None


def test_damaged_table_is_named(tmp_path: Path) -> None:
    make_league(tmp_path / "stones", "sage-stones", NOW)
    league = League.open(tmp_path / "stones")
    (league.records / "nights" / "0001.json").write_text("{}")
    with pytest.raises(StoreError, match=r"0001\.json is not the table of a night"):
        night_table(league, 1)
