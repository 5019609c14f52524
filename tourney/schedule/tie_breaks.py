"""Ranking: by points, and where these are equal by one tie-break after the other, all in exact fractions.

For two seats the tie-breaks follow FIDE's regulations (Handbook C.07, as of 1 March 2026). A round is a
pairing with all its matches; points are those of matches. Art. 16 says how rounds without an opponent count:

- in an opponent's score (16.3): a bye as what it gave; rounds missed before the last one attended as nothing;
  rounds missed after it as draws;
- in one's own sum (16.4): an opponent of one's own score, though of no more than draws in all rounds would
  give; with Cut-1 (16.5) the round left out is the lowest of those missed, if there are any.

What a fault decided counts as played.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from tourney.schedule.format import RankedEntrant
from tourney.schedule.player_history import PlayerHistory, RoundEntry
from tourney.schedule.row import units_of_win

Values = Mapping[int, Fraction | None]
Break = Callable[[Sequence[int]], tuple[Mapping[int, Fraction], Values]]
"""A tie-break: of entrants that are equal so far, the values they are ordered by and those that are shown."""


def rank(
    numbers: Sequence[int],
    points: Mapping[int, Fraction],
    awarded: Mapping[int, Fraction],
    breaks: Sequence[tuple[str, Break]],
    by: Mapping[int, Fraction] | None = None,
) -> tuple[RankedEntrant, ...]:
    """Return the standings; entrants equal in all share their rank and stand in the order of ``numbers``.

    What is ranked by is ``by``, or the points without it.
    """
    groups = _parted(numbers, points if by is None else by)
    shown: dict[int, list[tuple[str, Fraction | None]]] = {number: [] for number in numbers}
    for name, apply in breaks:
        finer: list[list[int]] = []
        for group in groups:
            order, values = apply(group)
            for number in group:
                shown[number].append((name, values[number]))
            finer += _parted(group, order)
        groups = finer
    lines: list[RankedEntrant] = []
    for group in groups:
        place = len(lines) + 1
        lines += [
            RankedEntrant(place, number, points[number], awarded[number], tuple(shown[number]))
            for number in group
        ]
    return tuple(lines)


def _parted(numbers: Sequence[int], values: Mapping[int, Fraction]) -> list[list[int]]:
    """Return groups of equal value, the highest first."""
    groups: dict[Fraction, list[int]] = defaultdict(list)
    for number in numbers:
        groups[values[number]].append(number)
    return [groups[value] for value in sorted(groups, reverse=True)]


def plain(values: Mapping[int, Fraction | None]) -> Break:
    """Return the tie-break of values that do not depend on who is equal; None ranks as 0."""
    order = {number: Fraction(0) if value is None else value for number, value in values.items()}
    return lambda _: (order, values)


def direct_encounter(met: Mapping[tuple[int, int], Fraction], most: Fraction) -> Break:
    """Return the tie-break by what the equal ones scored against each other (C.07, art. 6).

    ``met`` holds what the first of a pair scored against the second, ``most`` what a meeting can give. Where
    they have not all met, one ranks first who would do so whatever the missing meetings gave; then likewise
    the second, and so on. Those for whom that does not hold stay equal, and nothing is shown of them.
    """

    def apply(group: Sequence[int]) -> tuple[Mapping[int, Fraction], Values]:
        if len(group) == 1:
            return {group[0]: Fraction(0)}, {group[0]: None}
        scored = {a: sum((met.get((a, b), Fraction(0)) for b in group), Fraction(0)) for a in group}
        missing = {a: sum(a != b and (a, b) not in met for b in group) for a in group}
        if not any(missing.values()):
            return scored, scored
        order = dict.fromkeys(group, Fraction(0))
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


def rank_swiss(ledger: PlayerHistory) -> tuple[RankedEntrant, ...]:
    """Rank a Swiss for two seats: Buchholz Cut-1, Buchholz, Sonneborn-Berger, direct encounter, wins."""
    win = units_of_win(2)
    numbers = [player.number for player in ledger.setup.participants]
    draws = ledger.setup.games * win // 2  # units of a round in which all matches are drawn
    score = {number: ledger.score(number) for number in numbers}
    seen = {number: score[number] + draws * _missed_at_the_end(ledger.entries[number]) for number in numbers}
    buchholz: dict[int, Fraction | None] = {}
    cut: dict[int, Fraction | None] = {}
    sonneborn: dict[int, Fraction | None] = {}
    met: dict[tuple[int, int], Fraction] = {}
    for number in numbers:
        own = min(score[number], draws * ledger.rounds)
        sums: list[int] = []
        missed: list[int] = []
        berger = 0
        for entry in ledger.entries[number]:
            if entry.kind == "table" and not entry.games:
                if not entry.voids:
                    continue  # the round goes on
                theirs = own
            elif entry.kind == "table":
                theirs = seen[entry.opponents[0]]
                pair = (number, entry.opponents[0])
                met[pair] = met.get(pair, Fraction(0)) + Fraction(entry.units, win)
            else:
                theirs = own
                if entry.kind == "absent":
                    missed.append(theirs)
            sums.append(theirs)
            berger += theirs * entry.score
        buchholz[number] = Fraction(sum(sums), win)
        cut[number] = Fraction(sum(sums) - min(missed or sums, default=0), win)
        sonneborn[number] = Fraction(berger, win * win)
    return rank(
        numbers,
        {number: Fraction(score[number], win) for number in numbers},
        _awarded(ledger),
        (
            ("buchholz-cut-1", plain(cut)),
            ("buchholz", plain(buchholz)),
            ("sonneborn-berger", plain(sonneborn)),
            ("direct-encounter", direct_encounter(met, Fraction(ledger.setup.games))),
            ("wins", plain(_wins(ledger))),
        ),
    )


def rank_pods(ledger: PlayerHistory) -> tuple[RankedEntrant, ...]:
    """Rank a Swiss for more than two seats: mean score of the opponents, wins, second places."""
    win = units_of_win(ledger.setup.seats)
    numbers = [player.number for player in ledger.setup.participants]
    points = {number: Fraction(ledger.score(number), win) for number in numbers}
    mean: dict[int, Fraction | None] = {}
    seconds: dict[int, Fraction | None] = {}
    for number in numbers:
        entries = ledger.entries[number]
        others = [other for entry in entries if entry.games for other in entry.opponents]
        mean[number] = sum((points[other] for other in others), Fraction(0)) / len(others) if others else None
        seconds[number] = Fraction(sum(entry.seconds for entry in entries))
    breaks = (
        ("opponents-mean", plain(mean)),
        ("wins", plain(_wins(ledger))),
        ("second-places", plain(seconds)),
    )
    return rank(numbers, points, _awarded(ledger), breaks)


def _missed_at_the_end(entries: Sequence[RoundEntry]) -> int:
    """Return how many rounds were missed since the last that was attended."""
    count = 0
    for entry in reversed(entries):
        if entry.kind != "absent":
            return count
        count += 1
    return count


def _awarded(ledger: PlayerHistory) -> dict[int, Fraction]:
    win = units_of_win(ledger.setup.seats)
    return {
        number: Fraction(sum(entry.awarded for entry in entries), win)
        for number, entries in ledger.entries.items()
    }


def _wins(ledger: PlayerHistory) -> dict[int, Fraction | None]:
    return {
        number: Fraction(sum(entry.wins for entry in entries)) for number, entries in ledger.entries.items()
    }
