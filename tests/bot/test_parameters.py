"""A bot reads the values of its parameters from its arguments."""

from tourney.bot import parameters


def test_arguments_with_numbers_are_parameters() -> None:
    assert parameters(["reach=3", "late weight=-0.50", "--nodes=5", "word", "name=x"]) == {
        "reach": 3,
        "late weight": -0.5,
    }
