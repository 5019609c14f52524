"""The arena of the attacks: a hostile bot at a table, and the measurements around it."""

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from tests.attacks.attacks import PATIENT, Attack
from tests.support.gates import FIRST
from tests.support.processes import running
from tests.support.tables import make_spec, outcome, toy
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.probe import held_lock
from tourney.bots.sandbox.processes import Pipes
from tourney.bots.sandbox.sandbox import ResourceLimits, Sandbox
from tourney.check.named_seeds import RandomChannel
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner
from tourney.match.spec import Entrant, Limits

BOT: Final = """\
import os, signal, socket, sys, time
from pathlib import Path
{facts}
def say(text):
    os.write(1, text.encode() + b"\\n")
def attempt(something):
    name = something.__name__.replace("_", "-")
    try:
        something()
    except (OSError, MemoryError) as error:
        say(f"info could-not {{name}} {{error}}")
    else:
        say(f"info could {{name}}")
def attack(first):
    pass
def begin():
    pass
{code}
begin()
asked = 0
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "tourney":
        say("bot wants=legal")
    elif word == "game":
        say("ready")
    elif word == "legal":
        first = rest.split(" ")[0]
    elif word == "go":
        asked += 1
        if asked == 1:
            attack(first)
        say("move " + first)
    elif word == "quit":
        break
"""
DATABASE: Final = b"all the results"
_NS: Final = 1_000_000_000


class Watched(ProcessChannel):
    """A channel that records waits beyond the deadline of their request.

    It is exact on any machine, because it compares a wait with the time that the channel read last.
    ``overstayed`` holds the waits that were too long, in milliseconds. ``asked`` and ``deadline`` belong to
    the last request; ``ended`` is the time of the bot's end.
    """

    def __init__(
        self, group: BotProcesses, pipes: Pipes, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._time = clock
        self.asked = self.deadline = self.ended = 0
        self.overstayed: list[float] = []
        self._now = 0
        self._open = True
        super().__init__(group, pipes, clock=self._read)
        self._inner: Callable[[float], list[tuple[int, int]]] = self._poll
        self._poll = self._watch  # type: ignore[assignment]  # shadows the method on this instance only

    def ask(self, data: bytes, deadline: int) -> str | Event:
        """Record the time and the deadline."""
        self.asked = self._read()
        self.deadline = deadline
        return super().ask(data, deadline)

    def request(self, data: bytes) -> None:
        """Record the time."""
        self.asked = self._read()
        super().request(data)

    def wait(self, deadline: int) -> Event:
        """Record the deadline."""
        self.deadline = deadline
        return super().wait(deadline)

    def close(self, grace: float) -> None:
        """Record the end."""
        was, self._open = self._open, False
        super().close(grace)
        if was:
            self.ended = self._read()

    def _read(self) -> int:
        self._now = self._time()
        return self._now

    def _watch(self, timeout_ms: float) -> list[tuple[int, int]]:
        # The channel rounds the remaining time up to whole milliseconds.
        if timeout_ms and self._open and timeout_ms * 1e6 >= max(0, self.deadline - self._now) + 1e6:
            self.overstayed.append(timeout_ms)
        return self._inner(timeout_ms)


@dataclass(frozen=True, slots=True)
class Fight:
    """A match against an attacker, and its effects on the referee and the host.

    ``took``: seconds from the attacker's last request until its end; ``past``: seconds from that request's
    deadline, below 0 if the attacker ended before.
    ``overstayed``: waits of the referee beyond a deadline. ``grown``: bytes of the referee's memory at its
    peak. ``left``: processes that live after the match. ``harmed``: changed files of the host.
    ``next``: the digest of the match that two honest bots played afterwards.
    """

    played: PlayedMatch
    took: float
    past: float
    overstayed: tuple[float, ...]
    grown: int
    left: tuple[str, ...]
    harmed: tuple[str, ...]
    next: str

    @property
    def faults(self) -> list[list[Any]]:
        """The faults in the record."""
        found: list[list[Any]] = outcome(self.played)["faults"]
        return found

    @property
    def kinds(self) -> tuple[str | None, ...]:
        """The kinds of the faults; None if there are none."""
        return tuple(kind for _, kind, _ in self.faults) or (None,)

    @property
    def notes(self) -> str:
        """The referee's notes."""
        return "; ".join(line.text for line in self.played.log if line.kind == "note")

    @property
    def said(self) -> list[str]:
        """The bots' lines for the log."""
        return [line.text for line in self.played.log if line.kind == "info"]

    @property
    def worked(self) -> list[str]:
        """The parts of the attack that worked: the bot's reports, remaining processes, changed files."""
        could = [text.split(" ")[1] for text in self.said if text.startswith("could ")]
        return [*could, *(["outlived-the-match"] if self.left else []), *self.harmed]


class Idle(RandomChannel):
    """An opponent without a process, and without any CPU time."""

    def cpu_ms(self) -> int:
        """Return no time."""
        return 0


class Arena:
    """Plays toe: the attacker has the first seat, a bot without a process the second.

    As a context manager it gives the host a database, a rival and listening sockets as targets. ``opponent``
    makes the attacker's opponent; ``clock`` is the referee's.
    """

    def __init__(
        self,
        folder: Path,
        sandbox: Sandbox,
        *,
        opponent: Callable[[], Channel] = Idle,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.token = f"tourney-attack-{os.getpid()}-{time.monotonic_ns()}"
        self.attacker: Watched | None = None
        self._opponent = opponent
        self._clock = clock
        self._facts = ""
        self._sockets = _sockets(self.token)

    def __enter__(self) -> Self:
        """Set up the targets of the attacks."""
        port = self._sockets.__enter__()
        facts = {
            "DATABASE": str(self.folder / "tourney.db"),
            "RIVAL": str(self.folder / "rival"),
            "REFEREE": os.getpid(),
            "WORDS": Path("/proc/self/cmdline").read_bytes(),
            "PORT": port,
            "ABSTRACT": self.token,
            "LOCKED": "/usr/bin",
        }
        self._facts = "\n".join(f"{key} = {value!r}" for key, value in facts.items())
        for name in ("attacker", "honest", "rival"):
            (self.folder / name).mkdir()
        return self

    def __exit__(self, *error: object) -> None:
        """Close the sockets."""
        self._sockets.__exit__(None, None, None)

    def fight(self, code: str, limits: Limits = PATIENT, *, stays: bool = False) -> Fight:
        """Play against an attacker, search for its processes, then let honest bots play in the same runner.

        ``stays``: processes are expected to remain, so the search does not wait for their end.
        """
        files = self._lay_out(code)
        with self._room() as room:
            before = _peak()
            played = room.play(_spec(("attacker", "drawn"), limits))
            grown = _peak(reset=False) - before
            left = tuple(self._left(stays=stays))
            harmed = tuple(sorted(name for name, was in files.items() if _content(name) != was))
            after = room.play(_spec(("honest", "rival"), PATIENT))
        assert self.attacker is not None
        took = (self.attacker.ended - self.attacker.asked) / _NS
        past = (self.attacker.ended - self.attacker.deadline) / _NS
        changed = tuple(f"changed-{Path(name).relative_to(self.folder)}" for name in harmed)
        overstayed = tuple(self.attacker.overstayed)
        return Fight(played, took, past, overstayed, grown, left, changed, after.record.digest)

    def attack(self, attack: Attack) -> Fight:
        """Play against an attack, in its tame form if the sandbox does not contain it."""
        contained = attack.contained(self.sandbox.protections)
        if contained or not attack.tame:
            stays = not contained and "all-processes" in attack.needs
            return self.fight(attack.code, attack.limits, stays=stays)
        return self.fight(attack.tame)

    def control(self) -> str:
        """Return the digest of a match of honest bots without an attack."""
        self._lay_out("")
        with self._room() as room:
            found: str = room.play(_spec(("honest", "rival"), PATIENT)).record.digest
        return found

    def launch(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start an entrant's bot; the token distinguishes its processes from all others."""
        if entrant.bot == "drawn":
            return self._opponent()
        words: tuple[str, ...] = ("./bot", self.token)
        if entrant.bot == "attacker":
            words = (sys.executable, "-I", "-S", "-B", "bot.py", self.token)
        command = BotCommand(words, self.folder / entrant.bot, environment(), interpreter_paths())
        group, pipes = self.sandbox.start(command, ResourceLimits(memory_mb=limits.memory_mb))
        channel = Watched(group, pipes, self._clock)
        if entrant.bot == "attacker":
            self.attacker = channel
        return channel

    def _room(self) -> MatchRunner:
        runner = MatchRunner(self.launch, sandbox=self.sandbox, find=toy)
        runner.clock = self._clock
        return runner

    def _lay_out(self, code: str) -> Mapping[str, bytes]:
        """Write the bots and a database; return the files that no attacker may change."""
        (self.folder / "attacker" / "bot.py").write_text(BOT.format(facts=self._facts, code=code), "utf-8")
        for name in ("honest", "rival"):
            (self.folder / name / "bot").write_text(FIRST, "ascii")
            (self.folder / name / "bot").chmod(0o755)
        (self.folder / "tourney.db").write_bytes(DATABASE)
        (self.folder / "rival" / "left").unlink(missing_ok=True)
        names = ("attacker/bot.py", "honest/bot", "rival/bot", "rival/left", "tourney.db")
        return {str(self.folder / name): _content(str(self.folder / name)) for name in names}

    def _left(self, *, stays: bool) -> Iterator[str]:
        """Name and kill the remaining processes; if none may stay, wait for their end first."""
        if not stays and not running(self.token):
            return
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                if self.token.encode() in words:
                    os.kill(int(process.name), signal.SIGKILL)
                    yield words.replace(b"\0", b" ").decode("utf-8", "replace")


@contextmanager
def _sockets(name: str) -> Iterator[int]:
    """Listen on a port, which is yielded, and on an abstract socket, without answers; lock a folder."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=64) as port,
        socket.socket(socket.AF_UNIX) as abstract,
        held_lock(Path("/usr/bin")),
    ):
        abstract.bind(f"\0{name}")
        abstract.listen(64)
        yield port.getsockname()[1]


def _content(name: str) -> bytes:
    with suppress(FileNotFoundError):
        return Path(name).read_bytes()
    return b"not there"


def _spec(names: tuple[str, ...], limits: Limits) -> Any:
    spec = make_spec(limits=limits)
    entrants = tuple(Entrant(name, name, "1", (), "0" * 64) for name in names)
    return type(spec)(spec.game, (), entrants, spec.seed, limits)


def _peak(*, reset: bool = True) -> int:
    """Return the peak memory of this process since the last reset, in bytes."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found[1]) * 1024
