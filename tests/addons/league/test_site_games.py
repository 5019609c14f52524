"""Games of a night by rule, the reports of the last nights, and records."""

from pathlib import Path

import msgspec
import pytest

from tests.addons.league.leagues import new_league, put, reopened, run
from tests.addons.league.test_site import row
from tourney.addons.league import site as league_site
from tourney.addons.league.site import keep_games, league_records, site_files
from tourney.addons.league.tables import NightTable, keep_table, night_table
from tourney.errors import StoreError
from tourney.match.evidence import largest_rise
from tourney.store.database import Database

pytestmark = pytest.mark.usefixtures("admitted")


def test_games_and_reports_of_played_nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    for author in ("ann", "bob"):
        put(league, author, "one")
    run(league, 0, 12)
    monkeypatch.setattr(league_site, "REPORTS", 1)
    run(league, 1, 12)
    league = reopened(league)
    games = {one.kind: one for one in league_site.night_games(league, 2)}
    with Database.open(league.database) as database:
        cup = database.tournaments.get("night-0002-2")
        most = max(m.result.actions for m in database.matches.all(cup.id, finished=True) if m.result)
    assert games["longest"].text.endswith(f" after {most} actions")
    assert [path.name for path in (league.site / "games").iterdir()] == ["night-0002-2"]
    pages = {file.path: file.content.decode() for file in site_files(league) if file.is_page}
    assert (league.site / games["longest"].path).is_file()
    assert f'href="../{games["longest"].path}"' in pages["nights/2.html"]
    assert "games/" not in pages["nights/1.html"], "its report is gone"
    assert "Longest game" in pages["nights/1.html"]
    assert "Turning point" in pages["nights/2.html"]
    with Database.open(league.database) as database:
        match = database.matches.find(f"night-0002-2/{games['swing'].match}")
        record = database.records.get(match.tournament, match.number)
        assert match.result is not None
        winner = match.result.ranks.index(1) + 1
        others = (
            largest_rise(one, one.outcome.ranks.index(1) + 1)
            for _, one in database.records.all(match.tournament)
            if len(set(one.outcome.ranks)) > 1
        )
        most_ = max(one.after - one.before for one in others if one)
    rise = largest_rise(record, winner)
    assert rise is not None
    assert rise.after - rise.before == most_
    assert games["swing"].text.endswith(f"with action {rise.ply + 1}, {record.actions[rise.ply][1]}")


def test_upset_is_the_win_over_the_bot_rated_furthest_above(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "one")
    run(league, 0, 24)
    league = reopened(league)
    table = night_table(league, 1)
    assert table is not None
    elo = {"house/greedy": 300.0, "house/random": 0.0, "ann/one": 100.0}
    rows = tuple(msgspec.structs.replace(row, elo=elo[row.name], games=99) for row in table.rows)
    keep_table(league, msgspec.structs.replace(table, rows=rows))
    night = msgspec.structs.replace(league.ledger.nights[1], number=2)
    keep_games(league, night)
    upsets = [one.text for one in league_site.night_games(league, 2) if one.kind == "upset"]
    # The seed of a night is random, so the widest upset is found in the results.
    widest: dict[int, str] = {}
    with Database.open(league.database) as database:
        cup = database.tournaments.get("night-0001-2")
        names = [
            one.name.replace(".", "/", 1).replace(".", " ") for one in database.tournaments.entrants(cup.id)
        ]
        for match in database.matches.all(cup.id, finished=True):
            assert match.result is not None
            if len(set(match.result.ranks)) == 2:
                order = sorted(zip(match.result.ranks, match.seats, strict=True))
                winner, loser = (names[seat] for _, seat in order)
                gap = round(elo[loser[:-2]] - elo[winner[:-2]])
                widest.setdefault(gap, f"{winner} beats {loser}, which was rated {gap} Elo above it")
    assert upsets == [widest[max(widest)]]
    (league.records / "nights" / "2-games.json").write_text("{")
    with pytest.raises(StoreError, match="restore a backup"):
        league_site.night_games(league, 2)


def test_records_name_the_first_night_of_the_best(tmp_path: Path) -> None:
    rows = (row("ann/x", 1, 1, 50.0), row("bob/y", 1, 2, 20.0))
    better = (row("bob/y", 2, 1, 90.0), row("ann/x", 1, 2, 50.0))
    tables = {
        n: NightTable("tourney-league-night/1", "stones", n, 1, r)
        for n, r in enumerate((rows, better, better, rows), 1)
    }
    assert list(league_records(tables)) == [
        ("highest rating", "bob/y", "90 Elo, version 2, night 2"),
        ("most games of a version", "ann/x", "1,400, version 1"),
        ("most nights in the lead", "bob/y", "2"),
    ]
    assert list(league_records({})) == []


def test_record_rating_comes_from_enough_games() -> None:
    """The table says "too few games" where the interval is wide, whatever the Elo."""
    rows = (msgspec.structs.replace(row("ann/x", 1, 1, 935.0), high=1400.0), row("bob/y", 1, 2, 20.0))
    tables = {1: NightTable("tourney-league-night/1", "stones", 1, 1, rows)}
    records = {title: name for title, name, _ in league_records(tables)}
    assert records["highest rating"] == "bob/y"
    assert records["most nights in the lead"] == "ann/x"
