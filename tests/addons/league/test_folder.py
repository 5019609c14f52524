"""The folder of a league: made, opened, moved."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tourney.addons.league.folder import League, cron_files, make_league
from tourney.errors import GameError, InputError, UsageError

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


def test_new_league_opens(tmp_path: Path) -> None:
    path = make_league(tmp_path / "stones", "sage-stones", NOW)
    league = League.open(path.parent)
    assert league.table.name == league.ledger.opened.name == "stones"
    assert league.seats == (2,)
    assert league.inbox.is_dir()
    assert Path(league.database).parent == league.records


def test_copied_folder_is_the_same_league(tmp_path: Path) -> None:
    make_league(tmp_path / "stones", "sage-stones", NOW)
    shutil.copytree(tmp_path / "stones", tmp_path / "moved")
    assert League.open(tmp_path / "moved").database == str(tmp_path / "moved" / "records" / "league.db")


def test_folder_that_is_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stones").mkdir()
    with pytest.raises(UsageError, match="exists already"):
        make_league(tmp_path / "stones", "sage-stones", NOW)


@pytest.mark.parametrize("name", ["Stones", "a.b", "x" * 25])
def test_bad_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a league"):
        make_league(tmp_path / name, "sage-stones", NOW)


def test_unknown_game_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(GameError):
        make_league(tmp_path / "stones", "nim", NOW)
    assert list(tmp_path.iterdir()) == []


def test_other_folder_is_not_a_league(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not the folder of a league"):
        League.open(tmp_path)


def test_name_of_a_league_stays(tmp_path: Path) -> None:
    path = make_league(tmp_path / "stones", "sage-stones", NOW)
    path.write_text(path.read_text().replace('"stones"', '"rocks"'))
    with pytest.raises(InputError, match="was made as stones"):
        League.open(path.parent)


def test_units_start_the_night_at_its_beginning(tmp_path: Path) -> None:
    files = cron_files(tmp_path / "stones", "21:05")
    assert "OnCalendar=*-*-* 21:05:00" in files["stones-night.timer"]
    assert f"league night --league {tmp_path / 'stones'}\n" in files["stones-night.service"]
    assert files["crontab"].startswith("5 21 * * * ")
