"""The order of the standings: points, then tie-breaks of a round-robin, all in exact fractions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tourney.store.values import PairTotal, Standing, StoredEntrant


class Tally(NamedTuple):
    """What an entrant's matches add up to; ``units`` as of ``tourney.store.points.score_units``."""

    games: int = 0
    units: int = 0
    wins: int = 0
    draws: int = 0


def rank_standings(
    entrants: Sequence[StoredEntrant],
    seats: int,
    tallies: Mapping[int, Tally],
    pairs: Sequence[PairTotal],
    faults: Sequence[tuple[int, str, int]],
) -> tuple[Standing, ...]:
    """Return the standings: by points, direct encounter, wins, Sonneborn-Berger; equal lines by number.

    Direct encounter: what entrants of equal points scored against each other. Sonneborn-Berger: the
    opponents' points, each times the share of the half-points taken from them.
    """
    unit = 2 * (seats - 1)
    points = {e.number: Fraction(tallies.get(e.number, Tally()).units, unit) for e in entrants}
    direct: dict[int, int] = defaultdict(int)
    sonneborn: dict[int, Fraction] = defaultdict(Fraction)
    for pair in pairs:
        if points[pair.entrant] == points[pair.opponent]:
            direct[pair.entrant] += pair.half_points
        sonneborn[pair.entrant] += points[pair.opponent] * Fraction(pair.half_points, 2)
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for number, kind, count in faults:
        kinds[number].append((kind, count))

    def strength(number: int) -> tuple[Fraction, int, int, Fraction]:
        return points[number], direct[number], tallies.get(number, Tally()).wins, sonneborn[number]

    ordered = sorted(entrants, key=lambda e: (tuple(-value for value in strength(e.number)), e.number))
    lines: list[Standing] = []
    for place, entrant in enumerate(ordered, 1):
        number = entrant.number
        tally = tallies.get(number, Tally())
        same = bool(lines) and strength(lines[-1].number) == strength(number)
        lines.append(
            Standing(
                rank=lines[-1].rank if same else place,
                number=number,
                name=entrant.name,
                games=tally.games,
                points=points[number],
                wins=tally.wins,
                draws=tally.draws,
                losses=tally.games - tally.wins - tally.draws,
                faults=tuple(sorted(kinds[number])),
                sonneborn=sonneborn[number],
            )
        )
    return tuple(lines)
