"""Dialogues between a referee and a bot, for the unit tests of a bot in any language.

A dialogue is text, one line of the protocol in a line::

    # a comment
    > tourney 1             the referee says this
    < bot wants=legal       the bot says this next; its ``info`` lines are skipped
    > game sage-stones seats=2 seat=1 seed=7 move=1000 stones=3
    < ready
    < move *                a ``*`` stands for any text (after ``bot``, for none too)
    < move *                a ``*`` stands for any text
    ! move 3d               the bot may say anything next, but not this

``tourney bots check BOT --record FILE`` writes one, ``tourney bots test FILE BOT`` replays it, and
``check_dialogue`` does so in a test of Python's.
"""

import pdb  # noqa: T100 - for authors, in their own terminal
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.command import command_of
from tourney.bots.channel.interface import Channel, Event, WatchedChannel, cut_line
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError
from tourney.parsing import read_text
from tourney.protocol import Info, decode_bot

MOST_BYTES: Final = 16 << 20
"""The largest file that is read as a dialogue."""
MOST_LINES: Final = 100_000
"""The most lines that are recorded."""
ANSWER_MS: Final = 10_000
"""The default time for an answer."""
END_SECONDS: Final = 0.5
"""A bot's time to end after a dialogue."""
_MEMORY_MB: Final = 1024


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a dialogue: its number in the file from 1, whether the bot says it, and what is said.

    ``avoided``: the bot must say something else.
    """

    number: int
    by_bot: bool
    text: str
    avoided: bool = False


def read_dialogue(path: Path, data: bytes | None = None) -> tuple[Step, ...]:
    """The steps of a dialogue; ``data`` is the content of the file, if it was read already.

    Raises BotError, which names the file and the line.
    """
    try:
        text = read_text(path, MOST_BYTES, data)
    except ValueError as error:
        raise BotError(f"{path} {error}") from error
    steps = tuple(_steps(text, path))
    if not any(step.by_bot for step in steps):
        raise BotError(f"{path} is not a dialogue: no line of it begins with '<' or '!', so it tests nothing")
    return steps


def _steps(text: str, path: Path) -> Iterator[Step]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(("> ", "< ", "! ")):
            raise BotError(
                f"{path}, line {number}: {cut_line(line)!r} begins neither with '> ' (the referee), '< '"
                " or '! ' (the bot) nor '#' (a comment)"
            )
        yield Step(number, not line.startswith(">"), line[2:], line.startswith("!"))


def play_dialogue(channel: Channel, steps: Sequence[Step], *, answer_ms: int = ANSWER_MS) -> str:
    """Send the referee's lines to a bot and compare its answers; return the first difference, or ""."""
    lines: list[str] = []
    for step in steps:
        if not step.by_bot:
            lines.append(step.text)
            continue
        if lines:
            channel.request("".join(f"{line}\n" for line in lines).encode())
            lines.clear()
        event = _next(channel, answer_ms, infos=step.text.startswith("info"))
        exception = "anything but " if step.avoided else ""
        expected = f"line {step.number}: expected {exception}{cut_line(step.text)!r}"
        if event.kind == "timeout":
            return f"{expected}, but the bot said nothing in {answer_ms:,} ms"
        if event.kind != "line":
            return f"{expected}, but {_end_of(event)}"
        if (_pattern(step.text).fullmatch(event.text) is not None) == step.avoided:
            return f"{expected}, but the bot said {cut_line(event.text)!r}"
    if lines:
        channel.send("".join(f"{line}\n" for line in lines).encode())
    return ""


def check_dialogue(
    command: Sequence[str], path: Path, *, folder: Path | None = None, answer_ms: int = ANSWER_MS
) -> None:
    """Play a dialogue with a bot that ``command`` starts in ``folder`` (default: the file's).

    There is no sandbox. ``python3`` as the first word is the interpreter of Tourney. Raises AssertionError
    with the first difference, and BotError for a file that is not a dialogue.
    """
    steps = read_dialogue(path)
    started = command_of(command, (folder or path.parent).resolve())
    channel = open_sandbox("off", {}).spawn(started, memory_mb=_MEMORY_MB)
    try:
        difference = play_dialogue(channel, steps, answer_ms=answer_ms)
    finally:
        channel.close(END_SECONDS)
    if difference:
        raise AssertionError(f"{path}, {difference}")


def terminal_breakpoint() -> None:
    """Stop in pdb on the terminal: ``breakpoint()`` of a bot that ``tourney debug`` started."""
    terminal = Path("/dev/tty")  # a bot's standard input and output are its conversation with the referee
    caller = sys._getframe(1)  # noqa: SLF001 - as the standard library's own hook does
    pdb.Pdb(stdin=terminal.open(), stdout=terminal.open("w")).set_trace(caller)


class RecordedChannel(WatchedChannel):
    """Adds all that is said, except ``info`` lines, to ``lines``: a dialogue, at most MOST_LINES long.

    Of the bot's first line it keeps what it requests.
    """

    def __init__(self, inner: Channel, lines: list[str]) -> None:
        super().__init__(inner)
        self.lines = lines

    def _sent(self, data: bytes) -> None:
        for line in data.decode("utf-8").splitlines():
            self._keep(f"> {line}")

    def _heard(self, event: Event) -> None:
        if event.kind == "line" and not _is_info(event.text):
            self._keep(f"< {_lasting(event.text)}")

    def _keep(self, line: str) -> None:
        if len(self.lines) < MOST_LINES:
            self.lines.append(line)


def _next(channel: Channel, answer_ms: int, *, infos: bool) -> Event:
    """The next event that is not an ``info`` line, except with ``infos``."""
    deadline = time.monotonic_ns() + answer_ms * 1_000_000
    while True:
        event = channel.wait(deadline)
        if event.kind != "line" or infos or not _is_info(event.text):
            return event


def _lasting(text: str) -> str:
    """A bot's line as a dialogue keeps it: without name and version, which change."""
    return re.sub(r"^bot( wants=[a-z,]+)?( (?!wants=).*)?$", r"bot\1 *", text)


def _is_info(text: str) -> bool:
    return isinstance(decode_bot(text), Info)


def _end_of(event: Event) -> str:
    return {
        "overflow": "the bot said too much",
        "malformed": "the bot said a line that is too long or not UTF-8",
    }.get(event.kind, f"the bot ended: {cut_line(event.text) or event.kind}")


def _pattern(text: str) -> re.Pattern[str]:
    words, ending = (text[:-2], "( .*)?") if text.startswith("bot") and text.endswith(" *") else (text, "")
    return re.compile(".*".join(map(re.escape, words.split("*"))) + ending)
