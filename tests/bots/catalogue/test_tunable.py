"""Parameters: their decimals, and their values as text."""

from decimal import Decimal

import pytest

from tourney.bots.catalogue.tunable import Parameter, decimals_of


@pytest.mark.parametrize(
    ("number", "decimals"), [(100, 0), (2.0, 0), (0.5, 1), (1e-05, 5), (0.125, 3), (-3.25, 2)]
)
def test_decimals_are_those_written(number: float, decimals: int) -> None:
    assert decimals_of(number) == decimals


def test_values_have_the_most_decimals_of_the_four_numbers() -> None:
    """A value is text with a fixed number of decimals, so that equal values are equal arguments."""
    assert Parameter(value=1, low=0, high=2, step=0.25).text() == "1.00"
    assert Parameter(value=10, low=0, high=20, step=5).text(Decimal("12.4")) == "12"
    assert Parameter(value=10, low=-20, high=20, step=5).text(-7) == "-7"
