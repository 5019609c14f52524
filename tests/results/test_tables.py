"""Downloaded tables keep their values and cannot run formulas in a spreadsheet."""

import csv
import io
import json

from tests.report.world import HOSTILE
from tourney.results.columns import Column
from tourney.results.tables import DataTable

ROWS = [{"name": name, "n": k, "x": k / 4, "yes": k % 2 == 0, "none": None} for k, name in enumerate(HOSTILE)]
COLUMNS = ("name", "n", "x", "yes", "none")


def test_json_round_trip() -> None:
    assert json.loads(DataTable(tuple(map(Column, COLUMNS)), ROWS).json()) == ROWS
    assert json.loads(DataTable(tuple(map(Column, COLUMNS)), []).json()) == []


def test_csv_has_a_header_and_a_line_per_row() -> None:
    lines = list(csv.reader(io.StringIO(DataTable(tuple(map(Column, COLUMNS)), ROWS).csv().decode("utf-8"))))
    assert lines[0] == list(COLUMNS)
    assert [line[1:] for line in lines[1:3]] == [["0", "0.0", "true", ""], ["1", "0.25", "false", ""]]
    assert len(lines) == len(ROWS) + 1


def test_no_csv_cell_starts_a_formula() -> None:
    texts = ["=1+1", "+1", "-1", "@x", "\tx", "plain"]
    made = DataTable([Column("t")], [{"t": t} for t in texts])
    lines = list(csv.reader(io.StringIO(made.csv().decode("utf-8"))))
    assert [line[0] for line in lines[1:]] == ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "plain"]
    numbers = DataTable([Column("t")], [{"t": -1}]).csv()
    assert numbers == b"t\n-1\n"


def test_lone_surrogates_do_not_stop_a_table() -> None:
    made = DataTable([Column("t")], [{"t": "a\udcffb"}])
    assert made.csv() == b"t\na?b\n"
    assert json.loads(made.json()) == [{"t": "a\udcffb"}]
