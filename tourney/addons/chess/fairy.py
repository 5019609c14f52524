"""The family ``fairy``: chess variants by Fairy-Stockfish's rules, through ``pyffish`` (the extra ``fairy``).

The package decides legality and ends. It has no state: each question is asked of the starting position and
all moves, and the package sets its tables up for each one, which takes nearly all of the time. So a state
asks two or three questions, and answers to recent positions are kept.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from tourney.addons.chess.game import numbers_from
from tourney.errors import ActionError, GameError, import_extra
from tourney.games.base import OVER, Game, State
from tourney.games.registry import GameFamily

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from tourney.games.diagrams import Diagram

MAX_ACTIONS: Final = 2_000
"""Actions after which a game is drawn, because some variants have no rule that ends them."""

_MOVE = re.compile(r"[!-~]{2,20}", re.ASCII)
_OWN_START = ("fischerandom", "caparandom")
"""Variants whose starting position is drawn at random, which the package does not do."""


@cache
def package() -> ModuleType:
    """The package. Raises GameError if it is not installed."""
    return import_extra("pyffish", GameError, "games of the family fairy need", "fairy")


class FairyState(State[str]):
    """A position: the starting FEN and the moves since then, of which the package tells the rest."""

    __slots__ = ("_legal", "_reason", "_value", "actor", "fen", "mover", "moves", "variant")

    seats = 2
    actor: int  # the seat to act, or OVER

    def __init__(self, variant: str, fen: str, moves: tuple[str, ...]) -> None:
        self.variant = variant
        self.fen = fen
        self.moves = moves
        white = fen.split(" ")[1] != "b"
        self.mover = 1 if white == (len(moves) % 2 == 0) else 2
        self._legal, self._reason, self._value = _answers(variant, fen, moves)
        if not self._reason and len(moves) >= MAX_ACTIONS:
            self._reason = "too-long"
            self._value = 0
        self.actor = OVER if self._reason else self.mover

    def legal_actions(self) -> Sequence[str]:
        return () if self._reason else self._legal

    def play(self, action: str) -> FairyState:
        return FairyState(self.variant, self.fen, (*self.moves, action))

    def ranks(self) -> tuple[int, ...] | None:
        if not self._reason:
            return None
        if not self._value:
            return (1, 1)
        return (1, 2) if (self._value > 0) == (self.mover == 1) else (2, 1)

    def reason(self) -> str:
        return self._reason

    def irreversible(self) -> bool:
        """Whether the last move set the FEN's count of half-moves, the field before the last, to 0."""
        return self.position().split(" ")[-2:-1] == ["0"]

    def position(self) -> str:
        return str(package().get_fen(self.variant, self.fen, list(self.moves)))


@cache
def _returns_pieces(variant: str) -> bool:
    """Whether captured pieces come back into play: then the package finds all material sufficient."""
    return bool(package().captures_to_hand(variant))


@lru_cache(maxsize=256)
def _answers(variant: str, fen: str, moves: tuple[str, ...]) -> tuple[tuple[str, ...], str, int]:
    """The legal moves after others, why the game is over ("" if not), and its value for the mover."""
    fairy = package()
    about = (variant, fen, list(moves))
    legal = tuple(sorted(set(fairy.legal_moves(*about))))
    if not legal:
        # The package lists no moves either where a rule of the variant has ended the game.
        over, value = fairy.is_immediate_game_end(*about)
        if over:
            return (), "variant-end", value
        return (), "checkmate" if fairy.gives_check(*about) else "stalemate", fairy.game_result(*about)
    over, value = fairy.is_optional_game_end(*about)
    if over:
        return legal, "repetition-or-count", value
    if not _returns_pieces(variant) and all(fairy.has_insufficient_material(*about)):
        return legal, "insufficient-material", 0
    return legal, "", 0


class FairyGame(Game[str]):
    """One variant. A position is shown as a FEN, an action is a move of UCI.

    Positions are not read: a FEN lacks the history that some variants count.
    """

    seat_counts = (2,)
    seat_names = ("White", "Black")
    max_actions = MAX_ACTIONS
    has_positions = False

    def __init__(self, variant: str) -> None:
        self.variant = variant
        self.name = f"fairy:{variant}"
        self.title = f"{variant.capitalize()} (Fairy-Stockfish)"
        version = re.sub(r"[^0-9A-Za-z.]", "-", " ".join(package().info().split(" ")[1:2]))
        self.rules = f"1-{version or 'unknown'}"

    def initial(self, seats: int, options: Mapping[str, str]) -> State[str]:  # noqa: ARG002 - there are none
        return FairyState(self.variant, package().start_fen(self.variant), ())

    def action_string(self, action: str) -> str:
        return action

    def parse_action(self, text: str) -> str:
        if _MOVE.fullmatch(text) is None:
            raise ActionError(
                f"{text[:20]!r} is not a move: write it as UCI does, such as e2e4, e7e8q or P@e4"
            )
        return text

    def read_notation(self, view: str, text: str) -> str:
        """The move of Fairy-Stockfish's algebraic notation, or of UCI's in capitals or with ``=``."""
        fairy, small = package(), text.lower()
        meant = {
            move
            for move in fairy.legal_moves(self.variant, view, [])
            if small in (move.lower(), f"{move[:4]}={move[4:]}".lower())
            or text == fairy.get_san(self.variant, view, move)
        }
        return str(meant.pop()) if len(meant) == 1 else text

    def notation(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        start = package().start_fen(self.variant)
        try:
            return [str(san) for san in package().get_san_moves(self.variant, start, list(actions))]
        except ValueError:
            return actions

    def move_numbers(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        # Every variant here begins with White's first move.
        return tuple(numbers_from(0, len(actions)))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """The diagram of a FEN: figures for the pieces of chess, letters for others."""
        from tourney.addons.chess.diagram import variant_diagram  # noqa: PLC0415 - bots start often and need no diagrams

        return variant_diagram(view, last, package().start_fen(self.variant))


class Fairy(GameFamily):
    """The variants of chess that Fairy-Stockfish knows."""

    name = "fairy"
    title = "Chess variants by the rules of Fairy-Stockfish"

    def make(self, text: str) -> FairyGame:
        if text not in self._variants():
            raise GameError(f"there is no variant fairy:{text[:40]}; `tourney games fairy` lists them")
        return FairyGame(text)

    def names(self) -> tuple[str, ...]:
        return tuple(f"fairy:{variant}" for variant in self._variants())

    def _variants(self) -> tuple[str, ...]:
        """The variants played here: on one board, from one known starting position."""
        fairy = package()
        return tuple(
            variant
            for variant in sorted(fairy.variants())
            if re.fullmatch(r"[a-z0-9-]+", variant)
            and not fairy.two_boards(variant)
            and variant not in _OWN_START
        )
