"""A tournament's root: one SHA-256 that fixes its plan and every match, and proofs of single matches.

The root is the Merkle tree hash (``tourney.match.merkle``) of these entries, each in its RFC 8785 form: the
plan (``plan_entry``), then in schedule order ``[round, table, repeat, order, digest]`` of each match, with
"void" in place of the digest of a match without a record. A tournament has a root once all is played. Times,
logs, measurements and titles are outside.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import rfc8785
from msgspec import Meta, Struct, structs

from tourney.errors import CheckError, RecordError, UsageError
from tourney.match.merkle import Tree, inclusion_path, leaf_hash, root_from_path, tree_hash
from tourney.match.record import read_record
from tourney.parsing import read_json_lines
from tourney.schedule.row import MatchKey
from tourney.schema import Arguments, Count, Digest, Label, Name, SchemaError, SeedText, read
from tourney.store.database import Database
from tourney.store.values import MAX_NUMBER, Beacon, Number, Ordinal, StoredEntrant, Tournament, plan_data

PLAN_FORMAT: Final = "tourney-plan/1"
_KNOWN: Final = ("joined", "left", "rating", "deviation")
VOID: Final = "void"
"""What takes the place of a digest where a match has no record."""
PLAN: Final = "plan"
"""What a proof of the plan is asked for by."""

Elo = Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
Entry = dict[str, Any] | list[int | str]
"""An entry of the tree: the plan, or a match's place and digest."""


class EntrantForm(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entrant as the root has it, as it is now.

    ``joined``, ``left``, ``rating`` and ``deviation`` stand only where they say something: an entrant that
    joined later or was withdrawn, and what was known of its strength when it was entered.
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

    format: Literal["tourney-plan/1"]
    plan: dict[str, Any]
    seed: SeedText
    seed_chosen: Annotated[bool, Meta(description="Whether a person chose the seed.")]
    entrants: Annotated[tuple[EntrantForm, ...], Meta(min_length=1)]
    beacon: Annotated[Beacon, Meta(description="The public randomness that the seed comes from.")] | None = (
        None
    )


def plan_entry(tournament: Tournament, entrants: Sequence[StoredEntrant]) -> dict[str, Any]:
    """The first entry as JSON data."""
    forms = (
        EntrantForm(**structs.asdict(one.entrant), **{key: getattr(one, key) for key in _KNOWN})
        for one in entrants
    )
    plan, origin = plan_data(tournament.plan), tournament.origin
    form = PlanForm(PLAN_FORMAT, plan, str(tournament.seed), origin.chosen, tuple(forms), origin.beacon)
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(form))
    return data


def match_entry(key: MatchKey, digest: str) -> list[int | str]:
    """The entry of a match; ``digest`` is "" for a match without a record."""
    return [*key, digest or VOID]


def leaf_of(entry: Entry) -> bytes:
    """The hash of an entry's leaf. Raises CanonicalizationError for what has no canonical form."""
    return leaf_hash(rfc8785.dumps(entry))


def root_of(entries: Iterable[Entry]) -> str:
    """The root of entries: the plan's and those of all matches in schedule order."""
    return tree_hash(map(leaf_of, entries)).hex()


def entries_of(database: Database, tournament: Tournament) -> Iterator[Entry]:
    """Yield the entries of a stored tournament.

    Raises UsageError for one that is not finished, or has results without records.
    """
    if not tournament.recorded:
        raise UsageError(f"{tournament.name} has no root: its results have no records")
    if not tournament.complete:
        raise UsageError(f"{tournament.name} has no root yet: its rounds are not all drawn")
    for number, _ in database.schedules.rows(
        tournament.id, pending=True
    ):  # before a million entries are hashed
        raise _unplayed(tournament, number)
    yield plan_entry(tournament, database.tournaments.entrants(tournament.id))
    for number, key, digest in database.matches.digests(tournament.id):
        if digest is None:
            raise _unplayed(tournament, number)
        yield match_entry(key, digest)


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
            entry[-1] = next(records)[1].content_digest()
        yield entry


def compute_root(database: Database, tournament: Tournament) -> str | None:
    """A stored tournament's root from its plan and its matches' digests; None before its end."""
    with database.snapshot() as moment:
        try:
            return root_of(entries_of(moment, tournament))
        except UsageError:
            return None


class Proof(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """A proof that a tournament has an entry: the entry, its place from 0, and the audit path (RFC 6962).

    ``hashes`` are hex digits, from the entry's sibling up. ``root`` is for people: hold a proof to the root
    that you were given.
    """

    format: Literal["tourney-proof/1"]
    root: Digest
    tree_size: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    index: Count
    entry: dict[str, Any] | list[int | str]
    hashes: list[Digest]

    def leads_to(self, root: str) -> bool:
        """Say whether the entry belongs to the tournament of a root."""
        leaf = leaf_of(self.entry)
        found = root_from_path(leaf, self.index, self.tree_size, list(map(bytes.fromhex, self.hashes)))
        return found is not None and found.hex() == root

    @property
    def digest(self) -> str | None:
        """The digest of the match in question; None for the plan and for a match without a record."""
        last = self.entry[-1] if isinstance(self.entry, list) else VOID
        return None if last == VOID else str(last)


def prove(database: Database, tournament: Tournament, number: int | None) -> Proof:
    """The proof of a match, or (None) of the plan.

    Raises UsageError for a number that there is not, and for a tournament that is not finished.
    """
    with database.snapshot() as moment:
        index = 0 if number is None else _index(moment, tournament, number)
        hashes = []
        entry: Entry | None = None
        for place, one in enumerate(entries_of(moment, tournament)):
            hashes.append(leaf_of(one))
            if place == index:
                entry = one
    if entry is None:
        raise UsageError(f"there is no match {number} in {tournament.name}; see `tourney status`")
    return Proof(
        "tourney-proof/1",
        tree_hash(hashes).hex(),
        len(hashes),
        index,
        entry,
        [one.hex() for one in inclusion_path(hashes, index)],
    )


def _index(database: Database, tournament: Tournament, number: int) -> int:
    for index, (found, _, _) in enumerate(database.matches.digests(tournament.id), 1):
        if found == number:
            return index
    raise UsageError(f"there is no match {number} in {tournament.name}; see `tourney status`")


def exported_root(path: Path) -> tuple[str, str | None]:
    """The name and root of the tournament in a file of `tourney export --what tournament`.

    The root is None before the tournament's end. Raises RecordError for another file, CheckError for one
    without all of its matches.
    """
    lines = read_json_lines(path)
    where, head = next(lines, ("", None))
    if not isinstance(head, dict) or head.get("format") != "tourney-tournament/1" or "place" in head:
        raise RecordError(
            f"{path} does not begin with a tournament, and a root is over its plan too: write the file by"
            " `tourney export --what tournament`"
        )
    try:
        # One tree for all lines: a file of a million matches is never held in memory.
        tree = Tree()
        tree.add(leaf_of(head["tournament"]))
        open_ = head["complete"] is not True
        count = 0
        for place, line in lines:
            count += 1
            where = place
            digest = read_record(line["record"]).content_digest() if "record" in line else ""
            open_ |= "record" not in line and "void" not in line
            tree.add(leaf_of([*match_entry(line["place"], digest)]))
        name = str(head["tournament"]["plan"]["name"])
        if count != head["matches"]:
            raise CheckError(f"{path}: {count} of its {head['matches']} matches are there")
        return name, None if open_ else tree.hash().hex()
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, rfc8785.CanonicalizationError) as error:
        raise RecordError(f"{where}: this is not a line of an exported tournament") from error


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
