"""What is taken from the inbox: complete submissions, once, from their authors."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, put, reopened
from tests.support.accounts import AUTHOR, give, needs_root
from tourney.addons.league import intake
from tourney.addons.league.folder import League
from tourney.addons.league.intake import arrivals, recover, take, taken_folders
from tourney.addons.league.ledger import Ledger
from tourney.held_folder import HeldFolder


def quiet(league: League, path: Path) -> list[str]:
    """The names of complete submissions, long after the last change."""
    late = path.stat().st_ctime + 3600
    return [one.source for one in arrivals(league, NOW + timedelta(seconds=late - NOW.timestamp()))]


def test_submission_waits_until_it_is_quiet(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    path = path.rename(path.with_name("drifter"))
    changed = path.stat().st_ctime
    for seconds, count in ((59, 0), (61, 1)):
        now = NOW + timedelta(seconds=changed + seconds - NOW.timestamp())
        assert len(list(arrivals(league, now))) == count


@pytest.mark.parametrize("ready", ["name", "file"])
def test_ready_submission_is_taken_at_once(tmp_path: Path, ready: str) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    if ready == "file":
        path = path.rename(path.with_name("drifter"))
        (path / ".ready").touch()
    (found,) = arrivals(league, NOW)
    assert (found.author, found.bot, found.problem) == ("mason", "drifter", "")


def test_unfinished_uploads_are_left_alone(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    (path.parent / ".x.zip").touch()
    (path.parent / "y.zip.part").touch()
    (path.parent / "z.zip.sig").touch()
    assert quiet(league, path) == ["drifter.ready"]


def test_taken_submission_is_gone_from_the_inbox(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    (arrival,) = arrivals(league, NOW)
    submission = take(league, arrival, NOW)
    assert submission is not None
    assert (submission.number, submission.fate) == (1, "waiting")
    assert submission.user == path.parent.owner()
    assert not path.exists()
    assert list(taken_folders(league)) == [(1, "mason", "drifter")]
    assert league.ledger.authors == {}, "an author enters with the first bot that is accepted"


def test_submission_that_cannot_be_moved_is_copied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    monkeypatch.setattr(HeldFolder, "move", _refuse)
    (arrival,) = arrivals(league, NOW)
    take(league, arrival, NOW)
    assert path.exists()
    assert list(arrivals(league, NOW)) == []
    (path / "bot.py").write_text("# new\n")
    os.utime(path / "bot.py", (4e9, 4e9))
    assert len(list(arrivals(league, NOW))) == 1


def _refuse(*_: object) -> None:
    raise PermissionError(1, "not permitted")


def test_link_is_refused_and_stays(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    (path.parent / "other.ready").symlink_to(path)
    found = {one.bot: one for one in arrivals(league, NOW)}
    refused = take(league, found["other"], NOW)
    assert refused is not None
    assert "is a link" in refused.reason
    assert (path.parent / "other.ready").is_symlink()
    assert [one.bot for one in arrivals(league, NOW)] == ["drifter"]


@needs_root
def test_file_of_another_account_is_refused(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    give(put(league, "mason", "drifter"), AUTHOR)
    (arrival,) = arrivals(league, NOW)
    assert f"belongs to {AUTHOR}, and the folder mason to root" in arrival.problem


def test_submission_that_changes_now_is_left_for_later(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    (arrival,) = arrivals(league, NOW)
    (path / "bot.py").write_text("# exchanged after it was looked at\n")
    os.utime(path / "bot.py", (4e9, 4e9))
    assert take(league, arrival, NOW) is None
    assert league.ledger.submissions == {}
    assert [*(league.records / "taken").iterdir()] == []
    assert path.exists()


@needs_root
def test_folder_that_another_account_has_now_is_no_submission(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    give(put(league, "mason", "drifter").parent, AUTHOR)
    (arrival,) = arrivals(league, NOW)
    os.chown(league.inbox / "mason", AUTHOR + 1, -1)
    assert take(league, arrival, NOW) is None
    assert league.ledger.submissions == {}


def test_exchanged_folder_is_not_a_submission(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    (arrival,) = arrivals(league, NOW)
    (league.inbox / "mason").rename(tmp_path / "elsewhere")
    (league.inbox / "mason").symlink_to(tmp_path / "elsewhere")
    refused = take(league, arrival, NOW)
    assert refused is not None
    assert "mason is a link" in refused.reason
    assert (tmp_path / "elsewhere" / "drifter.ready").is_dir()
    assert list((league.records / "taken").iterdir()) == []


def test_quota_leaves_the_rest_for_tomorrow(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for number in range(9):
        put(league, "mason", f"bot-{number}")
    for day in range(3):
        for arrival in list(arrivals(league, NOW + timedelta(days=day))):
            take(league, arrival, NOW + timedelta(days=day))
        assert len(league.ledger.submissions) == 3 * (day + 1)


@pytest.mark.parametrize("at", ["copy_arrival", "add", "remove_arrival"])
def test_bot_is_taken_once_whenever_a_crash_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """The crash comes after a step. What is in the ledger is finished, and all else begins again."""
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    owner = Ledger if at == "add" else intake
    real = getattr(owner, at)

    def crash(*words: object) -> None:
        real(*words)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(owner, at, crash)
        with pytest.raises(KeyboardInterrupt):
            take_every(league)
    league = reopened(league)
    recover(league)
    take_every(league)
    assert list(taken_folders(league)) == [(1, "mason", "drifter")]
    assert list(reopened(league).ledger.submissions) == [1]
    assert [path.name for path in (league.records / "taken").iterdir()] == ["1-mason.drifter"]


def take_every(league: League) -> None:
    """Take all arrivals."""
    for arrival in list(arrivals(league, NOW)):
        take(league, arrival, NOW)
