"""``tourney standings``: the formats agree; an unknown tournament format."""

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import installed, invoke
from tourney.plugins import Addon


def test_standings_agree_in_every_format(db: str) -> None:
    lines = json.loads(invoke("standings", "--db", db, "--format", "json").stdout)["standings"]
    assert {line["name"] for line in lines} == {"pebble", "second", "third"}
    assert [line["games"] for line in lines] == [8, 8, 8]
    assert sum(line["points"] for line in lines) == 12
    assert [line["points"] for line in lines] == sorted((line["points"] for line in lines), reverse=True)
    for line in lines:
        assert line["mean"] == pytest.approx(line["points"] / 8)
        assert line["wins"] + line["draws"] + line["losses"] == 8
    rows = list(csv.DictReader(io.StringIO(invoke("standings", "cup", "--db", db, "--format", "csv").stdout)))
    assert [(row["rank"], row["name"], float(row["points"])) for row in rows] == [
        (str(line["rank"]), line["name"], line["points"]) for line in lines
    ]
    table = invoke("standings", "--db", db).stdout
    assert table.split()[:4] == ["rank", "name", "points", "games"]


def test_unknown_format_is_ranked_by_points_with_a_warning(db: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.db")
    shutil.copy(db, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(
            "UPDATE tournament SET format = replace(format, 'round-robin', 'gone'),"
            " plan = replace(plan, 'round-robin', 'gone')"
        )
        connection.commit()
    warning = "warning: the format gone of cup is not installed: the standings are ranked by points\n"
    for command in (("standings", "--format", "csv"), ("export", "--what", "standings")):
        done = invoke(*command, "--db", copy)
        assert (done.exit_code, done.stderr) == (0, warning)
        assert done.stdout == invoke(*command, "--db", db).stdout
    done = invoke("report", "--db", copy, "--out", str(tmp_path / "report"), "-q")
    assert (done.exit_code, done.stderr) == (0, warning)
    with installed(Addon(formats={"gone": "tests.nowhere:Gone"})):
        done = invoke("standings", "--db", copy)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: the plugin of format gone (tests.nowhere:Gone) is broken: ")
