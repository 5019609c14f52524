"""Write the table of names of chess openings from the files of lichess-org/chess-openings (CC0).

Run ``python -m scripts.make_openings FOLDER`` with a checkout of that repository.
"""

import csv
import io
import sys
from pathlib import Path

import chess.pgn
from chess.polyglot import zobrist_hash

TABLE = Path(__file__).parents[1] / "tourney" / "addons" / "chess" / "openings.tsv"


def table_of(folder: Path) -> str:
    """The lines of the table: the position's Polyglot key in hex, its ECO code and its name, sorted."""
    lines = {}
    for path in sorted(folder.glob("[a-e].tsv")):
        for row in csv.DictReader(
            path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE
        ):
            game = chess.pgn.read_game(io.StringIO(row["pgn"]))
            if game is None or game.errors:
                raise ValueError(f"{path}: {row['pgn']} cannot be read")
            lines[zobrist_hash(game.end().board())] = f"{row['eco']}\t{row['name']}"
    return "".join(f"{key:016x}\t{line}\n" for key, line in sorted(lines.items()))


if __name__ == "__main__":
    TABLE.write_text(table_of(Path(sys.argv[1])), "utf-8")
