"""Alpha-beta search for two seats, without chance and hidden actions.

Negamax with iterative deepening, a transposition table, and quiescence over a game's forcing actions. Actions
are ordered by the table, then forcing ones, killers and history (see https://www.chessprogramming.org for all
of these). A seat may act several times in a row.

A transposition table knows nothing of histories: near a repetition or a limit of plies, a value may come from
a position with another past. The state itself, which is played at every node, ends the game by its own rules.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tourney.bot.heuristics.base import LIMIT, WIN, AnyHeuristics
from tourney.bot.search.budget import Budget
from tourney.bot.search.found import Found
from tourney.games.base import CHANCE, OVER, AnyState
from tourney.seeds import RandBelow

MOST_PLIES = 60
"""The deepest iteration."""
QUIESCENCE_PLIES = 8
"""The most forcing actions in a row beyond an iteration's depth."""
TABLE_SIZE = 200_000
"""The entries of the transposition table; a full one is begun anew."""

_EXACT, _AT_LEAST, _AT_MOST = range(3)
_INFINITY = 2 * WIN


class _Entry(NamedTuple):
    depth: int
    bound: int
    value: int
    """With the distance of a win counted from this position."""
    best: Any
    cut: bool
    """Whether its depth left something unsearched; otherwise the entry holds for every depth."""


class _OutOfBudget(Exception):  # noqa: N818 - it ends an iteration and is no error
    pass


def alpha_beta(
    state: AnyState,
    budget: Budget,
    heuristics: AnyHeuristics,
    *,
    depth: int = MOST_PLIES,
    randbelow: RandBelow | None = None,
    table_size: int = TABLE_SIZE,
) -> Found:
    """Return the best action of a state that is not over.

    The search deepens until ``depth``, until the budget is spent (a node is a state after an action), or
    until nothing is left to search. An iteration tries the best action of the one before first; so if the
    budget breaks it off, its best action so far counts. ``randbelow`` shuffles the actions at the root, so
    that of several best ones any may be found. Raises ValueError for more than two seats and at
    chance nodes.
    """
    if state.seats != 2 or state.actor == OVER:
        raise ValueError("alpha-beta plays games of two seats that are not over; use Mcts for others")
    return _AlphaBeta(budget, heuristics, table_size).run(state, depth, randbelow)


def shuffled(actions: Sequence[Any], randbelow: RandBelow) -> list[Any]:
    """Return the actions in a random order (Fisher-Yates)."""
    order = list(actions)
    for k in range(len(order) - 1, 0, -1):
        other = randbelow(k + 1)
        order[k], order[other] = order[other], order[k]
    return order


class _AlphaBeta:
    def __init__(self, budget: Budget, heuristics: AnyHeuristics, table_size: int) -> None:
        self._budget = budget
        self._heuristics = heuristics
        self._table: dict[Any, _Entry] = {}
        self._table_size = table_size
        self._killers: list[list[Any]] = [[] for _ in range(MOST_PLIES + 1)]
        self._history: dict[tuple[int, Any], int] = {}
        self._lines: list[list[Any]] = [[] for _ in range(MOST_PLIES + QUIESCENCE_PLIES + 3)]
        self._cut = False
        """Whether the search since this was last reset left something unsearched, because of its depth."""

    def run(self, state: AnyState, most: int, randbelow: RandBelow | None) -> Found:
        actions = list(state.legal_actions())
        if randbelow is not None:
            actions = shuffled(actions, randbelow)
        if len(actions) > 1:
            first = list(self._heuristics.forcing(state))
            actions = first + [action for action in actions if action not in first]
        best = Found(actions[0], 0, 0, 0, (actions[0],))
        for depth in range(1, min(most, MOST_PLIES) + 1):
            self._cut = False
            found, whole = self._root(state, actions, depth)
            if found is not None:
                best = found
            if not whole or not self._cut or abs(best.value) > LIMIT or len(actions) == 1:
                break
            actions.remove(best.action)
            actions.insert(0, best.action)
        return best._replace(nodes=self._budget.spent)

    def _root(self, state: AnyState, actions: Sequence[Any], depth: int) -> tuple[Found | None, bool]:
        """Search all actions of the root; return the best so far, and whether the budget lasted."""
        found = None
        alpha = -_INFINITY
        try:
            for action in actions:
                value = self._after(state, action, depth - 1, alpha, _INFINITY, 0)
                if value > alpha:
                    alpha = value
                    found = Found(action, value, depth, 0, (action, *self._lines[1]))
        except _OutOfBudget:
            # If there is a value of this depth, the best action of the iteration before has one.
            return (found._replace(depth=depth - 1) if found is not None else None), False
        return found, True

    def _after(self, state: AnyState, action: Any, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value of an action for the seat that plays it."""
        if not self._budget.spend():
            raise _OutOfBudget
        actor = state.actor
        after = state.play(action)
        self._lines[ply + 1].clear()
        if after.actor == OVER:
            value = self._heuristics.values(after)[actor - 1]
            # Sooner wins and later losses are better.
            return value - ply - 1 if value > LIMIT else value + ply + 1 if value < -LIMIT else value
        if after.actor == actor:
            return self._search(after, depth, alpha, beta, ply + 1)
        return -self._search(after, depth, -beta, -alpha, ply + 1)

    def _search(self, state: AnyState, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value of a state that is not over for the seat to act."""
        if depth <= 0:
            return self._quiesce(state, depth, alpha, beta, ply)
        key = None
        known = None
        if self._table_size:
            key = state.actor, self._heuristics.key(state)
            known = self._table.get(key)
        if known is not None and (known.depth >= depth or not known.cut):
            value = _from_table(known.value, ply)
            if (
                known.bound == _EXACT
                or (known.bound == _AT_LEAST and value >= beta)
                or (known.bound == _AT_MOST and value <= alpha)
            ):
                self._cut = self._cut or known.cut
                return value
        best, chosen, floor = -_INFINITY, None, alpha
        cut, self._cut = self._cut, False
        for action in self._ordered(state, ply, None if known is None else known.best):
            value = self._after(state, action, depth - 1, alpha, beta, ply)
            if value > best:
                best, chosen = value, action
            if value > alpha:
                alpha = value
                self._lines[ply][:] = [action, *self._lines[ply + 1]]
            if alpha >= beta:
                self._remember(state.actor, action, depth, ply)
                break
        if key is not None:
            if len(self._table) >= self._table_size:
                self._table.clear()
            bound = _AT_LEAST if best >= beta else _EXACT if best > floor else _AT_MOST
            self._table[key] = _Entry(depth, bound, _to_table(best, ply), chosen, self._cut)
        self._cut = self._cut or cut
        return best

    def _quiesce(self, state: AnyState, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value of a state when only forcing actions go on; the seat may also play another."""
        best = self._heuristics.values(state)[state.actor - 1]
        self._cut = True
        if best >= beta or depth <= -QUIESCENCE_PLIES:
            return best
        alpha = max(alpha, best)
        for action in self._heuristics.forcing(state):
            value = self._after(state, action, depth - 1, alpha, beta, ply)
            if value > best:
                best = value
            if value > alpha:
                alpha = value
                self._lines[ply][:] = [action, *self._lines[ply + 1]]
            if alpha >= beta:
                break
        return best

    def _ordered(self, state: AnyState, ply: int, first: Any) -> Sequence[Any]:
        """Return the legal actions, presumably best first; equal ones stay in the order of the game."""
        actor = state.actor
        if actor == CHANCE:
            raise ValueError("alpha-beta plays games without chance; use Mcts for others")
        history = self._history
        actions = sorted(state.legal_actions(), key=lambda action: -history.get((actor, action), 0))
        if len(actions) == 1:
            return actions
        front = [] if first is None else [first]
        front += self._heuristics.forcing(state)
        legal = set(actions)
        front += [action for action in self._killers[ply] if action in legal]
        front = list(dict.fromkeys(front))
        ahead = set(front)
        return front + [action for action in actions if action not in ahead]

    def _remember(self, actor: int, action: Any, depth: int, ply: int) -> None:
        killers = self._killers[ply]
        if action not in killers:
            killers.insert(0, action)
            del killers[2:]
        name = actor, action
        self._history[name] = self._history.get(name, 0) + depth * depth


def _to_table(value: int, ply: int) -> int:
    return value + ply if value > LIMIT else value - ply if value < -LIMIT else value


def _from_table(value: int, ply: int) -> int:
    return value - ply if value > LIMIT else value + ply if value < -LIMIT else value
