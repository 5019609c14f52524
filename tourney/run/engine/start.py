"""Starting: from a tournament file to a tournament in the store that is ready to be played."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import open_sandbox
from tourney.errors import BotError, GameError, TournamentError, UsageError
from tourney.games.registry import find_game
from tourney.match.referee import Referee
from tourney.match.seeds import match_seed
from tourney.match.spec import MatchSpec
from tourney.results.format_input import setup_of
from tourney.run.config.amend import compare
from tourney.run.config.entrants import enter
from tourney.run.config.opening_book import choose
from tourney.run.config.prior_ratings import refuse_unrated, wants_ratings, with_ratings
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.bench_policy import startup_failures_of
from tourney.run.engine.pairing import pair_next
from tourney.schedule.registry import find_format
from tourney.store.engine import database_exists
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant, Tournament

Say = Callable[[str], None]

BUSY_SECONDS = 2.0
"""How long a run waits for another writer at a time: then it says so, and pauses."""


def open_tournament(
    file: TournamentFile, url: str, bots: BotStore, say: Say, unbenched: Sequence[str] = ()
) -> tuple[Repository, Tournament]:
    """Begin the tournament of a file in the database ``url``, or find the one that it began.

    All is checked before anything is stored: a database is made only for a tournament that can be played.
    Where somebody is to be ``unbenched`` it must have begun. The caller closes the repository. Raises
    TournamentError, StoreError, or UsageError.
    """
    entrants: tuple[StoredEntrant, ...] | None = None
    if not database_exists(url):
        _refuse_unbenching(file, unbenched)
        if wants_ratings(file):
            refuse_unrated(file)
        entrants = _enter_all(file, bots)
    repository = Repository.open(url, create=True, busy=BUSY_SECONDS)
    try:
        for tournament in repository.tournaments():
            if tournament.name == file.plan.name:
                return repository, tournament
        _refuse_unbenching(file, unbenched)
        if entrants is None:
            entrants = _enter_all(file, bots)
        if wants_ratings(file):
            entrants = with_ratings(repository, file, entrants)
            if all(entrant.rating is None for entrant in entrants):
                refuse_unrated(file)
        return repository, _begin(repository, file, entrants, say)
    except BaseException:
        repository.close()
        raise


def _refuse_unbenching(file: TournamentFile, unbenched: Sequence[str]) -> None:
    """Raise UsageError if somebody is to have another try in a tournament that has not begun."""
    for name in unbenched:
        raise UsageError(f"--unbench {name}: {file.plan.name} has not begun, so nobody is benched in it")


def amend_tournament(
    repository: Repository, tournament: Tournament, file: TournamentFile, bots: BotStore, say: Say
) -> Tournament:
    """Take over what the file changes of a tournament that has begun; the caller holds its lock.

    Raises TournamentError that names the key which may not change; then nothing is changed.
    """
    stored = repository.entrants(tournament.id)
    drawn = repository.progress(tournament.id).rounds
    amendment = compare(tournament, stored, drawn, file)
    if not amendment.changed:
        return tournament
    added = enter(file, amendment.added, bots, before=stored, joined=drawn + 1)
    _check_format(file, tournament.seed, (*stored, *added))
    _build(file, added, bots)
    if wants_ratings(file):
        added = with_ratings(repository, file, added, before=tournament.id)
    left = dict.fromkeys(amendment.withdrawn, drawn + 1)
    repository.amend(tournament.id, rounds=amendment.rounds, run=amendment.run, entrants=added, left=left)
    for entrant in added:
        say(f"{entrant.name} joins {tournament.name} from round {entrant.joined} on")
    for number, round_ in left.items():
        say(f"{stored[number].name} is withdrawn from {tournament.name} from round {round_} on")
    return repository.tournament_by_id(tournament.id)


def _enter_all(file: TournamentFile, bots: BotStore) -> tuple[StoredEntrant, ...]:
    if file.run.withdrawn:
        raise TournamentError(
            f"{file.path}, [run]: withdrawn names {file.run.withdrawn[0]}, but {file.plan.name} has not begun"
            " yet: take it out of withdrawn, and whoever is not to play out of the entrants"
        )
    entrants = enter(file, file.entrants, bots)
    _check_format(file, file.seed or 0, entrants)
    _try_opening(file, entrants)
    _build(file, entrants, bots)
    return entrants


def _check_format(file: TournamentFile, seed: int, entrants: Sequence[StoredEntrant]) -> None:
    try:
        find_format(file.plan.format).check(setup_of(file.plan, seed, entrants))
    except TournamentError as error:
        raise TournamentError(f"{file.path}: {error}") from error


def _try_opening(file: TournamentFile, entrants: Sequence[StoredEntrant]) -> None:
    """Play the opening of a first match: one so long that every game ends in it would stop the run there."""
    plan = file.plan
    if not plan.opening_plies:
        return  # lines of a book are tried as the book is read
    seats = tuple(stored.entrant for stored in entrants[: plan.seats])
    seed = match_seed(file.seed or 0, 1, 1, 1)
    opening = choose(seed, plan.opening_plies, plan.book)
    spec = MatchSpec(plan.game, plan.options, seats, seed, plan.limits, opening)
    try:
        Referee(spec, find_game(plan.game)).begin(())
    except (GameError, TournamentError) as error:
        raise TournamentError(f"{file.path}: {error}") from error


def _build(file: TournamentFile, entrants: Sequence[StoredEntrant], bots: BotStore) -> None:
    """Build the bots that want it, so that what cannot be started is said before anything is played."""
    sandbox = open_sandbox(file.run.sandbox)
    for digest in dict.fromkeys(stored.entrant.digest for stored in entrants):
        try:
            bot = bots.fetch(digest)
            runnable_folder(bots, bot, sandbox)
            bot_command(bot)
        except BotError as error:
            raise TournamentError(f"{file.path}: {error}") from error


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
    """Give benched entrants another try: what they lost at start-up, and what is void, is open again.

    Raises UsageError for a name that is no entrant or is not benched; then nothing is changed.
    """
    if not names:
        return
    numbers = {entrant.name: entrant.number for entrant in repository.entrants(tournament.id)}
    void = dict(repository.benched(tournament.id))
    strikes = startup_failures_of(repository.faulty_matches(tournament.id))
    for name in names:
        if name not in numbers:
            raise UsageError(
                f"--unbench {name}: {tournament.name} has no such entrant; see `tourney standings`"
            )
        if numbers[name] not in void and numbers[name] not in strikes:
            raise UsageError(f"--unbench {name}: {name} is not benched in {tournament.name}")
    for name in dict.fromkeys(names):
        entrant = numbers[name]
        lost = strikes.get(entrant, ())
        back = sorted({*lost, *repository.void_for(tournament.id, entrant)})
        repository.take_back(tournament.id, back)
        say(
            f"{name} is no longer benched: {len(back)} of its matches are played again,"
            f" {len(lost)} of them lost at start-up before"
        )
