"""``tourney db withdraw``: withdraw the matches that a host played, or matches by number."""

import time

import click

from tourney.cli import options as opt
from tourney.cli.completion import complete_tournament
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.run.engine.withdrawal import Withdrawal, find_named, find_withdrawal, spans_text
from tourney.run.engine.withdrawal import withdraw as withdraw_matches
from tourney.run.listeners import withdrawn_path
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted


@opt.command("withdraw")
@click.argument("tournament", shell_complete=complete_tournament)
@click.option("--host", metavar="NAME", help="Host, as the run or `tourney status` names it.")
@click.option(
    "--match", "numbers", type=int, multiple=True, metavar="N", help="Match to withdraw (repeatable)."
)
@click.option("--dry-run", is_flag=True, help="Print which matches would be withdrawn, and change nothing.")
@click.option("--readmit", is_flag=True, help="Let the host play again: later runs give it matches.")
@opt.db_option
def command(
    tournament: str, host: str | None, numbers: tuple[int, ...], dry_run: bool, readmit: bool, db: str
) -> None:
    """Withdraw the matches of TOURNAMENT that a host played, or those named, and everything drawn from them.

    The next `tourney run` plays these matches again, and draws rounds again that were drawn from them, so the
    tournament ends as if the host had never played. The withdrawn matches are kept in a file beside the
    database. The host gets no more matches of this tournament, unless you pass --readmit. Prints the matches
    by reason.

    Pass --match for a match in which you killed a bot by hand: its record holds a crash, because a bot can
    also kill itself.
    """
    if bool(host) == bool(numbers) or (readmit and not host):
        raise UsageError("give either --host NAME, perhaps with --readmit, or --match N")
    with Database.open(db, write=not dry_run) as database:
        stored = database.tournaments.get(tournament)
        if dry_run:
            _print_withdrawal(_find(database, stored, host, numbers))
            return
        with database.run_lock(stored, time.time()):
            withdrawal = _find(database, stored, host, numbers)
            withdraw_matches(database, stored, withdrawal, readmit=readmit)
        _print_withdrawal(withdrawal)
        if withdrawal.reasons():
            path = withdrawn_path(database.place, stored)
            current().say(f"the matches are kept in {path}; `tourney run` replays them")
        if withdrawal.host:
            state = "may play again" if readmit else "gets no more matches"
            current().say(f"{withdrawal.host} {state} in {stored.name}")


def _find(
    database: Database, tournament: Tournament, host: str | None, numbers: tuple[int, ...]
) -> Withdrawal:
    return find_withdrawal(database, tournament, host) if host else find_named(database, tournament, numbers)


def _print_withdrawal(withdrawal: Withdrawal) -> None:
    for why, numbers in withdrawal.reasons().items():
        current().write(f"{counted(len(numbers), 'match')} {why}: {spans_text(numbers)}")
