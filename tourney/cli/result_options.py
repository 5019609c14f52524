"""Options of the commands that read results of other programs: what form they have, and which to take."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from tourney.cli.output import Output
from tourney.errors import UsageError
from tourney.outcomes.game import date_of
from tourney.outcomes.problems import NOT_DAMAGED, Problems
from tourney.outcomes.reading import READERS, Filter

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Selection:
    """The form of the files (None: by their content), and the filter."""

    form: str | None
    filter: Filter


game_name_option = click.option(
    "--game", metavar="NAME", help="Results: name of the game. [default: chess for PGN, else unknown]"
)
"""``--game NAME``; the command gets ``game``, a text or None."""

NO_SELECTION = Selection(None, Filter())
"""Nothing chosen."""

_NO_NAME = re.compile(r"[^a-z0-9._-]+")
_ENDINGS = (".gz", ".zst", ".pgn", ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt")


def name_of(path: Path) -> str:
    """Return the name of a tournament for the results of a file."""
    name = path.name.lower()
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return _NO_NAME.sub("-", name).strip("-._")[:64].rstrip("-._") or "results"


def selection_options(function: F) -> F:
    """Add the options; the command gets them as keywords for ``selection_of``."""
    options = (
        click.option(
            "--input",
            "form",
            type=click.Choice(list(READERS)),
            help="Form of the files. [default: by their content]",
        ),
        click.option(
            "--time-control",
            "time_controls",
            multiple=True,
            metavar="TEXT",
            help="Take games with this time control, as the file writes it; repeatable.",
        ),
        click.option("--since", metavar="DATE", default="", help="Take games from this day on (2026-11-22)."),
        click.option("--until", metavar="DATE", default="", help="Take games up to this day."),
        click.option(
            "--player",
            "players",
            multiple=True,
            metavar="NAME",
            help="Take games among these players alone; repeatable.",
        ),
        click.option(
            "--without", multiple=True, metavar="NAME", help="Leave out the games of a player; repeatable."
        ),
        click.option(
            "--min-games",
            "least",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Leave out players with fewer games, until all that are left have N.",
        ),
        click.option(
            "--no-pairs", is_flag=True, help="Let each game count by itself, whatever pairs the files name."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def selection_of(
    *,
    form: str | None,
    time_controls: tuple[str, ...],
    since: str,
    until: str,
    players: tuple[str, ...],
    without: tuple[str, ...],
    least: int,
    no_pairs: bool,
) -> Selection:
    """Return what the options ask for. Raises UsageError."""
    for option, text in (("--since", since), ("--until", until)):
        if text and date_of(text) != text:
            raise UsageError(f"{option} {text!r} is no date of the form YYYY-MM-DD")
    if since and until and since > until:
        raise UsageError(f"--since {since} is after --until {until}")
    return Selection(
        form,
        Filter(
            frozenset(time_controls),
            since,
            until,
            frozenset(players),
            frozenset(without),
            least,
            not no_pairs,
        ),
    )


def report_problems(problems: Problems, output: Output) -> None:
    """Say what was not rated, and why: what is damaged as warnings, all else as messages."""
    for kind, sentence in problems.sentences_by_kind():
        if kind in NOT_DAMAGED:
            output.say(sentence)
        else:
            output.warn(sentence)
