"""Monte Carlo tree search for every game and number of seats.

``--nodes=N`` is the number of playouts a turn. Without it the tournament's ``nodes`` count, and otherwise the
bot uses a share of its clock.
"""

import argparse
from typing import Any

from tourney.bot import Turn, run
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts, report

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nodes", type=int)
arguments = parser.parse_args()


def choose(state: Any, turn: Turn) -> Any:
    """Return the action that the search visits most."""
    search = Mcts(heuristics_of(turn.match.game_name), turn.draw)
    found = search.run(state, Budget.of(turn, arguments.nodes), None if turn.exact else turn.sample)
    report(turn, found)
    return found.action


run(choose, hidden=True, name="mcts", version="1.0")
