"""The needs of a run on this machine before it plays: a sandbox, ``ponder``, and bots that start."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import structs

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import BotCommand, bot_command
from tourney.bots.catalogue.store import BotStore, StoredBot, path_of
from tourney.bots.modules import find_runtime
from tourney.bots.sandbox.host_limits import with_limits
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.errors import BotError, SandboxError, TournamentError, TourneyError, UsageError
from tourney.games.external import OUTSIDE
from tourney.games.registry import find_game
from tourney.match.match_memory import MatchMemory, plan_matches, refuse_unfit
from tourney.match.spec import Entrant
from tourney.results.texts import sharing_text
from tourney.run.earlier_entrants import is_earlier
from tourney.run.engine.run_control import Deadline
from tourney.run.preparation import Preparation, find_bot, naming, noted
from tourney.run.private_paths import private_paths, refuse_inside
from tourney.run.tournament_file import TournamentFile
from tourney.schedule.format import find_format
from tourney.store.database import Database
from tourney.store.values import Plan, StoredEntrant, Tournament
from tourney.texts import counted, legible


@dataclass(frozen=True, slots=True)
class Pinning:
    """Matches played at a time, processors that each is pinned to (0: to none), and processors there are."""

    workers: int = 1
    cpus: int = 1
    processors: int = 1

    def fitting(self, need: MatchMemory) -> "Pinning":
        """The pinning with as many workers as fit into this machine's memory."""
        return replace(self, workers=plan_matches(need, self.workers).matches)

    def separate(self, seats: int) -> bool:
        """Whether every bot of a match with this number of seats has a processor of its own."""
        return seats <= self.cpus and self.workers * self.cpus <= self.processors


@dataclass(frozen=True, slots=True)
class PlaySetup:
    """How a run plays a tournament, beside what its file says.

    ``max_faults`` and ``retry_seconds`` are those of ``RunControl``. The matches of the ``unbenched``
    entrants are replayed. ``skip_broken`` benches the entrants whose bots cannot be started on this host,
    which are refused otherwise. ``pinning`` says which processors the matches share. ``beacon`` is the value
    that the tournament's seed waits for. ``commits``: the tournament is stored and not played. ``sliced``:
    one program plays it in slices: the database was checked before, and the seed is still secret. ``here``:
    this machine plays the matches, so its memory bounds them. ``allow_weaker``: the tournament may go on with
    less containment than it began with. ``remote``: other hosts play its matches, each of which is held to
    that. ``private``: paths that no bot may see, beside those of the database and the bot store, by what they
    are.
    """

    deadline: Deadline | None = None
    max_faults: int | None = None
    retry_seconds: float = 0.0
    unbenched: tuple[str, ...] = ()
    skip_broken: bool = False
    pinning: Pinning = field(default_factory=Pinning)
    beacon: str | None = None
    commits: bool = False
    sliced: bool = False
    here: bool = True
    allow_weaker: bool = False
    remote: bool = False
    private: Mapping[str, Path] = field(default_factory=dict)


def memory_of(plan: Plan, entrants: Iterable[StoredEntrant], bots: BotStore, *, reuse: bool) -> MatchMemory:
    """The memory that the bots of a match may use."""
    digests = {stored.entrant.digest for stored in entrants if not stored.broken}
    modules = any(map(bots.is_module, digests))
    return MatchMemory.of(plan.limits, plan.seats, modules=modules, reuse=reuse)


def open_room(file: TournamentFile, url: str, bots: BotStore, options: PlaySetup) -> Sandbox:
    """The sandbox for a tournament's bots. Raises SandboxError; UsageError if they see private paths.

    Raises BotError if the folder of a bot, which is copied whole, holds the database or the like.
    """
    paths = {line.bot: path_of(line.bot, file.path.parent) for line in file.entrants if line.bot is not None}
    private = private_paths(url, bots.root, tournament=file.plan.name, more=options.private)
    refuse_inside(paths.values(), private)
    rivals = {f"the bot {name}": path for name, path in paths.items() if path is not None}
    return open_sandbox(file.run.sandbox, {**private, "the tournament file": file.path, **rivals})


def refuse_unfit_match(preparation: Preparation, need: MatchMemory) -> None:
    """Raise SandboxError if a match does not fit into this machine's memory, before anything is stored.

    Once a tournament has begun, its limit of memory cannot be lowered.
    """
    plan = preparation.plan
    stored = preparation.stored
    over = stored is not None and stored.root is not None and not preparation.added
    if not (over or find_game(plan.game).outside):  # nothing bounds what an outside referee starts
        fixed = "" if stored is None else f"{plan.name} keeps the memory-mb with which it began"
        refuse_unfit(need, fixed=fixed)


def with_ponder(file: TournamentFile, sandbox: Sandbox, options: PlaySetup) -> TournamentFile:
    """A file with a value of ``ponder``: its own, or the one that suits sandbox and processors."""
    plan = file.plan
    # By fuel modules stand still in the turns of others, whatever the machine.
    if file.ponder is not None or plan.limits.by_fuel or find_game(plan.game).outside:
        return file
    pinning = options.pinning
    if options.here and not options.commits:
        pinning = pinning.fitting(MatchMemory.of(plan.limits, plan.seats))
    # A bot that computes in its opponent's turn takes time from it where both use one processor.
    shares = not _separate(plan.seats, sandbox, pinning)
    freezes = shares and sandbox.protections["freezing"] == "enforced"
    limits = structs.replace(plan.limits, ponder="freeze" if freezes else "allow")
    return replace(file, plan=structs.replace(plan, limits=limits))


def _separate(seats: int, sandbox: Sandbox, pinning: Pinning) -> bool:
    return pinning.separate(seats) and sandbox.protections["processors"] == "enforced"


def ponder_text(plan: Plan, sandbox: Sandbox, pinning: Pinning) -> str:
    """The meaning of the plan's ``ponder`` with this sandbox and these processors, as a message of a run."""
    if plan.limits.by_fuel:
        return "charge fuel: a module runs in its own turns only, and its time is the work that it does"
    seats = plan.seats
    advice = f"; give each a processor by --cpus {seats}, or see docs/explanation/fairness.md"
    freezing = sandbox.protections["freezing"]
    if plan.limits.ponder == "freeze":
        if freezing == "enforced":
            return "ponder freeze: waiting bots are held still"
        return (
            f"ponder freeze cannot be enforced here (freezing is {freezing}): a bot may compute in its"
            f" opponents' turns{advice}"
        )
    if _separate(seats, sandbox, pinning):
        return "ponder allow: every bot has processors of its own"
    processors = counted(pinning.processors, "processor")
    if pinning.cpus == 0:
        shared = f"the {seats} bots of a match may use all processors"
    elif pinning.workers * pinning.cpus > pinning.processors:
        shared = f"{counted(pinning.workers, 'worker')} share {processors} with {seats} bots each"
    elif seats <= pinning.cpus:
        shared = f"bots may leave their processors (processors is {sandbox.protections['processors']})"
    else:
        shared = f"the {seats} bots of a match share {counted(pinning.cpus, 'processor')}"
    advice = "" if pinning.separate(seats) else advice
    return f"ponder allow: {shared}, and one that computes in its opponents' turns slows them{advice}"


def sandbox_text(sandbox: Sandbox) -> str:
    """The protections between the bots and this machine, and those missing, in one line."""
    missing = [name for name, degree in sandbox.protections.items() if degree != "enforced"]
    count = len(sandbox.protections)
    text = f"sandbox {sandbox.level}: {sandbox.name}, {count - len(missing)} of {count} protections enforced"
    if sandbox.name == "plain":
        why = f" ({sandbox.fallen})" if sandbox.fallen else ""
        return f"{text}: bots run with your permissions, so run only bots that you trust{why}"
    without = with_limits(f", not {', '.join(missing)}") if missing else ""
    return f"{text}{without} (see `tourney doctor`)"


Broken = Mapping[int, BotError]  # why the bots of entrants cannot be started, by the entrants' numbers


class BotBuilds:
    """The bots of a run, each of which is read and built once, when the run first needs it.

    ``meter`` counts the fuel of modules, None without. A bot that cannot be built is not tried again: its
    files never change, and a person who installs a compiler starts a new run.
    """

    def __init__(self, store: BotStore, sandbox: Sandbox, meter: str | None) -> None:
        self.store = store
        self.sandbox = sandbox
        self._meter = meter
        self._builds: dict[str, tuple[StoredBot, Path] | BotError] = {}

    def find_broken(self, entrants: Iterable[StoredEntrant]) -> Broken:
        """Build the bots of entrants, look for their programs, and return why some cannot be started.

        Raises UsageError if this machine does not have the meter.
        """
        if self._meter is not None:
            find_runtime().check_meter(self._meter)
        broken: dict[int, BotError] = {}
        for stored in entrants:
            try:
                self.command(stored.entrant)
            except BotError as error:
                broken[stored.number] = error
        return broken

    def command(self, entrant: Entrant) -> BotCommand:
        """The command that starts an entrant's bot. Raises BotError if it cannot be built."""
        build = self._build(entrant.digest)
        if isinstance(build, BotError):
            raise build
        bot, folder = build
        return bot_command(bot, entrant.args, folder, metered=self._meter is not None)

    def _build(self, digest: str) -> tuple[StoredBot, Path] | BotError:
        if digest not in self._builds:
            try:
                bot = self.store.fetch(digest)
                self._builds[digest] = bot, runnable_folder(self.store, bot, self.sandbox, self._meter)
            except BotError as error:
                self._builds[digest] = error
        return self._builds[digest]


def make_ready(
    database: Database,
    opened: Tournament,
    builds: BotBuilds,
    say: Callable[[str], None],
    options: PlaySetup,
) -> Tournament:
    """Bench and unbench entrants as the options ask, say the conditions of play, and start each bot once.

    Returns the tournament after that. Raises UsageError, TournamentError and SandboxError.
    """
    unbench(database, opened, options.unbenched, say, partial(rejoin, database, opened, builds=builds))
    if options.skip_broken:
        skip_broken(database, opened, builds)
    tournament = database.tournaments.by_id(opened.id)
    entrants = database.tournaments.entrants(tournament.id)
    for entrant in entrants:
        if entrant.broken:
            say(
                f"{entrant.name} is benched: {entrant.broken}; it plays no match; once the bot starts on this"
                f" host, run again with --unbench {entrant.name}"
            )
    plan = tournament.plan
    game = find_game(tournament.game)
    pinning = options.pinning
    if options.here:
        pinning = pinning.fitting(memory_of(plan, entrants, builds.store, reuse=tournament.run.reuse))
    say(f"sandbox none: {OUTSIDE}" if game.outside else sandbox_text(builds.sandbox))
    if sharing := sharing_text(plan, game):
        say(f"seeds: {sharing}")
    if not game.outside:
        say(ponder_text(plan, builds.sandbox, pinning))
        start_each_once(tournament, entrants, builds, say)
    return tournament


def start_each_once(
    tournament: Tournament,
    stored: Sequence[StoredEntrant],
    builds: BotBuilds,
    say: Callable[[str], None],
) -> None:
    """Start each bot of an unfinished tournament once, as ``Sandbox.rehearse`` says; by fuel, none.

    Say which protections are only partial for a bot; with "strict" that raises SandboxError.
    """
    if tournament.root is not None or tournament.plan.limits.by_fuel:
        return
    memory_mb = tournament.plan.limits.memory_mb
    sandbox = builds.sandbox
    # By digest: entrants of one bot read the same files.
    entrants = {entrant.entrant.digest: entrant.entrant for entrant in stored if not entrant.broken}
    say(f"starting {counted(len(entrants), 'bot')} once: what they read stays in memory for their matches")
    for entrant in entrants.values():
        try:
            command = builds.command(entrant)
        except BotError:
            continue  # its matches name it
        for protection, why in sandbox.weakened(command.folder, memory_mb).items():
            text = f"{protection} is only partial for {entrant.bot}@{entrant.version}: {why}"
            if sandbox.level == "strict":
                raise SandboxError(f'sandbox = "strict" is not possible: {text}; use sandbox = "auto"')
            say(text)
        if not tournament.run.reuse:
            sandbox.rehearse(command, memory_mb=memory_mb)


MAX_REASON: Final = 500  # characters of a stored reason


def refuse_broken(entrants: Sequence[StoredEntrant], broken: Broken) -> None:
    """Raise TournamentError if any bot is broken: a sentence that names all, with the builds' last lines."""
    if broken:
        raise _error(entrants, broken, "fix {them}, or go on without {them} by --skip-broken")


def without_broken(
    plan: Plan,
    entrants: Sequence[StoredEntrant],
    broken: Broken,
    before: Sequence[StoredEntrant] = (),
    paired: int = 0,
) -> tuple[StoredEntrant, ...]:
    """The entrants, those with a broken bot marked: they sit in no round after those ``paired``.

    Raises TournamentError if fewer bots than a table has seats can be started, with those entered ``before``.
    """
    leaves = find_format(plan.format).takes_withdrawals
    marked = tuple(
        stored
        if (error := broken.get(stored.number)) is None
        else replace(
            stored,
            broken=reason_of(error),
            left=max(stored.joined, paired + 1) if leaves else stored.left,
        )
        for stored in entrants
    )
    working = sum(not stored.broken for stored in (*before, *marked))
    if broken and working < plan.seats:
        few = f"the bots that start ({working}) are too few for tables of {plan.seats} seats; correct others"
        raise _error(entrants, broken, few)
    return marked


def reason_of(error: BotError) -> str:
    """The reason that is stored for a broken bot: one printable line of bounded length."""
    text = legible(str(error), " ")
    return text if len(text) <= MAX_REASON else f"{text[:MAX_REASON]}..."


def restore_bots(
    database: Database,
    tournament: Tournament,
    file: TournamentFile,
    bots: BotStore,
    *,
    skip: bool,
) -> None:
    """Put the bots of a tournament that goes on into the store, where that lacks them.

    An imported tournament comes without its bots; only bots of the file and shipped ones are at hand. Raises
    BotError, naming the digest, for any other, and TournamentError for a bot of the file, unless ``skip``.
    """
    counts = database.schedules.progress(tournament.id)
    if tournament.complete and counts.done == counts.rows:  # nothing is played: its bots may be gone
        return
    entrants = [stored for stored in database.tournaments.entrants(tournament.id) if not stored.broken]
    digests = dict.fromkeys(stored.entrant.digest for stored in entrants)
    if all(map(bots.has, digests)):
        return
    missing: tuple[type[TourneyError], ...] = (BotError, TournamentError) if skip else ()
    for line in file.entrants:
        if is_earlier(line.bot):  # known by its digest alone
            continue
        with suppress(*missing), naming(file.path):
            find_bot(line, bots, file.path.parent)
    for digest in digests:
        with suppress(*missing):
            bots.provide(digest)


def skip_broken(database: Database, tournament: Tournament, builds: BotBuilds) -> None:
    """Bench the entrants that still have something to play and whose bots cannot be started now."""
    stored = database.tournaments.entrants(tournament.id)
    paired = database.schedules.progress(tournament.id).rounds
    due = {number for _, row in database.schedules.pending(tournament.id) for number in row.seats}
    tried = [
        entrant
        for entrant in stored
        if not entrant.broken
        and (entrant.number in due or (not tournament.complete and entrant.left is None))
    ]
    broken = builds.find_broken(tried)
    marked = without_broken(tournament.plan, stored, broken, paired=paired)
    changed = [new for old, new in zip(stored, marked, strict=True) if new != old]
    if changed:
        database.tournaments.change_entrants(tournament.id, changed)


def rejoin(database: Database, tournament: Tournament, stored: StoredEntrant, builds: BotBuilds) -> None:
    """Let an entrant whose bot was broken play again.

    It joins from the next round on, or (where all rounds are paired at the start) plays its void matches.
    Raises UsageError if its bot is still broken, or if the format lets no entrant come back.
    """
    for error in builds.find_broken([stored]).values():
        raise noted(UsageError(f"--unbench {stored.name}: {reason_of(error)}"), error) from error
    joined = stored.joined
    if stored.left is not None:
        format_ = find_format(tournament.plan.format)
        if not format_.takes_entrants or stored.left > stored.joined:
            raise UsageError(
                f"--unbench {stored.name}: {stored.name} has left {tournament.name} from round {stored.left}"
                f" on, and a {format_.name} lets no entrant come back; enter it in a new tournament"
            )
        joined = database.schedules.progress(tournament.id).rounds + 1
    database.tournaments.change_entrants(
        tournament.id, [replace(stored, joined=joined, left=None, broken="")]
    )


def unbench(
    database: Database,
    tournament: Tournament,
    names: Sequence[str],
    say: Callable[[str], None],
    come_back: Callable[[StoredEntrant], None],
) -> None:
    """Open the matches of benched entrants again: lost ones, if the bot failed to start, and void ones.

    ``come_back`` enters one again whose bot was broken. Raises UsageError for a name that is not an entrant
    or is not benched, and what ``come_back`` does.
    """
    if not names:
        return
    entrants = database.tournaments.entrants(tournament.id)
    numbers = {entrant.name: entrant.number for entrant in entrants}
    void = dict(database.totals.benched(tournament.id))
    # Where no bot of a match started, the machine was the likelier cause; that is over too.
    failed_starts: dict[int, list[int]] = defaultdict(list)
    for match, seats, faults in database.matches.faulty(tournament.id):
        for entrant, fault in zip(seats, faults, strict=True):
            if fault == "startup":
                failed_starts[entrant].append(match)
    for name in names:
        if name not in numbers:
            raise UsageError(
                f"--unbench {name}: {tournament.name} has no such entrant; see `tourney standings`"
            )
        benched = numbers[name] in void or numbers[name] in failed_starts
        if not benched and not entrants[numbers[name]].broken:
            raise UsageError(f"--unbench {name}: {name} is not benched in {tournament.name}")
    for name in dict.fromkeys(names):
        entrant = numbers[name]
        if entrants[entrant].broken:
            come_back(entrants[entrant])
        lost = failed_starts.get(entrant, ())
        back = sorted({*lost, *database.totals.void_for(tournament.id, entrant)})
        database.matches.take_back(tournament.id, back)
        say(
            f"{name} is no longer benched: {len(back)} of its matches are replayed,"
            f" including {len(lost)} lost at start-up"
        )


def _error(entrants: Sequence[StoredEntrant], broken: Broken, advice: str) -> TournamentError:
    """An error that names each broken bot once, and says what to do; {them} in the advice is them or it."""
    errors = {stored.entrant.digest: broken[stored.number] for stored in entrants if stored.number in broken}
    reasons = [reason_of(error) for error in errors.values()]
    if len(reasons) == 1:
        refusal = TournamentError(f"{reasons[0]}; {advice.format(them='it')}")
    else:
        text = "; ".join((*reasons, advice.format(them="them")))
        refusal = TournamentError(f"{len(reasons)} bots cannot be started: {text}")
    for error, reason in zip(errors.values(), reasons, strict=True):
        for note in getattr(error, "__notes__", ()):
            refusal.add_note(note if len(reasons) == 1 else f"{reason}\n{note}")
    return refusal
