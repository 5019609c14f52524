"""The match spec: all that decides a match, as one frozen value."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from tourney.bots.metering import METER
from tourney.schema import MAX_INT, Arguments, Digest, Label, SchemaError, Token, Word

T = TypeVar("T")

MAX_ACTIONS: Final = 1_000_000
MAX_MS: Final = 2**31 - 1  # the longest wait that the system's poll accepts, almost 25 days
MAX_STARTUP_MS: Final = 3_600_000  # an hour
LEAST_MEMORY_MB: Final = 16
MOST_MEMORY_MB: Final = 1 << 24  # 16 TiB
MEMORY_MB: Final = 1024
"""The limit of new tournaments: the bots of two seats fit into a machine of 3 GiB.

It also bounds the address space of each process. The templates of all languages start within 768: Node.js
needs more than 704 for that, a JVM with the template's flags less than 512.
"""
OLD_MEMORY_MB: Final = 4096
"""The limit of tournaments whose files leave it out and that were stored before it was lowered."""
FUEL_PER_MS: Final = 20_000_000
"""Units of work of a millisecond: about what the native build of a search does in it on a common machine."""

FUEL_LIMITS: Final = ("fuel-per-ms", "meter")
"""Keys that only limits with ``charge = "fuel"`` have."""
MAX_DEPTH: Final = 1000
MAX_MOVECOUNT: Final = 1000
MAX_THRESHOLD: Final = 1_000_000
MAX_TABLE_PIECES: Final = 7  # the most pieces of any Syzygy table

Charge = Literal["wall", "cpu", "fuel"]
Milliseconds = Annotated[int, Meta(ge=1, le=MAX_MS)]
MoveCount = Annotated[
    int, Meta(ge=1, le=MAX_MOVECOUNT, description="Consecutive actions of a seat whose scores count.")
]


class DrawRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Ends a match as a draw when both seats report scores near zero: ``-draw`` of cutechess."""

    movecount: MoveCount
    score: Annotated[
        int, Meta(ge=0, le=MAX_THRESHOLD, description="Largest distance of a score from zero, in hundredths.")
    ]
    movenumber: Annotated[
        int,
        Meta(
            ge=0, le=MAX_ACTIONS, description="Actions of each seat before it can apply, openings included."
        ),
    ] = 0


class ResignRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Ends a match as lost for a seat that reports bad scores: ``-resign`` of cutechess."""

    movecount: MoveCount
    score: Annotated[
        int,
        Meta(ge=1, le=MAX_THRESHOLD, description="Least distance of the scores below zero, in hundredths."),
    ]
    sides: Annotated[
        int,
        Meta(ge=1, le=2, description="2: the winner's scores must be as far above zero (`twosided`)."),
    ] = 1


Mebibytes = Annotated[int, Meta(ge=LEAST_MEMORY_MB, le=MOST_MEMORY_MB)]
MEMORY_HELP: Final = (
    "Memory of a bot, in MiB: that of its processes together, and the address space of each, of which Node.js"
    " needs more than 700, and a JVM more than 3,500 without the flags of the templates."
)
MoveMs = Annotated[Milliseconds, Meta(description="Time for one action. No default with `clock-ms`.")] | None
IncrementMs = Annotated[
    Annotated[int, Meta(ge=0, le=MAX_MS)] | None,
    Meta(description="Time added to the clock after each action; needs `clock-ms`."),
]


def written(value: T) -> T:
    """The default of a field that is always written, although its struct omits defaults."""
    # msgspec compares with plain defaults only.
    return field(default_factory=lambda: value)


ClockMs = Annotated[Milliseconds | None, Meta(description="Time for all actions of a seat in a match.")]
ClockMoves = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_ACTIONS)] | None,
    Meta(
        description="Actions of a seat after which it gets `clock-ms` again: 40 with 60000 is 40/60 of"
        " cutechess."
    ),
]
Nodes = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_INT)] | None,
    Meta(description="Nodes per action: sent to the bot, not enforced."),
]
Depth = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_DEPTH)] | None,
    Meta(description="Depth per action, in plies: sent to the bot, not enforced."),
]


class OwnLimits(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True, omit_defaults=True):
    """Limits of one entrant in place of those of all: its time, its nodes, its depth.

    With any time of its own, an entrant has no other time.
    """

    move_ms: Annotated[Milliseconds | None, Meta(description="Time for one action.")] = None
    clock_ms: ClockMs = None
    increment_ms: IncrementMs = None
    clock_moves: ClockMoves = None
    nodes: Nodes = None
    depth: Depth = None

    def __post_init__(self) -> None:
        """Check that what belongs to a clock has one. Raises SchemaError."""
        if not any(getattr(self, name) is not None for name in OwnLimits.__struct_fields__):
            raise SchemaError((), "sets no limit")
        for key in ("increment_ms", "clock_moves"):
            if getattr(self, key) is not None and self.clock_ms is None:
                raise SchemaError((key.replace("_", "-"),), "is set without clock-ms")


class EntrantLimits(OwnLimits, frozen=True, rename="kebab", forbid_unknown_fields=True, omit_defaults=True):
    """The own limits of an entrant, by its name."""

    entrant: Label = ""


class CommonLimits(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True, omit_defaults=True):
    """What each bot may use, in milliseconds and MiB. A key is left out if there is no such limit."""

    # Defaults are those of records and plans: what they leave out is None. A tournament file has others.

    move_ms: MoveMs = None
    clock_ms: ClockMs = None
    increment_ms: IncrementMs = None
    clock_moves: ClockMoves = None
    nodes: Nodes = None
    depth: Depth = None
    margin_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=60_000,
            description="Time beyond a limit before it counts as a timeout; beyond `clock-ms` it is a debt.",
        ),
    ] = written(50)
    startup_ms: Annotated[
        int, Meta(ge=1, le=MAX_STARTUP_MS, description="Time to start, and to get ready for a game.")
    ] = written(10_000)
    memory_mb: Annotated[Mebibytes, Meta(description=MEMORY_HELP)] = written(MEMORY_MB)
    charge: Annotated[
        Charge,
        Meta(
            description="Time that counts: elapsed (`wall`), spent computing (`cpu`), or the work of a"
            " WebAssembly module (`fuel`)."
        ),
    ] = written("wall")
    ponder: Annotated[
        Literal["allow", "freeze"],
        Meta(description="Whether a bot may compute while others are to move; `freeze` stops its processes."),
    ] = written("allow")
    fuel_per_ms: Annotated[
        Annotated[int, Meta(ge=1_000, le=1_000_000_000)] | None,
        Meta(
            description='Units of work that count as a millisecond, with `charge = "fuel"` only.'
            f" Default there: {FUEL_PER_MS}."
        ),
    ] = None
    meter: Annotated[
        Word | None,
        Meta(description=f'What a unit of work is, with `charge = "fuel"` only. Default there: `{METER}`.'),
    ] = None
    draw: Annotated[
        DrawRule | None,
        Meta(description="Draw by both bots' scores, as `{movenumber = 40, movecount = 8, score = 10}`."),
    ] = None
    resign: Annotated[
        ResignRule | None,
        Meta(description="Loss by a bot's own scores, as `{movecount = 3, score = 600}`."),
    ] = None
    tablebase_pieces: Annotated[
        Annotated[int, Meta(ge=3, le=MAX_TABLE_PIECES)] | None,
        Meta(
            description="Pieces up to which Syzygy tables end a match of chess. The environment variable"
            " `TOURNEY_SYZYGY` names their folders."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Set or drop the increment with the clock. Raises SchemaError for ``clock_moves`` without one."""
        # A record has both keys or neither, so the increment is None exactly if there is no clock.
        if (self.clock_ms is None) != (self.increment_ms is None):
            msgspec.structs.force_setattr(self, "increment_ms", None if self.clock_ms is None else 0)
        if self.clock_moves is not None and self.clock_ms is None:
            raise SchemaError(("clock-moves",), "is set without clock-ms")

    @property
    def by_fuel(self) -> bool:
        """Whether all times are work of modules."""
        return self.charge == "fuel"

    @property
    def launcher(self) -> str:
        """The launcher (``tourney.match.launcher``) that plays by these limits; "" for bots as processes."""
        return "fuel" if self.charge == "fuel" else ""


class Limits(CommonLimits, frozen=True, rename="kebab", forbid_unknown_fields=True, omit_defaults=True):
    """The limits of a match or a tournament: those of all bots, and those of single entrants."""

    entrants: Annotated[
        tuple[EntrantLimits, ...],
        Meta(description="Limits of single entrants in place of these, sorted by their names."),
    ] = ()
    laws: Annotated[
        Word | None,
        Meta(
            description="The laws of the game's field by which the referee judges time-outs and counts moves:"
            " those of the game when the match was planned. Missing: every time-out loses."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check the order of ``entrants``, too. Raises SchemaError."""
        super().__post_init__()
        names = [entrant_limits.entrant for entrant_limits in self.entrants]
        if names != sorted(set(names)):
            raise SchemaError(("entrants",), "must be sorted by entrant, and name each once")

    def of(self, entrant: str) -> "Limits":
        """The limits of an entrant, its own in place of those of all."""
        entrant_limits = next(
            (entrant_limits for entrant_limits in self.entrants if entrant_limits.entrant == entrant), None
        )
        if entrant_limits is None:
            return self if not self.entrants else msgspec.structs.replace(self, entrants=())
        times = ("move_ms", "clock_ms", "increment_ms", "clock_moves")
        has_time = entrant_limits.move_ms is not None or entrant_limits.clock_ms is not None
        changed = {name: getattr(entrant_limits, name) for name in times} if has_time else {}
        changed |= {name: getattr(entrant_limits, name) or getattr(self, name) for name in ("nodes", "depth")}
        return msgspec.structs.replace(self, **changed, entrants=())

    def under(self, laws: str) -> "Limits":
        """The limits of new matches of a game with these ``laws``, or none.

        A tournament file cannot set them, because the field's rule decides; but a record has them, so that
        those from before the game had laws are judged as they were played.
        """
        return msgspec.structs.replace(self, laws=laws or None)

    def metered(self) -> "Limits":
        """The limits with the defaults of ``fuel_per_ms`` and ``meter``, if they count fuel.

        Then ``ponder`` is ``freeze``: modules stand still in the turns of others. Raises SchemaError for
        these keys where the limits do not count fuel.
        """
        if self.by_fuel:
            fuel = self.fuel_per_ms or FUEL_PER_MS
            return msgspec.structs.replace(self, fuel_per_ms=fuel, meter=self.meter or METER, ponder="freeze")
        for key, value in zip(FUEL_LIMITS, (self.fuel_per_ms, self.meter), strict=True):
            if value is not None:
                raise SchemaError(("limits", key), 'is set without charge = "fuel"')
        return self

    def check_fuel_keys(self) -> None:
        """Check that the limits name a meter exactly if they count fuel. Raises SchemaError.

        Limits of a file or a request are ``metered`` before they are stored.
        """
        if any((value is not None) != self.by_fuel for value in (self.fuel_per_ms, self.meter)):
            raise SchemaError(
                ("limits",), 'must hold fuel-per-ms and meter with charge = "fuel", and only then'
            )

    @property
    def adjudicated(self) -> bool:
        """Whether the referee may end a match before its game is over."""
        return (self.draw, self.resign, self.tablebase_pieces) != (None, None, None)

    def texts(self) -> dict[str, str]:
        """The limits for display, by key: ``40``, or ``{movecount=8 score=10}`` for a rule.

        An entrant's own are under its name: ``{depth=5}`` under ``stockfish``.
        """
        plain: dict[str, object] = msgspec.to_builtins(msgspec.structs.replace(self, entrants=()))
        texts = {
            key: _braced(value) if isinstance(value, dict) else str(value) for key, value in plain.items()
        }
        entrant_limits = (msgspec.to_builtins(limits) for limits in self.entrants)
        return texts | {f"limits of {words.pop('entrant')}": _braced(words) for words in entrant_limits}


def _braced(words: Mapping[str, object]) -> str:
    return "{" + " ".join(f"{name}={value}" for name, value in words.items()) + "}"


LIMIT_KEYS: Final = tuple(
    limit.encode_name
    for limit in msgspec.structs.fields(Limits)
    if limit.default_factory is not msgspec.NODEFAULT
)
"""The keys of limits that every record and plan has."""
DEFAULT_LIMITS: Final = Limits(move_ms=1000)  # the limits of a tournament file without ``[limits]``


def check_exact(value: Struct, data: object, *path: str) -> None:
    """Check that JSON data, from which a value was read, has just the keys that the value is written with.

    Raises SchemaError, its path beginning with ``path``.
    """
    _compare_keys(msgspec.to_builtins(value), data, path)


def _compare_keys(written: object, data: object, path: tuple[str, ...]) -> None:
    if not isinstance(written, dict):
        return
    if not isinstance(data, Mapping):
        raise SchemaError(path, "is null, but must be an object")
    for key, inner in written.items():
        if key not in data:
            raise SchemaError((*path, key), "is missing")
        _compare_keys(inner, data[key], (*path, key))
    for key, value_given in data.items():
        if value_given is None:
            raise SchemaError((*path, key), "is null, but must have a value")
        if key not in written:
            raise SchemaError((*path, key), "does not go with the other keys")


class Entrant(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot under a name, with arguments; ``digest`` is its content digest in the bot store."""

    name: Label = field(name="entrant")
    bot: Label
    version: Label
    args: Arguments
    digest: Digest


class Opening(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a game begins: ``plies`` actions sampled by the seed, or these very ``actions`` (of a book).

    Chance outcomes are counted in neither; those that fall inside come from the seed.
    """

    plies: Annotated[int, Meta(ge=0, le=MAX_ACTIONS)] | None = None
    actions: Annotated[tuple[Token, ...], Meta(min_length=1, max_length=MAX_ACTIONS)] = ()

    def __post_init__(self) -> None:
        """Set the default of ``plies``. Raises SchemaError for both plies and actions."""
        # A record has one of the two keys, so ``plies`` is None exactly if there are actions.
        if self.plies is None and not self.actions:
            msgspec.structs.force_setattr(self, "plies", 0)
        elif self.plies is not None and self.actions:
            raise SchemaError((), "must hold either plies or actions")

    @property
    def length(self) -> int:
        """The number of actions, chance not counted."""
        return self.plies or len(self.actions)


class MatchSpec(Struct, frozen=True):
    """A match, whole: the same spec gives the same record, as far as its bots do."""

    game: str
    options: tuple[tuple[str, str], ...]
    seats: tuple[Entrant, ...]
    seed: int
    limits: Limits = DEFAULT_LIMITS
    opening: Opening = Opening()

    def limits_of(self, seat: int) -> Limits:
        """The limits of a seat, from 1."""
        return self.limits.of(self.seats[seat - 1].name)
