"""A dry run: the entrants, rounds, matches and time of a run, and the resources that its matches share."""

import math
import tempfile
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from typing import Final, Literal, NamedTuple

from msgspec import structs

from tourney.bots.catalogue.store import BotStore, StoredBot, look_up
from tourney.games.registry import find_game
from tourney.games.tree import playout
from tourney.match.spec import MEMORY_MB
from tourney.results.standings import setup_of
from tourney.results.texts import repeats_warning, sharing_text
from tourney.run.engine.readiness import Pinning, memory_of, refuse_unfit_match
from tourney.run.file_schema import EntrantLine
from tourney.run.preparation import Preparation, find_bot, prepare
from tourney.run.summary import span_text
from tourney.run.tournament_file import TournamentFile
from tourney.schedule.format import History, find_format
from tourney.schema import Document, Part
from tourney.seeds import deriver, uniform
from tourney.store.database import Database
from tourney.store.engine import database_exists
from tourney.store.values import Plan
from tourney.texts import counted

SAMPLE: Final = 64  # latest matches whose mean length is taken, of each tournament of the same conditions
GAMES: Final = 8  # random games whose mean length bounds a match's time where no match is stored
LONGEST: Final = 5_000  # the most actions of such a game
SHOWN: Final = 12  # entrants that are named in the text

Basis = Literal["matches", "limits"]
"""Where a time comes from: stored matches, or (an upper bound) the limits."""


class DryRunEntrant(Part, frozen=True, kw_only=True):
    """An entrant and its bot, as name@version."""

    name: str
    bot: str


class DryRunDocument(Document, frozen=True, kw_only=True):
    """The estimate of a run.

    `started`: it would continue a tournament, to which the file adds the entrants `added` and from which it
    withdraws those `withdrawn`. `rounds` and `matches` are those of the whole tournament; null where results
    decide them. `most_matches` bounds them, null where only results do. `paired` are the matches known now,
    `done` those with a result. `seconds` is the time for all that is left, with `workers` matches at a time:
    an estimate from stored matches, or an upper bound from the limits, as `basis` says. `allowed` are the
    seconds of --stop-at or --stop-after from now on. `shared` are sentences on what games and bots share.
    """

    format: Literal["tourney-dry-run/1"] = "tourney-dry-run/1"
    tournament: str
    game: str
    tournament_format: str
    seats: int
    entrants: tuple[DryRunEntrant, ...]
    started: bool
    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    rounds: int | None
    matches: int | None
    most_matches: int | None
    paired: int
    done: int
    workers: int
    seconds: float | None
    basis: Basis | None
    allowed: float | None
    shared: tuple[str, ...]

    @property
    def left(self) -> int:
        """The number of matches to play, as far as it is known."""
        return (self.paired if self.most_matches is None else self.most_matches) - self.done


def dry_run(
    file: TournamentFile,
    url: str,
    bots: Path,
    pinning: Pinning,
    allowed: float | None = None,
    *,
    here: bool = True,
) -> DryRunDocument:
    """Estimate what ``run_tournament`` would do in the ``allowed`` seconds; no bot is built or started.

    Nothing is written. ``here``: this machine plays the matches, as many at a time as fit into its memory.
    Raises TournamentError for a file that cannot be played or that changes a fixed key, SandboxError for a
    match that does not fit, and StoreError.
    """
    store = BotStore(bots.absolute())
    with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
        temporary = BotStore(Path(folder))

        def find(line: EntrantLine, store: BotStore, base: Path) -> StoredBot:
            source = None if line.bot is None else look_up(line.bot, store, base)
            if isinstance(source, StoredBot):
                return source
            return find_bot(line, temporary, base) if source is None else temporary.add(source, origin="used")

        with ExitStack() as stack:
            database = None  # before there is one, as a dry run creates none
            if database_exists(url):
                database = stack.enter_context(stack.enter_context(Database.open(url)).snapshot())
            prepared = prepare(file, database, store, find)
            if here:
                # New bots are in the temporary store, others in that of the run.
                needs = (
                    memory_of(prepared.plan, prepared.entrants, holder, reuse=file.run.reuse)
                    for holder in (store, temporary)
                )
                need = max(needs, key=attrgetter("match_mb"))
                refuse_unfit_match(prepared, need)
                pinning = pinning.fitting(need)
            return _estimate(prepared, database, pinning, allowed)


def _estimate(
    preparation: Preparation, database: Database | None, pinning: Pinning, allowed: float | None
) -> DryRunDocument:
    plan = structs.replace(preparation.file.plan, limits=preparation.plan.limits)
    counts = _counts(preparation, database)
    seconds, basis = _seconds_of_match(plan, database)
    left = (counts.paired if counts.most is None else counts.most) - counts.done
    game = find_game(plan.game)
    shared = (sharing_text(plan, game), _processors(plan, pinning), repeats_warning(plan, game))
    return DryRunDocument(
        tournament=plan.name,
        game=plan.game,
        tournament_format=plan.format,
        seats=plan.seats,
        entrants=tuple(
            DryRunEntrant(name=entrant.name, bot=f"{entrant.entrant.bot}@{entrant.entrant.version}")
            for entrant in preparation.entrants
        ),
        started=preparation.stored is not None,
        added=tuple(entrant.name for entrant in preparation.added if preparation.stored is not None),
        withdrawn=tuple(preparation.before[number].name for number in preparation.withdrawn),
        rounds=counts.rounds,
        matches=None if counts.rounds is None else counts.most,
        most_matches=counts.most,
        paired=counts.paired,
        done=counts.done,
        workers=pinning.workers,
        seconds=None if seconds is None else round(seconds * left / pinning.workers, 1),
        basis=basis,
        allowed=None if allowed is None else round(allowed, 1),
        shared=tuple(filter(None, shared)),
    )


class ScheduleCounts(NamedTuple):
    """The rounds and the most matches of a tournament, the matches paired so far, those with a result."""

    rounds: int | None
    most: int | None
    paired: int
    done: int


def _counts(preparation: Preparation, database: Database | None) -> ScheduleCounts:
    plan = preparation.file.plan
    stored = preparation.stored
    format_ = find_format(plan.format)
    setup = setup_of(plan, preparation.seed, preparation.entrants)
    most = format_.planned_matches(setup)
    # A budget of matches is spent in whole pairings.
    rounds = format_.planned_rounds(setup)
    most = None if most is None else most // setup.games * setup.games
    if database is None or stored is None:
        pairings = format_.next_rounds(setup, History())
        paired = len(pairings.rows)
        if pairings.complete:
            rounds = pairings.rows[-1].round if pairings.rows else 0
            return ScheduleCounts(rounds, paired, paired, 0)
        return ScheduleCounts(rounds, most, paired, 0)
    progress = database.schedules.progress(stored.id)
    if stored.complete and not preparation.added and setup.rounds == stored.plan.rounds:
        return ScheduleCounts(progress.rounds, progress.rows, progress.rows, progress.done)
    if stored.complete and rounds is None:  # all was paired at once, and so is the rest
        rows = [row for _, row in database.schedules.rows(stored.id)]
        more = format_.next_rounds(setup, History(rows, database.matches.results(stored.id))).rows
        rounds = (more or rows)[-1].round
        most = len(rows) + len(more)
    return ScheduleCounts(rounds, most, progress.rows, progress.done)


def _seconds_of_match(plan: Plan, database: Database | None) -> tuple[float | None, Basis | None]:
    """The mean time of a match of the same game and limits, or a bound on it, and its basis."""

    def alike(planned: Plan) -> tuple[object, ...]:
        # What matches of about equal length have in common; the first start may choose ``ponder``.
        limits = structs.replace(planned.limits, ponder="allow", memory_mb=MEMORY_MB, laws=None)
        return planned.game, planned.options, planned.seats, limits

    seconds: list[float] = []
    for tournament in () if database is None else database.tournaments.all():
        if database is not None and alike(tournament.plan) == alike(plan):
            seconds += database.records.recent_seconds(tournament.id, SAMPLE)
    if seconds:
        return sum(seconds) / len(seconds), "matches"
    game = find_game(plan.game)
    limits = plan.limits
    if game.outside:
        return None, None
    state = game.new(plan.seats, dict(plan.options))
    total = 0
    for number in range(GAMES):
        drawn = deriver(number, "dry-run")
        count = iter(range(LONGEST * 2))
        total += sum(1 for _ in playout(state, lambda n: uniform(drawn(next(count)), n), LONGEST)) - 1  # noqa: B023 - used before the next game
    actions = total / GAMES
    bounds = [] if limits.move_ms is None else [actions * limits.move_ms]
    if limits.clock_ms is not None:
        bounds.append(plan.seats * limits.clock_ms + actions * (limits.increment_ms or 0))
    return (min(bounds) / 1000, "limits") if bounds else (None, None)


def _processors(plan: Plan, pinning: Pinning) -> str:
    if pinning.cpus == 0:
        return f"matches and bots share all {counted(pinning.processors, 'processor')}"
    if pinning.workers * pinning.cpus > pinning.processors:
        shared = counted(pinning.processors, "processor")
        return f"the bots of {pinning.workers} matches at a time share {shared}"
    if pinning.separate(plan.seats):
        return "every bot has a processor of its own"
    return f"the {plan.seats} bots of a match share {counted(pinning.cpus, 'processor')}"


def dry_run_text(document: DryRunDocument) -> str:
    """The estimate as lines without a final newline."""
    verb = "goes on" if document.started else "starts"
    names = [
        entrant.name if entrant.bot.startswith(f"{entrant.name}@") else f"{entrant.name} ({entrant.bot})"
        for entrant in document.entrants
    ]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    matches = f"{document.paired} so far, and the results decide how many follow"
    if document.matches is None and document.most_matches is not None:
        matches = f"at most {document.most_matches}, as results may end it sooner"
    elif document.matches is not None:
        matches = f"{document.matches}" + (f", {document.left} of them to play" if document.done else "")
    lines = {
        "entrants": f"{len(names)}: {', '.join(names[:SHOWN])}{more}",
        "rounds": "the results decide how many" if document.rounds is None else str(document.rounds),
        "matches": matches,
        "joining": ", ".join(document.added),
        "leaving": ", ".join(document.withdrawn),
        "time": _time_text(document),
        "end": _end_text(document),
        "shared": f"\n{'':13}".join(document.shared),
    }
    form = f"{document.game}, {document.tournament_format}, {document.seats} seats"
    head = f"{document.tournament}: {form}; {verb}"
    return "\n".join([head, *(f"  {title:10} {text}" for title, text in lines.items() if text)])


def _time_text(document: DryRunDocument) -> str:
    if not document.left:
        return "none: all is played"
    workers = f"with {counted(document.workers, 'worker')}"
    if document.seconds is None:
        return f"unknown, {workers}"
    span = span_text(document.seconds)
    if document.basis == "matches":
        return f"about {span} {workers}, as stored matches took"
    return (
        f"not known before matches like these are stored; at most {span} {workers}, if bots use all their"
        " time in matches as long as random ones"
    )


def _end_text(document: DryRunDocument) -> str:
    """How far the time that the options allow goes for the matches that are left."""
    if document.allowed is None or not document.left:
        return ""
    allowance = f"the run has {span_text(document.allowed)}"
    if document.seconds is None:
        return f"{allowance}; whether that is enough is not known"
    if document.seconds <= document.allowed:
        return f"{allowance}, which is enough for all matches"
    part = math.floor(document.left * document.allowed / document.seconds)
    least = "about" if document.basis == "matches" else "at least about"
    matches = f"{least} {part} of {document.left} matches"
    return f"{allowance}: enough for {matches}; the next run plays the others"
