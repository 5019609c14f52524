"""``tourney bots test``: play dialogues with a bot, or write one from a position of a match."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple

import click

from tourney.addons.lab.debugging import dialogue_before
from tourney.bots.catalogue.store import BotStore, StoredBot, path_of
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.check.record import replay
from tourney.cli import options as opt
from tourney.cli.bots.list import find_bot
from tourney.cli.options import option
from tourney.cli.output import Output, current
from tourney.errors import ActionError, CheckError, EnvironmentFailure, UsageError
from tourney.games.registry import find_game
from tourney.held_folder import hold
from tourney.interface.found_match import FoundMatch, find_match
from tourney.match.runner import StoreLauncher, entrant_of
from tourney.match.spec import MAX_MS, Limits
from tourney.run.check_bot import STDERR_LINES
from tourney.schema import Document, Part, SandboxLevel
from tourney.testing import ANSWER_MS, END_SECONDS, MOST_BYTES, play_dialogue, read_dialogue
from tourney.texts import counted, printable

FOLDER: Final = "tests"
"""The folder of a bot's dialogues, in its own folder."""
SUFFIX: Final = ".dialogue"


class BotTestDocument(Document, frozen=True, kw_only=True):
    """Whether a bot says what a dialogue expects; `difference` is the first one."""

    format: Literal["tourney-bot-test/1"] = "tourney-bot-test/1"
    bot: str
    passed: bool
    lines: int
    difference: str | None
    stderr: tuple[str, ...]


class DialogueResult(Part, frozen=True, kw_only=True):
    """A dialogue of a bot, and the first difference, or null."""

    file: str
    difference: str | None


class BotTestsDocument(Document, frozen=True, kw_only=True):
    """The dialogues of a bot's own folder of tests."""

    format: Literal["tourney-bot-tests/1"] = "tourney-bot-tests/1"
    bot: str
    passed: bool
    dialogues: tuple[DialogueResult, ...]


class _TestRequest(opt.CommandOptions):
    add: str | None = option("--add MATCH@ACTION", "Write a dialogue up to this action of a match instead.")
    expect: str | None = option("--expect ACTION", "With --add: the bot must play this action there.")
    avoid: str | None = option("--avoid ACTION", "With --add: the bot must play another action there.")
    answer_ms: int = option(
        "--answer-ms MS", "Time per answer.", default=ANSWER_MS, type=click.IntRange(1, MAX_MS)
    )
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)
    format_: object = opt.formats(BotTestDocument, BotTestsDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)


@opt.command("test", _TestRequest)
@click.argument("file", metavar="[FILE]")
@click.argument("bot", metavar="BOT", required=False)
def command(file: str, bot: str | None, options: _TestRequest) -> None:
    """Play the dialogue in FILE with a bot, and compare what it says.

    Without FILE, all dialogues in the folder `tests` of the bot are played (`*.dialogue`). BOT is a path or a
    name. `--add` writes one there from a match, as 12@34 or autumn-cup/12@34: the bot is led to that action,
    and must then play the action of --expect, or another one than that of --avoid.

    A line that begins with `> ` is the referee's, one with `< ` is what the bot has to say next (`*` stands
    for any text), one with `! ` is what it must not say next, one with `#` is a comment. The bot's `info`
    lines do not count. `tourney bots check BOT --record FILE` writes the dialogue of a match. Exits with code
    1 at the first difference.
    """
    if (options.add is None) != (options.expect is options.avoid is None) or (
        options.expect is not None and options.avoid is not None
    ):
        raise UsageError("--add goes with one of --expect ACTION and --avoid ACTION")
    if bot is not None and options.add is not None:
        raise UsageError("--add takes a bot alone, and writes the file itself")
    output = current()
    with ExitStack() as stack:
        words = bot or file
        store, stored_bot, _ = find_bot(words, BotStore(Path(options.bots)), stack)
        sandbox = open_sandbox(options.sandbox, {"the bot store": Path(options.bots)})
        folder = path_of(words)
        launch = StoreLauncher(store, sandbox)
        player = _Player(stored_bot, folder, launch, options.answer_ms)
        if options.add is not None:
            _add(player, options.add, options, output)
        elif bot is not None:
            _play_file(player, Path(file), output)
        else:
            _play_all(player, output)


class _Replayed(NamedTuple):
    """A played dialogue: the number of the bot's lines, the first difference or "", the last errors."""

    lines: int
    difference: str
    stderr: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Player:
    """A bot that plays dialogues, each in a new process."""

    bot: StoredBot
    folder: Path | None
    launch: StoreLauncher
    answer_ms: int

    def start(self) -> Channel:
        return self.launch(entrant_of(self.bot, self.bot.manifest.name), Limits())

    def play(self, file: Path, data: bytes | None = None) -> _Replayed:
        """Play the dialogue in a file."""
        steps = read_dialogue(file, data)
        channel = self.start()
        try:
            difference = play_dialogue(channel, steps, answer_ms=self.answer_ms)
            errors = tuple(channel.stderr()[-STDERR_LINES:])
            return _Replayed(sum(step.by_bot for step in steps), difference, errors)
        finally:
            channel.close(END_SECONDS)


def _play_file(player: _Player, file: Path, output: Output) -> None:
    lines, difference, errors = player.play(file)
    label = player.bot.label
    document = BotTestDocument(
        bot=label, passed=not difference, lines=lines, difference=difference or None, stderr=errors
    )
    output.document(document)
    if difference:
        for line in errors:
            output.say(f"     {printable(line)}")
        raise CheckError(f"{file}, {difference}")
    output.text(f"{label} says what {file} expects, in {counted(lines, 'line')}")


def _folder_of(player: _Player) -> Path:
    if player.folder is None or not player.folder.is_dir():
        raise UsageError(f"{player.bot.label} has no folder of its own: give FILE, or the bot's folder")
    return player.folder


def _dialogues(bot: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the place and the content of each dialogue of a bot, whose folder may be another account's."""
    folder = bot / FOLDER
    count = 0
    with hold(bot) as held, suppress(FileNotFoundError):
        for entry in held.entries(FOLDER):
            if entry.name.endswith(SUFFIX):
                yield folder / entry.name, held.read(f"{FOLDER}/{entry.name}", MOST_BYTES)
                count += 1
    if not count:
        raise UsageError(f"there is no *{SUFFIX} in {folder}: --add MATCH@ACTION writes one")


def _play_all(player: _Player, output: Output) -> None:
    results: list[DialogueResult] = []
    for file, data in _dialogues(_folder_of(player)):
        _, difference, errors = player.play(file, data)
        results.append(DialogueResult(file=str(file), difference=difference or None))
        output.text(f"{file}: {difference or 'ok'}")
        for line in errors if difference and output.people else ():
            output.say(f"     {printable(line)}")
    failed = sum(result.difference is not None for result in results)
    output.document(BotTestsDocument(bot=player.bot.label, passed=not failed, dialogues=tuple(results)))
    if failed:
        raise CheckError(f"{counted(failed, 'dialogue')} of {len(results)} failed")


def _add(player: _Player, place: str, options: _TestRequest, output: Output) -> None:
    words, _, number = place.rpartition("@")
    if not (words and number.isascii() and number.isdecimal()) or len(number) > 9:
        raise UsageError(f"{place!r} is not of the form MATCH@ACTION, such as 12@34 or autumn-cup/12@34")
    match = find_match(words, options.db)
    action = int(number)
    wanted = options.expect or options.avoid or ""
    _check_legal(match, action, wanted)
    channel = player.start()
    try:
        lines, chosen = dialogue_before(match.record, action, channel)
    finally:
        channel.close(END_SECONDS)
    sign = "<" if options.expect else "!"
    folder = _folder_of(player)
    file = folder / FOLDER / f"{Path(match.label.replace(' ', '-')).name}-{action}{SUFFIX}"
    text = "\n".join([f"# {match.label}, action {action}", *lines[:-1], f"{sign} move {wanted}", ""])
    try:
        with hold(folder) as held, held.make_folder(FOLDER, 0o755) as tests:
            tests.write(file.name, text.encode("utf-8"), mode=0o644)
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be written: {error.strerror}") from error
    now = chosen or "resigns"
    passes = (chosen == wanted) == (options.expect is not None)
    output.write(f"{file} is written; now the bot {'passes' if passes else 'fails'}: it chooses {now}")


def _check_legal(match: FoundMatch, action: int, wanted: str) -> None:
    """Refuse an action that is not legal at its place, before a bot is started. Raises UsageError."""
    count = len(match.record.actions)
    if not 1 <= action <= count:
        raise UsageError(f"{match.label} has {counted(count, 'action')}: there is no action {action}")
    game = find_game(match.record.game)
    try:
        game.read_action(replay(match.record, game, action - 1), wanted)
    except ActionError as error:
        raise UsageError(f"{wanted} cannot be played as action {action} of {match.label}: {error}") from error
