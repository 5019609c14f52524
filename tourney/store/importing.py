"""Import a whole tournament, or records, which become a finished tournament of the format ``import``.

All is checked before anything is stored, and all is stored or nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, zip_longest
from typing import Any

from tourney.errors import RecordError
from tourney.match.record import Record, spec_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, MatchSpec
from tourney.schedule.row import Row
from tourney.schema import NAME, show
from tourney.store.exchange import IMPORTED, Head, check_game, read_head, read_matches, renamed
from tourney.store.repository import Repository
from tourney.store.root import compute_root
from tourney.store.rows import joined
from tourney.store.scratch import Scratch
from tourney.store.values import DrawProbability, MatchResult, Plan, RunSettings, StoredEntrant, Tournament

FORMAT = IMPORTED
_CHUNK = 500

Line = tuple[str, Record]
"""Where a record came from ("file, line 7"), and the record, checked."""


class _Layout:
    """The tournament that the records make: entrants in order of appearance, and a row for each record.

    Records with one seed and the same entrants are one mirrored group, wherever they stand; groups come in
    the order of their first records. Rows are kept in ``scratch``.
    """

    def __init__(self, plan: Plan, scratch: Scratch) -> None:
        self.plan = plan
        self.entrants: dict[str, StoredEntrant] = {}
        self._scratch = scratch

    def add(self, where: str, spec: MatchSpec, digest: str) -> None:
        numbers = tuple(self._number(where, entrant) for entrant in spec.seats)
        if len(set(numbers)) < len(numbers):
            raise RecordError(f"{where}: an entrant has two seats in this match")
        self._scratch.put_line(f"{spec.seed}:{joined(sorted(numbers))}", joined(numbers), digest)

    def rows(self) -> Iterator[Row]:
        """Yield the rows in schedule order."""
        for table, order, seats in self._scratch.piled():
            yield Row(1, table, 1, order, tuple(map(int, seats.split(","))))

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the digest of each record, in the order of the records."""
        return self._scratch.lines()

    def _number(self, where: str, entrant: Entrant) -> int:
        if NAME.fullmatch(entrant.name) is None:
            raise RecordError(f"{where}: {show(entrant.name)} is no name of an entrant ({NAME.pattern})")
        known = self.entrants.setdefault(entrant.name, StoredEntrant(len(self.entrants), entrant))
        if known.entrant != entrant:
            raise RecordError(
                f"{where}: the entrant {entrant.name} is another bot, or has other arguments, than further up"
            )
        return known.number


def import_records(
    repository: Repository,
    name: str,
    records: Callable[[], Iterable[Line]],
    created: str,
    *,
    again: bool = False,
) -> Tournament:
    """Store checked records as a finished tournament of the format ``import``: all or none.

    ``records`` gives the records each time it is called. ``again`` accepts records that the database has
    already. Raises RecordError, naming the line, for records that do not belong together or are there
    already, and UsageError if the name is taken.
    """
    with ExitStack() as stack:
        layout = _layout(name, records(), stack.enter_context(Scratch()))
        writer = stack.enter_context(repository.transaction())
        tournament = writer.begin(
            layout.plan,
            seed=0,
            seed_chosen=True,
            run=RunSettings(),
            entrants=tuple(layout.entrants.values()),
            created=created,
        )
        rows = layout.rows()
        while some := list(islice(rows, _CHUNK)):
            writer.add_rows(tournament.id, some, complete=False)
        writer.add_rows(tournament.id, (), complete=True)
        finished = _finished(layout, records())
        while chunk := list(islice(finished, _CHUNK)):
            _store(writer, tournament.id, chunk, again=again)
        keep_root(writer, tournament.id)
        return writer.tournament_by_id(tournament.id)


def _finished(layout: _Layout, records: Iterable[Line]) -> Iterator[tuple[str, MatchResult]]:
    """Yield the records' results. Raises RecordError for other records than those of the layout."""
    nothing: tuple[Any, Any] = (None, None)
    for known, line in zip_longest(layout.numbered(), records):
        (number, digest), (where, record) = known or nothing, line or nothing
        if record is None or record["digest"] != digest:
            raise RecordError(f"{where or 'the end of the file'} was changed while the records were read")
        yield where, MatchResult(number, PlayedMatch(record))


def import_tournament(
    repository: Repository,
    lines: Callable[[], Iterable[tuple[str, object]]],
    created: str,
    *,
    name: str | None = None,
    again: bool = False,
) -> Tournament:
    """Store the tournament of an export (``tourney.store.exchange``), finished or not: all or nothing.

    ``lines`` gives the values with their places each time it is called; ``name`` replaces the tournament's
    own; ``again`` as of ``import_records``. ``created`` is taken where the export has no date. The game's
    draw probability is taken if the database has no tournament of this game and number of seats yet. Raises
    as ``check_tournament`` and ``import_records`` do.
    """
    with repository.transaction() as writer:
        head, matches = open_tournament(lines(), name)
        one = head.tournament
        alone = all((other.game, other.seats) != (one.game, one.seats) for other in writer.tournaments())
        tournament = writer.begin(
            one.plan,
            seed=one.seed,
            seed_chosen=one.seed_chosen,
            run=one.run,
            entrants=head.entrants,
            created=one.created or created,
        )
        while chunk := list(islice(matches, _CHUNK)):
            writer.add_rows(tournament.id, [row for _, row, _ in chunk], complete=False)
            results = [(where, result) for where, _, result in chunk if result is not None]
            _store(writer, tournament.id, results, again=again)
        writer.add_rows(tournament.id, (), complete=one.complete)
        writer.keep_replaced(tournament.id, head.replaced)
        if head.line.presentation:
            writer.keep_presentation(tournament.id, head.line.presentation)
        if alone and (kept := head.line.draw_probability) is not None:
            value = DrawProbability(kept.probability, kept.tournament, kept.matches)
            writer.keep_draw_probability(one.game, one.seats, value)
        keep_root(writer, tournament.id)
        return writer.tournament_by_id(tournament.id)


def check_tournament(lines: Iterable[tuple[str, object]], name: str | None = None) -> Head:
    """Return the tournament of lines. Raises RecordError or GameError, naming the line, for other lines."""
    head, matches = open_tournament(lines, name)
    for _ in matches:
        pass
    return head


def open_tournament(
    lines: Iterable[tuple[str, object]], name: str | None
) -> tuple[Head, Iterator[tuple[str, Row, MatchResult | None]]]:
    """Return the first line, under another name if there is one, and what ``read_matches`` yields."""
    values = iter(lines)
    where, value = next(values)
    head = read_head(value, where)
    matches = read_matches(head, values)
    return head if name is None else renamed(head, name), matches


def _store(
    writer: Repository, tournament: int, finished: Sequence[tuple[str, MatchResult]], *, again: bool
) -> None:
    """Store results. Raises RecordError for a record that the database has already, unless ``again``."""
    places = {item.played.digest: where for where, item in finished if item.played is not None}
    for digest, match in () if again else writer.find_digests(places):
        raise RecordError(f"{places[digest]}: {match} has this record already; to import it, add --again")
    writer.record_results(tournament, [item for _, item in finished])


def keep_root(writer: Repository, tournament: int) -> None:
    """Keep a tournament's root, if all is played."""
    root = compute_root(writer, writer.tournament_by_id(tournament))
    if root is not None:
        writer.keep_root(tournament, root)


def _layout(name: str, records: Iterable[Line], scratch: Scratch) -> _Layout:
    """Return the tournament of records. Raises RecordError, naming the line, if they do not fit together."""
    layout: _Layout | None = None
    first: dict[str, Any] = {}
    for where, record in records:
        if (earlier := scratch.first_place(record["digest"], where)) != where:
            raise RecordError(f"{where} has the record of {earlier} again")
        spec = spec_of(record)
        # The parts that all records of one tournament share.
        common = {key: record[key] for key in ("game", "rules", "options", "limits")}
        common["number of seats"] = len(record["seats"])
        if layout is None:
            first = common
            check_game(where, spec.game, len(spec.seats), dict(spec.options))
            plan = Plan(
                name=name,
                game=spec.game,
                rules=record["rules"],
                options=tuple(sorted(spec.options)),
                format=FORMAT,
                seats=len(spec.seats),
                games_per_pairing=1,
                limits=spec.limits,
            )
            layout = _Layout(plan, scratch)
        for key, value in common.items():
            if value != first[key]:
                raise RecordError(
                    f"{where}: its {key} differs from the first record's; import such records apart"
                )
        layout.add(where, spec, record["digest"])
    if layout is None:
        raise RecordError("there is no record to import")
    return layout
