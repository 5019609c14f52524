"""Seeds of tournaments: their forms in files and columns, and where they come from."""

import re
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from tourney.schema import Label, SchemaError, read, show, whole
from tourney.seeds import MAX_SEED
from tourney.store.column_reading import ColumnError, Columns, read_flag, read_json

SeedText = Annotated[
    str, whole(re.compile("(0|[1-9][0-9]{0,77})"), "An unsigned integer of at most 256 bits, in decimal.")
]
"""A tournament's seed; check the value by ``check_seed`` too."""
Seed = (
    Annotated[int, Meta(ge=0, description="An integer below 2**256.")]
    | Annotated[
        str,
        Meta(
            pattern=r"\A0x[0-9a-fA-F]{1,64}\Z",
            extra={"want": "be 0x and at most 64 hex digits"},
            description="An integer below 2**256 in hex.",
        ),
    ]
)
"""A tournament's seed in TOML; ``seed_of`` gives its number: msgspec has no bounds beyond 63 bits."""
BeaconValue = Annotated[str, whole(re.compile("[0-9a-f]{16,256}"), "16 to 256 hex digits, in small letters.")]
"""The value of a round of public randomness."""


def check_seed(key: str, text: str) -> int:
    """The integer of a ``SeedText``. Raises SchemaError."""
    number = int(text)
    if number > MAX_SEED:
        raise SchemaError((key,), f"is {text}, which is beyond 256 bits")
    return number


def seed_of(key: str, value: int | str) -> int:
    """The number of a ``Seed``. Raises SchemaError."""
    number = int(value, 16) if isinstance(value, str) else value
    if not 0 <= number <= MAX_SEED:
        raise SchemaError((key,), f"is {show(value)}, but must be from 0 to 2^256 - 1")
    return number


class Beacon(Struct, frozen=True, forbid_unknown_fields=True):
    """A round of public randomness, which the tournament file named before it existed, and its value."""

    round: Label
    value: BeaconValue


class Origin(NamedTuple):
    """Where a tournament's seed comes from: a person (``chosen``), a ``beacon``, or random bits.

    ``salt`` (hex digits) keeps the commitment to a seed from being searched for it; it lies outside the root.
    """

    chosen: bool
    salt: str = ""
    beacon: Beacon | None = None


RANDOM: Final = Origin(chosen=False)
CHOSEN: Final = Origin(chosen=True)


def origin_of(row: Columns) -> Origin:
    """Where a tournament's seed comes from."""
    salt, text = row["salt"], row["beacon"]
    if salt is not None and (not isinstance(salt, str) or re.fullmatch("[0-9a-f]{32}", salt) is None):
        raise ColumnError("salt", salt, "32 hex digits")
    try:
        beacon = None if text is None else read(read_json("beacon", text), Beacon)
    except SchemaError as error:
        raise ColumnError("beacon", text, f"a beacon ({error.in_json('the object')})") from error
    return Origin(read_flag(row, "seed_chosen"), salt or "", beacon)
