"""Receipts are files for their authors alone."""

import os
import pwd
from pathlib import Path

import pytest

from tests.support.leagues import new_league
from tourney.addons.league.admission import Diagnosis, receipt_folder, write_diagnosis, write_receipt
from tourney.addons.league.ledger import Author, Submission


def test_receipt_says_what_arrived(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    judged = Submission(
        7, "mason", "drifter", league.ledger.opened.since, "drifter.zip", "accepted", "a" * 64, 2
    )
    folder = write_receipt(league, judged)
    write_diagnosis(league, judged, Diagnosis(trials=("ok   fine",)))
    assert folder == receipt_folder(league, judged)
    text = (folder / "receipt.txt").read_text()
    assert "accepted as version 2" in text
    assert "a" * 64 in text
    assert sorted(path.name for path in folder.iterdir()) == ["check.txt", "receipt.txt"]
    assert all(path.stat().st_mode & 0o007 == 0 for path in (folder.parent, folder, *folder.iterdir()))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_receipt_belongs_to_its_author(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    other = next(one for one in pwd.getpwall() if one.pw_uid)
    league.ledger.add(Author("mason", league.ledger.opened.since, other.pw_name))
    judged = Submission(1, "mason", "drifter", league.ledger.opened.since, "drifter", "refused", reason="no")
    folder = write_receipt(league, judged)
    assert (folder / "receipt.txt").owner() == other.pw_name
    assert folder.owner() != other.pw_name, "or its author could put links there"
    assert folder.stat().st_gid == other.pw_gid
