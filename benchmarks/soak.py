"""Soak test: bad bots among good ones, a runner that is killed often, a full disk, a second writer.

    python -m benchmarks.soak [--kills 50] [--seed 5] [--only kills,memory,disk,writer] [--keep DIR]

Every part prints its figures; the exit code is 1 if a check fails. The checks: each match is stored once, no
stored match is lost or changed, ``tourney verify --all`` and ``tourney db check`` hold, no process outlives
its runner, and the runner's memory stays flat. The seed determines the moments of the kills: half of them by
the number of stored matches, half by the time since the start. The full disk is a small tmpfs, so that part
needs root and is skipped without it.
"""

import argparse
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.soak_machine import alive, below, can_mount, descendants, fill, mounted
from tourney.seeds import stream

PATIENCE = 120.0
"""Seconds to wait for an expected event."""
NAME = "soak"

_PLAYER = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) action=CHOICE;;
        go) GO;;
        quit) exit 0;;
    esac
done
"""
BOTS = {
    "first": _PLAYER.replace("CHOICE", "${rest%% *}").replace("GO", 'echo "move $action"'),
    "last": _PLAYER.replace("CHOICE", "${rest##* }").replace("GO", 'echo "move $action"'),
    "crash": _PLAYER.replace("CHOICE", "x").replace("GO", "exit 3"),
    "hang": _PLAYER.replace("CHOICE", "x").replace("GO", "sleep 1000"),
    "flood": _PLAYER.replace("CHOICE", "x").replace(
        "GO", "while :; do echo info flood flood flood flood; done"
    ),
    "nostart": "#!/bin/sh\nexit 1\n",
}
"""Two that play, and one for each way to fail; ``hang`` does not even end with its input."""


class Broken(Exception):  # noqa: N818 - a failed check, not an error of this program
    """A check failed."""


def write(folder: Path, games: int, bots: Sequence[str] = tuple(BOTS)) -> int:
    """Write the tournament and its bots into a folder; return its number of matches."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in bots:
        path = folder / name
        path.write_text(BOTS[name], encoding="ascii")
        path.chmod(0o755)
    names = ", ".join(f'"./{name}"' for name in bots)
    lines_ = (
        f'name = "{NAME}"',
        'game = "sage-stones"',
        "seed = 5",
        "opening-plies = 6",
        f"games-per-pairing = {games}",
        f"bots = [{names}]",
        "[limits]",
        "move-ms = 60",
        "startup-ms = 5000",
        "[run]",
        'sandbox = "off"',
    )
    (folder / "soak.toml").write_text("\n".join(lines_) + "\n", encoding="ascii")
    return games * len(bots) * (len(bots) - 1) // 2


@dataclass
class Runner:
    """A run of the tournament, in a process of its own. ``rss``: stored matches and KiB over time."""

    folder: Path
    database: Path
    words: Sequence[str] = ()
    rss: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._said = (self.folder / "said.txt").open("ab")
        self.process = subprocess.Popen(
            tourney("run", "soak.toml", "--db", str(self.database), *self.words),
            cwd=self.folder,
            stderr=self._said,
            stdin=subprocess.DEVNULL,
        )
        self._said.close()

    def look(self) -> int:
        """Return the number of stored matches, and record the memory."""
        count = stored(self.database)
        with suppress(OSError, ValueError, IndexError):
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
            self.rss.append((count, pages * os.sysconf("SC_PAGE_SIZE") // 1024))
        return count

    def wait(self, event: Callable[[], bool]) -> bool:
        """Wait for an event; return False if the run ended before. Raises Broken after PATIENCE."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if event():
                return True
            if self.process.poll() is not None:
                return event()
            time.sleep(0.01)
        self.kill()
        raise Broken("the run neither went on nor ended")

    def kill(self) -> None:
        """Kill the runner alone, as a crash would, and wait for the end of all its processes."""
        processes = descendants(self.process.pid)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        end = time.monotonic() + PATIENCE
        while left := [process for process in processes if alive(*process)] or below(self.folder):
            if time.monotonic() > end:
                raise Broken(f"left alive after the runner was killed: {left}")
            time.sleep(0.01)

    def finish(self) -> int:
        """Wait for the end of the run; return its exit code."""
        while self.process.poll() is None:
            self.look()
            time.sleep(0.05)
        return self.process.returncode


def kills(folder: Path, count: int, seed: int, games: int) -> dict[str, object]:
    """Kill the runner at ``count`` moments and resume it each time; return the figures."""
    rows = write(folder, games)
    database = folder / "soak.db"
    sample = stream(seed, "soak", "kills")
    kept: dict[int, str] = {}
    by_time = by_matches = ended = 0
    peak = 0
    began = time.monotonic()
    for _ in range(count):
        runner = Runner(folder, database)
        if sample(2):
            moment = time.monotonic() + sample(2500) / 1000
            going = runner.wait(lambda: time.monotonic() >= moment)  # noqa: B023 - called at once
            by_time += 1
        else:
            goal = stored(database) + 1 + sample(max(2, 2 * rows // (3 * count)))
            going = runner.wait(lambda: runner.look() >= goal)  # noqa: B023 - called at once
            by_matches += 1
        ended += not going or runner.process.poll() is not None
        peak = max([peak, *(kb for _, kb in runner.rss)])
        runner.kill()
        now = digests(database)
        lost = {number for number in kept if now.get(number) != kept[number]}
        if lost:
            raise Broken(f"results were lost or changed: {sorted(lost)}")
        kept = now
    between = len(kept)
    last = Runner(folder, database)
    code = last.finish()
    if code:
        raise Broken(f"the last run ended with exit code {code}: {said(folder)}")
    now = digests(database)
    if {number for number in kept if now.get(number) != kept[number]} or sorted(now) != list(
        range(1, rows + 1)
    ):
        raise Broken("a match is missing or was played twice")
    return {
        "matches": rows,
        "kills": count,
        "kills by time": by_time,
        "kills by matches": by_matches,
        "runs that had ended before": ended,
        "stored when the last kill came": between,
        "seconds": round(time.monotonic() - began, 1),
        "runner's peak MiB": round(peak / 1024, 1),
        **sound(folder, database),
    }


def memory(folder: Path, games: int) -> dict[str, object]:
    """Play without a break and measure the runner's memory; return the figures."""
    rows = write(folder, games, ("first", "last", "crash", "nostart"))
    runner = Runner(folder, folder / "soak.db")
    if runner.finish():
        raise Broken(f"the run failed: {said(folder)}")
    early = [kb for count, kb in runner.rss if rows // 5 <= count < 2 * rows // 5]
    late = [kb for count, kb in runner.rss if count >= 4 * rows // 5]
    if not (early and late):
        raise Broken("the run was too short to see its memory")
    growth = statistics.median(late) - statistics.median(early)
    figures = {
        "matches": rows,
        "MiB at 20-40 %": round(statistics.median(early) / 1024, 2),
        "MiB at 80-100 %": round(statistics.median(late) / 1024, 2),
        "KiB more per 1,000 matches": round(growth / (0.6 * rows) * 1000, 1),
    }
    if growth > 4096:
        raise Broken(f"the runner's memory is not flat: {figures}")
    return {**figures, **sound(folder, folder / "soak.db")}


def writer(folder: Path, games: int) -> dict[str, object]:
    """Hold the database's lock until the run pauses, then release it; return the figures."""
    rows = write(folder, games)
    database = folder / "soak.db"
    runner = Runner(folder, database)
    if not runner.wait(lambda: stored(database) >= rows // 10):
        raise Broken(f"the run ended early: {said(folder)}")
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        held = time.monotonic()
        runner.wait(lambda: "paused: " in said(folder))
        noticed = time.monotonic() - held
        other.execute("ROLLBACK")
    if runner.finish():
        raise Broken(f"the run did not go on: {said(folder)}")
    whole(database, rows)
    return {
        "matches": rows,
        "seconds until it paused": round(noticed, 1),
        **pauses(folder),
        **sound(folder, database),
    }


def disk(folder: Path, games: int) -> dict[str, object]:
    """Fill the disk under the database until the run pauses, once to the end and once with a kill."""
    rows = write(folder, games)
    small = folder / "small"
    small.mkdir()
    with mounted(small):
        database = small / "soak.db"
        words = ("--log", str(folder / "soak.log"), "--bots", str(folder / "tourney-bots"))
        runner = Runner(folder, database, words)
        if not runner.wait(lambda: stored(database) >= rows // 10):
            raise Broken(f"the run ended early: {said(folder)}")
        fill(small)
        runner.wait(lambda: said(folder).count("paused: ") >= 1)
        spooled = lines(small / f"soak.db-{NAME}.spool")
        (small / "ballast").unlink()
        if not runner.wait(lambda: "resumed: " in said(folder)):
            raise Broken(f"the run did not go on: {said(folder)}")
        goal = stored(database) + rows // 10
        if not runner.wait(lambda: stored(database) >= goal):
            raise Broken(f"the run did not go on: {said(folder)}")
        fill(small)
        runner.wait(lambda: said(folder).count("paused: ") >= 2)
        before, left = stored(database), lines(small / f"soak.db-{NAME}.spool")
        runner.kill()
        (small / "ballast").unlink()
        last = Runner(folder, database, words)
        if last.finish():
            raise Broken(f"the last run failed: {said(folder)}")
        whole(database, rows)
        if left and "an earlier run kept" not in said(folder):
            raise Broken("the results in the spool were not stored")
        return {
            "matches": rows,
            "in the spool at the first pause": spooled,
            "stored, and in the spool, at the kill": f"{before}, {left}",
            **pauses(folder),
            **sound(folder, database),
        }


def sound(folder: Path, database: Path) -> dict[str, object]:
    """Check the database of a finished run with Tourney's own commands."""
    for words in (("verify", "--all"), ("db", "check")):
        done = subprocess.run(
            tourney(*words, "--db", str(database)), cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Broken(f"tourney {' '.join(words)}: {done.stdout}{done.stderr}")
    if below(folder):
        raise Broken(f"left alive: {below(folder)}")
    rest = [path.name for path in database.parent.iterdir() if path.suffix in {".spool", ".lock", ".json"}]
    if rest:
        raise Broken(f"left behind: {rest}")
    with closing(sqlite3.connect(database)) as connection:
        faults = dict(
            connection.execute("SELECT fault, count(*) FROM seat WHERE fault IS NOT NULL GROUP BY 1")
        )
        void = connection.execute("SELECT count(*) FROM match WHERE void").fetchone()[0]
    return {"faults": faults, "void": void, "verify --all and db check": "hold"}


def whole(database: Path, rows: int) -> None:
    """Raise Broken unless each match is stored once."""
    if sorted(digests(database)) != list(range(1, rows + 1)):
        raise Broken("a match is missing")


def pauses(folder: Path) -> dict[str, object]:
    """Return how often the run reported a pause and its end."""
    text = said(folder)
    return {"pauses said": text.count("paused: "), "resumed said": text.count("resumed: ")}


def tourney(*words: str) -> list[str]:
    """Return a command line of Tourney's."""
    return [sys.executable, "-m", "tourney", *words]


def said(folder: Path) -> str:
    """Return the standard error of all runs."""
    return (folder / "said.txt").read_text("utf-8", "replace")


def stored(database: Path) -> int:
    """Return the number of stored matches."""
    return len(_query(database, "SELECT id FROM match"))


def digests(database: Path) -> dict[int, str]:
    """Return the digests of the stored records by match number."""
    return dict(_query(database, "SELECT number, digest FROM match JOIN schedule USING (id)"))


def _query(database: Path, query: str) -> list[tuple[int, str]]:
    if not database.exists():
        return []
    with closing(sqlite3.connect(f"file:{database}?mode=rw", uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


def lines(spool: Path) -> int:
    """Return the number of results in a spool."""
    with suppress(OSError):
        return max(0, spool.read_bytes().partition(b"\0")[0].count(b"\n") - 1)
    return 0


def main() -> int:
    """Soak, and print the figures as JSON lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="number of kills; default: %(default)s")
    parser.add_argument("--games", type=int, default=40, help="default: %(default)s")
    parser.add_argument(
        "--seed", type=int, default=5, help="seed of the kills' moments; default: %(default)s"
    )
    parser.add_argument("--only", default="kills,memory,disk,writer", help="parts; default: %(default)s")
    parser.add_argument("--keep", type=Path, help="work in this folder and keep it")
    chosen = parser.parse_args()
    parts: dict[str, Callable[[Path], dict[str, object]]] = {
        "kills": lambda folder: kills(folder, chosen.kills, chosen.seed, chosen.games),
        "memory": lambda folder: memory(folder, max(200, 5 * chosen.games)),
        "disk": lambda folder: disk(folder, max(8, chosen.games // 8 * 2)),
        "writer": lambda folder: writer(folder, max(2, chosen.games // 8 * 2)),
    }
    if unknown := set(chosen.only.split(",")) - set(parts):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; the parts are: {', '.join(parts)}")
    failed = False
    with tempfile.TemporaryDirectory(prefix="tourney-soak-") as name:
        base = (chosen.keep or Path(name)).resolve()
        for part in chosen.only.split(","):
            if part == "disk" and not can_mount():
                print(json.dumps({"part": part, "skipped": "no tmpfs can be mounted here (it needs root)"}))
                continue
            try:
                figures = parts[part](base / part)
            except Broken as error:
                failed = True
                figures = {"FAILED": str(error)}
            print(json.dumps({"part": part, **figures}), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
