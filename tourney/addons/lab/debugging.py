"""An author's program in a recorded match: led to a chosen action by the record, then live.

It runs in the foreground: the terminal stays its own, and nothing limits it.
"""

import os
import select
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from tourney.bots.catalogue.command import environment, own_words
from tourney.bots.catalogue.manifest import Manifest, manifest_from_name
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.line_buffer import BufferedChannel
from tourney.bots.protocols import PROTOCOLS
from tourney.bots.sandbox.bot_processes import exit_words
from tourney.check.named_seeds import RandomChannel
from tourney.errors import BotError, UsageError
from tourney.games.base import CHANCE
from tourney.games.registry import find_game
from tourney.match.guided_channel import CHOSEN, FollowedRecord, GuidedChannel, unlimited
from tourney.match.play import play_match
from tourney.match.player import Player, dismiss
from tourney.match.record import Record
from tourney.match.result import PlayedMatch
from tourney.match.runner import Launcher
from tourney.testing import RecordedChannel

_CHUNK = 64 * 1024
_MOST_SECONDS = 3600.0
_MOST_OUTPUT = (1 << 24, 1_000_000)


class ForegroundChannel(BufferedChannel):
    """Exchanges lines with a program in the session of this process, so that a debugger has its terminal.

    Standard error is this process's. Raises OSError if the program cannot be started.
    """

    def __init__(self, words: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        super().__init__()
        self._process = subprocess.Popen(  # noqa: S603 - the author's own program
            list(words), cwd=folder, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.pid = self._process.pid
        # An author prints far more than a bot in a match may, above all under a debugger.
        self.widen(*_MOST_OUTPUT)

    def send(self, data: bytes) -> None:
        """Write lines; a program that does not read blocks, as its author can see."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(OSError, ValueError):
            self._process.stdin.write(data)

    def request(self, data: bytes) -> None:
        """Send lines that end in a request."""
        self._lines.renew()
        self.send(data)

    def wait(self, deadline: int) -> Event:
        """The next event by the deadline; ``timeout`` if there is none."""
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        output = self._process.stdout.fileno()
        while (event := self._lines.take()) is None:
            left = (deadline - time.monotonic_ns()) / 1e9
            ready, _, _ = select.select([output], [], [], max(0.0, min(left, _MOST_SECONDS)))
            if ready:
                data = os.read(output, _CHUNK)
                if data:
                    self._lines.feed(data)
                else:
                    self._lines.close(Event("closed", exit_words(self._process.wait())))
            elif left <= 0:
                return Event("timeout")
        return event

    def close(self, grace: float) -> None:
        """End the program: close its input, wait ``grace`` seconds, then kill it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


BREAKPOINT = "tourney.testing.terminal_breakpoint"
"""The function that ``breakpoint()`` of a Python bot calls: pdb on the terminal, as the pipes are the
referee's."""


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """An author's program in its folder, and the words to start it with, such as a debugger's."""

    path: Path
    args: tuple[str, ...] = ()
    under: tuple[str, ...] = ()

    def start(self) -> tuple[ForegroundChannel, Channel]:
        """Start it; return the channel to the process, and its protocol's channel. Raises BotError."""
        manifest, folder = self._manifest()
        words = own_words(manifest.command, manifest.name)
        env = os.environ | dict(environment())
        for name in ("HOME", "LANG", "PATH"):  # from the author's shell: debuggers have settings there
            env[name] = os.environ.get(name, env[name])
        env.setdefault("PYTHONBREAKPOINT", BREAKPOINT)  # an author's own choice stays
        try:
            channel = ForegroundChannel([*self.under, *words, *self.args], folder, env)
        except OSError as error:
            raise BotError(
                f"{shlex.join([*self.under, *words])} cannot be started: {error.strerror}"
            ) from error
        protocol = PROTOCOLS.find(manifest.protocol).configured(manifest.options, manifest.go)
        return channel, protocol.adapt(channel)

    def _manifest(self) -> tuple[Manifest, Path]:
        if self.path.is_dir():
            return digest_of_folder(self.path)[1], self.path.resolve()
        if not self.path.is_file():
            raise BotError(f"there is no program or folder {self.path}")
        manifest = manifest_from_name(self.path.name, str(self.path))
        return structs.replace(manifest, command=(f"./{self.path.name}",)), self.path.resolve().parent


class Difference(NamedTuple):
    """An action, from 1, at which a match differs from its record; "" for none."""

    action: int
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class DebugMatch:
    """A recorded match with a program on a seat.

    Before action ``until`` (from 1; None: in the whole match) the program is asked and the recorded action is
    played. From there on all is live: the program, and the recorded opponents, which ``launch`` starts.
    """

    record: Record
    seat: int
    program: OwnProgram
    until: int | None
    launch: Launcher
    clock: bool = False

    def play(self, started: Callable[[int], None]) -> PlayedMatch:
        """Play it; ``started`` gets the id of the program's process before it is asked anything.

        Raises UsageError for a seat or an action that the match lacks, and as ``play_match`` does.
        """
        record = self.record
        count = len(self.record.actions)
        if not 1 <= self.seat <= len(record.seats):
            raise UsageError(f"there is no seat {self.seat}: the match has {len(record.seats)}")
        if self.until is not None and not 1 <= self.until <= count + 1:
            raise UsageError(f"there is no action {self.until}: the match has {count}")
        first = count if self.until is None else self.until - 1
        actions = tuple(action for _, action in record.actions[:first])
        spec = structs.replace(record.spec, limits=record.limits if self.clock else unlimited(record.limits))
        players: list[Player] = []
        try:
            for seat, entrant in enumerate(record.seats, start=1):
                if seat == self.seat:
                    process, channel = self.program.start()
                    players.append(
                        Player(GuidedChannel(channel, FollowedRecord(actions, live=self.until is not None)))
                    )
                    started(process.pid)
                else:
                    # Without a live part the opponents are not asked, so they are not started.
                    whole = self.until is None
                    opponent = RandomChannel() if whole else self.launch(entrant, spec.limits)
                    # They are asked from their first turn on, so that their state is the match's.
                    guide = FollowedRecord(actions, first=first + 1 if whole else 0, live=not whole)
                    players.append(Player(GuidedChannel(opponent, guide)))
            return play_match(spec, find_game(record.game), players)
        finally:
            dismiss(players)

    def differences(self, played: PlayedMatch) -> Iterator[Difference]:
        """Yield where the program chose otherwise, and the first live action that differs."""
        prefix = f"{CHOSEN}="
        recorded = self.record.actions
        led = len(recorded) if self.until is None else self.until - 1
        for line in played.log:
            if line.seat == self.seat and line.kind == "info" and line.text.startswith(prefix):
                chosen = line.text.removeprefix(prefix).split(" ")[0]
                if line.ply < led and chosen != recorded[line.ply][1]:
                    yield Difference(line.ply + 1, recorded[line.ply][1], chosen)
        pairs = zip_longest(recorded[led:], played.record.actions[led:]) if self.until is not None else ()
        for number, (was, now) in enumerate(pairs, start=led + 1):
            if was != now:
                yield Difference(number, was[1] if was else "", now[1] if now else "")
                break


def dialogue_before(record: Record, action: int, channel: Channel) -> tuple[list[str], str]:
    """The dialogue that leads a bot to an action (from 1) of a record, and its choice there ("": it resigns).

    The last line is the bot's answer. Raises UsageError if no seat acts there, BotError if a bot fails.
    """
    if not 1 <= action <= len(record.actions) or record.actions[action - 1][0] == CHANCE:
        raise UsageError(
            f"there is no action {action} of a seat among the {len(record.actions)} of the match"
        )
    seat = record.actions[action - 1][0]
    actions = tuple(text for _, text in record.actions[: action - 1])
    lines: list[str] = []
    spec = structs.replace(record.spec, limits=unlimited(record.limits))
    players = [
        Player(GuidedChannel(RandomChannel(), FollowedRecord(actions, first=action))) for _ in record.seats
    ]
    asked = GuidedChannel(RecordedChannel(channel, lines), FollowedRecord(actions, first=action - 1))
    players[seat - 1] = Player(asked)
    played = play_match(spec, find_game(record.game), players)
    for faulty, kind, _ in played.outcome.faults:
        raise BotError(f"the bot failed ({kind}): {''.join(played.lines(faulty, 'note')[-1:])}")
    last = max(number for number, line in enumerate(lines) if line.startswith("< "))
    chosen = lines[last].removeprefix("< ").removeprefix("move ")
    return lines[: last + 1], "" if chosen == "resign" else chosen
