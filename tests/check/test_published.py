"""Exports as databases of their own, and published roots and commitments."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.tournaments import refused
from tourney.check import published
from tourney.check.published import compare_published, open_export
from tourney.check.root import Entry, commitment_of, compute_root, keep_root, recomputed_entries
from tourney.errors import CheckError
from tourney.exchange.lines import export_lines
from tourney.store.database import Database
from tourney.store.values import Origin, Tournament


def exported(folder: Path, path: Path, most: int | None = None) -> tuple[str, str]:
    """Write an export of a cup, of which ``most`` matches are played; return its root and commitment."""
    with Database.open(str(folder / "t.db"), create=True) as opened:
        tournament = genuine.begin(opened, origin=Origin(chosen=False, salt="ab" * 16))
        genuine.play_all(opened, tournament, most=most)
        path.write_bytes(b"".join(export_lines(opened, tournament, measured=False)))
        made = commitment_of(tournament, opened.tournaments.entrants(tournament.id))
        return compute_root(opened, tournament) or "", made


def test_export_has_its_published_values(tmp_path: Path) -> None:
    path = tmp_path / "cup.jsonl"
    root, commitment = exported(tmp_path, path)
    with open_export(path) as (opened, head):
        assert not head.sealed
        assert compare_published("root", root, opened, None, head) == (
            "cup",
            "cup has this root: 6 matches",
        )
        assert compare_published("commitment", commitment, opened, None, head)[0] == "cup"
        name, sentence = compare_published("root", "0" * 64, opened, None, head)
        assert (name, root in sentence) == ("", True)


def test_sealed_export_has_its_commitment(tmp_path: Path) -> None:
    path = tmp_path / "cup.jsonl"
    _, commitment = exported(tmp_path, path, most=3)
    with open_export(path) as (opened, head):
        assert head.sealed
        assert compare_published("commitment", commitment, opened, None, head)[0] == "cup"
        assert "no root yet" in compare_published("root", "0" * 64, opened, None, head)[1]


def test_file_that_cannot_be_imported_does_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "cup.jsonl"
    exported(tmp_path, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[2], lines[1], *lines[3:]]))
    with refused(CheckError, "does not come after"), open_export(path):
        pass


def test_stored_root_spares_the_other_tournaments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []
    recomputed = recomputed_entries

    def note(database: Database, tournament: Tournament) -> Iterator[Entry]:
        computed.append(tournament.name)
        return recomputed(database, tournament)

    monkeypatch.setattr(published, "recomputed_entries", note)
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        for name in ("one", "two", "three"):
            tournament = genuine.begin(opened, name=name)
            genuine.play_all(opened, tournament)
            keep_root(opened, tournament.id)
        root = opened.tournaments.get("two").root or ""
        assert compare_published("root", root, opened, None, None)[0] == "two"
        assert computed == ["two"]
        # A stored root proves nothing: another tournament may still have the published one.
        opened.tournaments.keep_root(opened.tournaments.get("two").id, "0" * 64)
        assert compare_published("root", root, opened, None, None)[0] == "two"
