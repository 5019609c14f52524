"""``tourney rerun``: play a match again with the same bots, and compare."""

from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import Level, open_sandbox
from tourney.cli.options import bots_option, db_option, output_options, sandbox_option
from tourney.cli.output import current
from tourney.cli.show import find_match
from tourney.errors import CheckError
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.verify import rerun


@click.command("rerun")
@click.argument("match")
@sandbox_option
@db_option
@bots_option
@output_options
def command(match: str, sandbox: Level, db: str, bots: str) -> None:
    """Play a match again with the same bots, and compare the records.

    MATCH is a number (12 or autumn-cup/12) or a file with one record. The bots come from the bot store, by
    the digests in the record, or are those that ship; each runs in a new process. Prints the first action
    that differs and exits with code 1 if the match comes out differently. A match with a timeout or crash, or
    one played with reused processes, is not guaranteed to reproduce.
    """
    output = current()
    found = find_match(match, db)
    doubts = found.measured.get("why-not") or sorted(
        {kind for _, kind, _ in found.record["outcome"]["faults"] if kind in ("timeout", "crash")}
    )
    if doubts:
        output.say(f"{found.label} is not guaranteed to reproduce: {', '.join(doubts)}")
    box, store = open_sandbox(sandbox), BotStore(Path(bots))
    for seat in found.record["seats"]:
        store.provide(seat["digest"])
    with MatchRunner(StoreLauncher(store, box), sandbox=box) as runner:
        _, findings = rerun(found.record, runner.play)
    for finding in findings:
        output.write(f"{found.label}: {finding}")
    if findings:
        raise CheckError(f"{found.label} came out differently")
    output.write(f"{found.label} came out the same: {found.record['digest']}")
