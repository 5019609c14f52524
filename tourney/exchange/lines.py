"""A tournament as JSON lines: its form, how it is written, and how it is read and checked.

The first line is the tournament (``TournamentLine``), then comes a line for each match of the schedule, in
order, played or not (``MatchLine``). The lines hold all that a tournament is, so that importing them into an
empty database gives the same tournament; and the entries of its root (``tourney.check.root``).
``tourney.exchange.importing`` reads them.
"""

import json
from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from tourney.check.root import (
    ALL,
    Disclosure,
    PlanForm,
    compute_root,
    disclosure,
    plan_entry,
    sealed_entry,
    seed_commitment,
)
from tourney.errors import StoreDamaged
from tourney.match.record import MAX_SEATS
from tourney.match.result import NOT_MEASURED, LogKind, LogLine, Measurements
from tourney.parsing import JsonObject
from tourney.schema import Count, Digest
from tourney.store.beacon import Salt
from tourney.store.column_reading import MatchParts, unpack_parts
from tourney.store.database import Database
from tourney.store.derived import DrawProbability
from tourney.store.presentation import NO_PRESENTATION, Presentation
from tourney.store.rows import chunks
from tourney.store.values import (
    ExportedRun,
    Number,
    Ordinal,
    ReplacedResult,
    Tournament,
    TournamentMatch,
    Words,
    run_data,
)

FORMAT: Final = "tourney-tournament/1"


class ShownForm(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is known of an entrant outside the root: for show, and its line in the tournament file as JSON."""

    title: Words = ""
    author: Words = ""
    line: Words = ""
    broken: Annotated[Words, Meta(description="Why its bot could not be started.")] = ""


class TournamentLine(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The first line: the tournament without its matches."""

    format: Literal["tourney-tournament/1"]
    tournament: PlanForm
    complete: Annotated[bool, Meta(description="Whether all rounds are drawn.")]
    matches: Annotated[Number, Meta(description="The number of lines that follow.")]
    run: ExportedRun
    shown: Annotated[tuple[ShownForm, ...], Meta(description="One for each entrant.")]
    root: Annotated[Digest, Meta(description="Where all is played.")] | None = None
    commitment: Annotated[Digest, Meta(description="To plan and seed, from before the start.")] | None = None
    salt: Annotated[Salt, Meta(description="What opens the commitment, at the end.")] | None = None
    draw_probability: DrawProbability | None = None
    replaced: tuple[ReplacedResult, ...] = ()
    refused_hosts: Annotated[
        dict[Words, Words],
        Meta(description="Hosts that get no match, with the reason; with measurements only."),
    ] = {}
    created: Annotated[Words, Meta(description="When it began; with measurements only.")] = ""
    presentation: Annotated[Presentation, Meta(description="For reports.")] = NO_PRESENTATION


class VoidForm(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a match has no record; ``entrant`` (from 0) is benched, or filled memory."""

    reason: Literal["machine-failure", "benched", "overload", "memory"]
    entrant: Number | None = None


class MatchLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A match: with ``record`` or ``void`` once it is finished. Log and measurements are optional."""

    place: Annotated[
        tuple[Ordinal, Ordinal, Ordinal, Ordinal], Meta(description="Round, table, repeat and order.")
    ]
    seats: Annotated[
        tuple[Number, ...],
        Meta(min_length=1, max_length=MAX_SEATS, description="The entrants' numbers (from 0) in seat order."),
    ]
    record: JsonObject | None = None
    void: VoidForm | None = None
    note: Annotated[Words, Meta(description="Why it is void, for people.")] = ""
    log: Annotated[
        tuple[tuple[Count, Annotated[int, Meta(ge=0, le=MAX_SEATS)], LogKind, str], ...],
        Meta(description="Actions so far, seat (0: the referee), kind and text."),
    ] = ()
    measured: Measurements | None = None


def export_lines(
    database: Database, tournament: Tournament, *, measured: bool, private: bool = False
) -> Iterator[bytes]:
    """Yield the lines of a stored tournament, each with its end of line; ASCII, keys sorted.

    With ``measured`` the lines have the date, and each match its measurements and log too. Before the end a
    commitment stands for the seed, and a match that shares its seed with one to come counts as not played;
    with ``private`` all is there. Raises UsageError for an archived tournament.
    """
    database.tournaments.refuse_archived(tournament.id)
    shown = disclosure(database, tournament)
    if private:
        shown = ALL._replace(commitment=shown.commitment)
    yield _line(_head_data(database, tournament, shown, measured=measured))
    records = database.records.all(tournament.id)
    for match, log, found in _detailed(database, tournament, measured=measured):
        data: dict[str, object] = {"place": match.key, "seats": match.seats}
        if (result := match.result) is not None:
            record = next(records)[1] if result.digest else None
            if match.number in shown.sealed:
                yield _line(data)
                continue
            if record is not None:
                data["record"] = msgspec.to_builtins(record)
            else:
                void = {"reason": result.void_reason, "entrant": result.void_entrant}
                data["void"] = {key: value for key, value in void.items() if value is not None}
            data["note"] = result.note
        data |= {"log": log, "measured": None if found == NOT_MEASURED else msgspec.to_builtins(found)}
        yield _line(data)


def _head_data(
    database: Database, tournament: Tournament, shown: Disclosure, *, measured: bool
) -> JsonObject:
    entrants = database.tournaments.entrants(tournament.id)
    draw_probability = database.ratings.draw_probability(tournament.game, tournament.seats)
    return {
        "format": FORMAT,
        "tournament": plan_entry(tournament, entrants)
        if shown.ended and not tournament.waits
        else sealed_entry(tournament, entrants, seed_commitment(tournament)),
        "commitment": shown.commitment,
        "salt": tournament.origin.salt if shown.ended else "",
        "complete": tournament.complete,
        "matches": database.schedules.progress(tournament.id).rows,
        "run": run_data(msgspec.structs.replace(tournament.run, floor={})),  # of this machine
        "shown": msgspec.to_builtins([ShownForm(e.title, e.author, e.line, e.broken) for e in entrants]),
        "root": compute_root(database, tournament),
        "draw-probability": None if draw_probability is None else msgspec.to_builtins(draw_probability),
        "replaced": msgspec.to_builtins(database.matches.replaced(tournament.id)),
        "refused-hosts": {one.host: one.why for one in database.hosts.refused(tournament.id) if measured},
        "created": tournament.created if measured else "",
        "presentation": msgspec.to_builtins(database.tournaments.presentation(tournament.id)),
    }


def _detailed(
    database: Database, tournament: Tournament, *, measured: bool
) -> Iterator[tuple[TournamentMatch, tuple[LogLine, ...], Measurements]]:
    """Yield matches with their logs and measurements, which are fetched for many matches at once."""
    for chunk in chunks(database.matches.all(tournament.id)):
        numbers = [match.number for match in chunk if measured and match.result is not None]
        parts = database.records.parts(tournament.id, numbers)
        for match in chunk:
            stored_parts = parts.get(match.number, MatchParts())._replace(record=None)
            try:
                _, log, measurements = unpack_parts(stored_parts, tournament.seats)
            except StoreDamaged:  # these say which row is damaged, and how
                log = database.records.log(tournament.id, match.number)
                measurements = database.records.measured(tournament.id, match.number)
            yield match, log, measurements


_NOTHING: Final[tuple[object, ...]] = (None, "", [], (), {})


def _line(data: dict[str, object]) -> bytes:
    """A line of the keys that say something."""
    data = {key: value for key, value in data.items() if value not in _NOTHING}
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
