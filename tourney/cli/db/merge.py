"""``tourney db merge``: bring the tournaments of another database into this one."""

from datetime import UTC, datetime

import click

from tourney.cli import options as opt
from tourney.cli.output import counting, current
from tourney.exchange.merging import merge_databases
from tourney.store.database import Database, check_apart
from tourney.store.engine import shown


@opt.command("merge")
@click.argument("other", metavar="OTHER")
@opt.db_option
def command(other: str, db: str) -> None:
    """Bring the tournaments of the database OTHER into this one: all or nothing. OTHER stays as it is.

    Tournaments that are not here come with records, logs and measurements. Of those that are in both, under
    one name, the results that are missing here are added, if plan, seed, entrants and all digests that both
    have are the same. Baselines are brought in too. Records are checked for their digests, not against the
    rules: use `tourney verify --all` for that.
    """
    check_apart(other, db)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    name = shown(other)
    with (
        Database.open(other) as there,
        Database.open(db, write=True) as here,
        counting(current(), "merge", "matches") as step,
    ):
        merged = merge_databases(
            here, there, name, created, lambda done, of: step(done, None, f"matches of {of}")
        )
    for result in merged:
        what = "brought in" if result.new else "was here"
        current().say(
            f"{result.name} {what}: {result.taken:,} of {result.matches:,} matches came from {name}"
        )
