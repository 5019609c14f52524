"""Bots that `tourney bots new` writes beat the bots that they promise to beat, the same way in every language."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from tests.engines.conftest import room_of
from tourney.bots.catalogue.command import own_words
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.starter import BEATEN, LANGUAGES, new_bot
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.errors import BotError
from tourney.games import find_game
from tourney.match.spec import Entrant, Limits, MatchSpec

GAMES = ("cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages")
LIMITS = Limits(move_ms=60_000, startup_ms=60_000)
