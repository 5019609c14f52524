"""Make a finished tournament of records or results that belong to no tournament: all are stored, or none.

Records become a tournament of the format ``import``, results that other programs played one of the format
``results``, whose matches have no records.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, zip_longest

from tourney.check.root import keep_root
from tourney.errors import RecordError
from tourney.exchange.importing import Scratch, check_game, store_new
from tourney.match.record import Outcome, Record
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, MatchSpec
from tourney.schedule.format import IMPORTED, Results, find_format
from tourney.schedule.row import BY_WIN, Row, limit_rows
from tourney.schema import NAME, show
from tourney.store.database import Database
from tourney.store.rows import chunks, joined
from tourney.store.values import (
    CHOSEN,
    NO_BOT,
    MatchResult,
    Plan,
    RunSettings,
    StoredEntrant,
    Tournament,
)

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
        self.scratch = scratch

    def add(self, where: str, spec: MatchSpec, digest: str) -> None:
        numbers = tuple(self._number(where, entrant) for entrant in spec.seats)
        if len(set(numbers)) < len(numbers):
            raise RecordError(f"{where}: an entrant has two seats in this match")
        self.scratch.put_line(f"{spec.seed}:{joined(sorted(numbers))}", joined(numbers), digest)

    def rows(self) -> Iterator[Row]:
        """Yield the rows in schedule order."""
        for table, order, seats in self.scratch.piled():
            yield Row(1, table, 1, order, tuple(map(int, seats.split(","))))

    def _number(self, where: str, entrant: Entrant) -> int:
        if NAME.fullmatch(entrant.name) is None:
            raise RecordError(f"{where}: {show(entrant.name)} is not a name for an entrant ({NAME.pattern})")
        stored = self.entrants.setdefault(entrant.name, StoredEntrant(len(self.entrants), entrant))
        if stored.entrant != entrant:
            raise RecordError(
                f"{where}: the entrant {entrant.name} is another bot, or has other arguments, than further up"
            )
        return stored.number


def import_records(
    database: Database,
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
        writer = stack.enter_context(database.transaction())
        tournament = writer.tournaments.add(
            layout.plan,
            seed=0,
            origin=CHOSEN,
            run=RunSettings(),
            entrants=tuple(layout.entrants.values()),
            created=created,
        )
        for some in chunks(layout.rows()):
            writer.schedules.add(tournament.id, some, complete=False)
        writer.schedules.add(tournament.id, (), complete=True)
        for chunk in chunks(_finished(layout, records())):
            store_new(writer, tournament.id, chunk, again=again)
        keep_root(writer, tournament.id)
        return writer.tournaments.by_id(tournament.id)


def _finished(layout: _Layout, records: Iterable[Line]) -> Iterator[tuple[str, MatchResult]]:
    """Yield the records' results. Raises RecordError for other records than those of the layout."""
    for planned, line in zip_longest(layout.scratch.lines(), records):
        if planned is None or line is None or line[1].digest != planned[1]:
            where = "the end of the file" if line is None else line[0]
            raise RecordError(f"{where} was changed while the records were read")
        (number, _), (where, record) = planned, line
        yield where, MatchResult(number, PlayedMatch(record))


def _layout(name: str, records: Iterable[Line], scratch: Scratch) -> _Layout:
    """The tournament of records. Raises RecordError, naming the line, if they do not fit together."""
    layout: _Layout | None = None
    first: dict[str, object] = {}
    for where, record in records:
        if (earlier := scratch.first_place(record.digest, where)) != where:
            raise RecordError(f"{where} has the record of {earlier} again")
        spec = record.spec
        # The parts that all records of one tournament share.
        common = {key: getattr(record, key) for key in ("game", "rules", "options", "limits")}
        common["number of seats"] = len(record.seats)
        if layout is None:
            first = common
            check_game(where, spec.game, len(spec.seats), dict(spec.options))
            plan = Plan(
                name=name,
                game=spec.game,
                rules=record.rules,
                options=tuple(sorted(spec.options)),
                format=IMPORTED,
                seats=len(spec.seats),
                games_per_pairing=1,
                limits=spec.limits,
                ranking=find_format(IMPORTED).new_rule(len(spec.seats)),
            )
            layout = _Layout(plan, scratch)
        for key, value in common.items():
            if value != first[key]:
                raise RecordError(
                    f"{where}: its {key} differs from the first record's; import such records apart"
                )
        layout.add(where, spec, record.digest)
    if layout is None:
        raise RecordError("there is no record to import")
    return layout


def import_outcomes(
    database: Database,
    name: str,
    game: str,
    players: Sequence[str],
    games: Iterable[tuple[Row, Outcome]],
    count: int,
    created: str,
    score: str | None = None,
) -> Tournament:
    """Store ``count`` games, which come in schedule order and have the same seats.

    ``score``: what a game gives, as plans store it. Raises UsageError if the name is taken, and
    TournamentError for more games than a tournament can have.
    """
    limit_rows("this import", count, "fewer games by a filter")
    remaining = iter(games)
    first = next(remaining)
    format_ = find_format(Results.name)
    seats = len(first[0].seats)
    plan = Plan(
        name=name,
        game=game,
        rules="unknown",
        options=(),
        format=Results.name,
        seats=seats,
        games_per_pairing=1,
        ranking=format_.rule_by_wins(seats) if score == BY_WIN else format_.new_rule(seats),
    )
    entrants = tuple(
        StoredEntrant(number, Entrant(player, player, "", (), NO_BOT))
        for number, player in enumerate(players)
    )
    with database.transaction() as writer:
        tournament = writer.tournaments.add(
            plan, seed=0, origin=CHOSEN, run=RunSettings(), entrants=entrants, created=created
        )
        for chunk in chunks(chain([first], remaining), 5_000):  # results without records are small
            writer.matches.add_outcomes(tournament.id, chunk)
        return writer.tournaments.by_id(tournament.id)
