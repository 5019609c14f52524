"""The command ``tourney``: the table of its commands, each imported only when it is called."""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem, shell_complete

from tourney import __version__, plugins
from tourney.cli import edge
from tourney.errors import UsageError
from tourney.garbage import collect_seldom
from tourney.plugins import Command


class CommandTable(click.Group):
    """A click group: the commands of the package ``package``, a module each, and those that add-ons bring.

    ``sections`` are the package's commands in help order, with their lines in the group's help: reading the
    lines from the commands would import them all. ``words`` are the words after ``tourney`` that name the
    group for add-ons: "" for ``tourney`` itself.
    """

    def __init__(
        self,
        *args: Any,
        package: str,
        sections: Mapping[str, Mapping[str, str]],
        words: str = "",
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.package = package
        self.sections = sections
        self.words = words
        self.core_names = tuple(name for section in sections.values() for name in section)

    @cached_property
    def added(self) -> dict[str, Command]:
        """The commands of add-ons in this group, by name: shipped add-ons first, then other packages'."""
        prefix = f"{self.words} " if self.words else ""
        commands: dict[str, Command] = {}
        for addon in (*plugins.shipped().values(), *plugins.others()[0].values()):
            for words, command in addon.commands.items():
                name = words.removeprefix(prefix)
                if words.startswith(prefix) and " " not in name and name not in self.core_names:
                    commands.setdefault(name, command)
        return commands

    @property
    def all_sections(self) -> dict[str, dict[str, str]]:
        """The help lines of all commands by section: the package's commands first, then the add-ons'."""
        sections = {title: dict(lines) for title, lines in self.sections.items()}
        for name, command in self.added.items():
            title = command.section if not self.words else next(iter(self.sections))
            sections.setdefault(title or "Other", {})[name] = command.help
        # In a group such as `bots`, commands of add-ons stand among its own, by name.
        if self.words and self.added:
            sections = {title: dict(sorted(lines.items())) for title, lines in sections.items()}
        return {title: lines for title, lines in sections.items() if lines}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all commands, in help order."""
        return tuple(name for lines in self.all_sections.values() for name in lines)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands, in help order."""
        return list(self.names)

    def load(self, name: str) -> click.Command:
        """Import a command. Raise UsageError if it is an add-on's and the add-on is broken."""
        if name in self.core_names:
            # A module cannot be named like a keyword: `import` is in import_.py.
            module = {"import": "import_"}.get(name, name.replace("-", "_"))
            loaded: click.Command = import_module(f"{self.package}.{module}").command
            _collect_garbage(loaded)
            return loaded
        target = self.added[name].target
        try:
            command: click.Command = plugins.load(target)
        except Exception as error:
            if target.startswith(f"{plugins.GROUP}."):
                raise  # an add-on that ships: a fault of the program, which the edge reports as one
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(f"the command {name} of an add-on ({target}) is broken: {reason}") from error
        _collect_garbage(command)
        return command

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import the command with this name; None if there is none."""
        return self.load(cmd_name) if cmd_name in self.core_names or cmd_name in self.added else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that a word may become. click would import each of the commands."""
        lines = {name: line for section in self.all_sections.values() for name, line in section.items()}
        commands = [
            CompletionItem(name, help=line) for name, line in lines.items() if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a line's first word. The refusal of an unknown one names similar commands."""
        unknown = args[0] not in self.core_names and args[0] not in self.added
        if unknown and not ctx.resilient_parsing:  # completion says nothing about an unknown word
            from difflib import get_close_matches  # noqa: PLC0415 - only for this sentence

            _name_broken_addons()
            close = get_close_matches(args[0], self.names)
        else:
            close = []
        if close:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(map(repr, close))}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the commands by section, without importing them."""
        _name_broken_addons()
        widest = max(map(len, self.names))
        for title, lines in self.all_sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), line) for name, line in lines.items()])


def _collect_garbage(command: click.Command) -> None:
    """Switch the collector on again before a command runs; it leaves out what the imports made."""
    if not isinstance(command, CommandTable) and not gc.isenabled():  # ``tourney.cli.start`` switched it off
        collect_seldom()


def command_group(package: str, commands: Mapping[str, str], help_: str) -> CommandTable:
    """The group of the commands in a package, such as ``tourney.cli.bots``."""
    name = package.removesuffix(".commands").rpartition(".")[2]
    return CommandTable(name, package=package, words=name, sections={"Commands": commands}, help=help_)


def _name_broken_addons() -> None:
    """Name the add-ons of other packages that cannot be read: their commands are missing."""
    for sentence in plugins.others()[1].values():
        click.echo(f"Warning: {sentence}", err=True)


PROGRAM = "tourney"
COMPLETE = "_TOURNEY_COMPLETE"
"""The environment variable through which shells request completions (click's convention)."""

SECTIONS: dict[str, dict[str, str]] = {
    "Start here": {
        "demo": "Play a small tournament of the shipped bots and write its report.",
        "doctor": "Test which protections against bots work on this machine.",
    },
    "Games": {
        "games": "List the games, their seats and options.",
        "rules": "Answer questions about a game, line by line.",
        "perft": "Count the action sequences of a given length.",
        "play": "Play against bots in the terminal.",
        "check-game": "Test that a game implements the interface correctly.",
    },
    "Bots": {
        "bots": "Create, add, list, show, check and remove bots.",
    },
    "Tournaments": {
        "commit": "Fix plan, entrants and seed, and print the commitment.",
        "run": "Start or resume a tournament.",
        "status": "Show the progress of tournaments.",
        "standings": "Print the standings of a tournament.",
        "ratings": "Print the ratings of the bots.",
        "rate": "Rate the results of other programs: PGN, CSV, JSON lines.",
        "report": "Write a tournament's report as a static site.",
        "audit": "Look for results that are not independent.",
    },
    "Leagues": {},
    "Matches": {
        "show": "Show a match: its settings, actions and final board.",
        "verify": "Check records against the rules and the dice.",
        "rerun": "Play a match again and compare the records.",
    },
    "Data": {
        "export": "Write records as JSON lines, or tables as CSV or Parquet.",
        "import": "Import exported records.",
        "db": "Upgrade, back up, check and copy the database.",
    },
    "Shell": {
        "completion": "Print the script that completes words by Tab.",
    },
}
"""The core's commands by section, in help order, each with its line in ``tourney --help``.

A section without commands here keeps its place for the commands of an add-on.
"""


class TourneyCommand(CommandTable):
    """The command ``tourney``."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,  # noqa: ARG002 - click's signature; Windows is refused
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with its code; ``edge.guard`` reports errors.

        Without ``standalone_mode``, exceptions reach the caller.
        """
        words = sys.argv[1:] if args is None else list(args)
        program = prog_name or PROGRAM
        # Before anything else: completion must neither parse the line nor report errors.
        instruction = os.environ.get(complete_var or COMPLETE)
        if instruction:
            sys.exit(shell_complete(self, extra, program, complete_var or COMPLETE, instruction))

        def run() -> object:
            with self.make_context(program, list(words), **extra) as ctx:
                return self.invoke(ctx)

        if not standalone_mode:
            return run()
        sys.exit(edge.guard(run))


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from tourney.games.compiled import summary  # noqa: PLC0415 - other commands do not need it

        click.echo(f"{PROGRAM} {__version__}\nrules of the games: {summary()}")
        ctx.exit()


@click.group(
    cls=TourneyCommand,
    package="tourney.cli",
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="For help on a command: tourney COMMAND --help.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, and whether the games' rules are compiled, and exit.",
)
def cli() -> None:
    """Run tournaments of game bots and rate them: batch, offline, reproducible."""


def main() -> NoReturn:
    """Run the command line of this process; the console script ``tourney``."""
    cli.main(prog_name=PROGRAM)
    raise AssertionError("main exits")
