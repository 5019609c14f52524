"""The root of a tournament, computed here again by its definition, and proofs of its entries."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785

from tests.support import genuine
from tests.support.tournaments import refused
from tourney.check.named_seeds import DRAWN
from tourney.check.root import compute_root, plan_entry, prove, read_proof
from tourney.errors import RecordError, UsageError
from tourney.exchange.lines import export_lines
from tourney.schedule.round_robin import RoundRobin
from tourney.store.database import Database


def tree(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, section 2.1."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + tree(leaves[:split]) + tree(leaves[split:])).digest()


@pytest.fixture
def repository(database: Path) -> Any:
    with Database.open(str(database), create=True) as opened:
        yield opened


def test_root_covers_the_plan_and_every_match(repository: Database) -> None:
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament, void=(4,))
    bot = {"bot": "drawn", "version": "1", "args": [], "digest": DRAWN.digest}
    plan = {
        "format": "tourney-plan/1",
        "plan": {
            "name": "cup",
            "game": "sage-stones",
            "rules": "1",
            "options": dict(tournament.plan.options),
            "format": "round-robin",
            "seats": 2,
            "games-per-pairing": 2,
            "rounds": None,
            "opening-plies": 2,
            "book": [],
            "limits": msgspec.to_builtins(tournament.plan.limits),
            "extra": {},
        },
        "seed": "7",
        "seed-chosen": True,
        "entrants": [{"name": f"drawn-{number}", **bot} for number in (1, 2, 3)],
    }
    digests = dict(enumerate(["void"] * 6, 1))
    digests |= {number: record.digest for number, record in repository.records.all(tournament.id)}
    places = [[round_, 1, 1, order] for round_ in (1, 2, 3) for order in (1, 2)]
    entries: list[Any] = [plan, *([*place, digests[number]] for number, place in enumerate(places, 1))]
    assert compute_root(repository, tournament) == tree([rfc8785.dumps(entry) for entry in entries]).hex()


OLDER_ROOT = "abec56246fc0b37fb416a8c7957377eb9bc4b18821d92e1696b9e87a9fcfe3b7"
"""The root of ``genuine.begin``, all played, by a version whose plans had no ``ranking``."""
OLDER_EXPORT = "10a68dcd16889c5d9c8f0243b075052fa5066c5a95ea2afaf0193e45daf83528"
"""The SHA-256 of its export there."""


def test_root_and_export_of_an_older_plan_stay(repository: Database) -> None:
    """The key ``ranking`` is in a plan, and so under the root, only if the tournament began with it."""
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament)
    lines = b"".join(export_lines(repository, tournament, measured=False, private=True))
    assert (compute_root(repository, tournament), hashlib.sha256(lines).hexdigest()) == (
        OLDER_ROOT,
        OLDER_EXPORT,
    )
    newer = genuine.begin(repository, name="other", ranking=RoundRobin().new_rule(2))
    entry = plan_entry(newer, repository.tournaments.entrants(newer.id))
    assert entry["plan"]["ranking"] == {
        "by": "points",
        "tie-breaks": ["direct-encounter", "wins", "sonneborn-berger"],
    }


def test_unfinished_tournament_has_no_root(repository: Database) -> None:
    tournament = genuine.begin(repository)
    assert compute_root(repository, tournament) is None
    with refused(UsageError, "cup has no root yet: match 1 is not played"):
        prove(repository, tournament, 1)


def test_entrants_say_when_they_came_and_went(repository: Database) -> None:
    tournament = genuine.begin(repository)
    first, *_ = repository.tournaments.entrants(tournament.id)
    late = replace(first, joined=3, left=5, rating=-1250, deviation=300)
    [plain, more] = plan_entry(tournament, [first, late])["entrants"]
    assert more == plain | {"joined": 3, "left": 5, "rating": -1250, "deviation": 300}


def test_titles_and_times_are_outside_the_root(repository: Database) -> None:
    tournament = genuine.begin(repository)
    entrants = repository.tournaments.entrants(tournament.id)
    other = [replace(entrant, title="Another", author="Else", line="{}") for entrant in entrants]
    later = replace(tournament, created="2030-01-01")
    assert plan_entry(tournament, entrants) == plan_entry(later, other)


def test_every_entry_has_a_proof(repository: Database) -> None:
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament, void=(5,))
    root = compute_root(repository, tournament)
    assert root is not None
    other = "0" * 64
    for number in (None, *range(1, 7)):
        proof = prove(repository, tournament, number)
        assert read_proof(msgspec.to_builtins(proof), "proof.json") == proof
        assert (proof.root, proof.index, proof.tree_size) == (root, number or 0, 7)
        assert len(proof.hashes) <= 3
        assert proof.leads_to(root)
        assert not proof.leads_to(other)
    record = repository.records.get(tournament.id, 3)
    assert prove(repository, tournament, 3).digest == record.digest
    assert prove(repository, tournament, 5).digest is None
    with refused(UsageError, "there is no match 7 in cup"):
        prove(repository, tournament, 7)


def test_altered_proof_does_not_lead_to_the_root(repository: Database) -> None:
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament)
    proof = msgspec.to_builtins(prove(repository, tournament, 3))
    for change in ({"index": 4}, {"entry": [2, 1, 1, 1, "f" * 64]}, {"hashes": proof["hashes"][1:]}):
        assert not read_proof(proof | change, "proof.json").leads_to(proof["root"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"index": -1}, "index"),
        ({"root": "x"}, "root"),
        ({"more": 1}, "more"),
        ({"entry": 5}, "entry"),
        ({"entry": [1, 2, 3, 4, "\ud800"]}, "entry"),
    ],
)
def test_malformed_proof_is_refused(repository: Database, change: dict[str, Any], words: str) -> None:
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament)
    data = msgspec.to_builtins(prove(repository, tournament, 1))
    with refused(RecordError, "proof.json is not a proof", words):
        read_proof(data | change, "proof.json")


def test_change_of_a_tournament_removes_its_root(repository: Database) -> None:
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament)
    repository.tournaments.keep_root(tournament.id, "5" * 64)
    repository.tournaments.amend(tournament.id, plan=tournament.plan, run=tournament.run)
    assert repository.tournaments.get().root is None
    repository.tournaments.keep_root(tournament.id, "5" * 64)
    repository.matches.take_back(tournament.id, [2])
    assert repository.tournaments.get().root is None
