"""``tourney ladder``: from a request to a tournament, and to a bot's place on a ladder."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from tourney.bots.catalogue.rungs import Rung, ladder_of
from tourney.bots.catalogue.shipped import shipped_digests
from tourney.bots.catalogue.store import BotStore
from tourney.compare.ladder_format import GAMES, WIDTH, LadderFormat, LadderRule
from tourney.compare.ladder_result import LiveLadder, ladder_data
from tourney.compare.request import Answer, derived_name, has_ended, opening_plies, stored_results
from tourney.errors import BotError, GameError, UsageError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.spec import Charge, Limits
from tourney.run.config.entrants import enter
from tourney.run.config.tournament_file import EntrantLine, TournamentFile, no_ladder_text
from tourney.run.engine.session import run_tournament
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Listeners
from tourney.run.workers.executor import MatchExecutor
from tourney.schedule.format import group_size
from tourney.store.repository import Repository
from tourney.store.values import Plan, RunSettings, StoredEntrant, Tournament

SOURCE = Path("tourney ladder")
"""What errors name instead of a tournament file."""
MOVE_MS: Final = 1000
"""Time per action that the referee states to the bots, unless the request says otherwise."""
MARGIN_MS: Final = 60_000
"""Time beyond it before a turn is a timeout: a rung plays a fixed number of nodes, on a slow machine too."""
MAX_FAULTS: Final = 8
"""The number of faults that stops a placement."""


@dataclass(frozen=True, slots=True)
class LadderRequest:
    """The bot to place, and how. ``seats`` None: the game's minimum; the rest is as in ``LadderRule``.

    ``charge`` is not ``fuel``: the rungs are no modules.

    The bot, the ladder and all else that decides make the name of the tournament, so the same request goes on
    where it stopped.
    """

    bot: EntrantLine
    game: str
    seats: int | None = None
    width: int = WIDTH
    games: int = GAMES
    move_ms: int = MOVE_MS
    charge: Charge = "wall"
    seed: int | None = None
    max_faults: int = MAX_FAULTS
    run: RunSettings = field(default_factory=RunSettings)


def find_rungs(game: AnyGame, seats: int) -> tuple[Rung, ...]:
    """Return the rungs of a game's ladder. Raises UsageError if it has none, or if one has no rating."""
    rungs = ladder_of(game.name, seats)
    if not rungs:
        raise UsageError(f"{no_ladder_text(game.name, seats)}, and compare bots by `tourney compare`")
    unrated = [rung.name for rung in rungs if rung.rating is None]
    if unrated:
        raise UsageError(
            f"the ladder of {game.name} with {seats} seats has no ratings of {', '.join(unrated)}: enter the"
            ' rungs by bots = ["@ladder"] in a tournament file instead'
        )
    return rungs


def place_bot(
    request: LadderRequest,
    url: str,
    bots: Path,
    make_executor: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """Play until the bot's rating is known, the deadline, or a signal; continue where the request stopped.

    Raises UsageError for an invalid request, and what ``run_tournament`` raises.
    """
    listener = listener or Listener()
    file, rungs, entrants = ladder_file(request, BotStore(bots.absolute()))
    name = file.plan.name
    stored, before = stored_results(url, name, LadderFormat.name)
    summary = None
    if stored is None or not _is_over(url, stored):
        live = LiveLadder(
            listener,
            LadderRule.of(file.plan.extra),
            file.plan.seats,
            [entrant.name for entrant in entrants],
            before,
        )
        summary = run_tournament(
            file,
            url,
            bots,
            make_executor,
            listener=Listeners(listener, live),
            deadline=deadline,
            max_faults=request.max_faults,
        )
    with Repository.open(url) as opened, opened.snapshot() as repository:
        return Answer(ladder_data(repository, repository.tournament(name), rungs), summary)


def ladder_file(
    request: LadderRequest, store: BotStore
) -> tuple[TournamentFile, tuple[Rung, ...], tuple[StoredEntrant, ...]]:
    """Return the tournament file of a request, the rungs, and the entrants, the bot first.

    Raises UsageError and TournamentError.
    """
    try:
        game = find_game(request.game)
        seats, options = game.settings(request.seats)
    except GameError as error:
        raise UsageError(str(error)) from error
    rungs = find_rungs(game, seats)
    anchors = tuple(round(100 * rung.rating.elo) for rung in rungs if rung.rating is not None)
    rule = LadderRule(anchors, request.width, request.games)
    plan = Plan(
        name="ladder",
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=LadderFormat.name,
        seats=seats,
        games_per_pairing=group_size(seats),
        opening_plies=opening_plies(game),
        limits=Limits(move_ms=request.move_ms, margin_ms=MARGIN_MS, startup_ms=60_000, charge=request.charge),
        extra=rule.extra(),
    )
    file = TournamentFile(SOURCE, plan, request.seed, (request.bot,), request.run)
    bot = enter(file, file.entrants, store)[0]
    taken = bot.name in {rung.name for rung in rungs}
    # By its digest, so that the same bot by another path goes on.
    line = EntrantLine(bot.entrant.digest, f"{bot.name[:60]}-new" if taken else bot.name, request.bot.args)
    lines = (line, *(EntrantLine(rung.bot, rung.name, rung.args) for rung in rungs))
    entrants = enter(file, lines, store)
    _check_rungs(entrants[1:])
    plan = structs.replace(plan, name=_name(plan, request.seed, entrants))
    return replace(file, plan=plan, entrants=lines), rungs, entrants


def _check_rungs(rungs: tuple[StoredEntrant, ...]) -> None:
    """Raise BotError for a rung whose name means another bot here: its rating is that of the shipped one."""
    shipped = shipped_digests()
    for rung in rungs:
        if rung.entrant.digest not in shipped.values():
            raise BotError(
                f"{rung.entrant.bot} means another bot here than the one that ships, whose rating the ladder"
                " has: work in another folder, or remove the bot from the store by `tourney bots remove`",
                rung.name,
            )


def _name(plan: Plan, seed: int | None, entrants: tuple[StoredEntrant, ...]) -> str:
    """Return a name made of the bot's and a hash of everything that decides."""
    return derived_name(f"{entrants[0].name[:40]}-ladder", plan, seed, entrants, {"seats": plan.seats})


def _is_over(url: str, tournament: Tournament) -> bool:
    """Return whether all is played and the root is stored, which a run that was killed at its end lacks."""
    with Repository.open(url) as repository:
        return tournament.root is not None and has_ended(repository, tournament)
