"""Store results that other programs played as a finished tournament of the format ``results``.

Its matches are rows like all others, without records: each group of games is a table of round 1, so that
ratings know the pairs. All is stored or nothing.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from tourney.match.spec import Entrant
from tourney.schedule.row import Row, limit_rows
from tourney.store.repository import Repository
from tourney.store.values import NO_BOT, RESULTS, Outcome, Plan, RunSettings, StoredEntrant, Tournament

_CHUNK: Final = 5_000


class Played(NamedTuple):
    """A game: the group it belongs to and its place there (both from 1), players by seat, and its end."""

    group: int
    place: int
    players: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]
    reason: str


def import_outcomes(
    repository: Repository,
    name: str,
    game: str,
    players: Sequence[str],
    games: Iterable[Played],
    count: int,
    created: str,
) -> Tournament:
    """Store ``count`` games, which come in the order of their groups and places, and have the same seats.

    Raises UsageError if the name is taken, and TournamentError for more games than a tournament can have.
    """
    limit_rows("this import", count, "fewer games by a filter")
    found = iter(games)
    first = next(found)
    plan = Plan(
        name=name,
        game=game,
        rules="unknown",
        options=(),
        format=RESULTS,
        seats=len(first.players),
        games_per_pairing=1,
    )
    entrants = tuple(
        StoredEntrant(number, Entrant(player, player, "", (), NO_BOT))
        for number, player in enumerate(players)
    )
    with repository.transaction() as writer:
        tournament = writer.begin(
            plan, seed=0, seed_chosen=True, run=RunSettings(), entrants=entrants, created=created
        )
        chunk = [first, *islice(found, _CHUNK)]
        while chunk:
            writer.add_outcomes(tournament.id, [_outcome(one) for one in chunk])
            chunk = list(islice(found, _CHUNK))
        return writer.tournament_by_id(tournament.id)


def _outcome(one: Played) -> Outcome:
    return Outcome(Row(1, one.group, 1, one.place, one.players), one.ranks, one.faults, one.reason)
