"""Command output: tables, CSV and JSON on standard output, messages on standard error."""

import csv
import fcntl
import io
import json
import os
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from click.testing import CliRunner, Result

from tests.support.command import PROGRAM
from tests.support.tournaments import begin
from tourney.cli.options import (
    CommandOptions,
    command,
    db_option,
    formats,
    game_option,
    pairs,
    seats_option,
    shared,
)
from tourney.cli.output import Output, OutputFormat, current
from tourney.errors import UsageError
from tourney.results.columns import Column
from tourney.schema import Document
from tourney.store.database import Database

ROWS: list[dict[str, Any]] = [
    {"name": "[bold]a[/bold]", "elo": -12.5, "seats": [2, 3], "void": True, "note": None},
    {"name": 'b,"\x1b[31m\n', "elo": 3, "seats": [], "void": False},
]
COLUMNS = ("name", Column("elo", "Elo", right=True), "seats", "void", "note")


def printed(format_: OutputFormat, capsys: pytest.CaptureFixture[str]) -> str:
    Output(format=format_).table(ROWS, COLUMNS)
    return capsys.readouterr().out


def test_table_prints_text_literally(capsys: pytest.CaptureFixture[str]) -> None:
    """Markup and escape sequences in a cell are text; a pipe gets no colors and no trailing spaces."""
    lines = printed(OutputFormat.TABLE, capsys).splitlines()
    assert lines[0].split() == ["name", "Elo", "seats", "void", "note"]
    assert lines[2].split() == ["[bold]a[/bold]", "-12.5", "2", "3", "yes", "-"]
    assert lines[3].split() == ['b,"\\x1b[31m\\n', "3", "-", "no", "-"]
    assert all(line == line.rstrip() and "\x1b" not in line for line in lines)


def test_wide_table_is_not_wrapped_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, a row is always one line."""
    Output().table([{"a": "x" * 500, "b": "y" * 500}], ("a", "b"))
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize("width", [200, 80, 40])
def test_table_follows_the_width_of_a_terminal(width: int, tmp_path: Path) -> None:
    """Numbers are never broken; on a narrow terminal each cell has a line."""
    db = str(tmp_path / "tourney.db")
    with Database.open(db, create=True) as repository:
        begin(repository, name="a-cup-of-long-name", games=10)
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    env = {**os.environ, "TERM": "xterm"}
    for name in ("COLUMNS", "LINES"):
        env.pop(name, None)
    words = [*PROGRAM, "status", "--db", db]
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, env=env) as process:
        os.close(theirs)
        text = b""
        with suppress(OSError):  # the terminal is gone at the end
            while data := os.read(ours, 65536):
                text += data
    os.close(ours)
    assert process.returncode == 0
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in text.decode().splitlines()]
    sentence = lines.pop()  # of the seed, below the table
    assert "any bot can find it" in sentence
    assert max(map(len, lines)) <= width
    assert any("30" in line for line in lines)
    assert ("tournament     a-cup-of-long-name" in lines) == (width == 40)


def test_csv_round_trip(capsys: pytest.CaptureFixture[str]) -> None:
    """CSV has a header, LF line ends and unchanged values."""
    text = printed(OutputFormat.CSV, capsys)
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[0] == {"name": "[bold]a[/bold]", "elo": "-12.5", "seats": "2 3", "void": "true", "note": ""}
    assert rows[1]["name"] == ROWS[1]["name"]


class Probe(Document, frozen=True, kw_only=True):
    """A document of this test."""

    format: Literal["tourney-probe/1"] = "tourney-probe/1"
    text: str
    number: float | None


def test_document_with_a_number_that_json_lacks_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Output(format=OutputFormat.JSON).document(Probe(text=ROWS[1]["name"], number=None))
    assert json.loads(capsys.readouterr().out) == {
        "format": "tourney-probe/1",
        "text": ROWS[1]["name"],
        "number": None,
    }
    with pytest.raises(ValueError, match="not JSON compliant"):
        Output(format=OutputFormat.JSON).document(Probe(text="", number=float("nan")))
    assert capsys.readouterr().out == ""


def test_empty_csv_has_a_header(capsys: pytest.CaptureFixture[str]) -> None:
    Output(format=OutputFormat.CSV).table([], ("a", "b"))
    assert capsys.readouterr().out == "a,b\n"


@pytest.mark.parametrize("format_", OutputFormat)
def test_result_is_printed_in_the_format_asked_for(
    format_: OutputFormat, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of text, table and document only those print that are of the format."""
    output = Output(format=format_)
    output.text("text")
    output.table([{"a": 1}], ("a",))
    output.document(Probe(text="", number=None))
    printed = capsys.readouterr().out
    programs = {OutputFormat.CSV: "a\n1\n", OutputFormat.JSON: "{\n"}
    assert printed.startswith(programs.get(format_, "text\na\n"))
    assert ("text\n" in printed) == (format_ not in programs)
    assert ("tourney-probe" in printed) == (format_ is OutputFormat.JSON)


class GameWords(CommandOptions):
    """Options of a game."""

    seats: int | None = shared(seats_option)
    options: dict[str, str] = shared(game_option)


class ProbeRequest(CommandOptions):
    """The shared options."""

    db: str = shared(db_option)
    game: GameWords
    format_: object = formats(Probe)


@command("probe", ProbeRequest)
def probe(options: ProbeRequest) -> None:
    """Print the values of the shared options."""
    out, game = current(), options.game
    shown = f"{options.db} {out.format.value} {game.seats} {game.options}"
    out.write(f"{shown} {out.quiet} {out.no_color}")
    out.say("said")
    out.warn("warned\x1b")


def probed(*words: str, **env: str) -> Result:
    return CliRunner().invoke(probe, words, env={"TOURNEY_DB": None, **env})


def test_options_of_a_class_are_listed_in_its_order() -> None:
    names = [parameter.name for parameter in probe.params]
    assert names == ["db", "seats", "options", "format_", "quiet", "no_color"]


def test_shared_options_have_defaults() -> None:
    """The defaults are tourney.db, a table, no seats and messages on standard error."""
    done = probed()
    assert done.stdout == "tourney.db table None {} False False\n"
    assert done.stderr == "said\nwarning: warned\\x1b\n"


def test_shared_options_reach_the_command() -> None:
    """--quiet suppresses messages, but not warnings."""
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


def test_database_default_comes_from_the_environment() -> None:
    """--db overrides TOURNEY_DB."""
    assert probed(TOURNEY_DB="e.db").stdout.startswith("e.db ")
    assert probed("--db", "o.db", TOURNEY_DB="e.db").stdout.startswith("o.db ")


@pytest.mark.parametrize("words", [("a",), ("=1",), ("a=1", "a=2")])
def test_malformed_game_options_are_refused(words: tuple[str, ...]) -> None:
    """Both another form than NAME=VALUE and a repeated name."""
    with pytest.raises(UsageError):
        pairs(words)


def test_colors_are_only_for_terminals_that_allow_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No color in a pipe, with NO_COLOR, or with --no-color; no bold heads either."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")

    def table(output: Output) -> str:
        output.table([{"a": 1}], ("a",))
        return capsys.readouterr().out

    plain = table(Output())
    assert "\x1b" not in plain
    assert Output().console() is None
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert table(Output()) == plain.replace("a\n", "\x1b[1ma\x1b[0m\n", 1)
    assert table(Output(no_color=True)) == plain
    for no_color in (True, False):
        console = Output(no_color=no_color).console()
        assert console is not None
        assert console.no_color == no_color
    monkeypatch.setenv("NO_COLOR", "1")
    console = Output().console()
    assert console is not None
    assert console.no_color
    assert table(Output()) == plain


def test_transient_line_is_replaced_on_terminals_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert Output().transient_line() is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert Output(quiet=True).transient_line() is None
    show = Output().transient_line()
    assert show is not None
    show("a\x1b[2Jb" + "x" * 500)
    show("")
    first, last = capsys.readouterr().err.split("\r\x1b[K")[1:]
    assert ("\x1b" in first, len(first) < 500, last) == (False, True, "")


def test_default_output_outside_of_a_command() -> None:
    """``current()`` works without click."""
    assert current() == Output()
