"""``tourney rerun``: play a match again with the same bots, and compare."""

from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import Level, open_sandbox
from tourney.cli.match_source import find_match
from tourney.cli.options import bots_option, db_option, output_options
from tourney.cli.output import current
from tourney.errors import CheckError
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.verify import rerun


@click.command("rerun")
@click.argument("match")
@click.option(
    "--sandbox",
    type=click.Choice(["strict", "auto", "off"]),
    default="auto",
    show_default=True,
    help="How the bots are contained.",
)
@db_option
@bots_option
@output_options
def command(match: str, sandbox: Level, db: str, bots: str) -> None:
    """Play MATCH again: a number (12, or autumn-cup/12) or a file with one record.

    The bots come from the bot store by the digests in the record, each in a fresh process. If the match
    comes out otherwise, the first action that differs is printed, with code 1. A match with a time-out or a
    crash, or played with reused processes, is not promised to come out the same.
    """
    output = current()
    found = find_match(match, db)
    doubts = found.measured.get("why-not") or sorted(
        {kind for _, kind, _ in found.record["outcome"]["faults"] if kind in ("timeout", "crash")}
    )
    if doubts:
        output.say(f"{found.label} is not promised to come out the same again: {', '.join(doubts)}")
    box = open_sandbox(sandbox)
    with MatchRunner(StoreLauncher(BotStore(Path(bots)), box), sandbox=box) as room:
        _, findings = rerun(found.record, room.play)
    for finding in findings:
        output.write(f"{found.label}: {finding}")
    if findings:
        raise CheckError(f"{found.label} came out otherwise this time")
    output.write(f"{found.label} came out the same: {found.record['digest']}")
