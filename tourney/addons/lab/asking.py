"""Turns a question about a bot into a tournament, plays it, and returns its result.

The tournament's name has the bots' names and a hash of all settings, so the same question continues where it
stopped, and another question is another tournament.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import rfc8785
from msgspec import structs, to_builtins

from tourney.addons.lab.comparison import stored_form
from tourney.addons.lab.question import QuestionRule, next_rows
from tourney.addons.lab.results import ComparisonResult
from tourney.bots.catalogue.store import BotStore, StoredBot, look_up, path_of
from tourney.errors import BotError, GameError, UsageError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.evidence import Evidence
from tourney.match.record import Outcome
from tourney.match.spec import DEFAULT_LIMITS, OLD_MEMORY_MB, Limits
from tourney.parsing import JsonObject
from tourney.results.luck import results_for_format
from tourney.results.standings import has_ended, load_history, load_setup, setup_of
from tourney.run.engine.bench_policy import again_text
from tourney.run.engine.containment_floor import refuse_weaker
from tourney.run.engine.readiness import BotBuilds, PlaySetup, open_room, reason_of
from tourney.run.engine.run_control import Deadline
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.file_schema import EntrantLine, opening_plies
from tourney.run.listeners import Listener, Listeners
from tourney.run.preparation import enter, find_bot
from tourney.run.private_paths import private_paths, refuse_inside
from tourney.run.summary import RunProgress, Summary
from tourney.run.tournament_file import (
    GAME_FORMS,
    TournamentFile,
    book_form,
    check_adjudication,
    planned_order,
    read_book,
)
from tourney.run.workers.executor import MatchExecutor
from tourney.schedule.format import History, Setup, find_format, group_size
from tourney.schedule.row import MatchKey, ResultRow
from tourney.schema import NAME, Document, SchemaError
from tourney.store.database import Database
from tourney.store.engine import database_exists
from tourney.store.values import Plan, RunSettings, StoredEntrant, Tournament
from tourney.texts import counted

R = TypeVar("R", bound=Document)


@dataclass(frozen=True, slots=True)
class BotQuestion(Generic[R]):
    """A question about a bot: the rule that answers it, the bots (the one in question first), and settings.

    ``seats`` None: the game's minimum. ``opening_plies`` None: 4 if the game has neither dice nor hidden
    actions, else none; a ``book`` takes their place. ``name`` None: a name from the bots and a hash of all
    settings. ``max_faults`` stops the games (None: no limit). ``any_memory``: the limit of memory is the
    default, so a stored question continues with its own.
    """

    rule: QuestionRule[R]
    bots: tuple[EntrantLine, ...]
    game: str
    seats: int | None = 2
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = DEFAULT_LIMITS
    opening_plies: int | None = None
    book: Path | None = None
    opening_order: Literal["random", "sequential"] = "random"
    seed: int | None = None
    name: str | None = None
    max_faults: int | None = None
    any_memory: bool = False
    run: RunSettings = field(default_factory=RunSettings)


@dataclass(frozen=True, slots=True)
class Answer(Generic[R]):
    """The answer to a question, and the run's summary, or None if nothing had to be played.

    ``unstarted``: a sentence if a bot started in none of its matches, so that they say nothing of it; else
    "".
    """

    result: R
    summary: Summary | None
    unstarted: str = ""


def ask(
    question: BotQuestion[R],
    url: str,
    bots: Path,
    make_executor: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    deadline: Deadline | None = None,
    allow_weaker: bool = False,
) -> Answer[R]:
    """Play until the question is answered, the deadline, or a signal; continue where it stopped.

    ``allow_weaker``: see ``PlaySetup``. Raises UsageError for an invalid question, EnvironmentFailure for a
    baseline that cannot be started, and the errors of ``run_tournament``.
    """
    listener = listener or Listener()
    store = BotStore(bots.absolute())
    question = _as_stored(question, store, url)
    paths = (path_of(line.bot) for line in question.bots if line.bot is not None)
    refuse_inside(paths, private_paths(url, store.root))
    rule, file, entrants = question_file(question, store)
    setup = PlaySetup(deadline, question.max_faults, allow_weaker=allow_weaker)
    if rule.builds_first or rule.spares_opponents:
        broken = _find_broken(file, entrants, url, store, setup, listener)
        reasons = {
            number: [reason_of(error), *"\n".join(getattr(error, "__notes__", ())).splitlines()]
            for number, error in broken.items()
        }
        # A gate answers for a candidate that cannot be built, before any match is paired.
        result = rule.unstartable(file.plan, entrants, reasons) if rule.builds_first else None
        if result is not None:
            return Answer(result, None)
        spared = [entrant for entrant in entrants[len(question.bots) :] if entrant.number in broken]
        if rule.spares_opponents and spared:
            for entrant in spared:
                listener.say(f"{entrant.name} is left out: {reasons[entrant.number][0]}")
            names = [entrant.name for entrant in spared]
            question = replace(question, rule=question.rule.without(names))
            rule, file, entrants = question_file(question, store)
    name = file.plan.name
    before: list[ResultRow] = []
    with _stored(file, url) as (database, stored):
        if database is not None and stored is not None:
            rounds = rule.rounds
            if rounds is not None:  # a round that is paired is not taken back
                rounds = max(rounds, database.schedules.progress(stored.id).rounds)
                file = replace(file, plan=structs.replace(file.plan, rounds=rounds))
            # A name given by hand may be another question's: the run below compares the plans.
            if question.name is None and _is_over(database, stored, rounds):
                return Answer(_result(database, stored, rule), None, _unstarted(database, stored))
            before = list(results_for_format(database, stored, load_setup(database, stored.id)))
    live = QuestionProgress(listener, rule, setup_of(file.plan, 0, entrants), before)
    summary = run_tournament(file, url, bots, make_executor, Listeners(listener, live), setup)
    with Database.open(url) as database:
        stored = database.tournaments.get(name)
        return Answer(_result(database, stored, rule), summary, _unstarted(database, stored))


def _as_stored(question: BotQuestion[R], store: BotStore, url: str) -> BotQuestion[R]:
    """A question with the limit of memory under which it was stored, before the default was lowered.

    The limit is part of the name, so with the present default it would begin again.
    """
    if not (question.any_memory and question.name is None and database_exists(url)):
        return question
    before = replace(question, limits=structs.replace(question.limits, memory_mb=OLD_MEMORY_MB))
    with Database.open(url) as database:
        stored = {(tournament.name, tournament.plan.format) for tournament in database.tournaments.all()}
    for variant in (question, before):
        plan = question_file(variant, store)[1].plan
        # The present default first, or a question begun with it would go back to the old limit.
        if (plan.name, plan.format) in stored:
            return variant
    return question


def _find_broken(
    file: TournamentFile,
    entrants: Sequence[StoredEntrant],
    url: str,
    store: BotStore,
    setup: PlaySetup,
    listener: Listener,
) -> Mapping[int, BotError]:
    """Build the bots in the containment of the run; return why some cannot be built or started, by number."""
    room = open_room(file, url, store, setup)
    with _stored(file, url) as (database, begun):
        if database is not None and begun is not None and begun.root is None:
            refuse_weaker(database, begun, room, allow=setup.allow_weaker, say=listener.say)
    return BotBuilds(store, room, file.plan.limits.meter).find_broken(entrants)


@contextmanager
def _stored(file: TournamentFile, url: str) -> Iterator[tuple[Database | None, Tournament | None]]:
    """Give the database, if it exists, and the tournament of a question, if it has begun."""
    if not database_exists(url):
        yield None, None
        return
    with Database.open(url) as database:
        named = (tournament for tournament in database.tournaments.all() if tournament.name == file.plan.name)
        yield (
            database,
            next((tournament for tournament in named if tournament.plan.format == file.plan.format), None),
        )


def question_file(
    question: BotQuestion[R], store: BotStore
) -> tuple[QuestionRule[R], TournamentFile, tuple[StoredEntrant, ...]]:
    """The rule for the game, the tournament file of a question, and its entrants.

    Raises UsageError, BotError and TournamentError.
    """
    if question.name is not None and NAME.fullmatch(question.name) is None:
        raise UsageError(f"{question.name!r} is not a name for a {question.rule.noun} ({NAME.pattern})")
    try:
        game = find_game(question.game)
        seats, options = game.settings(question.seats, question.options)
        check_adjudication(question.limits, game, seats)
    except (GameError, SchemaError) as error:
        raise UsageError(str(error)) from error
    rule, opponents = question.rule.fitting(game, seats)
    plan = Plan(
        # A derived name takes the place of the kind below: it depends on the rest of the plan.
        name=question.name or rule.kind,
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=rule.kind,
        seats=seats,
        games_per_pairing=group_size(seats) * rule.batch,
        rounds=rule.rounds,
        limits=question.limits.under(game.laws),
        extra=rule.extra(),
        ranking=find_format(rule.kind).new_rule(seats),
        **_openings(question, game, seats, options),
    )
    memory_mb = None if question.any_memory else plan.limits.memory_mb
    file = TournamentFile(
        Path(f"tourney {rule.kind}"), plan, question.seed, (), question.run, memory_mb=memory_mb
    )
    rungs = tuple(EntrantLine(rung.bot, rung.name, rung.args) for rung in opponents)
    bots = _resolved(question.bots, store)
    lines = (*_named(rule, bots, {rung.name for rung in opponents}, file, store), *rungs)
    entrants = enter(file, lines, store)
    rule.refuse(entrants)
    for entrant in entrants if plan.limits.by_fuel else ():
        if store.fetch(entrant.entrant.digest).manifest.module is None:
            raise UsageError(
                f"--charge fuel counts the work of WebAssembly modules, and {entrant.name} is none: build it"
                " as one (see `tourney bots new --wasm`), or use --charge wall or cpu"
            )
    if question.name is None:
        plan = structs.replace(plan, name=_derived_name(rule, plan, question.seed, entrants))
    return rule, replace(file, plan=plan, entrants=lines), entrants


def _openings(question: BotQuestion[R], game: AnyGame, seats: int, options: dict[str, str]) -> JsonObject:
    """The plan's openings. Raises UsageError and TournamentError."""
    if question.book is None:
        return {"opening_plies": opening_plies(game, question.opening_plies)}
    if question.opening_plies and book_form(question.book) not in GAME_FORMS:
        raise UsageError("--opening-plies does not go with --opening-book: choose one of them")
    book = read_book(question.book, game, seats, options, question.opening_plies or 0)
    return {"book": book, "opening_order": planned_order(question.opening_order, book)}


def _resolved(lines: Sequence[EntrantLine], store: BotStore) -> tuple[EntrantLine, ...]:
    """The lines with digests for programs and stored bots, before a path's bot enters under its name.

    ``./b b`` means the folder and the stored bot, although ``b`` alone would mean the folder.
    """
    paths = {Path(line.bot).resolve() for line in lines if line.bot is not None and "/" in line.bot}
    resolved = []
    for line in lines:
        if line.bot is None:
            program = find_bot(line, store, Path())
            resolved.append(EntrantLine(program.digest, line.name, line.args))
            continue
        name = line.bot
        digest = store.locate(name) if "/" not in name and Path(name).resolve() in paths else None
        if digest is None and isinstance(bot := look_up(name, store), StoredBot):
            digest = bot.digest
        resolved.append(line if digest is None else structs.replace(line, bot=digest))
    return tuple(resolved)


def _named(
    rule: QuestionRule[R],
    lines: Sequence[EntrantLine],
    taken: set[str],
    file: TournamentFile,
    store: BotStore,
) -> tuple[EntrantLine, ...]:
    """The bots by digest, so that the same bot at another path continues; each has a unique name."""
    entered = [enter(file, (line,), store)[0] for line in lines]
    place = {entry.digest: number for number, entry in enumerate(store.entries())}
    named_lines = []
    taken = set(taken)
    for stored in entered:
        bot = stored.entrant
        first = entered[0].entrant.digest
        age = "2" if bot.digest == first else "new" if place[bot.digest] > place[first] else "old"
        others = (
            pattern.format(name=stored.name, version=bot.version.lower(), age=age)
            for pattern in rule.other_names
        )
        name = next(
            candidate
            for candidate in (stored.name, *others)
            if candidate not in taken and NAME.fullmatch(candidate)
        )
        taken.add(name)
        named_lines.append(EntrantLine(bot.digest, name, bot.args))
    return tuple(named_lines)


def _derived_name(
    rule: QuestionRule[R], plan: Plan, seed: int | None, entrants: Sequence[StoredEntrant]
) -> str:
    """A name: words for the bots, and eight digits of a hash of all settings."""
    data: JsonObject = {
        "game": plan.game,
        "rules": plan.rules,
        # Names stay those of plans from before the game had laws.
        "limits": to_builtins(plan.limits.under("")),
        "extra": dict(plan.extra),
        "seed": None if seed is None else str(seed),
        "entrants": [[e.name, e.entrant.digest, list(e.entrant.args)] for e in entrants],
    }
    more = {"options": dict(plan.options), "opening-plies": plan.opening_plies, "seats": plan.seats}
    data |= {key: more[key] for key in rule.hashed}
    if plan.book:
        # Names stay those of older plans, whose random order had another rule.
        order = "random" if plan.opening_order == "shuffled" else plan.opening_order
        data |= {"book": [list(line) for line in plan.book], "opening-order": order}
    title = rule.title.format(*(entrant.name for entrant in entrants))
    return f"{title}-{hashlib.sha256(rfc8785.dumps(data)).hexdigest()[:8]}"


def _is_over(database: Database, tournament: Tournament, rounds: int | None) -> bool:
    """Whether nothing is left to play within the present number of ``rounds``.

    Without a root the run was killed just before its end.
    """
    if tournament.root is None or not has_ended(database, tournament):
        return False
    if rounds == tournament.plan.rounds:
        return True
    setup = load_setup(database, tournament.id)
    history = load_history(database, tournament.id)
    return find_format(tournament.plan.format).next_rounds(replace(setup, rounds=rounds), history).complete


def _result(database: Database, tournament: Tournament, rule: QuestionRule[R]) -> R:
    with database.snapshot() as moment:
        result = rule.of(tournament.plan.extra).result(moment, tournament)
    if isinstance(result, ComparisonResult) and result.ended:
        database.tournaments.keep_verdict(tournament.id, stored_form(result))
    return result


def _unstarted(database: Database, tournament: Tournament) -> str:
    """A sentence on the first bot that started in none of its matches; "" if there is none."""
    faults = database.totals.faults(tournament.id)
    starts = {entrant: count for entrant, kind, count in faults if kind == "startup"}
    if not starts:
        return ""
    played: Counter[int] = Counter()
    for row in database.matches.results(tournament.id):
        # A match that was left out has no fault; one in which no bot started is void, with faults.
        if not row.void or any(row.faults):
            played.update(row.entrants)
    names = {entrant.number: entrant.name for entrant in database.tournaments.entrants(tournament.id)}
    for entrant, count in starts.items():
        if count == played[entrant]:
            return (
                f"{names[entrant]} started in none of its {counted(count, 'match')}, so they say"
                f" nothing of its strength: fix it, then {again_text(tournament, names[entrant])}; its last"
                f" words are in `tourney show {tournament.name}/1`"
            )
    return ""


class QuestionProgress(Listener):
    """Sends lines to another listener after each whole round, in any order of the matches' ends.

    ``setup`` is the tournament's, with any seed, as it decides no pairings of a question. ``before``: the
    results stored before the run.
    """

    def __init__(
        self, listener: Listener, rule: QuestionRule[R], setup: Setup, before: Iterable[ResultRow]
    ) -> None:
        self._listener = listener
        self._setup = setup
        self._judge = partial(rule.judge, setup)
        self._names = [player.name for player in setup.participants]
        self._results = {row.number: row for row in before}
        self._history = History()
        self._state = self._judge(self._history)
        self._take_rounds()

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Take a stored match as a row whose place in the schedule is not known yet."""
        if name != "match":
            return
        seats = tuple(self._names.index(name) for name in data["entrants"])
        number = data["match"]
        row = ResultRow(MatchKey(0, 0, 0, 0), seats, (1,) * len(seats), (None,) * len(seats), True, number)
        if "void" not in data:
            faults = tuple((seat, kind, count) for seat, kind, count in data.get("faults", ()))
            outcome = Outcome(tuple(data["ranks"]), data["reason"], faults)
            row = row._replace(ranks=outcome.ranks, faults=outcome.seat_faults, void=outcome.void)
            row = row._replace(evidence=Evidence.read(data.get("evidence", ""), len(seats)))
        self._results[number] = row

    def progress(self, progress: RunProgress) -> None:  # noqa: ARG002 - ``event`` took what matters
        """Send lines if a round has ended."""
        if self._take_rounds():
            self._listener.state(tuple(self._state.lines(self._names)))

    def _take_rounds(self) -> bool:
        """Take the rounds that are whole now; return whether there is a new one."""
        rounds_before = self._history.rounds
        while rows := next_rows(self._setup, self._history, self._state):
            round_results = [
                self._results.get(number) for number, _ in enumerate(rows, len(self._history.rows) + 1)
            ]
            pairs = zip(rows, round_results, strict=True)
            results = [result._replace(key=row.key) for row, result in pairs if result]
            if len(results) < len(rows):
                break
            self._history.extend(rows, results)
            self._state = self._judge(self._history)
        return self._history.rounds > rounds_before
