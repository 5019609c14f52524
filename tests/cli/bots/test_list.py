"""``tourney bots list``: stored and shipped bots."""

import csv
import io
import json
from pathlib import Path

from tests.cli.bots.commands import done
from tests.support.folders import write_bot
from tourney.bots.catalogue.shipped import shipped_bots


def test_list_has_shipped_bots_in_every_format() -> None:
    table = done("list")
    names = ["alphabeta", "greedy", "heron", "mason", "mcts", "pebble", "random", "skipper", "tinker"]
    assert [line.split()[0] for line in table.splitlines()[2:]] == names
    rows = list(csv.DictReader(io.StringIO(done("list", "--format", "csv"))))
    assert (rows[0]["name"], rows[0]["source"], len(rows[0]["digest"])) == ("alphabeta", "ships", 64)
    assert rows[2]["games"] == "sage-stones"
    assert done("list", "--format", "json", "--quiet").startswith("{")


def test_shipped_bot_in_the_store_is_listed_once() -> None:
    done("add", str(shipped_bots()["random"]))
    rows = json.loads(done("list", "--format", "json"))["bots"]
    assert [row["source"] for row in rows if row["name"] == "random"] == ["ships"]


def test_list_says_which_of_equal_names_is_meant(tmp_path: Path) -> None:
    for version in ("1", "2"):
        done("add", str(write_bot(tmp_path / version, "twin", version=f'"{version}"')))
    rows = {
        row["version"]: row
        for row in json.loads(done("list", "--format", "json"))["bots"]
        if row["name"] == "twin"
    }
    assert (rows["1"]["meant"], rows["2"]["meant"]) == (False, True)
    heads, _, *lines = done("list").splitlines()
    assert "meant" in heads.split()
    assert [line.split()[-2] for line in lines if line.startswith("twin")] == ["no", "yes"]
