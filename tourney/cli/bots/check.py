"""``tourney bots check``: play trials with a bot."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path
from typing import Literal

import click

from tourney.bots.catalogue.store import BotStore, StoredBot, path_of
from tourney.bots.catalogue.submission import convert_scripts
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.cli import options as opt
from tourney.cli.bots.list import RefusedBotLine, all_bots, find_bot, raise_refused
from tourney.cli.completion import complete_bot
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import BotError, CheckError, UsageError
from tourney.files import check_writable, write_file
from tourney.match.spec import MAX_STARTUP_MS, Limits
from tourney.results.tables import DataTable
from tourney.run.check_bot import Trial, TrialListener, check_bot
from tourney.schema import Document, Part, SandboxLevel
from tourney.texts import counted


class TrialLine(Part, frozen=True, kw_only=True):
    """A trial. `ok` is null for advice, which fails no bot.

    `board` shows the position of an illegal action, `wire` the last lines between referee and bot (> to the
    bot, < from the bot), `stderr` the bot's last lines of standard error.
    """

    name: str
    ok: bool | None
    result: str
    advice: str | None
    board: tuple[str, ...]
    wire: tuple[str, ...]
    stderr: tuple[str, ...]


class BotCheckDocument(Document, frozen=True, kw_only=True):
    """Whether a bot passed its trials."""

    format: Literal["tourney-bot-check/1"] = "tourney-bot-check/1"
    bot: str
    passed: bool
    trials: tuple[TrialLine, ...]


class _CheckRequest(opt.CommandOptions):
    games: tuple[str, ...] = option(
        "--game GAME", "Game to test; repeatable. [default: all games of the bot]"
    )
    move_ms: int = opt.shared(opt.move_ms_option("Time per action."))
    startup_ms: int = option(
        "--startup-ms MS", "Time for the start-up.", type=click.IntRange(1, MAX_STARTUP_MS), default=10_000
    )
    memory_mb: int = opt.shared(opt.memory_option("Memory of the bot, in MiB."))
    record: Path | None = option(
        "--record FILE",
        "Write what referee and bot said in the first match, for `tourney bots test`; replaces the file.",
    )
    fix: bool = option(
        "--fix",
        "First convert scripts with `#!` of Windows (CR LF, byte order marks), in place, but no archives.",
    )
    out: Path | None = option(
        "--out DIR",
        "Also write a receipt for each bot into this folder, a text of the name of its archive, and"
        " receipts.csv with all of them.",
        type=opt.FOLDER,
    )
    watch: bool = option("--watch", "Also print the board after each action.")
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)
    bots: str = opt.shared(opt.bots_option)
    format_: object = opt.formats(BotCheckDocument, formats=opt.TEXT)

    def games_of(self, bot: StoredBot) -> tuple[str, ...]:
        """The games to test a bot in. Raises UsageError or BotError if it does not say or play them."""
        games = self.games or bot.manifest.games
        if not games:
            raise UsageError(f"{bot.label} does not say which games it plays; name one: --game GAME")
        for game in self.games:
            if not bot.manifest.plays(game):
                raise BotError(
                    f"{bot.label} says it plays {', '.join(bot.manifest.games)}, not {game};"
                    " see games in its bot.toml"
                )
        return games


@opt.command("check", _CheckRequest)
@click.argument("bot", nargs=-1, required=True, metavar="BOT...", shell_complete=complete_bot)
def command(bot: tuple[str, ...], options: _CheckRequest) -> None:
    """Test bots in games against `random`.

    BOT is a path or a name, a folder of bots, or a pattern (`'submissions/*.zip'`). The bot plays on every
    seat. Prints a line for each trial, of several bots below the path of each; for a failed trial also the
    cause, advice, the board at an illegal action, the last lines between referee and bot (> to the bot, <
    from the bot) and the bot's last lines on standard error; of several bots, at the end those that failed.
    With --out each bot's part also goes into a file for its author.
    Exits with code 1 if a trial fails.
    """
    references, refused = all_bots(bot)
    receipts = None if options.out is None else Receipts(options.out)
    if len(references) == 1 and not refused and receipts is None:
        _check(references[0], options, [], {})
        return
    if options.record is not None or not current().people:
        raise UsageError("--record and --format json take one bot, and no --out")
    total = len(references) + len(refused)
    bots_by_name: dict[str, str] = {}
    for reference in references:
        lines: list[str] = []
        why = ""
        current().text(f"{reference}:")
        try:
            _check(reference, options, lines, bots_by_name)
        except (BotError, CheckError, UsageError) as error:
            refused.append(RefusedBotLine.of_error(reference, error))
            why = refused[-1].reason
            lines += [f"refused: {why}", *getattr(error, "__notes__", ())]
        if receipts is not None:
            receipts.add(reference, lines, why)
    if receipts is not None:
        receipts.close()
    raise_refused(refused, total, "refused or failed", CheckError)


class Receipts:
    """A folder with a text for each bot and a table of all, both written as soon as a bot is judged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: list[tuple[str, str, str, str]] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder} cannot be made: {error.strerror}") from error

    def add(self, reference: str, lines: Sequence[str], why: str) -> None:
        """Write the receipt of a bot; ``why`` is the reason that it did not pass, or ""."""
        name = f"{Path(reference).name}.txt"
        names = {receipt for _, receipt, _, _ in self._rows}
        # Two folders may hold archives of one name, of which each author needs its own.
        name = next(
            text for text in chain([name], (f"{number}-{name}" for number in count(2))) if text not in names
        )
        result = "refused" if why else "passed"
        text = "\n".join((reference, f"result: {result}", "", *lines, ""))
        write_file(self._folder / name, text.encode("utf-8", "backslashreplace"))
        self._rows.append((reference, name, result, why))
        # Replaced in one step after each bot: a check that is killed leaves what was judged.
        write_file(self._folder / "receipts.csv", DataTable.of("bot receipt result reason", self._rows).csv())

    def close(self) -> None:
        """Say where the receipts are."""
        current().say(f"{counted(len(self._rows), 'receipt')} written to {self._folder}")


def _check(bot: str, options: _CheckRequest, lines: list[str], bots_by_name: dict[str, str]) -> None:
    """Check a bot and print its trials, which ``lines`` gets too.

    ``bots_by_name`` has the bots that were checked before, and gets this one. Raises BotError, CheckError and
    UsageError.
    """
    output = current()
    limits = Limits(move_ms=options.move_ms, startup_ms=options.startup_ms, memory_mb=options.memory_mb)
    dialogue: list[str] | None = None if options.record is None else []
    write = output.write if output.people else output.say
    waiting = output.transient_line() if not options.watch else None
    listener = TrialListener(write if options.watch else None, dialogue, waiting)
    trials: list[Trial] = []
    if options.fix:
        path = path_of(bot)
        if path is None:
            raise UsageError(f"--fix changes files: give the path of a bot, not the name {bot}")
        for sentence in convert_scripts(path):
            output.say(f"{bot}: {sentence}")
    with ExitStack() as stack:
        if waiting is not None:
            stack.callback(waiting, "")
        store, stored_bot, _ = find_bot(bot, BotStore(Path(options.bots)), stack)
        lines.append(f"bot: {stored_bot.label}, digest {stored_bot.digest}")
        namesake = bots_by_name.setdefault(stored_bot.manifest.name, bot)
        notes = list(stored_bot.notes)
        if namesake != bot:
            # Both may pass, and `tourney run` refuses them together.
            notes.append(
                f"it is called {stored_bot.manifest.name}, as {namesake} is: a tournament takes one bot of a"
                " name from its list of bots"
            )
        for note in notes:
            output.say(f"{bot}: {note}")
            lines.append(f"note: {note}")
        games = options.games_of(stored_bot)
        if options.record is not None:
            check_writable(options.record)
        sandbox = open_sandbox(options.sandbox, {"the bot store": Path(options.bots)})
        for trial in check_bot(stored_bot, store, sandbox, games, limits, listener):
            if waiting is not None:
                waiting("")
            output.text(*trial.lines())
            lines.extend(trial.lines())
            trials.append(trial)
            if trial.varies:
                BotStore(Path(options.bots)).mark_varying(stored_bot.digest)
            if options.record is not None and len(trials) == 1:
                recorded = [f"# {stored_bot.label}: {trial.name}", *(dialogue or ()), ""]
                write_file(options.record, "\n".join(recorded).encode("utf-8"))
    failed = sum(trial.ok is False for trial in trials)
    parts = tuple(TrialLine.of(trial, advice=trial.advice or None) for trial in trials)
    output.document(BotCheckDocument(bot=stored_bot.label, passed=not failed, trials=parts))
    if failed:
        raise CheckError(f"{stored_bot.label} failed {failed} of {len(trials)} trials")
    output.text(f"{stored_bot.label} passed {len(trials)} trials")
