"""The fields of position strings, read strictly."""

import pytest

from tourney.errors import PositionError
from tourney.games.position_fields import read_number, read_square, refuse, split_fields


def test_fields_are_split_at_single_blanks() -> None:
    assert split_fields("a b", "ONE TWO") == ["a", "b"]
    for text in ("", "a", "a b c", "a  b", " a b"):
        with pytest.raises(PositionError, match=r"2 fields.*ONE TWO"):
            split_fields(text, "ONE TWO")


@pytest.mark.parametrize("text", ["", "05", "+5", "-1", "1", "11", "5 ", "5\n", "\u0665", "9" * 5000])
def test_other_number_is_refused_in_a_short_sentence(text: str) -> None:
    with pytest.raises(PositionError, match=r"PLY .* is not a number from 2 to 10") as caught:
        read_number("PLY", text, 2, 10)
    assert len(str(caught.value)) < 100


def test_number_and_square_are_read() -> None:
    assert [read_number("PLY", text, 0, 10) for text in ("0", "10")] == [0, 10]
    assert read_square("FOOL", "b1", {"a1": 0, "b1": 1}) == 1
    with pytest.raises(PositionError, match="FOOL names 'c1'"):
        read_square("FOOL", "c1", {"a1": 0, "b1": 1})


def test_first_contradiction_is_the_error() -> None:
    refuse([])
    with pytest.raises(PositionError, match="one"):
        refuse(["one", "two"])
