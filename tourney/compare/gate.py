"""``tourney gate``: from a request to a tournament, and to the verdict on a candidate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import open_sandbox
from tourney.compare.gate_format import GateFormat, GateRule
from tourney.compare.gate_result import LiveGate, broken_data, gate_data
from tourney.compare.request import (
    Answer,
    derived_name,
    has_ended,
    opening_plies,
    refuse_natives,
    stored_results,
)
from tourney.errors import EnvironmentFailure, GameError, UsageError
from tourney.games.registry import find_game
from tourney.match.spec import Limits
from tourney.run.config.entrants import enter
from tourney.run.config.tournament_file import EntrantLine, TournamentFile
from tourney.run.engine.broken import find_broken, reason_of
from tourney.run.engine.session import run_tournament
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Listeners
from tourney.run.workers.executor import MatchExecutor
from tourney.schema import NAME
from tourney.store.repository import Repository
from tourney.store.values import Plan, RunSettings, StoredEntrant

SOURCE: Final = Path("tourney gate")
"""What errors name instead of a tournament file."""


@dataclass(frozen=True, slots=True)
class GateRequest:
    """The candidate, the baselines, and how they play.

    The name of the tournament is made of all that decides, so the same request continues where it stopped.
    ``max_pairs`` against each baseline (None: no limit) is not part of it: more pairs continue, too. A
    baseline whose name another entrant has gets another.
    """

    candidate: EntrantLine
    baselines: tuple[EntrantLine, ...]
    game: str
    rule: GateRule = field(default_factory=GateRule)
    max_pairs: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    opening_plies: int | None = None
    seed: int | None = None
    run: RunSettings = field(default_factory=RunSettings)


def gate_bot(
    request: GateRequest,
    url: str,
    bots: Path,
    make_executor: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """Play until there is a verdict, the limit, the deadline, or a signal; continue where it stopped.

    A candidate that cannot be built or started is rejected without a match. Raises UsageError for an invalid
    request, EnvironmentFailure for a baseline that cannot be started, and what ``run_tournament`` raises.
    """
    listener = listener or Listener()
    store = BotStore(bots.absolute())
    file, entrants = gate_file(request, store)
    broken = find_broken(entrants, store, open_sandbox(request.run.sandbox), file.plan.limits)
    if 0 in broken:
        return Answer(broken_data(file.plan, entrants, broken[0]), None)
    for number, error in broken.items():
        raise EnvironmentFailure(
            f"the baseline {entrants[number].name} cannot be started here, so there is nothing to compare"
            f" with: {reason_of(error)}"
        )
    name = file.plan.name
    stored, before = stored_results(url, name, GateFormat.name)
    if stored is not None:
        with Repository.open(url) as repository:
            result = gate_data(repository, stored)
            rounds = file.plan.rounds
            if rounds is not None:  # a round that is paired is not taken back
                rounds = max(rounds, repository.progress(stored.id).rounds)
            over = result["ended"] or (rounds == stored.plan.rounds and has_ended(repository, stored))
            if over and stored.root is not None:  # without it, the run was killed at its very end
                return Answer(result, None)
        file = replace(file, plan=structs.replace(file.plan, rounds=rounds))
    live = LiveGate(listener, request.rule, [entrant.name for entrant in entrants], before)
    summary = run_tournament(
        file, url, bots, make_executor, listener=Listeners(listener, live), deadline=deadline
    )
    with Repository.open(url) as opened, opened.snapshot() as repository:
        return Answer(gate_data(repository, repository.tournament(name)), summary)


def gate_file(request: GateRequest, store: BotStore) -> tuple[TournamentFile, tuple[StoredEntrant, ...]]:
    """Return the tournament file of a request, and its entrants. Raises UsageError and TournamentError."""
    try:
        game = find_game(request.game)
        if 2 not in game.seat_counts:
            raise UsageError(f"{game.name} has no seats for two, and a gate compares two bots at a time")
        _, options = game.settings(2, request.options)
    except GameError as error:
        raise UsageError(str(error)) from error
    rule = request.rule
    plan = Plan(
        name="gate",
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=GateFormat.name,
        seats=2,
        games_per_pairing=2 * rule.batch,
        rounds=None if request.max_pairs is None else -(-request.max_pairs // rule.batch),
        opening_plies=opening_plies(game, request.opening_plies),
        limits=request.limits,
        extra=rule.extra(),
    )
    file = TournamentFile(SOURCE, plan, request.seed, (request.candidate,), request.run)
    lines = _named(file, (request.candidate, *request.baselines), store)
    entrants = enter(replace(file, entrants=lines), lines, store)
    refuse_natives(plan.limits, entrants, store)
    also = {"options": dict(plan.options), "opening-plies": plan.opening_plies}
    name = derived_name(f"{entrants[0].name[:40]}-gate", plan, request.seed, entrants, also)
    return replace(file, plan=structs.replace(plan, name=name), entrants=lines), entrants


def _named(file: TournamentFile, lines: Sequence[EntrantLine], store: BotStore) -> tuple[EntrantLine, ...]:
    """Return the lines by digest, each with a name of its own, so that another path goes on."""
    taken: set[str] = set()
    seen: set[tuple[str, tuple[str, ...]]] = set()
    found: list[EntrantLine] = []
    for line in lines:
        entrant = enter(file, (line,), store)[0]
        bot = (entrant.entrant.digest, entrant.entrant.args)
        if found and bot in seen:
            raise UsageError(f"--against names {entrant.name} twice: the same files with the same arguments")
        if found:
            seen.add(bot)
        version = f"{entrant.name[:40]}-{entrant.entrant.version[:20].lower()}"
        names = (entrant.name, version, *(f"{entrant.name[:56]}-base{n}" for n in ("", *range(2, 99))))
        name = next(one for one in names if one not in taken and NAME.fullmatch(one))
        taken.add(name)
        found.append(EntrantLine(entrant.entrant.digest, name, entrant.entrant.args))
    return tuple(found)
