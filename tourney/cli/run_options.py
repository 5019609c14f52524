"""The options of `tourney run` for a run that nobody watches."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from tourney.run.engine.stopping import parse_span
from tourney.run.unattended import RunOptions, read_command

F = TypeVar("F", bound=Callable[..., Any])


def run_options(function: F) -> F:
    """Add the options; the command gets ``night``, a ``RunOptions``."""

    @wraps(function)
    def with_night(
        *args: Any,
        max_faults: int | None,
        unbench: tuple[str, ...],
        patience: str,
        log: Path | None,
        report: int | None,
        report_out: Path | None,
        notify: str | None,
        **rest: Any,
    ) -> Any:
        night = RunOptions(
            max_faults=max_faults,
            patience=0.0 if patience == "0" else parse_span("--patience", patience).total_seconds(),
            unbenched=unbench,
            log=log,
            report=report,
            report_out=report_out,
            notify=() if notify is None else read_command(notify),
        )
        return function(*args, night=night, **rest)

    decorated: Any = with_night
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]  # click's decorators give the function back


_FOLDER = click.Path(file_okay=False, path_type=Path)
_OPTIONS = (
    click.option(
        "--max-faults",
        type=click.IntRange(min=1),
        metavar="N",
        help="Stop once the tournament's matches hold N faults, with exit code 1; counted in batches of 8"
        " matches in schedule order.",
    ),
    click.option(
        "--unbench",
        multiple=True,
        metavar="NAME",
        help="Play the matches of a benched bot after all, those lost at start-up too; may be given more"
        " than once.",
    ),
    click.option(
        "--patience",
        default="1h",
        show_default=True,
        metavar="SPAN",
        help="How long to bear a database that cannot be written; 0 for not at all.",
    ),
    click.option(
        "--log",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="PATH",
        help="Where to keep the log (JSON lines). [default: beside the database, DATABASE-TOURNAMENT.log]",
    ),
    click.option(
        "--report",
        type=click.IntRange(0, 1440),
        metavar="MINUTES",
        help="Write the report every so many minutes and at the end; 0 for only at the end.",
    ),
    click.option(
        "--report-out",
        type=_FOLDER,
        metavar="DIR",
        help="Where to write it. [default: reports/TOURNAMENT]",
    ),
    click.option(
        "--notify",
        metavar="CMD",
        help="Run a command when the run has ended, however it did; it gets the last page on standard input"
        " and TOURNEY_END, TOURNEY_CODE, TOURNEY_TEXT and TOURNEY_TOURNAMENT. No shell reads it.",
    ),
)
