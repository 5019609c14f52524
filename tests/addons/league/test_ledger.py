"""The ledger: it grows by whole lines, and later lines replace earlier ones."""

from pathlib import Path

import pytest
from msgspec import structs

from tourney.addons.league.ledger import (
    Author,
    BotVersion,
    Division,
    Ledger,
    Night,
    NightTournament,
    Opened,
    Season,
    Submission,
    make_ledger,
)
from tourney.errors import StoreError

NOW = "2026-11-26T22:00:00+00:00"
DIGEST = "ab" * 32


def ledger(folder: Path) -> Ledger:
    make_ledger(folder / "ledger.jsonl", [Opened("tourney-league/1", "stones", NOW)])
    return Ledger(folder / "ledger.jsonl")


def version(number: int = 1, night: int = 1, retired: int | None = None) -> BotVersion:
    return BotVersion("mason", "drifter", number, f"{number:064}", night, retired=retired)


def test_entries_are_read_back(tmp_path: Path) -> None:
    first = ledger(tmp_path)
    first.add(
        Author("mason", NOW, "mason"),
        Submission(1, "mason", "drifter", NOW, "drifter", "accepted", DIGEST, 1),
        version(),
        Night(1, 1, NOW, NOW, tournaments=(NightTournament("night-0001-2", 2, 8, DIGEST),)),
        Season(1, NOW, (Division(1, ("mason/drifter",)),)),
    )
    again = Ledger(first.path)
    assert (again.authors, again.submissions) == (first.authors, first.submissions)
    assert again.night is not None
    assert again.night.matches == 8
    assert again.season is not None
    assert again.season.division_of("mason/drifter", 2) == 1
    assert again.season.division_of("heron/x", 2) == 2
    assert again.by_digest[version().digest].label == "mason/drifter 1"


def test_later_line_replaces_earlier_one(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    book.add(version())
    book.add(structs.replace(version(), retired=4))
    assert [one.retired for one in Ledger(book.path).versions] == [4]
    assert len(book.path.read_bytes().splitlines()) == 3


def test_torn_line_is_dropped_and_overwritten(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    book.add(version(1))
    with book.path.open("ab") as file:
        file.write(b'{"kind":"version","author":"ma')
    again = Ledger(book.path)
    assert len(again.versions) == 1
    again.add(version(2))
    assert [one.number for one in Ledger(book.path).versions] == [1, 2]


def test_versions_live_until_they_retire(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    book.add(version(1, night=1, retired=3), version(2, night=2), version(9, night=9))
    alive = [[one.number for one in book.alive(night)] for night in (1, 2, 3)]
    assert alive == [[1], [1, 2], [2]]
    book.add(structs.replace(version(2, night=2), withdrawn=True))
    assert book.alive(3) == ()


def test_altered_line_is_named(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    book.add(version())
    book.path.write_bytes(book.path.read_bytes().replace(b'"number":1', b'"number":0'))
    with pytest.raises(StoreError, match="line 2 is not an entry"):
        Ledger(book.path)


def test_file_without_first_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_bytes(b"")
    with pytest.raises(StoreError, match="does not begin as the ledger"):
        Ledger(tmp_path / "ledger.jsonl")
