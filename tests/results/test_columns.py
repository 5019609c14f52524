"""The catalogue of columns: rounding, formatting, and each format's columns and ranking rule."""

from fractions import Fraction

import pytest

from tourney.results.columns import (
    Column,
    csv_cell,
    decimal,
    report_columns,
    special_tie_breaks,
    standings_columns,
)
from tourney.results.standings import ranking_rule
from tourney.schedule.format import FORMATS, find_format


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(3), 2, "3"),
        (Fraction(5, 2), 2, "2.50"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(-7), 2, "-7"),
        (Fraction(10), 0, "10"),
        (Fraction(2, 3), 3, "0.667"),
    ],
)
def test_decimals_round_half_away_from_zero(value: Fraction, digits: int, text: str) -> None:
    assert decimal(value, digits) == text


def test_tables_round_values_and_data_keep_them() -> None:
    column = Column("x", digits=2)
    assert (column.shown(Fraction(1, 3)), column.exact(Fraction(1, 3))) == ("0.33", 0.333333)
    assert (column.shown(None), column.exact(None)) == (None, None)
    assert (column.shown(7), column.exact("a")) == (7, "a")
    assert column.exact(Fraction(-1, 3)) == -0.333333


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_csv_cell_defuses_formulas(text: str) -> None:
    assert csv_cell(text) == f"'{text}"
    assert csv_cell("plain") == "plain"
    assert csv_cell(-1) == "-1"


@pytest.mark.parametrize(
    ("name", "seats", "rule"),
    [
        ("round-robin", 2, "points, direct encounter, wins and Sonneborn-Berger"),
        ("gauntlet", 2, "points per match, direct encounter, wins and Sonneborn-Berger"),
        ("swiss", 2, "points, Buchholz Cut-1, Buchholz, Sonneborn-Berger, direct encounter and wins"),
        ("swiss", 3, "points, mean of the opponents' points, wins and second places"),
        ("knockout", 2, "stages won"),
        ("adaptive", 2, "rating"),
    ],
)
def test_ranking_rule_depends_on_the_format(name: str, seats: int, rule: str) -> None:
    assert ranking_rule(find_format(name), seats) == rule


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("round-robin", []),
        ("gauntlet", []),
        ("swiss", ["Buchholz Cut-1", "Buchholz", "Sonneborn-Berger"]),
        ("knockout", ["Stages won"]),
        ("adaptive", ["Rating", "Sigma"]),
    ],
)
def test_reports_show_the_tie_breaks_of_special_formats(name: str, titles: list[str]) -> None:
    shown = special_tie_breaks(find_format(name), 2)
    assert [column.title for column in shown] == titles
    keys = [column.key for column in report_columns(find_format(name), 2)]
    assert {column.key for column in shown} <= set(keys)


def test_every_column_of_the_standings_has_help_and_one_key() -> None:
    for format_ in FORMATS.all():
        for seats in (2, 4):
            columns = standings_columns(format_, seats)
            assert all(column.description for column in columns)
            assert len({column.key for column in columns}) == len(columns)
