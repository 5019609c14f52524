"""The command ``tourney``: the table of its commands, each loaded only when it is called."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

import click
from click.shell_completion import shell_complete

from tourney import __version__
from tourney.cli import edge

PROGRAM = "tourney"
COMPLETE = "_TOURNEY_COMPLETE"
"""Shells that complete words ask through this variable (click's way)."""


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command of the table: where it is (``module:attribute``) and its line in ``tourney --help``."""

    target: str
    help: str

    @property
    def module(self) -> str:
        """The module's full name."""
        return self.target.partition(":")[0]

    def present(self) -> bool:
        """Say whether the module is installed, without importing it."""
        return _present(self.module)

    def load(self) -> click.Command:
        """Import the command."""
        module, _, attribute = self.target.partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, click.Command):
            raise TypeError(f"{self.target} is no click command")
        return found


@cache
def _present(module: str) -> bool:
    return find_spec(module) is not None


SECTIONS: dict[str, dict[str, LazyCommand]] = {
    "Start here": {
        "demo": LazyCommand(
            "tourney.cli.demo:command", "Play a small tournament of the shipped bots, start to report."
        ),
        "doctor": LazyCommand("tourney.cli.doctor:command", "Say which protections work on this machine."),
    },
    "Games": {
        "games": LazyCommand("tourney.cli.games:command", "List the games, their seats and options."),
        "rules": LazyCommand("tourney.cli.rules:command", "Answer questions about a game, line by line."),
        "perft": LazyCommand("tourney.cli.perft:command", "Count the action sequences of a length."),
        "play": LazyCommand("tourney.cli.play:command", "Play in the terminal against bots."),
        "check-game": LazyCommand(
            "tourney.cli.check_game:command", "Try a game against what holds for every game."
        ),
    },
    "Bots": {
        "bots": LazyCommand("tourney.cli.bots:command", "Make, add, list, show, check and remove bots."),
        "compare": LazyCommand("tourney.cli.compare:command", "Play until it is known whether A beats B."),
    },
    "Tournaments": {
        "run": LazyCommand("tourney.cli.run:command", "Start a tournament, or go on where it stopped."),
        "status": LazyCommand("tourney.cli.status:command", "Say how far the tournaments are."),
        "standings": LazyCommand("tourney.cli.standings:command", "Print the table of a tournament."),
        "ratings": LazyCommand("tourney.cli.ratings:command", "Print the ratings of the bots."),
        "report": LazyCommand("tourney.cli.report:command", "Write a tournament's report, a static site."),
    },
    "Matches": {
        "show": LazyCommand("tourney.cli.show:command", "Show a match, move by move."),
        "verify": LazyCommand("tourney.cli.verify:command", "Prove that records keep to rules and dice."),
        "rerun": LazyCommand("tourney.cli.rerun:command", "Play a match again and compare."),
    },
    "Data": {
        "export": LazyCommand(
            "tourney.cli.export:command", "Write records as JSON lines, tables as CSV or Parquet."
        ),
        "import": LazyCommand("tourney.cli.import_:command", "Read records that were exported."),
        "db": LazyCommand("tourney.cli.db:command", "Upgrade, back up, check and copy the database."),
    },
}
"""All commands, by purpose, in the order of the help. A line here and the module make a command."""

TABLE: dict[str, LazyCommand] = {
    name: entry for section in SECTIONS.values() for name, entry in section.items()
}


class CommandTable(click.Group):
    """A click group that loads a command when it is called and lists those whose module is there."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands that are there, in the order of the help."""
        return [name for name, entry in TABLE.items() if entry.present()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import the command of that name, or return None if there is none."""
        entry = TABLE.get(cmd_name)
        return entry.load() if entry is not None and entry.present() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the commands by purpose, from the table: nothing is imported for it."""
        widest = max(map(len, TABLE))
        for title, entries in SECTIONS.items():
            rows = [(name.ljust(widest), entry.help) for name, entry in entries.items() if entry.present()]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,  # noqa: ARG002 - click's signature; Windows is refused
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with its code; errors are said by ``edge.guard``.

        Without ``standalone_mode`` exceptions reach the caller.
        """
        words = sys.argv[1:] if args is None else list(args)
        program = prog_name or PROGRAM
        instruction = os.environ.get(complete_var or COMPLETE)
        if instruction:
            sys.exit(shell_complete(self, extra, program, complete_var or COMPLETE, instruction))

        def run() -> object:
            with self.make_context(program, list(words), **extra) as ctx:
                return self.invoke(ctx)

        if not standalone_mode:
            return run()
        sys.exit(edge.guard(run))


@click.group(
    cls=CommandTable,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command has its own help: tourney COMMAND --help.",
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
def cli() -> None:
    """Tournaments and ratings for people who write game bots: batch, offline, reproducible."""


def main() -> NoReturn:
    """Run the command line of this process; the console script ``tourney``."""
    cli.main(prog_name=PROGRAM)
    raise AssertionError("main exits")
