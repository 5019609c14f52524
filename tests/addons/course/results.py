"""Stored tournaments with chosen results: bots called a, b, c and so on, each with files of its own."""

from collections.abc import Callable

from tests.support.tournaments import begin, played
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult, Tournament

Ranks = Callable[[int, tuple[str, ...]], tuple[int, ...]]
"""The ranks of a match by its number and the names in seat order."""


def alphabetical(_: int, names: tuple[str, ...]) -> tuple[int, ...]:
    """The ranks by which the earlier letter wins."""
    return tuple(sorted(names).index(name) + 1 for name in names)


def tournament(
    database: Database, name: str, count: int, ranks: Ranks = alphabetical, *, games: int = 2
) -> Tournament:
    """A finished round-robin of the first ``count`` letters."""
    made = begin(database, count, name=name, games=games)
    while pair_next(database, made.id):
        pass
    entrants = database.tournaments.entrants(made.id)
    results = []
    for number, row in database.schedules.pending(made.id):
        spec = spec_of(made, entrants, row)
        names = tuple(seat.name for seat in spec.seats)
        results.append(MatchResult(number, played(spec, ranks(number, names))))
    database.matches.add(made.id, results)
    return database.tournaments.by_id(made.id)
