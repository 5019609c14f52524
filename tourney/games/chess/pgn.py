"""Games in PGN: read as openings by the package ``chess``, and written from records of matches."""

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.pgn

from tourney.errors import GameError, PositionError
from tourney.games.chess.starts import set_up
from tourney.games.registry import find_game

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
        return (set_up(fen, chess960=chess960), *actions)

    return read


class PgnMoves(NamedTuple):
    """The moves of a match as PGN has them.

    ``fen`` is the position they begin at, "" for chess's own; ``first`` counts the half-moves before it, and
    ``skipped`` the actions of the record that are not moves; ``sans`` are the moves in algebraic notation.
    """

    fen: str
    first: int
    skipped: int
    sans: tuple[str, ...]

    @classmethod
    def of(cls, actions: Sequence[str], *, chess960: bool) -> "PgnMoves":
        """The line of a record's actions. Raises GameError for a record that is not of this game."""
        game = find_game("chess960" if chess960 else "chess")
        state, skipped = game.new(), 0
        while skipped < len(actions) and actions[skipped].startswith(("=", "sp")):
            state = state.play(game.read_action(state, actions[skipped]))
            skipped += 1
        fen = state.position() if skipped else ""
        if fen == "draw" or (chess960 and not skipped):
            raise GameError("the record has no starting position of chess960")
        board = chess.Board(fen or chess.STARTING_FEN, chess960=chess960)
        first = board.ply()
        sans = []
        for text in actions[skipped:]:
            try:
                sans.append(board.san_and_push(board.parse_uci(text)))
            except ValueError as error:
                raise GameError(f"the record has the move {text[:20]!r}, which is not legal") from error
        return cls(fen, first, skipped, tuple(sans))
