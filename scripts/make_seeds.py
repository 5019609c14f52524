"""Make what is in ``seeds/``: a golden match for each game, played by bots that ship, and opening books.

The limits of golden matches are never reached, so only rules, seeds and bots decide them.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.errors import ActionError, TourneyError
from tourney.files import write_file
from tourney.games.base import OVER, AnyGame, AnyState, GoldenMatch, OpeningBook
from tourney.games.registry import GAMES, find_game
from tourney.held_folder import remove_tree
from tourney.match.record import Record
from tourney.match.runner import MatchRunner, StoreLauncher, entrant_of
from tourney.match.spec import Limits, MatchSpec
from tourney.seeds import derive, uniform

LIMITS: Final = Limits(move_ms=60_000, startup_ms=60_000)


def play_golden(game: str, golden: GoldenMatch, store: BotStore, sandbox: Sandbox) -> Record:
    """Play a golden match with the bots as they ship now, and return its record.

    Raises what ``MatchRunner.play`` raises.
    """
    bots = [resolve_bot(name, store) for name in golden.bots]
    seats = tuple(entrant_of(bot, f"{bot.manifest.name}-{seat}") for seat, bot in enumerate(bots, start=1))
    spec = MatchSpec(game, golden.options, seats, golden.seed, LIMITS)
    with MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox) as room:
        return room.play(spec).record


PLIES: Final = 4
LINES: Final = 60
SEED: Final = 20261120
MISSES: Final = 1000
"""Candidates in a row without a new opening after which the search ends."""


def book_text(game: AnyGame, plies: int = PLIES, lines: int = LINES, seed: int = SEED) -> str:
    """Return the text of a book: comments on how it was made, and an opening per line."""
    head = (
        f"# {lines} openings of {game.title} (rules {game.rules}) of {plies} plies, from the seed {seed}.\n"
        "# No seat has a point, no piece has left the board; no two come to the same or to mirror images.\n"
        "# Made by make seeds.\n"
    )
    openings = islice(sample_openings(game, plies, seed), lines)
    return head + "".join(" ".join(opening) + "\n" for opening in openings)


def sample_openings(game: AnyGame, plies: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield openings until ``MISSES`` candidates in a row are not new.

    The k-th candidate's j-th action is sampled by ``derive(seed, "book", GAME, k, j)``, both from 0.
    """
    book = game.opening_book
    if book is None:
        raise ValueError(f"{game.name} names no opening_book")
    seen: set[str] = set()
    k = misses = 0
    while misses < MISSES:
        actions, state = _candidate(game, plies, seed, k)
        k += 1
        misses += 1
        key = _key(game, book, state, actions)
        if state.actor != OVER and key not in seen and _level(game, book, state):
            seen.add(key)
            misses = 0
            yield tuple(actions)


def _candidate(game: AnyGame, plies: int, seed: int, k: int) -> tuple[list[str], AnyState]:
    """Sample some first actions; return them, and the state after them."""
    actions: list[str] = []
    state = game.new()
    while len(actions) < plies and state.actor != OVER:
        legal = state.legal_actions()
        action = legal[uniform(derive(seed, "book", game.name, k, len(actions)), len(legal))]
        actions.append(game.action_string(action))
        state = state.play(action)
    return actions, state


def mirrored(action: str, files: str) -> str:
    """Return an action with the files of its squares mirrored."""
    return re.sub(
        r"[a-z](?=[0-9])", lambda match: files[len(files) - 1 - files.index(match[0])], action, flags=re.ASCII
    )


def _key(game: AnyGame, book: OpeningBook, state: AnyState, actions: list[str]) -> str:
    """Return one key for an opening and its mirror image: the lesser of their positions."""
    image = game.new()
    try:
        for action in actions:
            image = image.play(game.read_action(image, mirrored(action, book.files)))
    except ActionError as error:
        raise ValueError(f"the board of {game.name} is not its own mirror image: {error}") from error
    return min(state.position(), image.position())


def _level(game: AnyGame, book: OpeningBook, state: AnyState) -> bool:
    fields, first = state.position().split(" "), game.new().position().split(" ")
    letters = [sum(c.isalpha() for k in book.pieces for c in each[k]) for each in (fields, first)]
    return fields[book.points] == "0:0" and letters[0] == letters[1]


def write_golden(folder: Path) -> None:
    """Play the golden matches and write DIR/golden/GAME.json. Raises TourneyError, OSError."""
    (folder / "golden").mkdir(parents=True, exist_ok=True)
    store = Path(tempfile.mkdtemp(prefix="tourney-"))
    try:
        for game in GAMES.own:
            golden = find_game(game).golden_match
            if golden is None:
                continue
            record = play_golden(game, golden, BotStore(store), open_sandbox("off"))
            write_file(folder / "golden" / f"{game}.json", record.encode() + b"\n")
    finally:
        remove_tree(store)


def write_books(folder: Path) -> None:
    """Sample the opening books and write DIR/GAME.book. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in map(find_game, GAMES.own):
        if game.opening_book is not None:
            write_file(folder / f"{game.name}.book", book_text(game).encode("ascii"))


def main(arguments: list[str]) -> int:
    """Write into the folder that is the only argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m scripts.make_seeds DIR\n")
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
