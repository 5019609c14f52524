"""Rivals in one inbox: each account is looked at to a bound of its own, and what arrived first counts."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.addons.league.arrivals import bot
from tests.addons.league.leagues import NOW, new_league, put, reopened
from tests.support.accounts import AUTHOR, ORGANISER, give, needs_root, run_as
from tourney.addons.league import intake
from tourney.addons.league.git_inbox import MOST_ENTRIES
from tourney.addons.league.intake import arrivals, look, take
from tourney.addons.league.ledger import Author, BotVersion
from tourney.bots.catalogue.tree import Bounds
from tourney.held_folder import HeldFolder


def wait_for_the_clock_of(folder: Path) -> None:
    """Wait until the file system's clock has gone on: it ticks a few hundred times a second."""
    probe = folder / "probe"
    probe.touch()
    before = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == before:
        probe.touch()


@needs_root
def test_names_of_one_account_hide_no_other(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for number in range(15_000):
        (league.inbox / f"a{number}").touch()
        os.chown(league.inbox / f"a{number}", AUTHOR, AUTHOR)
    for number in range(300):
        (league.inbox / f"b{number}").mkdir()
        give(league.inbox / f"b{number}", AUTHOR)
    for number in range(6):
        give(put(league, f"z{number}", "drifter").parent, AUTHOR + 1 + number)
    seen = look(league, NOW)
    assert [one.author for one in seen.arrivals] == [f"z{number}" for number in range(6)]
    assert "the inbox has 15,000 entries besides the folders of authors" in seen.notes
    assert f"left alone, beyond the bound of {AUTHOR}: {300 - MOST_ENTRIES} folders" in seen.notes


def test_newest_of_too_many_submissions_are_looked_at(tmp_path: Path) -> None:
    """What nights copied, and could not remove, stays in the folder for ever."""
    league = new_league(tmp_path)
    for number in range(MOST_ENTRIES + 5):
        put(league, "mason", f"x{number}")
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("submissions-per-day = 3", "submissions-per-day = 1000"))
    seen = look(reopened(league), NOW)
    assert sorted(one.bot for one in seen.arrivals) == sorted(f"x{n}" for n in range(5, MOST_ENTRIES + 5))
    assert "left alone, beyond the bound of mason: 5 submissions" in seen.notes


def test_files_of_an_account_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    for number in range(4):
        put(league, "mason", f"x{number}")
    put(league, "zoe", "drifter")
    monkeypatch.setattr(intake, "_MOST_FILES", 8)
    seen = look(league, NOW)
    assert [one.author for one in seen.arrivals] == ["mason", "mason", "zoe"]
    assert "left alone, beyond the bound of mason: 2 submissions" in seen.notes


def test_submissions_beyond_the_quota_are_counted(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for number in range(5):
        put(league, "mason", f"x{number}")
    seen = look(league, NOW)
    assert [one.bot for one in seen.arrivals] == ["x0", "x1", "x2"], "the earliest ones"
    assert seen.notes == ("left for another day, beyond the quota of mason: 2 submissions",)


@needs_root
def test_second_name_of_an_account_is_refused(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for name in ("eve2", "eve1", "zoe"):
        give(put(league, name, "drifter", name).parent, AUTHOR + (name == "zoe"))
    found = {one.author: one.problem for one in arrivals(league, NOW)}
    assert found == {
        "eve2": "",
        "eve1": f"{AUTHOR} is the author eve2 already: one account is one author",
        "zoe": "",
    }


@needs_root
def test_account_keeps_the_author_whose_bot_was_accepted(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    since = league.ledger.opened.since
    league.ledger.add(Author("eve", since, str(AUTHOR)), BotVersion("eve", "drifter", 1, "a" * 64, 1))
    give(put(league, "eve1", "drifter").parent, AUTHOR)
    give(put(league, "eve", "floater").parent, AUTHOR)
    assert {one.author: bool(one.problem) for one in arrivals(league, NOW)} == {"eve1": True, "eve": False}


@needs_root
def test_organiser_may_list_two_authors_of_an_account(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (league.folder / "authors.toml").write_text(f'[eve1]\nuser = "{AUTHOR}"\n[eve2]\nuser = "{AUTHOR}"\n')
    league = reopened(league)
    for name in ("eve1", "eve2"):
        for number in range(2):
            give(put(league, name, f"x{number}").parent, AUTHOR)
    found = arrivals(league, NOW)
    assert [one.problem for one in found] == [""] * 3, "they share a day's quota"


@needs_root
@pytest.mark.parametrize("organiser", [0, ORGANISER])
def test_organiser_submits_for_any_author(shared_path: Path, organiser: int) -> None:
    league = new_league(shared_path)
    for author in ("ann", "bob"):
        put(league, author, "drifter")
    give(shared_path, organiser)
    assert {one.author: one.problem for one in arrivals(league, NOW)} == {"ann": "", "bob": ""}


@needs_root
def test_refusals_are_charged_to_who_submitted(tmp_path: Path) -> None:
    """An account that puts rubbish under the names of others uses its own quota."""
    league = new_league(tmp_path)
    for number in range(5):
        give(put(league, f"mas{number}", "Bad").parent, AUTHOR)
    give(put(league, "mason", "drifter").parent, AUTHOR + 1)
    for arrival in arrivals(league, NOW):
        take(league, arrival, NOW)
    assert [one.author for one in league.ledger.submissions.values()] == ["mas0", "mas1", "mas2", "mason"]
    assert league.ledger.submissions[4].fate == "waiting"


def test_arrivals_come_in_the_order_of_the_file_system(tmp_path: Path) -> None:
    """By the last change of anything, and not by names, or by times that an author can set."""
    league = new_league(tmp_path)
    for author in ("mason", "zoe", "aaa"):
        put(league, author, "drifter")
        wait_for_the_clock_of(tmp_path)
    assert [one.author for one in arrivals(league, NOW)] == ["mason", "zoe", "aaa"]
    os.utime(league.inbox / "mason" / "drifter.ready" / "bot.py", (1, 1))
    assert [one.author for one in arrivals(league, NOW)] == ["zoe", "aaa", "mason"]


def test_late_files_that_are_no_part_of_the_bot_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a copy could hide behind a tree of early files, where the look ends before it."""
    league = new_league(tmp_path)
    path = put(league, "eve", "drifter")
    (path / "__pycache__").mkdir()
    for number in range(50):
        (path / "__pycache__" / str(number)).touch()
    monkeypatch.setattr(intake, "SUBMITTED", Bounds(20, 1 << 20, "a bot"))
    (arrival,) = arrivals(league, NOW)
    assert (
        arrival.problem == "it has more than 40 files and folders: remove those that do not belong to the bot"
    )


def test_name_that_cannot_be_an_authors_uses_no_quota(tmp_path: Path) -> None:
    """Else an author who corrects the name would wait for ever behind what cannot be taken."""
    league = new_league(tmp_path)
    for number in range(4):
        put(league, "Anna", f"x{number}")
    put(league, "anna", "drifter")
    if os.geteuid() == 0:
        for author in ("Anna", "anna"):
            give(league.inbox / author, AUTHOR)
    seen = look(league, NOW)
    assert [(one.author, one.problem) for one in seen.arrivals] == [("anna", "")]
    assert seen.notes[0].startswith(
        "inbox/Anna is left alone, with 4 submissions: Anna cannot name an author"
    )


def test_incomplete_submission_is_said_to_wait(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = put(league, "anna", "drifter")
    path.rename(path.with_name("drifter"))
    inbox = look(league, datetime.now(UTC))
    assert inbox.arrivals == ()
    (note,) = inbox.notes
    assert note == (
        "inbox/anna/drifter waits: it changed less than 60 s ago, and may not be complete; a name that ends"
        " in .ready is taken at once"
    )
    assert look(league, datetime.now(UTC) + timedelta(minutes=2)).notes == ()


@needs_root
def test_folder_that_cannot_be_read_is_said_and_hides_no_other(shared_path: Path) -> None:
    league = new_league(shared_path)
    give(put(league, "eve", "drifter").parent, AUTHOR)
    give(put(league, "zoe", "drifter").parent, AUTHOR + 1)
    (league.inbox / "eve").chmod(0o700)
    log = shared_path / "log"
    log.touch(0o666)
    log.chmod(0o666)

    def act() -> None:
        seen = look(league, NOW)
        log.write_text(f"{[one.author for one in seen.arrivals]} {seen.notes}")

    run_as(ORGANISER, act)
    assert log.read_text().startswith("['zoe'] (\"the folder eve of the inbox cannot be read")


def test_dead_mount_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of a FUSE mount has ended: whatever asks for the folder gets an error."""
    league = new_league(tmp_path)
    put(league, "eve", "drifter")
    put(league, "zoe", "drifter")
    real = HeldFolder.hold

    def hold(self: HeldFolder, path: str) -> HeldFolder:
        if path == "eve":
            raise OSError(107, "Transport endpoint is not connected")
        return real(self, path)

    monkeypatch.setattr(HeldFolder, "hold", hold)
    seen = look(league, NOW)
    assert [one.author for one in seen.arrivals] == ["zoe"]
    assert "Transport endpoint is not connected" in seen.notes[0]


def test_names_that_are_not_text_are_kept_as_text(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    box = league.inbox / "eve"
    box.mkdir()
    bot(box / "x.ready").rename(box / os.fsdecode(b"\xff\n\xe2\x80\xa8.ready"))
    (arrival,) = arrivals(league, NOW)
    refused = take(league, arrival, NOW)
    assert refused is not None
    assert "cannot name a bot" in refused.reason
    assert reopened(league).ledger.submissions == {1: refused}
    assert arrivals(reopened(league), NOW) == (), "it is not refused again each night"
