"""Parameters of a bot: the numbers in its ``bot.toml`` that ``tourney tune`` may change."""

import math
from decimal import Decimal
from typing import Annotated

from msgspec import Meta, Struct

from tourney.schema import SchemaError, show

Value = int | float
ParameterName = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9._-])?\Z",
        extra={"want": "have letters, digits, blanks and ._- only, at most 64 of them"},
    ),
]


class Parameter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number of the bot: its value, which stays from `low` to `high`, and a change worth a few Elo, `step`.

    Values have at most the decimals with which these four are written.
    """

    value: Annotated[Value, Meta(examples=[100])]
    low: Annotated[Value, Meta(examples=[0])]
    high: Annotated[Value, Meta(examples=[200])]
    step: Annotated[Value, Meta(examples=[10])]

    def __post_init__(self) -> None:
        """Check the numbers together. Raises SchemaError."""
        for key in ("value", "low", "high", "step"):
            number = getattr(self, key)
            if not math.isfinite(number) or abs(number) > 1e12 or decimals_of(number) > 9:
                raise SchemaError(
                    (key,), f"is {number}, but must be a number up to 10^12 with at most 9 decimals"
                )
        if self.low >= self.high:
            raise SchemaError(("low",), f"is {show(self.low)}, but must be less than high, {show(self.high)}")
        if not self.low <= self.value <= self.high:
            raise SchemaError(
                ("value",), f"is {show(self.value)}, but must be from {show(self.low)} to {show(self.high)}"
            )
        if not 0 < self.step <= self.high - self.low:
            raise SchemaError(
                ("step",), f"is {show(self.step)}, but must be more than 0 and at most high less low"
            )

    @property
    def decimals(self) -> int:
        """The most decimals of a value."""
        return max(decimals_of(number) for number in (self.value, self.low, self.high, self.step))

    def text(self, value: Value | Decimal | None = None) -> str:
        """A value (default: its own) as arguments, options and ``bot.toml`` have it."""
        return f"{exact(self.value if value is None else value):.{self.decimals}f}"


def exact(number: Value | Decimal) -> Decimal:
    """A number as it is written."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def decimals_of(number: Value) -> int:
    """The decimals with which a number is written; ``2.0`` and ``100`` have none."""
    exponent = exact(number).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
