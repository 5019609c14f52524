"""Progress of commands that check or replay many matches: a bar on a terminal, else a line now and then."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from tourney.cli.output import Output

SECONDS: Final = 10.0
"""Seconds between two lines if standard error is not a terminal; quicker work prints none."""


class ShowProgress(Protocol):
    """Takes how much is done, of how much; ``what`` names the things counted."""

    def __call__(self, done: int, total: int | None, what: str = "") -> None:
        """Show the progress; a ``total`` that is not known is None."""


@contextmanager
def counting(output: Output, title: str, what: str) -> Iterator[ShowProgress]:
    """Give a ``ShowProgress`` that shows its progress on standard error, unless --quiet."""
    if output.quiet:
        yield lambda done, total, what="": None  # noqa: ARG005 - the form of a step
        return
    console = output.console(err=True)
    if not console.is_terminal:
        last = time.monotonic()

        def say(done: int, total: int | None, name: str = "") -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS:
                last = time.monotonic()
                of = "" if total is None else f" of {total:,}"
                output.say(f"{title}: {done:,}{of} {name or what}")

        yield lambda done, total, what="": say(done, total, what)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - slow to import

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int | None, name: str = "") -> None:
            bar.update(task, description=f"{title}: {name or what}", completed=done, total=total)

        yield lambda done, total, what="": show(done, total, what)
