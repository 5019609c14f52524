"""The reference of the commands, made of their own help: ``python -m tourney.cli.reference FILE``."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tourney.cli.main import PROGRAM, SECTIONS, cli

_WIDTH = 100


def reference() -> str:
    """Return the reference as Markdown: the program's help, then that of every command and subcommand."""
    parts = ["# Commands", "", "Made by `make reference` of what each command says with `--help`.", ""]
    parts += _help(cli, PROGRAM, None, "##")
    root = click.Context(cli, info_name=PROGRAM, help_option_names=["-h", "--help"])
    for title, entries in SECTIONS.items():
        there = [(name, entry.load()) for name, entry in entries.items() if entry.present()]
        if there:
            parts += [f"## {title}", ""]
        for name, command in there:
            parts += _help(command, name, root, "###")
    return "\n".join(parts)


def _help(command: click.Command, name: str, parent: click.Context | None, heading: str) -> Iterator[str]:
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )
    yield from (f"{heading} {context.command_path}", "", "```text", command.get_help(context), "```", "")
    if isinstance(command, click.Group) and command is not cli:
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            if found is not None:
                yield from _help(found, sub, context, heading)


def main(arguments: list[str]) -> int:
    """Write the reference into the file that is the only argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tourney.cli.reference FILE\n")
        return 2
    Path(arguments[0]).write_text(reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
