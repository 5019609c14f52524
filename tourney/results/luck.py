"""The luck of a tournament's matches, computed when somebody asks for it and kept beside the matches.

A match is played without it: in Sage Stones it costs several times what the rules of the match cost, and a
match whose ratings are never read needs none. It follows from the record, so it is the same whenever, and in
whatever process, it is computed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from tourney.errors import StoreError, WorkerError
from tourney.games.registry import known_game
from tourney.match.evidence import Evidence, subtracted
from tourney.match.record import Record
from tourney.schedule.format import FORMATS
from tourney.store.column_reading import ColumnError, ComputedLuck, read_evidence, unpack_record

if TYPE_CHECKING:
    from tourney.schedule.format import Setup
    from tourney.schedule.row import ResultRow
    from tourney.store.database import Database
    from tourney.store.derived import LuckSource
    from tourney.store.values import Tournament

_CHUNK: Final = 100
"""Matches in one task and one transaction: about a second of work, which is all that a kill loses."""
_FEW: Final = 4 * _CHUNK
"""Matches that this process computes alone: starting others would take as long."""
_AHEAD: Final = 2


def shows_luck(tournament: "Tournament") -> bool:
    """Whether the luck of a tournament's matches is known, and worth to be subtracted."""
    game = known_game(tournament.game) if tournament.recorded else None
    return game is not None and subtracted(game)


def compute_luck(
    database: "Database",
    tournament: "Tournament",
    *,
    processes: int | None = None,
    step: Callable[[int, int], object] = lambda _done, _total: None,
    say: Callable[[str], object] = lambda _text: None,
) -> None:
    """Compute the luck of all matches of a tournament that have none yet, and keep it.

    Readers with ``luck=True`` have it from then on. What cannot be kept, as in a read-only database, they
    have while the database is open; ``say`` says so. ``step`` gets how many matches of how many are done.
    ``processes``: the default is one for each processor, or this one alone for few matches.
    """
    missing = database.lucks.missing(tournament.id) if shows_luck(tournament) else ()
    if not missing:
        return
    # Most commands find that nothing is missing, and need no code for processes.
    from tourney.spawning import Pool, default_processes  # noqa: PLC0415 - as said above

    count = processes or (default_processes() if len(missing) > _FEW else 1)
    keeper = _Keeper(database, say)
    done = 0
    chunks = [missing[start : start + _CHUNK] for start in range(0, len(missing), _CHUNK)]
    with Pool(count, "computes luck", _AHEAD) as pool, suppress(WorkerError):
        tasks = ((chunk, _task(database, tournament, chunk)) for chunk in chunks)
        for chunk, lucks in pool.run(lucks_of, tasks):
            keeper.take(lucks)
            done += len(chunk)
            step(done, len(missing))
    # A process was killed, perhaps because the memory was full: the rest goes one by one in this one.
    for chunk in chunks[-(-done // _CHUNK) :]:
        keeper.take(lucks_of(_task(database, tournament, chunk)))
        done += len(chunk)
        step(done, len(missing))


def results_with_luck(database: "Database", tournament: "Tournament") -> "Iterator[ResultRow]":
    """The results in schedule order with their luck, which is computed now where it is missing."""
    compute_luck(database, tournament)
    return database.matches.results(tournament.id, luck=shows_luck(tournament))


def needs_luck(tournament: "Tournament", setup: "Setup") -> bool:
    """Whether the format of a tournament needs the luck of its matches to go on; else only its readers do."""
    name = tournament.plan.format
    return FORMATS.knows(name) and shows_luck(tournament) and FORMATS.find(name).needs_luck(setup)


def results_for_format(
    database: "Database", tournament: "Tournament", setup: "Setup", *, after: int = 0
) -> "Iterator[ResultRow]":
    """The results after a match as the format of their tournament sees them: with luck if it needs that."""
    luck = needs_luck(tournament, setup)
    if luck:
        compute_luck(database, tournament)
    return database.matches.results(tournament.id, after=after, luck=luck)


class LuckTask(NamedTuple):
    """Matches whose luck a process computes; ``dictionary``: what their records are packed with."""

    sources: "Sequence[LuckSource]"
    seats: int
    dictionary: bytes


def lucks_of(task: LuckTask) -> dict[int, ComputedLuck]:
    """The luck of matches by their ids.

    Those whose record cannot be read, or is of other rules than those installed, are left out: their luck may
    be known some day.
    """
    lucks = {}
    for source in task.sources:
        evidence = _stored(source, task.seats)
        if not evidence.luck and source.digest:
            record = _record(source, task)
            if record is None:
                continue
            evidence = Evidence.of(record)
        alone = Evidence(luck=evidence.luck, values=evidence.values)
        lucks[source.id] = ComputedLuck(source.digest, alone)
    return lucks


def _stored(source: "LuckSource", seats: int) -> Evidence:
    """The evidence of a match as it is stored, which has the luck if an older version played the match."""
    try:
        return read_evidence(source.evidence, seats)
    except ColumnError:
        return Evidence()  # a reader of the results names it


def _record(source: "LuckSource", task: LuckTask) -> Record | None:
    """The record of a match if it is here, and of the rules that are installed."""
    if source.record is None:
        return None
    try:
        record = unpack_record(source.record, task.seats, task.dictionary)
    except ColumnError:
        return None  # `tourney verify` names it
    game = known_game(record.game)
    return record if game is not None and game.rules == record.rules else None


def _task(database: "Database", tournament: "Tournament", ids: Sequence[int]) -> LuckTask:
    sources, dictionary = database.lucks.sources(tournament.id, ids)
    return LuckTask(sources, tournament.seats, dictionary)


class _Keeper:
    """Keeps luck in the database if it can be written, and lets its readers have it in any case."""

    def __init__(self, database: "Database", say: Callable[[str], object]) -> None:
        self._database = database
        self._say = say
        self._writable = True

    def take(self, lucks: dict[int, ComputedLuck]) -> None:
        """Take the luck of some matches."""
        if self._writable:
            try:
                self._database.lucks.keep(lucks)
            except StoreError as error:
                self._writable = False
                self._say(f"the luck of the dice is not kept, so the next command computes it again: {error}")
        if not self._writable:
            self._database.lucks.show(lucks)
