"""Monte Carlo tree search for every game and number of seats.

``--nodes=N`` is the number of playouts a turn. Without it the tournament's ``nodes`` count, and otherwise the
bot uses a share of its clock. With ``--random`` playouts go on at random, to the end or for ``--plies=N``
actions, after which the position is valued.
"""

import argparse
from typing import Any

from tourney.bot import Match, Turn, run
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts, report

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nodes", type=int)
parser.add_argument("--random", action="store_true")
parser.add_argument("--plies", type=int)
arguments = parser.parse_args()


def start(match: Match) -> None:
    """Load what the search knows of the game, in the start-up time."""
    match.memory["heuristics"] = heuristics_of(match.game_name)


def choose(state: Any, turn: Turn) -> Any:
    """Return the action that the search visits most."""
    informed = False if arguments.random else None
    heuristics = turn.match.memory["heuristics"]
    search = Mcts(heuristics, turn.draw, informed=informed, plies=arguments.plies)
    found = search.run(state, Budget.of(turn, arguments.nodes), None if turn.exact else turn.sample)
    report(turn, found)
    return found.action


run(choose, start=start, hidden=True, name="mcts", version="1.0")
