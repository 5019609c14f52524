"""The values that the store reads and writes; no other room sees a row of SQL.

It is one long module so that all that is stored can be read in one place.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec
import rfc8785
from msgspec import Meta, Struct

from tourney.match.result import PlayedMatch
from tourney.match.seeds import match_seed, sample_book_line
from tourney.match.spec import MAX_ACTIONS, Entrant, Limits, Opening
from tourney.schedule.format import group_size
from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.schedule.until import Until
from tourney.schema import MAX_INT, Count, LongText, Name, SchemaError, Text, read
from tourney.store.columns import ColumnError, read_json

RESULTS: Final = "results"
"""The format of tournaments of results alone, which other programs played: their matches have no records."""
NO_BOT: Final = "0" * 64
"""The digest of an entrant of such a tournament: no bot is known."""

SandboxLevel = Literal["strict", "auto", "off"]

Positive = Annotated[int, Meta(ge=1, le=MAX_INT)]


MAX_EXECUTOR: Final = 200


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
            max_length=MAX_EXECUTOR,
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


class StoredRun(RunSettings, frozen=True, forbid_unknown_fields=True):
    """Run settings as stored, with what the first start adds to those of the file.

    ``breadth_first``: matches are played repeat after repeat instead of round after round, so that all have
    played about equally often at any time; stored only where it holds.
    """

    breadth_first: bool = False

    @classmethod
    def of(cls, run: RunSettings, *, breadth_first: bool) -> "StoredRun":
        """Return the settings of a file with what the first start adds."""
        given = {name: getattr(run, name) for name in RunSettings.__struct_fields__}
        return cls(**given, breadth_first=breadth_first)

    @property
    def settings(self) -> RunSettings:
        """The settings that a file may have."""
        return RunSettings(**{name: getattr(self, name) for name in RunSettings.__struct_fields__})


class Plan(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a tournament file fixes at the first start, except for the seed and the entrants.

    ``options`` holds all the game's options, and ``extra`` the format's own settings, both sorted by name; in
    JSON they are objects. ``games_per_pairing`` is a multiple of the mirrored group's size. ``book`` holds
    openings, each a tuple of actions. ``mirrored_dice``: the games of a mirrored group share a seed; the key
    is stored only where they do not. ``opening_order``: how a match finds its line of the book; the key is
    stored only where it is not ``random``.
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
    limits: Limits = Limits()
    extra: tuple[tuple[str, int | str], ...] = ()
    mirrored_dice: bool = True
    opening_order: Literal["random", "sequential"] = "random"

    def opening_of(self, seed: int, row: Row) -> Opening:
        """Return the opening of a row's match, whose seed is ``seed``."""
        if not self.book:
            return Opening(plies=self.opening_plies)
        return Opening(actions=self.book[self.book_line(seed, row)])

    def book_line(self, seed: int, row: Row) -> int:
        """Return the line (from 0) of the book that a row's match, whose seed is ``seed``, begins with.

        ``random``: sampled by the seed. ``sequential``: round after round and repeat after repeat take the
        next line; all tables of a round share it.
        """
        if self.opening_order == "random":
            return sample_book_line(seed, len(self.book))
        # A round-robin with [until] plays one group of games of each pairing in a round.
        cycles = self.format == "round-robin" and Until.of(self.extra) is not None
        repeats = 1 if cycles else self.games_per_pairing // group_size(self.seats)
        return ((row.round - 1) * repeats + row.repeat - 1) % len(self.book)

    def seed_of(self, seed: int, row: Row) -> int:
        """Return the seed of a row's match in a tournament with this seed."""
        return match_seed(seed, row.round, row.table, row.repeat, None if self.mirrored_dice else row.order)


OPTIONAL_KEYS: Final = ("mirrored-dice", "opening-order")
"""The keys that a stored plan has only where they are used; older plans lack them."""
PAIRS: dict[str, Any] = {"options": dict[Text, Text], "extra": dict[Text, int | LongText]}
"""The types of the plan's pairs as they are in JSON."""


def plan_text(plan: Plan) -> str:
    """Return a plan as canonical JSON."""
    data = msgspec.to_builtins(plan)
    data |= {"limits": plan.limits.as_json(), "options": dict(plan.options), "extra": dict(plan.extra)}
    if plan.mirrored_dice:
        del data["mirrored-dice"]
    if plan.opening_order == "random":
        del data["opening-order"]
    return rfc8785.dumps(data).decode("utf-8")


def plan_from(text: str) -> Plan:
    """Return what ``plan_text`` was given. Raises ColumnError of the column ``plan``."""
    try:
        return read_plan(read_json("plan", text))
    except SchemaError as error:
        raise ColumnError("plan", text, f"a plan ({error.in_json('the plan')})") from error


def read_plan(data: Any) -> Plan:
    """Return the plan of JSON data. Raises SchemaError."""
    pairs = {}
    for key, type_ in PAIRS.items():
        if isinstance(data, dict) and key in data:
            pairs[key] = list(read(data[key], type_, at=(key,)).items())
    full = {**data, **pairs} if isinstance(data, dict) else data
    keys = [field.encode_name for field in msgspec.structs.fields(Plan)]
    plan = read(full, Plan, needed=[key for key in keys if key not in OPTIONAL_KEYS])
    return msgspec.structs.replace(plan, limits=Limits.from_json(data["limits"]))


def run_data(run: StoredRun) -> dict[str, Any]:
    """Return run settings as JSON data; ``executor`` only if not ``local``, ``breadth_first`` only if set."""
    data: dict[str, Any] = msgspec.to_builtins(run)
    if run.executor == "local":
        del data["executor"]
    if not run.breadth_first:
        del data["breadth_first"]
    return data


def run_text(run: StoredRun) -> str:
    """Return run settings as canonical JSON."""
    return rfc8785.dumps(run_data(run)).decode("ascii")


def run_from(text: str) -> StoredRun:
    """Return what ``run_text`` was given. Raises ColumnError of the column ``run``."""
    try:
        # Databases before migration 0003 do not say which entrants are withdrawn.
        return read(read_json("run", text), StoredRun, needed=("reuse", "sandbox"))
    except SchemaError as error:
        raise ColumnError("run", text, f"run settings ({error.in_json('the object')})") from error


VoidReason = Literal["startup-failure", "machine-failure", "benched", "overload"]
"""Why a match counts for nothing: no bot of it started, the machine failed, an entrant is benched, or the
machine was overloaded each time it was played."""
VOID_REASONS: tuple[VoidReason, ...] = get_args(VoidReason)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A stored tournament.

    ``seed_chosen``: a person chose the seed, so bots could compute the dice. ``complete``: all rounds are
    stored. ``created`` (ISO 8601, UTC) is measured: it lies outside all digests. ``root`` is what
    ``tourney.store.root`` gave when the last match was stored, or None.
    """

    id: int
    plan: Plan
    seed: int
    seed_chosen: bool
    run: StoredRun
    complete: bool
    created: str
    root: str | None = None

    @property
    def name(self) -> str:
        """The tournament's name, unique in a database."""
        return self.plan.name

    @property
    def recorded(self) -> bool:
        """Whether its matches have records; if not, they can neither be verified nor played again."""
        return self.plan.format != RESULTS

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
        """The entrant's name, unique in its tournament."""
        return self.entrant.name


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match as tables need it; the rest is in the record.

    Per seat, in seat order: ``ranks`` and ``faults`` (a fault's kind or None). A void match counts for
    nothing: ``void_reason`` says why, ``void_entrant`` is the number of the benched entrant, and ``note`` is
    text for people. ``digest`` is "" where there is no record. ``actions`` is the number of actions, chance
    counted. ``reproducible``: whether
    playing it again is promised to give the same record (False too where nothing is known).
    """

    digest: str
    ranks: tuple[int, ...]
    reason: str
    faults: tuple[str | None, ...]
    void: bool
    note: str
    actions: int
    reproducible: bool
    void_reason: VoidReason | None = None
    void_entrant: int | None = None


@dataclass(frozen=True, slots=True)
class Match:
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
        end = self.result
        if end is None:
            return None
        return ResultRow(self.key, self.seats, end.ranks, end.faults, end.void, self.number)


class ReplacedResult(NamedTuple):
    """A result that was taken back when ``rounds`` rounds were drawn, by the match's number.

    ``host``: that of a host which was set aside, or "" for a result that its matches led to, until the rounds
    are drawn again; None: by ``--unbench``.
    """

    number: int
    rounds: int
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]
    void: bool
    host: str | None = None


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What the coordinator stores of a row: a match as played, or (``played`` None) why it is void.

    ``void_entrant`` is the number of the benched entrant that makes the match void, or None. ``note`` is text
    for people. ``overloaded``: the machine was overloaded each time the match was played.
    """

    number: int
    played: PlayedMatch | None
    note: str = ""
    void_entrant: int | None = None
    overloaded: bool = False

    @property
    def void_reason(self) -> VoidReason | None:
        """Why the match counts for nothing, or None if it counts."""
        if self.played is not None:
            return "startup-failure" if self.played.outcome.void else None
        if self.void_entrant is not None:
            return "benched"
        return "overload" if self.overloaded else "machine-failure"


class Outcome(NamedTuple):
    """A result without a record: its row, each seat's rank and fault (a kind or None), and how it ended."""

    row: Row
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]
    reason: str


class ScoreTotals(NamedTuple):
    """The sums of an entrant's or a seat's matches, void ones left out.

    ``units`` as of ``tourney.schedule.row.score_units``; ``wins``: first alone, ``draws``: first, shared.
    """

    games: int = 0
    units: int = 0
    wins: int = 0
    draws: int = 0
    faults: int = 0

    @property
    def losses(self) -> int:
        """Matches in which the entrant was not first."""
        return self.games - self.wins - self.draws


class StandingsTotals(NamedTuple):
    """What standings by points are made of.

    ``by_seat``: each entrant's sums by seat (from 1), those without a match left out; ``pairs``: sorted,
    those that never met left out; ``faults``: ``(entrant number, kind, count)``, of void matches too, sorted.
    """

    by_seat: Mapping[tuple[int, int], ScoreTotals]
    pairs: tuple["PairTotal", ...]
    faults: tuple[tuple[int, str, int], ...]

    @property
    def scores(self) -> dict[int, ScoreTotals]:
        """The sums of each entrant's matches; an entrant without one is left out."""
        found: dict[int, ScoreTotals] = {}
        for (entrant, _), one in self.by_seat.items():
            found[entrant] = ScoreTotals(*map(sum, zip(found.get(entrant, ScoreTotals()), one, strict=True)))
        return found


class OverloadTotals(NamedTuple):
    """Turns that were measured, those that an overloaded machine stretched, and the matches with such."""

    turns: int = 0
    overloaded: int = 0
    matches: int = 0


class OverloadedMatch(NamedTuple):
    """A match with turns that an overloaded machine stretched, by its number."""

    number: int
    turns: int
    overloaded: int


class PairTotal(NamedTuple):
    """An entrant's score against another, over all matches of both.

    A meeting counts 2 half-points to the better rank, 1 to each of equals; so ``half_points`` is at most
    ``2 * games``.
    """

    entrant: int
    opponent: int
    games: int
    half_points: int


class GroupGame(NamedTuple):
    """A game of a mirrored group; per seat: the entrant's number, its rank, its fault's kind or None."""

    entrants: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]


class GroupCount(NamedTuple):
    """The frequency of a mirrored group of these games; void and unfinished games are left out."""

    games: tuple[GroupGame, ...]
    times: int


class DrawProbability(NamedTuple):
    """A stored draw probability, and the tournament and number of matches that it was estimated from."""

    probability: float
    tournament: str
    matches: int


class Checkpoint(NamedTuple):
    """A rating method's state (JSON data) after the first ``number`` matches of a schedule."""

    number: int
    state: Any


class Archive(NamedTuple):
    """The file that holds the records, logs and measurements of a tournament instead of the database.

    ``file`` is its name without its folder, ``sha256`` that of its bytes, ``created`` (ISO 8601, UTC) when it
    was made. ``hosts``: those that played, with their speeds (0: unknown); None if that is not known.
    """

    file: str
    sha256: str
    created: str
    hosts: Mapping[str, int] | None = None

    def __str__(self) -> str:
        """Return its name and how to bring back what it holds, for a sentence."""
        return (
            f"the archive {self.file} (sha256 {self.sha256[:16]}...); `tourney db unarchive"
            f" {shlex.quote(self.file)}` brings it back"
        )


class RowCounts(NamedTuple):
    """The progress of a tournament: rows, rows with a result, void ones among them, and rounds."""

    rows: int
    done: int
    void: int
    rounds: int


class Dictionaries(NamedTuple):
    """What a tournament's packed columns are compressed with, by the column's name; b"" where nothing is."""

    record: bytes = b""
    lines: bytes = b""
    data: bytes = b""


class MatchParts(NamedTuple):
    """What is stored of a match beyond its result, packed; None where there is none.

    Picklable, so that other processes can unpack it: see ``tourney.store.parts``.
    """

    record: bytes | None = None
    log: bytes | None = None
    measured: bytes | None = None
    dictionaries: Dictionaries = Dictionaries()


Measured = dict[str, Any]
"""The measurements of a match, as ``tourney.match.result.PlayedMatch.measured``."""
