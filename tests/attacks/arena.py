"""Where attacks are played: a hostile bot at a table, and what is measured around it."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import running
from tests.tables import make_spec, outcome, toy
from tourney.bots.channel import Channel
from tourney.bots.command import BotCommand, environment, interpreter_paths
from tourney.bots.drawn import DrawnChannel
from tourney.bots.sandbox import Sandbox
from tourney.match.played import Played
from tourney.match.room import Room
from tourney.match.spec import Entrant, Limits

PATIENT = Limits(move_ms=60_000, startup_ms=60_000, memory_mb=512)
HASTY = Limits(move_ms=300, margin_ms=50, startup_ms=60_000, memory_mb=512)
"""For attacks that are to run into the deadline of a turn."""
REFEREE_BYTES = 48 * 1024 * 1024
"""What the referee's own memory may grow by in a match, at its peak, whatever the bots do."""

BOT = """\
import os, signal, socket, sys, time
def say(text):
    os.write(1, text.encode() + b"\\n")
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


@dataclass(frozen=True, slots=True)
class Fight:
    """A match against an attacker: how it went, how long it took, and what it did to the referee."""

    played: Played
    seconds: float
    grown: int
    left: tuple[str, ...]

    @property
    def faults(self) -> list[list[Any]]:
        """The faults in the record."""
        found: list[list[Any]] = outcome(self.played)["faults"]
        return found

    @property
    def notes(self) -> str:
        """What the referee noted."""
        return "; ".join(line.text for line in self.played.log if line.kind == "note")

    @property
    def said(self) -> list[str]:
        """What bots said for the log."""
        return [line.text for line in self.played.log if line.kind == "info"]


class _Idle(DrawnChannel):
    """An opponent without a process, and without any CPU time."""

    def cpu_ms(self) -> int:
        return 0


class Arena:
    """Plays toe: the attacker has the first seat, a bot without a process the second."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.token = f"tourney-attack-{os.getpid()}-{time.monotonic_ns()}"

    def bot(self, name: str, code: str) -> str:
        """Write a bot."""
        (self.folder / f"{name}.py").write_text(BOT.format(code=code), encoding="utf-8")
        return name

    def launch(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start the bot that an entrant names; the token tells its processes from all others."""
        if entrant.bot == "drawn":
            return _Idle()
        words = (sys.executable, "-I", "-S", "-B", f"{entrant.bot}.py", self.token)
        command = BotCommand(words, self.folder, environment(), interpreter_paths())
        return self.sandbox.spawn(command, memory_mb=limits.memory_mb)

    def fight(self, code: str, limits: Limits = PATIENT) -> Fight:
        """Play against an attacker; look who is left; then let an honest bot play in the same room."""
        names = (self.bot("attacker", code), "drawn")
        with Room(self.launch, sandbox=self.sandbox, find=toy) as room:
            before = _peak()
            began = time.monotonic()
            played = room.play(_spec(names, limits))
            seconds = time.monotonic() - began
            grown = _peak(reset=False) - before
            left = tuple(running(self.token)) if self.sandbox.kind != "plain" else tuple(self._kill())
            after = room.play(_spec((self.bot("honest", ""), "drawn"), PATIENT))
        assert outcome(after)["faults"] == [], "the next match was harmed"
        return Fight(played, seconds, grown, left)

    def _kill(self) -> Iterator[str]:
        """Kill what is left where nothing contains it, by its own number, and name it.

        A process that was killed stands in the table until it is next given the processor, so it is
        granted a while to go.
        """
        if not running(self.token):
            return
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                if self.token.encode() in words:
                    os.kill(int(process.name), signal.SIGKILL)
                    yield words.replace(b"\0", b" ").decode("utf-8", "replace")


def turn(body: str) -> str:
    """Return a bot that does this when it is asked first."""
    return "def attack(first):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def _spec(names: tuple[str, ...], limits: Limits) -> Any:
    spec = make_spec(limits=limits)
    entrants = tuple(Entrant(name, name, "1", (), "0" * 64) for name in names)
    return type(spec)(spec.game, (), entrants, spec.seed, limits)


def _peak(*, reset: bool = True) -> int:
    """Return the most memory that this process has had since the last reset, in bytes."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found[1]) * 1024
