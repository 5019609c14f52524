"""Cost of a database of many matches: time, bytes and memory, at several sizes side by side.

It is one file because every step reads the database that the first one fills.

    python -m benchmarks.store [--matches 10000 --matches 100000 --matches 1000000] [--actions 60] [--log]
                               [--postgres | --server URL] [--steps NAME,...] [--verify 10000]
                               [--folder DIR] [--keep]

For each size a round-robin of 50 bots is filled with --matches or more matches of about --actions actions.
The first --verify matches are random matches of Sage Stones, played by the referee; the others repeat the
actions and results of --distinct such matches under seeds and entrants of their own. So these do not have the
dice of their seeds, and only the first ones can be verified. With --log, bots report score, depth and
nodes with each action. Then each step that reads the whole database runs in a process of its own; its peak
of memory is printed too.

Databases are SQLite files; with --postgres they are on a PostgreSQL server that is started for it on
loopback, and with --server on one that runs (any database of it; its user may create others, which are
dropped at the end). With --folder and --keep they stay, and a later call fills only what is missing in them:
so --steps can be measured one by one, and a call that was killed can be continued.

Prints each row as it is known, then the table: a row a step and a column a size. "Bulk" stores batches of
1,000 matches, "one by one" waits for each to be on the disk. What grows faster than the matches is marked.
"""

import itertools
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import click
import sqlalchemy as sa

from benchmarks.common import Play, begin, cost_of, described, head, machine, random_plays, results, row, run
from tests.report.browser import BROWSER, chromium
from tourney.check.root import keep_root
from tourney.check.tournament import TournamentVerifier
from tourney.errors import TourneyError
from tourney.games.registry import find_game
from tourney.results.standings import compute_standings
from tourney.spawning import Pool, default_processes
from tourney.store.database import Database
from tourney.store.engine import parse_url
from tourney.store.values import Tournament

# Where databases are: files in a folder, or on a PostgreSQL server

STOP_SECONDS = 60
_OWNER = "postgres"
"""PostgreSQL refuses to run as root; Debian makes this user."""


class Place(Protocol):
    """Databases by name."""

    name: str

    def url(self, name: str) -> str:
        """The URL of a database; it is made, empty, if the server lacks it."""

    def drop(self, name: str) -> None:
        """Remove a database; there may be none."""

    def size(self, name: str) -> int:
        """The bytes of the tables and indexes of a database, 0 if there is none."""


class Files:
    """SQLite files in a folder."""

    name = "SQLite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def url(self, name: str) -> str:
        """The file's path; Tourney makes the file."""
        return str(self._folder / f"{name}.db")

    def drop(self, name: str) -> None:
        """Remove the file and what SQLite keeps beside it."""
        for ending in ("", "-wal", "-shm"):
            Path(self.url(name) + ending).unlink(missing_ok=True)

    def size(self, name: str) -> int:
        """The size of the file."""
        path = Path(self.url(name))
        return path.stat().st_size if path.exists() else 0


class Server:
    """Databases on a PostgreSQL server; the URL is of any database there, of a user that may create more."""

    name = "PostgreSQL"

    def __init__(self, url: str) -> None:
        self._url = parse_url(url)
        self._engine = sa.create_engine(self._url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def url(self, name: str) -> str:
        """The URL of the database, which is created if it is missing."""
        with self._engine.connect() as connection:
            found = connection.execute(
                sa.text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": _named(name)}
            )
            if found.first() is None:
                connection.execute(sa.text(f"CREATE DATABASE {_named(name)}"))
        return self._url.set(database=_named(name)).render_as_string(hide_password=False)

    def drop(self, name: str) -> None:
        """Drop the database."""
        with self._engine.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE IF EXISTS {_named(name)} WITH (FORCE)"))

    def size(self, name: str) -> int:
        """The sum over all tables, with their indexes and large values that are stored separately (TOAST)."""
        engine = sa.create_engine(self.url(name), poolclass=sa.NullPool)
        query = "SELECT coalesce(sum(pg_total_relation_size(relid)), 0) FROM pg_stat_user_tables"
        with engine.connect() as connection:
            return int(connection.execute(sa.text(query)).scalar_one())


def _named(name: str) -> str:
    return f"tourney_bench_{name}".replace("-", "_")


@contextmanager
def throw_away_server(folder: Path | None) -> Iterator[str]:
    """Start a PostgreSQL server on loopback with its own settings, and remove it at the end; yield its URL.

    It syncs each transaction to the disk. Raises SystemExit if PostgreSQL is not installed.
    """
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        raise SystemExit("PostgreSQL is not installed: apt-get install postgresql, or give --server URL")
    home = Path(tempfile.mkdtemp(prefix="tourney-postgres-", dir=folder))
    owner = ["runuser", "-u", _OWNER, "--"] if os.geteuid() == 0 else []
    if owner:
        shutil.chown(home, _OWNER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = home / "data"

    def program(name: str, *words: str) -> None:
        command = [*owner, str(Path(initdb).with_name(name)), "-D", str(data), *words]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL)

    def control(*words: str) -> None:
        program("pg_ctl", "-w", "-t", str(STOP_SECONDS), *words)

    try:
        program("initdb", "-U", "tourney", "-A", "trust", "-E", "UTF8", "--locale=C")
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home}"
        control("-l", str(home / "log"), "-o", settings, "start")
        yield f"postgresql+psycopg://tourney@127.0.0.1:{port}/postgres"
    finally:
        if (data / "postmaster.pid").exists():
            control("-m", "fast", "stop")
        shutil.rmtree(home, ignore_errors=True)


# Steps

GAME = "sage-stones"
OPTIONS = {"stones": "8"}
"""With these a random match has about 60 actions."""
ENTRANTS = 50
SIZES = (10_000, 100_000, 1_000_000)
BULK = 1_000
SINGLE = 500
"""Matches that are stored one by one."""
SAID = 100_000
"""Matches between two lines on the progress of filling."""
SLOWER = 1.5
"""A step that takes more time a match than this many times that of the size before is marked."""
LEAST_SECONDS = 0.5
"""Steps that take less than this are not marked: a command takes that to start."""


@dataclass
class SizeFigures:
    """The figures of one size, by row: seconds, or another figure as text."""

    matches: int
    seconds: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def took(self, name: str, seconds: float, text: str) -> None:
        """Keep the seconds of a step, and its text."""
        self.seconds[name] = seconds
        self.say(name, text)

    def say(self, name: str, text: str) -> None:
        """Keep a figure, and print it at once."""
        self.texts[name] = text
        print(f"{self.matches:,}: {name}: {text}", flush=True)


@dataclass(frozen=True)
class Job:
    """A filled database to be measured; ``folder`` is for the files of its steps."""

    place: Place
    name: str
    folder: Path
    figures: SizeFigures
    verified: int

    @property
    def url(self) -> str:
        """The URL of the database."""
        return self.place.url(self.name)

    def command(self, name: str, *words: str, db: str | None = None) -> None:
        """Run a command of Tourney and keep its seconds and memory."""
        cost = cost_of([sys.executable, "-m", "tourney", *words, "--db", db or self.url])
        self.figures.took(name, cost.seconds, f"{cost.seconds:.1f} s, {cost.memory / 2**20:,.0f} MB")

    def alone(self, name: str, step: Callable[..., int], *values: int) -> tuple[int, float]:
        """Call a step with the open database in a process of its own; return its count and seconds."""
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            count, seconds, memory = pool.submit(timed, step, self.url, *values).result()
        self.figures.took(name, seconds, f"{seconds:.2f} s, {memory / 2**20:,.0f} MB")
        return count, seconds


def timed(step: Callable[..., int], url: str, *values: int) -> tuple[int, float, int]:
    """The count of a step over a database, its seconds, and the peak of this process in bytes."""
    with Database.open(url) as opened, opened.snapshot() as repository:
        start = time.perf_counter()
        count = step(repository, repository.tournaments.get(), *values)
        seconds = time.perf_counter() - start
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return count, seconds, int(found[1]) * 1024 if found else 0


def fill(url: str, matches: int, plays: list[Play], figures: SizeFigures, real: int, *, log: bool) -> None:
    """Store all matches that a database lacks, and measure how quickly it takes them."""
    bulk, single, singles, stored = 0.0, 0.0, 0, 0
    with Database.open(url, create=True) as repository:
        if repository.tournaments.all():
            tournament = repository.tournaments.get()
        else:
            start = time.perf_counter()
            tournament = begin(repository, find_game(GAME), matches, ENTRANTS, OPTIONS)
            seconds = time.perf_counter() - start
            figures.took("rows of the schedule drawn and stored", seconds, f"{seconds:.1f} s")
        counts = repository.schedules.progress(tournament.id)
        figures.matches = counts.rows
        found = results(repository, tournament, plays, real, log=log)
        for item in itertools.islice(found, SINGLE if counts.done < SINGLE else 0):
            start = time.perf_counter()
            repository.matches.add(tournament.id, [item])
            single += time.perf_counter() - start
            singles += 1
        while chunk := list(itertools.islice(found, BULK)):
            start = time.perf_counter()
            repository.matches.add(tournament.id, chunk)
            bulk += time.perf_counter() - start
            stored += len(chunk)
            if stored % SAID == 0:
                print(f"{figures.matches:,}: {stored:,} stored, {stored / bulk:,.0f} a second", flush=True)
        keep_root(repository, tournament.id)
    if singles:
        all_singly = single / singles * figures.matches
        figures.took("stored one by one", all_singly, f"{singles / single:,.0f} a second")
    if stored and not counts.done:  # not of the rest alone of a database that was kept
        figures.took("stored in bulk", bulk, f"{stored / bulk:,.0f} a second")


# -- steps --------------------------------------------------------------------------------------------------


def count_standings(repository: Database, tournament: Tournament) -> int:
    """Compute the standings, for which all results are counted."""
    return len(compute_standings(repository, tournament.id))


def read_match(repository: Database, tournament: Tournament) -> int:
    """Read a match in the middle, as `show` does."""
    middle = repository.schedules.progress(tournament.id).rows // 2
    return len(
        repository.records.get(tournament.id, repository.matches.get(tournament.id, middle).number).actions
    )


def read_entrant(repository: Database, tournament: Tournament) -> int:
    """Read the matches of a bot."""
    return sum(1 for _ in repository.matches.all(tournament.id, entrant=7))


def read_results(repository: Database, tournament: Tournament) -> int:
    """Read all results, as ratings do."""
    return sum(1 for _ in repository.matches.results(tournament.id))


def verify_some(repository: Database, tournament: Tournament, most: int) -> int:
    """Verify the first matches, as `verify --all` does, and return how many.

    The rest of the database, which is not verified, only makes each of them slower to find.
    """
    verifier = TournamentVerifier(repository, tournament)
    count = 0
    with Pool(default_processes(), "verifies matches", 1) as pool:
        for number, findings in itertools.islice(verifier.matches(pool), most):
            if findings:
                raise SystemExit(f"match {number} does not hold")
            count += 1
    return count


def reads(job: Job) -> None:
    """Measure the queries that commands and reports consist of."""
    job.alone("standings, counted", count_standings)
    job.alone("a match in the middle, read", read_match)
    job.alone("matches of one bot, read", read_entrant)
    job.alone("all results, read", read_results)


def tables(job: Job) -> None:
    """Measure the commands that print tables."""
    for words in (("status",), ("standings",), ("ratings",), ("ratings", "--method", "trueskill")):
        job.command(f"tourney {' '.join(words)}", *words)


def verification(job: Job) -> None:
    """Measure verification of some matches, and of the root, which depends on all digests."""
    count, seconds = job.alone(f"the first {job.verified:,} matches, verified", verify_some, job.verified)
    job.figures.say("verified", f"{count / seconds:,.0f} matches a second")
    with Database.open(job.url) as repository:
        root = repository.tournaments.get().root
    job.command("tourney verify --root", "verify", "--root", str(root))


def report(job: Job) -> None:
    """Measure the report without pages of matches, and the filters of its list in a browser."""
    out = job.folder / f"report-{job.name}"
    job.command("tourney report --match-pages 0", "report", "--match-pages", "0", "--out", str(out))
    files = [path for path in out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    job.figures.say("the report", f"{len(files):,} files, {size / 2**20:,.0f} MB")
    for name, milliseconds in filters(out).items():
        job.figures.took(f"filters of the report: {name}", milliseconds / 1000, f"{milliseconds:,.0f} ms")
    shutil.rmtree(out)


FILTERS = """
const form = document.querySelector("form.filter"), found = {};
function timed(name, change) {
  const start = performance.now();
  change(form.elements);
  form.dispatchEvent(new Event("input"));
  found[name] = performance.now() - start;
}
timed("one bot", fields => { fields.bot.selectedIndex = 8; });
timed("and an opponent", fields => { fields.opponent.selectedIndex = 3; });
timed("the first word", fields => { form.reset(); fields.text.value = "bot-07"; });
timed("the next word", fields => { fields.text.value = "bot-07 1234"; });
const said = document.createElement("pre");
said.id = "timed";
said.textContent = JSON.stringify(found);
document.body.appendChild(said);
"""
"""What a reader does with the list of matches; the times of the page's script in milliseconds."""


def filters(out: Path) -> dict[str, float]:
    """The milliseconds that filters of a report's list take in Chromium; nothing without one."""
    if BROWSER is None:
        return {}
    page = out / "timed.html"
    text = (out / "matches.html").read_text("utf-8")
    page.write_text(text.replace("</body>", f"<script>{FILTERS}</script></body>"), "utf-8")
    with tempfile.TemporaryDirectory(prefix="tourney-profile-") as profile:
        done = chromium("--dump-dom", f"file://{page}", profile=Path(profile), width=1200)
    found = re.search(r'<pre id="timed">(.*?)</pre>', done.stdout)
    if found is None:
        raise SystemExit(f"the list of matches did not open: {done.stderr[-500:]}")
    times: dict[str, float] = json.loads(found[1])
    return times


def check(job: Job) -> None:
    """Measure `db check`, which reads each row of each table."""
    job.command("tourney db check", "db", "check")


def exchange(job: Job) -> None:
    """Measure export and import, and merging with a database that has all of it or nothing."""
    out = job.folder / f"export-{job.name}.jsonl.zst"
    job.command("tourney export (.zst)", "export", "--what", "tournament", "--measured", "--out", str(out))
    job.figures.say("bytes a match, exported", f"{out.stat().st_size / job.figures.matches:,.0f}")
    copy = f"{job.name}-copy"
    for name, words in (
        ("tourney import", ("import", str(out))),
        ("tourney db merge into an empty database", ("db", "merge", job.url)),
    ):
        job.place.drop(copy)
        target = job.place.url(copy)
        Database.open(target, create=True).close()
        job.command(name, *words, db=target)
    job.command("tourney db merge, all is there already", "db", "merge", target)
    job.place.drop(copy)
    out.unlink()


def archive(job: Job) -> None:
    """Measure archiving and the way back, after which all is as before."""
    out = job.folder / f"archive-{job.name}.jsonl.zst"
    out.unlink(missing_ok=True)
    before = job.place.size(job.name)
    job.command("tourney db archive", "db", "archive", "--out", str(out))
    for what, size in (("before", before), ("after", job.place.size(job.name))):
        job.figures.say(f"bytes a match {what} archiving", f"{size / job.figures.matches:,.0f}")
    job.figures.say("bytes a match in the archive", f"{out.stat().st_size / job.figures.matches:,.0f}")
    job.command("tourney db unarchive", "db", "unarchive", str(out))
    out.unlink()


STEPS: dict[str, Callable[[Job], None]] = {
    "reads": reads,
    "tables": tables,
    "verify": verification,
    "report": report,
    "check": check,
    "exchange": exchange,
    "archive": archive,
}


def show(sizes: Sequence[SizeFigures]) -> None:
    """Print the table."""
    head("matches", *(f"{size.matches:,}" for size in sizes))
    for name in dict.fromkeys(name for size in sizes for name in size.texts):
        cells = []
        for before, size in zip([None, *sizes], sizes, strict=False):
            text = size.texts.get(name, "")
            if before is not None and name in before.seconds and name in size.seconds:
                growth = size.seconds[name] / size.matches * before.matches / before.seconds[name]
                fast = size.seconds[name] < LEAST_SECONDS
                text += f" (!, {growth:.1f} times a match)" if growth > SLOWER and not fast else ""
            cells.append(text)
        row(name, *cells)


def steps_of(_context: object, _parameter: object, text: str) -> list[str]:
    """The steps that a list names. Raises click.BadParameter."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in STEPS:
            raise click.BadParameter(f"{name!r} is not a step: there are {', '.join(STEPS)}")
    return names


@click.command(help=described(__doc__))
@click.option("--matches", type=int, multiple=True, default=SIZES, show_default=True)
@click.option("--actions", default=60, show_default=True)
@click.option("--distinct", default=500, show_default=True)
@click.option("--log", is_flag=True, help="Bots report score, depth and nodes.")
@click.option("--postgres", is_flag=True, help="Start a PostgreSQL server and measure there.")
@click.option("--server", metavar="URL", help="A PostgreSQL server to measure on.")
@click.option("--steps", default=",".join(STEPS), show_default=True, callback=steps_of, help="'': fill only.")
@click.option("--verify", default=10_000, show_default=True, help="Matches to verify, from the first on.")
@click.option("--folder", type=click.Path(path_type=Path), help="For databases; default: a new one, removed.")
@click.option("--keep", is_flag=True, help="Leave the databases; needs --folder or --server.")
def main(
    matches: tuple[int, ...],
    actions: int,
    distinct: int,
    log: bool,
    postgres: bool,
    server: str | None,
    steps: list[str],
    verify: int,
    folder: Path | None,
    keep: bool,
) -> None:
    """Measure the sizes asked for and print the table."""
    if postgres and server:
        raise click.UsageError("--postgres and --server do not go together")
    if keep and (postgres or not (folder or server)):
        raise click.UsageError("--keep needs --folder or --server; a server of --postgres is always removed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server ends too
    with ExitStack() as stack:
        home = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tourney-store-")))
        home.mkdir(parents=True, exist_ok=True)
        url = stack.enter_context(throw_away_server(folder)) if postgres else server
        place: Place = Server(url) if url else Files(home)
        plays = random_plays(find_game(GAME), distinct, actions, OPTIONS)
        sizes = []
        for count in matches:
            job = Job(place, str(count), home, SizeFigures(count), verify)
            try:
                fill(job.url, count, plays, job.figures, verify, log=log)
                each = place.size(job.name) / job.figures.matches
                job.figures.say("bytes a match", f"{each:,.0f}")
                for name in steps:
                    STEPS[name](job)
            except (TourneyError, subprocess.SubprocessError) as error:
                raise SystemExit(f"a step failed: {error}") from error
            finally:
                if not keep:
                    place.drop(job.name)
            sizes.append(job.figures)
        print(f"\n{place.name}; {machine()}\n")
        show(sizes)


if __name__ == "__main__":
    run(main)
