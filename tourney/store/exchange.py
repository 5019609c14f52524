"""A tournament as JSON lines: its form, how it is written, and how it is read and checked.

The first line is the tournament (``TournamentLine``), then comes a line for each match of the schedule, in
order, played or not (``MatchLine``). The lines hold all that a tournament is, so that importing them into an
empty database gives the same tournament; and the entries of its root (``tourney.store.root``).
It is one module because what is written and what is read must be the same form.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs

from tourney.errors import GameError, RecordError, StoreDamaged
from tourney.games.registry import find_game
from tourney.match.merkle import Tree
from tourney.match.record import MAX_SEATS, FaultKind, Record, Seat, check_written, spec_of
from tourney.match.result import LogKind, LogLine, Measurements, PlayedMatch
from tourney.match.spec import Entrant
from tourney.schedule.row import MatchKey, Row
from tourney.schema import (
    STORABLE,
    Arguments,
    Count,
    Digest,
    Label,
    Name,
    SchemaError,
    U64Text,
    check_range,
    check_u64,
    read,
)
from tourney.store.parts import unpack_parts
from tourney.store.presentation import NO_PRESENTATION, Presentation
from tourney.store.repository import Repository
from tourney.store.root import compute_root, leaf_of, match_entry, plan_entry
from tourney.store.scratch import Scratch
from tourney.store.values import (
    Match,
    MatchParts,
    MatchResult,
    Measured,
    Plan,
    ReplacedResult,
    StoredEntrant,
    StoredRun,
    Tournament,
    read_plan,
    run_data,
)

FORMAT: Final = "tourney-tournament/1"
IMPORTED: Final = "import"
"""The format of tournaments made from records alone: these have seeds and openings of their own."""

_CHUNK: Final = 500
"""Matches whose logs and measurements are fetched at once."""
_MAX: Final = 2**31 - 1
"""The largest integer that every database takes."""
Number = Annotated[int, Meta(ge=0, le=_MAX)]
Ordinal = Annotated[int, Meta(ge=1, le=_MAX)]
Elo = Annotated[int, Meta(ge=-_MAX, le=_MAX)]
Words = Annotated[
    str,
    Meta(max_length=1 << 16, pattern=STORABLE, extra={"want": "be valid Unicode without the character NUL"}),
]


class EntrantForm(Struct, frozen=True, forbid_unknown_fields=True):
    """An entrant as the root has it."""

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


class PlanForm(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The first entry of the root."""

    format: Literal["tourney-plan/1"]
    plan: dict[str, Any]
    seed: U64Text
    seed_chosen: Annotated[bool, Meta(description="Whether a person chose the seed.")]
    entrants: Annotated[tuple[EntrantForm, ...], Meta(min_length=1)]


class ShownForm(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of an entrant outside the root: for show, and its line in the tournament file as JSON."""

    title: Words = ""
    author: Words = ""
    line: Words = ""
    broken: Annotated[Words, Meta(description="Why its bot could not be started.")] = ""


class DrawForm(Struct, frozen=True, forbid_unknown_fields=True):
    """The draw probability that TrueSkill rates this game with, and what it was estimated from."""

    probability: Annotated[float, Meta(ge=0, le=1)]
    tournament: Words
    matches: Number


class ReplacedForm(Struct, frozen=True, forbid_unknown_fields=True):
    """A result that was taken back when ``rounds`` rounds were drawn; a seat without a fault has ``""``.

    ``host`` stands where a host was set aside, until its matches are played again.
    """

    match: Ordinal
    rounds: Number
    ranks: Annotated[tuple[Seat, ...], Meta(min_length=1, max_length=MAX_SEATS)]
    faults: tuple[Literal["", FaultKind], ...]
    void: bool
    host: Words | None = None


class TournamentLine(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The first line: the tournament without its matches."""

    format: Literal["tourney-tournament/1"]
    tournament: PlanForm
    complete: Annotated[bool, Meta(description="Whether all rounds are drawn.")]
    matches: Annotated[Number, Meta(description="The number of lines that follow.")]
    run: StoredRun
    shown: Annotated[tuple[ShownForm, ...], Meta(description="One for each entrant.")]
    root: Annotated[Digest, Meta(description="Where all is played.")] | None = None
    draw_probability: DrawForm | None = None
    replaced: tuple[ReplacedForm, ...] = ()
    created: Annotated[Words, Meta(description="When it began; with measurements only.")] = ""
    presentation: Annotated[Presentation, Meta(description="For reports.")] = NO_PRESENTATION


class VoidForm(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a match has no record; ``entrant`` is the number (from 0) of a benched one."""

    reason: Literal["machine-failure", "benched", "overload"]
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
    record: dict[str, Any] | None = None
    void: VoidForm | None = None
    note: Annotated[Words, Meta(description="Why it is void, for people.")] = ""
    log: Annotated[
        tuple[tuple[Count, Annotated[int, Meta(ge=0, le=MAX_SEATS)], LogKind, str], ...],
        Meta(description="Actions so far, seat (0: the referee), kind and text."),
    ] = ()
    measured: dict[str, Any] | None = None


def export_lines(repository: Repository, tournament: Tournament, *, measured: bool) -> Iterator[bytes]:
    """Yield the lines of a stored tournament, each with its end of line; ASCII, keys sorted.

    With ``measured`` the lines have the date, and each match its measurements and log too. Raises UsageError
    for an archived tournament.
    """
    repository.refuse_archived(tournament.id)
    entrants = repository.entrants(tournament.id)
    kept = repository.draw_probability(tournament.game, tournament.seats)
    shown = (
        {"title": e.title, "author": e.author, "line": e.line} | ({"broken": e.broken} if e.broken else {})
        for e in entrants
    )
    head = {
        "format": FORMAT,
        "tournament": plan_entry(tournament, entrants),
        "complete": tournament.complete,
        "matches": repository.progress(tournament.id).rows,
        "run": run_data(tournament.run),
        "shown": [{key: value for key, value in one.items() if value} for one in shown],
        "root": compute_root(repository, tournament),
        "draw-probability": None if kept is None else kept._asdict(),
        "replaced": [
            {
                "match": old.number,
                "rounds": old.rounds,
                "ranks": old.ranks,
                "faults": [fault or "" for fault in old.faults],
                "void": old.void,
            }
            | ({} if old.host is None else {"host": old.host})
            for old in repository.replaced(tournament.id)
        ],
        "created": tournament.created if measured else "",
        "presentation": msgspec.to_builtins(repository.presentation(tournament.id)) or None,
    }
    yield _line({key: value for key, value in head.items() if value not in (None, "", [])})
    records = repository.records(tournament.id)
    matches = repository.matches(tournament.id)
    for match, log, found in _with_details(repository, matches) if measured else _without(matches):
        data: dict[str, Any] = {"place": match.key, "seats": match.seats}
        result = match.result
        if result is not None and result.digest:
            _, data["record"] = next(records)
        elif result is not None:
            data["void"] = {"reason": result.void_reason}
            if result.void_entrant is not None:
                data["void"]["entrant"] = result.void_entrant
        if result is not None and result.note:
            data["note"] = result.note
        if log:
            data["log"] = [[line.ply, line.seat, line.kind, line.text] for line in log]
        if found:
            data["measured"] = found
        yield _line(data)


_Detailed = tuple[Match, tuple[LogLine, ...], Measured]


def _without(matches: Iterable[Match]) -> Iterator[_Detailed]:
    for match in matches:
        yield match, (), {}


def _with_details(repository: Repository, matches: Iterable[Match]) -> Iterator[_Detailed]:
    """Yield matches with their logs and measurements, which are fetched for many matches at once."""
    rest = iter(matches)
    while chunk := list(islice(rest, _CHUNK)):
        tournament, seats = chunk[0].tournament, len(chunk[0].seats)
        parts = repository.parts(tournament, [match.number for match in chunk if match.result is not None])
        for match in chunk:
            found = parts.get(match.number, MatchParts())._replace(record=None)
            try:
                _, log, measured = unpack_parts(found, seats)
            except StoreDamaged:  # these say which row is damaged, and how
                log = repository.log(tournament, match.number)
                measured = repository.measured(tournament, match.number)
            yield match, log, measured


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


@dataclass(frozen=True)
class Head:
    """The first line, read and checked; ``tournament`` has the id 0, as it is not stored yet."""

    line: TournamentLine
    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]
    replaced: tuple[ReplacedResult, ...]


def is_tournament(value: object) -> bool:
    """Return whether a JSON value is the first line of a tournament, valid or not."""
    return isinstance(value, dict) and str(value.get("format", "")).startswith("tourney-tournament/")


def read_head(value: object, where: str) -> Head:
    """Return the first line. Raises RecordError that names ``where``, and GameError."""
    try:
        line = read(value, TournamentLine)
        form = line.tournament
        seed = check_u64("seed", form.seed)
    except SchemaError as error:
        raise RecordError(f"{where}: {error.in_json('the tournament')}") from error
    try:
        plan = read_plan(form.plan)
    except SchemaError as error:
        raise RecordError(f"{where}: {error.under('tournament', 'plan').in_json()}") from error
    _check_plan(plan, where)
    if len(line.shown) != len(form.entrants):
        raise RecordError(
            f"{where}: shown has {len(line.shown)} items, but there are {len(form.entrants)} entrants"
        )
    entrants = tuple(
        StoredEntrant(
            number,
            Entrant(one.name, one.bot, one.version, one.args, one.digest),
            *(shown.title, shown.author, one.joined, shown.line, one.left, one.rating, one.deviation),
            broken=shown.broken,
        )
        for number, (one, shown) in enumerate(zip(form.entrants, line.shown, strict=True))
    )
    names = Counter(entrant.name for entrant in entrants)
    for name in (*names, *line.run.withdrawn):
        if names[name] != 1:
            why = "twice among the entrants" if names[name] else "withdrawn, but no entrant"
            raise RecordError(f"{where}: {name} is {why}")
    replaced = tuple(
        ReplacedResult(
            *(old.match, old.rounds, old.ranks, tuple(fault or None for fault in old.faults), old.void),
            old.host,
        )
        for old in line.replaced
    )
    for old in replaced:
        if not (len(old.ranks) == len(old.faults) == plan.seats) or old.number > line.matches:
            raise RecordError(f"{where}: replaced has match {old.number}, which does not fit the tournament")
    if len({(old.number, old.rounds) for old in replaced}) < len(replaced):
        raise RecordError(f"{where}: replaced has a match twice")
    tournament = Tournament(
        0,
        plan,
        seed,
        form.seed_chosen,
        line.run,
        complete=line.complete,
        created=line.created,
        root=line.root,
    )
    assert isinstance(value, dict)  # noqa: S101 - for the type checker: it has just been read as an object
    if plan_entry(tournament, entrants) != value["tournament"]:
        raise RecordError(f"{where}: the tournament has keys that stand only where they say something else")
    return Head(line, tournament, entrants, replaced)


def _check_plan(plan: Plan, where: str) -> None:
    """Raise RecordError or GameError for a plan that no tournament can have."""
    try:
        read(plan.name, Name, at=("plan", "name"))
        check_range(("plan", "seats"), plan.seats, 1, MAX_SEATS)
    except SchemaError as error:
        raise RecordError(f"{where}: {error.in_json()}") from error
    check_game(where, plan.game, plan.seats, dict(plan.options))


def check_game(where: str, name: str, seats: int, options: dict[str, str]) -> None:
    """Raise GameError, naming the place, for a game that is not installed or has other seats or options."""
    try:
        find_game(name).new(seats, options)
    except GameError as error:
        raise type(error)(f"{where}: {error}") from error


def read_matches(
    head: Head, lines: Iterable[tuple[str, object]]
) -> Iterator[tuple[str, Row, MatchResult | None]]:
    """Yield each match of the lines after the first: its place in the file, its row, and its result.

    Checks that the matches are in order, fit the plan and its seeds, and have no digest twice; at the end,
    that none is missing and the root is right. Raises RecordError that names the line.
    """
    last = MatchKey(0, 0, 0, 0)
    tree = Tree()
    tree.add(leaf_of(plan_entry(head.tournament, head.entrants)))
    number = 0
    with Scratch() as scratch:
        for number, (where, value) in enumerate(lines, 1):
            try:
                line = read(value, MatchLine)
                row = Row(*line.place, line.seats)
                _check_row(head, row, last)
                result = _result(head, number, row, line)
            except SchemaError as error:
                raise RecordError(f"{where}: {error.in_json('the match')}") from error
            except RecordError as error:
                raise RecordError(f"{where}: {error}") from error
            last = row.key
            digest = ""
            if result is not None and result.played is not None:
                digest = result.played.digest
                if (first := scratch.first_place(digest, where)) != where:
                    raise RecordError(f"{where} has the record of {first} again")
            tree.add(leaf_of(match_entry(row.key, digest)))
            yield where, row, result
    if number != head.line.matches:
        raise RecordError(f"the file has {number} matches, but its first line says {head.line.matches}")
    if head.line.root is not None and (root := tree.hash().hex()) != head.line.root:
        raise RecordError(
            f"the first line has the root {head.line.root[:16]}..., but the plan and the matches have"
            f" {root[:16]}...: the file was changed after it was made"
        )


def _check_row(head: Head, row: Row, last: MatchKey) -> None:
    if row.key <= last:
        raise RecordError(
            f"its place {list(row.key)} does not come after {list(last)}, that of the match before"
        )
    seats, count = head.tournament.seats, len(head.entrants)
    if len(row.seats) != seats:
        raise SchemaError(("seats",), f"has {len(row.seats)} items, but must have {seats}")
    for index, seat in enumerate(row.seats):
        check_range(("seats", index), seat, 0, count - 1)
    if len(set(row.seats)) < seats:
        raise SchemaError(("seats",), "has an entrant twice")


def _result(head: Head, number: int, row: Row, line: MatchLine) -> MatchResult | None:
    if line.record is None:
        if line.log or line.measured is not None:
            raise RecordError("there are a log or measurements, but no record")
        if line.void is None:
            return None
        entrant = line.void.entrant
        if (entrant is not None) != (line.void.reason == "benched"):
            raise SchemaError(("void",), "must name an entrant where the reason is benched, and only there")
        if entrant is not None:
            check_range(("void", "entrant"), entrant, 0, len(head.entrants) - 1)
        return MatchResult(number, None, line.note, entrant, overloaded=line.void.reason == "overload")
    if line.void is not None:
        raise RecordError("there are both a record and the reason why there is none")
    record, text = check_written(line.record)
    _check_record(head, row, record)
    if line.measured is not None:
        read(line.measured, Measurements, at=("measured",))
        try:
            json.dumps(line.measured, allow_nan=False)
        except ValueError:
            raise SchemaError(("measured",), "has a number that is not finite") from None
    log = tuple(LogLine(*entry) for entry in line.log)
    return MatchResult(number, PlayedMatch(record, log, line.measured, text), line.note)


def _check_record(head: Head, row: Row, record: Record) -> None:
    """Raise RecordError for a record of another match than that of the row."""
    tournament, plan, spec = head.tournament, head.tournament.plan, spec_of(record)
    pairs: list[tuple[str, object, object]] = [
        ("game", spec.game, plan.game),
        ("version of the rules", record["rules"], plan.rules),
        ("options", record["options"], dict(plan.options)),
        ("limits", record["limits"], plan.limits.as_json()),
        ("seats", spec.seats, tuple(head.entrants[seat].entrant for seat in row.seats)),
    ]
    if plan.format != IMPORTED:
        pairs.append(("seed", spec.seed, plan.seed_of(tournament.seed, row)))
    for what, found, right in pairs:
        if found != right:
            raise RecordError(f"its record has another {what} than the tournament has for this match")


def renamed(head: Head, name: str) -> Head:
    """Return a tournament under another name, which gives it another root."""
    plan = structs.replace(head.tournament.plan, name=name)
    return replace(head, tournament=replace(head.tournament, plan=plan, root=None))
