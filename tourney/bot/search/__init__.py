"""Search for bots, over the states of any game: alpha-beta, Monte Carlo tree search, and playouts.

::

    from tourney.bot.heuristics import heuristics_of
    from tourney.bot.search import Budget, Mcts, report

    def choose(state, turn):
        found = Mcts(heuristics_of(turn.match.game_name), turn.draw).run(state, Budget.of(turn))
        report(turn, found)
        return found.action

With a budget of nodes the same seed gives the same action on any machine: only integers decide, and all
random numbers come from the generator that is passed in.
"""

from tourney.bot.heuristics import AnyHeuristics, Found, Heuristics, playout, report
from tourney.bot.search.alphabeta import MOST_PLIES, alpha_beta
from tourney.bot.search.mcts import Mcts
from tourney.bot.turn import DEFAULT_NODES, Budget
from tourney.games.core_base import LIMIT, SCALE, WIN, Values

__all__ = [
    "DEFAULT_NODES",
    "LIMIT",
    "MOST_PLIES",
    "SCALE",
    "WIN",
    "AnyHeuristics",
    "Budget",
    "Found",
    "Heuristics",
    "Mcts",
    "Values",
    "alpha_beta",
    "playout",
    "report",
]
