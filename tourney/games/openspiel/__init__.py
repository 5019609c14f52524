"""The games of OpenSpiel (the extra ``openspiel``), as ``openspiel:NAME(PARAMETER=VALUE,...)``."""

from tourney.games.openspiel.family import OpenSpiel

__all__ = ["OpenSpiel"]
