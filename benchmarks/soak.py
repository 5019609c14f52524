"""Soak test: bad bots among good ones, a runner that is killed often, a full disk, a second writer.

It is one file because all parts share the runner that is killed and what must hold after it.

    python -m benchmarks.soak parts [--kills 50] [--seed 5] [--only kills --only memory ...] [--keep DIR]
    python -m benchmarks.soak formats [--only swiss --only pods] [--keep DIR]
    python -m benchmarks.soak roots [--kills 20] [--seed 5] [--server URL]

``parts``: every part prints its figures; the exit code is 1 if a check fails. The checks: each match is
stored once, no stored match is lost or changed, ``tourney verify --all`` and ``tourney db check`` hold, no
process outlives its runner, and the runner's memory stays flat. The seed determines the moments of the kills:
half of them by the number of stored matches, half by the time since the start. The full disk is a small
tmpfs, so that part needs root and is skipped without it.

``formats`` plays every format with one worker, with two, and killed twice. These are real runs of real bots:
one crashes, and one never starts, so that it is benched. A third waits for permission to play, so that the
kills come halfway. The records' digests, the standings, the ratings and every file of the report must be
equal; otherwise the exit code is 1.

``roots`` plays a Swiss of shell bots, one of which crashes, with 1, 2 and 5 workers, on PostgreSQL (--server:
the URL of an empty database), and in a run that gets SIGKILL each time it has stored a few more matches. It
prints a table of the roots; the exit code is 1 if they differ, or if `tourney verify --all --root` does not
hold for one of them.
"""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import click

from benchmarks.common import described, run, tree_of
from tests.support.processes import alive
from tourney.seeds import stream
from tourney.store.database import Database

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
        """The number of stored matches, and record the memory."""
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
        _, *processes = tree_of(self.process.pid)
        self.process.kill()
        self.process.wait()
        end = time.monotonic() + PATIENCE
        while left := [process for process in processes if alive(process)] or below(self.folder):
            if time.monotonic() > end:
                raise Broken(f"left alive after the runner was killed: {left}")
            time.sleep(0.01)

    def finish(self) -> int:
        """Wait for the end of the run; return its exit code."""
        while self.process.poll() is None:
            self.look()
            time.sleep(0.05)
        return self.process.returncode


def kills(folder: Path, games: int, count: int, seed: int) -> dict[str, object]:
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
    with Database.open(str(database)) as repository:
        void = repository.schedules.progress(repository.tournaments.get().id).void
    return {"faults": faults, "void": void, "verify --all and db check": "hold"}


def whole(database: Path, rows: int) -> None:
    """Raise Broken unless each match is stored once."""
    if sorted(digests(database)) != list(range(1, rows + 1)):
        raise Broken("a match is missing")


def pauses(folder: Path) -> dict[str, object]:
    """How often the run reported a pause and its end."""
    text = said(folder)
    return {"pauses said": text.count("paused: "), "resumed said": text.count("resumed: ")}


def tourney(*words: str) -> list[str]:
    """A command line of Tourney's."""
    return [sys.executable, "-m", "tourney", *words]


def said(folder: Path) -> str:
    """The standard error of all runs."""
    return (folder / "said.txt").read_text("utf-8", "replace")


def stored(database: Path) -> int:
    """The number of stored matches."""
    return len(_query(database, "SELECT id FROM match"))


def digests(database: Path) -> dict[int, str]:
    """The digests of the stored records by match number."""
    return dict(_query(database, "SELECT number, digest FROM match JOIN schedule USING (id)"))


def _query(database: Path, query: str) -> list[tuple[int, str]]:
    if not database.exists():
        return []
    with closing(sqlite3.connect(f"file:{database}?mode=rw", uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


def lines(spool: Path) -> int:
    """The number of results in a spool."""
    with suppress(OSError):
        return max(0, spool.read_bytes().partition(b"\0")[0].count(b"\n") - 1)
    return 0


# -- the machine --------------------------------------------------------------------------------------------


def fill(folder: Path) -> None:
    """Fill the disk of a folder."""
    with (folder / "ballast").open("wb", buffering=0) as file, suppress(OSError):
        for size in (1 << 16, 1 << 10, 1):
            with suppress(OSError):
                while file.write(b"x" * size):
                    pass


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """Mount a small tmpfs."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def can_mount() -> bool:
    """Whether a small disk can be made here."""
    with tempfile.TemporaryDirectory() as name:
        try:
            with mounted(Path(name)):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def below(folder: Path) -> list[int]:
    """The processes that work in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if path.readlink().is_relative_to(folder):
                found.append(int(path.parent.name))
    return found


PARTS: dict[str, Callable[[Path, int, int, int], dict[str, object]]] = {
    "kills": kills,
    "memory": lambda folder, games, _kills, _seed: memory(folder, max(200, 5 * games)),
    "disk": lambda folder, games, _kills, _seed: disk(folder, max(8, games // 8 * 2)),
    "writer": lambda folder, games, _kills, _seed: writer(folder, max(2, games // 8 * 2)),
}


def show_parts(parts: dict[str, Callable[[Path], dict[str, object]]], keep: Path | None) -> None:
    """Play parts in folders of their own, print their figures as JSON, and exit with 1 if one is broken."""
    failed = False
    with tempfile.TemporaryDirectory(prefix="tourney-soak-") as name:
        base = (keep or Path(name)).resolve()
        for part, play in parts.items():
            try:
                figures = play(base / part)
            except Broken as error:
                failed = True
                figures = {"FAILED": str(error)}
            print(json.dumps({"part": part, **figures}), flush=True)
    sys.exit(failed)


# The same results in every way to run

GATED = """#!/bin/sh
# The store keeps this file four folders below the tournament's own.
home=../../../..
admitted() {
    [ -e $home/open ] && return
    for ticket in $home/tickets/*; do
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
                if ! admitted; then
                    : >$home/waiting/$$
                    until admitted; do sleep 0.05; done
                    rm $home/waiting/$$
                fi
            fi
            echo "move $action";;
        quit) exit 0;;
    esac
done
"""
"""Plays the first legal action, as ``first`` does, once it has taken a ticket."""
FORMATS = {
    "round-robin": ("round-robin", 2, 4, ""),
    "round-robin-of-4": ("round-robin", 4, 8, ""),
    "swiss": ("swiss", 2, 4, "rounds = 5"),
    "pods": ("swiss", 4, 12, "rounds = 3"),
    "gauntlet": ("gauntlet", 2, 12, ""),
    "knockout": ("knockout", 2, 6, "third-place = true"),
    "adaptive": ("adaptive", 2, 4, "budget = 64\nbatch = 4"),
}
"""Format, seats, games per pairing, and further lines of the tournament file."""
ROOTS = """name = "roots"
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


def three_ways(folder: Path, name: str) -> dict[str, object]:
    """Play a format in three ways; return the figures. Raises Broken if the results differ."""
    began = time.monotonic()
    found = {}
    at: list[int] = []
    for way, workers in (("one-worker", 1), ("two-workers", 2), ("killed", 2)):
        place = folder / way
        write_format(place, *FORMATS[name])
        database, words = place / "soak.db", ("--workers", str(workers))
        if way == "killed":
            at = [stored_at_kill(Runner(place, database, words), count) for count in (3, 6)]
        (place / "open").touch()
        if Runner(place, database, words).finish():
            raise Broken(f"{way}: the run failed: {said(place)}")
        found[way] = published(place, database)
        sound(place, database)
    first, *others = found.values()
    if differ := [what for what in first if any(other.get(what) != first[what] for other in others)]:
        raise Broken(f"not the same: {differ}")
    return {
        "matches": len(digests(database)),
        "stored when killed": at,
        "files of the report": len(first) - 3,
        "seconds": round(time.monotonic() - began, 1),
        **{key: value for key, value in sound(place, database).items() if key in {"faults", "void"}},
    }


def stored_at_kill(runner: Runner, count: int) -> int:
    """Kill a run when its gated bot has used ``count`` tickets and waits again; return what is stored."""
    waiting = runner.folder / "waiting"
    tickets = runner.folder / "tickets"
    for path in waiting.iterdir():
        path.unlink()
    for number in range(count):
        (tickets / str(number)).touch()
    before = stored(runner.database)

    def halfway() -> bool:
        return not any(tickets.iterdir()) and any(waiting.iterdir()) and stored(runner.database) > before

    if not runner.wait(halfway):
        raise Broken(f"the run ended before it was killed: {said(runner.folder)}")
    found = stored(runner.database)
    runner.kill()
    return found


def write_format(folder: Path, format_: str, seats: int, games: int, more: str) -> None:
    """Write a tournament of a format, in which a bot crashes and another never starts."""
    write(folder, 2, ("first", "last", "crash", "nostart"))
    (folder / "first").write_text(GATED, encoding="ascii")
    for name in ("tickets", "waiting"):
        (folder / name).mkdir()
    lines = [f'name = "{NAME}"', 'game = "sage-stones"', f'format = "{format_}"', f"seats = {seats}"]
    lines += ["seed = 5", more, "opening-plies = 4", f"games-per-pairing = {games}"]
    lines += ['bots = ["./first", "./last", "./crash", "./nostart"]']
    for name in ("last-again", "last-once-more"):
        lines += ["[[entrant]]", 'bot = "./last"', f'name = "{name}"']
    lines += ["[options]", "stones = 5", "[limits]", "move-ms = 3600000", "[run]", 'sandbox = "off"']
    (folder / "soak.toml").write_text("\n".join(lines) + "\n", encoding="ascii")


def published(folder: Path, database: Path) -> dict[str, object]:
    """The results of a tournament: records' digests, tables, and each file of the report."""
    found: dict[str, object] = {"digests": digests(database)}
    for words in (("standings", "--format", "json"), ("ratings", "--format", "json")):
        found[words[0]] = output(folder, database, *words)
    output(folder, database, "report", "--no-measured", "--out", str(folder / "report"))
    for path in sorted((folder / "report").rglob("*")):
        if path.is_file():
            found[f"report/{path.relative_to(folder / 'report')}"] = path.read_bytes()
    return found


def output(folder: Path, database: Path, *words: str) -> bytes:
    """Run one of Tourney's commands; return what it prints."""
    done = subprocess.run(
        tourney(*words, "--db", str(database)), cwd=folder, capture_output=True, check=False
    )
    if done.returncode:
        raise Broken(f"tourney {' '.join(words)}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout


# -- roots --------------------------------------------------------------------------------------------------


def write_roots(folder: Path) -> None:
    """Write the Swiss and its bots."""
    folder.mkdir()
    for name in ("first", "last", "crash"):
        (folder / name).write_text(BOTS[name], encoding="ascii")
        (folder / name).chmod(0o755)
    (folder / "roots.toml").write_text(ROOTS, encoding="ascii")


def run_words(workers: int, url: str) -> list[str]:
    """The command of a run."""
    return tourney("run", "roots.toml", "--workers", str(workers), "--cpus", "0", "--db", url, "-q")


def finish(folder: Path, workers: int, url: str = "tourney.db") -> str:
    """Run to the end, verify the database by its root, and return the root."""
    subprocess.run(run_words(workers, url), cwd=folder, check=True)
    words = tourney("status", "--db", url, "--format", "json")
    status = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    root: str = json.loads(status.stdout)["tournaments"][0]["root"]
    words = tourney("verify", "--all", "--root", root, "--db", url)
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return root


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
        process.kill()
        process.wait()
        done += 1
    return finish(folder, 2), done


# Commands


@click.group(help=described(__doc__))
def main() -> None:
    """Run in several ways."""


@main.command("formats")
@click.option("--only", multiple=True, default=FORMATS, type=click.Choice(list(FORMATS)))
@click.option("--keep", type=click.Path(path_type=Path), help="Work in this folder, and leave all there.")
def formats_command(only: tuple[str, ...], keep: Path | None) -> None:
    """Play formats in three ways, and print the figures as JSON lines."""
    show_parts({name: lambda folder, name=name: three_ways(folder, name) for name in only}, keep)  # type: ignore[misc]  # bound at once


@main.command("roots")
@click.option("--kills", default=20, show_default=True)
@click.option("--seed", default=5, show_default=True)
@click.option("--server", metavar="URL", help="An empty database on PostgreSQL.")
def roots_command(kills: int, seed: int, server: str | None) -> None:
    """Play a Swiss in several ways, and print its roots."""
    roots = {}
    with tempfile.TemporaryDirectory() as where:
        for workers in (1, 2, 5):
            folder = Path(where) / str(workers)
            write_roots(folder)
            roots[f"{workers} worker{'s' * (workers > 1)}"] = finish(folder, workers)
        if server:
            folder = Path(where) / "server"
            write_roots(folder)
            roots["2 workers, PostgreSQL"] = finish(folder, 2, server)
        folder = Path(where) / "killed"
        write_roots(folder)
        root, done = killed(folder, kills, seed)
        roots[f"2 workers, {done} kills"] = root
        print(f"{stored(folder / 'tourney.db')} matches")
    for way, root in roots.items():
        print(f"{way:24} {root}")
    sys.exit(len(set(roots.values())) != 1)


@main.command("parts")
@click.option("--kills", default=50, show_default=True, help="Number of kills.")
@click.option("--games", default=40, show_default=True, help="Games of a pairing.")
@click.option("--seed", default=5, show_default=True, help="Seed of the kills' moments.")
@click.option("--only", multiple=True, default=PARTS, type=click.Choice(list(PARTS)), help="Parts.")
@click.option("--keep", type=click.Path(path_type=Path), help="Work in this folder and keep it.")
def parts_command(kills: int, games: int, seed: int, only: tuple[str, ...], keep: Path | None) -> None:
    """Soak, and print the figures as JSON lines."""
    skipped = "disk" in only and not can_mount()
    if skipped:
        print(json.dumps({"part": "disk", "skipped": "no tmpfs can be mounted here (it needs root)"}))
    show_parts(
        {
            name: lambda folder, part=PARTS[name]: part(folder, games, kills, seed)  # type: ignore[misc]  # bound at once
            for name in only
            if not (name == "disk" and skipped)
        },
        keep,
    )


if __name__ == "__main__":
    run(main)
