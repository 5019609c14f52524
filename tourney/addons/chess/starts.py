"""Starts, openings of EPD and PGN, and tables of endings, by the package ``chess``.

The tables are Syzygy's, from folders of this machine.
"""

import io
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

import chess

from tourney.addons.chess.board import ChessState, from_board, parse_state
from tourney.addons.chess.fen import read_epd
from tourney.addons.chess.game import STARTS, Move, move_codes
from tourney.addons.chess.spelling import move_of
from tourney.errors import GameError, PositionError, TablesError
from tourney.exchange.foreign_game import KINDS
from tourney.exchange.pgn_headers import PgnText, split_games, tag_of
from tourney.games.base import CHANCE, AnyGame, State
from tourney.games.registry import find_game

if TYPE_CHECKING:
    from chess.pgn import Game

    from tourney.games.base import AnyState, Tables


class DrawState(State[Move]):
    """Chess960 before chance has drawn the starting position."""

    __slots__ = ()

    seats = 2
    actor = CHANCE

    @property
    def game(self) -> AnyGame:
        return find_game("chess960")

    def legal_actions(self) -> Sequence[int]:
        return _STARTS

    def chance_weights(self) -> Sequence[int]:
        return (1,) * len(_STARTS)

    def is_legal(self, action: Move) -> bool:
        return isinstance(action, int) and action >= STARTS

    def play(self, action: Move) -> State[Move]:
        assert isinstance(action, int)  # noqa: S101 - a set-up follows the draw
        return from_board(chess.Board.from_chess960_pos(action - STARTS))

    def ranks(self) -> None:
        """None: the game goes on."""

    def reason(self) -> str:
        return ""

    def position(self) -> str:
        return "draw"


def parse(text: str, *, chess960: bool) -> State[Move]:
    """The state of a position string: a FEN, or in Chess960 ``draw``. Raises PositionError."""
    return DRAW if chess960 and text == "draw" else parse_state(text, chess960=chess960)


def set_up(text: str, *, chess960: bool) -> str:
    """The action that sets up the position of an EPD or a FEN. Raises PositionError."""
    return f"={from_board(read_epd(text, chess960=chess960)).position().replace(' ', '_')}"


def is_fresh(state: State[Move]) -> bool:
    """Whether nothing was played yet but the draw of Chess960."""
    return isinstance(state, ChessState) and state.core.ply == state.core.quiet == 0


_STARTS = tuple(sorted(range(STARTS, STARTS + 960), key=lambda code: str(code - STARTS)))
DRAW: Final = DrawState()
_START: Final = chess.Board()


def start() -> State[Move]:
    """The starting position of chess."""
    return from_board(_START)


def read_games(blocks: Iterable[bytes], *, chess960: bool) -> Iterator[Callable[[], tuple[str, ...]]]:
    """Yield a function for each game, which returns its actions: a set-up for a FEN, and the main line.

    The function raises PositionError for a game that cannot be read. Games are separated as for ratings; the
    reader of ``chess.pgn`` gets their moves only, because it ends games at an empty line or a ``[``.
    """
    for text in split_games(blocks):
        # Without tags an empty line parts games.
        tagged = text.tagged
        for moves in (text.moves,) if tagged else _EMPTY_LINES.split(text.moves):
            if tagged or moves.strip():
                yield partial(_actions_of, text._replace(moves=moves), chess960=chess960)


_EMPTY_LINES: Final = re.compile(rb"\n(?:[ \t]*\n)+")


@cache
def _game_reader() -> Callable[[io.StringIO], "Game | None"]:
    """The reader of ``chess.pgn``, which keeps errors with the game and does not also log them."""
    from chess.pgn import Game, GameBuilder, read_game  # noqa: PLC0415 - few matches need it

    class QuietBuilder(GameBuilder[Game]):
        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(error)

    return partial(read_game, Visitor=QuietBuilder)


def _actions_of(text: PgnText, *, chess960: bool) -> tuple[str, ...]:
    if text.problem:
        raise PositionError(f"it cannot be read: {KINDS[text.problem]}")
    fen = tag_of(text.head, "FEN")
    start = (set_up(fen, chess960=chess960),) if fen else ()
    head = f'[FEN "{read_epd(fen, chess960=chess960).fen()}"]\n' if fen else ""
    variant = '[Variant "Chess960"]\n' if chess960 else ""
    moves = _main_line(text.moves.decode("utf-8", "replace"))
    game = _game_reader()(io.StringIO(f"{variant}{head}\n{moves}\n"))
    if game is None:
        return start
    if game.errors:
        raise PositionError(f"it cannot be read: {str(game.errors[0])[:150]}")
    return (*start, *(move.uci() for move in game.mainline_moves()))


_ASIDE: Final = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*|<[^<>\n]*>|[()]", re.MULTILINE)
"""Comments, and the ends of variations."""
_ENGLISH: Final = {
    **str.maketrans(
        "\u2654\u2655\u2656\u2657\u2658\u265a\u265b\u265c\u265d\u265e", "KQRBNKQRBN", "\u2659\u265f"
    ),
    **str.maketrans("\u2013\u2212\u00d7", "--x"),
}
_GERMAN_PIECE: Final = re.compile(
    r"(?<!\w)[DTLS](?=[a-h]?[1-8]?[-x:]?[a-h][1-8])|(?<=[a-h][18])=?[DTLS](?!\w)"
)
_CAPTURE: Final = re.compile(r"(?<=[KQRBNa-h1-8]):(?=[a-h][1-8])")
_WORD: Final = re.compile(r"[^\W\d_][\w:=/+#()-]*")
_SQUARE: Final = re.compile(r"[a-h][1-8]")
_SAN: Final = re.compile(
    r"[KQRBNP]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:[=(/]?[QRBNKqrbnk]\)?)?(?:ch|dis|dbl|mate|ep?)*[-+#/=()]*",
    re.ASCII,
)
_SAN_OR_CAPITALS: Final = re.compile(_SAN.pattern, re.ASCII | re.IGNORECASE)


def _main_line(text: str) -> str:
    """The moves of a game without comments and variations, and with the English letters of pieces.

    The reader of ``chess.pgn`` passes over what it does not know: it would read the German ``Sf3``, and also
    ``N:f3``, as ``f3``. Raises PositionError for a move in other letters.
    """
    pieces = []
    depth = place = 0
    for aside in _ASIDE.finditer(text):
        if depth == 0:
            pieces.append(text[place : aside.start()])
        place = aside.end()
        depth += {"(": 1, ")": -1}.get(aside[0], 0)
        if depth < 0 and text[aside.start() - 1 : aside.start()].isdecimal():
            depth = 0  # ``1) e4``
        if depth < 0:
            raise PositionError("it cannot be read: its variations are not nested")
    if depth > 0:
        # The moves behind it would be lost, and nothing says where the variation was to end.
        raise PositionError("it cannot be read: a variation does not end")
    pieces.append(text[place:])
    moves = " ".join(" ".join(pieces).translate(_ENGLISH).split())
    moves = _GERMAN_PIECE.sub(lambda piece: piece[0].translate(_FROM_GERMAN), moves)
    moves = _CAPTURE.sub("x", moves)
    for word in _WORD.finditer(moves):
        is_move = _SQUARE.search(word[0]) or _SAN_OR_CAPITALS.fullmatch(word[0])
        if is_move is not None and _SAN.fullmatch(word[0]) is None:
            raise PositionError(
                f"it cannot be read: {word[0][:20]!r} is not a move in the letters of English or German"
            )
    return moves


_FROM_GERMAN: Final = str.maketrans("DTLS", "QRBN")
_LINE: Final = re.compile(
    r"(?:[0-9]+[.)] )?(?:position:? )?(?P<start>startpos|(?:fen:? )?(?P<fen>[^ ]*/.*?))"
    r"(?: moves(?P<moves>(?: [a-h][1-8][a-h][1-8][nbrq]?)*))?",
    re.IGNORECASE,
)
"""A line that begins with a position, as in EPD, in UCI's ``position`` and in the bench of Stockfish."""
_NO_MOVE: Final = re.compile(r"[0-9]+\.+|(?<![^ ])(?:[01]-[01]|1/2-1/2|\*)(?![^ ])|[,;]")


def read_line(text: str, *, position: bool, chess960: bool) -> tuple[str, ...]:
    """The actions of a line of a book: a position and moves behind it, or moves in any spelling.

    ``position``: it must begin with a position. Raises PositionError.
    """
    line = _LINE.fullmatch(" ".join(text.split()))
    if line is not None:
        moves = (line["moves"] or "").lower().split()
        if line["fen"] is None and moves and not chess960:
            return tuple(moves)
        return (set_up(line["fen"] or chess.STARTING_FEN, chess960=chess960), *moves)
    if position:
        return (set_up(text, chess960=chess960),)
    words = _NO_MOVE.sub(" ", text).split()
    if chess960 or text.startswith("=") or all(map(move_codes().__contains__, words)):
        return tuple(words)
    board = chess.Board()
    for word in words:
        move = move_of(board.fen(), word, chess960=False)
        try:
            board.push_uci(move)
        except ValueError as error:
            raise PositionError(f"{word[:20]!r} is not a move of the position before it") from error
    return tuple(move.uci() for move in board.move_stack)


class PgnMoves(NamedTuple):
    """The moves of a match as PGN has them.

    ``fen`` is the position they begin at, "" for chess's own; ``first`` counts the half-moves before it, and
    ``skipped`` the actions of the record that are not moves; ``sans`` are the moves in algebraic notation.
    ``eco`` and ``opening`` are the code and the name of its last position that has them.
    """

    fen: str
    first: int
    skipped: int
    sans: tuple[str, ...]
    eco: str = ""
    opening: str = ""

    @classmethod
    def of(cls, actions: Sequence[str], *, chess960: bool, named: bool = False) -> "PgnMoves":
        """The line of a record's actions; only if it is ``named`` its opening is looked up.

        Raises GameError for a record that is not of this game.
        """
        game = find_game("chess960" if chess960 else "chess")
        state = game.new()
        skipped = 0
        while skipped < len(actions) and actions[skipped].startswith(("=", "sp")):
            state = state.play(game.read_action(state, actions[skipped]))
            skipped += 1
        fen = state.position() if skipped else ""
        if fen == "draw" or (chess960 and not skipped):
            raise GameError("the record has no starting position of chess960")
        board = chess.Board(fen or chess.STARTING_FEN, chess960=chess960)
        first = board.ply()
        sans = _walked(board, tuple(actions[skipped:])).sans
        opening = (
            _opening_of(tuple(actions[: skipped + _LONGEST_OPENING])) if named and not chess960 else None
        )
        return cls(fen, first, skipped, sans, *(opening or ()))


class _Walk(NamedTuple):
    """Moves from the first of ``boards``, in algebraic notation, and the positions behind each."""

    moves: tuple[str, ...]
    sans: tuple[str, ...]
    boards: tuple[chess.Board, ...]

    def shared(self, start: chess.Board, moves: Sequence[str]) -> int:
        """The number of moves that a line shares with this one; -1 if it begins elsewhere."""
        if self.boards[0] != start or self.boards[0].chess960 != start.chess960:
            return -1
        pairs = enumerate(zip(self.moves, moves, strict=False))
        return next((k for k, (own, text) in pairs if own != text), min(len(self.moves), len(moves)))


_WALKS: Final[deque[_Walk]] = deque(maxlen=4)
"""The latest games: a page asks for its game several times, and for each better line beside it."""
_BESIDE: Final = 12
"""Moves behind a known position from which a line counts as a game of its own."""


def _walked(start: chess.Board, moves: tuple[str, ...]) -> _Walk:
    """A line, from the position that it shares with one of the latest games. Raises GameError."""
    # Walking the game again for each better line took a quarter of the time of an analysed game's page.
    near = max(_WALKS, key=lambda walk: walk.shared(start, moves), default=None)
    shared_moves = 0 if near is None else max(0, near.shared(start, moves))
    boards = [start] if near is None or not shared_moves else list(near.boards[: shared_moves + 1])
    sans = [] if near is None else list(near.sans[:shared_moves])
    board = boards[-1].copy(stack=False)
    for text in moves[shared_moves:]:
        try:
            sans.append(board.san_and_push(board.parse_uci(text)))
        except ValueError as error:
            raise GameError(f"the record has the move {text[:20]!r}, which is not legal") from error
        boards.append(board.copy(stack=False))
    walk = _Walk(moves, tuple(sans), tuple(boards))
    if len(moves) - shared_moves >= _BESIDE:
        _WALKS.append(walk)
    return walk


_LONGEST_OPENING: Final = 36
"""Half-moves of the longest line in the table of openings."""


@cache
def _opening_finder() -> Callable[[chess.Board], tuple[str, str] | None]:
    """A function that finds code and name of a position in the table that ``scripts.make_openings`` wrote."""
    from chess.polyglot import zobrist_hash  # noqa: PLC0415 - only exports need it

    table = files(__package__).joinpath("openings.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    names = {int(key, 16): (eco, name) for key, eco, name in rows}
    return lambda board: names.get(zobrist_hash(board))


@lru_cache(maxsize=64)
def _opening_of(actions: tuple[str, ...]) -> tuple[str, str] | None:
    """The code and the name of the last position of legal moves that has them."""
    # Cached, because the page of a match and its PGN ask one after the other; it costs two milliseconds.
    find_opening = _opening_finder()
    opening = None
    board = chess.Board()
    for text in actions:
        if text.startswith("="):
            board = chess.Board(text[1:].replace("_", " "))
        else:
            board.push_uci(text)
            opening = find_opening(board) or opening
    return opening


def opening_name(actions: Sequence[str]) -> str:
    """The code and the name of an opening, as ``C60 Ruy Lopez``; "" without a position that has them."""
    set_up = sum(text.startswith("=") for text in actions[:1])
    try:
        return " ".join(_opening_of(tuple(actions[: set_up + _LONGEST_OPENING])) or ())
    except ValueError:
        return ""


def side_lines(
    line: PgnMoves, actions: Sequence[str], lines: Mapping[int, Sequence[str]], *, chess960: bool
) -> dict[int, tuple[str, ...]]:
    """Lines beside a game in algebraic notation, as far as they are legal, by the actions before them."""
    # One pass through the game: replaying the game for each line is quadratic in its length.
    board = chess.Board(line.fen or chess.STARTING_FEN, chess960=chess960)
    sans: dict[int, tuple[str, ...]] = {}
    for ply in range(line.skipped, len(actions)):
        moves: list[str] = []
        aside = board.copy(stack=False)
        with suppress(ValueError):  # an engine's line may go wrong behind its first moves
            for text in lines.get(ply, ()):
                moves.append(aside.san_and_push(aside.parse_uci(text)))  # noqa: PERF401 - a line keeps what came before an illegal move
        if moves:
            sans[ply] = tuple(moves)
        board.push_uci(actions[ply])
    return sans


def algebraic(actions: Sequence[str], *, chess960: bool) -> Sequence[str]:
    """A record's actions in algebraic notation; a start is named. They stay as they are if one is illegal."""
    try:
        line = PgnMoves.of(actions, chess960=chess960)
    except GameError:
        return actions
    starts = [
        "set-up" if text.startswith("=") else f"start\u00a0{text[2:]}" for text in actions[: line.skipped]
    ]
    return (*starts, *line.sans)


VARIABLE: Final = "TOURNEY_SYZYGY"  # the environment variable that names the folders, with ``:`` between them
_WINNING: Final = 2  # the value of a win within the rule of fifty moves; 1 and -1 are draws by it


def open_tables(pieces: int) -> "Tables":
    """A function that gives the ranks of a ``ChessState`` with at most ``pieces`` pieces.

    All tables of up to ``pieces`` pieces must be there: so a result depends on the position alone, never on
    which tables a machine has. Raises TablesError.
    """
    folders = os.environ.get(VARIABLE, "")
    if not folders:
        raise TablesError(
            f"tablebase-pieces = {pieces} needs Syzygy tables: set the environment variable {VARIABLE} to"
            " their folder"
        )
    return _tables(folders, pieces)


@lru_cache(maxsize=4)
def _tables(folders: str, pieces: int) -> "Tables":
    """The tables of some folders, which stay open for further matches."""
    from chess import syzygy  # noqa: PLC0415 - few matches need it

    opened = syzygy.Tablebase()
    for folder in folders.split(os.pathsep):
        try:
            opened.add_directory(folder, load_dtz=False)
        except OSError as error:
            raise TablesError(f"{VARIABLE} names {folder}, which cannot be read: {error.strerror}") from error
    wanted = sorted(syzygy.tablenames(piece_count=pieces))
    missing = [f"{name}.rtbw" for name in wanted if name not in opened.wdl]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise TablesError(
            f"tablebase-pieces = {pieces} needs {len(wanted)} files, of which {', '.join(missing[:3])}{more}"
            f" are not in {folders}: add them, or lower the number"
        )

    def ranks(state: "AnyState") -> tuple[int, ...] | None:
        assert isinstance(state, ChessState)  # noqa: S101 - others have no ending
        try:
            value = opened.probe_wdl(state.board())
        except Exception as error:  # a damaged table fails in any way
            raise TablesError(f"the Syzygy tables in {folders} are damaged: {error}") from error
        if abs(value) < _WINNING:
            return (1, 1)
        return (1, 2) if (value > 0) == (state.core.mover == 1) else (2, 1)

    return ranks
