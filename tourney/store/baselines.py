"""Baselines: the bots that candidates are compared with, and what each beat to become one.

The promotions of a game and a name are a stack: the newest is the baseline, and taking it back makes the one
before it the baseline again.
"""

from typing import Annotated

import msgspec
import rfc8785
from msgspec import Meta, Struct

from tourney.match.spec import Entrant
from tourney.schema import Arguments, Count, Digest, Label, LongText, SchemaError, Text, read
from tourney.store.columns import ColumnError, Columns, read_digest, read_int, read_json, read_text

Elo = Annotated[float, Meta(ge=-10_000, le=10_000)]


class Beaten(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that a promoted one beat: by how much, the ends of the interval (or None), in so many pairs."""

    name: Label
    version: Label
    digest: Digest
    elo: Elo
    low: Elo | None
    high: Elo | None
    pairs: Count


class Promotion(Struct, frozen=True, forbid_unknown_fields=True):
    """How a bot became a baseline: when (ISO 8601, UTC), in which gate ("": none), and whom it beat."""

    bot: Label
    version: Label
    args: Arguments
    promoted: Text
    gate: LongText = ""
    beaten: tuple[Beaten, ...] = ()


class Baseline(Struct, frozen=True):
    """A baseline of a game. ``number`` counts the promotions under its name from 1."""

    game: str
    name: str
    number: int
    digest: str
    promotion: Promotion

    @property
    def entrant(self) -> Entrant:
        """The bot as an entrant of its name."""
        promotion = self.promotion
        return Entrant(self.name, promotion.bot, promotion.version, promotion.args, self.digest)


def promotion_text(promotion: Promotion) -> str:
    """Return a promotion as canonical JSON."""
    return rfc8785.dumps(msgspec.to_builtins(promotion)).decode("utf-8")


def baseline_of(row: Columns) -> Baseline:
    """Return a row as a value. Raises ColumnError."""
    try:
        promotion = read(read_json("data", row["data"]), Promotion)
    except SchemaError as error:
        raise ColumnError("data", row["data"], f"a promotion ({error.in_json()})") from error
    return Baseline(
        read_text(row, "game", least=1),
        read_text(row, "name", least=1),
        read_int(row, "number", 1),
        read_digest(row, "digest"),
        promotion,
    )
