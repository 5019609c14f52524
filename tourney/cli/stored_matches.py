"""Verifying what is stored: a record by itself, against its tournament, and the tables against it."""

from tourney.errors import StoreDamaged, UsageError
from tourney.match.verify import Finding, verify
from tourney.run.engine.pairing import spec_of
from tourney.store.consistency import Belonging, is_imported
from tourney.store.repository import Repository
from tourney.store.values import Tournament


class StoredMatches:
    """Verifies the matches of one tournament, one after the other."""

    def __init__(self, repository: Repository, tournament: Tournament) -> None:
        self._repository = repository
        self._tournament = tournament
        self._entrants = repository.entrants(tournament.id)
        self._belonging = Belonging(tournament)
        self.imported = is_imported(tournament)

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
        if why := self._belonging.foreign(match, record, spec_of(tournament, self._entrants, match.row)):
            findings.append(Finding(why))
        if not findings and (why := repository.disagreement(tournament.id, number, record)):
            findings = [Finding(why)]
        return findings
