"""``tourney compare``: is A better than B? From what a person asks to a tournament, and to its verdict."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import rfc8785
from msgspec import structs

from tourney.bots.catalogue.store import BotStore
from tourney.compare.format import ComparisonFormat, StoppingRule
from tourney.compare.result import LiveResult, result_of
from tourney.errors import GameError, UsageError
from tourney.games.registry import find_game
from tourney.match.spec import Limits
from tourney.run.config.entrants import enter
from tourney.run.config.tournament_file import NAME, EntrantLine, TournamentFile
from tourney.run.engine.session import run_tournament
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Listeners
from tourney.run.monitoring.summary import Summary
from tourney.run.workers.executor import MatchExecutor
from tourney.schedule.row import ResultRow
from tourney.store.engine import database_exists
from tourney.store.plans import Plan, RunSettings
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant

SOURCE = Path("tourney compare")
"""What stands in errors in the place of a tournament file."""
OPENING_PLIES = 4
"""Actions drawn at random at the start of a pair where a game has no dice: else all pairs would be alike."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks. ``a`` and ``b`` are bots with names of their own or None, and arguments.

    ``opening_plies`` None: ``OPENING_PLIES`` where the game has neither dice nor hidden actions, else none.
    ``name`` None: a name made of the bots and all that decides, so that the same question goes on where it
    stopped, and another question is another comparison.
    """

    a: EntrantLine
    b: EntrantLine
    game: str
    terms: StoppingRule
    options: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    opening_plies: int | None = None
    seed: int | None = None
    name: str | None = None
    run: RunSettings = field(default_factory=RunSettings)


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What a comparison came to, as JSON data; ``summary`` of the run, None if there was nothing to play."""

    result: dict[str, Any]
    summary: Summary | None


def compare_bots(
    request: Request,
    url: str,
    bots: Path,
    pool: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    timetable: Deadline | None = None,
) -> ComparisonResult:
    """Play until it is known, or until the time is up or a signal comes.

    Goes on where it stopped. The result is kept in the store once the comparison has ended, and asked again
    the same question gets it from there. Raises UsageError for a question that makes no sense, and what
    ``run_tournament`` raises.
    """
    listener = listener or Listener()
    file = comparison_file(request, BotStore(bots.absolute()))
    name = file.plan.name
    kept, before = _before(url, name)
    if kept is not None and request.name is None:
        return ComparisonResult(kept, None)
    live = LiveResult(listener, request.terms, before)
    summary = run_tournament(file, url, bots, pool, listener=Listeners(listener, live), timetable=timetable)
    with Repository.open(url) as repository:
        tournament = repository.tournament(name)
        result = result_of(repository, tournament)
        if result["ended"]:
            repository.keep_verdict(tournament.id, result)
    return ComparisonResult(result, summary)


def comparison_file(request: Request, store: BotStore) -> TournamentFile:
    """Return a request as a tournament file would say it. Raises UsageError and TournamentError."""
    if request.name is not None and NAME.fullmatch(request.name) is None:
        raise UsageError(f"{request.name!r} is no name for a comparison ({NAME.pattern})")
    try:
        game = find_game(request.game)
        if 2 not in game.seat_counts:
            raise UsageError(f"{game.name} is not played by two; a comparison is between two bots")
        _, options = game.settings(2, request.options)
    except GameError as error:
        raise UsageError(str(error)) from error
    plies = request.opening_plies
    if plies is None:
        plain = not (game.has_hidden_actions or game.has_chance)
        plies = min(OPENING_PLIES, game.max_actions - 1) if plain else 0
    elif plies and game.has_hidden_actions:
        raise UsageError(f"--opening-plies does not go with {game.name}, a game with hidden actions")
    elif plies >= game.max_actions:
        raise UsageError(f"--opening-plies {plies}: no game of {game.name} is that long")
    plan = Plan(
        name=request.name or "comparison",
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=ComparisonFormat.name,
        seats=2,
        games_per_pairing=2 * request.terms.batch,
        opening_plies=plies,
        limits=request.limits,
        extra=request.terms.extra(),
    )
    lines = _named(request.a, request.b, store, plan)
    file = TournamentFile(SOURCE, plan, request.seed, lines, request.run)
    if request.name is None:
        entrants = enter(file, lines, store)
        file = replace(file, plan=structs.replace(plan, name=_name(file, entrants)))
    return file


def _named(a: EntrantLine, b: EntrantLine, store: BotStore, plan: Plan) -> tuple[EntrantLine, EntrantLine]:
    """Return both lines; where both would bear one name, the second gets another."""
    probe = TournamentFile(SOURCE, plan, None, (a, b), RunSettings())
    names = [enter(probe, (line,), store)[0].name for line in (a, b)]
    if names[0] != names[1]:
        return a, b
    if b.name is not None:
        raise UsageError(f"both bots are called {b.name}: give them different names")
    return a, replace(b, name=f"{names[1][:62]}-2")


def _name(file: TournamentFile, entrants: tuple[StoredEntrant, ...]) -> str:
    """Return a name that says who meets, and by eight digits all that decides."""
    plan = file.plan
    data: Any = {
        "game": plan.game,
        "rules": plan.rules,
        "options": dict(plan.options),
        "opening-plies": plan.opening_plies,
        "limits": plan.limits.as_json(),
        "extra": dict(plan.extra),
        "seed": None if file.seed is None else str(file.seed),
        "entrants": [[e.name, e.entrant.digest, list(e.entrant.args)] for e in entrants],
    }
    digits = hashlib.sha256(rfc8785.dumps(data)).hexdigest()[:8]
    first, second = (entrant.name[:24] for entrant in entrants)
    return f"{first}-v-{second}-{digits}"


def _before(url: str, name: str) -> tuple[dict[str, Any] | None, list[ResultRow]]:
    """Return the verdict of a comparison and what was played of it, as far as there is any."""
    if database_exists(url):
        with Repository.open(url) as repository:
            for tournament in repository.tournaments():
                if tournament.name == name and tournament.plan.format == ComparisonFormat.name:
                    return repository.verdict(tournament.id), list(repository.results(tournament.id))
    return None, []
