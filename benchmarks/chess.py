"""Cost of a half-move of chess by UCI: whole tournaments, beside fastchess where it is on the PATH.

    python benchmarks/chess.py [--rounds 3] [--games 400] [--workers 1 2] [--fastchess PROGRAM]

Two pairs of engines play: a program in C that answers from a fixed game of 240 half-moves, which ends by the
rules (benchmarks/chess_engines/fixed.c, compiled with cc), and Stockfish with ``nodes=1``, where it is
installed. Tourney plays with the sandbox on and off, with ``reuse``, and records to SQLite; fastchess plays
with ``-use-affinity`` and as many games at once, and writes a PGN. Both tell the engines the same clocks. All
lines of a round are measured in turn.

Stockfish plays by ``protocol = "uci"``, which tells an engine the game from its start as fastchess does, and
by ``uci-fen``, which tells it a FEN and the moves since: Stockfish then has less to read.

Each figure is the difference between a run and one of a tenth of its games, over the difference in
half-moves, so that what starts once is left out. The time of fastchess ends with its last game, because it
takes up to a second more to end. ``wall`` is the time of the clock; ``CPU`` is the processor
time of the runner, its workers and the engines. On a machine that does nothing else, wall time is about CPU
time over the number of workers; on a busy one, wall time is luck. A ratio is fastchess's figure over
Tourney's, of the same round. Figures are medians.
"""

import argparse
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict, deque
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

Cost = tuple[float, float, int]
"""Seconds of the clock, seconds of processors, and half-moves."""
Line = tuple[str, str, int]
"""Engine, runner (``fastchess``, or the sandbox and the protocol of Tourney, as ``on uci``) and workers."""


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


def _cpu() -> float:
    """Return the processor time of this process and of all its ended descendants, in seconds."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


def by_tourney(home: Path, program: Path, runner: str, workers: int, games: int) -> Cost:
    """Play a tournament; return what it cost."""
    sandbox, protocol = runner.split(" ")
    sandbox = "auto" if sandbox == "on" else "off"
    entrant = f'[[entrant]]\ncommand = ["{program}"]\nprotocol = "{protocol}"\ngo = {{nodes = 1}}\n'
    (home / "chess.toml").write_text(
        f'name = "chess"\ngame = "chess"\nseed = 1\ngames-per-pairing = {games}\n'
        f'{entrant}name = "one"\n{entrant}name = "two"\n'
        f"[limits]\nclock-ms = 1000000\nincrement-ms = 1000\n"
        f'[run]\nreuse = true\nsandbox = "{sandbox}"\n',
        encoding="utf-8",
    )
    file = read_tournament_file(home / "chess.toml")
    database = str(home / "chess.db")
    began, used = time.monotonic(), _cpu()
    run_tournament(file, database, home / "bots", lambda: LocalExecutor(workers))
    seconds, spent = time.monotonic() - began, _cpu() - used
    with Repository.open(database) as repository:
        records = [record for _, record in repository.records(repository.tournament().id)]
    if len(records) != games or any(record["outcome"]["faults"] for record in records):
        raise SystemExit("not every match was played to its end")
    return seconds, spent, sum(len(record["actions"]) for record in records)


def by_fastchess(home: Path, runner: str, program: Path, workers: int, games: int) -> Cost:
    """Play the same games by fastchess; return what it cost."""
    words = [runner]
    for name in ("one", "two"):
        words += ["-engine", f"cmd={program}", f"name={name}"]
    words += ["-each", "tc=1000+1", "nodes=1", "proto=uci", "-rounds", str(games // 2), "-games", "2"]
    words += ["-concurrency", str(workers), "-use-affinity", "-pgnout", "file=games.pgn"]
    began, used = time.monotonic(), _cpu()
    ended, lines = began, deque[str](maxlen=20)
    with subprocess.Popen(
        words, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as runner_process:
        for line in runner_process.stdout or ():
            lines.append(line)
            if line.startswith("Finished game"):
                ended = time.monotonic()
    seconds, spent = ended - began, _cpu() - used
    text = (home / "games.pgn").read_text("utf-8") if (home / "games.pgn").exists() else ""
    counts = [int(count) for count in re.findall(r'\[PlyCount "(\d+)"\]', text)]
    if len(counts) != games:
        raise SystemExit(f"fastchess wrote {len(counts)} of {games} games:\n{''.join(lines)}")
    return seconds, spent, sum(counts)


def runners(engine: str, *, fastchess: bool) -> list[str]:
    """Return what plays an engine; the fixed one reads no position but its number of moves."""
    protocols = ("uci", "uci-fen") if engine == "stockfish" else ("uci",)
    own = [f"{sandbox} {protocol}" for protocol in protocols for sandbox in ("on", "off")]
    return [*own, "fastchess"] if fastchess else own


def play(line: Line, programs: dict[str, Path], fastchess: str, games: int) -> Cost:
    """Play so many games of a line."""
    engine, runner, workers = line
    with tempfile.TemporaryDirectory(prefix="tourney-chess-") as name:
        home = Path(name)
        home.chmod(0o755)  # so that bots of other users can be started below it
        if runner == "fastchess":
            return by_fastchess(home, fastchess, programs[engine], workers, games)
        return by_tourney(home, programs[engine], runner, workers, games)


def run(
    lines: Sequence[Line], programs: dict[str, Path], arguments: argparse.Namespace
) -> dict[Line, list[tuple[float, float]]]:
    """Return each line's microseconds a half-move, of the clock and of processors, round by round."""
    found: dict[Line, list[tuple[float, float]]] = defaultdict(list)
    for round_ in range(arguments.rounds):
        for line in lines:
            games = arguments.games if line[0] == "fixed" else max(4, arguments.games // 10 * 2)
            few = max(2, games // 20 * 2)
            sys.stderr.write(f"round {round_ + 1} of {arguments.rounds}: {line}, {games} games\n")
            short = play(line, programs, arguments.fastchess, few)
            long = play(line, programs, arguments.fastchess, games)
            plies = long[2] - short[2]
            found[line].append(((long[0] - short[0]) / plies * 1e6, (long[1] - short[1]) / plies * 1e6))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median is printed")
    parser.add_argument("--games", type=int, default=400, help="games of the fixed engine in a run, even")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="games at once")
    parser.add_argument("--engine", nargs="+", default=["fixed", "stockfish"], help="fixed, stockfish")
    parser.add_argument(
        "--fastchess", default=shutil.which("fastchess") or "", help="fastchess, if not on PATH"
    )
    arguments = parser.parse_args()
    path = ":".join((os.environ.get("PATH", os.defpath), GAMES_PATH))
    stockfish = shutil.which("stockfish", path=path)
    with tempfile.TemporaryDirectory(prefix="tourney-chess-engine-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        programs = {"fixed": compile_engine(folder)}
        if stockfish:
            programs["stockfish"] = Path(stockfish)
        engines = [engine for engine in arguments.engine if engine in programs]
        lines = [
            (engine, runner, workers)
            for engine in engines
            for workers in arguments.workers
            for runner in runners(engine, fastchess=bool(arguments.fastchess))
        ]
        found = run(lines, programs, arguments)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print("| engine | workers | runner | wall, us/half-move | ratio | CPU, us/half-move | ratio |")
    print("|---" * 7 + "|")
    for (engine, runner, workers), times in found.items():
        theirs = found.get((engine, "fastchess", workers))
        label = runner if runner == "fastchess" else f"Tourney, sandbox {runner.replace(' ', ', ')}"
        cells = []
        for kind in (0, 1):
            both = zip(theirs or (), times, strict=False)
            ratios = [other[kind] / own[kind] for other, own in both if own[kind]]
            cells += [f"{median(own[kind] for own in times):.1f}", f"{median(ratios):.2f}" if ratios else "-"]
        print(f"| {engine} | {workers} | {label} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
