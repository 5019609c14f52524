"""The opening book of a tournament file, and how files that it names are read."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from tourney.errors import GameError, TournamentError
from tourney.games.base import CHANCE, AnyGame

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


def read_book(path: Path, game: AnyGame, seats: int, options: dict[str, str], plies: int = 0) -> Book:
    """Read an opening book and try every opening. Raises TournamentError, naming the line or the game.

    Each line holds a game's first actions, separated by blanks; ``#`` begins a comment, and blank lines are
    skipped. Of ``.epd`` each line is a position; of ``.pgn`` each game is an opening, or with ``plies`` its
    first moves. Books are for games without hidden actions; with chance each opening sets a position up.
    """
    if game.has_hidden_actions:
        raise TournamentError(
            f"{path}: an opening book does not go with {game.name}, a game with hidden actions"
        )
    book = []
    for where, actions in _openings(path, game, plies):
        state = game.initial(seats, options)
        if state.actor == CHANCE and not actions[0].startswith("="):
            raise TournamentError(
                f"{where}: an opening of {game.name} must set a position up, because chance acts first in it"
            )
        try:
            while state.actor == CHANCE:
                state = state.play(state.legal_actions()[0])
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


def _openings(path: Path, game: AnyGame, plies: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the openings of a book with their places for errors. Raises TournamentError."""
    text = read_text(path, "an opening book", MAX_BOOK_BYTES)
    if path.suffix == ".pgn":
        for number, read in enumerate(_games(text, path, game), 1):
            where = f"{path}, game {number}"
            try:
                actions = read()
            except GameError as error:
                raise TournamentError(f"{where}: {error}") from error
            begun = actions[:1] if actions and actions[0].startswith("=") else ()
            cut = actions[: plies + len(begun)] if plies else actions
            if cut:
                yield where, cut
        return
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}, line {number}"
        if path.suffix == ".epd":
            if line.strip() and not line.startswith("#"):
                try:
                    yield where, (game.set_up(line.strip()),)
                except GameError as error:
                    raise TournamentError(f"{where}: {error}") from error
        elif actions := tuple(line.partition("#")[0].split()):
            yield where, actions


def _games(text: str, path: Path, game: AnyGame) -> Iterable[Callable[[], tuple[str, ...]]]:
    """Return a function for each game of a PGN, which reads its actions. Raises TournamentError."""
    if game.name not in ("chess", "chess960"):
        raise TournamentError(
            f"{path}: a book in PGN goes with chess and chess960 only, not with {game.name}"
        )
    from tourney.games.chess.pgn import read_games  # noqa: PLC0415 - needs an extra

    return read_games(text, chess960=game.name == "chess960")
