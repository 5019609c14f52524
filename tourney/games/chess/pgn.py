"""Games in PGN: read as openings by the package ``chess``, and written from records of matches."""

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import chess
import chess.pgn

from tourney.errors import PositionError
from tourney.games.chess.rules import read_epd

if TYPE_CHECKING:
    from chess.pgn import Game


def read_games(text: str, *, chess960: bool) -> Iterator[Callable[[], tuple[str, ...]]]:
    """Yield a function for each game, which returns its actions: a set-up for a FEN, and the main line.

    The function raises PositionError for a game that cannot be read.
    """
    stream = io.StringIO(text.removeprefix("\ufeff"))
    while (game := chess.pgn.read_game(stream)) is not None:
        yield _reader(game, chess960=chess960)


def _reader(game: "Game", *, chess960: bool) -> Callable[[], tuple[str, ...]]:
    def read() -> tuple[str, ...]:
        if game.errors:
            raise PositionError(f"it cannot be read: {str(game.errors[0])[:150]}")
        fen = game.headers.get("FEN", "")
        actions = [move.uci() for move in game.mainline_moves()]
        if not fen:
            return tuple(actions)
        state = read_epd(fen, chess960=chess960)
        return (f"={state.position().replace(' ', '_')}", *actions)

    return read
