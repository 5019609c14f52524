"""Cost of a report of many matches: time, processors, memory and bytes; then with little that is new.

    python -m benchmarks.report [--matches 10000] [--game sages-tafl --game seven-sages] [--actions 175]
                                [--entrants 50] [--processes N] [--folder DIR]

By default both games are measured. The referee plays --distinct random matches in this process; further ones
repeat their actions under seeds and entrants of their own. With --actions, only matches of that length are
taken, to within a tenth. Each bot reports score, depth and nodes with each action. 99 % of the matches are
written first, then all, then nothing is new. The database stays in --folder and serves later calls.

Prints a line a report: seconds, seconds of processor time in all and a match that was new, the peak memory of
all processes together (proportional set size), files, bytes and bytes a page of a match, and the size of the
first page.
"""

import itertools
import sys
import tempfile
from pathlib import Path

import click

from benchmarks.common import Cost, cost_of, described, head, row, run
from benchmarks.made_matches import begin, random_plays, results
from tourney.games.registry import find_game
from tourney.store.database import Database

GAMES = ("sages-tafl", "seven-sages")
CHUNK = 200


def show(what: str, cost: Cost, out: Path, new: int) -> None:
    """Print a report's line of the table; ``new`` matches were new."""
    files = [path for path in out.rglob("*") if path.is_file()]
    pages = [path.stat().st_size for path in files if path.parent.name == "matches"]
    row(
        what,
        f"{cost.seconds:.1f}",
        f"{cost.processor:.1f}",
        f"{1000 * cost.processor / new:.1f}" if new else "-",
        f"{cost.memory / 1e6:.0f}",
        f"{len(files):,}",
        f"{sum(path.stat().st_size for path in files) / 1e6:.1f}",
        f"{sum(pages) / len(pages) / 1e3:.1f}",
        f"{max(pages) / 1e3:.1f}",
        f"{(out / 'index.html').stat().st_size / 1e3:.1f}",
    )


@click.command(help=described(__doc__))
@click.option("--matches", default=10_000, show_default=True)
@click.option("--entrants", default=50, show_default=True)
@click.option("--game", multiple=True, default=GAMES, show_default=True)
@click.option("--actions", type=int, help="Length of the matches, to within a tenth.")
@click.option("--distinct", default=1000, show_default=True, help="Matches that are really played.")
@click.option("--processes", type=int, help="Processes of the report.")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="For database and report; default: a new one."
)
def main(
    matches: int,
    entrants: int,
    game: tuple[str, ...],
    actions: int | None,
    distinct: int,
    processes: int | None,
    folder: Path | None,
) -> None:
    """Play, write and print."""
    place = folder or Path(tempfile.mkdtemp(prefix="tourney-report-"))
    place.mkdir(parents=True, exist_ok=True)
    for rules in map(find_game, game):
        name = f"{rules.name}-{entrants}-{matches}" + (f"-{actions}" if actions else "")
        database, out = str(place / f"{name}.db"), place / name
        plays = random_plays(rules, min(distinct, matches), actions)
        length = sum(len(play) for play, _ in plays) / len(plays)
        print(f"\n{rules.name}: {matches:,} matches of {length:.0f} actions in {place}\n")
        command = [sys.executable, "-m", "tourney", "report", "--quiet", "--db", database, "--out", str(out)]
        command += ["--processes", str(processes)] if processes else []
        head(
            *("report", "s", "CPU s", "CPU ms a new match", "MB of memory", "files", "MB", "KB a match"),
            *("largest", "KB of index.html"),
        )
        with Database.open(database, create=True, write=True) as repository:
            tournament = (
                repository.tournaments.get("bench")
                if repository.tournaments.all()
                else begin(repository, rules, matches, entrants)
            )
            first = matches * 99 // 100
            for what, wanted, new in (
                ("99 % of the matches, from nothing", first, first),
                ("1 % more", matches, matches - first),
                ("nothing new", matches, 0),
            ):
                more = max(0, wanted - repository.schedules.progress(tournament.id).done)
                found = itertools.islice(results(repository, tournament, plays), more)
                while chunk := list(itertools.islice(found, CHUNK)):
                    repository.matches.add(tournament.id, chunk)
                show(what, cost_of(command), out, new)


if __name__ == "__main__":
    run(main)
