"""A bot's page of positions: counts of its games, links to replays, and nothing measured that is private."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.sites import rendered
from tourney.report.output.layout import Options
from tourney.report.pages import bot as bot_page
from tourney.report.site import renderer
from tourney.report.source import load
from tourney.store.database import Database


def pages(folder: Path, *, measured: bool = True) -> dict[str, str]:
    with Database.open(str(folder / "t.db"), create=True) as database:
        cup = database.tournaments.find("cup")
        if cup is None:
            cup = genuine.begin(database, games=4)
            genuine.play_all(database, cup)
        make = renderer(load(database, cup), Options(measured=measured))
        found = list(rendered(bot_page.position_files(make)))
    return {file.path: file.content.decode() for file in found}


def test_positions_have_counts_and_links_to_replays(tmp_path: Path) -> None:
    found = pages(tmp_path)
    (path, *_) = (path for path in found if path.endswith("-positions.html"))
    rows = json.loads(found[path.replace("bots/", "data/bots/").replace(".html", ".json")])
    assert rows
    assert "All 8 games" in found[path]
    # The two plies of the set opening are not the bots' choice.
    plies = {int(ply) for ply in re.findall(r'<th scope="rowgroup".*?#ply=(\d+)"', found[path])}
    assert min(plies) >= 2
    assert re.search(r'<td><a href="../matches/[1-8].html#ply=\d+">', found[path])
    for question in ("Opening", "Seat", "Length", "Opponent", "Reason"):
        assert f'<th scope="col">{question}</th>' in found[path]
    assert {row["games"] for row in rows} <= {1, 2, 3, 4, 5, 6, 7, 8}


def test_times_stay_private(tmp_path: Path) -> None:
    assert any("Mean time" in text for text in pages(tmp_path).values())
    found = pages(tmp_path, measured=False)
    assert not any("Mean time" in text or "Time used" in text for text in found.values())
    assert all(
        row["mean_ms"] is None
        for path, text in found.items()
        if path.endswith(".json")
        for row in json.loads(text)
    )


def test_many_bots_share_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_page, "GAMES", 3)
    monkeypatch.setattr(bot_page, "LEAST", 2)
    assert any("The first 3 games" in text for text in pages(tmp_path).values())


def test_damaged_record_leaves_the_page_empty(tmp_path: Path) -> None:
    pages(tmp_path)
    with Database.open(str(tmp_path / "t.db")) as database:
        cup = database.tournaments.get("cup")
        assert load(database, cup).parts([1])[1].record
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("UPDATE match SET record = x'00' WHERE id = (SELECT min(id) FROM match)")
    found = pages(tmp_path)
    assert any("damaged" in text for text in found.values())
