"""Gauntlet: one or more challengers meet every other entrant, and these never meet each other."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

from tourney.errors import TournamentError
from tourney.schedule.balanced_design import balanced
from tourney.schedule.format import Format, FormatKey, History, Pairings, Setup, rows_of_rounds, split_names
from tourney.schedule.round_robin import first_fit
from tourney.schedule.row import limit_rows


class Gauntlet(Format):
    """All rounds are paired at the start; a later entrant joins the field.

    The field is all entrants but the ``challengers`` (default: the first of the file). Two seats: each
    challenger meets each entrant of the field once. More seats: each meets every group of the field that
    fills its table. The mean score ranks, because a challenger plays more matches than the others.
    """

    name = "gauntlet"
    takes_entrants = True
    ranked_by = "points-per-match"
    keys = (
        FormatKey(
            "challengers",
            "names",
            help="Entrants that play against all others. Default: the first entrant of the file.",
        ),
    )

    def check(self, setup: Setup) -> None:
        """Raises TournamentError for an unknown challenger, too small a field, or too many matches."""
        challengers = challengers_of(setup)
        field = len(setup.participants) - len(challengers)
        if field < setup.seats - 1:
            raise TournamentError(
                f"a gauntlet with {setup.seats} seats per table needs a field of at least {setup.seats - 1}"
                f" beside its challengers, not {field}"
            )
        limit_rows(f"a gauntlet of {len(challengers)} against {field}", self.planned_matches(setup))

    def planned_matches(self, setup: Setup) -> int:
        """The number of matches: each challenger meets each group of the field."""
        challengers = len(challengers_of(setup))
        return challengers * comb(len(setup.participants) - challengers, setup.seats - 1) * setup.games

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The rounds of all groups that are not paired yet."""
        self.check(setup)
        challengers = challengers_of(setup)
        field = [
            participant.number for participant in setup.participants if participant.number not in challengers
        ]
        paired = {frozenset(row.seats) for row in history.rows}
        if setup.seats == 2:
            rounds = _pairs(challengers, field, paired)
        else:
            groups = [(c, *rest) for rest in combinations(field, setup.seats - 1) for c in challengers]
            rounds = first_fit(balanced([group for group in groups if frozenset(group) not in paired]))
        return Pairings(rows_of_rounds(setup, history.rounds + 1, rounds), complete=True)


def _pairs(
    challengers: Sequence[int], field: Sequence[int], paired: set[frozenset[int]]
) -> Iterable[Sequence[tuple[int, ...]]]:
    """Rounds in which each challenger moves along the field.

    The larger side has a free place each round; the first seat alternates along both sides.
    """
    count = max(len(challengers), len(field))
    rounds: list[list[tuple[int, ...]]] = [[] for _ in range(count)]
    for i, challenger in enumerate(challengers):
        for j, other in enumerate(field):
            if frozenset((challenger, other)) not in paired:
                pair = (challenger, other) if (i + j) % 2 == 0 else (other, challenger)
                # A Latin square: challenger i meets j in round i + j, so none of them plays twice in a round.
                rounds[(i + j) % count].append(pair)
    return [tables for tables in rounds if tables]


def challengers_of(setup: Setup) -> list[int]:
    """The challengers' numbers in the order of the tournament file's key."""
    names = split_names(setup.setting("challengers"))
    if not names:
        return [participant.number for participant in setup.participants[:1]]
    known = {participant.name: participant.number for participant in setup.participants}
    for name in names:
        if name not in known:
            raise TournamentError(
                f"challengers names {name}, which is not an entrant; the entrants are: {', '.join(known)}"
            )
    return [known[name] for name in names]
