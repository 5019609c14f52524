"""``tourney completion``: the shells' scripts for completion by Tab, and the functions behind them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from tourney.cli.main import COMPLETE, PROGRAM
from tourney.errors import TourneyError, UsageError

SHELLS: Final = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    Tab then completes commands, options, games, bots and tournaments. For the shells to come, add a line to
    their start-up file:

    \b
    bash  ~/.bashrc                    eval "$(tourney completion bash)"
    zsh   ~/.zshrc                     eval "$(tourney completion zsh)"
    fish  ~/.config/fish/config.fish   tourney completion fish | source

    Bots and tournaments are those of the current folder, or of TOURNEY_BOTS and TOURNEY_DB.
    """  # noqa: D301 - click reads the control character, which keeps the lines as they are
    made = get_completion_class(shell)
    if made is None:
        raise UsageError(f"click has no completion for {shell}")
    script = made(ctx.find_root().command, {}, PROGRAM, COMPLETE)
    click.echo(script.source_template % script.source_vars())


def complete_game(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 - click's signature
    """Complete the name of a game."""
    from tourney.games.registry import GAMES  # noqa: PLC0415 - most commands start without it

    return _matching(GAMES.names(), incomplete)


def complete_bot(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 - click's signature
    """Complete the name of a bot that ships or is in the store, or a path if no name fits.

    Not both: bash drops the names as soon as it completes files.
    """
    from tourney.bots.catalogue.shipped import shipped_bots  # noqa: PLC0415 - likewise
    from tourney.bots.catalogue.store import BotStore  # noqa: PLC0415 - likewise

    names = set(shipped_bots())
    try:
        entries = BotStore(Path(_setting(ctx, "bots"))).entries()
        names |= {entry.bot.manifest.name for entry in entries if entry.bot is not None}
    except (TourneyError, OSError):
        pass  # offer what was found: an error here would disturb the line being typed
    return _matching(names, incomplete) or [CompletionItem(incomplete, type="file")]


def complete_tournament(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 - click's signature
    """Complete the name of a tournament in the database."""
    from tourney.store.database import Database  # noqa: PLC0415 - likewise

    try:
        with Database.open(_setting(ctx, "db")) as database:
            return _matching([stored.name for stored in database.tournaments.all()], incomplete)
    except (TourneyError, OSError):
        return []


def _setting(ctx: click.Context, name: str) -> str:
    """The value of ``--db`` or ``--bots``, even while the command line is incomplete."""
    value = ctx.params.get(name)
    if value:
        return str(value)
    # While completing, click has not applied defaults and environment variables.
    option = next(param for param in ctx.command.params if param.name == name)
    return os.environ.get(str(option.envvar)) or str(option.default)


def _matching(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]
