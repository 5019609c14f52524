"""``tourney league night``: the command for cron or a timer."""

import sys
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from tourney.addons.league.folder import League, in_window
from tourney.addons.league.night_play import NightPlan
from tourney.addons.league.nights import preview, run_night
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.cli.run_options import DeadlineOptions, ProcessorOptions
from tourney.run.engine.run_control import seconds_left
from tourney.run.workers.local import LocalExecutor
from tourney.schema import Document


class LeagueNightDocument(Document, frozen=True, kw_only=True):
    """How a night of a league ended."""

    format: Literal["tourney-league-night-run/1"] = "tourney-league-night-run/1"
    night: int
    matches: int
    closed: bool


class _NightRequest(opt.CommandOptions):
    end: DeadlineOptions
    league: Path = opt.shared(opt.league_option)
    matches: int | None = option("--matches N", "Play at most N matches for each number of seats.")
    processors: ProcessorOptions
    allow_weaker: bool = option(
        "--allow-weaker",
        "Go on although this machine contains bots less than in the last night; stored.",
    )
    dry_run: bool = option("--dry-run", "Print what the night would do; writes nothing.")
    format_: object = opt.formats(LeagueNightDocument, formats=opt.TEXT)


@opt.command("night", _NightRequest)
def command(options: _NightRequest) -> None:
    """Run a night: take in submissions, play until its end, rate, write the site, tell the authors.

    Cron or a timer calls this when a night begins. Without --stop-at, --stop-after or --matches it plays only
    between the times of `nights` in league.toml. Killed at any moment and called again, it goes on.
    Exit codes: 0 fine, 2 bad input, 3 a failure of the machine, 6 the league is busy, 128 + N a signal.
    """
    league = League.open(options.league)
    now = datetime.now().astimezone()
    if options.dry_run:
        for line in preview(league, now):
            current().write(line)
        return
    end = options.end.deadline().end
    if end is None and options.matches is None:
        if not in_window(league.table, now):
            current().say(f"nothing to do: the nights are {league.table.nights} (--stop-after 1h plays now)")
            return
        end = time.monotonic() + (seconds_left(league.table.closes, None, now) or 0.0)
    pinning = options.processors.pinning()
    make_executor = partial(LocalExecutor, pinning.workers, cpus=pinning.cpus)
    plan = NightPlan(end, options.matches, pinning, make_executor, allow_weaker=options.allow_weaker)
    done = run_night(league, plan, now, current().say)
    current().document(LeagueNightDocument(night=done.number, matches=done.matches, closed=not done.signal))
    if done.signal:
        sys.exit(128 + done.signal)
