"""``tourney bots check``: test a bot in short games."""

from contextlib import ExitStack
from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import open_sandbox
from tourney.cli.bots.catalogue import find_bot
from tourney.cli.options import bots_option, output_options, sandbox_option
from tourney.cli.output import Output, current
from tourney.errors import BotError, CheckError, UsageError
from tourney.match.spec import MAX_MS, MAX_STARTUP_MS, Limits
from tourney.run.check_bot import Trial, check_bot


@click.command("check")
@click.argument("bot")
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME",
    help="Game to test; repeatable. [default: all games of the bot]",
)
@click.option(
    "--move-ms",
    type=click.IntRange(1, MAX_MS),
    default=1000,
    metavar="MS",
    show_default=True,
    help="Time per action.",
)
@click.option(
    "--startup-ms",
    type=click.IntRange(1, MAX_STARTUP_MS),
    default=10_000,
    metavar="MS",
    show_default=True,
    help="Time for the start-up.",
)
@sandbox_option
@bots_option
@output_options
def check(bot: str, games: tuple[str, ...], move_ms: int, startup_ms: int, sandbox: str, bots: str) -> None:
    """Test a bot in games against `random`.

    BOT is a path or a name. The bot plays on every seat. Prints a line for each trial; for a failed trial
    also the cause, advice, the last lines between referee and bot (> to the bot, < from the bot) and the
    bot's last lines on standard error. Exits with code 1 if a trial fails.
    """
    output = current()
    with ExitStack() as stack:
        store, found, _ = find_bot(bot, BotStore(Path(bots)), stack)
        tried = games or found.manifest.games
        if not tried:
            raise UsageError(f"{found.label} does not say which games it plays; name one: --game GAME")
        for game in games:
            if not found.manifest.plays(game):
                raise BotError(
                    f"{found.label} says it plays {', '.join(found.manifest.games)}, not {game};"
                    " see games in its bot.toml"
                )
        limits = Limits(move_ms=move_ms, startup_ms=startup_ms)
        failed = 0
        count = 0
        try:
            for trial in check_bot(found, store, open_sandbox(sandbox), tried, limits):  # type: ignore[arg-type]  # click gives one of the choices, as a plain str
                _print(trial, output)
                count += 1
                failed += trial.ok is False
        except BotError as error:
            for note in getattr(error, "__notes__", ()):
                for line in note.splitlines():
                    output.write(f"    {line}")
            raise
    if failed:
        raise CheckError(f"{found.label} failed {failed} of {count} trials")
    output.write(f"{found.label} passed {count} trials")


def _print(trial: Trial, output: Output) -> None:
    word = {True: "ok", None: "note", False: "FAIL"}[trial.ok]
    output.write(f"{word:<5}{trial.name}: {trial.result}")
    if trial.ok:
        return
    if trial.advice:
        output.write(f"     {trial.advice}")
    for title, lines in (
        ("the last lines between referee and bot", trial.wire),
        ("its standard error", trial.stderr),
    ):
        if lines:
            output.write(f"     {title}:")
            for line in lines:
                output.write(f"         {line}")
