"""Knockout: who loses is out."""

from fractions import Fraction

from tourney.errors import TournamentError
from tourney.schedule.bracket import Bracket
from tourney.schedule.format import Drawn, Format, History, Setup, rows_of
from tourney.schedule.keys import SEEDING, Key
from tourney.schedule.line import Line
from tourney.schedule.points import score_units, units_of_win
from tourney.schedule.size import limit_rows
from tourney.schedule.tie_breaks import plain, rank


class Knockout(Format):
    """Stage by stage, for two seats, in a bracket in which the best seeds meet last.

    Where the number of entrants is no power of two the best seeds have a bye in the first stage. A pairing is
    ``games-per-pairing`` matches; tied, it plays one mirrored group at a time, ``extra-groups`` times at the
    most, each time as a round of all that are still tied; then the better seed goes on. With ``third-place``
    the losers of the semi-finals play for it beside the final. Who was withdrawn loses.
    """

    name = "knockout"
    takes_withdrawals = True
    ranks = True
    keys = (SEEDING, Key("third-place", "flag"), Key("extra-groups", "integer", 0, 100))

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for fewer than two entrants, more than two seats, or too many matches."""
        if setup.seats != 2:
            raise TournamentError(f"a knockout is for two seats per table, not {setup.seats}")
        if len(setup.players) < 2:
            raise TournamentError(f"a knockout wants at least 2 entrants, not {len(setup.players)}")
        limit_rows(f"a knockout of {len(setup.players)} entrants", len(setup.players) * setup.games)

    def draw(self, setup: Setup, history: History) -> Drawn:
        """Return the next stage, or a further group for those who are tied."""
        self.check(setup)
        bracket = Bracket(setup, history)
        round_ = history.rounds + 1
        repeats = 1 if bracket.extra else setup.repeats
        return Drawn(
            tuple(
                row
                for table, pair in enumerate(bracket.due, 1)
                for row in rows_of(setup, round_, table, pair if round_ % 2 else pair[::-1], repeats)
            ),
            complete=not bracket.due,
        )

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by the stage reached and nothing else."""
        return ("stages-won",)

    def table(self, setup: Setup, history: History) -> tuple[Line, ...]:
        """Rank the entrants by how far they came; who fell in the same stage shares the rank."""
        bracket = Bracket(setup, history)
        numbers = [player.number for player in setup.players]
        units = dict.fromkeys(numbers, 0)
        for result in history.results:
            if not result.void:
                for number, value in zip(result.row.seats, score_units(result.ranks), strict=True):
                    units[number] += value
        points = {number: Fraction(value, units_of_win(2)) for number, value in units.items()}
        nothing = dict.fromkeys(numbers, Fraction(0))
        won: dict[int, Fraction | None] = {**bracket.won}
        return rank(numbers, points, nothing, (("stages-won", plain(won)),), bracket.won)
