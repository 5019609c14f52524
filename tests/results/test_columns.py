"""The catalogue of columns: rounding, formatting, and each format's columns and ranking rule."""

from fractions import Fraction

import pytest

from tourney.results.columns import LUCK, MEAN_WITHOUT_LUCK, Column, csv_cell, decimal
from tourney.results.standings import (
    Ranking,
    page_columns,
    ranking_columns,
    ranking_sentences,
    report_columns,
    standings_columns,
)
from tourney.schedule.format import FORMATS, History, Participant, Setup, find_format
from tourney.schedule.swiss import Swiss
from tourney.schedule.tie_breaks import EntrantScores, TieBreak


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


def test_luck_and_shares_have_no_negative_zero() -> None:
    assert LUCK.shown(Fraction(-1, 10**6)) == "+0.0"
    assert MEAN_WITHOUT_LUCK.shown(Fraction(-1, 10**6)) == "0.0"
    assert LUCK.shown(Fraction(-1, 100)) == "-1.0"


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
    first, _, breaks = rule.partition(", ")
    sentence = ranking_sentences(Ranking.new(find_format(name), seats))[0]
    assert sentence.removesuffix(", in this order.").removesuffix(".") == (
        f"Ranked by {first}; ties are broken by {breaks}" if breaks else f"Ranked by {first}"
    )


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("round-robin", "# Bot Points Games|Score %|W D L DE SB Faults"),
        ("gauntlet", "# Bot|Score %|Points Games W D L DE SB Faults"),
        (
            "swiss",
            "# Bot Points Games|Score %|W D L BH-C1 BH SB DE Faults",
        ),
        ("knockout", "# Bot|Stages won|Points Games|Score %|W D L Faults"),
        ("adaptive", "# Bot Rating Points Games|Score %|W D L Sigma Faults"),
    ],
)
def test_value_that_ranks_first_stands_first(name: str, headings: str) -> None:
    ranking = Ranking.new(find_format(name), 2)
    shown = "|".join(column.heading for column in page_columns(ranking))
    assert shown.replace("|", " ") == headings.replace("|", " ")
    columns = standings_columns(ranking)
    assert columns[2].criterion == 1
    assert "ranks first" in columns[2].description
    assert [c.key for c in report_columns(ranking)[: len(columns)]] == [c.key for c in columns]


def test_criteria_are_numbered_in_the_order_of_use() -> None:
    for format_ in FORMATS.all():
        for seats in (2, 4):
            ranking = Ranking.new(format_, seats)
            order = [column.key for column in ranking_columns(ranking)]
            used = [entry.name for entry in ranking.tie_breaks if entry.order]
            first = {"points-per-match": "mean"}.get(format_.ranked_by, format_.ranked_by)
            assert order == [first, *(name for name in used if name != first)]


class Fewest(Swiss):
    """A format with a measure of its own that ranks the lowest first, and no tie-break that names it."""

    name = "fewest"
    ranked_by = "moves"
    measures = (TieBreak("moves", "moves", "Actions played", unit="actions", digits=0, lower_first=True),)

    def scores(self, setup: Setup, history: History) -> EntrantScores:
        points = {player.number: Fraction(0) for player in setup.participants}
        return EntrantScores(points, measures={"moves": {number: Fraction(9 - number) for number in points}})

    def tie_breaks(self, seats: int) -> tuple[str, ...]:
        return ("wins",)


def test_format_may_rank_the_lowest_first() -> None:
    table = Fewest().table(Setup(tuple(map(Participant, range(3))), 2, 1), History())
    assert [(line.rank, line.number, str(dict(line.values)["moves"])) for line in table] == [
        (1, 2, "7"),
        (2, 1, "8"),
        (3, 0, "9"),
    ]
    sentences = ranking_sentences(Ranking.new(Fewest(), 2))
    assert sentences[0] == "Ranked by moves (lower first); ties are broken by wins."
    assert "Moves: Actions played (actions; lower is better; ranks first)." in sentences


def test_every_column_of_the_standings_has_help_and_one_key() -> None:
    for format_ in FORMATS.all():
        for seats in (2, 4):
            columns = standings_columns(Ranking.new(format_, seats))
            assert all(column.description for column in columns)
            assert len({column.key for column in columns}) == len(columns)
