"""Monte Carlo tree search for Nine-Tile Cyvasse, from set-ups that were searched before.

``--nodes=N`` is the number of playouts a turn. Without it the tournament's ``nodes`` count, and otherwise the
bot uses a share of its clock. The seed draws one of the set-ups of ``set-ups.txt``, which
``python -m scripts.search_set_ups`` writes; in play the bot is ``mcts``.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tourney.bot import Match, Turn, run
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts, report
from tourney.games.cyvasse.board import NAMES, NUMBER, turned

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nodes", type=int)
arguments = parser.parse_args()

LINES = Path(__file__).with_name("set-ups.txt").read_text(encoding="ascii").splitlines()
SET_UPS = [line.split(" ") for line in LINES if not line.startswith("#")]
"""Of White: the actions of a set-up, in their order."""
SET_UP_PHASES = {"king", "tile", "put"}


def start(match: Match) -> None:
    """Load what the search knows of the game, in the start-up time."""
    match.memory["heuristics"] = heuristics_of(match.game_name)


def for_black(action: str) -> str:
    """White's action of a set-up on Black's side, which is the same turned by half a circle."""
    kind, place = action.split("-")
    return action if kind == "tile" else f"{kind}-{NAMES[turned(NUMBER[place])]}"


def planned(set_up: Sequence[str], view: Any, seat: int) -> str:
    """The action of a set-up for the next step, which the view of the position names."""
    laid = 9 - len(view.tiles_left)
    step = {"king": 0, "tile": laid, "put": 9 + view.placed}[view.phase]
    return set_up[step] if seat == 1 else for_black(set_up[step])


def choose(state: Any, turn: Turn) -> Any:
    """Return the set-up's next action, and in play the one that the search visits most."""
    memory = turn.match.memory
    view: Any = turn.view
    if view.phase in SET_UP_PHASES:
        if "set-up" not in memory:
            memory["set-up"] = turn.pick(SET_UPS)
        action = planned(memory["set-up"], view, turn.seat)
        # An opening may have begun another set-up, in which the planned square or tile is taken.
        if action in turn.legal:
            return action
    search = Mcts(memory["heuristics"], turn.draw)
    found = search.run(state, Budget.of(turn, arguments.nodes), None if turn.exact else turn.sample)
    report(turn, found)
    return found.action


run(choose, start=start, hidden=True, name="castellan", version="1.0")
