"""Cost of a half-move of chess by UCI: whole tournaments, beside fastchess where it is on the PATH.

    python benchmarks/chess.py [--rounds 3] [--games 200] [--workers 1 2] [--fastchess PROGRAM]

Two pairs of engines play: a program in C that answers from a fixed game of 240 half-moves, which ends by the
rules (benchmarks/chess_engines/fixed.c, compiled with cc), and Stockfish with ``nodes=1``, where it is
installed. Tourney plays with the sandbox on and off, with ``reuse``, and records to SQLite; fastchess plays
with ``-use-affinity`` and as many games at once, and writes a PGN. All lines of a round are measured in turn.

A time is the wall clock's of a whole run, start and end included, over the half-moves of all workers; a ratio
is fastchess's time over Tourney's, of the same round. Figures are medians.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

# This script has the name of a package that the game needs.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from tourney.games import OVER, find_game, stream  # noqa: E402 - see above
from tourney.run.config.tournament_file import read_tournament_file  # noqa: E402 - see above
from tourney.run.engine.session import run_tournament  # noqa: E402 - see above
from tourney.run.workers.local import LocalExecutor  # noqa: E402 - see above
from tourney.store.repository import Repository  # noqa: E402 - see above

HERE = Path(__file__).resolve().parent / "chess_engines"
GAME_SEED = 42
"""The first seed whose random game ends by the rules after exactly PLIES half-moves."""
PLIES = 240
GAMES_PATH = "/usr/games"

Line = tuple[str, str, int]
"""Engine, runner (``on``, ``off`` or ``fastchess``) and workers."""


def fixed_game() -> list[str]:
    """Return the moves of the fixed game."""
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
    moves = ", ".join(f'"{move}"' for move in fixed_game())
    text = f"enum {{ MOVES = {PLIES} }};\nstatic const char *const game[MOVES] = {{{moves}}};\n"
    (folder / "game.h").write_text(text, encoding="ascii")
    target = folder / "fixed"
    subprocess.run(
        ["cc", "-O2", "-Wall", f"-I{folder}", "-o", str(target), str(HERE / "fixed.c")], check=True
    )
    return target


def by_tourney(home: Path, program: Path, sandbox: str, workers: int, games: int) -> tuple[float, int]:
    """Play a tournament; return its seconds and half-moves."""
    entrant = f'[[entrant]]\ncommand = ["{program}"]\ngo = {{nodes = 1}}\n'
    (home / "chess.toml").write_text(
        f'name = "chess"\ngame = "chess"\nseed = 1\ngames-per-pairing = {games}\n'
        f'{entrant}name = "one"\n{entrant}name = "two"\n'
        f'[limits]\nmove-ms = 10000\n[run]\nreuse = true\nsandbox = "{sandbox}"\n',
        encoding="utf-8",
    )
    file = read_tournament_file(home / "chess.toml")
    database = str(home / "chess.db")
    began = time.monotonic()
    run_tournament(file, database, home / "bots", lambda: LocalExecutor(workers))
    seconds = time.monotonic() - began
    with Repository.open(database) as repository:
        records = [record for _, record in repository.records(repository.tournament().id)]
    if len(records) != games or any(record["outcome"]["faults"] for record in records):
        raise SystemExit("not every match was played to its end")
    return seconds, sum(len(record["actions"]) for record in records)


def by_fastchess(home: Path, runner: str, program: Path, workers: int, games: int) -> tuple[float, int]:
    """Play the same games by fastchess; return its seconds and half-moves."""
    words = [runner]
    for name in ("one", "two"):
        words += ["-engine", f"cmd={program}", f"name={name}"]
    words += ["-each", "tc=1000+1", "nodes=1", "proto=uci", "-rounds", str(games // 2), "-games", "2"]
    words += ["-concurrency", str(workers), "-use-affinity", "-pgnout", "file=games.pgn"]
    began = time.monotonic()
    done = subprocess.run(words, cwd=home, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    text = (home / "games.pgn").read_text("utf-8") if (home / "games.pgn").exists() else ""
    counts = [int(count) for count in re.findall(r'\[PlyCount "(\d+)"\]', text)]
    if len(counts) != games:
        raise SystemExit(
            f"fastchess wrote {len(counts)} of {games} games:\n{done.stdout[-1000:]}{done.stderr[-1000:]}"
        )
    return seconds, sum(counts)


def run(
    lines: Sequence[Line], programs: dict[str, Path], arguments: argparse.Namespace
) -> dict[Line, list[float]]:
    """Return the microseconds a half-move of each line, round by round."""
    found: dict[Line, list[float]] = defaultdict(list)
    for round_ in range(arguments.rounds):
        for line in lines:
            engine, runner, workers = line
            games = arguments.games if engine == "fixed" else max(4, arguments.games // 10 * 2)
            sys.stderr.write(f"round {round_ + 1} of {arguments.rounds}: {line}, {games} games\n")
            with tempfile.TemporaryDirectory(prefix="tourney-chess-") as name:
                home = Path(name)
                home.chmod(0o755)  # so that bots of other users can be started below it
                program = programs[engine]
                if runner == "fastchess":
                    seconds, plies = by_fastchess(home, arguments.fastchess, program, workers, games)
                else:
                    sandbox = "auto" if runner == "on" else "off"
                    seconds, plies = by_tourney(home, program, sandbox, workers, games)
            found[line].append(seconds / plies * 1e6)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median is printed")
    parser.add_argument("--games", type=int, default=200, help="games of the fixed engine in a run, even")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="games at once")
    parser.add_argument("--engine", nargs="+", default=["fixed", "stockfish"], help="fixed, stockfish")
    parser.add_argument("--fastchess", default=shutil.which("fastchess"), help="fastchess, if not on PATH")
    arguments = parser.parse_args()
    path = ":".join((os.environ.get("PATH", os.defpath), GAMES_PATH))
    stockfish = shutil.which("stockfish", path=path)
    with tempfile.TemporaryDirectory(prefix="tourney-chess-engine-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        programs = {"fixed": compile_engine(folder)}
        if stockfish:
            programs["stockfish"] = Path(stockfish)
        runners = ["on", "off", *(["fastchess"] if arguments.fastchess else [])]
        engines = [engine for engine in arguments.engine if engine in programs]
        lines = [(e, runner, workers) for e in engines for workers in arguments.workers for runner in runners]
        found = run(lines, programs, arguments)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print(
        "| engine | workers | runner | us/half-move | half-moves/s | fastchess's time / this |\n"
        + "|---" * 6
        + "|"
    )
    for (engine, runner, workers), times in found.items():
        theirs = found.get((engine, "fastchess", workers))
        ratio = f"{median(a / b for a, b in zip(theirs, times, strict=True)):.2f}" if theirs else "-"
        label = "fastchess" if runner == "fastchess" else f"Tourney, sandbox {runner}"
        print(
            f"| {engine} | {workers} | {label} | {median(times):.1f} | {1e6 / median(times):,.0f} | {ratio} |"
        )


if __name__ == "__main__":
    main()
