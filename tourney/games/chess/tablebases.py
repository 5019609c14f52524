"""Syzygy's tables of endings, from folders of this machine, by ``chess.syzygy``."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import chess.syzygy

from tourney.errors import TablesError
from tourney.games.chess.board import ChessState

if TYPE_CHECKING:
    from tourney.games.base import AnyState, Tables

VARIABLE: Final = "TOURNEY_SYZYGY"
"""The environment variable that names the folders, with ``:`` between them."""
_WINNING: Final = 2
"""The value of a win within the rule of fifty moves; 1 and -1 are draws by it."""


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
    opened = chess.syzygy.Tablebase()
    for folder in folders.split(os.pathsep):
        try:
            opened.add_directory(folder, load_dtz=False)
        except OSError as error:
            raise TablesError(f"{VARIABLE} names {folder}, which cannot be read: {error.strerror}") from error
    wanted = sorted(chess.syzygy.tablenames(piece_count=pieces))
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
        return (1, 2) if (value > 0) == (state.mover == 1) else (2, 1)

    return ranks
