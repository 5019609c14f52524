"""Options of the commands that read results of other programs: what form they have, and which to take."""

import re
from dataclasses import dataclass
from pathlib import Path

import click

from tourney.cli.options import option
from tourney.cli.output import Output
from tourney.errors import UsageError
from tourney.outcomes.foreign_game import NOT_DAMAGED, Problems, date_of
from tourney.outcomes.reading import READERS, Filter


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
    """The name of a tournament for the results of a file."""
    name = path.name.lower()
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return _NO_NAME.sub("-", name).strip("-._")[:64].rstrip("-._") or "results"


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Which results of which files to take."""

    form: str | None = option(
        "--input", type=click.Choice(list(READERS)), help="Form of the files. [default: by their content]"
    )
    time_controls: tuple[str, ...] = option(
        "--time-control TEXT", help="Take games with this time control, as the file writes it; repeatable."
    )
    since: str = option("--since DATE", default="", help="Take games from this day on (2026-11-22).")
    until: str = option("--until DATE", default="", help="Take games up to this day.")
    players: tuple[str, ...] = option(
        "--player NAME", help="Take games among these players alone; repeatable."
    )
    without: tuple[str, ...] = option("--without NAME", help="Leave out the games of a player; repeatable.")
    least: int = option(
        "--min-games N",
        type=click.IntRange(min=0),
        default=0,
        help="Leave out players with fewer games, until all that are left have N.",
        show_default=False,
    )
    no_pairs: bool = option(
        "--no-pairs", help="Let each game count by itself, whatever pairs the files name."
    )

    def selection(self) -> Selection:
        """What the options ask for. Raises UsageError."""
        for word, text in (("--since", self.since), ("--until", self.until)):
            if text and date_of(text) != text:
                raise UsageError(f"{word} {text!r} is not a date of the form YYYY-MM-DD")
        if self.since and self.until and self.since > self.until:
            raise UsageError(f"--since {self.since} is after --until {self.until}")
        return Selection(
            self.form,
            Filter(
                frozenset(self.time_controls),
                self.since,
                self.until,
                frozenset(self.players),
                frozenset(self.without),
                self.least,
                not self.no_pairs,
            ),
        )


def report_problems(problems: Problems, output: Output) -> None:
    """Say what was not rated, and why: what is damaged as warnings, all else as messages."""
    for kind, sentence in problems.sentences_by_kind():
        if kind in NOT_DAMAGED:
            output.say(sentence)
        else:
            output.warn(sentence)
