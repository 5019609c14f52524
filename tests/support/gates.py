"""Runs that a test can hold, by a bot whose matches each need a ticket.

For tests that stop a run in the middle: it plays the admitted matches, then waits.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.command import invoke, popen
from tests.support.processes import PATIENCE, alive, wait_for, workers_of
from tourney.store import sqlite
from tourney.store.database import Database

FIRST = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) action=${rest%% *};;
        go) echo "move $action";;
        quit) exit 0;;
    esac
done
"""
"""Plays the first legal action; needs only a shell, so its matches are short."""

GATED = """#!/bin/sh
admitted() {
    [ -e HOME/open ] && return
    for ticket in HOME/tickets/*; do
        rm "$ticket" 2>/dev/null && return
    done
    false
}
asked=
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) action=${rest%% *};;
        go)
            if [ -z "$asked" ]; then
                asked=yes
                : >HOME/waiting/$$
                until admitted; do sleep 0.05; done
                rm HOME/waiting/$$
            fi
            echo "move $action";;
        quit) exit 0;;
    esac
done
"""

CUP = """
name = "NAME"
game = "sage-stones"
seed = 7
bots = ["./gated", BOTS]
games-per-pairing = GAMES
[options]
stones = 3
[limits]
move-ms = 3600000
startup-ms = 3600000
[run]
sandbox = "off"
"""


class Home:
    """A folder with tournaments whose matches wait to be admitted, and their ``database``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "tourney.db"
        self.started: list[subprocess.Popen[str]] = []
        for name in ("tickets", "waiting"):
            (folder / name).mkdir(parents=True)
        self.write("gated", GATED.replace("HOME", str(folder)))
        self.write("first", FIRST)
        self.write("dead", "#!/bin/sh\nexit 1\n")
        self._tickets = 0

    def write(self, name: str, text: str) -> None:
        """Write an executable file."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def cup(self, name: str = "cup", *, games: int = 12, bots: Sequence[str] = ("./first",)) -> None:
        """Write a tournament of the gated bot and others; matches without the gated bot do not wait."""
        text = CUP.replace("NAME", name).replace("GAMES", str(games))
        self.write(f"{name}.toml", text.replace("BOTS", ", ".join(f'"{bot}"' for bot in bots)))

    def admit(self, count: int) -> None:
        """Admit more matches."""
        for _ in range(count):
            self._tickets += 1
            (self.folder / "tickets" / str(self._tickets)).touch()

    def open(self) -> None:
        """Admit all matches."""
        (self.folder / "open").touch()

    def close(self) -> None:
        """Admit no match from now on."""
        (self.folder / "open").unlink()

    @property
    def waiting(self) -> int:
        """The number of matches that wait to be admitted."""
        return len(list((self.folder / "waiting").iterdir()))

    def start(self, *words: str, name: str = "cup", **more: Any) -> "subprocess.Popen[str]":
        """Start ``tourney run``; ``finish`` returns its standard error."""
        command = [sys.executable, "-m", "tourney", "run", f"{name}.toml", *words]
        given: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **more}
        process = popen(command, cwd=self.folder, **given)
        self.started.append(process)
        return process

    def finish(self, process: "subprocess.Popen[str]") -> tuple[int, str]:
        """Wait for a run to end; return its exit code and standard error."""
        _, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, errors or ""

    def kill(self, process: "subprocess.Popen[str]") -> None:
        """Kill a run as a crash would, and wait until its workers are gone."""
        workers = workers_of(process.pid)
        process.kill()
        process.communicate(timeout=PATIENCE)
        assert wait_for(lambda: not any(map(alive, workers)))
        for path in (self.folder / "waiting").iterdir():
            path.unlink()

    def stored(self) -> int:
        """Return the number of stored matches, without the repository's checks as it is called often."""
        if not self.database.exists():
            return 0
        with closing(sqlite.connect(self.database)) as connection:
            count: int = connection.execute("SELECT count(*) FROM match").fetchone()[0]
            return count

    def log(self, name: str = "cup") -> list[Mapping[str, Any]]:
        """Return the events of a tournament's log."""
        path = self.folder / f"tourney.db-{name}.log"
        if not path.exists():
            return []
        return [
            json.loads(line) for line in path.read_text("ascii").splitlines(keepends=True) if line[-1] == "\n"
        ]

    def logged(self, words: str, name: str = "cup") -> bool:
        """Return whether the log has a message that starts with these words."""
        return any(line["event"] == "say" and line["text"].startswith(words) for line in self.log(name))

    def tourney(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run another command in the folder."""
        return subprocess.run(
            [sys.executable, "-m", "tourney", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def whole(self, count: int, name: str = "cup") -> None:
        """Check that a tournament is finished, with each match once, and that the database is intact."""
        with Database.open(str(self.database)) as repository:
            tournament = repository.tournaments.get(name)
            assert repository.schedules.progress(tournament.id)[:2] == (count, count)
            numbers = [match.number for match in repository.matches.all(tournament.id, finished=True)]
            assert numbers == list(range(1, count + 1))
        self.sound()

    def sound(self) -> None:
        """Check the database with Tourney's commands."""
        for words in (("verify", "--all"), ("db", "check")):
            done = invoke(*words, "--db", str(self.database))
            assert done.exit_code == 0, done.output


@contextmanager
def home(folder: Path) -> Iterator[Home]:
    """Yield a home, and end everything that was started in it."""
    made = Home(folder.resolve())
    try:
        yield made
    finally:
        with suppress(OSError):
            made.open()
        for process in made.started:
            if process.poll() is None:
                process.kill()
            process.communicate(timeout=PATIENCE)


def small_disk(folder: Path) -> bool:
    """Mount a disk of 6 MiB on a folder; return whether that worked."""
    folder.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    try:
        return os.geteuid() == 0 and subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
