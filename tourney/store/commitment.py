"""Commitments: what fixes a tournament's seed and plan before its first match, without telling the seed.

The seed's commitment is a salted hash of it. The tournament's commitment is the hash of the plan's entry as
it was at the start, with that in place of the seed. Both can be published at once; the salt, which the end
opens, proves the seed. Until then nothing may leave the database from which a die to come follows:
``disclosure`` says what that is.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec import structs

from tourney.errors import UsageError
from tourney.schedule.until_rule import first_settings
from tourney.store.database import Database
from tourney.store.root import PlanEntry, leaf_of, plan_entry
from tourney.store.values import StoredEntrant, Tournament, TournamentMatch

PROOF_FORMAT: Final = "tourney-commitment/1"
MOST_ROUNDS: Final = 1_000
"""How far other values of ``rounds`` are tried for a commitment, as a later file may have changed the key."""


def seed_commitment(tournament: Tournament) -> str:
    """SHA-256 of a two byte, the salt and the seed in decimal; "" without a salt.

    A beacon's value makes the seed only later, from this commitment among others: then the salt stands alone.
    """
    origin = tournament.origin
    if not origin.salt:
        return ""
    text = "" if origin.beacon else str(tournament.seed)
    return hashlib.sha256(b"\2" + bytes.fromhex(origin.salt) + text.encode("ascii")).hexdigest()


def sealed_entry(tournament: Tournament, entrants: Sequence[StoredEntrant], seal: str) -> PlanEntry:
    """The plan's entry with the seed's commitment, if there is one, in place of the seed."""
    entry = plan_entry(tournament, entrants)
    del entry["seed"]
    return {**entry, "format": "tourney-plan/2", "seed-commitment": seal} if seal else entry


def committed_entry(tournament: Tournament, entrants: Sequence[StoredEntrant], seal: str) -> PlanEntry:
    """The sealed entry as it was at the start.

    So without late entrants, withdrawals and a beacon's value, and with the number of matches of then.
    """
    first = [replace(entrant, left=None) for entrant in entrants if entrant.joined == 1]
    plan = tournament.plan
    games, extra = first_settings(plan.games_per_pairing, plan.extra)
    begun = replace(tournament, plan=structs.replace(plan, games_per_pairing=games, extra=extra))
    entry = sealed_entry(begun, first, seal)
    if tournament.origin.beacon is not None:
        entry["beacon"] = {"round": tournament.origin.beacon.round}
    return entry


def commitments(
    tournament: Tournament, entrants: Sequence[StoredEntrant], seal: str
) -> Iterator[tuple[int | None, str]]:
    """Yield the commitments that a tournament may have begun with, each with its number of rounds.

    The first has the number of now. Later files may have changed that.
    """
    plan = tournament.plan
    others = [rounds for rounds in range(1, MOST_ROUNDS + 1) if rounds != plan.rounds]
    for rounds in (plan.rounds, *(others if plan.rounds is not None else ())):
        begun = replace(tournament, plan=structs.replace(plan, rounds=rounds))
        yield rounds, leaf_of(committed_entry(begun, entrants, seal)).hex()


def commitment_of(tournament: Tournament, entrants: Sequence[StoredEntrant]) -> str:
    """A tournament's commitment; "" for one that has no salt, as it began without."""
    seal = seed_commitment(tournament)
    return next(commitments(tournament, entrants, seal))[1] if seal else ""


def commitment_proof(tournament: Tournament, entrants: Sequence[StoredEntrant]) -> PlanEntry:
    """The entry that a commitment is the hash of: what can be published before the end. Raises UsageError."""
    seal = seed_commitment(tournament)
    if not seal:
        raise UsageError(f"{tournament.name} has no commitment: it began with a version that made none")
    entry = committed_entry(tournament, entrants, seal)
    return {"format": PROOF_FORMAT, "commitment": leaf_of(entry).hex(), "entry": entry}


def beacon_seed(commitment: str, salt: str, value: str) -> int:
    """The seed that a beacon's value gives: SHA-256 of a three byte, then commitment, salt and value."""
    parts = b"\3" + bytes.fromhex(commitment + salt) + bytes.fromhex(value)
    return int.from_bytes(hashlib.sha256(parts).digest(), "big")


class Disclosure(NamedTuple):
    """What of a tournament may be published. ``ended``: all of it, the seed and its salt too.

    ``sealed``: the numbers of finished matches that share a seed with one that is still to be played.
    """

    ended: bool
    commitment: str = ""
    sealed: frozenset[int] = frozenset()

    def of(self, numbers: Sequence[int]) -> list[int]:
        """Those of some matches that are not sealed."""
        return [number for number in numbers if number not in self.sealed]

    def shown(self, match: TournamentMatch) -> TournamentMatch:
        """A match as it may be published: a sealed one counts as one without a record."""
        if match.result is None or match.number not in self.sealed:
            return match
        return replace(match, result=replace(match.result, digest=""))


ALL: Final = Disclosure(ended=True)


def disclosure(database: Database, tournament: Tournament) -> Disclosure:
    """What of a stored tournament may be published now."""
    progress = database.schedules.progress(tournament.id)
    made = commitment_of(tournament, database.tournaments.entrants(tournament.id))
    if tournament.complete and progress.done == progress.rows:
        return Disclosure(ended=True, commitment=made)
    shared = tournament.plan.mirrored_dice
    sealed = database.schedules.open_groups(tournament.id) if shared else frozenset[int]()
    return Disclosure(ended=False, commitment=made, sealed=sealed)
