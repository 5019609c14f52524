"""A real tournament of bots that hang and leave daemons, for tests that kill it."""

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.support.command import PROGRAM, popen
from tests.support.processes import PATIENCE, workers_of

CUP: Final = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./hang"]
games-per-pairing = 4
[[entrant]]
bot = "./hang"
name = "second"
args = ["TOKEN"]
[limits]
move-ms = 600000
[run]
sandbox = "LEVEL"
"""
HANG: Final = """#!/bin/sh
# It leaves a process in its own group, and a daemon without a parent in another session.
while read -r word rest; do
    case $word in
        tourney) echo bot;;
        game) echo ready;;
        go)
            sleep TOKEN &
            (setsid sh -c 'sleep TOKEN & sleep TOKEN' &)
            sleep TOKEN;;
        quit) exit 0;;
    esac
done
"""


class Runner:
    """`tourney run` of a tournament in which no bot ever moves."""

    def __init__(self, home: Path, level: str) -> None:
        # Seconds for sleep, unique to this test.
        self.token = f"86400.{os.getpid()}{time.monotonic_ns() % 10**9:09d}"
        hang = home / "hang"
        hang.write_text(HANG.replace("TOKEN", self.token), "ascii")
        hang.chmod(0o755)
        (home / "cup.toml").write_text(CUP.replace("LEVEL", level).replace("TOKEN", self.token), "ascii")
        words = [*PROGRAM, "run", "cup.toml", "--workers", "1"]
        self.process = popen(words, cwd=home, stderr=subprocess.PIPE)

    def sleepers(self) -> list[str]:
        """Return the bots' processes, in any session."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words[:2] == [b"sleep", self.token.encode()]:
                    found.append(process.name)
        return found

    def workers(self) -> list[int]:
        """Return the worker processes."""
        return workers_of(self.process.pid)

    def finish(self) -> int:
        """Wait for the runner's end."""
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode
