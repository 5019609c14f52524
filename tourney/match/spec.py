"""The match spec: all that decides a match, as one frozen value."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, field

from tourney.bots.wasm.frames import METER
from tourney.schema import MAX_INT, Arguments, Digest, Label, SchemaError, Token, Word, read

MAX_ACTIONS: Final = 1_000_000
MAX_MS: Final = 2**31 - 1
"""The longest wait that the system's poll accepts, almost 25 days."""
MAX_STARTUP_MS: Final = 3_600_000
FUEL_PER_MS: Final = 20_000_000
"""Units of work of a millisecond: about what the native build of a search does in it on a common machine."""

STORED_LIMITS: Final = ("margin-ms", "startup-ms", "memory-mb", "charge", "ponder")
"""The limits that every record and plan has."""

FUEL_LIMITS: Final = ("fuel-per-ms", "meter")
"""The limits that those have that count fuel, and no others."""
MAX_MOVECOUNT: Final = 1000
MAX_THRESHOLD: Final = 1_000_000
MAX_TABLE_PIECES: Final = 7
"""The most pieces of any Syzygy table."""

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


class Limits(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a bot may use. Milliseconds and MiB; None where there is no such limit.

    In a tournament file with ``clock-ms`` the default of ``move-ms`` is no limit.
    """

    move_ms: (
        Annotated[Milliseconds, Meta(description="Time for one action. No default with `clock-ms`.")] | None
    ) = 1000
    clock_ms: (
        Annotated[Milliseconds, Meta(description="Time for all actions of a seat in a match.")] | None
    ) = None
    increment_ms: Annotated[
        int, Meta(ge=0, le=MAX_MS, description="Time added to the clock after each action; needs `clock-ms`.")
    ] = 0
    nodes: (
        Annotated[int, Meta(ge=1, le=MAX_INT, description="Nodes per action: sent to the bot, not enforced.")]
        | None
    ) = None
    margin_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=60_000,
            description="Time beyond a limit before it counts as a timeout; beyond `clock-ms` it is a debt.",
        ),
    ] = 50
    startup_ms: Annotated[
        int, Meta(ge=1, le=MAX_STARTUP_MS, description="Time to start, and to get ready for a game.")
    ] = 10_000
    memory_mb: Annotated[int, Meta(ge=16, le=1 << 24, description="Memory of a bot, in MiB.")] = 4096
    charge: Annotated[
        Charge,
        Meta(
            description="Time that counts: elapsed (`wall`), spent computing (`cpu`), or the work of a"
            " WebAssembly module (`fuel`)."
        ),
    ] = "wall"
    ponder: Annotated[
        Literal["allow", "freeze"],
        Meta(description="Whether a bot may compute while others are to move; `freeze` stops its processes."),
    ] = "allow"
    fuel_per_ms: (
        Annotated[
            int,
            Meta(
                ge=1_000,
                le=1_000_000_000,
                description='Units of work that count as a millisecond, with `charge = "fuel"` only.'
                f" Default there: {FUEL_PER_MS}.",
            ),
        ]
        | None
    ) = None
    meter: (
        Annotated[
            Word,
            Meta(
                description=f'What a unit of work is, with `charge = "fuel"` only. Default there: `{METER}`.'
            ),
        ]
        | None
    ) = None
    draw: Annotated[
        DrawRule | None,
        Meta(description="Draw by both bots' scores, as `{movenumber = 40, movecount = 8, score = 10}`."),
    ] = None
    resign: Annotated[
        ResignRule | None,
        Meta(description="Loss by a bot's own scores, as `{movecount = 3, score = 600}`."),
    ] = None
    tablebase_pieces: (
        Annotated[
            int,
            Meta(
                ge=3,
                le=MAX_TABLE_PIECES,
                description="Pieces up to which Syzygy tables end a match of chess. The environment variable"
                " `TOURNEY_SYZYGY` names their folders.",
            ),
        ]
        | None
    ) = None

    @property
    def by_fuel(self) -> bool:
        """Whether all times are work of modules."""
        return self.charge == "fuel"

    def metered(self) -> "Limits":
        """Return the limits with ``fuel_per_ms`` and ``meter`` by default, where they count fuel.

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

    @property
    def adjudicated(self) -> bool:
        """Whether the referee may end a match before its game is over."""
        return (self.draw, self.resign, self.tablebase_pieces) != (None, None, None)

    def as_json(self) -> dict[str, Any]:
        """Return the limits under the tournament file's keys, those that are None left out."""
        data = {key: value for key, value in msgspec.to_builtins(self).items() if value is not None}
        if self.clock_ms is None:
            del data["increment-ms"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Limits":
        """Return what ``as_json`` wrote; a key that it left out is None, or 0 for the increment.

        Raises SchemaError, its path beginning with ``limits``.
        """
        found = read({"move-ms": None, **data}, cls, needed=STORED_LIMITS, at=("limits",))
        for key, value in data.items():
            if value is None:
                raise SchemaError(("limits", key), "is null, but must be an integer")
        if ("clock-ms" in data) != ("increment-ms" in data):
            raise SchemaError(("limits",), "must hold clock-ms and increment-ms together, or neither")
        if any((key in data) != found.by_fuel for key in FUEL_LIMITS):
            raise SchemaError(
                ("limits",), 'must hold fuel-per-ms and meter with charge = "fuel", and only then'
            )
        for name, rule in (("draw", found.draw), ("resign", found.resign)):
            for key in () if rule is None else rule.__struct_fields__:
                if key not in data[name]:
                    raise SchemaError(("limits", name, key), "is missing")
        return found


def limit_text(value: object) -> str:
    """Return the value of a limit for display: ``40``, or ``{movecount=8 score=10}`` for a rule."""
    if isinstance(value, Mapping):
        return "{" + " ".join(f"{key}={inner}" for key, inner in value.items()) + "}"
    return str(value)


class Entrant(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot under a name, with arguments; ``digest`` is its content digest in the bot store."""

    name: Label = field(name="entrant")
    bot: Label
    version: Label
    args: Arguments
    digest: Digest


class Opening(Struct, frozen=True, forbid_unknown_fields=True):
    """How a game begins: ``plies`` actions sampled by the seed, or these very ``actions`` (of a book).

    Chance outcomes are counted in neither; those that fall inside come from the seed.
    """

    plies: Annotated[int, Meta(ge=0, le=MAX_ACTIONS)] = 0
    actions: Annotated[tuple[Token, ...], Meta(min_length=1, max_length=MAX_ACTIONS)] = ()

    def as_json(self) -> dict[str, Any]:
        """Return ``{"plies": N}``, or ``{"actions": [...]}`` for an opening of a book."""
        return {"actions": list(self.actions)} if self.actions else {"plies": self.plies}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Opening":
        """Return what ``as_json`` wrote. Raises SchemaError, its path beginning with ``opening``."""
        found = read(data, cls, at=("opening",))
        if len(data) != 1:
            raise SchemaError(("opening",), "must hold either plies or actions")
        return found


class MatchSpec(Struct, frozen=True):
    """A match, whole: the same spec gives the same record, as far as its bots do."""

    game: str
    options: tuple[tuple[str, str], ...]
    seats: tuple[Entrant, ...]
    seed: int
    limits: Limits = Limits()
    opening: Opening = Opening()
