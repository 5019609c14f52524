"""Receipts are files for their authors alone."""

import os
from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league
from tests.support.accounts import AUTHOR, needs_root, run_as
from tourney.addons.league.folder import League
from tourney.addons.league.ledger import Author, BotVersion, Submission
from tourney.addons.league.receipts import (
    Diagnosis,
    has_receipt,
    receipt_folder,
    write_diagnosis,
    write_receipt,
)
from tourney.errors import StoreError
from tourney.held_folder import HeldFolder


def refused(league: League, author: str = "mason", user: str | None = None, number: int = 1) -> Submission:
    since = league.ledger.opened.since
    return Submission(number, author, "drifter", since, "drifter", "refused", reason="no", user=user)


def written(league: League, submission: Submission) -> Path:
    """Write a receipt; the folder that it is in."""
    said: list[str] = []
    write_receipt(league, submission, said.append)
    assert said == []
    return league.outbox / submission.author / receipt_folder(submission)


def test_receipt_says_what_arrived(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    judged = Submission(
        *(7, "mason", "drifter", league.ledger.opened.since, "drifter.zip", "accepted", "a" * 64, 2),
        arrived=1_764_000_000_250_000,
        charged_ms=1250,
    )
    folder = written(league, judged)
    write_diagnosis(league, judged, Diagnosis(trials=("ok   fine",)), print)
    text = (folder / "receipt.txt").read_text()
    assert "accepted as version 2" in text
    assert "a" * 64 in text
    assert "arrived      2025-11-24T16:00:00.250000+00:00" in text
    assert "charged      1.2 s of build and trials" in text
    assert sorted(path.name for path in folder.iterdir()) == ["check.txt", "receipt.txt"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (folder.parent, folder, *folder.iterdir()))


@needs_root
@pytest.mark.parametrize("known", [True, False])
def test_receipt_belongs_to_its_author_alone(shared_path: Path, known: bool) -> None:
    league = new_league(shared_path)
    since = league.ledger.opened.since
    if known:
        league.ledger.add(Author("mason", since, str(AUTHOR)), BotVersion("mason", "x", 1, "a" * 64, 1))
    folder = written(league, refused(league, user=None if known else str(AUTHOR)))
    for place in (folder.parent, folder, folder / "receipt.txt"):
        assert (place.stat().st_uid, place.stat().st_mode & 0o077) == (AUTHOR, 0)
    run_as(AUTHOR, (folder / "receipt.txt").read_text)
    with pytest.raises(AssertionError, match="Permission denied"):
        run_as(AUTHOR + 1, (folder / "receipt.txt").read_text)


@needs_root
def test_links_in_an_outbox_change_nothing_elsewhere(shared_path: Path) -> None:
    league = new_league(shared_path)
    mine, user = shared_path / "mine", str(AUTHOR)
    mine.mkdir(mode=0o700)
    for name in ("receipt.txt", ".receipt.txt.new", "x"):
        (mine / name).write_text("mine")
    folder = written(league, refused(league, user=user))
    (folder / "receipt.txt").unlink()

    def link() -> None:
        (folder / "receipt.txt").symlink_to(mine / "receipt.txt")
        (folder / ".receipt.txt.new").symlink_to(mine / "x")
        (folder.parent / receipt_folder(refused(league, number=2))).symlink_to(mine)

    run_as(AUTHOR, link)
    assert not has_receipt(league, refused(league)), "a link is not a receipt"
    written(league, refused(league, user=user))
    said: list[str] = []
    write_receipt(league, refused(league, user=user, number=2), said.append)
    (sentence,) = said
    assert "the outbox of mason cannot be written" in sentence
    assert {file.read_text() for file in mine.iterdir()} == {"mine"}
    assert {file.stat().st_uid for file in mine.iterdir()} == {os.geteuid()}
    assert not (folder / "receipt.txt").is_symlink()


@needs_root
def test_name_of_another_account_shows_no_earlier_receipt(shared_path: Path) -> None:
    league = new_league(shared_path)
    first = written(league, refused(league, "mas0n", str(AUTHOR)))
    second = written(league, refused(league, "mas0n", str(AUTHOR + 1), number=2))
    assert not first.exists()
    assert second.parent.stat().st_uid == AUTHOR + 1
    (aside,) = (path for path in league.outbox.iterdir() if path.name != "mas0n")
    assert aside.stat().st_uid == AUTHOR


def test_full_disk_ends_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(HeldFolder, "write", full)
    league = new_league(tmp_path)
    with pytest.raises(StoreError, match="outbox cannot be written: No space left"):
        write_receipt(league, refused(league), print)
