"""Ratings of the games of a tally, and the tally as a tournament of the database."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tourney.errors import UsageError
from tourney.exchange.results import import_outcomes
from tourney.exchange.tally import Tally
from tourney.match.record import Outcome
from tourney.ratings.batch import Batch, BatchMethod, PoolMethod
from tourney.ratings.counts import Counts, Found
from tourney.ratings.method import Forfeits
from tourney.results.ratings import MAX_PLAYERS
from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.store.database import Database
from tourney.store.values import Tournament


def rate_tally(
    tally: Tally,
    forfeits: Forfeits = "loss",
    *,
    pairs: bool = False,
    joined: bool = True,
    method: PoolMethod | None = None,
    anchors: Mapping[str, float] | None = None,
) -> Batch:
    """Rate games in one fit (default: Tourney's own); ``anchors`` are Elo by name.

    Raise UsageError for games that cannot be rated.
    """
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
    times_by_games: Found = Counter()
    for kinds, times in tally.groups(joined=joined):
        counting = (kind for kind in kinds if forfeits == "loss" or not any(kind.faults))
        if games := sorted((kind.players, kind.ranks, ()) for kind in counting):
            times_by_games[tuple(games)] += times
    counts_ = Counts.of_clusters(times_by_games, range(len(players)), tally.seats or 2)
    counts_ = replace(counts_, distinct=min(tally.distinct, int(counts_.game_times.sum())))
    levels = {number[name]: elo for name, elo in (anchors or {}).items()}
    return (method or BatchMethod()).fit(counts_, pairs=pairs, anchors=levels)


def results_of(tally: Tally) -> Iterator[ResultRow]:
    """Yield all games of an ordered tally as results, as the same games would be stored."""
    for group, place, kind in tally.rows():
        yield ResultRow(MatchKey(1, group, 1, place), kind.players, kind.ranks, kind.faults)


def store_tally(
    database: Database, name: str, game: str, tally: Tally, created: str, score: str | None = None
) -> Tournament:
    """Store the games of an ordered tally as a tournament. Raises as ``import_outcomes``."""
    games = (
        (Row(1, group, 1, place, kind.players), Outcome.of_result(kind.ranks, kind.reason, kind.faults))
        for group, place, kind in tally.rows()
    )
    return import_outcomes(database, name, game, tally.players, games, tally.games, created, score)


def faults_of(tally: Tally) -> dict[int, int]:
    """The number of each player's faults."""
    counts = dict.fromkeys(range(len(tally.players)), 0)
    for kind, times in tally.kinds():
        for player, fault in zip(kind.players, kind.faults, strict=True):
            if fault:
                counts[player] += times
    return counts
