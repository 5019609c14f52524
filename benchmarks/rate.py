"""`tourney rate` on a large PGN: time, processor time and memory, and the cost of each part.

    python -m benchmarks.rate [--games 1000000] [--players 50] [--plies 80] [--seed 1] [--keep FILE]

Writes a PGN of mirrored pairs from the seed (the same bytes everywhere), then runs `tourney rate` on it in a
process of its own: the batch rating, with pairs and without, Ordo's model, and TrueSkill. Times that another
program steals are in the wall clock only, so compare processor time.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from benchmarks.common import cost_of, described, head, row, run
from tourney.ratings.superiority import normals, uniforms

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


def write_pgn(path: Path, count: int, players: int, seed: int, plies: int) -> None:
    """Write the games to a file."""
    moves = movetext(plies)
    with path.open("w", encoding="ascii") as file:
        file.writelines(games(count, players, seed, moves))


@click.command(help=described(__doc__))
@click.option("--games", "count", default=1_000_000, show_default=True)
@click.option("--players", default=50, show_default=True)
@click.option("--plies", default=80, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Write the PGN here and leave it.")
def main(count: int, players: int, plies: int, seed: int, keep: Path | None) -> None:
    """Print a row for each way to rate."""
    with tempfile.TemporaryDirectory(prefix="tourney-rate-") as folder:
        path = keep or Path(folder) / "games.pgn"
        with path.open("w", encoding="ascii") as file:
            file.writelines(games(count, players, seed, movetext(plies)))
        print(f"{count:,} games of {players} players, {path.stat().st_size / 1e6:,.0f} MB\n")
        head("rated by", "s", "CPU s", "us a game", "MB")
        for name, more in (
            ("batch, pairs as clusters", []),
            ("batch, each game by itself", ["--no-pairs"]),
            ("Ordo's model", ["--model", "ordo"]),
            ("TrueSkill", ["--method", "trueskill"]),
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
