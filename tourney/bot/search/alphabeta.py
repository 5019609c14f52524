"""Alpha-beta search for two seats, without chance and hidden actions.

Negamax with iterative deepening, a transposition table and quiescence (see https://www.chessprogramming.org).
A node values all its actions at once, by the positions after them, and tries them in this order: the
action from the table, then by falling value. A seat may act several times in a row.

At the last ply these values decide, except for forcing actions: after each action the other seat may stop, or
play an action that wins it the heuristics' ``gain``. So an action is worth at most its own value, and one
whose value is below the bound is not searched.

A transposition table knows nothing of histories: near a repetition or a limit of plies, a value may come from
a position with another past. The position itself, in which every action is played, ends the game by its own
rules.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tourney.bot.heuristics import AnyHeuristics, Found, core_of
from tourney.bot.turn import Budget
from tourney.games.base import CHANCE, OVER, AnyAction, AnyState
from tourney.games.core_base import LIMIT, SCALE, WIN, Core, squash
from tourney.seeds import RandBelow

MOST_PLIES = 60  # the deepest iteration
QUIESCENCE_PLIES = 8  # the most forcing actions in a row beyond an iteration's depth
TABLE_SIZE = 200_000  # the entries of the transposition table; a full table is cleared

_EXACT, _AT_LEAST, _AT_MOST = range(3)
_INFINITY = 2 * WIN


class _TableEntry(NamedTuple):
    depth: int
    bound: int
    value: int  # with the distance of a win counted from this position
    best: AnyAction
    cut: bool  # whether its depth left something unsearched; otherwise the entry holds for every depth


class _OutOfBudget(Exception):  # noqa: N818 - it ends an iteration and is not an error
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
    """The best action of a state that is not over.

    The search deepens until ``depth``, until the budget is spent (a node is a position whose actions are
    valued), or until nothing is left to search. An iteration tries the best action of the one before first;
    so if the budget breaks it off, its best action so far counts. ``randbelow`` shuffles the actions at the
    root, so that each of several equally good actions may be chosen. Raises ValueError for more than two
    seats and at chance nodes.
    """
    if state.seats != 2 or state.actor == OVER:
        raise ValueError("alpha-beta plays games of two seats that are not over; use Mcts for others")
    return _AlphaBeta(core_of(state, heuristics), budget, heuristics.gain, table_size).run(depth, randbelow)


def shuffled(actions: Sequence[AnyAction], randbelow: RandBelow) -> list[AnyAction]:
    """The actions in a random order (Fisher-Yates)."""
    order = list(actions)
    for k in range(len(order) - 1, 0, -1):
        j = randbelow(k + 1)
        order[k], order[j] = order[j], order[k]
    return order


class _AlphaBeta:
    def __init__(self, root: Core, budget: Budget, gain: int, table_size: int) -> None:
        self._budget = budget
        self._gain = gain
        self._table: dict[object, _TableEntry] = {}
        self._table_size = table_size
        # By ply: the position, and the best line from it on.
        self._positions = [root]
        self._lines: list[list[int]] = [[]]
        self._cut = False
        """Whether the search since this was last reset left something unsearched, because of its depth."""

    def run(self, most: int, randbelow: RandBelow | None) -> Found:
        root = self._positions[0]
        codes = _codes(root)
        if randbelow is not None:
            codes = shuffled(codes, randbelow)
        best = Found(codes[0], 0, 0, 0, (codes[0],))
        if len(codes) > 1 and self._budget.spend():
            worth = dict(zip(codes, _worth(root, codes), strict=True))
            codes.sort(key=lambda code: -worth[code])
            for depth in range(1, min(most, MOST_PLIES) + 1):
                self._cut = False
                deepest, whole = self._root(codes, worth, depth)
                best = deepest or best
                # More depth changes nothing if the whole tree was searched, or if the end is forced.
                if not whole or not self._cut or abs(best.value) > LIMIT:
                    break
                # The best action first: the others are refuted soonest against its value.
                codes.remove(best.action)
                codes.insert(0, best.action)
        line = tuple(map(root.decode, best.line))
        return Found(line[0], best.value, best.depth, self._budget.spent, line)

    def _root(self, codes: list[int], worth: dict[int, int], depth: int) -> tuple[Found | None, bool]:
        """Search all actions of the root; return the best so far, and whether the budget lasted."""
        best = None
        alpha = -_INFINITY
        try:
            for code in codes:
                value = self._after(code, worth[code], depth, alpha, _INFINITY, 0)
                if value > alpha:
                    alpha = value
                    best = Found(code, value, depth, 0, (code, *self._lines[1]))
        except _OutOfBudget:
            # If there is a value of this depth, the best action of the iteration before has one.
            return (best._replace(depth=depth - 1) if best is not None else None), False
        return best, True

    def _after(self, code: int, worth: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The value of an action for its seat; ``worth`` is the value of the position after it."""
        if depth == 1 or abs(worth) > LIMIT:
            return self._settled(code, worth, QUIESCENCE_PLIES, alpha, beta, ply)
        seat, after = self._play(code, ply)
        if after == OVER:
            return worth
        if after == seat:
            return self._search(depth - 1, alpha, beta, ply + 1)
        return -self._search(depth - 1, -beta, -alpha, ply + 1)

    def _settled(self, code: int, worth: int, left: int, alpha: int, beta: int, ply: int) -> int:
        """An action's value when only ``left`` forcing actions may follow; it is at most ``worth``."""
        if abs(worth) > LIMIT:
            self._line(ply + 1).clear()
            # Sooner wins and later losses are better.
            return worth - ply - 1 if worth > 0 else worth + ply + 1
        more = worth > alpha and left > 0 and self._gain > 0
        # 0 may be a draw.
        seat, after = self._play(code, ply) if more or worth == 0 else (0, 0)
        self._cut = self._cut or after != OVER
        if not more or after in {seat, OVER}:
            self._line(ply + 1).clear()
            return worth
        return -self._quiesce(-worth, left, -beta, -alpha, ply + 1)

    def _play(self, code: int, ply: int) -> tuple[int, int]:
        """Play an action of a ply's position into the next ply; return who acts before and after it."""
        before = self._positions[ply]
        if len(self._positions) == ply + 1:
            self._positions.append(before.copy())
        # One core a ply is reused, so that no core is made for an action.
        after = self._positions[ply + 1]
        after.copy_from(before)
        after.play(code)
        self._line(ply + 1).clear()
        return before.actor(), after.actor()

    def _line(self, ply: int) -> list[int]:
        while len(self._lines) <= ply:
            self._lines.append([])
        return self._lines[ply]

    def _spend(self) -> None:
        if not self._budget.spend():
            raise _OutOfBudget

    def _search(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The value of a ply's position, which is not over, for the seat to act."""
        position = self._positions[ply]
        key = (position.actor(), position.key()) if self._table_size else None
        entry = self._table.get(key)
        if entry is not None and (entry.depth >= depth or not entry.cut):
            value = _from_table(entry.value, ply)
            if (
                entry.bound == _EXACT
                or (entry.bound == _AT_LEAST and value >= beta)
                or (entry.bound == _AT_MOST and value <= alpha)
            ):
                self._cut = self._cut or entry.cut
                return value
        self._spend()
        codes = _codes(position)
        worth = _worth(position, codes)
        order = sorted(range(len(codes)), key=lambda k: -worth[k])
        if entry is not None:
            first = codes.index(entry.best)
            order.remove(first)
            order.insert(0, first)
        best = -_INFINITY
        chosen = codes[order[0]]
        floor = alpha
        cut = self._cut
        self._cut = False
        for k in order:
            value = self._after(codes[k], worth[k], depth, alpha, beta, ply)
            if value > best:
                best = value
                chosen = codes[k]
            if value > alpha:
                alpha = value
                self._lines[ply][:] = [codes[k], *self._lines[ply + 1]]
            if alpha >= beta:
                break
        if key is not None:
            if len(self._table) >= self._table_size:
                self._table.clear()
            bound = _AT_LEAST if best >= beta else _EXACT if best > floor else _AT_MOST
            self._table[key] = _TableEntry(depth, bound, _to_table(best, ply), chosen, self._cut)
        self._cut = self._cut or cut
        return best

    def _quiesce(self, best: int, left: int, alpha: int, beta: int, ply: int) -> int:
        """The value of a ply's position when its seat stops (``best``) or plays a forcing action."""
        if best >= beta:
            return best
        alpha = max(alpha, best)
        self._spend()
        position = self._positions[ply]
        codes = _codes(position)
        worth = _worth(position, codes)
        # Forcing actions are those that win the gain; of these only the ones that can raise alpha.
        least = max(squash(_advantage(best) + self._gain), alpha + 1)
        for k in sorted((k for k in range(len(codes)) if worth[k] >= least), key=lambda k: -worth[k]):
            value = self._settled(codes[k], worth[k], left - 1, alpha, beta, ply)
            best = max(best, value)
            if value > alpha:
                alpha = value
                self._lines[ply][:] = [codes[k], *self._lines[ply + 1]]
            if alpha >= beta:
                break
        return best


def _codes(position: Core) -> list[int]:
    if position.actor() == CHANCE:
        raise ValueError("alpha-beta plays games without chance; use Mcts for others")
    return position.actions()


def _worth(position: Core, codes: list[int]) -> list[int]:
    """The values of the positions after some actions, for the seat that plays them."""
    seat = position.actor() - 1
    return [values[seat] for values in position.outlook(codes)]


def _advantage(value: int) -> int:
    """The advantage of a value; the inverse of ``squash``."""
    if abs(value) >= LIMIT:
        return value
    return SCALE * value // (LIMIT - abs(value))


# A win counts one less for each ply on the way to it. The search counts plies from the root, the table from
# the position itself, which may be reached at several plies.
def _to_table(value: int, ply: int) -> int:
    return value + ply if value > LIMIT else value - ply if value < -LIMIT else value


def _from_table(value: int, ply: int) -> int:
    return value - ply if value > LIMIT else value + ply if value < -LIMIT else value
