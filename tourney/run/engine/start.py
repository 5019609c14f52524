"""Starts or changes a stored tournament as its file says, and opens benched matches again."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import open_sandbox
from tourney.errors import TournamentError, UsageError
from tourney.games.registry import find_game
from tourney.match.referee import Referee
from tourney.match.seeds import match_seed
from tourney.match.spec import MatchSpec
from tourney.results.format_input import setup_of
from tourney.run.config.amend import compare
from tourney.run.config.entrants import enter, naming, refuse_unrated, seeds_by_rating, with_ratings
from tourney.run.config.opening_book import choose
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.bench_policy import failed_starts_of
from tourney.run.engine.pairing import pair_next
from tourney.schedule.format import find_format
from tourney.store.engine import database_exists
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant, Tournament

Say = Callable[[str], None]

BUSY_SECONDS = 2.0
"""Seconds that a write waits for another writer; then the run pauses."""


def open_tournament(
    file: TournamentFile, url: str, bots: BotStore, say: Say, unbenched: Sequence[str] = ()
) -> tuple[Repository, Tournament]:
    """Find the tournament of a file in the database ``url``, or start it.

    Everything is checked before anything is stored: a database is created only for a tournament that can be
    played. Entrants can be ``unbenched`` only in a tournament that has started. The caller closes the
    repository. Raises TournamentError, StoreError, or UsageError.
    """
    entrants = None if database_exists(url) else _first_entrants(file, None, bots, unbenched)
    repository = Repository.open(url, create=True, busy=BUSY_SECONDS)
    try:
        for tournament in repository.tournaments():
            if tournament.name == file.plan.name:
                return repository, tournament
        if entrants is None:
            entrants = _first_entrants(file, repository, bots, unbenched)
        return repository, _begin(repository, file, entrants, say)
    except BaseException:
        repository.close()
        raise


def amend_tournament(
    repository: Repository, tournament: Tournament, file: TournamentFile, bots: BotStore, say: Say
) -> Tournament:
    """Apply the file's changes to a stored tournament; the caller holds its lock.

    Raises TournamentError for a key that may not change; then nothing is changed.
    """
    stored = repository.entrants(tournament.id)
    paired = repository.progress(tournament.id).rounds
    amendment = compare(tournament, stored, paired, file)
    if not amendment.changed:
        return tournament
    added = enter(file, amendment.added, bots, before=stored, joined=paired + 1)
    with naming(file.path):
        find_format(file.plan.format).check(setup_of(file.plan, tournament.seed, (*stored, *added)))
        _build(file, added, bots)
    if seeds_by_rating(file):
        added = with_ratings(repository, file, added, before=tournament.id)
    left = dict.fromkeys(amendment.withdrawn, paired + 1)
    repository.amend(tournament.id, rounds=amendment.rounds, run=amendment.run, entrants=added, left=left)
    for entrant in added:
        say(f"{entrant.name} joins {tournament.name} from round {entrant.joined} on")
    for number, round_ in left.items():
        say(f"{stored[number].name} is withdrawn from {tournament.name} from round {round_} on")
    return repository.tournament_by_id(tournament.id)


def _first_entrants(
    file: TournamentFile, repository: Repository | None, bots: BotStore, unbenched: Sequence[str]
) -> tuple[StoredEntrant, ...]:
    """Return the entrants of a tournament that has not started, once it can be played; builds their bots.

    Without a ``repository`` there are no ratings from earlier tournaments.
    """
    for name in unbenched:
        raise UsageError(f"--unbench {name}: {file.plan.name} has not started, so it has no benched entrant")
    if file.run.withdrawn:
        raise TournamentError(
            f"{file.path}, [run]: withdrawn names {file.run.withdrawn[0]}, but {file.plan.name} has not"
            " started: remove it from withdrawn and from the entrants",
            file=file.path,
            key="withdrawn",
        )
    by_rating = seeds_by_rating(file)
    if by_rating and repository is None:
        refuse_unrated(file)
    entrants = enter(file, file.entrants, bots)
    with naming(file.path):
        find_format(file.plan.format).check(setup_of(file.plan, file.seed or 0, entrants))
        _try_opening(file, entrants)
        _build(file, entrants, bots)
    if by_rating and repository is not None:
        entrants = with_ratings(repository, file, entrants)
        if all(entrant.rating is None for entrant in entrants):
            refuse_unrated(file)
    return entrants


def _try_opening(file: TournamentFile, entrants: Sequence[StoredEntrant]) -> None:
    """Play the opening of a first match: the run could not play one in which every game ends."""
    plan = file.plan
    if not plan.opening_plies:
        return  # a book's lines are checked when it is read
    seats = tuple(stored.entrant for stored in entrants[: plan.seats])
    seed = match_seed(file.seed or 0, 1, 1, 1)
    opening = choose(seed, plan.opening_plies, plan.book)
    Referee(
        MatchSpec(plan.game, plan.options, seats, seed, plan.limits, opening), find_game(plan.game)
    ).begin(())


def _build(file: TournamentFile, entrants: Sequence[StoredEntrant], bots: BotStore) -> None:
    """Build the bots that need it, so that one that cannot start is reported before anything is played."""
    sandbox = open_sandbox(file.run.sandbox)
    for digest in dict.fromkeys(stored.entrant.digest for stored in entrants):
        bot = bots.fetch(digest)
        runnable_folder(bots, bot, sandbox)
        bot_command(bot)


def _begin(
    repository: Repository, file: TournamentFile, entrants: tuple[StoredEntrant, ...], say: Say
) -> Tournament:
    chosen = file.seed is not None
    seed = secrets.randbits(64) if file.seed is None else file.seed
    tournament = repository.begin(
        file.plan,
        seed=seed,
        seed_chosen=chosen,
        run=file.run,
        entrants=entrants,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    if chosen:
        say(f"the seed {seed} was chosen by a person: a bot that knows it can compute the dice")
    pair_next(repository, tournament.id)
    return repository.tournament_by_id(tournament.id)


def unbench(repository: Repository, tournament: Tournament, names: Sequence[str], say: Say) -> None:
    """Open the matches of benched entrants again: those lost at start-up and those that are void.

    Raises UsageError for a name that is no entrant or is not benched; then nothing is changed.
    """
    if not names:
        return
    numbers = {entrant.name: entrant.number for entrant in repository.entrants(tournament.id)}
    void = dict(repository.benched(tournament.id))
    failed_starts = failed_starts_of(repository.faulty_matches(tournament.id))
    for name in names:
        if name not in numbers:
            raise UsageError(
                f"--unbench {name}: {tournament.name} has no such entrant; see `tourney standings`"
            )
        if numbers[name] not in void and numbers[name] not in failed_starts:
            raise UsageError(f"--unbench {name}: {name} is not benched in {tournament.name}")
    for name in dict.fromkeys(names):
        entrant = numbers[name]
        lost = failed_starts.get(entrant, ())
        back = sorted({*lost, *repository.void_for(tournament.id, entrant)})
        repository.take_back(tournament.id, back)
        say(
            f"{name} is no longer benched: {len(back)} of its matches are played again,"
            f" including {len(lost)} lost at start-up"
        )
