"""Alpha-beta search for the games of two seats without chance.

``--depth=N`` is the depth of the search in actions, ``--nodes=N`` the number of positions a turn whose
actions are valued. Without either the tournament's ``nodes`` count, and otherwise the bot uses a share of its
clock.
"""

import argparse
import sys
from typing import Any

from tourney.bot import Match, Turn, run
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import MOST_PLIES, Budget, alpha_beta, report

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--depth", type=int)
parser.add_argument("--nodes", type=int)
arguments = parser.parse_args()


def start(match: Match) -> None:
    """Load what the search knows of the game, in the start-up time."""
    match.memory["heuristics"] = heuristics_of(match.game_name)


def choose(state: Any, turn: Turn) -> Any:
    """Return the best action; while something is hidden, the one that looks best at once."""
    depth, nodes = arguments.depth or MOST_PLIES, arguments.nodes
    if not state.revealed():
        depth = 1
    if arguments.depth is not None and nodes is None:
        nodes = sys.maxsize
    heuristics = turn.match.memory["heuristics"]
    found = alpha_beta(state, Budget.of(turn, nodes), heuristics, depth=depth, randbelow=turn.draw)
    report(turn, found)
    return found.action


run(choose, start=start, hidden=True, name="alphabeta", version="1.0")
