"""A tournament's root, proofs of single matches, and the commitment from before its first match.

The root is one SHA-256 that fixes the plan and every match: the Merkle tree hash (``tourney.check.merkle``)
of these entries, each in its RFC 8785 form: the plan (``plan_entry``), then in schedule order
``[round, table, repeat, order, digest]`` of each match, with "void" in place of the digest of a match without
a record. A tournament has a root once all is played. Times, logs, measurements and titles are outside.

The seed's commitment is a salted hash of it. The tournament's commitment is the hash of the plan's entry as
it was at the start, with that in place of the seed. Both can be published at once; the salt, which the end
opens, proves the seed. Until then nothing may leave the database from which a die to come follows:
``disclosure`` says what that is.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
import rfc8785
from msgspec import Meta, Struct, structs

from tourney.check.merkle import inclusion_path, leaf_hash, root_from_path, tree_hash
from tourney.errors import RecordError, UsageError
from tourney.parsing import JsonObject
from tourney.prepared_types import prepared
from tourney.schedule.row import MatchKey
from tourney.schedule.until_rule import first_settings
from tourney.schema import Arguments, Count, Digest, Label, Name, SchemaError, SeedText, read
from tourney.store.beacon import Beacon
from tourney.store.database import Database
from tourney.store.values import (
    MAX_NUMBER,
    Number,
    Ordinal,
    StoredEntrant,
    Tournament,
    TournamentMatch,
    plan_data,
)

PlanFormat = Literal["tourney-plan/1", "tourney-plan/2"]
"""The second has a commitment, and its leaves of void matches hold their seats and the reason."""
KNOWN: Final = ("joined", "left", "rating", "deviation")
"""The fields of a stored entrant that the root holds, beside the entrant itself."""
VOID: Final = "void"
"""The word in place of a digest for a match without a record."""
PLAN: Final = "plan"
"""The name of the plan where a proof is asked for."""

OUTSIDE_ROOT: Final = (
    "titles and authors of bots, and their lines of the tournament file",
    "why a bot is broken",
    "run settings (reuse, sandbox, executor, withdrawn)",
    "replaced results",
    "draw probability",
    "title, description, logo and links",
    "verdicts of comparisons, promotions of baselines, names of archives",
    "dates, hosts, times, logs, notes and other measurements",
)
"""Data that can be altered without another root; docs/reference/verification.md says what finds it."""
Elo = Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
VoidEnd = tuple[list[int], str | None, int | None]
PlanEntry = JsonObject
Entry = PlanEntry | list[Any]
"""An entry of the tree: the plan, or a match's place and digest."""


class EntrantForm(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entrant as the root has it, as it is now.

    ``joined``, ``left``, ``rating`` and ``deviation`` stand only where they say something: an entrant that
    joined later or was withdrawn, and its known strength when it was entered.
    """

    name: Name
    bot: Label
    version: Label
    args: Arguments
    digest: Digest
    joined: Annotated[Ordinal, Meta(description="The first round drawn with it (default: 1).")] = 1
    left: Annotated[Ordinal, Meta(description="The first round without it, if it was withdrawn.")] | None = (
        None
    )
    rating: Annotated[Elo, Meta(description="Known at its entry, in hundredths of Elo.")] | None = None
    deviation: Annotated[Number, Meta(description="Standard error of `rating`.")] | None = None


class PlanForm(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True, omit_defaults=True):
    """The first entry of the root: the plan, the seed, and the entrants in order."""

    format: PlanFormat
    plan: JsonObject
    seed_chosen: Annotated[bool, Meta(description="Whether a person chose the seed.")]
    entrants: Annotated[tuple[EntrantForm, ...], Meta(min_length=1)]
    seed: Annotated[SeedText, Meta(description="Left out before the end.")] | None = None
    seed_commitment: Annotated[Digest, Meta(description="In place of the seed before the end.")] | None = None
    beacon: Annotated[Beacon, Meta(description="The public randomness that the seed comes from.")] | None = (
        None
    )


def plan_entry(tournament: Tournament, entrants: Sequence[StoredEntrant]) -> PlanEntry:
    """The first entry as JSON data."""
    forms = (
        EntrantForm(**structs.asdict(stored.entrant), **{key: getattr(stored, key) for key in KNOWN})
        for stored in entrants
    )
    plan = plan_data(tournament.plan)
    origin = tournament.origin
    format_: PlanFormat = "tourney-plan/2" if origin.salt else "tourney-plan/1"
    form = PlanForm(
        format_, plan, origin.chosen, tuple(forms), seed=str(tournament.seed), beacon=origin.beacon
    )
    return msgspec.json.decode(msgspec.json.encode(form), type=prepared(JsonObject))


def match_entry(key: MatchKey, digest: str, void: VoidEnd | None = None) -> Entry:
    """The entry of a match; ``digest`` is "" for a match without a record, which has ``void`` if that counts.

    ``void``: the entrants' numbers in seat order, the reason, and the number of the benched one or None.
    """
    return [*key, digest] if digest else [*key, VOID, *(void or ())]


def leaf_of(entry: Entry) -> bytes:
    """The hash of an entry's leaf. Raises CanonicalizationError for an entry without a canonical form."""
    return leaf_hash(rfc8785.dumps(entry))


def root_of(entries: Iterable[Entry]) -> str:
    """The root of entries: the plan's, then all matches' in schedule order."""
    return tree_hash(map(leaf_of, entries)).hex()


def entries_of(database: Database, tournament: Tournament) -> Iterator[Entry]:
    """Yield the entries of a stored tournament.

    Raises UsageError for one that is not finished, or has results without records.
    """
    if not tournament.recorded:
        raise UsageError(f"{tournament.name} has no root: its results have no records")
    if not tournament.complete:
        raise UsageError(f"{tournament.name} has no root yet: its rounds are not all drawn")
    for number, _ in database.schedules.rows(tournament.id, pending=True):
        raise _unplayed(tournament, number)  # before a million entries are hashed
    yield plan_entry(tournament, database.tournaments.entrants(tournament.id))
    for number, key, digest in database.matches.digests(tournament.id):
        if digest is None:
            raise _unplayed(tournament, number)
        void = (
            None
            if digest or not tournament.origin.salt
            else void_end(database.matches.get(tournament.id, number))
        )
        yield match_entry(key, digest, void)


def void_end(match: TournamentMatch) -> VoidEnd:
    """The part of the root for a match without a record."""
    assert match.result is not None  # noqa: S101 - it is void
    return list(match.seats), match.result.void_reason, match.result.void_entrant


def _unplayed(tournament: Tournament, number: int) -> UsageError:
    return UsageError(f"{tournament.name} has no root yet: match {number} is not played")


def recomputed_entries(database: Database, tournament: Tournament) -> Iterator[Entry]:
    """Yield the entries with the digests that the records themselves give, whatever is stored beside them.

    An archived tournament has no records here, so these are the stored digests. Raises UsageError as
    ``entries_of``, and StoreDamaged.
    """
    entries = entries_of(database, tournament)
    yield next(entries)
    if tournament.id in database.tournaments.archives():
        yield from entries
        return
    records = database.records.all(tournament.id)
    for entry, (_, _, stored) in zip(entries, database.matches.digests(tournament.id), strict=True):
        if stored and isinstance(entry, list):
            entry[4] = next(records)[1].content_digest()
        yield entry


def compute_root(database: Database, tournament: Tournament) -> str | None:
    """A stored tournament's root from its plan and its matches' digests; None before its end."""
    with database.snapshot() as moment:
        try:
            return root_of(entries_of(moment, tournament))
        except UsageError:
            return None


def keep_root(writer: Database, tournament: int) -> None:
    """Keep a tournament's root, if all is played."""
    root = compute_root(writer, writer.tournaments.by_id(tournament))
    if root is not None:
        writer.tournaments.keep_root(tournament, root)


class Proof(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """A proof that a tournament has an entry: the entry, its place from 0, and the audit path (RFC 6962).

    ``hashes`` are hex digits, from the entry's sibling up. ``root`` is for people: hold a proof to the root
    that you were given.
    """

    format: Literal["tourney-proof/1"]
    root: Digest
    tree_size: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    index: Count
    entry: Entry
    hashes: list[Digest]

    def leads_to(self, root: str) -> bool:
        """Say whether the entry belongs to the tournament of a root."""
        leaf = leaf_of(self.entry)
        implied_root = root_from_path(leaf, self.index, self.tree_size, list(map(bytes.fromhex, self.hashes)))
        return implied_root is not None and implied_root.hex() == root

    @property
    def digest(self) -> str | None:
        """The digest of the match in question; None for the plan and for a match without a record."""
        last = self.entry[4] if isinstance(self.entry, list) and len(self.entry) == 5 else VOID
        return None if last == VOID else str(last)


def prove(database: Database, tournament: Tournament, number: int | None) -> Proof:
    """The proof of a match, or (None) of the plan.

    Raises UsageError for a number that there is not, and for a tournament that is not finished.
    """
    index = 0
    entry = None
    hashes: list[bytes] = []
    with database.snapshot() as moment:
        numbers = (match_number for match_number, _, _ in moment.matches.digests(tournament.id))
        entries = entries_of(moment, tournament)
        for match_number, candidate in zip(chain([None], numbers), entries, strict=True):
            if match_number == number:
                index = len(hashes)
                entry = candidate
            hashes.append(leaf_of(candidate))
    if entry is None:
        raise UsageError(f"there is no match {number} in {tournament.name}; see `tourney status`")
    return Proof(
        "tourney-proof/1",
        tree_hash(hashes).hex(),
        len(hashes),
        index,
        entry,
        [sibling.hex() for sibling in inclusion_path(hashes, index)],
    )


def read_commitment(data: object, where: str) -> PlanEntry:
    """The entry of a commitment's proof. Raises RecordError that names ``where``."""
    entry = data.get("entry") if isinstance(data, dict) and data.get("format") == PROOF_FORMAT else None
    if not isinstance(entry, dict):
        raise RecordError(f"{where} is not a proof of a commitment")
    return entry


def read_proof(data: object, where: str) -> Proof:
    """The proof that JSON data describes. Raises RecordError that names ``where`` and the key."""
    try:
        proof = read(data, Proof)
        rfc8785.dumps(proof.entry)
    except SchemaError as error:
        raise RecordError(f"{where} is not a proof: {error.in_json('the proof')}") from error
    except rfc8785.CanonicalizationError as error:
        raise RecordError(f"{where} is not a proof: its entry has no canonical form ({error})") from error
    return proof


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
    """The part of a tournament that may be published. ``ended``: all of it, the seed and its salt too.

    ``sealed``: the numbers of finished matches that share a seed with one that is still to be played.
    """

    ended: bool
    commitment: str = ""
    sealed: frozenset[int] = frozenset()

    def of(self, numbers: Sequence[int]) -> list[int]:
        """The matches among some that are not sealed."""
        return [number for number in numbers if number not in self.sealed]

    def shown(self, match: TournamentMatch) -> TournamentMatch:
        """A match as it may be published: a sealed one counts as one without a record."""
        if match.result is None or match.number not in self.sealed:
            return match
        return replace(match, result=replace(match.result, digest=""))


ALL: Final = Disclosure(ended=True)


def disclosure(database: Database, tournament: Tournament) -> Disclosure:
    """The part of a stored tournament that may be published now."""
    progress = database.schedules.progress(tournament.id)
    made = commitment_of(tournament, database.tournaments.entrants(tournament.id))
    if tournament.complete and progress.done == progress.rows:
        return Disclosure(ended=True, commitment=made)
    shared = tournament.plan.mirrored_dice
    sealed = database.schedules.open_groups(tournament.id) if shared else frozenset[int]()
    return Disclosure(ended=False, commitment=made, sealed=sealed)
