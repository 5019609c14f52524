"""Verifying what is stored: a record by itself, against its tournament, and the tables against it."""

from collections.abc import Iterator
from typing import Any

from tourney.errors import StoreDamaged, UsageError
from tourney.match.record import Record
from tourney.match.record import spec_of as spec_of_record
from tourney.match.spec import Entrant, MatchSpec
from tourney.match.verify import Finding, verify
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import MatchKey
from tourney.store.importing import FORMAT
from tourney.store.repository import Repository
from tourney.store.values import Match, Tournament


class StoredMatches:
    """Verifies the matches of one tournament, one after the other."""

    def __init__(self, repository: Repository, tournament: Tournament) -> None:
        self._repository = repository
        self._tournament = tournament
        self._entrants = repository.entrants(tournament.id)
        self._check = RecordCheck(tournament)
        self.imported = self._check.imported

    def verify(self, number: int) -> list[Finding] | None:
        """Return what does not hold of a match that has a result; an empty list means that all does.

        None: it is void for want of a working machine, and so says all that is stored of it.
        """
        try:
            return self._verify(number)
        except (StoreDamaged, UsageError) as error:
            return [Finding(str(error))]

    def _verify(self, number: int) -> list[Finding] | None:
        repository, tournament = self._repository, self._tournament
        match = repository.match(tournament.id, number)
        if match.result is None or not match.result.digest:
            why = repository.disagreement(tournament.id, number, None)
            return [Finding(why)] if why else None
        record = repository.record(tournament.id, number)
        findings = verify(record)
        if why := self._check.difference(match, record, spec_of(tournament, self._entrants, match.row)):
            findings.append(Finding(why))
        if not findings and (why := repository.disagreement(tournament.id, number, record)):
            findings = [Finding(why)]
        return findings


class RecordCheck:
    """Checks that the records of a tournament, one after the other, are of its matches.

    Imported records bring their own seeds and openings; the records of a mirrored group share a seed.
    """

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self.imported = tournament.plan.format == FORMAT
        self._seeds: dict[tuple[int, int, int], tuple[int, int]] = {}

    def difference(self, match: Match, record: Record, expected: MatchSpec) -> str | None:
        """Return the first difference between a record and its match, as a sentence, or None.

        The record must be of the one form; ``expected`` is the spec of the match's row.
        """
        return next(self._differences(match, record, expected), None)

    def _differences(self, match: Match, record: Record, expected: MatchSpec) -> Iterator[str]:
        found = spec_of_record(record)
        rules = self._tournament.plan.rules
        for what, said, right in (
            ("game", found.game, expected.game),
            ("version of the rules", record["rules"], rules),
            ("options", _sorted(found.options), _sorted(expected.options)),
            ("limits", found.limits.as_json(), expected.limits.as_json()),
        ):
            if said != right:
                yield f"its {what}: {_spec_text(said)}, but {_spec_text(right)} in the tournament's plan"
        for seat, (here, there) in enumerate(zip(found.seats, expected.seats, strict=False), start=1):
            if here != there:
                who, planned = _entrant_text(here), _entrant_text(there)
                yield f"on its seat {seat} is {who}, but {planned} in the schedule"
        if self.imported:
            yield from self._group(match.key, match.number, found.seed)
            return
        if found.seed != expected.seed:
            yield (
                f"its seed is {found.seed}, but the tournament's seed and its place in the schedule give"
                f" {expected.seed}"
            )
        if found.opening != expected.opening:
            said, right = found.opening.as_json(), expected.opening.as_json()
            yield f"its opening: {_spec_text(said)}, but {_spec_text(right)} by the plan and the seed"

    def _group(self, key: MatchKey, number: int, seed: int) -> Iterator[str]:
        first, other = self._seeds.setdefault((key.round, key.table, key.repeat), (number, seed))
        if other != seed:
            yield f"its seed is {seed}, but match {first} of the same mirrored group has {other}"


def _sorted(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(sorted(pairs))


def _entrant_text(entrant: Entrant) -> str:
    args = "".join(f" {arg}" for arg in entrant.args)
    return f"{entrant.name} ({entrant.bot}@{entrant.version}{args}, {entrant.digest[:12]})"[:300]


def _spec_text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_spec_text(item)}" for key, item in value.items())[:200] or "none"
    return "/".join(value)[:200] if isinstance(value, list) else str(value)
