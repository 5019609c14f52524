"""News follows from the ledger, the tables and the results."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league, put, reopened, run
from tourney.addons.league.folder import League
from tourney.addons.league.ledger import BotVersion, Division, Night, Season
from tourney.addons.league.site import first_wins, league_news
from tourney.addons.league.tables import NightTable, TableRow, night_table
from tourney.store.database import Database

THEN = "2026-11-25T22:00:00+00:00"


def table(night: int, *order: str) -> NightTable:
    rows = tuple(
        TableRow("ann", bot, 1, f"{place}" * 64, True, 1, place, 0.0, 0.0, 0.0, 1, 1, {})
        for place, bot in enumerate(order, 1)
    )
    return NightTable("tourney-league-night/1", "stones", night, 1, rows)


def said(league: League, *tables: NightTable) -> Sequence[tuple[int, str]]:
    return [(one.night, one.text) for one in league_news(league, {one.night: one for one in tables})]


def test_new_versions_are_news_but_not_those_of_the_house(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    league.ledger.add(
        BotVersion("ann", "heron", 2, "a" * 64, 1), BotVersion("house", "random", 1, "b" * 64, 1)
    )
    assert said(league, table(1)) == [(1, "ann/heron 2 is new")]
    assert said(league) == []


def test_change_of_the_leader_is_news(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    tables = (table(1, "heron", "crane"), table(2, "heron", "crane"), table(3, "crane", "heron"))
    assert said(league, *tables) == [(3, "ann/crane 1 leads division 1")]


def test_bots_that_change_their_division_are_news_of_the_last_night(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    league.ledger.add(
        BotVersion("ann", "crane", 1, "a" * 64, 1),
        BotVersion("ann", "heron", 1, "b" * 64, 1),
        BotVersion("ann", "stork", 1, "c" * 64, 1),
        *(Night(number, 1, THEN, THEN) for number in (1, 2)),
        Season(1, THEN, (Division(1, ("ann/crane", "ann/stork")), Division(2, ("ann/heron",)))),
        Season(2, THEN, (Division(1, ("ann/heron", "ann/stork")), Division(2, ("ann/crane",)))),
    )
    assert said(league, table(1), table(2))[3:] == [
        (2, "ann/crane falls to division 2"),
        (2, "ann/heron rises to division 1"),
    ]


def test_first_win_after_an_earlier_meeting_is_news(tmp_path: Path) -> None:
    """Not the win of the first meeting, an even score, a later win, or one of the house."""
    league = new_league(tmp_path)
    bots = (("ann", "crane", 1), ("ann", "crane", 2), ("bob", "heron", 1), ("house", "random", 1))
    league.ledger.add(*(BotVersion(*bot, str(key) * 64, 1) for key, bot in enumerate(bots)))
    old, new, heron, random = (one.entrant for one in league.ledger.versions)
    nights = [
        {(old, heron): -2, (heron, old): 2, (old, random): 0, (random, old): 0},
        {(old, heron): 0, (heron, old): 0, (old, random): -1, (random, old): 1},
        {(old, heron): 1, (heron, old): -1, (new, heron): 1, (heron, new): -1, (new, random): 1},
        {(new, heron): 2, (heron, new): -2, (new, random): 3},
    ]
    assert [(one.night, one.bot, one.text) for one in first_wins(league.ledger, enumerate(nights, 1))] == [
        (3, "ann/crane", "ann/crane 2 beats bob/heron 1 for the first time"),
        (3, "ann/crane", "ann/crane 2 beats house/random 1 for the first time"),
    ]


@pytest.mark.usefixtures("admitted")
def test_first_wins_agree_with_a_count_over_the_matches(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for author, bot in (("ann", "crane"), ("bob", "heron"), ("eve", "stork")):
        put(league, author, bot)
    for number in range(3):
        run(league, number, matches=16)
    league = reopened(league)
    tables = {number: found for number in league.ledger.nights if (found := night_table(league, number))}
    wins = [(one.night, one.text) for one in league_news(league, tables) if "beats" in one.text]
    assert wins == list(counted(league))


def counted(league: League) -> Iterator[tuple[int, str]]:
    """Yield the first wins of each night, by the winner and the loser."""
    ahead: set[tuple[str, str]] = set()
    before: set[tuple[str, str]] = set()
    with Database.open(league.database) as database:
        for number in sorted(league.ledger.nights):
            tournament = database.tournaments.get(f"night-{number:04}-2").id
            names = [one.name for one in database.tournaments.entrants(tournament)]
            margin: Counter[tuple[str, str]] = Counter()
            for result in database.matches.results(tournament):
                one, other = (names[entrant] for entrant in result.entrants)
                gain = (result.ranks[0] < result.ranks[1]) - (result.ranks[0] > result.ranks[1])
                margin[one, other] += gain
                margin[other, one] -= gain
            winners = {pair for pair, gain in margin.items() if gain > 0} - ahead
            for one, other in sorted(winners & before):
                if not one.startswith("house."):
                    words = [name.replace(".", "/", 1).replace(".", " ") for name in (one, other)]
                    yield number, f"{words[0]} beats {words[1]} for the first time"
            ahead |= winners
            before |= margin.keys()
