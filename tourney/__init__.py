"""Tourney: tournaments and ratings for people who write game bots."""

__version__ = "0.1.0"
