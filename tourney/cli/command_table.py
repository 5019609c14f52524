"""Groups of commands whose words name their modules, each imported only when it is called.

The command ``tourney bots check`` is ``command`` in the module ``tourney.cli.bots.check``.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click


class CommandTable(click.Group):
    """A click group with a module for each command in the package ``package``.

    ``sections`` are the commands in help order, with their lines in the group's help. The lines stand here
    because help that asked the commands would import them all.
    """

    def __init__(
        self, *args: Any, package: str, sections: Mapping[str, Mapping[str, str]], **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.package = package
        self.sections = sections
        self.names = tuple(name for section in sections.values() for name in section)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands, in help order."""
        return list(self.names)

    def load(self, name: str) -> click.Command:
        """Import a command."""
        # A module cannot be named like a keyword: `import` is in import_.py.
        module = {"import": "import_"}.get(name, name.replace("-", "_"))
        command: click.Command = import_module(f"{self.package}.{module}").command
        return command

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import the command of that name; None if there is none."""
        return self.load(cmd_name) if cmd_name in self.names else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a line's first word. The refusal of an unknown one names similar commands."""
        close = [] if args[0] in self.names else get_close_matches(args[0], self.names)
        if close:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(map(repr, close))}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the commands by section, without importing them."""
        widest = max(map(len, self.names))
        for title, lines in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), line) for name, line in lines.items()])
