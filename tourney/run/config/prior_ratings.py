"""What is known of entrants before a tournament begins: ratings from the tournaments before it."""

from collections.abc import Sequence
from dataclasses import replace

from tourney.errors import TournamentError
from tourney.run.config.tournament_file import TournamentFile
from tourney.schedule.adaptive import estimate
from tourney.schedule.format import Participant
from tourney.schedule.row import ResultRow
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant

Identity = tuple[str, tuple[str, ...]]
"""Who is the same in two tournaments: a bot's digest, and its arguments."""


def wants_ratings(file: TournamentFile) -> bool:
    """Say whether a file asks for seeding by rating."""
    return dict(file.plan.extra).get("seeding") == "rating"


def with_ratings(
    repository: Repository, file: TournamentFile, entrants: Sequence[StoredEntrant], before: int | None = None
) -> tuple[StoredEntrant, ...]:
    """Return the entrants with their ratings, in whole hundredths of Elo; those that never played have none.

    They come from all matches of the database's tournaments of the same game, options and seats that were
    begun before the one with the id ``before`` (None: from all there are), together.
    """
    numbers: dict[Identity, int] = {}
    results: list[ResultRow] = []
    for tournament in repository.tournaments():
        plan = tournament.plan
        same = (plan.game, plan.options, plan.seats) == (file.plan.game, file.plan.options, file.plan.seats)
        if not same or (before is not None and tournament.id >= before):
            continue
        known = [_identity(entrant) for entrant in repository.entrants(tournament.id)]
        for result in repository.results(tournament.id):
            seats = tuple(numbers.setdefault(known[number], len(numbers)) for number in result.entrants)
            if len(set(seats)) == len(seats):
                results.append(result._replace(entrants=seats))
    played = {number for result in results if not result.void for number in result.entrants}
    if not played:
        return tuple(entrants)
    strengths = estimate([Participant(number) for number in range(len(numbers))], results, file.plan.seats)
    found = []
    for entrant in entrants:
        number = numbers.get(_identity(entrant))
        if number in played:
            rating, deviation = strengths.rating[number], strengths.deviation[number]
            found.append(replace(entrant, rating=rating, deviation=deviation))
        else:
            found.append(entrant)
    return tuple(found)


def refuse_unrated(file: TournamentFile) -> None:
    """Raise the error that seeding by rating has nothing to go by."""
    raise TournamentError(
        f'{file.path}: seeding is "rating", but no entrant has played {file.plan.game} with these options and'
        ' seats in this database: play another tournament first, or take seeding = "file"'
    )


def _identity(entrant: StoredEntrant) -> Identity:
    return entrant.entrant.digest, entrant.entrant.args
