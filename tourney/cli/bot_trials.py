"""``tourney bots check`` and ``tourney bots test``: play trials with a bot."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from tourney.bots.catalogue.store import BotStore, StoredBot, look_up
from tourney.bots.catalogue.tree import remove_tree
from tourney.bots.sandbox.base import open_sandbox
from tourney.cli.completion import complete_bot, complete_game
from tourney.cli.documents.bots import BotCheckDocument, BotTestDocument
from tourney.cli.edge import printable
from tourney.cli.options import (
    TEXT,
    bots_option,
    formats_option,
    move_ms_option,
    output_options,
    sandbox_option,
)
from tourney.cli.output import Format, Output, current
from tourney.errors import BotError, CheckError, UsageError
from tourney.files import check_writable, write_file
from tourney.match.match_runner import StoreLauncher, entrant_of
from tourney.match.spec import MAX_MS, MAX_STARTUP_MS, Limits
from tourney.report import text
from tourney.run.check_bot import STDERR_LINES, Trial, check_bot
from tourney.testing import ANSWER_MS, END_SECONDS, play_dialogue, read_dialogue


def find_bot(
    reference: str, store: BotStore, stack: ExitStack, *, replace_shipped: bool = False
) -> tuple[BotStore, StoredBot, Path]:
    """Return a bot, the store that holds it, and where it comes from; the given store does not change.

    A bot given by path, or one that ships, is copied to a temporary store, which ``stack`` removes. Raises
    BotError if there is no such bot or, unless ``replace_shipped``, if a path's only bears a shipped name.
    """
    found = look_up(reference, store)
    if isinstance(found, StoredBot):
        return store, found, found.folder
    folder = Path(tempfile.mkdtemp(prefix="tourney-"))
    stack.callback(remove_tree, folder)
    temporary = BotStore(folder)
    return temporary, temporary.add(found, replace_shipped=replace_shipped), found


@click.command("check")
@click.argument("bot", shell_complete=complete_bot)
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME",
    shell_complete=complete_game,
    help="Game to test; repeatable. [default: all games of the bot]",
)
@move_ms_option("Time per action.")
@click.option(
    "--startup-ms",
    type=click.IntRange(1, MAX_STARTUP_MS),
    default=10_000,
    metavar="MS",
    show_default=True,
    help="Time for the start-up.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what referee and bot said in the first match, for `tourney bots test`; replaces the file.",
)
@click.option("--watch", is_flag=True, help="Also print the board after each action.")
@sandbox_option
@bots_option
@formats_option(BotCheckDocument, formats=TEXT)
@output_options
def check(
    bot: str,
    games: tuple[str, ...],
    move_ms: int,
    startup_ms: int,
    record: Path | None,
    watch: bool,
    sandbox: str,
    bots: str,
    format_: Format,
) -> None:
    """Test a bot in games against `random`.

    BOT is a path or a name. The bot plays on every seat. Prints a line for each trial; for a failed trial
    also the cause, advice, the board at an illegal action, the last lines between referee and bot (> to the
    bot, < from the bot) and the bot's last lines on standard error. Exits with code 1 if a trial fails.
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
        trials: list[Trial] = []
        dialogue: list[str] | None = None
        if record is not None:
            check_writable(record)
            dialogue = []
        opened = open_sandbox(sandbox)  # type: ignore[arg-type]  # click gives one of the choices, as a plain str
        said = None if not watch else output.write if format_ is Format.TEXT else output.say
        for trial in check_bot(found, store, opened, tried, limits, watch=said, record=dialogue):
            if format_ is Format.TEXT:
                _print(trial, output)
            if record is not None and not trials:
                lines = [f"# {found.label}: {trial.name}", *(dialogue or ()), ""]
                write_file(record, "\n".join(lines).encode("utf-8"))
            trials.append(trial)
    failed = sum(trial.ok is False for trial in trials)
    if format_ is Format.JSON:
        lines = [_trial_data(trial) for trial in trials]
        output.document(BotCheckDocument, bot=found.label, passed=not failed, trials=lines)
    if failed:
        raise CheckError(f"{found.label} failed {failed} of {len(trials)} trials")
    if format_ is Format.TEXT:
        output.write(f"{found.label} passed {len(trials)} trials")


def _trial_data(trial: Trial) -> dict[str, Any]:
    """Return a trial's line of a ``BotCheckDocument``."""
    values = {key: getattr(trial, key) for key in ("name", "ok", "result", "board", "wire", "stderr")}
    return {**values, "advice": trial.advice or None}


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
@sandbox_option
@bots_option
@formats_option(BotTestDocument, formats=TEXT)
@output_options
def test(file: Path, bot: str, answer_ms: int, sandbox: str, bots: str, format_: Format) -> None:
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
        opened = open_sandbox(sandbox)  # type: ignore[arg-type]  # click gives one of the choices, as a plain str
        channel = StoreLauncher(store, opened)(entrant_of(found, found.manifest.name), Limits())
        stack.callback(channel.close, END_SECONDS)
        difference = play_dialogue(channel, steps, answer_ms=answer_ms)
        errors = channel.stderr()
    lines = sum(step.by_bot for step in steps)
    if format_ is Format.JSON:
        output.document(
            BotTestDocument,
            bot=found.label,
            passed=not difference,
            lines=lines,
            difference=difference or None,
            stderr=errors[-STDERR_LINES:],
        )
    if difference:
        for line in errors[-STDERR_LINES:]:
            output.say(f"     {printable(line)}")
        raise CheckError(f"{file}, {difference}")
    if format_ is Format.TEXT:
        output.write(f"{found.label} says what {file} expects, in {text.count(lines, 'line')}")


def _print(trial: Trial, output: Output) -> None:
    word = {True: "ok", None: "note", False: "FAIL"}[trial.ok]
    output.write(f"{word:<5}{trial.name}: {trial.result}")
    if trial.ok:
        return
    if trial.advice:
        output.write(f"     {trial.advice}")
    for title, lines in (
        ("the board", trial.board),
        ("the last lines between referee and bot", trial.wire),
        ("its standard error", trial.stderr),
    ):
        if lines:
            output.write(f"     {title}:")
            for line in lines:
                output.write(f"         {line}")
