"""Output of commands: results to standard output, everything else to standard error.

A command calls ``current()`` for its ``Output``, which respects --format, --quiet, --no-color, NO_COLOR and
pipes. It prints its result in each form that it has, as ``text``, ``table`` and ``document``; those of other
formats print nothing. Documents have schemas in docs/reference/json. Text is printed literally, never parsed
as markup, because bot names are hostile input.
"""

import csv
import io
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

import click
import msgspec

from tourney.cli.tables import text_table
from tourney.results.columns import Column, Row, csv_cell, rendered
from tourney.schema import Document, Part
from tourney.texts import printable

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 10_000
"""Width of an output that is not a terminal, in columns, so that its tables are never wrapped."""


class OutputFormat(Enum):
    """The format of a command's result."""

    TABLE = "table"
    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"
    JUNIT = "junit"


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a command; ``quiet`` suppresses everything except results, warnings and errors."""

    quiet: bool = False
    no_color: bool = False
    format: OutputFormat = OutputFormat.TEXT

    @property
    def people(self) -> bool:
        """Whether people read the result, rather than programs: it is neither JSON nor CSV."""
        return self.format not in {OutputFormat.JSON, OutputFormat.CSV}

    @property
    def color(self) -> bool:
        """Whether to color results: on a terminal that supports it, unless disabled."""
        disabled = self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return sys.stdout.isatty() and not disabled

    def write(self, text: str) -> None:
        """Print a result and a newline to standard output."""
        sys.stdout.write(text + "\n")

    def text(self, *lines: str) -> None:
        """Print lines of a result that people read."""
        for line in lines if self.people else ():
            self.write(line)

    def say(self, text: str) -> None:
        """Print a message to standard error, unless --quiet."""
        if not self.quiet:
            click.echo(printable(text), err=True)

    def warn(self, text: str) -> None:
        """Print a warning to standard error, even with --quiet."""
        click.echo(f"warning: {printable(text)}", err=True)

    def transient_line(self) -> Callable[[str], None] | None:
        """A function that shows a line on the terminal until it is called again; None without a terminal.

        It names slow work for a person who waits. A bar of rich would take over standard output too.
        """
        if self.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return None

        def show(text: str) -> None:
            width = shutil.get_terminal_size().columns
            click.echo(f"\r\x1b[K{printable(text)[: width - 1]}", err=True, nl=False)

        return show

    def console(self) -> "Console | None":
        """A console of rich for progress bars on standard error; None if that is not a terminal."""
        if not sys.stderr.isatty():
            return None
        from rich.console import Console  # noqa: PLC0415 - rich is slow to import, and pipes do without

        return Console(
            stderr=True,
            # None lets rich ask the terminal and NO_COLOR.
            no_color=True if self.no_color else None,
            # A bot may be called "[red]x[/red]" or ":smile:", which rich would interpret.
            markup=False,
            highlight=False,
            emoji=False,
        )

    def document(self, document: Document) -> None:
        """Print a result as JSON, on several lines. Raises ValueError for a number that JSON lacks."""
        if self.format is OutputFormat.JSON:
            # A pipe of the C locale cannot carry every bot's name, but JSON can escape all of them.
            self.write(document_text(document, ascii_only=not _utf8()))

    def table(self, rows: Iterable[Row | Part], columns: Sequence[str | Column]) -> None:
        """Print rows, or parts of a document, to standard output as a table, or as CSV with a header.

        A ``Column`` formats its values; floats in other columns are printed in full, so round them before. A
        missing key counts as None: ``-`` in a table, empty in CSV. Items of a list are separated by spaces.
        A column that is only named has its numbers on the right.
        """
        if self.format is OutputFormat.JSON:
            return
        mappings = [row if isinstance(row, Mapping) else msgspec.structs.asdict(row) for row in rows]
        described = [c if isinstance(c, Column) else Column(c, right=_numeric(mappings, c)) for c in columns]
        listed = list(rendered(mappings, described, people=self.people))
        if self.format is OutputFormat.CSV:
            buffer = io.StringIO()  # written at once, or not at all
            writer = csv.writer(buffer, lineterminator="\n")
            writer.writerow([c.key for c in described])
            writer.writerows(map(_csv_cells, listed))
            sys.stdout.write(buffer.getvalue())
        else:
            self._table(listed, described)

    def _table(self, rows: Sequence[Row], columns: Sequence[Column]) -> None:
        """Print rows as a table, on a narrow terminal with less space between columns.

        If the terminal is too narrow for whole numbers, each cell has its own line, with an empty line
        between rows.
        """
        heads = [column.words for column in columns]
        cells = [
            [printable(_cell(row[column.key], missing="-", yes="yes", no="no")) for column in columns]
            for row in rows
        ]
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE
        table = text_table(heads, cells, [column.right for column in columns], width)
        if table is None:
            widest = max(map(len, heads), default=0)
            blocks = (
                "".join(f"{head:<{widest}}  {cell}\n" for head, cell in zip(heads, line, strict=True))
                for line in cells
            )
            sys.stdout.write("\n".join(blocks))
            return
        bold, plain = ("\x1b[1m", "\x1b[0m") if self.color else ("", "")
        rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" if _utf8() else "-"
        lines = [*(f"{bold}{line}{plain}" for line in table.heads), rule * table.width, *table.rows]
        sys.stdout.write("".join(line + "\n" for line in lines))


def _utf8() -> bool:
    """Whether standard output carries any character: that of the C locale does not."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def document_text(document: Document, *, ascii_only: bool = False) -> str:
    """A JSON document as text. Raises ValueError for a number that JSON lacks."""
    return json.dumps(msgspec.to_builtins(document), ensure_ascii=ascii_only, allow_nan=False, indent=2)


_META = "tourney.cli.output"


def keep(context: click.Context, **settings: object) -> None:
    """Store fields of ``Output`` for ``current``."""
    # In the root's, because a command below a group has a context of its own.
    context.find_root().meta.setdefault(_META, {}).update(settings)


def current() -> Output:
    """The output of the running command, or a default one outside of a command."""
    context = click.get_current_context(silent=True)
    return Output(**context.find_root().meta.get(_META, {})) if context else Output()


def _numeric(rows: Iterable[Row], key: str) -> bool:
    return any(isinstance(row.get(key), int | float) and not isinstance(row[key], bool) for row in rows)


def _cell(value: object, *, missing: str, yes: str, no: str) -> str:
    if value is None:
        return missing
    if isinstance(value, bool):
        return yes if value else no
    if isinstance(value, (list, tuple)):
        return " ".join(_cell(item, missing=missing, yes=yes, no=no) for item in value) or missing
    return str(value)


def _csv_cells(row: Row) -> list[str]:
    # Players of imported results choose names, and a spreadsheet runs one that looks like a formula.
    return [
        csv_cell(value) if isinstance(value, str) else _cell(value, missing="", yes="true", no="false")
        for value in row.values()
    ]


SECONDS: Final = 10.0
"""Seconds between two lines if standard error is not a terminal; quicker work prints none."""


class ShowProgress(Protocol):
    """Shows that ``done`` of ``total`` things are done; ``what`` names the things."""

    def __call__(self, done: int, total: int | None, what: str = "") -> None:
        """Show the progress; an unknown ``total`` is None."""


@contextmanager
def counting(output: Output, title: str, things: str) -> Iterator[ShowProgress]:
    """Give a ``ShowProgress`` that shows its progress on standard error, unless --quiet."""
    if output.quiet:
        yield lambda done, total, what="": None  # noqa: ARG005 - the form of a step
        return
    console = output.console()
    if console is None:
        last = time.monotonic()

        def say(done: int, total: int | None, what: str = things) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS:
                last = time.monotonic()
                of = "" if total is None else f" of {total:,}"
                output.say(f"{title}: {done:,}{of} {what}")

        yield say
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - slow to import

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int | None, what: str = things) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done, total=total)

        yield show
