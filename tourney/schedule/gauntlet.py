"""Gauntlet: one or more challengers meet the field, and nobody else meets."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

from tourney.errors import TournamentError
from tourney.schedule.balanced_design import balanced
from tourney.schedule.format import Format, History, Key, Pairings, Setup, rows_of, split_names
from tourney.schedule.round_robin import first_fit
from tourney.schedule.row import Row, limit_rows


class Gauntlet(Format):
    """All rounds at once, as no result matters; an entrant added later joins the field.

    ``challengers`` names them; without it the first entrant of the file is the one. Two seats: each of them
    meets everybody of the field once. More seats: each meets every group of the field of one entrant less
    than there are seats. The standings go by the mean score, as a challenger plays more than the others.
    """

    name = "gauntlet"
    takes_entrants = True
    ranked_by = "points-per-match"
    keys = (
        Key(
            "challengers",
            "names",
            help="Entrants that play against all others. Default: the first entrant of the file.",
        ),
    )

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for a challenger who is none, too small a field, or too many matches."""
        challengers = _challengers(setup)
        field = len(setup.participants) - len(challengers)
        if field < setup.seats - 1:
            raise TournamentError(
                f"a gauntlet with {setup.seats} seats per table needs a field of at least {setup.seats - 1}"
                f" beside its challengers, not {field}"
            )
        rows = len(challengers) * comb(field, setup.seats - 1) * setup.games
        limit_rows(f"a gauntlet of {len(challengers)} against {field}", rows)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the rounds of all groups that were not drawn before."""
        self.check(setup)
        challengers = _challengers(setup)
        field = [player.number for player in setup.participants if player.number not in challengers]
        drawn = {frozenset(row.seats) for row in history.rows}
        if setup.seats == 2:
            rounds = _pairs(challengers, field, drawn)
        else:
            groups = [(c, *rest) for rest in combinations(field, setup.seats - 1) for c in challengers]
            rounds = first_fit(balanced([group for group in groups if frozenset(group) not in drawn]))
        rows: list[Row] = []
        for round_, tables in enumerate(rounds, history.rounds + 1):
            for table, group in enumerate(tables, 1):
                rows.extend(rows_of(setup, round_, table, group))
        return Pairings(tuple(rows), complete=True)


def _pairs(
    challengers: Sequence[int], field: Sequence[int], drawn: set[frozenset[int]]
) -> Iterable[Sequence[tuple[int, ...]]]:
    """Return rounds in which the i-th challenger moves on along the field.

    The larger side has a free place a round; who is named first alternates along both sides.
    """
    count = max(len(challengers), len(field))
    rounds: list[list[tuple[int, ...]]] = [[] for _ in range(count)]
    for i, challenger in enumerate(challengers):
        for j, other in enumerate(field):
            if frozenset((challenger, other)) not in drawn:
                pair = (challenger, other) if (i + j) % 2 == 0 else (other, challenger)
                rounds[(i + j) % count].append(pair)
    return [tables for tables in rounds if tables]


def _challengers(setup: Setup) -> list[int]:
    """Return the challengers' numbers in the order in which they are named."""
    names = split_names(setup.setting("challengers"))
    if not names:
        return [player.number for player in setup.participants[:1]]
    known = {player.name: player.number for player in setup.participants}
    for name in names:
        if name not in known:
            raise TournamentError(
                f"challengers names {name}, which is no entrant; the entrants are: {', '.join(known)}"
            )
    return [known[name] for name in names]
