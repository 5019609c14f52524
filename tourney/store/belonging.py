"""Hold a record to its tournament: a record that is sound may still be another match's.

A match's spec follows from what is stored of its tournament: the seed from the tournament's and the row of
the schedule, the entrants from the row, the rest from the plan. Imported records are the exception: they
bring their own seeds and openings, so these are held to nothing but each other, within a mirrored group.
"""

from collections.abc import Iterator
from typing import Any

from tourney.match.record import Record, spec_of
from tourney.match.spec import Entrant, MatchSpec
from tourney.store.importing import FORMAT
from tourney.store.values import Key, Match, Tournament


def is_imported(tournament: Tournament) -> bool:
    """Say whether a tournament was made of records that were read in: its format says so."""
    return tournament.plan.format == FORMAT


class Belonging:
    """Holds the records of one tournament to it, one after the other."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._imported = is_imported(tournament)
        self._seeds: dict[tuple[int, int, int], tuple[int, int]] = {}

    def foreign(self, match: Match, record: Record, expected: MatchSpec) -> str | None:
        """Return the first thing by which a record is not this match's, as a sentence, or None.

        The record must be of the one form; ``expected`` is the spec of the match's row.
        """
        return next(self._foreign(match, record, expected), None)

    def _foreign(self, match: Match, record: Record, expected: MatchSpec) -> Iterator[str]:
        found = spec_of(record)
        rules = self._tournament.plan.rules
        for what, said, right in (
            ("game", found.game, expected.game),
            ("version of the rules", record["rules"], rules),
            ("options", _sorted(found.options), _sorted(expected.options)),
            ("limits", found.limits.as_json(), expected.limits.as_json()),
        ):
            if said != right:
                yield f"its {what}: {_plain(said)}, but {_plain(right)} in the tournament's plan"
        for seat, (here, there) in enumerate(zip(found.seats, expected.seats, strict=False), start=1):
            if here != there:
                yield f"on its seat {seat} is {_who(here)}, but {_who(there)} in the schedule"
        if self._imported:
            yield from self._group(match.key, match.number, found.seed)
            return
        if found.seed != expected.seed:
            yield (
                f"its seed is {found.seed}, but the tournament's seed and its place in the schedule give"
                f" {expected.seed}"
            )
        if found.opening != expected.opening:
            said, right = found.opening.as_json(), expected.opening.as_json()
            yield f"its opening: {_plain(said)}, but {_plain(right)} by the plan and the seed"

    def _group(self, key: Key, number: int, seed: int) -> Iterator[str]:
        first, other = self._seeds.setdefault((key.round, key.table, key.repeat), (number, seed))
        if other != seed:
            yield f"its seed is {seed}, but match {first} of the same mirrored group has {other}"


def _sorted(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(sorted(pairs))


def _who(entrant: Entrant) -> str:
    args = "".join(f" {arg}" for arg in entrant.args)
    return f"{entrant.name} ({entrant.bot}@{entrant.version}{args}, {entrant.digest[:12]})"[:300]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_plain(item)}" for key, item in value.items())[:200] or "none"
    return "/".join(value)[:200] if isinstance(value, list) else str(value)
