"""Where a match that a person names is found: in the database by its number, or in a record file."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tourney.errors import RecordError, StoreDamaged, UsageError
from tourney.match.record import Record, check_shape, read_record
from tourney.match.result import LogLine

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """A match, and what is kept beside its record where it came from; ``label`` names it to people.

    ``damaged``: why log or measurements are left out, a sentence each.
    """

    label: str
    record: Record
    log: tuple[LogLine, ...] = ()
    measured: dict[str, Any] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


def find_match(words: str, db: str) -> FoundMatch:
    """Return the match that words name: a number, ``TOURNAMENT/NUMBER``, or a file with one record.

    A bare number is always a match's; a file of such a name is ``./12``. The record's shape is checked, its
    digest is not. Raises UsageError where there is none, RecordError for what is no record, and StoreError.
    """
    if is_file(words) or not names_match(words):
        if not is_file(words):
            raise UsageError(
                f"{words!r} is no match: name one by its number, as 12 or autumn-cup/12, or by a record file"
            )
        value = read_record(Path(words))
        try:
            return FoundMatch(words, check_shape(value))
        except RecordError as error:
            raise RecordError(f"{words} is no record: {error}") from error
    from tourney.store.repository import Repository  # noqa: PLC0415 - slow to import, and a file does without

    with Repository.open(db) as opened, opened.snapshot() as repository:
        match = repository.find_match(words)
        names = {tournament.id: tournament.name for tournament in repository.tournaments()}
        record = repository.record(match.tournament, match.number)
        label = f"match {match.number} of {names[match.tournament]}"
        log: tuple[LogLine, ...] = ()
        measured: dict[str, Any] = {}
        damaged = []
        try:
            log = repository.log(match.tournament, match.number)
        except StoreDamaged as error:
            damaged.append(str(error))
        try:
            measured = repository.measured(match.tournament, match.number)
        except StoreDamaged as error:
            damaged.append(str(error))
        return FoundMatch(label, record, log, measured, tuple(damaged))


def is_file(words: str) -> bool:
    """Say whether words name a file of records; a bare number is always a match's."""
    return _NUMBER.fullmatch(words) is None and Path(words).is_file()


def names_match(words: str) -> bool:
    """Say whether words name a match of a database: ``12``, or ``TOURNAMENT/12``."""
    _, slash, number = words.rpartition("/")
    return bool(slash or words == number) and _NUMBER.fullmatch(number) is not None
