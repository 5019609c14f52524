"""Nine-Tile Cyvasse: two armies on a board that each player lays out in secret.

The rules are those of ``docs/rules/cyvasse.md``, whose words name the modules: ``board``, ``ground`` and
``tiles``; ``pieces``, ``engagement`` and ``moves``; ``setup`` and ``play``, the states; ``position``,
``reading`` and ``actions``, the strings; ``sample`` and ``picture``.
"""

from tourney.games.cyvasse.game import Cyvasse

__all__ = ["Cyvasse"]
