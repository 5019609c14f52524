"""Rating games that other programs played, from their tally."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tourney.errors import UsageError
from tourney.match.record import Outcome
from tourney.outcomes.tally import Tally
from tourney.ratings.batch import Batch, rate
from tourney.ratings.classic import TOURNEY, Model
from tourney.ratings.counts import Counts
from tourney.ratings.method import Forfeits
from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.store.database import Database
from tourney.store.results_import import import_outcomes
from tourney.store.values import Tournament

MAX_PLAYERS = 2000
"""Players of one fit: its matrices have a row and a column for each, and take a minute at this size."""
MAX_MATRIX = 60
"""Players of a table of all pairs' superiority in a terminal."""


def rate_tally(
    tally: Tally,
    forfeits: Forfeits = "loss",
    *,
    pairs: bool = False,
    joined: bool = True,
    model: Model = TOURNEY,
    anchors: Mapping[str, float] | None = None,
) -> Batch:
    """Rate games in one fit; ``anchors`` are Elo by name. Raise UsageError for what cannot be rated."""
    players = tally.players
    if len(players) > MAX_PLAYERS:
        counts = sorted(tally.games_of().values(), reverse=True)
        raise UsageError(
            f"{len(players):,} players are more than the {MAX_PLAYERS:,} that one fit takes: leave out those"
            f" with few games by --min-games {counts[MAX_PLAYERS] + 1}, or take some by --player"
        )
    number = {name: place for place, name in enumerate(players)}
    for name in anchors or {}:
        if name not in number:
            raise UsageError(f"--anchor names {name!r}, which has no rated game")
    groups = (
        ([(kind.players, kind.ranks, kind.faults) for kind in kinds], times)
        for kinds, times in tally.groups(joined=joined)
    )
    counts_ = Counts.of_groups(groups, range(len(players)), tally.seats or 2, forfeits)
    counts_ = replace(counts_, distinct=min(tally.distinct, int(counts_.game_times.sum())))
    levels = {number[name]: elo for name, elo in (anchors or {}).items()}
    return rate(counts_, pairs=pairs, model=model, anchors=levels)


def results_of(tally: Tally) -> Iterator[ResultRow]:
    """Yield all games of an ordered tally as results, as the same games would be stored."""
    for group, place, kind in tally.rows():
        yield ResultRow(MatchKey(1, group, 1, place), kind.players, kind.ranks, kind.faults)


def store_tally(database: Database, name: str, game: str, tally: Tally, created: str) -> Tournament:
    """Store the games of an ordered tally as a tournament. Raises as ``import_outcomes``."""
    games = (
        (Row(1, group, 1, place, kind.players), Outcome.of_result(kind.ranks, kind.reason, kind.faults))
        for group, place, kind in tally.rows()
    )
    return import_outcomes(database, name, game, tally.players, games, tally.games, created)


def faults_of(tally: Tally) -> dict[int, int]:
    """The number of each player's faults."""
    counts = dict.fromkeys(range(len(tally.players)), 0)
    for kind, times in tally.kinds():
        for player, fault in zip(kind.players, kind.faults, strict=True):
            if fault:
                counts[player] += times
    return counts


def superiority_rows(batch: Batch, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """The probabilities that the player of a row is stronger than that of each column, best first.

    Columns are named by the players' places in the table, from 1; the diagonal is None.
    """
    order = [line.entrant for line in batch.ratings]
    place = {number: str(at) for at, number in enumerate(order, 1)}
    rows: dict[int, dict[str, Any]] = {
        number: {"place": at, "name": names[number], str(at): None} for at, number in enumerate(order, 1)
    }
    for pair in batch.pairs:
        rows[pair.a][place[pair.b]] = pair.los
        rows[pair.b][place[pair.a]] = round(1 - pair.los, 4)
    return list(rows.values())
