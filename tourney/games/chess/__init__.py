"""Chess, on the tables and the move generator of the package ``chess`` (the extra ``chess``)."""

from tourney.games.chess.game import Chess

__all__ = ["Chess"]
