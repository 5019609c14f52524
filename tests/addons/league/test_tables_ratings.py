"""The table after a night: one fit over all nights, on anchors."""

from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league, put, reopened, run
from tourney.addons.league.tables import latest_table, night_table


@pytest.mark.usefixtures("admitted")
def test_old_versions_stay_in_the_fit(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("[quota]", "[quota]\nsuperseded-nights = 0"))
    put(league, "ann", "drifter")
    run(league, 0)
    put(league, "ann", "drifter", "new")
    run(league, 1)
    table = latest_table(reopened(league))
    assert table is not None
    rows = {(row.name, row.version): row for row in table.rows}
    old, new = rows["ann/drifter", 1], rows["ann/drifter", 2]
    assert (old.alive, old.place, old.night_games) == (False, None, 0)
    assert (new.alive, new.place) == (True, 1)
    assert rows["house/random", 1].elo == 0.0
    assert rows["house/random", 1].place is None
    first = night_table(reopened(league), 1)
    assert first is not None
    assert {row.version for row in first.rows} == {1}
    assert old.low < old.elo < old.high
    assert old.by_seats == {"2": old.elo}
