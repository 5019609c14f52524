"""What a database of many matches costs: time, bytes and memory, at several sizes side by side.

    python -m benchmarks.store [--matches 10000 --matches 100000 --matches 1000000] [--actions 60] [--log]
                               [--postgres | --server URL] [--steps NAME,...] [--verify 10000]
                               [--folder DIR] [--keep]

For each size a round-robin of 50 bots is filled with at least so many matches of about --actions actions. The
first --verify matches are random matches of Sage Stones, played by the referee; the others repeat the actions
and results of --distinct such matches, which were played before, under seeds and entrants of their own. So
these do not have the dice of their seeds, and only the first ones can be verified. With --log, bots report
score, depth and nodes with each action. Then whatever reads the whole database runs, each in a process of its
own, with its peak of memory.

Databases are SQLite files; with --postgres they are on a PostgreSQL server that is started for it on
loopback, and with --server on one that runs (any database of it; its user may create others, which are
dropped at the end). With --folder and --keep they stay, and a later call fills only what is missing in them:
so --steps can be measured one by one, and a call that was killed goes on.

Prints each row as it is known, then the table: a row a step and a column a size. "Bulk" stores batches of
1,000 matches, "one by one" waits for each to be on the disk. What grows faster than the matches is marked.
"""

import argparse
import itertools
import json
import multiprocessing
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.report import Play, begin, log_of, measure, measurements, play_randomly, random_plays
from benchmarks.store_places import Files, Place, Server, throw_away_server
from tests.report.browser import BROWSER, chromium
from tourney.errors import TourneyError
from tourney.games.registry import find_game
from tourney.match.record import write_record
from tourney.match.result import PlayedMatch
from tourney.pool import Pool, default_processes
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.run.engine.verification import TournamentVerifier
from tourney.store.importing import keep_root
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, Tournament

GAME = "sage-stones"
OPTIONS = {"stones": "8"}
"""With these a random match has 60 actions or so."""
ENTRANTS = 50
SIZES = (10_000, 100_000, 1_000_000)
DISTINCT = 500
BULK = 1_000
SINGLE = 500
"""Matches that are stored one by one."""
SAID = 100_000
"""Matches between two lines on the progress of filling."""
VERIFIED = 10_000
SLOWER = 1.5
"""A step that takes more time a match than this many times that of the size before is marked."""
LEAST_SECONDS = 0.5
"""Steps that take less than this are not marked: a command takes that to start."""


@dataclass
class Column:
    """The figures of one size, by row: seconds, or another figure as text."""

    matches: int
    seconds: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def took(self, row: str, seconds: float, text: str) -> None:
        """Keep what a step took, and its text."""
        self.seconds[row] = seconds
        self.say(row, text)

    def say(self, row: str, text: str) -> None:
        """Keep a figure, and print it at once."""
        self.texts[row] = text
        print(f"{self.matches:,}: {row}: {text}", flush=True)


@dataclass(frozen=True)
class Job:
    """A filled database to be measured; ``folder`` is for the files of its steps."""

    place: Place
    name: str
    folder: Path
    column: Column
    verified: int

    @property
    def url(self) -> str:
        """The URL of the database."""
        return self.place.url(self.name)

    def command(self, row: str, *words: str, db: str | None = None) -> None:
        """Run a command of Tourney and keep its seconds and memory."""
        cost = measure([sys.executable, "-m", "tourney", *words, "--db", db or self.url])
        text = f"{cost.seconds:.1f} s, {cost.memory / 2**20:,.0f} MB"
        self.column.took(row, cost.seconds, text)

    def alone(self, row: str, step: Callable[..., int], *values: int) -> tuple[int, float]:
        """Call a step with the open database in a process of its own; return its count and seconds."""
        count, seconds, memory = in_process(timed, step, self.url, *values)
        self.column.took(row, seconds, f"{seconds:.2f} s, {memory / 2**20:,.0f} MB")
        return count, seconds


def in_process(function: Callable[..., tuple[int, float, int]], *values: object) -> tuple[int, float, int]:
    """Return what a function returns in a new process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *values).result()


def timed(step: Callable[..., int], url: str, *values: int) -> tuple[int, float, int]:
    """Return the count of a step over a database, its seconds, and the peak of this process in bytes."""
    with Repository.open(url) as opened, opened.snapshot() as repository:
        start = time.perf_counter()
        count = step(repository, repository.tournament(), *values)
        seconds = time.perf_counter() - start
    return count, seconds, peak()


def peak() -> int:
    """Return the peak of this process's memory in bytes."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def results(
    repository: Repository, tournament: Tournament, plays: list[Play], real: int, *, log: bool
) -> Iterator[MatchResult]:
    """Yield the matches of the rows that are open, as workers give them; the first ``real`` are played."""
    game = find_game(tournament.game)
    entrants = repository.entrants(tournament.id)
    for number, row in repository.pending(tournament.id):
        spec = spec_of(tournament, entrants, row)
        actions, outcome = play_randomly(game, spec) if number <= real else plays[number % len(plays)]
        text, digest = write_record(spec, game.rules, actions, outcome)
        lines = log_of(actions, number) if log else ()
        measured = measurements(actions, len(spec.seats), number)
        yield MatchResult(number, PlayedMatch.written(text, digest, outcome, len(actions), lines, measured))


def fill(url: str, matches: int, plays: list[Play], column: Column, real: int, *, log: bool) -> None:
    """Store all matches that a database lacks, and measure how quickly it takes them."""
    bulk, single, singles, stored = 0.0, 0.0, 0, 0
    with Repository.open(url, create=True) as repository:
        if repository.tournaments():
            tournament = repository.tournament()
        else:
            start = time.perf_counter()
            tournament = begin(repository, find_game(GAME), matches, ENTRANTS, OPTIONS)
            seconds = time.perf_counter() - start
            column.took("rows of the schedule drawn and stored", seconds, f"{seconds:.1f} s")
        counts = repository.progress(tournament.id)
        column.matches = counts.rows
        found = results(repository, tournament, plays, real, log=log)
        for item in itertools.islice(found, SINGLE if counts.done < SINGLE else 0):
            start = time.perf_counter()
            repository.record_results(tournament.id, [item])
            single += time.perf_counter() - start
            singles += 1
        while chunk := list(itertools.islice(found, BULK)):
            start = time.perf_counter()
            repository.record_results(tournament.id, chunk)
            bulk += time.perf_counter() - start
            stored += len(chunk)
            if stored % SAID == 0:
                print(f"{column.matches:,}: {stored:,} stored, {stored / bulk:,.0f} a second", flush=True)
        keep_root(repository, tournament.id)
    if singles:
        column.took(
            "stored one by one", single / singles * column.matches, f"{singles / single:,.0f} a second"
        )
    if stored and not counts.done:  # not of the rest alone of a database that was kept
        column.took("stored in bulk", bulk, f"{stored / bulk:,.0f} a second")


def count_standings(repository: Repository, tournament: Tournament) -> int:
    """Compute the standings from the stored totals."""
    return len(compute_standings(repository, tournament.id))


def recount_standings(repository: Repository, tournament: Tournament) -> int:
    """Compute the standings from totals that are counted anew, which must be those stored."""
    totals, different = repository.recount(tournament.id)
    if different:
        raise SystemExit(f"the stored totals are wrong: {different[0]}")
    return len(compute_standings(repository, tournament.id, totals))


def read_match(repository: Repository, tournament: Tournament) -> int:
    """Read a match in the middle, as `show` does."""
    middle = repository.progress(tournament.id).rows // 2
    return len(repository.record(tournament.id, repository.match(tournament.id, middle).number))


def read_entrant(repository: Repository, tournament: Tournament) -> int:
    """Read the matches of a bot."""
    return sum(1 for _ in repository.matches(tournament.id, entrant=7))


def read_results(repository: Repository, tournament: Tournament) -> int:
    """Read all results, as ratings do."""
    return sum(1 for _ in repository.results(tournament.id))


def verify_some(repository: Repository, tournament: Tournament, most: int) -> int:
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
    job.alone("standings, from stored totals", count_standings)
    job.alone("standings, recounted", recount_standings)
    job.alone("a match in the middle, read", read_match)
    job.alone("matches of one bot, read", read_entrant)
    job.alone("all results, read", read_results)


def tables(job: Job) -> None:
    """Measure the commands that print tables."""
    job.command("tourney status", "status")
    job.command("tourney standings", "standings")
    job.command("tourney ratings", "ratings")
    job.command("tourney ratings --method trueskill", "ratings", "--method", "trueskill")


def verification(job: Job) -> None:
    """Measure verification of some matches, and of the root, which all digests lead to."""
    row = f"the first {job.verified:,} matches, verified"
    count, seconds = job.alone(row, verify_some, job.verified)
    job.column.say("verified", f"{count / seconds:,.0f} matches a second")
    with Repository.open(job.url) as repository:
        root = repository.tournament().root
    job.command("tourney verify --root", "verify", "--root", str(root))


def report(job: Job) -> None:
    """Measure the report without pages of matches, and the filters of its list in a browser."""
    out = job.folder / f"report-{job.name}"
    job.command("tourney report --match-pages 0", "report", "--match-pages", "0", "--out", str(out))
    files = [path for path in out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    job.column.say("the report", f"{len(files):,} files, {size / 2**20:,.0f} MB")
    for name, milliseconds in filters(out).items():
        job.column.took(f"filters of the report: {name}", milliseconds / 1000, f"{milliseconds:,.0f} ms")
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
    """Return the milliseconds that filters of a report's list take in Chromium; nothing without one."""
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
    job.column.say("bytes a match, exported", f"{out.stat().st_size / job.column.matches:,.0f}")
    again = f"{job.name}-again"
    for row, words in (
        ("tourney import", ("import", str(out))),
        ("tourney db merge into an empty database", ("db", "merge", job.url)),
    ):
        job.place.drop(again)
        target = job.place.url(again)
        Repository.open(target, create=True).close()
        job.command(row, *words, db=target)
    job.command("tourney db merge, all is there already", "db", "merge", target)
    job.place.drop(again)
    out.unlink()


def archive(job: Job) -> None:
    """Measure archiving and the way back, after which all is as before."""
    out = job.folder / f"archive-{job.name}.jsonl.zst"
    out.unlink(missing_ok=True)
    before = job.place.size(job.name)
    job.command("tourney db archive", "db", "archive", "--out", str(out))
    for what, size in (("before", before), ("after", job.place.size(job.name))):
        job.column.say(f"bytes a match {what} archiving", f"{size / job.column.matches:,.0f}")
    job.column.say("bytes a match in the archive", f"{out.stat().st_size / job.column.matches:,.0f}")
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


def measure_size(
    place: Place, matches: int, plays: list[Play], folder: Path, chosen: argparse.Namespace
) -> Column:
    """Fill a database and run the steps over it."""
    column = Column(matches)
    job = Job(place, str(matches), folder, column, chosen.verify)
    fill(job.url, matches, plays, column, chosen.verify, log=chosen.log)
    column.say("bytes a match", f"{place.size(job.name) / column.matches:,.0f}")
    for name in chosen.steps:
        STEPS[name](job)
    return column


def table(columns: list[Column]) -> Iterator[str]:
    """Yield the lines of the table."""
    rows = list(dict.fromkeys(row for column in columns for row in column.texts))
    yield "| matches | " + " | ".join(f"{column.matches:,}" for column in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for row in rows:
        cells = []
        for before, column in zip([None, *columns], columns, strict=False):
            text = column.texts.get(row, "")
            if before is not None and row in before.seconds and row in column.seconds:
                growth = column.seconds[row] / column.matches * before.matches / before.seconds[row]
                fast = column.seconds[row] < LEAST_SECONDS
                text += f" (!, {growth:.1f} times a match)" if growth > SLOWER and not fast else ""
            cells.append(text)
        yield f"| {row} | " + " | ".join(cells) + " |"


def steps_of(text: str) -> list[str]:
    """Return the steps that a list names. Raises argparse.ArgumentTypeError."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in STEPS:
            raise argparse.ArgumentTypeError(f"{name!r} is no step: there are {', '.join(STEPS)}")
    return names


def main(arguments: list[str] | None = None) -> None:
    """Measure the sizes asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, action="append", help=f"default: {SIZES}")
    parser.add_argument("--actions", type=int, default=60)
    parser.add_argument("--distinct", type=int, default=DISTINCT)
    parser.add_argument("--log", action="store_true", help="bots report score, depth and nodes")
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--postgres", action="store_true", help="start a PostgreSQL server and measure there")
    places.add_argument("--server", help="URL of a PostgreSQL server to measure on")
    parser.add_argument(
        "--steps",
        type=steps_of,
        default=list(STEPS),
        help=f"of {','.join(STEPS)} (default: all); '': fill only",
    )
    parser.add_argument("--verify", type=int, default=VERIFIED, help="matches to verify, from the first on")
    parser.add_argument("--folder", type=Path, help="for databases and files; default: a new one, removed")
    parser.add_argument("--keep", action="store_true", help="leave the databases; wants --folder or --server")
    chosen = parser.parse_args(arguments)
    if chosen.keep and (chosen.postgres or not (chosen.folder or chosen.server)):
        parser.error("--keep wants --folder or --server, and a server of --postgres is always removed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server ends too
    with ExitStack() as stack:
        folder = chosen.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="tourney-store-"))
        )
        folder.mkdir(parents=True, exist_ok=True)
        url = stack.enter_context(throw_away_server(chosen.folder)) if chosen.postgres else chosen.server
        place = Server(url) if url else Files(folder)
        plays = random_plays(find_game(GAME), chosen.distinct, chosen.actions, OPTIONS)
        columns = []
        for matches in chosen.matches or SIZES:
            try:
                columns.append(measure_size(place, matches, plays, folder, chosen))
            except (TourneyError, subprocess.SubprocessError) as error:
                raise SystemExit(f"a step failed: {error}") from error
            finally:
                if not chosen.keep:
                    place.drop(str(matches))
        print(f"\n{place.name}\n")
        print("\n".join(table(columns)), flush=True)


if __name__ == "__main__":
    main()
