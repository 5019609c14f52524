"""The root of one tournament from runs with 1, 2 and 5 workers, on a server, and through many kills.

    python -m benchmarks.roots [--kills 20] [--seed 5] [--server URL]

The tournament is a Swiss of shell bots, one of which crashes. Each run is a process of its own. ``--server``
is the URL of an empty database on PostgreSQL. The killed run gets SIGKILL each time it has stored a few more
matches, until it has been killed so often; then it is run to its end. Prints a table; the exit code is 1 if
the roots differ, or if `tourney verify --all --root` does not hold for one of them.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

from benchmarks.soak import BOTS
from tourney.seeds import stream

TOURNEY = (sys.executable, "-m", "tourney")
PATIENCE = 120.0
FILE = """name = "roots"
game = "sage-stones"
format = "swiss"
rounds = 5
games-per-pairing = 8
seed = 20261120
bots = ["./first", "./last", "./crash"]
[[entrant]]
bot = "./first"
name = "first-b"
[[entrant]]
bot = "./last"
name = "last-b"
[[entrant]]
bot = "./first"
name = "first-c"
[limits]
move-ms = 60000
startup-ms = 60000
[run]
sandbox = "off"
"""


def write(folder: Path) -> None:
    """Write the tournament and its bots."""
    folder.mkdir()
    for name in ("first", "last", "crash"):
        (folder / name).write_text(BOTS[name], encoding="ascii")
        (folder / name).chmod(0o755)
    (folder / "roots.toml").write_text(FILE, encoding="ascii")


def run_words(workers: int, url: str) -> list[str]:
    """Return the command of a run."""
    return [*TOURNEY, "run", "roots.toml", "--workers", str(workers), "--cpus", "0", "--db", url, "-q"]


def finish(folder: Path, workers: int, url: str = "tourney.db") -> str:
    """Run to the end, verify the database by its root, and return the root."""
    subprocess.run(run_words(workers, url), cwd=folder, check=True)
    words = [*TOURNEY, "status", "--db", url, "--format", "json"]
    status = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    root: str = json.loads(status.stdout)["tournaments"][0]["root"]
    subprocess.run(
        [*TOURNEY, "verify", "--all", "--root", root, "--db", url],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return root


def stored(database: Path) -> int:
    """Return the number of stored matches."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection,
    ):
        return int(connection.execute('SELECT count(*) FROM "match"').fetchone()[0])
    return 0


def killed(folder: Path, kills: int, seed: int) -> tuple[str, int]:
    """Kill runs of two workers again and again, then finish; return the root and the number of kills."""
    database = folder / "tourney.db"
    draws = stream(seed, "kill")
    done = 0
    for _ in range(kills):
        target = stored(database) + 1 + draws(3)
        process = subprocess.Popen(run_words(2, "tourney.db"), cwd=folder, start_new_session=True)
        end = time.monotonic() + PATIENCE
        while process.poll() is None and stored(database) < target and time.monotonic() < end:
            time.sleep(0.005)
        if process.poll() is not None:
            break  # all is played
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        done += 1
    return finish(folder, 2), done


def main() -> int:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--server", metavar="URL", help="an empty database on PostgreSQL")
    given = parser.parse_args()
    roots = {}
    with tempfile.TemporaryDirectory() as where:
        for workers in (1, 2, 5):
            folder = Path(where) / str(workers)
            write(folder)
            roots[f"{workers} worker{'s' * (workers > 1)}"] = finish(folder, workers)
        if given.server:
            folder = Path(where) / "server"
            write(folder)
            roots["2 workers, PostgreSQL"] = finish(folder, 2, given.server)
        folder = Path(where) / "killed"
        write(folder)
        root, kills = killed(folder, given.kills, given.seed)
        roots[f"2 workers, {kills} kills"] = root
        matches = stored(folder / "tourney.db")
    print(f"{matches} matches")
    for way, root in roots.items():
        print(f"{way:24} {root}")
    return int(len(set(roots.values())) != 1)


if __name__ == "__main__":
    sys.exit(main())
