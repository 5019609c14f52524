"""Tables for other programs: each as CSV and as JSON, names in them as they are."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.results.columns import csv_cell


@dataclass(frozen=True, slots=True)
class DownloadTable:
    """A table: its columns' names, and rows of strings, integers, floats, booleans and None."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]

    def csv(self) -> bytes:
        """Return the table as CSV in UTF-8 with a header line.

        A text that a spreadsheet would take for a formula has an apostrophe before it; the JSON has not.
        """
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([csv_cell(row[column]) for column in self.columns])
        return buffer.getvalue().encode("utf-8", "replace")

    def json(self) -> bytes:
        """Return the table as a JSON list of objects, one a line, in ASCII."""
        lines = [json.dumps({c: row[c] for c in self.columns}, allow_nan=False) for row in self.rows]
        return ("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n").encode("ascii")


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> DownloadTable:
    """Return a table."""
    return DownloadTable(tuple(columns), tuple(rows))
