"""The values that the store reads and writes, all in one place; no other room sees a row of SQL."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta, Struct

from tourney.errors import StoreError
from tourney.match.evidence import NONE, Evidence
from tourney.match.record import MAX_SEATS, FaultKind, Outcome, Seat
from tourney.match.result import PlayedMatch
from tourney.match.spec import DEFAULT_LIMITS, MAX_ACTIONS, Entrant, Limits, Opening, check_exact
from tourney.parsing import JsonObject
from tourney.schedule.format import group_size, ranking_format
from tourney.schedule.ranking_rule import RankingRule
from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.schedule.until_rule import Until
from tourney.schema import (
    MAX_INT,
    STORABLE,
    Count,
    LongText,
    Name,
    SandboxLevel,
    SchemaError,
    Text,
    read,
    show,
)
from tourney.seeds import match_seed, sample_book_line, shuffled_book_line
from tourney.store.beacon import Beacon
from tourney.store.column_reading import ColumnError, read_json
from tourney.texts import legible

"""The format of tournaments of results alone, which other programs played: their matches have no records."""
NO_BOT: Final = "0" * 64
"""The digest of an entrant of such a tournament: no bot is known."""

Positive = Annotated[int, Meta(ge=1, le=MAX_INT)]
MAX_NUMBER: Final = 2**31 - 1
"""The largest integer that every database takes."""
Number = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
Ordinal = Annotated[int, Meta(ge=1, le=MAX_NUMBER)]
Elo = Annotated[float, Meta(ge=-10_000, le=10_000)]

ProtectionName = Annotated[str, Meta(pattern=r"\A[a-z-]{1,40}\Z", extra={"want": "be a word"})]

Words = Annotated[
    str,
    Meta(max_length=1 << 16, pattern=STORABLE, extra={"want": "be valid Unicode without the character NUL"}),
]


class RunSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How matches are run; a later tournament file may change these."""

    reuse: Annotated[
        bool,
        Meta(description="Keep a bot's process from match to match: quicker, for bots that you trust."),
    ] = False
    sandbox: Annotated[
        SandboxLevel,
        Meta(
            description="Containment of bots: `strict` refuses to run where a protection is missing, `auto`"
            " takes what the machine offers, `off` runs bots with your rights."
        ),
    ] = "auto"
    executor: Annotated[
        str,
        Meta(
            max_length=200,
            pattern=r"\A[!-~]+\Z",
            extra={"want": "be printable ASCII without blanks"},
            description="Where matches are played: `local`, `dask`, `dask://HOST:PORT` (see"
            " [clusters](../how-to/cluster.md)), or a plugin's name. `--executor` overrides it.",
        ),
    ] = "local"
    withdrawn: Annotated[
        tuple[Name, ...],
        Meta(description="Entrants that play no further rounds. A name stays in the list once it is there."),
    ] = ()

    def __post_init__(self) -> None:
        """Check that no entrant is named twice. Raises SchemaError."""
        if len(set(self.withdrawn)) < len(self.withdrawn):
            raise SchemaError(("withdrawn",), "names an entrant twice")


class ExportedRun(RunSettings, frozen=True, forbid_unknown_fields=True):
    """Run settings as exported, with what runs add to those of the file.

    ``breadth_first``: matches are played repeat after repeat instead of round after round, so that all have
    played about equally often at any time. ``weaker``: by ``--allow-weaker`` it went on with less containment
    than it began with. Both are there only where they hold.
    """

    breadth_first: bool = False
    weaker: bool = False


class StoredRun(ExportedRun, frozen=True, forbid_unknown_fields=True):
    """Run settings as stored: with the ``floor``, which is of this machine.

    These are the degrees of the protections below which no bot is started. They are the first run's or,
    if the tournament is ``weaker``, lower ones with which it was allowed to go on.
    """

    floor: dict[ProtectionName, Literal["enforced", "partial", "absent"]] = {}

    @property
    def settings(self) -> RunSettings:
        """The settings that a file may have."""
        return RunSettings(**{name: getattr(self, name) for name in RunSettings.__struct_fields__})


class Plan(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The part of a tournament that its file fixes at the first start, without the seed and the entrants.

    ``options`` holds all the game's options, and ``extra`` the format's own settings, both sorted by name; in
    JSON they are objects. ``games_per_pairing`` is a multiple of the mirrored group's size. ``book`` holds
    openings, each a tuple of actions. ``mirrored_dice``: the games of a mirrored group share a seed; the key
    is stored only where they do not. ``opening_order``: how a match finds its line of the book; the key is
    stored only where it is not ``random``, which is the rule of older plans. ``ranking``: what decides the
    places; plans of older versions lack the key and rank as those versions did.
    """

    name: Text
    game: Text
    rules: Text
    options: tuple[tuple[str, str], ...]
    format: Text
    seats: Positive
    games_per_pairing: Positive
    rounds: Count | None = None
    opening_plies: Annotated[int, Meta(ge=0, le=MAX_ACTIONS)] = 0
    book: tuple[tuple[Text, ...], ...] = ()
    limits: Limits = DEFAULT_LIMITS
    extra: tuple[tuple[str, int | str], ...] = ()
    mirrored_dice: bool = True
    opening_order: Literal["random", "sequential", "shuffled"] = "random"
    ranking: RankingRule | None = None

    def opening_of(self, seed: int, row: Row) -> Opening:
        """The opening of a row's match in a tournament with this seed."""
        if not self.book:
            return Opening(plies=self.opening_plies)
        return Opening(actions=self.book[self.book_line(seed, row)])

    def book_line(self, seed: int, row: Row) -> int:
        """The line (from 0) of the book that a row's match begins with, in a tournament with this seed.

        ``random``: sampled by the match's seed, so that lines may repeat. ``sequential``: round after round
        and repeat after repeat take the next line; all tables of a round share it. ``shuffled``: the games of
        the same entrants go through the book in an order of their own, and repeat no line before its end.
        """
        if self.opening_order == "random":
            return sample_book_line(self.seed_of(seed, row), len(self.book))
        # With [until] such a format plays one group of games of each pairing in a round.
        cycles = ranking_format(self.format).known_at_start and Until.of(self.extra) is not None
        group = group_size(self.seats)
        repeats = 1 if cycles else self.games_per_pairing // group
        shuffled = self.opening_order == "shuffled"
        # Repeats of these are numbered through the rounds, also those that a later file adds.
        through = shuffled and self.rounds is None and self.format in _REPEATING and not cycles
        turn = (0 if through else row.round - 1) * repeats + row.repeat - 1
        if not shuffled:
            return turn % len(self.book)
        if not self.mirrored_dice:
            turn = turn * group + row.order - 1
        return shuffled_book_line(seed, row.seats, turn, len(self.book))

    def seed_of(self, seed: int, row: Row) -> int:
        """The seed of a row's match in a tournament with this seed."""
        return match_seed(seed, row.round, row.table, row.repeat, None if self.mirrored_dice else row.order)


_REPEATING: Final = ("round-robin", "gauntlet")
OPTIONAL_KEYS: Final = ("mirrored-dice", "opening-order", "ranking")
"""The keys that older plans lack; the first two are stored only where they are used."""
_RANKING_KEYS: Final = frozenset(field.encode_name for field in msgspec.structs.fields(RankingRule))
PAIRS: dict[str, Any] = {"options": dict[Text, Text], "extra": dict[Text, int | LongText]}
"""The types of the plan's pairs as they are in JSON."""


def plan_data(plan: Plan) -> JsonObject:
    """A plan as JSON data."""
    data: JsonObject = msgspec.to_builtins(plan)
    data |= {"options": dict(plan.options), "extra": dict(plan.extra)}
    if plan.mirrored_dice:
        del data["mirrored-dice"]
    if plan.opening_order == "random":
        del data["opening-order"]
    if plan.ranking is None:
        del data["ranking"]
    return data


def plan_from(text: str) -> Plan:
    """The plan of canonical JSON. Raises ColumnError of the column ``plan``."""
    try:
        return read_plan(read_json("plan", text, JsonObject, "a plan"))
    except SchemaError as error:
        raise ColumnError("plan", text, f"a plan ({error.in_json('the plan')})") from error


def read_plan(data: JsonObject) -> Plan:
    """The plan of JSON data. Raises SchemaError."""
    ranking = data.get("ranking")
    for key in ranking if isinstance(ranking, dict) else ():
        if key not in _RANKING_KEYS:
            raise SchemaError(("ranking",), f"has {show(key)}: it was made by a newer Tourney", key=key)
    pairs = {
        key: list(read(data[key], type_, at=(key,)).items()) for key, type_ in PAIRS.items() if key in data
    }
    needed = [field.encode_name for field in msgspec.structs.fields(Plan)]
    plan = read({**data, **pairs}, Plan, needed=[key for key in needed if key not in OPTIONAL_KEYS])
    plan.limits.check_fuel_keys()
    check_exact(plan.limits, data["limits"], "limits")
    return plan


def run_data(run: StoredRun) -> JsonObject:
    """Run settings as JSON data: ``executor`` only if not ``local``, and those of the run only if set."""
    data: JsonObject = msgspec.to_builtins(run)
    for key in ("weaker", "floor"):
        if not data[key]:
            del data[key]
    if run.executor == "local":
        del data["executor"]
    if not run.breadth_first:
        del data["breadth_first"]
    return data


def run_from(text: str) -> StoredRun:
    """The run settings of canonical JSON. Raises ColumnError of the column ``run``."""
    return read_json("run", text, StoredRun, "run settings", needed=("reuse", "sandbox"))


VoidReason = Literal["startup-failure", "machine-failure", "benched", "overload", "memory"]
"""Why a match counts for nothing: no bot of it started, the machine failed, an entrant is benched, or the
machine was overloaded, or its memory full, each time it was played."""
VOID_REASONS: tuple[VoidReason, ...] = get_args(VoidReason)
BLAMING: Final[tuple[VoidReason, ...]] = ("benched", "memory")
"""The reasons that name an entrant."""


class Origin(NamedTuple):
    """Where a tournament's seed comes from: a person (``chosen``), a ``beacon``, or random bits.

    ``salt`` (hex digits) keeps the commitment to a seed from being searched for it; it lies outside the root.
    """

    chosen: bool
    salt: str = ""
    beacon: Beacon | None = None


RANDOM: Final = Origin(chosen=False)
CHOSEN: Final = Origin(chosen=True)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A stored tournament.

    ``complete``: all rounds are stored. ``created`` (ISO 8601, UTC) is measured: it lies outside all digests.
    ``root`` is what ``tourney.check.root`` gave when the last match was stored, or None.
    """

    id: int
    plan: Plan
    seed: int
    origin: Origin
    run: StoredRun
    complete: bool
    created: str
    root: str | None = None

    @property
    def name(self) -> str:
        """The tournament's name, unique in a database."""
        return self.plan.name

    @property
    def waits(self) -> str:
        """The round of a beacon whose value is not known, so that there is no seed yet; else ""."""
        beacon = self.origin.beacon
        return "" if beacon is None or beacon.value else beacon.round

    @property
    def recorded(self) -> bool:
        """Whether its matches have records; if not, they can neither be verified nor replayed."""
        return ranking_format(self.plan.format).has_records

    @property
    def game(self) -> str:
        """The name of its game."""
        return self.plan.game

    @property
    def seats(self) -> int:
        """The number of seats per table."""
        return self.plan.seats


@dataclass(frozen=True, slots=True)
class StoredEntrant:
    """An entrant of a tournament; ``number`` counts from 0 in the file's order and never changes.

    ``title`` and ``author`` come from the bot, for show only: hostile text. ``joined`` is the
    first round drawn with this entrant, ``left`` the first one without it after it was withdrawn, or None.
    ``line`` is the entrant as the tournament file has it (JSON). ``rating`` and its standard error
    ``deviation``, in whole hundredths of Elo, are estimates from earlier tournaments, or None. ``broken``
    says why its bot cannot be started, so that its matches are void, or is "".
    """

    number: int
    entrant: Entrant
    title: str = ""
    author: str = ""
    joined: int = 1
    line: str = ""
    left: int | None = None
    rating: int | None = None
    deviation: int | None = None
    broken: str = ""

    @property
    def name(self) -> str:
        """Its name, unique in its tournament."""
        return self.entrant.name


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match as tables need it; the rest is in the record.

    Per seat, in seat order: ``ranks`` and ``faults`` (a fault's kind or None). A void match counts for
    nothing: ``void_reason`` says why, ``void_entrant`` is the entrant that was benched, or used the most
    memory; ``note`` is for people.
    ``digest`` is "" without a record. ``reproducible``: whether the record is promised to come out again.
    """

    digest: str
    ranks: tuple[int, ...]
    reason: str
    faults: tuple[str | None, ...]
    note: str
    actions: int
    reproducible: bool
    void_reason: VoidReason | None = None
    void_entrant: int | None = None
    evidence: Evidence = NONE

    @property
    def void(self) -> bool:
        """Whether the match counts for nothing."""
        return self.void_reason is not None

    def row(self, row: Row, number: int) -> ResultRow:
        """The result as formats and ratings see it, of a row of the schedule and its match's number."""
        return ResultRow(row.key, row.seats, self.ranks, self.faults, self.void, number, self.evidence)


@dataclass(frozen=True, slots=True)
class TournamentMatch:
    """A row of the schedule with its result, if it has one.

    ``number`` counts a tournament's matches from 1 in schedule order; ``seats`` holds the entrants' numbers
    in seat order.
    """

    tournament: int
    number: int
    key: MatchKey
    seats: tuple[int, ...]
    result: Result | None

    @property
    def row(self) -> Row:
        """The match as a row of a schedule."""
        return Row(*self.key, self.seats)

    @property
    def result_row(self) -> ResultRow | None:
        """The match as a row of results, or None before it is played."""
        return None if self.result is None else self.result.row(self.row, self.number)


class ReplacedResult(Struct, frozen=True, forbid_unknown_fields=True):
    """A result that was taken back when ``rounds`` rounds were drawn; a seat without a fault has ``""``."""

    match: Ordinal
    rounds: Number
    ranks: Annotated[tuple[Seat, ...], Meta(min_length=1, max_length=MAX_SEATS)]
    faults: tuple[Literal["", FaultKind], ...]
    void: bool


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The outcome of a row for the store: a match as played, or (``played`` None) why it is void.

    ``void_entrant`` is the number of the entrant that makes the match void, as it is benched or
    (``out_of_memory``) used the most of a machine whose memory was full; or None. ``note`` is text for
    people. ``overloaded``: the machine was overloaded each time the match was played.
    """

    number: int
    played: PlayedMatch | None
    note: str = ""
    void_entrant: int | None = None
    overloaded: bool = False
    out_of_memory: bool = False

    @property
    def void_reason(self) -> VoidReason | None:
        """Why the match counts for nothing, or None if it counts."""
        if self.played is not None:
            return "startup-failure" if self.played.outcome.void else None
        if self.void_entrant is not None:
            return "memory" if self.out_of_memory else "benched"
        return "overload" if self.overloaded else "machine-failure"

    def result(self, seats: int) -> Result:
        """The match's result, as stored. Raises StoreError if it was played with another number of seats."""
        played = self.played
        outcome = Outcome((1,) * seats, "void", ()) if played is None else played.outcome
        if len(outcome.ranks) != seats:
            raise StoreError(f"match {self.number} was played with {len(outcome.ranks)} seats, not {seats}")
        return Result(
            "" if played is None else played.digest,
            outcome.ranks,
            outcome.reason,
            outcome.seat_faults,
            # No NUL, no half of a character, no end of a line: so that every database takes it.
            legible(self.note),
            0 if played is None else played.count,
            played is not None and played.reproducible,
            self.void_reason,
            self.void_entrant if played is None else None,
            NONE if played is None else played.evidence,
        )

    def result_row(self, row: Row) -> ResultRow:
        """The result as formats and ratings see it; ``row`` is the match's."""
        return self.result(len(row.seats)).row(row, self.number)
