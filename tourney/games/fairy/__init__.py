"""Chess variants by the rules of Fairy-Stockfish, through the package ``pyffish`` (the extra ``fairy``)."""

from tourney.games.fairy.game import Fairy

__all__ = ["Fairy"]
