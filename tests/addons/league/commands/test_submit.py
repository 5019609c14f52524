"""``tourney league submit``."""

import os
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league
from tests.support.accounts import AUTHOR, ORGANISER, give, needs_root, run_as
from tests.support.command import invoke
from tests.support.folders import write_bot
from tourney.addons.league.intake import look


def test_submit_prints_the_place(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    bot = write_bot(tmp_path, "drifter", games='["sage-stones"]')
    done = invoke(
        "league", "submit", str(bot), "--author", "ann", "--name", "x", "--league", str(league.folder)
    )
    assert (done.exit_code, done.stdout) == (0, f"{league.inbox}/ann/x.zip.ready\n")


@needs_root
@pytest.mark.parametrize(
    ("organiser", "inbox", "folder", "file"),
    [
        (0, 0o1777, 0o700, 0o600),
        (ORGANISER, 0o3777, 0o2750, 0o640),
        (ORGANISER, 0o1777, 0o755, 0o644),
    ],
    ids=["root", "group", "everybody"],
)
def test_rival_cannot_read_what_an_author_submits(
    shared_path: Path, organiser: int, inbox: int, folder: int, file: int
) -> None:
    """An author has no right to the records; an organiser who is not root reads by the group of the inbox."""
    league = new_league(shared_path)
    bot = write_bot(shared_path, "drifter", games='["sage-stones"]')
    words = ("league", "submit", str(bot), "--author", "ann", "--league", str(league.folder))
    invoke(*words)  # loads what an author's call needs
    give(shared_path, organiser)
    (league.inbox / "ann").rename(shared_path / "other")
    league.inbox.chmod(inbox)

    def submit() -> None:
        os.umask(0o077)
        done = invoke(*words)
        assert done.exit_code == 0, done.output

    run_as(AUTHOR, submit)
    box = league.inbox / "ann"
    archive = box / "drifter.zip.ready"
    assert (box.stat().st_uid, box.stat().st_mode & 0o7777) == (AUTHOR, folder)
    assert (archive.stat().st_uid, archive.stat().st_mode & 0o7777) == (AUTHOR, file)

    def take() -> None:
        assert [one.bot for one in look(league, NOW).arrivals] == ["drifter"]
        archive.read_bytes()

    run_as(organiser, take)
    if folder & 0o007 == 0:
        with pytest.raises(AssertionError, match="PermissionError"):
            run_as(AUTHOR + 1, archive.read_bytes)


@needs_root
def test_status_tells_an_author_that_the_records_are_private(shared_path: Path) -> None:
    league = new_league(shared_path)
    words = ("league", "status", "--league", str(league.folder))
    assert invoke(*words).exit_code == 0

    def ask() -> None:
        done = invoke(*words)
        assert done.exit_code == 3
        assert "the records of a league are its organiser's; authors see the site" in done.stderr

    run_as(AUTHOR, ask)
