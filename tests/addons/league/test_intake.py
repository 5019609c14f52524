"""What is taken from the inbox: complete submissions, once, from their authors."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.leagues import NOW, new_league, put
from tourney.addons.league import intake
from tourney.addons.league.folder import League
from tourney.addons.league.intake import arrivals, recover, take, taken_folders


def quiet(league: League, path: Path) -> list[str]:
    """The names of complete submissions, long after the last change."""
    late = path.stat().st_ctime + 3600
    return [one.path.name for one in arrivals(league, NOW + timedelta(seconds=late - NOW.timestamp()))]


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
    assert not path.exists()
    assert list(taken_folders(league)) == [(1, "mason", "drifter")]
    assert league.ledger.authors["mason"].user == path.parent.owner()


def test_submission_that_cannot_be_moved_is_copied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    path = put(league, "mason", "drifter")
    real = Path.rename
    monkeypatch.setattr(
        Path, "rename", lambda self, to: real(self, to) if "inbox" not in self.parts else _refuse()
    )
    (arrival,) = arrivals(league, NOW)
    take(league, arrival, NOW)
    assert path.exists()
    assert list(arrivals(league, NOW)) == []
    (path / "bot.py").write_text("# new\n")
    os.utime(path / "bot.py", (4e9, 4e9))
    assert len(list(arrivals(league, NOW))) == 1


def _refuse() -> None:
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


def test_file_of_another_account_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    monkeypatch.setattr(
        intake, "owner_of", lambda path: "eve" if path.name.startswith("drifter") else "mason"
    )
    (arrival,) = arrivals(league, NOW)
    assert "belongs to eve, and the folder mason to mason" in arrival.problem


def test_exchanged_folder_is_not_a_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    put(league, "mason", "drifter")
    (arrival,) = arrivals(league, NOW)
    monkeypatch.setattr(intake, "owner_of", lambda path: "eve" if "taken" in path.parts else "mason")
    assert take(league, arrival, NOW) is None
    assert league.ledger.submissions == {}
    assert [path.name for path in (league.records / "taken").iterdir()] == ["stray-1"]


def test_quota_leaves_the_rest_for_tomorrow(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for number in range(9):
        put(league, "mason", f"bot-{number}")
    for day in range(3):
        for arrival in list(arrivals(league, NOW + timedelta(days=day))):
            take(league, arrival, NOW + timedelta(days=day))
        assert len(league.ledger.submissions) == 3 * (day + 1)


def test_bot_that_was_moved_when_a_crash_came_is_taken(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    moved, copying = (league.records / "taken" / name for name in (".new-1-mason.drifter", ".new-2-ann.one"))
    for folder in (moved, copying):
        folder.mkdir()
    put(league, "mason", "drifter").rename(moved / "drifter")
    (league.records / "taken" / ".copy").mkdir()
    (copying / "one.sig").touch()
    recover(league)
    assert [*taken_folders(league)] == [(1, "mason", "drifter")]
    assert [path.name for path in (league.records / "taken").iterdir()] == ["1-mason.drifter"]
