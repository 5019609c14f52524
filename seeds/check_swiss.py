"""Pairings of a Swiss, drawn again for check_schedule.py. Written from docs/reference/swiss.md alone."""
# fmt: off

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate, combinations, groupby, pairwise, permutations, product
from typing import Any

Pair = tuple[int, int]
Edge = tuple[int, int, tuple[int, ...]]  # two nodes and a cost for each level
NOTHING, U64 = (0,) * 7, 2**64 - 1

@dataclass
class Card:  # an entrant, as a round sees it
    number: int
    score: int = 0
    rank: int = 0
    met: Counter[int] = field(default_factory=Counter)
    byes: list[int] = field(default_factory=list)
    floated: list[int] = field(default_factory=lambda: [0, 0])
    balance: int = 0
    last: int = 0
    places: Counter[int] = field(default_factory=Counter)

def mixed(seed: int, a: int, b: int) -> int:
    z = (seed + ((a << 32) + b) * 0x9E3779B97F4A7C15) & U64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
    return z ^ z >> 31

class Matching:
    """The heaviest matching of a graph of nodes 1 ... n, by Edmonds' blossoms: numbers above n are blossoms.

    ``mate`` holds a node of the other side. Duals are doubled, so all numbers are integers.
    """
    def __init__(self, n: int, edges: dict[Pair, int]) -> None:
        most = max(edges.values(), default=0)
        size = range(n + n // 2 + 2)
        self.n, self.top = n, n  # top: the highest number of a blossom so far
        self.edge = [[(u, v, 0) for v in size] for u in size]
        for (a, b), weight in edges.items():
            self.edge[a][b], self.edge[b][a] = (a, b, weight), (b, a, weight)
        self.dual = [most if 1 <= u <= n else 0 for u in size]
        self.mate, self.slack, self.before = [0 for _ in size], [0 for _ in size], [0 for _ in size]
        self.root = [u if u <= n else 0 for u in size]  # the outermost blossom of a node
        self.kind, self.seen, self.round = [-1 for _ in size], [0 for _ in size], 0  # 0 outer, 1 inner
        self.inside: list[list[int]] = [[] for _ in size]
        self.holds = [[u if u == v and u <= n else 0 for v in size] for u in size]
        self.queue: list[int] = []
        while self.stage():
            pass
    def gap(self, edge: tuple[int, int, int]) -> int:
        u, v, weight = edge
        return self.dual[u] + self.dual[v] - 2 * weight
    def nearer(self, u: int, x: int) -> None:
        if not self.slack[x] or self.gap(self.edge[u][x]) < self.gap(self.edge[self.slack[x]][x]):
            self.slack[x] = u
    def near(self, x: int) -> None:
        self.slack[x] = 0
        for u in range(1, self.n + 1):
            if self.edge[u][x][2] > 0 and self.root[u] != x and self.kind[self.root[u]] == 0:
                self.nearer(u, x)
    def push(self, x: int) -> None:
        if x <= self.n:
            self.queue.append(x)
        for part in self.inside[x]:
            self.push(part)
    def set_root(self, x: int, b: int) -> None:
        self.root[x] = b
        for part in self.inside[x]:
            self.set_root(part, b)
    def even(self, b: int, part: int) -> int:
        at = self.inside[b].index(part)
        if at % 2:
            self.inside[b][1:] = self.inside[b][:0:-1]
            at = len(self.inside[b]) - at
        return at
    def join(self, u: int, v: int) -> None:
        start, self.mate[u], _ = self.edge[u][v]
        if u > self.n:
            part = self.holds[u][start]
            at = self.even(u, part)
            for i in range(at):
                self.join(self.inside[u][i], self.inside[u][i ^ 1])
            self.join(part, v)
            self.inside[u] = self.inside[u][at:] + self.inside[u][:at]
    def augment(self, u: int, v: int) -> None:
        while True:
            next_ = self.root[self.mate[u]]
            self.join(u, v)
            if not next_:
                return
            self.join(next_, self.root[self.before[next_]])
            u, v = self.root[self.before[next_]], next_
    def meet(self, u: int, v: int) -> int:
        self.round += 1
        while u or v:
            if u:
                if self.seen[u] == self.round:
                    return u
                self.seen[u] = self.round
                u = self.root[self.mate[u]]
                u = self.root[self.before[u]] if u else 0
            u, v = v, u
        return 0
    def shrink(self, u: int, top: int, v: int) -> None:
        b = next((b for b in range(self.n + 1, self.top + 1) if not self.root[b]), self.top + 1)
        self.top = max(self.top, b)
        self.dual[b], self.kind[b], self.mate[b], parts = 0, 0, self.mate[top], [top]
        for end in (u, v):
            parts[1:], x = parts[:0:-1], end
            while x != top:
                y = self.root[self.mate[x]]
                parts += [x, y]
                self.push(y)
                x = self.root[self.before[y]]
        self.inside[b] = parts
        self.set_root(b, b)
        for x in range(1, self.top + 1):
            self.edge[b][x], self.edge[x][b] = (b, x, 0), (x, b, 0)
        self.holds[b] = [0 for _ in self.holds[b]]
        for part in parts:
            for x in range(1, self.top + 1):
                one, old = self.edge[part][x], self.edge[b][x]
                if one[2] and (not old[2] or self.gap(one) < self.gap(old)):
                    self.edge[b][x], self.edge[x][b] = one, self.edge[x][part]
            for x in range(1, self.n + 1):
                self.holds[b][x] = part if self.holds[part][x] else self.holds[b][x]
        self.near(b)
    def expand(self, b: int) -> None:
        for part in self.inside[b]:
            self.set_root(part, part)
        first = self.holds[b][self.edge[b][self.before[b]][0]]
        at, parts = self.even(b, first), self.inside[b]
        for i in range(0, at, 2):
            x, y = parts[i], parts[i + 1]
            self.before[x], self.kind[x], self.kind[y], self.slack[x] = self.edge[y][x][0], 1, 0, 0
            self.near(y)
            self.push(y)
        self.kind[first], self.before[first] = 1, self.before[b]
        for x in parts[at + 1 :]:
            self.kind[x] = -1
            self.near(x)
        self.root[b], self.inside[b] = 0, []
    def found(self, edge: tuple[int, int, int]) -> bool:
        u, v = self.root[edge[0]], self.root[edge[1]]
        if self.kind[v] == -1:
            self.before[v], self.kind[v] = edge[0], 1
            next_ = self.root[self.mate[v]]
            self.slack[v] = self.slack[next_] = self.kind[next_] = 0
            self.push(next_)
        elif self.kind[v] == 0:
            top = self.meet(u, v)
            if not top:
                self.augment(u, v)
                self.augment(v, u)
                return True
            self.shrink(u, top, v)
        return False
    def stage(self) -> bool:
        for x in range(1, self.top + 1):
            self.kind[x], self.slack[x] = -1, 0
        self.queue = []
        for x in range(1, self.top + 1):
            if self.root[x] == x and not self.mate[x]:
                self.before[x], self.kind[x] = 0, 0
                self.push(x)
        if not self.queue:
            return False
        while True:
            while self.queue:
                if self.searched(self.queue.pop(0)):
                    return True
            if not self.change_duals():
                return False
            if self.went_on():
                return True
    def searched(self, u: int) -> bool:
        for v in range(1, self.n + 1) if self.kind[self.root[u]] != 1 else ():
            if self.edge[u][v][2] > 0 and self.root[u] != self.root[v]:
                if self.gap(self.edge[u][v]):
                    self.nearer(u, self.root[v])
                elif self.found(self.edge[u][v]):
                    return True
        return False
    def outside(self) -> list[int]:
        return [x for x in range(1, self.top + 1) if self.root[x] == x]
    def change_duals(self) -> bool:
        outside = self.outside()
        least = [self.dual[b] // 2 for b in outside if b > self.n and self.kind[b] == 1]
        least += [self.gap(self.edge[self.slack[x]][x]) // (1 + (self.kind[x] == 0))
                  for x in outside if self.slack[x] and self.kind[x] < 1]
        free = [self.dual[u] for u in range(1, self.n + 1) if self.kind[self.root[u]] == 0]
        change = min([*least, *free])
        if change >= min(free):
            return False
        for u in range(1, self.n + 1):
            self.dual[u] += {0: -change, 1: change}.get(self.kind[self.root[u]], 0)
        for b in outside:
            if b > self.n:
                self.dual[b] += {0: 2 * change, 1: -2 * change}.get(self.kind[b], 0)
        return True
    def went_on(self) -> bool:
        for x in self.outside():
            u = self.slack[x]
            tight = self.root[x] == x and u and self.root[u] != x and not self.gap(self.edge[u][x])
            if tight and self.found(self.edge[u][x]):
                return True
        for b in range(self.n + 1, self.top + 1):
            if self.root[b] == b and self.kind[b] == 1 and not self.dual[b]:
                self.expand(b)
        return False

def cheapest(n: int, costs: dict[Pair, int], seed: int, noise: int) -> list[Pair]:
    shift = noise + n.bit_length()
    weights = {(a, b): (c << shift) + (mixed(seed, a, b) >> 64 - noise) for (a, b), c in costs.items()}
    more = (n + 1) * (max(weights.values(), default=0) + 1)  # so that the largest matchings are the heaviest
    mate = Matching(n, {(a + 1, b + 1): more - w for (a, b), w in weights.items()}).mate
    return [(a, mate[a + 1] - 1) for a in range(n) if mate[a + 1] > a + 1]

def cheapest_by_levels(n: int, edges: list[Edge], seed: int) -> list[Pair]:
    length, used, weights = n.bit_length(), 0, [0] * len(edges)
    for level in range(len(edges[0][2]) if edges else 0):
        most = [0] * n
        for a, b, costs in edges:
            most[a], most[b] = max(most[a], costs[level]), max(most[b], costs[level])
        bits = (sum(most) // 2).bit_length()
        if used + bits > 124 - 16 - length:
            break
        used += bits
        weights = [(weights[k] << bits) + costs[level] for k, (_, _, costs) in enumerate(edges)]
    costs_of = {(a, b): weight for weight, (a, b, _) in zip(weights, edges, strict=True)}
    return cheapest(n, costs_of, seed, min(40, 124 - used - length))

class Floats:  # the first step; the bye is the node after the last card
    def __init__(self, cards: list[Card], seed: int) -> None:
        self.seed, self.n = seed, len(cards) + len(cards) % 2
        at = {card.number: k for k, card in enumerate(cards)}
        self.score = [card.score for card in cards] + [min((card.score for card in cards), default=0) - 1]
        self.met = [{at[other] for other in card.met if other in at} for card in cards] + [set[int]()]
        for k, card in enumerate(cards):
            if card.byes and self.n > len(cards):
                self.met[k].add(len(cards))
                self.met[-1].add(k)
        self.balance = [card.balance for card in cards] + [0]
        self.floated = [card.floated for card in cards] + [[0, 0]]
        self.groups = [[*one] for _, one in groupby(range(self.n), key=lambda k: self.score[k])]
        self.group = {k: g for g, members in enumerate(self.groups) for k in members}
        self.most = max((len(self.met[k]) for k in range(self.n)), default=0)
        self.turn: dict[int, dict[int, int]] = {-1: {}, 1: {}}
        self.alike: dict[int, dict[int, int]] = {-1: {}, 1: {}}  # the turn among those of one balance
        for way, members in product((-1, 1), self.groups):
            order = sorted(members[::way], key=lambda k: [value == way for value in self.floated[k]])
            counts = Counter[int]()
            for turn, k in enumerate(order):
                self.turn[way][k], self.alike[way][k] = turn, counts[self.balance[k]]
                counts[self.balance[k]] += 1
    def cost(self, a: int, b: int) -> tuple[int, ...]:
        down, up = ([value == way for value in self.floated[k]] for k, way in ((a, -1), (b, 1)))
        x, y = self.balance[a], self.balance[b]
        leads = min(abs(x), abs(y)) if x * y > 0 else 0
        return (self.score[a] - self.score[b], (self.group[b] - self.group[a]) ** 2, down[0] + up[0],
                down[1] + up[1], leads, self.turn[-1][a], self.turn[1][b])
    def chosen(self) -> list[Pair]:
        f = 2
        while True:
            large = {g for g, members in enumerate(self.groups) if len(members) >= 2 * self.most + 2 + f}
            pairs = self.choose(f, large)
            if pairs is None and not large:
                return self.repeating()
            if pairs is None:
                f *= 2
                continue
            widths = [self.score[a[0]] - self.score[b[0]] for a, b in pairwise(self.groups)]
            excess = sum(self.score[a] - self.score[b] for a, b in pairs)
            above = accumulate(map(len, self.groups))
            excess -= sum(width * (size % 2) for width, size in zip(widths, above, strict=False))
            needed = 2 + 2 * (excess // min(widths, default=1))
            if needed <= f:
                return pairs
            f = needed
    def choose(self, f: int, large: set[int]) -> list[Pair] | None:
        turns = self.most + f + 1
        nodes = [k for k in range(self.n) if self.group[k] not in large
                 or min(self.alike[-1][k], self.alike[1][k]) < turns]
        listed = [[at for at, k in enumerate(nodes) if self.group[k] == g] for g in range(len(self.groups))]
        count, edges = len(nodes), list[Edge]()
        for g, inside in enumerate(listed):
            places = inside + [count] * ((len(self.groups[g]) - len(inside)) % 2)
            count += len(places) - len(inside)
            edges += [(a, b, NOTHING) for a, b in combinations(places, 2)
                      if g in large or nodes[b] not in self.met[nodes[a]]]
            below = next((h for h in range(g + 1, len(listed)) if h in large), len(listed))
            edges += [(a, b, self.cost(nodes[a], nodes[b])) for h in range(g + 1, min(below + 1, len(listed)))
                      for a in inside for b in listed[h] if nodes[b] not in self.met[nodes[a]]]
        pairs = cheapest_by_levels(count, edges, self.seed)
        if 2 * len(pairs) < count:
            return None
        found = [(nodes[a], nodes[b]) for a, b in pairs if b < len(nodes)]
        return [(a, b) for a, b in found if self.group[a] != self.group[b]]
    def repeating(self) -> list[Pair]:
        def cost(a: int, b: int) -> tuple[int, ...]:
            return self.cost(a, b) if self.group[a] != self.group[b] else NOTHING
        every = combinations(range(self.n), 2)
        edges = [(a, b, (int(b in self.met[a]), *cost(a, b))) for a, b in every]
        pairs = cheapest_by_levels(self.n, edges, self.seed)
        return [(a, b) for a, b in pairs if self.group[a] != self.group[b] or b in self.met[a]]

def within(group: list[Card], seed: int) -> list[Pair]:
    count, half = len(group), len(group) // 2
    middle = sorted(card.balance for card in group)[half] if group else 0
    def cost(a: int, b: int) -> int:
        x, y = group[a].balance, group[b].balance
        return (abs(x - middle) + abs(y - middle) - abs(x - y)) * (count**3 // 8 + 1) + (b - a - half) ** 2
    folded = [(k, k + half) for k in range(half)]
    if all(group[b].number not in group[a].met and not cost(a, b) for a, b in folded):
        return folded
    near = count if count <= 500 else 60
    while True:
        costs = {(a, b): cost(a, b) for a, b in combinations(range(count), 2)
                 if abs(b - a - half) <= near and group[b].number not in group[a].met}
        pairs = cheapest(count, costs, seed, 40)
        if 2 * len(pairs) == count or near >= count:
            return pairs
        near *= 3

def pairs_of(cards: list[Card], seed: int) -> list[Pair]:
    """The pairs of a round by the cards' places in the list; the number after the last is the bye."""
    pairs = Floats(cards, seed).chosen()
    gone = {k for pair in pairs for k in pair}
    for _, group in groupby(range(len(cards)), key=lambda k: cards[k].score):
        left = [k for k in group if k not in gone]
        pairs += [(left[a], left[b]) for a, b in within([cards[k] for k in left], seed)]
    return sorted(pairs)

def tables_of_two(cards: list[Card], seed: int) -> list[list[int]]:
    pairs = [(cards[a], cards[b]) for a, b in pairs_of(cards, seed) if b < len(cards)]
    pairs.sort(key=lambda pair: (-pair[0].score, -pair[1].score, pair[0].rank))
    return [[a.number, b.number] if (a.balance, a.last, t % 2) < (b.balance, b.last, 1 - t % 2)
            else [b.number, a.number] for t, (a, b) in enumerate(pairs)]

def pods(cards: list[Card], seats: int, worth: int) -> list[list[int]]:
    """The tables of more seats; ``worth`` is g W."""
    resting = sorted(cards, key=lambda card: (len(card.byes), card.byes[-1:], card.score, -card.rank))
    playing = [card for card in cards if card not in resting[: len(cards) % seats]]
    tables = [playing[k : k + seats] for k in range(0, len(playing), seats)]
    def cost(card: Card, others: list[Card]) -> int:
        return sum((worth * card.met[one.number]) ** 2 + (card.score - one.score) ** 2 for one in others)
    def improved(one: list[Card], other: list[Card]) -> bool:
        for i, j in product(range(seats), repeat=2):
            a, b, ours, theirs = one[i], other[j], one[:i] + one[i + 1 :], other[:j] + other[j + 1 :]
            if cost(b, ours) + cost(a, theirs) < cost(a, ours) + cost(b, theirs):
                one[i], other[j] = b, a
                return True
        return False
    changed = set(range(len(tables)))
    while changed:
        looked, changed = changed, set()
        for one, other in combinations(range(len(tables)), 2):
            if other - one <= 3 and {one, other} & looked and improved(tables[one], tables[other]):
                changed |= {one, other}
                while improved(tables[one], tables[other]):
                    pass
    for table in tables:
        table.sort(key=lambda card: (-card.score, card.rank))
    tables.sort(key=lambda table: ([-card.score for card in table], table[0].rank))
    def turns(order: tuple[Card, ...]) -> int:
        return sum(2 * card.places[place] + 1 for place, card in enumerate(order))
    return [[card.number for card in min(permutations(table), key=turns)] for table in tables]

def cards_of(draw: Any) -> list[Card]:
    """The cards of those present, from the rows and results that a draw of check_schedule.py sees."""
    rows, units = dict[Pair, list[int]](), Counter[Pair]()
    for (round_, _, repeat, order), seats in draw.rows:
        rows |= {(number, round_): seats for number in seats if repeat == order == 1}
    for result in draw.results:
        for number, value in zip(result.seats, result.units, strict=True):
            units[number, result.place[0]] += value
    before = {(number, 1): 0 for number in range(len(draw.players))}  # scores before each round
    rounds, cards = range(1, draw.drawn + 1), list[Card]()
    for number, round_ in product(range(len(draw.players)), rounds):
        bye = draw.bye if (number, round_) not in rows and draw.present(number, round_) else 0
        before[number, round_ + 1] = before[number, round_] + units[number, round_] + bye
    for rank, number in enumerate(draw.seeded()):
        card = Card(number, before[number, draw.drawn + 1], rank)
        for round_ in rounds:
            seats, way = rows.get((number, round_)), 0
            if seats:
                place = seats.index(number)
                card.met.update(other for other in seats if other != number)
                card.places[place] += 1
                card.last = 1 - 2 * place
                card.balance += card.last
                other = seats[0] if place else seats[1]
                mine, theirs = before[number, round_], before[other, round_]
                way = (theirs > mine) - (theirs < mine)
            elif draw.present(number, round_):
                card.byes.append(round_)
                way = -1
            card.floated = [way, card.floated[0]]
        cards.append(card)
    cards = [card for card in cards if draw.present(card.number, draw.drawn + 1)]
    return sorted(cards, key=lambda card: (-card.score, card.rank))

def swiss(draw: Any) -> list[list[Any]]:
    """The next round, if there is one."""
    cards = cards_of(draw)
    if draw.drawn >= (draw.rounds or 0) or len(cards) < draw.seats:
        return []
    if draw.seats == 2:
        return [tables_of_two(cards, draw.derive("swiss", draw.drawn + 1))]
    return [pods(cards, draw.seats, draw.games * draw.win)]
