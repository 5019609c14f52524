"""Chess and Chess960, on the tables and the move generator of the package ``chess`` (the extra ``chess``)."""

from tourney.games.chess.game import Chess, Chess960

__all__ = ["Chess", "Chess960"]
