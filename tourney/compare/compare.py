"""``tourney compare``: from a request to a tournament, and to its result."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from tourney.bots.catalogue.store import BotStore
from tourney.compare.format import ComparisonFormat, StoppingRule
from tourney.compare.request import Answer, derived_name, opening_plies, refuse_natives, stored_results
from tourney.compare.result import LiveResult, result_data
from tourney.errors import GameError, UsageError
from tourney.games.registry import find_game
from tourney.match.spec import Limits
from tourney.ratings.sequences import FIXED
from tourney.run.config.entrants import enter
from tourney.run.config.tournament_file import EntrantLine, TournamentFile
from tourney.run.engine.session import run_tournament
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Listeners
from tourney.run.workers.executor import MatchExecutor
from tourney.schema import NAME
from tourney.store.repository import Repository
from tourney.store.values import Plan, RunSettings, StoredEntrant

SOURCE = Path("tourney compare")
"""What errors name instead of a tournament file."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The two bots to compare, with names and arguments, and how.

    ``opening_plies`` None: as ``tourney.compare.request.opening_plies`` says.
    ``name`` None: a name made of the bots and everything that decides, so that the same request continues
    where it stopped, and another request is another comparison.
    """

    a: EntrantLine
    b: EntrantLine
    game: str
    rule: StoppingRule
    options: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    opening_plies: int | None = None
    seed: int | None = None
    name: str | None = None
    run: RunSettings = field(default_factory=RunSettings)


def compare_bots(
    request: ComparisonRequest,
    url: str,
    bots: Path,
    make_executor: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """Play until the test decides, the deadline, or a signal; continue where the same request stopped.

    The result is stored when the comparison has ended; the same request gets it from there. Raises UsageError
    for an invalid request, and what ``run_tournament`` raises.
    """
    listener = listener or Listener()
    file = comparison_file(request, BotStore(bots.absolute()))
    name = file.plan.name
    stored, before = stored_results(url, name, ComparisonFormat.name)
    if stored is not None and request.name is None:
        with Repository.open(url) as repository:
            kept = repository.verdict(stored.id)
        if kept is not None:
            # Results of older versions lack what only --width sets; their intervals were fixed ones.
            return Answer({"intervals": FIXED, "width": None, **kept}, None)
    live = LiveResult(listener, request.rule, before)
    summary = run_tournament(
        file, url, bots, make_executor, listener=Listeners(listener, live), deadline=deadline
    )
    with Repository.open(url) as repository:
        tournament = repository.tournament(name)
        result = result_data(repository, tournament)
        if result["ended"]:
            repository.keep_verdict(tournament.id, result)
    return Answer(result, summary)


def comparison_file(request: ComparisonRequest, store: BotStore) -> TournamentFile:
    """Return the tournament file of a request. Raises UsageError and TournamentError."""
    if request.name is not None and NAME.fullmatch(request.name) is None:
        raise UsageError(f"{request.name!r} is no name for a comparison ({NAME.pattern})")
    try:
        game = find_game(request.game)
        if 2 not in game.seat_counts:
            raise UsageError(f"{game.name} has no seats for two, and a comparison is between two bots")
        _, options = game.settings(2, request.options)
    except GameError as error:
        raise UsageError(str(error)) from error
    plan = Plan(
        name=request.name or "comparison",
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=ComparisonFormat.name,
        seats=2,
        games_per_pairing=2 * request.rule.batch,
        opening_plies=opening_plies(game, request.opening_plies),
        limits=request.limits,
        extra=request.rule.extra(),
    )
    lines = _named(request.a, request.b, store, plan)
    file = TournamentFile(SOURCE, plan, request.seed, lines, request.run)
    entrants = enter(file, lines, store)
    refuse_natives(plan.limits, entrants, store)
    if request.name is None:
        file = replace(file, plan=structs.replace(plan, name=_name(file, entrants)))
    return file


def _named(a: EntrantLine, b: EntrantLine, store: BotStore, plan: Plan) -> tuple[EntrantLine, EntrantLine]:
    """Return both lines; if their names are equal the second gets another."""
    probe = TournamentFile(SOURCE, plan, None, (a, b), RunSettings())
    names = [enter(probe, (line,), store)[0].name for line in (a, b)]
    if names[0] != names[1]:
        return a, b
    if b.name is not None:
        raise UsageError(f"both bots are called {b.name}: give them different names")
    return a, structs.replace(b, name=f"{names[1][:62]}-2")


def _name(file: TournamentFile, entrants: tuple[StoredEntrant, ...]) -> str:
    """Return a name made of both bots' names and a hash of everything that decides."""
    plan = file.plan
    first, second = (entrant.name[:24] for entrant in entrants)
    also = {"options": dict(plan.options), "opening-plies": plan.opening_plies}
    return derived_name(f"{first}-v-{second}", plan, file.seed, entrants, also)
