"""What rivals must not read: records, submissions and receipts, in new and in old leagues."""

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.addons.league.leagues import NOW, new_league, put, run
from tests.support.accounts import AUTHOR, ORGANISER, give, needs_root, run_as
from tourney.addons.league.admission import take_in
from tourney.addons.league.folder import League, cron_files, make_league
from tourney.addons.league.nights import close_league
from tourney.addons.league.privacy import masked

SHOWN = ("entries", "removed", "builds", "modules")


def open_files(folder: Path) -> list[str]:
    """What other accounts can reach below a folder, and the folder itself."""
    reached, pending = [], [folder]
    while pending:
        place = pending.pop()
        mode = place.stat().st_mode
        if mode & 0o077:
            reached.append(str(place.relative_to(folder.parent)))
        if place.is_dir() and (mode & 0o011 or place == folder):
            pending += place.iterdir()
    return sorted(reached)


def widen(folder: Path) -> None:
    """Give a tree the modes of an earlier version."""
    for place in (folder, *folder.rglob("*")):
        place.chmod(place.stat().st_mode | (0o755 if place.is_dir() else 0o644))


@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_new_league_is_private_but_for_what_authors_need(tmp_path: Path, mask: int) -> None:
    with masked(mask):
        make_league(tmp_path / "stones", "sage-stones", NOW)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "stones").iterdir()}
    assert modes == {
        "league.toml": 0o644,
        "authors.toml": 0o600,
        "inbox": 0o755,
        "outbox": 0o755,
        "site": 0o755,
        "cron": 0o755,
        "records": 0o700,
    }
    assert stat.S_IMODE((tmp_path / "stones").stat().st_mode) == 0o755
    assert open_files(tmp_path / "stones" / "records") == []


@pytest.mark.usefixtures("admitted")
def test_night_keeps_its_records_to_itself_and_its_site_open(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    put(league, "ann", "Bad")
    with masked(0):
        assert run(league, matches=4).matches == 4
    assert open_files(league.records) == []
    assert stat.S_IMODE(league.log.stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in (league.outbox / "ann").rglob("*")} == {
        0o600,
        0o700,
    }
    site = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in league.site.rglob("*")}
    assert site == {(True, 0o755), (False, 0o644)}


@pytest.mark.usefixtures("admitted")
def test_night_closes_what_an_earlier_version_left_open_and_says_so(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    run(league, matches=4)
    widen(league.folder)
    said: list[str] = []
    run(league, 1, matches=4, said=said)
    assert said[0].startswith("other accounts could read ")
    assert said[0].endswith(" files and folders of the records: they are private now")
    assert said[1].endswith("inbox, which are private now: ann")
    assert open_files(league.records) == []
    assert stat.S_IMODE((league.inbox / "ann").stat().st_mode) == 0o700
    said.clear()
    run(league, 2, matches=4, said=said)
    assert said[0].startswith("night 3 "), "it is said once"


@needs_root
def test_rival_reads_neither_records_nor_submissions_nor_receipts(shared_path: Path) -> None:
    league = new_league(shared_path)
    league.inbox.chmod(0o1777)
    for author, number in (("ann", AUTHOR), ("eve", AUTHOR + 1)):
        give(put(league, author, "drifter").parent, number)
    list(close_league(league))
    give(put(league, "ann", "floater").parent, AUTHOR)
    take_in(league, 1, NOW, lambda _: None)
    (league.inbox / "ann" / "later.ready").mkdir()
    secrets = (
        *(league.records / "ledger.jsonl", league.records / "lock", league.records / "bots" / "entries"),
        *(league.inbox / "ann" / "later.ready", league.outbox / "ann", league.folder / "authors.toml"),
    )

    def read_all() -> None:
        (league.folder / "league.toml").read_text()
        for path in secrets:
            with pytest.raises(PermissionError):
                path.read_bytes() if path.suffix else list(path.iterdir())

    run_as(AUTHOR + 1, read_all)
    run_as(AUTHOR, lambda: list((league.outbox / "ann").iterdir()))


@needs_root
def test_organiser_who_is_not_root_says_which_folders_rivals_can_read(shared_path: Path) -> None:
    league = new_league(shared_path)
    give(shared_path, ORGANISER)
    give(put(league, "ann", "drifter").parent, AUTHOR)
    league.inbox.chmod(0o777)
    log = shared_path / "log"
    log.touch()
    log.chmod(0o666)
    run_as(ORGANISER, lambda: log.write_text("\n".join(close_league(league))))
    second, first = log.read_text().splitlines()
    assert f"other accounts can read these folders of {league.inbox}, and copy what waits there: ann" in first
    assert (
        second == f"every account can rename the folders of others in {league.inbox}: chmod +t {league.inbox}"
    )
    (league.inbox / "ann").chmod(0o2750)
    league.inbox.chmod(0o3777)
    run_as(ORGANISER, lambda: log.write_text("\n".join(close_league(league))))
    assert log.read_text() == "", "the organiser's group may read it"


def test_link_in_an_inbox_changes_no_mode_elsewhere(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (tmp_path / "open").mkdir(mode=0o755)
    (league.inbox / "eve").symlink_to(tmp_path / "open")
    assert list(close_league(league)) == []
    assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o755


def test_link_put_in_place_of_a_record_changes_no_mode_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rival that may write to an old league's records exchanges a file once it was looked at."""
    league = new_league(tmp_path)
    elsewhere, record = tmp_path / "elsewhere", league.records / "exchanged"
    for file in (elsewhere, record):
        file.touch()
        file.chmod(0o644)
    look = os.stat

    def exchange(path: str, **how: Any) -> os.stat_result:  # with the arguments of os.stat
        info = look(path, **how)
        if path == record.name:
            record.unlink()
            record.symlink_to(elsewhere)
        return info

    monkeypatch.setattr(os, "stat", exchange)
    assert list(close_league(league)) == []
    assert record.is_symlink()
    assert stat.S_IMODE(elsewhere.lstat().st_mode) == 0o644


def test_copied_league_is_private_too(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    shutil.copytree(league.folder, tmp_path / "moved")
    widen(tmp_path / "moved" / "records")
    assert len(list(close_league(League.open(tmp_path / "moved")))) == 1
    assert open_files(tmp_path / "moved" / "records") == []


@needs_root
def test_units_run_as_the_owner_of_the_folder(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    os.chown(league.folder, ORGANISER, ORGANISER)
    files = cron_files(league.folder, "22:00")
    unit = files["stones-night.service"].splitlines()
    assert f"User={ORGANISER}" in unit
    assert "UMask=0077" in unit
    assert not [line for line in unit if line.startswith("SuccessExitStatus")], (
        "a busy league is not a success"
    )
    assert "umask 077; " in files["crontab"]
    assert f"crontab -u {ORGANISER}" in files["crontab"]
