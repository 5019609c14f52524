"""Import records: they become a finished tournament of the format ``import``."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from tourney.errors import RecordError
from tourney.match.record import Record, spec_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, MatchSpec
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.root import compute_root
from tourney.store.values import MatchResult, Plan, RunSettings, StoredEntrant, Tournament

FORMAT = "import"
_CHUNK = 500

Line = tuple[str, Record]
"""Where a record came from ("file, line 7"), and the record, checked."""


@dataclass
class _Layout:
    """The tournament that the records make: entrants in order of appearance, and a row for each record.

    Records with one seed and the same entrants are one mirrored group, wherever they stand; groups come in
    the order of their first records.
    """

    plan: Plan
    entrants: dict[str, StoredEntrant] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = field(default_factory=dict)

    def add(self, where: str, spec: MatchSpec) -> None:
        numbers = tuple(self._number(where, entrant) for entrant in spec.seats)
        # The group's table, and how many of it were there before.
        group = self.groups.setdefault((spec.seed, tuple(sorted(numbers))), [len(self.groups) + 1, 0])
        group[1] += 1
        self.rows.append(Row(1, group[0], 1, group[1], numbers))

    def _number(self, where: str, entrant: Entrant) -> int:
        known = self.entrants.setdefault(entrant.name, StoredEntrant(len(self.entrants), entrant))
        if known.entrant != entrant:
            raise RecordError(
                f"{where}: the entrant {entrant.name} is another bot, or has other arguments, than further up"
            )
        return known.number


def import_records(
    repository: Repository, name: str, records: Callable[[], Iterable[Line]], created: str
) -> Tournament:
    """Store checked records as a finished tournament of the format ``import``: all or none.

    ``records`` gives the records each time it is called. Raises RecordError, naming the line, for records
    that do not belong together, and UsageError if the name is taken.
    """
    with repository.transaction() as writer:
        layout = check_records(name, records())
        tournament = writer.begin(
            layout.plan,
            seed=0,
            seed_chosen=True,
            run=RunSettings(),
            entrants=tuple(layout.entrants.values()),
            created=created,
        )
        numbered = writer.add_rows(tournament.id, layout.rows, complete=True)
        number_of = {row: number for number, row in numbered}
        lines = zip(layout.rows, records(), strict=True)
        finished = (MatchResult(number_of[row], PlayedMatch(record)) for row, (_, record) in lines)
        while chunk := list(islice(finished, _CHUNK)):
            writer.record_results(tournament.id, chunk)
        root = compute_root(writer, writer.tournament_by_id(tournament.id))
        if root is not None:
            writer.keep_root(tournament.id, root)
    return tournament


def check_records(name: str, records: Iterable[Line]) -> _Layout:
    """Return the tournament of records. Raises RecordError, naming the line, if they do not fit together."""
    layout: _Layout | None = None
    first: dict[str, Any] = {}
    for where, record in records:
        spec = spec_of(record)
        # The parts that all records of one tournament share.
        common = {key: record[key] for key in ("game", "rules", "options", "limits")}
        common["number of seats"] = len(record["seats"])
        if layout is None:
            first = common
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
            layout = _Layout(plan)
        for key, value in common.items():
            if value != first[key]:
                raise RecordError(
                    f"{where}: its {key} differs from the first record's; import such records apart"
                )
        layout.add(where, spec)
    if layout is None:
        raise RecordError("there is no record to import")
    return layout
