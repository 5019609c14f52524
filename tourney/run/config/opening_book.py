"""Opening books: text files with an opening per line.

Each line holds a game's first actions, separated by blanks; ``#`` begins a comment, and blank lines are
skipped. The match seed samples an opening for each mirrored group. Every action is checked against the rules
when the book is read, so books are for games without dice and without hidden actions.
"""

from pathlib import Path

from tourney.errors import GameError, TournamentError
from tourney.games.base import AnyGame
from tourney.match.spec import Opening
from tourney.seeds import derive, uniform

Book = tuple[tuple[str, ...], ...]

MAX_BYTES = 4 << 20


def read_book(path: Path, game: AnyGame, seats: int, options: dict[str, str]) -> Book:
    """Read a book and try every opening. Raises TournamentError, naming the line."""
    if game.has_chance or game.has_hidden_actions:
        raise TournamentError(
            f"{path}: an opening book does not go with {game.name}, a game with chance or hidden actions"
        )
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise TournamentError(f"{path}: an opening book has at most {MAX_BYTES >> 20} MiB")
        text = data.decode("utf-8")
    except OSError as error:
        raise TournamentError(f"the opening book {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TournamentError(f"{path}: the opening book is not UTF-8 (byte {error.start})") from error
    book = []
    for number, line in enumerate(text.splitlines(), 1):
        actions = tuple(line.partition("#")[0].split())
        if actions:
            _try(actions, game, seats, options, f"{path}, line {number}")
            book.append(actions)
    if not book:
        raise TournamentError(f"{path}: the opening book holds no opening")
    return tuple(book)


def choose(seed: int, plies: int, book: Book) -> Opening:
    """Return the opening of a match: a line of the book, sampled by the match seed, or a number of plies."""
    if not book:
        return Opening(plies=plies)
    return Opening(actions=book[uniform(derive(seed, "book"), len(book))])


def _try(actions: tuple[str, ...], game: AnyGame, seats: int, options: dict[str, str], where: str) -> None:
    state = game.initial(seats, options)
    for action in actions:
        try:
            state = state.play(game.read_action(state, action))
        except GameError as error:
            raise TournamentError(f"{where}: {error}") from error
    if state.ranks() is not None:
        raise TournamentError(f"{where}: the game is over after this opening; leave actions to play")
