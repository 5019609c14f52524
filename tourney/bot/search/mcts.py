"""Monte Carlo tree search (UCT) for any number of seats, with chance and hidden actions.

Each playout goes down the tree, adds one node and returns a value per seat, of which every seat maximises its
own (max^n). With informed heuristics a new node values all its actions by the positions after them: these
values count as one visit each, order the actions, and the best of them is the node's value. So one playout is
a search of depth 1, and more deepen it. The actions that a node considers grow with its visits (progressive
unpruning, Chaslot et al. 2008). Without such heuristics a playout goes on at random.

A chance node draws an outcome by its weight at every visit. With informed heuristics it tries the outcome
that is most behind its weight, and passes on a mean instead of that outcome's value, which would say more of
luck than of the action before it. The mean is over all outcomes, each valued as a new node, if they are few,
else over the outcomes tried so far.

For hidden actions the playouts go in turn to
several trees, each from a sampled state that fits what the seat saw (determinization); the visits of the
root's actions are added up.
"""

from collections.abc import Callable, Iterator, Sequence
from math import isqrt

from tourney.bot.heuristics import MOST_ACTIONS, AnyHeuristics, Found, core_of
from tourney.bot.search.alphabeta import shuffled
from tourney.bot.turn import Budget
from tourney.games.base import CHANCE, OVER, AnyState
from tourney.games.core_base import WIN, Core, Values
from tourney.games.tree import draw_outcome
from tourney.seeds import U64, RandBelow

EXPLORATION = 50
"""The weight of exploration, in thousandths of the range of rewards, with informed heuristics."""
BLIND_EXPLORATION = 700  # the same without: values of random playouts are noisy
MINIMAX = 400  # the weight of the values backed up by max^n against the mean of the playouts, in thousandths
OUTCOMES = 12  # a new chance node with at most this number of outcomes values them all
WORLDS = 8  # the states that are searched while something is hidden
WIDTH = 4  # the actions that a node with informed heuristics considers at first; see ``_width``

_RANGE = 2 * WIN
_SHIFT = 16
_LOGS = [0, 0]
"""By n: the natural logarithm in units of 2^-32, as the sum of 2/(2k+1) for k < n; at most 0.04 too low."""


def _log(n: int) -> int:
    for k in range(len(_LOGS) - 1, n):
        _LOGS.append(_LOGS[k] + (2 << 2 * _SHIFT) // (2 * k + 1))
    return _LOGS[n]


def _width(visits: int) -> int:
    """How many actions a node considers after some visits."""
    return WIDTH + 2 * isqrt(visits)


class _Node:
    """A position in the tree. The lists are parallel, and empty until the node is expanded.

    With informed heuristics only ``codes`` and ``worth`` are whole; the others hold the actions considered so
    far, one more than may be tried.
    """

    __slots__ = (
        "actor", "backed_up", "children", "codes", "counts", "position", "totals", "values", "visits",
        "weights", "worth",
    )  # fmt: skip

    def __init__(self, position: Core) -> None:
        self.position = position
        self.actor = position.actor()
        self.codes: list[int] = []  # the actions
        self.children: list[_Node | None] = []
        self.counts: list[int] = []  # visits by action
        self.totals: list[int] = []
        """By action: the sum of the acting seat's rewards, each 0 (lost) to 2 * WIN (won)."""
        self.visits = 0
        self.weights: list[int] = []  # at chance: the weights of the outcomes
        self.values: Values = ()
        """The values backed up: of the best action for the seat, at chance the mean, when over the result."""
        self.backed_up: list[Values] = []
        """By action: the values backed up from below; until then the heuristics' values."""
        self.worth: Sequence[Values] = ()  # by action: the values of the heuristics

    def arrange(self, order: Sequence[int]) -> None:
        """Take over codes and worth in another order, and consider the first actions."""
        self.codes = [self.codes[k] for k in order]
        self.worth = [self.worth[k] for k in order]
        self.counts = []
        self.totals = []
        self.children = []
        self.backed_up = []
        self.widen()

    def widen(self) -> None:
        """Consider as many actions as the visits allow: each has one visit, of its worth."""
        seat = self.actor - 1
        for values in self.worth[len(self.counts) : _width(self.visits) + 1]:
            self.counts.append(1)
            self.totals.append(values[seat] + WIN)
            self.children.append(None)
            self.backed_up.append(values)

    def after(self, k: int) -> "_Node":
        """The node after the k-th action, which is made at its first visit."""
        child = self.children[k]
        if child is None:
            position = self.position.copy()
            position.play(self.codes[k])
            child = self.children[k] = _Node(position)
        return child


class Mcts:
    """A search with its settings; ``run`` may be called again and again, and keeps nothing.

    ``plies`` cuts playouts, and the position there is valued as it stands: None plays to the end.
    By default informed heuristics value new nodes without a playout, and others play to the end.
    """

    def __init__(
        self,
        heuristics: AnyHeuristics,
        randbelow: RandBelow,
        *,
        plies: int | None = None,
        informed: bool | None = None,
    ) -> None:
        self._heuristics = heuristics
        self._randbelow = randbelow
        self._informed = heuristics.informed if informed is None else informed
        self._exploration = _RANGE * (EXPLORATION if self._informed else BLIND_EXPLORATION) // 1000
        self._plies = plies
        self._budget = Budget(0)

    def run(self, state: AnyState, budget: Budget, sample: Callable[[], AnyState] | None = None) -> Found:
        """The best action of a state in which a seat acts: the most visited.

        A node of the budget is a playout. While something is hidden from the seat, give ``sample``, which
        returns states with the same observation; WORLDS of them, ``state`` included, have a tree each.
        Without any budget left the action is one of the candidates, drawn at random.
        """
        if state.actor in {CHANCE, OVER}:
            raise ValueError("no seat acts in this state")
        states = [state] + ([sample() for _ in range(WORLDS - 1)] if sample is not None else [])
        roots = [_Node(core_of(each, self._heuristics)) for each in states]
        position = roots[0].position
        order = {code: k for k, code in enumerate(shuffled(position.candidates(), self._randbelow))}
        self._budget = budget
        turn = 0
        while len(order) > 1 and budget.spend():
            # Sampled states take turns, so each has the same share of the playouts.
            root = roots[turn % len(roots)]
            turn += 1
            self._playout(root)
            # The first playout has listed the root's actions. They are sorted by falling value, and actions
            # of equal value are shuffled: otherwise the first in the list would always be preferred.
            if root.visits == 1 and self._informed:
                seat = root.actor - 1
                worth = root.worth
                last = len(order)
                places = [order.get(code, last) for code in root.codes]
                root.arrange(sorted(range(len(places)), key=lambda k: (-worth[k][seat], places[k])))
                if len(roots) == 1 and root.totals[0] == _RANGE:
                    break
        best, value, line = _found(roots, order)
        actions = tuple(map(position.decode, line))
        return Found(position.decode(best), value, len(line) if budget.spent else 0, budget.spent, actions)

    def _playout(self, root: _Node) -> None:
        """Go down the tree, add a node, and add its values to all nodes on the way."""
        node = root
        way: list[tuple[_Node, int]] = []
        while True:
            node.visits += 1
            if node.actor == OVER or not node.codes:
                values = self._expand(node)
                # A chance node with many outcomes has no values yet: go on to one of them.
                if not node.weights or node.values:
                    break
            k = self._outcome(node) if node.weights else self._select(node)
            way.append((node, k))
            node = node.after(k)
        below = node.values
        for parent, k in reversed(way):
            if self._informed:
                parent.backed_up[k] = below
                below = parent.values = _backed_up(parent)
            parent.counts[k] += 1
            if not parent.weights:
                parent.totals[k] += values[parent.actor - 1] + WIN
            elif self._informed:
                values = below

    def _expand(self, node: _Node) -> Values:
        """List a node's actions, and return its values."""
        position = node.position
        actor = node.actor
        if actor == OVER:
            node.values = position.values()
            return node.values
        if actor == CHANCE:
            node.codes = position.actions()
            node.weights = position.weights()
            node.children = [None] * len(node.codes)
            node.counts = [0] * len(node.codes)
            node.backed_up = [()] * len(node.codes)
            if self._informed and len(node.codes) <= OUTCOMES:
                node.backed_up = [self._after(node.after(k)) for k in range(len(node.codes))]
                node.values = _backed_up(node)
            return node.values
        node.codes = position.candidates()
        if not self._informed:
            node.children = [None] * len(node.codes)
            node.counts = [0] * len(node.codes)
            node.totals = [0] * len(node.codes)
            return self._random(position.copy())
        node.worth = position.outlook(node.codes)
        mine = [-values[actor - 1] for values in node.worth]
        node.arrange(sorted(range(len(mine)), key=mine.__getitem__))
        best = node.values = node.worth[0]
        if self._plies is None or abs(best[actor - 1]) == WIN:
            return best
        after = position.copy()
        after.play(node.codes[0])
        return self._random(after)

    def _after(self, node: _Node) -> Values:
        """The values of a new node after an outcome."""
        if node.actor == CHANCE:
            return node.position.values()
        self._budget.spend()
        node.visits = 1
        return self._expand(node)

    def _random(self, position: Core) -> Values:
        position.playout(self._randbelow(U64), MOST_ACTIONS if self._plies is None else self._plies)
        return position.values()

    def _outcome(self, node: _Node) -> int:
        """The index of a chance node's outcome to try."""
        weights = node.weights
        counts = node.counts
        if not self._informed:
            return draw_outcome(weights, self._randbelow)
        # The one with the highest weight for each visit; multiplied out, because only integers give the same
        # result on every machine.
        chosen = 0
        for k in range(1, len(weights)):
            if weights[k] * (counts[chosen] + 1) > weights[chosen] * (counts[k] + 1):
                chosen = k
        return chosen

    def _select(self, node: _Node) -> int:
        """The index of the action to try: the highest upper confidence bound, the first of equals."""
        if self._informed:
            node.widen()
        counts = node.counts
        totals = node.totals
        backed_up = node.backed_up
        # With informed heuristics every action considered has a visit.
        if not backed_up and 0 in counts:
            untried = [k for k, count in enumerate(counts) if not count]
            return untried[self._randbelow(len(untried))]
        log = _log(node.visits + 1)
        exploration = self._exploration
        # By visits: the exploration term. The logarithm has 32 binary places, so its root has 16.
        extra: dict[int, int] = {}
        best = -1
        chosen = 0
        seat = node.actor - 1
        # looked up once: the loop is hot
        minimax = MINIMAX
        mean = 1000 - MINIMAX
        win = WIN
        for k in range(min(len(counts), _width(node.visits)) if backed_up else len(counts)):
            count = counts[k]
            if count not in extra:
                extra[count] = exploration * isqrt(log // count) >> _SHIFT
            if backed_up:
                # The mean evens out noise; the value backed up finds a forced line sooner.
                value = (minimax * (backed_up[k][seat] + win) + mean * totals[k] // count) // 1000
            else:
                value = totals[k] // count
            bound = value + extra[count]
            if bound > best:
                best = bound
                chosen = k
        return chosen


def _backed_up(node: _Node) -> Values:
    """The values of a node's best action, or at chance the mean of the outcomes seen so far."""
    if not node.weights:
        seat = node.actor - 1
        return max(node.backed_up, key=lambda values: values[seat])
    seen = [(weight, values) for weight, values in zip(node.weights, node.backed_up, strict=True) if values]
    total = sum(weight for weight, _ in seen)
    return tuple(
        sum(weight * values[seat] for weight, values in seen) // total for seat in range(node.position.seats)
    )


def _found(roots: list[_Node], order: dict[int, int]) -> tuple[int, int, list[int]]:
    """The code most visited in all trees, its value, and the line from it on."""
    counts = dict.fromkeys(order, 0)
    totals = dict.fromkeys(order, 0)
    for root in roots:
        for code, count, total in zip(root.codes, root.counts, root.totals, strict=False):
            if code in counts:
                counts[code] += count
                totals[code] += total
    best = max(order, key=lambda code: (counts[code], totals[code] // max(counts[code], 1), -order[code]))
    value = totals[best] // counts[best] - WIN if counts[best] else 0
    line = [best]
    for code, child in zip(roots[0].codes, roots[0].children, strict=False):
        if code == best:
            line += _line(child)
    return best, value, line


def _line(node: _Node | None) -> Iterator[int]:
    """Yield the actions most visited from a node on; chance outcomes are followed, but left out."""
    while node is not None and node.codes:
        if node.weights:
            visits = [0 if child is None else child.visits for child in node.children]
            k = visits.index(max(visits))
        else:
            k = max(range(len(node.counts)), key=node.counts.__getitem__)
            yield node.codes[k]
        node = node.children[k]
