"""Ranking: by points, then by one tie-break after the other, all in exact fractions; and their catalogue.

For two seats the tie-breaks follow FIDE's regulations (Handbook C.07, as of 1 March 2026). A round is a
pairing with all its matches; points are those of matches. A new tie-break is one entry of ``TIE_BREAKS``; a
format with a measure of its own lists an entry in ``Format.measures`` instead.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from tourney.schedule.row import ResultRow, score_units, units_of_win

Values = Mapping[int, Fraction | None]
Break = Callable[[Sequence[int]], tuple[Mapping[int, Fraction], Values]]
"""Maps entrants that are equal so far to the values that order them and the values to show."""

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class RankedEntrant:
    """An entrant's place in the standings.

    ``rank`` is 1 + the number of better entrants; equal ones share it. ``points`` rank it, ``awarded`` is
    the part of them from byes. ``values`` holds the tie-breaks in the order of their use, None where one does
    not apply to this entrant.
    """

    rank: int
    number: int
    points: Fraction
    awarded: Fraction
    values: tuple[tuple[str, Fraction | None], ...]


class Encounter(NamedTuple):
    """An entrant's score against one opponent, as tie-breaks count it.

    ``score`` is this entrant's, ``theirs`` are the opponent's points as they count for it. ``opponent`` is
    None in a round without one; ``missed`` marks a round in which the entrant was absent.
    """

    opponent: int | None
    theirs: Fraction
    score: Fraction
    missed: bool = False


@dataclass(frozen=True, slots=True)
class EntrantScores:
    """The input of ranking, by entrant number, in the order of ``points``.

    ``awarded`` are points from byes. ``most`` is the highest score of an encounter. ``seconds`` counts second
    places. ``measures`` holds a format's own measures by name.
    """

    points: Mapping[int, Fraction]
    wins: Mapping[int, int] = field(default_factory=dict)
    encounters: Mapping[int, Sequence[Encounter]] = field(default_factory=dict)
    most: Fraction = ZERO
    awarded: Mapping[int, Fraction] = field(default_factory=dict)
    seconds: Mapping[int, int] = field(default_factory=dict)
    measures: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break: its name in CSV and JSON, and its title and help for people.

    ``apply`` makes it from the scores of all entrants; without it the format's measure of this name is used.
    One that does not ``order`` is only shown. With ``lower_first`` the lowest value ranks first, otherwise
    the highest; a missing value counts as 0. ``unit`` names what the values count; people see them with
    ``digits`` decimals. ``short`` is the title where there is little room.
    """

    name: str
    title: str
    help: str
    apply: Callable[[EntrantScores], Break] | None = None
    order: bool = True
    unit: str = ""
    digits: int = 2
    lower_first: bool = False
    short: str = ""

    def of(self, scores: EntrantScores) -> Break:
        """The tie-break among entrants with these scores."""
        apply = plain(scores.measures[self.name]) if self.apply is None else self.apply(scores)
        if not self.order:
            return lambda group: (dict.fromkeys(group, ZERO), apply(group)[1])
        if not self.lower_first:
            return apply

        def turned(group: Sequence[int]) -> tuple[Mapping[int, Fraction], Values]:
            order, values = apply(group)
            return {number: -value for number, value in order.items()}, values

        return turned


def rating_measures(rating: str, sigma: str) -> tuple[TieBreak, ...]:
    """The measures of a format that ranks by a rating, with their help; sigma is shown and breaks no tie."""
    return (
        TieBreak("rating", "rating", rating, unit="Elo"),
        TieBreak("sigma", "sigma", sigma, order=False, unit="Elo"),
    )


def rank_scores(
    scores: EntrantScores, breaks: Sequence[TieBreak], by: Mapping[int, Fraction] | None = None
) -> tuple[RankedEntrant, ...]:
    """The standings by points (or ``by``), then by tie-breaks in their order.

    Entrants equal in all share their rank and keep the order of ``scores.points``.
    """
    points = scores.points
    groups = _by_value(list(points), points if by is None else by)
    shown: dict[int, list[tuple[str, Fraction | None]]] = {number: [] for number in points}
    for entry in breaks:
        apply = entry.of(scores)
        finer: list[list[int]] = []
        for group in groups:
            order, values = apply(group)
            for number in group:
                shown[number].append((entry.name, values[number]))
            finer += _by_value(group, order)
        groups = finer
    lines: list[RankedEntrant] = []
    for group in groups:
        place = len(lines) + 1
        lines += [
            RankedEntrant(place, n, points[n], scores.awarded.get(n, ZERO), tuple(shown[n])) for n in group
        ]
    return tuple(lines)


def _by_value(numbers: Sequence[int], values: Mapping[int, Fraction]) -> list[list[int]]:
    """Groups of equal value, the highest first."""
    groups: dict[Fraction, list[int]] = defaultdict(list)
    for number in numbers:
        groups[values[number]].append(number)
    return [groups[value] for value in sorted(groups, reverse=True)]


def plain(values: Mapping[int, Fraction | None]) -> Break:
    """The tie-break of values that do not depend on the group; None ranks as 0."""
    order = {number: ZERO if value is None else value for number, value in values.items()}
    return lambda _: (order, values)


def _direct_encounter(scores: EntrantScores) -> Break:
    met: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for number, encounters in scores.encounters.items():
        for opponent, _, score, _ in encounters:
            if opponent is not None:
                met[number, opponent] += score
    return direct_encounter(met, scores.most)


def direct_encounter(met: Mapping[tuple[int, int], Fraction], most: Fraction) -> Break:
    """The tie-break by the scores of the equal entrants against each other (C.07, art. 6).

    ``met`` holds the score of the first of a pair against the second, ``most`` the highest score of a
    meeting. If they have not all met, an entrant is first if it would be first with any results of the
    missing meetings; then likewise the second, and so on. The others stay equal and have no value.
    """

    def apply(group: Sequence[int]) -> tuple[Mapping[int, Fraction], Values]:
        if len(group) == 1:
            return {group[0]: ZERO}, {group[0]: None}
        scored = {a: sum((met.get((a, b), ZERO) for b in group), ZERO) for a in group}
        missing = {a: sum(a != b and (a, b) not in met for b in group) for a in group}
        if not any(missing.values()):
            return scored, scored
        # With meetings missing, only an entrant that is first in every case is placed, from the top.
        order = dict.fromkeys(group, ZERO)
        left = set(group)
        for place in range(len(group), 0, -1):
            first = [
                a for a in left if all(scored[a] > scored[b] + most * missing[b] for b in left if b != a)
            ]
            if not first:
                break
            order[first[0]] = Fraction(place)
            left.remove(first[0])
        return order, {a: None if a in left else scored[a] for a in group}

    return apply


def _by_encounters(
    value: Callable[[Sequence[Encounter]], Fraction | None],
) -> Callable[[EntrantScores], Break]:
    return lambda scores: plain({n: value(scores.encounters.get(n, ())) for n in scores.points})


def sonneborn_berger(encounters: Sequence[Encounter]) -> Fraction:
    """The opponents' points, each times the own score against that opponent."""
    return sum((theirs * score for _, theirs, score, _ in encounters if score), ZERO)


def _buchholz(encounters: Sequence[Encounter]) -> Fraction:
    return sum((encounter.theirs for encounter in encounters), ZERO)


def _buchholz_cut_1(encounters: Sequence[Encounter]) -> Fraction:
    missed = [encounter for encounter in encounters if encounter.missed]
    return _buchholz(encounters) - min((round_.theirs for round_ in missed or encounters), default=ZERO)


def _mean(encounters: Sequence[Encounter]) -> Fraction | None:
    return _buchholz(encounters) / len(encounters) if encounters else None


def _count(counts: Mapping[int, int], numbers: Mapping[int, object]) -> Break:
    return plain({number: Fraction(counts.get(number, 0)) for number in numbers})


def match_points(numbers: Iterable[int], results: Iterable[ResultRow], seats: int) -> dict[int, Fraction]:
    """Each entrant's points from matches, void ones left out."""
    units = dict.fromkeys(numbers, 0)
    for result in results:
        if not result.void:
            for number, value in zip(result.entrants, score_units(result.ranks), strict=True):
                units[number] += value
    return {number: Fraction(value, units_of_win(seats)) for number, value in units.items()}


TIE_BREAKS: Mapping[str, TieBreak] = {
    entry.name: entry
    for entry in (
        TieBreak(
            "direct-encounter",
            "direct encounter",
            "Points against the bots with equal values before",
            _direct_encounter,
            unit="points",
            short="DE",
        ),
        TieBreak(
            "wins", "wins", "First places alone", lambda s: _count(s.wins, s.points), unit="matches", digits=0
        ),
        TieBreak(
            "sonneborn-berger",
            "Sonneborn-Berger",
            "The opponents' points, each times the score against that opponent",
            _by_encounters(sonneborn_berger),
            unit="points times points",
            short="SB",
        ),
        TieBreak(
            "buchholz",
            "Buchholz",
            "Sum of the opponents' points",
            _by_encounters(_buchholz),
            unit="points",
            short="BH",
        ),
        TieBreak(
            "buchholz-cut-1",
            "Buchholz Cut-1",
            "Buchholz without the lowest opponent",
            _by_encounters(_buchholz_cut_1),
            unit="points",
            short="BH-C1",
        ),
        TieBreak(
            "opponents-mean",
            "mean of the opponents' points",
            "Mean of the points of all opponents",
            _by_encounters(_mean),
            unit="points",
            short="Opp. mean",
        ),
        TieBreak(
            "second-places",
            "second places",
            "Second places, shared ones too",
            lambda s: _count(s.seconds, s.points),
            unit="matches",
            digits=0,
            short="2nd",
        ),
    )
}
"""The tie-breaks that any format may name."""
