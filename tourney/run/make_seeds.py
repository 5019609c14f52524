"""What is in seeds/: ``python -m tourney.run.make_seeds DIR`` writes golden games and opening books into DIR.

The named seeds (``named-seeds.jsonl``) are kept by hand: a digest there is a promise.
"""

import sys
import tempfile
from pathlib import Path

from tourney.bots.sandbox import open_sandbox
from tourney.bots.store import BotStore
from tourney.bots.tree import remove_tree
from tourney.errors import TourneyError
from tourney.games.registry import find_game
from tourney.match.record import canonical
from tourney.run.draw_book import BOARDS, book_text
from tourney.run.golden import GAMES, play_golden


def write_golden(folder: Path) -> None:
    """Play the golden games and write DIR/golden/GAME.json. Raises TourneyError, OSError."""
    (folder / "golden").mkdir(parents=True, exist_ok=True)
    store = Path(tempfile.mkdtemp(prefix="tourney-"))
    try:
        for game, golden in GAMES.items():
            record = play_golden(game, golden, BotStore(store), open_sandbox("off"))
            (folder / "golden" / f"{game}.json").write_bytes(canonical(record) + b"\n")
    finally:
        remove_tree(store)


def write_books(folder: Path) -> None:
    """Draw the opening books and write DIR/GAME.book. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in BOARDS:
        (folder / f"{game}.book").write_text(book_text(find_game(game)), encoding="ascii")


def main(arguments: list[str]) -> int:
    """Write into the folder that is the only argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tourney.run.make_seeds DIR\n")
        return 2
    try:
        write_books(Path(arguments[0]))
        write_golden(Path(arguments[0]))
    except (OSError, TourneyError) as error:
        sys.stderr.write(f"error: {error}\n")
        return getattr(error, "exit_code", 3)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
