"""What a database of many matches costs: time, bytes and memory, at several sizes side by side.

    python -m benchmarks.store [--matches 10000 --matches 100000 --matches 1000000] [--actions 60] [--log]
                               [--server URL] [--folder DIR] [--keep]

For each size a round-robin of 50 bots is filled with matches of about --actions actions: --distinct random
matches of Sage Stones are played by the referee in this process, and further ones repeat their actions and
results under seeds and entrants of their own. With --log, bots report score, depth and nodes with each
action. Then each of the commands that read the whole database runs as a process of its own, with its peak of
memory.
--server names a PostgreSQL database to be filled likewise; it must be empty.

Prints a row a step and a column a size. "Bulk" stores batches of 1,000 matches, "one by one" waits for each
to be on the disk. What grows faster than the matches is marked.
"""

import argparse
import gc
import itertools
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.report import Play, begin, log_of, measure, measurements, random_plays
from tourney.games.registry import find_game
from tourney.match.record import write_record
from tourney.match.result import PlayedMatch
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, Tournament

GAME = "sage-stones"
ENTRANTS = 50
SIZES = (10_000, 100_000, 1_000_000)
DISTINCT = 500
BULK = 1_000
SINGLE = 500
"""Matches that are stored one by one."""
SLOWER = 1.5
"""A step that takes more time a match than this many times that of the size before is marked."""


@dataclass
class Column:
    """The figures of one size, by row: seconds, or another figure as text."""

    matches: int
    seconds: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def took(self, row: str, seconds: float, text: str) -> None:
        """Keep what a step took, and its text."""
        self.seconds[row] = seconds
        self.texts[row] = text


def results(
    repository: Repository, tournament: Tournament, plays: list[Play], *, log: bool
) -> Iterator[MatchResult]:
    """Yield the matches of the rows that are open, as workers give them."""
    game = find_game(tournament.game)
    entrants = repository.entrants(tournament.id)
    for number, row in repository.pending(tournament.id):
        spec, (actions, outcome) = spec_of(tournament, entrants, row), plays[number % len(plays)]
        text, digest = write_record(spec, game.rules, actions, outcome)
        lines = log_of(actions, number) if log else ()
        measured = measurements(actions, len(spec.seats), number)
        yield MatchResult(number, PlayedMatch.written(text, digest, outcome, len(actions), lines, measured))


def fill(url: str, matches: int, plays: list[Play], column: Column, *, log: bool) -> None:
    """Make a database with these matches, and measure how quickly it takes them."""
    bulk, single = 0.0, 0.0
    with Repository.open(url, create=True) as repository:
        start = time.perf_counter()
        tournament = begin(repository, find_game(GAME), matches, ENTRANTS)
        column.took("rows of the schedule drawn and stored", time.perf_counter() - start, "")
        found = itertools.islice(results(repository, tournament, plays, log=log), matches)
        for item in itertools.islice(found, SINGLE):
            start = time.perf_counter()
            repository.record_results(tournament.id, [item])
            single += time.perf_counter() - start
        while chunk := list(itertools.islice(found, BULK)):
            gc.collect()
            start = time.perf_counter()
            repository.record_results(tournament.id, chunk)
            bulk += time.perf_counter() - start
    column.took("stored one by one", single / SINGLE * matches, f"{SINGLE / single:,.0f} a second")
    column.took("stored in bulk", bulk, f"{(matches - SINGLE) / bulk:,.0f} a second")


def command(column: Column, row: str, *words: str) -> None:
    """Run a command of Tourney and keep its seconds and memory."""
    cost = measure([sys.executable, "-m", "tourney", *words])
    column.took(row, cost.seconds, f"{cost.seconds:.1f} s, {cost.memory / 2**20:,.0f} MB")


def timed(column: Column, row: str, step: Callable[[], object]) -> None:
    """Run a step in this process and keep its seconds."""
    start = time.perf_counter()
    step()
    seconds = time.perf_counter() - start
    column.took(row, seconds, f"{seconds:.2f} s")


def measure_size(
    url: str, matches: int, plays: list[Play], folder: Path, chosen: argparse.Namespace
) -> Column:
    """Fill a database and run all steps over it."""
    column = Column(matches)
    fill(url, matches, plays, column, log=chosen.log)
    path = Path(url)
    if path.is_file():
        column.texts["bytes a match"] = f"{path.stat().st_size / matches:,.0f}"
    with Repository.open(url) as repository:
        tournament = repository.tournament().id
        timed(column, "standings, counted from the index", lambda: compute_standings(repository, tournament))
        timed(column, "a page of the list of matches", lambda: repository.match(tournament, matches // 2))
        timed(column, "matches of one bot", lambda: sum(1 for _ in repository.matches(tournament, entrant=7)))
        timed(column, "all results, recounted", lambda: sum(1 for _ in repository.results(tournament)))
    command(column, "tourney standings", "standings", "--db", url)
    command(column, "tourney ratings", "ratings", "--db", url)
    command(column, "tourney ratings --method trueskill", "ratings", "--method", "trueskill", "--db", url)
    if chosen.verify:
        command(column, "tourney verify --all", "verify", "--all", "--db", url)
    out = folder / "export.jsonl.zst"
    command(column, "tourney export (.zst)", "export", "--what", "tournament", "--out", str(out), "--db", url)
    column.texts["bytes a match, exported"] = f"{out.stat().st_size / matches:,.0f}"
    again = folder / "again.db"
    command(column, "tourney import", "import", str(out), "--db", str(again))
    for made in (out, again):
        made.unlink()
    return column


def table(columns: list[Column]) -> Iterator[str]:
    """Yield the lines of the table."""
    rows = list(dict.fromkeys(row for column in columns for row in (*column.seconds, *column.texts)))
    yield "| matches | " + " | ".join(f"{column.matches:,}" for column in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for row in rows:
        cells = []
        for before, column in zip([None, *columns], columns, strict=False):
            text = column.texts.get(row) or f"{column.seconds[row]:.1f} s"
            if before is not None and row in before.seconds and row in column.seconds:
                growth = column.seconds[row] / column.matches * before.matches / before.seconds[row]
                text += f" (!, {growth:.1f} times a match)" if growth > SLOWER else ""
            cells.append(text)
        yield f"| {row} | " + " | ".join(cells) + " |"


def main(arguments: list[str] | None = None) -> None:
    """Measure the sizes asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, action="append", help=f"default: {SIZES}")
    parser.add_argument("--actions", type=int, default=60)
    parser.add_argument("--distinct", type=int, default=DISTINCT)
    parser.add_argument("--log", action="store_true", help="bots report score, depth and nodes")
    parser.add_argument("--verify", action="store_true", help="also verify all matches")
    parser.add_argument("--server", help="an empty PostgreSQL database; one size only")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the databases in the folder")
    chosen = parser.parse_args(arguments)
    sizes = chosen.matches or list(SIZES)
    if chosen.server and len(sizes) != 1:
        parser.error("--server wants one --matches")
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="tourney-store-"))
    folder.mkdir(parents=True, exist_ok=True)
    plays = random_plays(find_game(GAME), chosen.distinct, chosen.actions)
    columns = []
    try:
        for matches in sizes:
            url = chosen.server or str(folder / f"{matches}.db")
            columns.append(measure_size(url, matches, plays, folder, chosen))
            if not chosen.keep and not chosen.server:
                Path(url).unlink()
            print("\n".join(table(columns)), flush=True)
    finally:
        if chosen.folder is None and not chosen.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
