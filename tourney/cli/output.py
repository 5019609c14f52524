"""What commands print: results to standard output, all else to standard error.

A command asks ``current()`` for its ``Output``, which knows of --quiet, --no-color, NO_COLOR and pipes.
Text is printed as it is, never read as markup: bots' names are hostile input.
"""

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import click

from tourney.cli.edge import printable

if TYPE_CHECKING:
    from rich.console import Console

Row = Mapping[str, Any]
"""A row of a table: values are strings, integers, floats, booleans, None, or lists of these."""

WIDE = 10_000
"""Columns of an output that is no terminal: a table is never folded there."""


class Format(Enum):
    """How a table is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


class Setting(Enum):
    """What the shared options keep in click's context."""

    QUIET = "quiet"
    NO_COLOR = "no_color"

    @property
    def key(self) -> str:
        """Its key in ``Context.meta``."""
        return f"tourney.cli.{self.value}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in the rows (also its name in CSV and JSON), its title in tables, and its side."""

    key: str
    title: str = ""
    right: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command prints. ``quiet`` holds back what is neither result nor error."""

    quiet: bool = False
    no_color: bool = False

    @property
    def color(self) -> bool:
        """Whether results may be coloured: on a terminal that is no dumb one, unless colours are declined."""
        declined = self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return sys.stdout.isatty() and not declined

    def write(self, text: str) -> None:
        """Print a result, and a newline, to standard output."""
        sys.stdout.write(text + "\n")

    def say(self, text: str) -> None:
        """Tell the person at the terminal something, on standard error, unless --quiet."""
        if not self.quiet:
            click.echo(printable(text), err=True)

    def warn(self, text: str) -> None:
        """Warn on standard error, with --quiet too."""
        click.echo(f"warning: {printable(text)}", err=True)

    def console(self, *, err: bool = False) -> "Console":
        """Return a rich console on standard output, or on standard error for progress and the like.

        A progress display takes ``disable=output.quiet``.
        """
        from rich.console import Console  # noqa: PLC0415 - rich is slow to import, and most commands do without

        stream = sys.stderr if err else sys.stdout
        return Console(
            stderr=err,
            no_color=True if self.no_color else None,
            width=None if stream.isatty() else WIDE,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def table(
        self, rows: Iterable[Row], columns: Sequence[str | Column], format_: Format = Format.TABLE
    ) -> None:
        """Print rows to standard output, as a table, CSV (with a header) or a JSON list of objects.

        Floats are printed as they are: round them before. A missing key is None: ``-`` in a table, empty in
        CSV, null in JSON. A list is parted by blanks in a table and in CSV.
        """
        described = [Column(c) if isinstance(c, str) else c for c in columns]
        listed = [{c.key: row.get(c.key) for c in described} for row in rows]
        if format_ is Format.JSON:
            self.write(json.dumps(listed, ensure_ascii=False, allow_nan=False, indent=2))
        elif format_ is Format.CSV:
            sys.stdout.write(_csv(listed, described))
        else:
            self._table(listed, described)

    def _table(self, rows: Sequence[Row], columns: Sequence[Column]) -> None:
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - as above
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for column in columns:
            table.add_column(
                Text(column.title or column.key.replace("-", " ").replace("_", " ")),
                justify="right" if column.right else "left",
                overflow="fold",
            )
        for row in rows:
            table.add_row(
                *(Text(printable(_cell(row[c.key], missing="-", yes="yes", no="no"))) for c in columns)
            )
        console = self.console()
        with console.capture() as capture:
            console.print(table)
        sys.stdout.write("".join(line.rstrip() + "\n" for line in capture.get().splitlines()))


def current() -> Output:
    """Return the output of the running command, as its options ask; outside of a command, a plain one."""
    context = click.get_current_context(silent=True)
    meta = context.find_root().meta if context else {}
    return Output(quiet=bool(meta.get(Setting.QUIET.key)), no_color=bool(meta.get(Setting.NO_COLOR.key)))


def _cell(value: object, *, missing: str, yes: str, no: str) -> str:
    if value is None:
        return missing
    if isinstance(value, bool):
        return yes if value else no
    if isinstance(value, (list, tuple)):
        return " ".join(_cell(item, missing=missing, yes=yes, no=no) for item in value) or missing
    return str(value)


def _csv(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([c.key for c in columns])
    for row in rows:
        writer.writerow([_cell(row[c.key], missing="", yes="true", no="false") for c in columns])
    return buffer.getvalue()
