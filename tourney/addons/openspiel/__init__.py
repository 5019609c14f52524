"""The add-on of OpenSpiel: its games, as a family."""

from tourney.plugins import Addon

ADDON = Addon(game_families={"openspiel": "tourney.addons.openspiel.family:OpenSpiel"})
