"""What commands print: tables, CSV and JSON on standard output, all else on standard error."""

import csv
import io
import json
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from tourney.cli.options import (
    db_option,
    format_option,
    game_options,
    output_options,
    pairs,
)
from tourney.cli.output import Column, Format, Output, current
from tourney.errors import UsageError

ROWS: list[dict[str, Any]] = [
    {"name": "[bold]a[/bold]", "elo": -12.5, "seats": [2, 3], "void": True, "note": None},
    {"name": 'b,"\x1b[31m\n', "elo": 3, "seats": [], "void": False},
]
COLUMNS = ("name", Column("elo", "Elo", right=True), "seats", "void", "note")


def printed(format_: Format, capsys: pytest.CaptureFixture[str]) -> str:
    Output().table(ROWS, COLUMNS, format_)
    return capsys.readouterr().out


def test_a_table_prints_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Markup and escape sequences in a cell are text; a pipe gets no colours and no trailing blanks."""
    lines = printed(Format.TABLE, capsys).splitlines()
    assert lines[0].split() == ["name", "Elo", "seats", "void", "note"]
    assert lines[2].split() == ["[bold]a[/bold]", "-12.5", "2", "3", "yes", "-"]
    assert lines[3].split() == ['b,"\\x1b[31m\\n', "3", "-", "no", "-"]
    assert all(line == line.rstrip() and "\x1b" not in line for line in lines)


def test_a_wide_table_is_not_folded_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """A row is one line, however wide, where there is no terminal."""
    Output().table([{"a": "x" * 500, "b": "y" * 500}], ("a", "b"))
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_csv_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    """CSV has a header, LF line ends, and every value unharmed."""
    text = printed(Format.CSV, capsys)
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[0] == {"name": "[bold]a[/bold]", "elo": "-12.5", "seats": "2 3", "void": "true", "note": ""}
    assert rows[1]["name"] == ROWS[1]["name"]


def test_json_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON is a list of objects with every column, a missing value as null."""
    assert json.loads(printed(Format.JSON, capsys)) == [ROWS[0], {**ROWS[1], "note": None}]


def test_json_has_no_nan() -> None:
    """A number that JSON does not have is refused rather than written."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        Output().table([{"a": float("nan")}], ("a",), Format.JSON)


def test_an_empty_table(capsys: pytest.CaptureFixture[str]) -> None:
    """No rows: a header in CSV, an empty list in JSON."""
    Output().table([], ("a", "b"), Format.CSV)
    Output().table([], ("a", "b"), Format.JSON)
    assert capsys.readouterr().out == "a,b\n[]\n"


@click.command()
@db_option
@format_option
@game_options
@output_options
def probe(db: str, format_: Format, seats: int | None, options: dict[str, str]) -> None:
    """Print what the shared options hand over."""
    out = current()
    out.write(f"{db} {format_.value} {seats} {options} {out.quiet} {out.no_color}")
    out.say("said")
    out.warn("warned\x1b")


def probed(*words: str, **env: str) -> Result:
    return CliRunner().invoke(probe, words, env={"TOURNEY_DB": None, **env})


def test_shared_options_have_their_defaults() -> None:
    """Without options: tourney.db, a table, no seats, talkative; what is said goes to standard error."""
    done = probed()
    assert done.stdout == "tourney.db table None {} False False\n"
    assert done.stderr == "said\nwarning: warned\\x1b\n"


def test_shared_options_are_read() -> None:
    """Every option reaches the command; --quiet holds back what is said, and no warning."""
    words = [
        "--db",
        "sqlite:///x.db",
        "--format",
        "csv",
        "--seats",
        "3",
        "--option",
        "a=1",
        "--option",
        "b=x=y",
        "-q",
        "--no-color",
    ]
    done = probed(*words)
    assert done.stdout == "sqlite:///x.db csv 3 {'a': '1', 'b': 'x=y'} True True\n"
    assert done.stderr == "warning: warned\\x1b\n"


def test_the_database_may_come_from_the_environment() -> None:
    """TOURNEY_DB is used unless --db says otherwise."""
    assert probed(TOURNEY_DB="e.db").stdout.startswith("e.db ")
    assert probed("--db", "o.db", TOURNEY_DB="e.db").stdout.startswith("o.db ")


@pytest.mark.parametrize("words", [("a",), ("=1",), ("a=1", "a=2")])
def test_options_of_a_game_are_read_strictly(words: tuple[str, ...]) -> None:
    """A word that is no NAME=VALUE, and a name given twice, are refused."""
    with pytest.raises(UsageError):
        pairs(words)


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A console knows no colour in a pipe, with NO_COLOR, or with --no-color."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    assert not Output().console().is_terminal
    assert Output(no_color=True).console().no_color
    assert not Output().console().no_color
    monkeypatch.setenv("NO_COLOR", "1")
    assert Output().console(err=True).no_color


def test_outside_of_a_command_there_is_a_plain_output() -> None:
    """``current()`` works without click too."""
    assert current() == Output()
