"""``tourney bots test``: play a dialogue with a bot."""

from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import click

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import Level, open_sandbox
from tourney.cli import options as opt
from tourney.cli.bots.list import find_bot
from tourney.cli.completion import complete_bot
from tourney.cli.output import OutputFormat, current
from tourney.errors import CheckError, printable
from tourney.match.match_runner import StoreLauncher, entrant_of
from tourney.match.spec import MAX_MS, Limits
from tourney.report import display
from tourney.run.check_bot import STDERR_LINES
from tourney.schema import Document
from tourney.testing import ANSWER_MS, END_SECONDS, play_dialogue, read_dialogue


class BotTestDocument(Document, frozen=True, kw_only=True):
    """Whether a bot says what a dialogue expects; `difference` is the first one."""

    format: Literal["tourney-bot-test/1"] = "tourney-bot-test/1"
    bot: str
    passed: bool
    lines: int
    difference: str | None
    stderr: tuple[str, ...]


@click.command("test")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("bot", shell_complete=complete_bot)
@click.option(
    "--answer-ms",
    type=click.IntRange(1, MAX_MS),
    default=ANSWER_MS,
    metavar="MS",
    show_default=True,
    help="Time per answer.",
)
@opt.sandbox_option
@opt.bots_option
@opt.formats_option(BotTestDocument, formats=opt.TEXT)
@opt.output_options
def command(file: Path, bot: str, answer_ms: int, sandbox: Level, bots: str, format_: OutputFormat) -> None:
    """Play the dialogue in FILE with a bot, and compare what it says.

    BOT is a path or a name. `tourney bots check BOT --record FILE` writes a dialogue; you can also write one.
    A line that begins with `> ` is the referee's, one with `< ` is what the bot has to say next (`*` stands
    for any text), one with `#` is a comment. The bot's `info` lines do not count. Exits with code 1 at the
    first difference.
    """
    output = current()
    steps = read_dialogue(file)
    with ExitStack() as stack:
        store, found, _ = find_bot(bot, BotStore(Path(bots)), stack)
        opened = open_sandbox(sandbox)
        channel = StoreLauncher(store, opened)(entrant_of(found, found.manifest.name), Limits())
        stack.callback(channel.close, END_SECONDS)
        difference = play_dialogue(channel, steps, answer_ms=answer_ms)
        errors = channel.stderr()
    lines = sum(step.by_bot for step in steps)
    if format_ is OutputFormat.JSON:
        output.document(
            BotTestDocument(
                bot=found.label,
                passed=not difference,
                lines=lines,
                difference=difference or None,
                stderr=tuple(errors[-STDERR_LINES:]),
            )
        )
    if difference:
        for line in errors[-STDERR_LINES:]:
            output.say(f"     {printable(line)}")
        raise CheckError(f"{file}, {difference}")
    if format_ is OutputFormat.TEXT:
        output.write(f"{found.label} says what {file} expects, in {display.count(lines, 'line')}")
