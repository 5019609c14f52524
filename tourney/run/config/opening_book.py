"""The opening book of a tournament file, and how files that it names are read."""

from pathlib import Path
from typing import Final

from tourney.errors import GameError, TournamentError
from tourney.games.base import AnyGame
from tourney.match.seeds import sample_book_line
from tourney.match.spec import Opening

MAX_BOOK_BYTES: Final = 4 << 20

Book = tuple[tuple[str, ...], ...]
"""Openings, each a tuple of actions."""


def read_text(path: Path, noun: str, most: int) -> str:
    """Return the text of a file of at most ``most`` bytes; ``noun`` names it, with its article."""
    try:
        return read_bytes(path, noun, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise TournamentError(f"{path}: the file is not UTF-8 (byte {error.start})", file=path) from error


def read_bytes(path: Path, noun: str, most: int) -> bytes:
    """Return the content of a file as ``read_text`` does."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        name = noun.partition(" ")[2]
        raise TournamentError(f"the {name} {path} cannot be read: {error.strerror}", file=path) from error
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise TournamentError(f"{path}: {noun} has at most {size}", file=path)
    return data


def read_book(path: Path, game: AnyGame, seats: int, options: dict[str, str]) -> Book:
    """Read an opening book and try every opening. Raises TournamentError, naming the line.

    Each line holds a game's first actions, separated by blanks; ``#`` begins a comment, and blank lines are
    skipped. Books are for games without chance and without hidden actions.
    """
    if game.has_chance or game.has_hidden_actions:
        raise TournamentError(
            f"{path}: an opening book does not go with {game.name}, a game with chance or hidden actions"
        )
    book = []
    for number, line in enumerate(read_text(path, "an opening book", MAX_BOOK_BYTES).splitlines(), 1):
        actions = tuple(line.partition("#")[0].split())
        if not actions:
            continue
        where = f"{path}, line {number}"
        state = game.initial(seats, options)
        try:
            for action in actions:
                state = state.play(game.read_action(state, action))
        except GameError as error:
            raise TournamentError(f"{where}: {error}") from error
        if state.ranks() is not None:
            raise TournamentError(f"{where}: the game is over after this opening; leave actions to play")
        book.append(actions)
    if not book:
        raise TournamentError(f"{path}: the opening book holds no opening")
    return tuple(book)


def choose(seed: int, plies: int, book: Book) -> Opening:
    """Return the opening of a match: a line of the book, sampled by the match seed, or a number of plies."""
    if not book:
        return Opening(plies=plies)
    return Opening(actions=book[sample_book_line(seed, len(book))])
