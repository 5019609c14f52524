"""Cost of a half-move of chess by UCI: whole tournaments, beside fastchess if it is on the PATH.

    python -m benchmarks.chess [--rounds 3] [--games 400] [--workers 1 --workers 2] [--fastchess PROGRAM]

Two pairs of engines play: a program in C that answers from a fixed game of 240 half-moves, which ends by the
rules (benchmarks/chess_engines/fixed.c, compiled with cc), and Stockfish with ``nodes=1``, if it is
installed. Tourney plays with the sandbox on and off, with ``reuse``, and records to SQLite; fastchess plays
with ``-use-affinity`` and as many games at once, and writes a PGN. Both send the engines the same clocks. All
lines of a round are measured in turn.

Stockfish plays by ``protocol = "uci"``, which sends an engine the moves from the start as fastchess does, and
by ``uci-fen``, which sends a FEN and the moves since: Stockfish then has less to read.

Each figure is the difference between a run and one of a tenth of its games, over the difference in
half-moves, so costs of the start are left out. The time of fastchess ends with its last game, because it
takes up to a second more to end. ``CPU`` is the processor time of the runner, its workers and the engines. On
an idle machine, wall time is about CPU time over the number of workers; on a busy one only CPU time is
reliable. A ratio is fastchess's figure over Tourney's, of the same round. Figures are medians.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import click

from benchmarks.common import cpu_seconds, described, head, machine, row, run
from tourney.games import OVER, find_game, stream
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.local import LocalExecutor
from tourney.store.database import Database

HERE = Path(__file__).resolve().parent / "chess_engines"
GAME_SEED = 42
"""The first seed whose random game ends by the rules after exactly PLIES half-moves."""
PLIES = 240
GAMES_PATH = "/usr/games"


class Played(NamedTuple):
    """The cost of games: seconds of the clock, seconds of processors, and half-moves."""

    seconds: float
    processor: float
    plies: int


class Line(NamedTuple):
    """Engine, runner (``fastchess``, or sandbox and protocol of Tourney, as ``on uci``) and workers."""

    engine: str
    runner: str
    workers: int


def fixed_game() -> list[str]:
    """The moves of the fixed game."""
    game = find_game("chess")
    state, draw, moves = game.new(), stream(GAME_SEED, "benchmark"), list[str]()
    while state.actor != OVER:
        legal = state.legal_actions()
        action = legal[draw(len(legal))]
        moves.append(game.action_string(action))
        state = state.play(action)
    if len(moves) != PLIES:
        raise SystemExit(f"the game of seed {GAME_SEED} has {len(moves)} half-moves, not {PLIES}")
    return moves


def compile_engine(folder: Path) -> Path:
    """Compile the engine of the fixed game."""
    folder.chmod(0o755)  # so that bots of other users can be started below it
    moves = ", ".join(f'"{move}"' for move in fixed_game())
    text = f"enum {{ MOVES = {PLIES} }};\nstatic const char *const game[MOVES] = {{{moves}}};\n"
    (folder / "game.h").write_text(text, encoding="ascii")
    target = folder / "fixed"
    words = ["cc", "-O2", "-Wall", f"-I{folder}", "-o", str(target), str(HERE / "fixed.c")]
    subprocess.run(words, check=True)
    return target


def by_tourney(home: Path, program: Path, line: Line, games: int) -> Played:
    """Play a tournament; return its cost."""
    sandbox, protocol = line.runner.split(" ")
    entrant = f'[[entrant]]\ncommand = ["{program}"]\nprotocol = "{protocol}"\ngo = {{nodes = 1}}\n'
    (home / "chess.toml").write_text(
        f'name = "chess"\ngame = "chess"\nseed = 1\ngames-per-pairing = {games}\n'
        f'{entrant}name = "one"\n{entrant}name = "two"\n'
        f"[limits]\nclock-ms = 1000000\nincrement-ms = 1000\n"
        f'[run]\nreuse = true\nsandbox = "{"auto" if sandbox == "on" else "off"}"\n',
        encoding="utf-8",
    )
    file = read_tournament_file(home / "chess.toml")
    database = str(home / "chess.db")
    began, used = time.monotonic(), cpu_seconds()
    run_tournament(file, database, home / "bots", lambda: LocalExecutor(line.workers))
    seconds, spent = time.monotonic() - began, cpu_seconds() - used
    with Database.open(database) as repository:
        records = [record for _, record in repository.records.all(repository.tournaments.get().id)]
    if len(records) != games or any(record.outcome.faults for record in records):
        raise SystemExit("not every match was played to its end")
    return Played(seconds, spent, sum(len(record.actions) for record in records))


def by_fastchess(home: Path, program: Path, fastchess: str, workers: int, games: int) -> Played:
    """Play the same games by fastchess; return their cost."""
    words = [fastchess]
    for name in ("one", "two"):
        words += ["-engine", f"cmd={program}", f"name={name}"]
    words += ["-each", "tc=1000+1", "nodes=1", "proto=uci", "-rounds", str(games // 2), "-games", "2"]
    words += ["-concurrency", str(workers), "-use-affinity", "-pgnout", "file=games.pgn"]
    began, used = time.monotonic(), cpu_seconds()
    ended, lines = began, deque[str](maxlen=20)
    with subprocess.Popen(
        words, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if line.startswith("Finished game"):
                ended = time.monotonic()
    spent = cpu_seconds() - used
    text = (home / "games.pgn").read_text("utf-8") if (home / "games.pgn").exists() else ""
    counts = [int(count) for count in re.findall(r'\[PlyCount "(\d+)"\]', text)]
    if len(counts) != games:
        raise SystemExit(f"fastchess wrote {len(counts)} of {games} games:\n{''.join(lines)}")
    return Played(ended - began, spent, sum(counts))


def runners(engine: str, *, fastchess: bool) -> list[str]:
    """The runners that play an engine; the fixed one reads only the number of moves of a position."""
    protocols = ("uci", "uci-fen") if engine == "stockfish" else ("uci",)
    own = [f"{sandbox} {protocol}" for protocol in protocols for sandbox in ("on", "off")]
    return [*own, "fastchess"] if fastchess else own


def measure(line: Line, program: Path, fastchess: str, games: int) -> tuple[float, float]:
    """The microseconds a half-move of a line, of the clock and of processors."""
    costs = []
    for count in (max(2, games // 20 * 2), games):
        with tempfile.TemporaryDirectory(prefix="tourney-chess-") as name:
            home = Path(name)
            home.chmod(0o755)  # so that bots of other users can be started below it
            if line.runner == "fastchess":
                costs.append(by_fastchess(home, program, fastchess, line.workers, count))
            else:
                costs.append(by_tourney(home, program, line, count))
    few, many = costs
    each = 1e6 / (many.plies - few.plies)
    return (many.seconds - few.seconds) * each, (many.processor - few.processor) * each


@click.command(help=described(__doc__))
@click.option("--rounds", default=3, show_default=True, help="Rounds, of which the median is printed.")
@click.option("--games", default=400, show_default=True, help="Games of the fixed engine in a run, even.")
@click.option("--workers", multiple=True, default=(1, 2), show_default=True, help="Games at once.")
@click.option("--engine", multiple=True, default=("fixed", "stockfish"), show_default=True)
@click.option("--fastchess", default=shutil.which("fastchess") or "", help="fastchess, if not on the PATH.")
def main(rounds: int, games: int, workers: tuple[int, ...], engine: tuple[str, ...], fastchess: str) -> None:
    """Measure and print."""
    stockfish = shutil.which("stockfish", path=f"{os.environ.get('PATH', os.defpath)}:{GAMES_PATH}")
    found: dict[Line, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="tourney-chess-engine-") as name:
        programs = {"fixed": compile_engine(Path(name))}
        if stockfish:
            programs["stockfish"] = Path(stockfish)
        lines = [
            Line(one, runner, count)
            for one in engine
            if one in programs
            for count in workers
            for runner in runners(one, fastchess=bool(fastchess))
        ]
        for round_ in range(rounds):
            for line in lines:
                sys.stderr.write(f"round {round_ + 1} of {rounds}: {line}\n")
                few = games if line.engine == "fixed" else max(4, games // 10 * 2)
                found[line].append(measure(line, programs[line.engine], fastchess, few))
    show(found)


def show(found: dict[Line, list[tuple[float, float]]]) -> None:
    """Print the table."""
    print(f"{machine()}\n")
    head("engine", "workers", "runner", "wall, us/half-move", "ratio", "CPU, us/half-move", "ratio")
    for line, times in found.items():
        theirs: Sequence[tuple[float, float]] = found.get(line._replace(runner="fastchess"), ())
        own = line.runner != "fastchess"
        cells = []
        for kind in (0, 1):
            ratios = [
                other[kind] / mine[kind] for other, mine in zip(theirs, times, strict=False) if mine[kind]
            ]
            cells.append(f"{median(mine[kind] for mine in times):.1f}")
            cells.append(f"{median(ratios):.2f}" if ratios and own else "-")
        label = f"Tourney, sandbox {line.runner.replace(' ', ', ')}" if own else line.runner
        row(line.engine, line.workers, label, *cells)


if __name__ == "__main__":
    run(main)
