"""Cost of commands: the start of all short ones, and `tourney report` and `tourney rate` on much data.

    python -m benchmarks.commands starts [--passes 7] [--before CHECKOUT]
    python -m benchmarks.commands report [--matches 10000] [--game sages-tafl --game seven-sages]
                                         [--actions 175] [--entrants 50] [--processes N] [--folder DIR]
    python -m benchmarks.commands rate [--games 1000000] [--players 50] [--plies 80] [--seed 1] [--keep FILE]

``starts``: plays a small tournament, then calls each short command on it --passes times, all in turn, without
a terminal. Prints the median wall time and processor time, and the processor time in units of that of
``--version``. With --before, each call is followed by one of the package in another checkout, with the
interpreter and the libraries of this one; the last columns are its processor time and the median ratio.

``report``: by default both games are measured. The referee plays --distinct random matches in this process;
further ones repeat their actions under seeds and entrants of their own. With --actions, only matches of that
length are taken, to within a tenth. Each bot reports score, depth and nodes with each action. 99 % of the
matches are written first, then all but one, then the last one, then nothing is new. The database stays in
--folder and serves later calls; the report there is written from nothing only if the database is new.

Prints a line a report: seconds, seconds of processor time, in all, to those from nothing, and a match that
was new, the peak memory of all processes together (proportional set size), files, bytes and bytes a page of a
match, and the size of the first page.

``rate``: writes a PGN of mirrored pairs from the seed (the same bytes everywhere), then runs `tourney rate`
on it in a process of its own: the batch rating in one process, with pairs and without, Ordo's model, and
TrueSkill, and the first again with a process for each processor (--passes N: that many times in turn). Times
that another program steals are in the wall clock only, so compare processor time.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import click

from benchmarks.common import Cost, begin, cost_of, described, head, random_plays, results, row, run
from tourney.games.registry import find_game
from tourney.ratings.superiority import normals, uniforms
from tourney.store.database import Database

GAMES = ("sages-tafl", "seven-sages")
CHUNK = 200


def show(what: str, cost: Cost, whole: Cost, out: Path, new: int) -> None:
    """Print a report's line of the table; ``new`` matches were new, ``whole`` is the cost from nothing."""
    files = [path for path in out.rglob("*") if path.is_file()]
    pages = [path.stat().st_size for path in files if path.match("matches/*.html")]
    row(
        what,
        f"{cost.seconds:.1f}",
        f"{cost.processor:.1f}",
        f"{cost.processor / whole.processor:.3f}",
        f"{1000 * cost.processor / new:.1f}" if new else "-",
        f"{cost.memory / 1e6:.0f}",
        f"{len(files):,}",
        f"{sum(path.stat().st_size for path in files) / 1e6:.1f}",
        f"{sum(pages) / len(pages) / 1e3:.1f}",
        f"{max(pages) / 1e3:.1f}",
        f"{(out / 'index.html').stat().st_size / 1e3:.1f}",
    )


@click.group(help=described(__doc__))
def main() -> None:
    """Measure commands."""


CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["random", "pebble", "greedy"]
games-per-pairing = 4

[run]
sandbox = "off"
"""
STARTS = """
--version
--help
standings
status
ratings
show 1
run cup.toml
bots list
games
commit cup.toml
export --what matches
db check
completion bash
doctor --help
"""
COMPLETION = {"_TOURNEY_COMPLETE": "bash_complete", "COMP_WORDS": "tourney sta", "COMP_CWORD": "1"}


def start_cost(words: list[str], folder: Path, env: dict[str, str]) -> tuple[float, float]:
    """Wall and processor time of a call of ``tourney`` with what it starts, in seconds."""
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "tourney", *words],
        cwd=folder,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"tourney {' '.join(words)} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


@main.command("starts")
@click.option("--passes", default=7, show_default=True, help="Calls of each command.")
@click.option("--before", type=click.Path(path_type=Path, exists=True), help="Another checkout.")
def starts_command(passes: int, before: Path | None) -> None:
    """Call each short command on a small database."""
    # Bytecode is written as in use: without, each call would compile the package.
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    sides = [plain] if before is None else [plain, {**plain, "PYTHONPATH": str(before.resolve())}]
    with tempfile.TemporaryDirectory(prefix="tourney-starts-") as place:
        folder = Path(place)
        (folder / "cup.toml").write_text(CUP, encoding="utf-8")
        start_cost(["run", "cup.toml"], folder, plain)
        calls: list[tuple[str, list[str], dict[str, str]]] = [
            *((f"`{line}`", line.split(), {}) for line in STARTS.strip().splitlines()),
            ("completion of a word", [], COMPLETION),
        ]
        costs: dict[tuple[str, int], list[tuple[float, float]]] = {}
        for number, (name, words, extra), side in itertools.product(
            range(passes + 1), calls, range(len(sides))
        ):
            cost = start_cost(words, folder, {**sides[side], **extra})
            if number:  # the first call compiles the modules, and reads them from the disk
                costs.setdefault((name, side), []).append(cost)
    head("command", "s", "CPU s", "to --version", *(("CPU s before", "to before") if before else ()))
    used = {key: [processor for _, processor in pairs] for key, pairs in costs.items()}
    least = median(used["`--version`", 0])
    for name, _, _ in calls:
        mine = used[name, 0]
        cells = [median(wall for wall, _ in costs[name, 0]), median(mine), median(mine) / least]
        if before:
            ratios = (now / then for now, then in zip(mine, used[name, 1], strict=True))
            cells += [median(used[name, 1]), median(ratios)]
        row(name, *(f"{cell:.2f}" for cell in cells))


@main.command("report")
@click.option("--matches", default=10_000, show_default=True)
@click.option("--entrants", default=50, show_default=True)
@click.option("--game", multiple=True, default=GAMES, show_default=True)
@click.option("--actions", type=int, help="Length of the matches, to within a tenth.")
@click.option("--distinct", default=1000, show_default=True, help="Matches that are really played.")
@click.option("--processes", type=int, help="Processes of the report.")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="For database and report; default: a new one."
)
def report_command(
    matches: int,
    entrants: int,
    game: tuple[str, ...],
    actions: int | None,
    distinct: int,
    processes: int | None,
    folder: Path | None,
) -> None:
    """Play matches, and write reports of them."""
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
            *("report", "s", "CPU s", "to nothing", "CPU ms a new match", "MB of memory", "files", "MB"),
            *("KB a match", "largest", "KB of index.html"),
        )
        with Database.open(database, create=True, write=True) as repository:
            tournament = (
                repository.tournaments.get("bench")
                if repository.tournaments.all()
                else begin(repository, rules, matches, entrants)
            )
            first = matches * 99 // 100
            whole = None
            for what, wanted, new in (
                ("99 % of the matches, from nothing", first, first),
                ("1 % more", matches - 1, matches - 1 - first),
                ("one match more", matches, 1),
                ("nothing new", matches, 0),
            ):
                more = max(0, wanted - repository.schedules.progress(tournament.id).done)
                found = itertools.islice(results(repository, tournament, plays), more)
                while chunk := list(itertools.islice(found, CHUNK)):
                    repository.matches.add(tournament.id, chunk)
                cost = cost_of(command)
                whole = whole or cost
                show(what, cost, whole, out, new)


RESULTS = ("1-0", "0-1", "1/2-1/2")
_MOVES = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7"
_BLOCK = 20_000


def movetext(plies: int) -> str:
    """The moves of a game with the comments that match runners write; they are never read."""
    moves, words = _MOVES.split(), []
    for ply in range(plies):
        number = f"{ply // 2 + 1}. " if ply % 2 == 0 else ""
        words.append(f"{number}{moves[ply % len(moves)]} {{+0.{ply % 90 + 10}/{ply % 20 + 8} 0.{ply:03}s}}")
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 78:
            lines.append(line)
            line = ""
        line += f" {word}" if line else word
    return "\n".join([*lines, line])


def games(count: int, players: int, seed: int, moves: str) -> Iterator[str]:
    """Yield the games of a simulated pool, two by two with colours reversed."""
    strength = 100 * normals(players, "rate-benchmark", seed)
    for block in range(0, count, _BLOCK):
        size = min(_BLOCK, count - block)
        draw = uniforms(3 * size, "rate-benchmark", seed, block).reshape(3, size)
        for place in range(0, size, 2):
            a = int(draw[0, place] * players)
            b = (a + 1 + int(draw[1, place] * (players - 1))) % players
            for turn in range(min(2, size - place)):
                white, black = (a, b) if turn == 0 else (b, a)
                share = 1 / (1 + 10 ** ((strength[black] - strength[white] - 30) / 400))
                luck = draw[2, place + turn]
                drawn = 0.6 * min(share, 1 - share)
                result = RESULTS[0 if luck < share - drawn / 2 else 2 if luck < share + drawn / 2 else 1]
                yield (
                    f'[Event "Benchmark"]\n[Site "?"]\n[Date "2026.11.22"]\n'
                    f'[Round "{(block + place) // 2 + 1}"]\n[White "engine-{white}"]\n'
                    f'[Black "engine-{black}"]\n[Result "{result}"]\n[TimeControl "8+0.08"]\n'
                    f'[PlyCount "80"]\n[Termination "normal"]\n\n'
                    f"{moves} {result}\n\n"
                )


@main.command("rate")
@click.option("--games", "count", default=1_000_000, show_default=True)
@click.option("--players", default=50, show_default=True)
@click.option("--plies", default=80, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Write the PGN here and leave it.")
@click.option("--passes", default=1, show_default=True, help="Times that one process and all are compared.")
def rate_command(count: int, players: int, plies: int, seed: int, keep: Path | None, passes: int) -> None:
    """Write a PGN of a simulated pool, and rate it in four ways and by processes."""
    with tempfile.TemporaryDirectory(prefix="tourney-rate-") as folder:
        path = keep or Path(folder) / "games.pgn"
        with path.open("w", encoding="ascii") as file:
            file.writelines(games(count, players, seed, movetext(plies)))
        print(f"{count:,} games of {players} players, {path.stat().st_size / 1e6:,.0f} MB\n")
        head("rated by", "s", "CPU s", "us a game", "MB")
        alone = ["--processes", "1"]
        for name, more in (
            *[("batch, pairs as clusters", alone), ("the same, a process for each processor", [])] * passes,
            ("batch, each game by itself", [*alone, "--no-pairs"]),
            ("Ordo's model", [*alone, "--model", "ordo"]),
            ("TrueSkill", [*alone, "--method", "trueskill"]),
        ):
            cost = cost_of([sys.executable, "-m", "tourney", "rate", str(path), "--quiet", *more])
            row(
                name,
                f"{cost.seconds:.1f}",
                f"{cost.processor:.1f}",
                f"{1e6 * cost.processor / count:.1f}",
                f"{cost.memory / 1e6:.0f}",
            )


if __name__ == "__main__":
    run(main)
