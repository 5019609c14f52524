"""``tourney show``: a match as text, move by move."""

import json

import click

from tourney.cli.match_source import FoundMatch, find_match
from tourney.cli.match_text import action_lines, board_text, head_lines, log_lines
from tourney.cli.options import db_option, output_options
from tourney.cli.output import current
from tourney.errors import GameError, RecordError, StoreDamaged, UsageError
from tourney.match.record import digest_of


@click.command("show")
@click.argument("match")
@click.option(
    "--ply", type=click.IntRange(min=0), metavar="N", help="Show the board after N actions, and no list."
)
@click.option("--log", "logged", is_flag=True, help="Show the log too: what bots said beside the game.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print record, measurements and log as one JSON object."
)
@db_option
@output_options
def command(match: str, ply: int | None, logged: bool, as_json: bool, db: str) -> None:
    """Show MATCH, a number (12, or autumn-cup/12) or a file with one record.

    It prints the head, the actions and the last board. Whether the record holds is `tourney verify`'s to say.
    """
    output = current()
    found = find_match(match, db)
    if digest_of(found.record) != found.record["digest"]:
        output.warn(f"{found.label}: the digest does not fit the record; see `tourney verify {match}`")
    if as_json:
        output.write(json.dumps(_data(found), ensure_ascii=False, indent=2))
        _refuse_damaged(found)
        return
    count = len(found.record["actions"])
    if ply is not None and ply > count:
        raise UsageError(f"{found.label} has {count} actions, so there is no board after {ply}")
    output.write(found.label)
    for line in head_lines(found.record, found.measured):
        output.write(line)
    if ply is None:
        output.write("")
        for line in action_lines(found.record, found.measured.get("times-ms", ())):
            output.write(line)
    if logged:
        output.write("\nlog")
        for line in log_lines(found.log):
            output.write(line)
    try:
        board = board_text(found.record, count if ply is None else ply, color=output.color)
    except (GameError, RecordError) as error:
        output.warn(f"no board: {error}")
    else:
        output.write(f"\nafter {count if ply is None else ply} actions\n{board.rstrip()}")
    _refuse_damaged(found)


def _refuse_damaged(found: FoundMatch) -> None:
    """Say at the end, when all that is sound was shown, what was not."""
    if found.damaged:
        raise StoreDamaged("; ".join(found.damaged))


def _data(found: FoundMatch) -> dict[str, object]:
    log = [{"ply": line.ply, "seat": line.seat, "kind": line.kind, "text": line.text} for line in found.log]
    return {"record": found.record, "measured": found.measured, "log": log}
