"""Searches Sage Stones and Sages Tafl by a sum of weights, the parameters of its ``bot.toml``.

``--nodes=N`` is the number of playouts or positions a turn. Without it the tournament's ``nodes`` count, and
otherwise the bot uses a share of its clock.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from tourney.bot import Turn, parameters, run
from tourney.bot.heuristics import Heuristics
from tourney.bot.search import Budget, Mcts, alpha_beta, report

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nodes", type=int)
arguments, _ = parser.parse_known_args()
WEIGHTS = parameters()

COLUMNS, ROWS = 7, 9


def _lines() -> Iterator[tuple[int, int, int]]:
    """Three neighbours in a line of Sage Stones, as places in the board's string; a column is a ring."""
    for column in range(COLUMNS):
        for row in range(ROWS):
            for across, down in ((0, 1), (1, -1), (1, 0), (1, 1)):
                places = [(column + k * across, row + k * down) for k in (-1, 0, 1)]
                if across and not all(x in range(COLUMNS) and y in range(ROWS) for x, y in places):
                    continue
                a, b, c = (10 * x + y % ROWS for x, y in places)
                yield a, b, c


LINES = tuple(_lines())


class Stones(Heuristics[Any]):
    """Few stones in the hand, none of them exposed."""

    informed = True

    def advantages(self, state: Any) -> Sequence[int]:
        """Each seat's worth less the mean of the others'."""
        board, _, _, hands, *_ = state.position().split(" ")
        seats = state.seats
        left = [0 if text.startswith("#") else int(text) for text in hands.split(",")]
        worth = [-100 * sum(left[k::seats]) - WEIGHTS["best"] * min(left[k::seats]) for k in range(seats)]
        for a, b, c in LINES:
            mine = board[b]
            if mine == "." or (board[a] == ".") == (board[c] == "."):
                continue
            other = board[a] if board[c] == "." else board[c]
            owner, rival = (int(mine) - 1) % seats, (int(other) - 1) % seats
            if owner != rival:
                worth[owner] -= WEIGHTS["exposed"]
        total = sum(worth)
        return [int(2 * (one - (total - one) / (seats - 1))) for one in worth]


class Tafl(Heuristics[Any]):
    """Points, pieces, and how near they are to the river and its ends; a warrior stays where it is useful."""

    informed = True

    def advantages(self, state: Any) -> Sequence[int]:
        """Black's worth less red's, and the opposite."""
        board, _, _, points, *_ = state.position().split(" ")
        black, red = map(int, points.split(":"))
        total = 1000.0 * (black - red)
        for row, text in enumerate(board.split("/")):
            file = 0
            for char in text:
                if char.isdigit():
                    file += int(char)
                    continue
                near = 4 - abs(4 - row) + (4 - min(file, 7 - file) if row == 4 else 0)
                worth = {"A": WEIGHTS["near"] * near, "S": WEIGHTS["sage"] * near}.get(char.upper(), 0.0)
                if char not in "Ss":
                    worth += WEIGHTS["piece"]
                total += worth if char.isupper() else -worth
                file += 1
        return [int(total), -int(total)]


def choose(state: Any, turn: Turn) -> Any:
    """Return the best action found."""
    budget = Budget.of(turn, arguments.nodes)
    if turn.match.game_name == "sage-stones":
        found = Mcts(Stones(), turn.draw).run(state, budget)
    else:
        found = alpha_beta(state, budget, Tafl(), randbelow=turn.draw)
    report(turn, found)
    return found.action


run(choose, name="tinker", version="1.0")
