"""One ranking over finished tournaments, which may be of different games.

By ``places`` an entrant gets 100 points for a first place, 0 for a last one, and the rest by its place
between; tied entrants share. By ``strength`` it gets the mean of its Elo in each tournament, in units of that
tournament's spread: games with much luck and games with little count alike.

Both intervals come from the batch ratings of the tournaments. That of places has the points in 95 % of
10,000 draws of the strengths, so it says what other matches between the same bots could have given; that of
strength adds up the variances.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tourney.errors import UsageError
from tourney.ratings.sequential import QUANTILE
from tourney.results.ratings import rate_batch
from tourney.results.standings import Standing, compute_standings, interim_sentence
from tourney.schema import Part
from tourney.store.database import Database
from tourney.store.values import Tournament

By = Literal["places", "strength"]
DRAWS: Final = 10_000


class OverallPart(Part, frozen=True, kw_only=True):
    """An entrant in one tournament; all but its name are null if it did not take part.

    `place` is 1 + the number of better entrants among the `entrants` that count. `value` are its points by
    places, or its strength in units of the tournament's spread.
    """

    tournament: str
    place: int | None = None
    entrants: int | None = None
    value: float | None = None


class OverallLine(Part, frozen=True, kw_only=True):
    """An entrant over all tournaments.

    `value` is the mean of its parts, with a 95 % interval. By places a tournament without it gives 0 points;
    by strength it has no rank and no value then. `missing` names these tournaments.
    """

    rank: int | None
    name: str
    value: float | None
    low: float | None
    high: float | None
    missing: tuple[str, ...]
    parts: tuple[OverallPart, ...]


@dataclass(frozen=True, slots=True)
class _Field:
    """The entrants of one tournament that count, in the order of its standings.

    ``elo`` and ``deviations`` are those of its batch rating; ``spread`` is the standard deviation of the
    strengths in Elo.
    """

    tournament: str
    lines: tuple[Standing, ...]
    elo: tuple[float, ...]
    deviations: tuple[float, ...]
    spread: float

    def points(self) -> list[float]:
        """Points by the places of the standings."""
        count = len(self.lines)
        ranks = Counter(line.rank for line in self.lines)
        # Ranks among those that count: others may have been left out between.
        better = {rank: sum(n for each, n in ranks.items() if each < rank) for rank in ranks}
        places = [better[line.rank] + (ranks[line.rank] - 1) / 2 for line in self.lines]
        return [100 * (count - 1 - place) / (count - 1) for place in places]

    def place(self, index: int) -> int:
        """1 + the number of better entrants that count."""
        return 1 + sum(line.rank < self.lines[index].rank for line in self.lines)

    def drawn_points(self, random: np.random.Generator) -> np.ndarray:
        """Points by places in draws of the strengths, a row for each draw."""
        count = len(self.lines)
        # Estimates relative to their mean vary a little less than differences of two of them need.
        deviations = np.array(self.deviations) * count / (count - 1)
        strengths = random.normal(np.array(self.elo), deviations, size=(DRAWS, count))
        order = np.argsort(np.argsort(strengths, axis=1), axis=1)
        points: np.ndarray = 100 * order / (count - 1)
        return points

    def strengths(self) -> list[tuple[float, float]]:
        """Strength and its standard error of each entrant, in units of the spread."""
        mean = sum(self.elo) / len(self.elo)
        return [
            ((elo - mean) / self.spread, deviation / self.spread)
            for elo, deviation in zip(self.elo, self.deviations, strict=True)
        ]


def overall(
    database: Database, names: Sequence[str], by: By, left_out: Collection[str] = ()
) -> tuple[OverallLine, ...]:
    """The ranking over tournaments, best first, without the entrants that are left out.

    Raises UsageError for fewer than two tournaments, and for one that is unfinished or has fewer than two
    entrants that count.
    """
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise UsageError("name two different tournaments or more: one ranking over one of them is its own")
    fields = [_field(database, database.tournaments.get(name), left_out) for name in names]
    unknown = sorted(set(left_out) - {name for field in fields for name in field_names(database, field)})
    if unknown:
        raise UsageError(f"no tournament has an entrant {unknown[0]} that could be left out")
    entrants = sorted({line.name for field in fields for line in field.lines})
    lines = _by_places(fields, entrants) if by == "places" else _by_strength(fields, entrants)
    ranked = sorted(lines, key=lambda line: (line.value is None, -(line.value or 0.0), line.name))
    values = [line.value for line in ranked if line.value is not None]
    return tuple(
        OverallLine.of(line, rank=None if line.value is None else 1 + sum(v > line.value for v in values))
        for line in ranked
    )


def field_names(database: Database, field: _Field) -> list[str]:
    """All entrants of a tournament, also those that are left out."""
    tournament = database.tournaments.get(field.tournament)
    return [entrant.name for entrant in database.tournaments.entrants(tournament.id)]


def _field(database: Database, tournament: Tournament, left_out: Collection[str]) -> _Field:
    if interim_sentence(tournament.complete, database.schedules.progress(tournament.id)):
        raise UsageError(f"{tournament.name} is not finished: its places can still change")
    lines = tuple(line for line in compute_standings(database, tournament.id) if line.name not in left_out)
    if len(lines) < 2:
        raise UsageError(f"{tournament.name} has fewer than two entrants that count")
    batch = rate_batch(database, tournament, "loss", pairs=False)
    ratings = {rating.entrant: rating for rating in batch.ratings}
    mine = [ratings[line.number] for line in lines]
    deviations = tuple((rating.high - rating.low) / 2 / QUANTILE for rating in mine)
    return _Field(
        tournament.name, lines, tuple(r.elo for r in mine), deviations, max(batch.pool.prior_elo, 1.0)
    )


def _by_places(fields: Sequence[_Field], entrants: Sequence[str]) -> list[OverallLine]:
    random = np.random.default_rng(0)  # the same tournaments give the same interval
    drawn = {name: np.zeros(DRAWS) for name in entrants}
    parts: dict[str, list[OverallPart]] = {name: [] for name in entrants}
    for field in fields:
        points = field.points()
        draws = field.drawn_points(random)
        index = {line.name: number for number, line in enumerate(field.lines)}
        for name in entrants:
            if (number := index.get(name)) is None:
                parts[name].append(OverallPart(tournament=field.tournament))
                continue
            drawn[name] += draws[:, number]
            parts[name].append(_part(field, number, points[number]))
    lines = []
    for name in entrants:
        low, high = np.quantile(drawn[name] / len(fields), (0.025, 0.975))
        value = sum(part.value or 0.0 for part in parts[name]) / len(fields)
        lines.append(_line(name, parts[name], value, float(low), float(high)))
    return lines


def _by_strength(fields: Sequence[_Field], entrants: Sequence[str]) -> list[OverallLine]:
    lines = []
    for name in entrants:
        parts = []
        estimates = []
        for field in fields:
            number = next((n for n, line in enumerate(field.lines) if line.name == name), None)
            if number is None:
                parts.append(OverallPart(tournament=field.tournament))
                continue
            estimates.append(field.strengths()[number])
            parts.append(_part(field, number, estimates[-1][0]))
        if len(estimates) < len(fields):
            lines.append(_line(name, parts, None, None, None))
            continue
        mean = sum(strength for strength, _ in estimates) / len(fields)
        margin = QUANTILE * math.sqrt(sum(error**2 for _, error in estimates)) / len(fields)
        lines.append(_line(name, parts, mean, mean - margin, mean + margin))
    return lines


def _part(field: _Field, number: int, value: float) -> OverallPart:
    return OverallPart(
        tournament=field.tournament,
        place=field.place(number),
        entrants=len(field.lines),
        value=round(value, 3),
    )


def _line(
    name: str, parts: Sequence[OverallPart], value: float | None, low: float | None, high: float | None
) -> OverallLine:
    rounded = [None if number is None else round(number, 3) for number in (value, low, high)]
    return OverallLine(
        rank=None,
        name=name,
        value=rounded[0],
        low=rounded[1],
        high=rounded[2],
        missing=tuple(part.tournament for part in parts if part.value is None),
        parts=tuple(parts),
    )
