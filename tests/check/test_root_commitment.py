"""Commitments, computed here again by their definition."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from msgspec import structs

from tests.support import genuine
from tests.support.tournaments import refused
from tourney.check.root import (
    beacon_seed,
    commitment_of,
    commitment_proof,
    commitments,
    disclosure,
    plan_entry,
    seed_commitment,
)
from tourney.errors import UsageError
from tourney.exchange.importing import import_tournament, read_head
from tourney.exchange.lines import export_lines
from tourney.parsing import parse_json
from tourney.store.beacon import Beacon
from tourney.store.database import Database
from tourney.store.values import Origin

SALT = "0123456789abcdef" * 2


def begun(database: Database) -> None:
    genuine.begin(database, origin=Origin(chosen=False, salt=SALT))


def test_commitment_hashes_plan_and_salted_seed(database: Path) -> None:
    with Database.open(str(database), create=True) as opened:
        begun(opened)
        tournament = opened.tournaments.get()
        entrants = opened.tournaments.entrants(tournament.id)
    seal = hashlib.sha256(b"\x02" + bytes.fromhex(SALT) + b"7").hexdigest()
    assert seed_commitment(tournament) == seal
    entry = plan_entry(tournament, entrants)
    del entry["seed"]
    entry["seed-commitment"] = seal
    made = hashlib.sha256(b"\x00" + rfc8785.dumps(entry)).hexdigest()
    assert commitment_of(tournament, entrants) == made
    assert commitment_proof(tournament, entrants)["entry"] == entry
    late = replace(entrants[2], joined=2)
    gone = replace(entrants[1], left=2)
    assert commitment_of(tournament, (entrants[0], gone, late)) == commitment_of(tournament, entrants[:2])
    more = replace(tournament, plan=structs.replace(tournament.plan, rounds=7))
    five = commitment_of(replace(more, plan=structs.replace(more.plan, rounds=5)), entrants)
    assert (5, five) in list(commitments(more, entrants, seal))
    plain = replace(tournament, origin=Origin(chosen=True))
    assert commitment_of(plain, entrants) == ""
    with refused(UsageError, "has no commitment"):
        commitment_proof(plain, entrants)


def test_beacon_seed_has_256_bits_and_hides_nothing_of_the_plan(database: Path) -> None:
    with Database.open(str(database), create=True) as opened:
        begun(opened)
        tournament = opened.tournaments.get()
        entrants = opened.tournaments.entrants(tournament.id)
    waiting = replace(tournament, seed=0, origin=Origin(False, SALT, Beacon("drand 5")))
    known = replace(waiting, seed=9, origin=Origin(False, SALT, Beacon("drand 5", "ab" * 8)))
    assert (waiting.waits, known.waits) == ("drand 5", "")
    made = commitment_of(waiting, entrants)
    assert commitment_of(known, entrants) == made
    digest = hashlib.sha256(b"\x03" + bytes.fromhex(made + SALT + "ab" * 8)).digest()
    assert beacon_seed(made, SALT, "ab" * 8) == int.from_bytes(digest, "big")


@pytest.mark.parametrize("mirrored", [True, False])
def test_matches_are_sealed_until_their_group_is_played(database: Path, mirrored: bool) -> None:
    with Database.open(str(database), create=True) as opened:
        genuine.begin(opened, mirrored_dice=mirrored)
        tournament = opened.tournaments.get()
        genuine.play_all(opened, tournament, most=3)
        shown = disclosure(opened, tournament)
        assert (shown.ended, shown.sealed) == (False, frozenset({3} if mirrored else ()))
        lines: list[Any] = [parse_json(line) for line in export_lines(opened, tournament, measured=True)]
        assert "seed" not in lines[0]["tournament"]
        recorded = [number for number, line in enumerate(lines[1:], 1) if "record" in line]
        assert recorded == ([1, 2] if mirrored else [1, 2, 3])
        assert read_head(lines[0], "line 1").sealed
        genuine.play_all(opened, tournament)
        assert disclosure(opened, tournament).ended


def test_private_export_imports_as_the_same_tournament(database: Path, tmp_path: Path) -> None:
    with Database.open(str(database), create=True) as opened:
        begun(opened)
        tournament = opened.tournaments.get()
        private = export_lines(opened, tournament, measured=False, private=True)
        whole = [("x", parse_json(line)) for line in private]
    with Database.open(str(tmp_path / "other.db"), create=True) as other:
        there = import_tournament(other, whole, "2026-11-20")
        assert (there.seed, there.origin) == (tournament.seed, tournament.origin)
