"""``tourney db rename``: change the name of a tournament."""

import time

import click

from tourney.check.root import keep_root
from tourney.cli import options as opt
from tourney.cli.completion import complete_tournament
from tourney.cli.db.remove import refuse_spool
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.run.listeners import withdrawn_path
from tourney.schema import NAME
from tourney.store.database import Database


@opt.command("rename")
@click.argument("tournament", shell_complete=complete_tournament)
@click.argument("name")
@opt.db_option
def command(tournament: str, name: str, db: str) -> None:
    """Change the name of TOURNAMENT to NAME; matches and results stay as they are.

    The name is in the root and in the commitment, so both change: publish them again. Change name in the
    tournament file too, otherwise the next `tourney run` begins a new tournament. `title` in the file
    changes only what the report shows.
    """
    output = current()
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a tournament: use small letters, digits, '.', '_' and '-', at most 64, and"
            " begin with a letter or digit"
        )
    with Database.open(db, write=True) as database:
        stored = database.tournaments.get(tournament)
        # The name went into the commitment from which the beacon's seed follows.
        if stored.origin.beacon is not None:
            raise UsageError(
                f"the seed of {stored.name} is proved by its beacon and its name: set `title` instead"
            )
        database.tournaments.refuse_archived(stored.id)
        refuse_spool(database, stored)
        with database.run_lock(stored, time.time()):
            # Name and root together: a root of the old name would fail every later check.
            with database.transaction() as writer:
                writer.tournaments.rename(stored.id, name)
                if stored.root is not None:
                    keep_root(writer, stored.id)
            renamed = database.tournaments.by_id(stored.id)
            old = withdrawn_path(database.place, stored)
            if old.exists():
                old.rename(withdrawn_path(database.place, renamed))
    output.say(f"{stored.name} is called {name} now; change name in its tournament file too")
    if renamed.root is not None:
        output.say(f"{name}: root {renamed.root}, before {stored.root}")
