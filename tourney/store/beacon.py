"""Public randomness that a tournament's seed may come from."""

import re
from typing import Annotated

from msgspec import Meta, Struct

from tourney.schema import Label, whole

BeaconValue = Annotated[
    str, whole(re.compile("([0-9a-f]{2}){8,128}"), "16 to 256 hex digits, in small letters.")
]
"""The value of a round of public randomness."""
Salt = Annotated[str, whole(re.compile("[0-9a-f]{32}"), "32 hex digits, in small letters.")]
"""Random bits that keep a commitment from being searched for the seed."""


class Beacon(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A round of public randomness, which the tournament file named before it existed, and its value."""

    round: Annotated[
        Label,
        Meta(
            description="Its source and number, in words; a round that does not exist yet.",
            examples=["drand quicknet 31000000"],
        ),
    ]
    value: (
        Annotated[
            BeaconValue,
            Meta(
                description="Its value in hex, once it exists; `tourney run --beacon HEX` gives it too."
                " Default: not known."
            ),
        ]
        | None
    ) = None
