"""The layout of tables, held to that of ``rich`` where nothing is folded."""

import io
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tourney.cli.tables import cell_width, fold, text_table

PLAIN = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "M", "Z"), include_characters=" "), max_size=30
)
TABLES = st.integers(1, 5).flatmap(
    lambda size: st.tuples(
        st.lists(PLAIN.map(str.strip).filter(bool), min_size=size, max_size=size),
        st.lists(st.lists(PLAIN.map(str.strip), min_size=size, max_size=size), max_size=4),
        st.lists(st.booleans(), min_size=size, max_size=size),
    )
)


@given(TABLES)
def test_unfolded_table_looks_as_rich_prints_it(table: tuple[list[str], list[list[str]], list[bool]]) -> None:
    heads, rows, right = table
    console = Console(file=io.StringIO(), width=10_000, markup=False, emoji=False)
    printed = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head, number in zip(heads, right, strict=True):
        printed.add_column(Text(head), justify="right" if number else "left")
    for row in rows:
        printed.add_row(*map(Text, row))
    with console.capture() as capture:
        console.print(printed)
    ours = text_table(heads, rows, right, 10_000)
    assert ours is not None
    lines = [*ours.heads, "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * ours.width, *ours.rows]
    assert lines == [line.rstrip() for line in capture.get().splitlines()]


@given(TABLES, st.integers(10, 80))
def test_folded_table_keeps_to_its_width(
    table: tuple[list[str], list[list[str]], list[bool]], width: int
) -> None:
    heads, rows, right = table
    ours = text_table(heads, rows, right, width)
    if ours is not None:
        assert max(map(cell_width, (*ours.heads, *ours.rows))) <= ours.width <= width
        for printed, cells in ((ours.heads, [heads]), (ours.rows, rows)):
            assert sorted("".join(printed).replace(" ", "")) == sorted(
                "".join(chain.from_iterable(cells)).replace(" ", "")
            )


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two", 7, ["one two"]),
        ("one two three", 7, ["one two ", "three"]),
        ("a sesquipedalian word", 8, ["a ", "sesquipe", "dalian ", "word"]),
        ("棋士 棋士", 5, ["棋士 ", "棋士"]),
        ("棋士棋士", 5, ["棋士", "棋士"]),
    ],
)
def test_text_is_folded_between_words_first(text: str, width: int, lines: list[str]) -> None:
    assert fold(text, width) == lines


def test_number_is_never_folded() -> None:
    assert text_table(["n"], [["1234567890123"]], [True], 12) is None
    assert text_table(["n"], [["1234567890123"]], [False], 12) is not None
