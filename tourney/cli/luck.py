"""The progress of computing the luck of the dice, for the commands that show it."""

from tourney.cli.output import counting, current
from tourney.results.luck import compute_luck, shows_luck
from tourney.store.database import Database
from tourney.store.values import Tournament


def compute_luck_shown(database: Database, tournament: Tournament, processes: int | None = None) -> None:
    """Compute the luck that a tournament's matches lack, with progress on standard error.

    To be called before the snapshot that reads the luck; in it, what is kept now is held in memory too.
    """
    # A bar on a terminal loads packages that a command with nothing to compute does not need.
    if not (shows_luck(tournament) and database.lucks.missing(tournament.id)):
        return
    output = current()
    with counting(output, "luck of the dice", "matches") as step:
        compute_luck(database, tournament, processes=processes, step=step, say=output.say)
