"""What a run would do, without doing it: entrants, rounds, matches, time, and what matches share."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from msgspec import structs

from tourney.bots.catalogue.store import BotStore, StoredBot, look_up
from tourney.games.game_tree import playout
from tourney.games.registry import find_game
from tourney.results.standings import history_of, setup_of
from tourney.results.texts import sharing_text
from tourney.run.config.amend import compare
from tourney.run.config.entrants import check_playable, enter, find_bot
from tourney.run.config.tournament_file import EntrantLine, TournamentFile
from tourney.run.engine.ponder import Pinning
from tourney.run.monitoring.progress import counted, span_text
from tourney.schedule.format import Format, History, Setup, find_format
from tourney.seeds import deriver, uniform
from tourney.store.engine import database_exists
from tourney.store.repository import Repository
from tourney.store.values import Plan, StoredEntrant, Tournament

SAMPLE: Final = 64
"""The latest matches whose mean length is taken, of each tournament of the same game and limits."""
GAMES: Final = 8
"""Random games whose mean length bounds a match's time where no match is stored."""
SHOWN: Final = 12
"""Entrants that are named in the text."""
LONGEST: Final = 5_000
"""The most actions of such a game."""

Basis = Literal["matches", "limits"]
"""Where a time comes from: stored matches, or (an upper bound) the limits."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run would do.

    ``entrants`` are name and bot@version; ``added`` and ``withdrawn`` those by which the file changes a
    tournament that has ``started``. ``rounds`` and ``matches`` are those of the whole tournament; None: the
    results decide. ``most_matches``: None if only results bound them. ``paired``: the matches that are known
    now, ``done`` of them with a result. ``seconds`` is what the matches left would take with all
    ``pinning.workers``, None where it is unknown; ``basis`` says where it comes from. ``shared``: what games
    and bots share, a sentence each without its end.
    """

    name: str
    game: str
    format: str
    seats: int
    entrants: tuple[tuple[str, str], ...]
    started: bool
    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    rounds: int | None
    matches: int | None
    most_matches: int | None
    paired: int
    done: int
    pinning: Pinning
    seconds: float | None
    basis: Basis | None
    shared: tuple[str, ...]

    @property
    def left(self) -> int:
        """The number of matches to play, as far as it is known."""
        return (self.paired if self.most_matches is None else self.most_matches) - self.done


def dry_run(file: TournamentFile, url: str, bots: Path, pinning: Pinning) -> DryRun:
    """Return what ``run_tournament`` would do; nothing is written, and no bot is built or started.

    Raises TournamentError for a file that cannot be played or that changes a fixed key, and StoreError.
    """
    store = BotStore(bots.absolute())
    with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
        temporary = BotStore(Path(folder))

        def find(line: EntrantLine, kept: BotStore, base: Path) -> StoredBot:
            found = None if line.bot is None else look_up(line.bot, kept, base)
            if isinstance(found, StoredBot):
                return found
            return find_bot(line, temporary, base) if found is None else temporary.add(found, origin="used")

        if not database_exists(url):
            entrants = enter(file, file.entrants, store, find=find)
            check_playable(file, file.seed or 0, entrants)
            return _first(file, entrants, pinning, None)
        with Repository.open(url) as opened, opened.snapshot() as repository:
            for tournament in repository.tournaments():
                if tournament.name == file.plan.name:
                    stored = repository.entrants(tournament.id)
                    paired = repository.progress(tournament.id).rounds
                    change = compare(tournament, stored, paired, file)
                    joined = paired + 1
                    added = enter(file, change.added, store, before=stored, joined=joined, find=find)
                    check_playable(file, tournament.seed, added, stored)
                    gone = tuple(stored[number].name for number in change.withdrawn)
                    return _next(file, tournament, (*stored, *added), len(added), gone, pinning, repository)
            entrants = enter(file, file.entrants, store, find=find)
            check_playable(file, file.seed or 0, entrants)
            return _first(file, entrants, pinning, repository)


def _first(
    file: TournamentFile,
    entrants: Sequence[StoredEntrant],
    pinning: Pinning,
    repository: Repository | None,
) -> DryRun:
    """Return the run that would start a tournament."""
    plan = file.plan
    setup = setup_of(plan, file.seed or 0, entrants)
    format_ = find_format(plan.format)
    pairings = format_.next_rounds(setup, History())
    paired, rounds = len(pairings.rows), pairings.rows[-1].round if pairings.rows else 0
    planned, most = (rounds, paired) if pairings.complete else _matches(format_, setup)
    return _made(file, entrants, (planned, most, paired, 0), pinning, repository)


def _next(
    file: TournamentFile,
    tournament: Tournament,
    entrants: Sequence[StoredEntrant],
    added: int,
    withdrawn: tuple[str, ...],
    pinning: Pinning,
    repository: Repository,
) -> DryRun:
    """Return the run that would continue a tournament, the last ``added`` entrants joining it."""
    progress = repository.progress(tournament.id)
    format_ = find_format(tournament.plan.format)
    setup = setup_of(file.plan, tournament.seed, entrants)
    whole = tournament.complete and not added and file.plan.rounds == tournament.plan.rounds
    planned, most = (progress.rounds, progress.rows) if whole else _matches(format_, setup)
    if tournament.complete and not whole and planned is None:  # all was paired at once, and so is the rest
        rows = [row for _, row in repository.rows(tournament.id)]
        more = format_.next_rounds(setup, history_of(rows, repository.results(tournament.id))).rows
        planned, most = (more or rows)[-1].round, len(rows) + len(more)
    return _made(
        file,
        entrants,
        (planned, most, progress.rows, progress.done),
        pinning,
        repository,
        started=True,
        added=tuple(one.name for one in entrants[len(entrants) - added :]),
        withdrawn=withdrawn,
    )


def _matches(format_: Format, setup: Setup) -> tuple[int | None, int | None]:
    """Return the number of rounds of a whole tournament, None if results decide it, and the most matches."""
    most = format_.planned_matches(setup)
    return format_.planned_rounds(setup), None if most is None else most // setup.games * setup.games


def _made(
    file: TournamentFile,
    entrants: Sequence[StoredEntrant],
    counts: tuple[int | None, int | None, int, int],
    pinning: Pinning,
    repository: Repository | None,
    *,
    started: bool = False,
    added: tuple[str, ...] = (),
    withdrawn: tuple[str, ...] = (),
) -> DryRun:
    plan = file.plan
    rounds, most, paired, done = counts
    seconds, basis = _seconds_of_match(plan, repository)
    left = (paired if most is None else most) - done
    return DryRun(
        name=plan.name,
        game=plan.game,
        format=plan.format,
        seats=plan.seats,
        entrants=tuple((one.name, f"{one.entrant.bot}@{one.entrant.version}") for one in entrants),
        started=started,
        added=added,
        withdrawn=withdrawn,
        rounds=rounds,
        matches=None if rounds is None else most,
        most_matches=most,
        paired=paired,
        done=done,
        pinning=pinning,
        seconds=None if seconds is None else seconds * left / pinning.workers,
        basis=basis,
        shared=(*filter(None, (sharing_text(plan, find_game(plan.game)),)), _processors(plan, pinning)),
    )


def _seconds_of_match(plan: Plan, repository: Repository | None) -> tuple[float | None, Basis | None]:
    """Return the mean time of a match of the same game and limits, or a bound on it, and its basis."""
    seconds: list[float] = []
    for tournament in () if repository is None else repository.tournaments():
        if repository is not None and _conditions(tournament.plan) == _conditions(plan):
            seconds += repository.recent_seconds(tournament.id, SAMPLE)
    if seconds:
        return sum(seconds) / len(seconds), "matches"
    game, limits = find_game(plan.game), plan.limits
    if game.outside:
        return None, None
    state = game.new(plan.seats, dict(plan.options))
    total = 0
    for number in range(GAMES):
        drawn, count = deriver(number, "dry-run"), iter(range(LONGEST * 2))
        total += sum(1 for _ in playout(state, lambda n: uniform(drawn(next(count)), n), LONGEST)) - 1  # noqa: B023 - used before the next game
    actions = total / GAMES
    bounds = [] if limits.move_ms is None else [actions * limits.move_ms]
    if limits.clock_ms is not None:
        bounds.append(plan.seats * limits.clock_ms + actions * limits.increment_ms)
    return (min(bounds) / 1000, "limits") if bounds else (None, None)


def _conditions(plan: Plan) -> tuple[object, ...]:
    """Return what matches of about equal length have in common; the first start may choose ``ponder``."""
    return plan.game, plan.options, plan.seats, structs.replace(plan.limits, ponder="allow")


def _processors(plan: Plan, pinning: Pinning) -> str:
    """Say which processors matches and bots share."""
    if pinning.cpus == 0:
        return f"matches and bots share all {counted(pinning.processors, 'processor')}"
    if pinning.workers * pinning.cpus > pinning.processors:
        return f"{pinning.workers} matches at a time share {counted(pinning.processors, 'processor')}"
    if pinning.separate(plan.seats):
        return "every bot has a processor of its own"
    return f"the {plan.seats} bots of a match share {counted(pinning.cpus, 'processor')}"


def dry_run_text(found: DryRun) -> str:
    """Return what a run would do, as lines without a final newline."""
    verb = "goes on" if found.started else "starts"
    names = [name if bot.startswith(f"{name}@") else f"{name} ({bot})" for name, bot in found.entrants]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    matches = f"{found.paired} so far, and the results decide how many follow"
    if found.matches is None and found.most_matches is not None:
        matches = f"at most {found.most_matches}, as results may end it sooner"
    elif found.matches is not None:
        matches = f"{found.matches}" + (f", {found.left} of them to play" if found.done else "")
    lines = {
        "entrants": f"{len(names)}: {', '.join(names[:SHOWN])}{more}",
        "rounds": "the results decide how many" if found.rounds is None else str(found.rounds),
        "matches": matches,
        "joining": ", ".join(found.added),
        "leaving": ", ".join(found.withdrawn),
        "time": _time_text(found),
        "shared": f"\n{'':13}".join(found.shared),
    }
    head = f"{found.name}: {found.game}, {found.format}, {found.seats} seats; {verb}"
    return "\n".join([head, *(f"  {title:10} {text}" for title, text in lines.items() if text)])


def _time_text(found: DryRun) -> str:
    if not found.left:
        return "none: all is played"
    workers = f"with {counted(found.pinning.workers, 'worker')}"
    if found.seconds is None:
        return f"unknown, {workers}"
    span = span_text(found.seconds)
    if found.basis == "matches":
        return f"about {span} {workers}, as stored matches took"
    return f"at most {span} {workers}, if bots use all their time in matches as long as random ones"
