"""Schedules of tournaments, drawn again for check.py. Written from docs/reference/schedules.md alone."""
# fmt: off

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, count, permutations
from math import exp, log1p, sqrt
from typing import Any

from check_swiss import swiss

Place = tuple[int, int, int, int]
Group = Sequence[int]
Rounds = list[list[Group]]
Matrix = list[list[float]]
SCALE = 2.302585092994046 / 400

def derive(parent: int | str, *labels: int | str) -> int:
    text = "/".join(map(str, (parent, *labels))).encode("ascii")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, key=b"tourney-seed-1").digest(), "big")
def uniform(u: int, total: int) -> int:
    return u * total >> 64
def seat_orders(seats: int, repeat: int) -> list[list[int]]:
    if seats < 4:
        return [list(one) for one in permutations(range(seats))]
    four = [0, *[*permutations(range(1, 4))][(repeat - 1) % 6]]
    return [four[k:] + four[:k] for k in range(4)]

@dataclass
class Result:
    place: Place
    seats: Group
    ranks: Group  # empty for a void match
    faults: list[str]
    @property
    def units(self) -> list[int]:  # each seat's points
        if not self.ranks:
            return [0 for _ in self.seats]
        return [sum(2 * (other > rank) + (other == rank) for other in self.ranks) - 1 for rank in self.ranks]

class Draw:
    """What is known when the rounds after ``drawn`` are drawn, and the plan."""
    def __init__(self, cup: Any, matches: list[Any], replaced: list[Any], drawn: int) -> None:
        plan = cup["plan"]
        self.format, self.paired = plan["format"], dict[frozenset[int], int]()
        seen = drawn - (self.format == "adaptive")  # the last round whose results are seen
        self.seats, self.rounds, self.extra = plan["seats"], plan["rounds"], plan["extra"]
        self.seed: str = cup["seed"]
        self.until = any(key.startswith("until-") for key in self.extra)
        self.size, self.drawn, self.games = len(seat_orders(self.seats, 1)), drawn, plan["games-per-pairing"]
        self.win = 2 * (self.seats - 1)
        ranking = plan.get("ranking", {})  # older plans lack it
        halves = {"win": 2, "half": 1}[ranking.get("bye", "win" if self.seats == 2 else "half")]
        self.bye, self.extra_groups = self.games * self.win * halves // 2, ranking.get("extra-groups", 2)
        entrants = cup["entrants"]
        known = max((n for n, one in enumerate(entrants) if one.get("joined", 1) <= drawn + 1), default=-1)
        self.players = entrants[: known + 1]
        self.rows = [(tuple(m["place"]), m["seats"]) for m in matches if m["place"][0] <= drawn]
        self.results, self.open = list[Result](), list[Any]()
        for number, match in enumerate(matches, 1):
            old = (old for old in replaced if old["match"] == number and old["rounds"] > drawn)
            if match["place"][0] <= seen:
                self.see(match, next(old, None))
        self.waiting = [seats for place, seats in self.rows if place[0] > seen and place[2:] == (1, 1)]
        left = {n: one["left"] for n, one in enumerate(self.players) if "left" in one}
        self.left: dict[int, int] = {n: round_ for n, round_ in left.items() if round_ <= drawn + 1}
        failed = Counter[int]()
        for result in self.results:
            for number, fault in zip(result.seats, result.faults, strict=False):
                failed[number] += fault == "startup" and {*result.faults} != {"startup"}
                if fault == "startup" and failed[number] == 3 and {*result.faults} != {"startup"}:
                    self.left[number] = min(result.place[0] + 1, self.left.get(number, result.place[0] + 1))
    def see(self, match: Any, old: Any) -> None:
        place, seats = tuple(match["place"]), match["seats"]
        if old:
            self.results.append(Result(place, seats, [] if old["void"] else old["ranks"], old["faults"]))
        elif "record" in match:
            outcome = match["record"]["outcome"]
            kinds = {seat: kind for seat, kind, _ in outcome["faults"]}
            faults = [kinds.get(seat, "") for seat in range(1, len(seats) + 1)]
            void = {*faults} == {"startup"}
            self.results.append(Result(place, seats, [] if void else outcome["ranks"], faults))
        elif "void" in match:
            self.results.append(Result(place, seats, [], []))
        else:
            self.open.append(match)
    def derive(self, *labels: int | str) -> int:
        return derive(self.seed, *labels)
    def present(self, number: int, round_: int) -> bool:
        joined: int = self.players[number].get("joined", 1)
        return joined <= round_ < self.left.get(number, round_ + 1)
    def seeded(self) -> list[int]:
        order = list(range(len(self.players)))
        if self.extra.get("seeding") == "rating":
            rated = [(one.get("rating") is None, -(one.get("rating") or 0)) for one in self.players]
            order.sort(key=lambda n: rated[n])
        return order
    def done(self) -> dict[frozenset[int], int]:  # repeats of each group so far
        found: dict[frozenset[int], int] = {}
        for place, seats in self.rows:
            found[frozenset(seats)] = max(place[2], found.get(frozenset(seats), 0))
        return found
    def is_new(self, group: Group) -> bool:
        return bool(self.paired.get(frozenset(group), 0) < self.games // self.size)

# Tables and the order in which they list their entrants

def berger(n: int) -> Rounds:
    ring, rounds = n + n % 2 - 1, Rounds()
    for r in range(ring):
        first = r * ((ring + 1) // 2) % ring
        pairs = [(first, ring) if r % 2 == 0 else (ring, first)]
        pairs += [((first + i) % ring, (first - i) % ring) for i in range(1, (ring + 1) // 2)]
        rounds.append([pair for pair in pairs if max(pair) < n])
    return rounds

def first_fit(groups: Iterable[Group]) -> Rounds:
    rounds, busy = Rounds(), list[set[int]]()
    for group in groups:
        r = next(r for r in count() if r == len(rounds) or not busy[r] & {*group})
        if r == len(rounds):
            rounds.append([])
            busy.append(set())
        rounds[r].append(group)
        busy[r] |= {*group}
    return rounds

def listed(groups: list[Group]) -> list[Group]:
    """Each group in the order that gives its entrants each place equally often."""
    size, seen = len(groups[0]) if groups else 0, Counter[int]()
    left, right = list[list[Any]](), dict[tuple[int, int], list[Any]]()  # per colour: the node, the group
    for number, group in enumerate(groups):
        left.append([None] * size)
        for entrant in group:
            node = (entrant, seen[entrant] // size)
            seen[entrant] += 1
            mine, theirs = left[number], right.setdefault(node, [None] * size)
            colour = mine.index(None)
            both = [c for c in range(size) if mine[c] is theirs[c] is None]
            if theirs[colour] is not None and both:
                colour = both[0]
            elif theirs[colour] is not None:
                exchange(left, right, node, colour, theirs.index(None))
            mine[colour], theirs[colour] = node, number
    return [tuple(node[0] for node in places) for places in left]

def exchange(left: list[list[Any]], right: dict[Any, list[Any]], node: Any, colour: int, other: int) -> None:
    """Give the edges of the path from a node by two colours in turn the other of the two."""
    path, at, on_right, c = list[tuple[int, Any, int]](), node, True, colour
    while (end := (right[at] if on_right else left[at])[c]) is not None:
        path.append((end, at, c) if on_right else (at, end, c))
        at, on_right, c = end, not on_right, colour + other - c
    for group, end, c in path:
        left[group][c] = right[end][c] = None
    for group, end, c in path:
        left[group][colour + other - c], right[end][colour + other - c] = end, group

def listed_rounds(rounds: Rounds) -> Rounds:
    ordered = iter(listed([group for tables in rounds for group in tables]))
    return [[next(ordered) for _ in tables] for tables in rounds]

class Design:
    """Rounds in which all pairs meet equally often, by annealing."""
    def __init__(self, n: int, seats: int, rounds: int, seed: int | str, before: Rounds) -> None:
        self.n, self.seats, self.seed = n, seats, derive(seed, "design", n, seats, len(before), rounds)
        self.u = 0
        self.met, self.rested = [[0] * n for _ in range(n)], [len(before)] * n
        for tables in before:
            for entrant in (entrant for table in tables for entrant in table):
                self.rested[entrant] -= 1
        self.places, self.byes, order = list[list[int]](), list[list[int]](), self.shuffled("order")
        for r in range(rounds):
            self.byes.append(sorted(order, key=lambda one: self.rested[one])[: n % seats])
            for entrant in self.byes[r]:
                self.rested[entrant] += 1
            self.places.append([one for one in self.shuffled("round", r) if one not in self.byes[r]])
        for tables in [*before, *map(self.tables, self.places)]:
            for a, b in (pair for table in tables for pair in combinations(table, 2)):
                self.met[a][b] += 1
                self.met[b][a] += 1
    def shuffled(self, *labels: int | str) -> list[int]:
        order, seed = list(range(self.n)), derive(self.seed, *labels)
        for k, last in enumerate(range(self.n - 1, 0, -1)):
            other = uniform(derive(seed, k), last + 1)
            order[last], order[other] = order[other], order[last]
        return order
    def tables(self, places: list[int]) -> list[Group]:
        return [places[k : k + self.seats] for k in range(0, len(places), self.seats)]
    def below(self, total: int) -> int:  # the next part of the move's random number
        self.u *= total
        part, self.u = self.u >> 64, self.u & 2**64 - 1
        return part
    def spread(self) -> int:
        pairs = [met for a, line in enumerate(self.met) for met in line[:a]]
        return max(pairs, default=0) - min(pairs, default=0)
    def run(self) -> Rounds:
        cost = sum(met * met for line in self.met for met in line) // 2
        pairs, tables, spare = self.n * (self.n - 1) // 2, self.n // self.seats, self.n % self.seats
        each, more = divmod(sum(map(sum, self.met)) // 2, max(pairs, 1))
        least = more * (each + 1) ** 2 + (pairs - more) * each**2
        best, spread, kept = cost, self.spread(), [[*places] for places in self.places]
        for move in range(180_000 if self.places and (tables > 1 or spare) else 0):
            if best == least:
                break
            heat, self.u = 512 - 448 * (move % 90_000) // 90_000, derive(self.seed, "move", move)
            kind = self.below(4) if spare else 1
            cost += self.exchange(heat) if kind and tables > 1 else self.exchange_bye(heat)
            if cost < best or (cost == best and spread > 2 and self.spread() < spread):
                best, spread, kept = cost, self.spread(), [[*places] for places in self.places]
        return [[sorted(table) for table in self.tables(places)] for places in kept]
    def passes(self, change: int, heat: int) -> bool:
        return change <= 0 or self.u < 2**64 >> 512 * change // heat
    def replace(self, gone: int, new: int, others: Group) -> int:
        """Seat another entrant with others; the change of the cost."""
        change = sum(2 * (self.met[new][one] - self.met[gone][one] + 1) for one in others)
        for one in others:
            for entrant, more in ((gone, -1), (new, 1)):
                self.met[entrant][one] += more
                self.met[one][entrant] += more
        return change
    def exchange(self, heat: int) -> int:
        places = self.places[self.below(len(self.places))]
        i = self.below(len(places))
        first = i - i % self.seats
        j = self.below(len(places) - self.seats)
        j += self.seats * (j >= first)
        x, y, last = places[i], places[j], j - j % self.seats
        ours = [one for one in places[first : first + self.seats] if one != x]
        theirs = [one for one in places[last : last + self.seats] if one != y]
        change = self.replace(x, y, ours) + self.replace(y, x, theirs)
        if self.passes(change, heat):
            places[i], places[j] = y, x
            return change
        self.replace(y, x, ours)
        self.replace(x, y, theirs)
        return 0
    def exchange_bye(self, heat: int) -> int:
        one, other = self.below(len(self.places)), self.below(len(self.places))
        i = self.below(len(self.byes[one]))
        x = self.byes[one][i]
        if one == other:
            j = self.below(len(self.places[one]))
            y = self.places[one][j]
            if self.rested[x] != self.rested[y] + 1:
                return 0
            turns = [(one, i, j)]
        else:
            k = self.below(len(self.byes[other]))
            y = self.byes[other][k]
            if x in self.byes[other] or y in self.byes[one]:
                return 0
            turns = [(one, i, self.places[one].index(y)), (other, k, self.places[other].index(x))]
        change = sum(self.swap(*turn) for turn in turns)
        if not self.passes(change, heat):
            for turn in turns:
                self.swap(*turn)
            return 0
        self.rested[x] -= one == other
        self.rested[y] += one == other
        return change
    def swap(self, r: int, i: int, j: int) -> int:
        byes, places = self.byes[r], self.places[r]
        byes[i], places[j] = places[j], byes[i]
        table = places[j - j % self.seats :][: self.seats]
        return self.replace(byes[i], places[j], [one for one in table if one != places[j]])

# The formats: the next rounds, as lists of groups

def round_robin(draw: Draw) -> Rounds:
    n = len(draw.players)
    if draw.rounds is not None:
        before: Rounds = [[] for _ in range(draw.drawn)]
        for place, seats in draw.rows:
            if place[2:] == (1, 1):
                before[place[0] - 1].append(seats)
        left = draw.rounds - draw.drawn
        return listed_rounds(Design(n, draw.seats, left, draw.seed, before).run() if left > 0 else [])
    draw.paired = draw.done()
    every = berger(n) if draw.seats == 2 else first_fit(combinations(range(n), draw.seats))
    new = [[group for group in tables if draw.is_new(group)] for tables in every]
    new = [tables for tables in new if tables]
    return new if draw.seats == 2 else listed_rounds(new)

def cycle(draw: Draw) -> Rounds:
    """The next cycle of a round-robin with [until]: all its rounds."""
    drawn, draw.drawn, draw.rows = draw.drawn, 0, []
    rounds = round_robin(draw)
    draw.drawn, number = drawn, drawn // len(rounds) + 1
    games = draw.extra.get("until-games", draw.games * 10**9) // (sum(map(len, rounds)) * draw.size)
    if number > min(games, draw.games // draw.size):
        return []
    turned, draw.games = seat_orders(draw.seats, number)[0], draw.size
    return [[[group[k] for k in turned] for group in tables] for tables in rounds]

def gauntlet(draw: Draw) -> Rounds:
    names = {one["name"]: number for number, one in enumerate(draw.players)}
    chosen: str | None = draw.extra.get("challengers")
    challengers = [names[name] for name in chosen.split(",")] if chosen else [0]
    rest = [n for n in range(len(draw.players)) if n not in challengers]
    draw.paired = draw.done()
    if draw.seats > 2:
        groups = [(c, *others) for others in combinations(rest, draw.seats - 1) for c in challengers]
        return first_fit(listed([group for group in groups if draw.is_new(group)]))
    rounds: Rounds = [[] for _ in range(max(len(challengers), len(rest)))]
    for i, one in enumerate(challengers):
        for j, other in enumerate(rest):
            if draw.is_new((one, other)):
                rounds[(i + j) % len(rounds)].append((other, one) if (i + j) % 2 else (one, other))
    return [tables for tables in rounds if tables]

def knockout(draw: Draw) -> Rounds:
    seeds, played, order = draw.seeded(), 0, [0]
    while len(order) < len(seeds):
        order = [seed for top in order for seed in (top, 2 * len(order) - 1 - top)]
    slots, beaten = [seeds[k] if k < len(seeds) else -1 for k in order], list[int]()  # -1: a bye
    while len(slots) > 1:
        ties = [(slots[k], slots[k + 1]) for k in range(0, len(slots), 2)]
        if len(slots) == 2 == len(beaten) and draw.extra.get("third-place"):
            ties.append((beaten[0], beaten[1]))
        winners = {k: max(tie) for k, tie in enumerate(ties) if -1 in tie}
        for turn in range(1 + draw.extra.get("extra-groups", draw.extra_groups)):
            level = {k: sorted(tie, key=seeds.index) for k, tie in enumerate(ties) if k not in winners}
            for k, (a, b) in [*level.items()]:
                gone = [draw.left.get(number, played + 2) <= played + 1 for number in (a, b)]
                if any(gone):
                    winners[k] = b if gone == [True, False] else a
                    del level[k]
            if not level:
                break
            played += 1
            if played > draw.drawn:
                draw.games = draw.size if turn else draw.games
                return [[(a, b) if played % 2 else (b, a) for a, b in level.values()]]
            units = Counter[int]()
            for result in (result for result in draw.results if result.place[0] == played):
                units.update(dict(zip(result.seats, result.units, strict=True)))
            ahead = {k: units[a] - units[b] for k, (a, b) in level.items() if units[a] != units[b]}
            winners |= {k: level[k][0] if more > 0 else level[k][1] for k, more in ahead.items()}
        winners = {k: winners[k] if k in winners else min(tie, key=seeds.index) for k, tie in enumerate(ties)}
        beaten = [b if winners[k] == a else a for k, (a, b) in enumerate(ties) if -1 not in (a, b)]
        slots = [winners[k] for k in range(len(slots) // 2)]
    return []

def solved(matrix: Matrix, right: Matrix) -> Matrix:
    """The matrix X with matrix X = right, by elimination (both symmetric positive definite here)."""
    n, rows = len(matrix), [a + b for a, b in zip(matrix, right, strict=True)]
    for k in range(n):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r in range(n):
            if r != k and rows[r][k]:
                rows[r] = [a - rows[r][k] * b for a, b in zip(rows[r], rows[k], strict=True)]
    return [row[n:] for row in rows]

def strengths(draw: Draw) -> tuple[list[float], Matrix]:
    """The most probable strengths in Elo, and their covariance."""
    n, rated = len(draw.players), draw.extra.get("seeding") == "rating"
    games, wins = [[0.0] * n for _ in range(n)], [[0.0] * n for _ in range(n)]
    for result in (result for result in draw.results if result.ranks):
        for i, j in permutations(range(draw.seats), 2):
            a, b, mine, theirs = result.seats[i], result.seats[j], result.ranks[i], result.ranks[j]
            games[a][b] += 2 / draw.seats
            wins[a][b] += ((mine < theirs) + (mine <= theirs)) / draw.seats
    prior = [(one.get("rating") or 0) / 100 if rated else 0.0 for one in draw.players]
    sigma = [one.get("deviation") if rated else None for one in draw.players]
    exact = [(100 / (35_000 if value is None else max(value, 1))) ** 2 for value in sigma]
    mean = [*prior]
    for _ in range(60):
        better = [[1 / (1 + exp(SCALE * (theirs - mine))) for theirs in mean] for mine in mean]
        slope = [SCALE * sum(wins[a][b] - games[a][b] * better[a][b] for b in range(n)) for a in range(n)]
        slope = [slope[a] - exact[a] * (mean[a] - prior[a]) for a in range(n)]
        weight = [[SCALE**2 * g * p * (1 - p) for g, p in zip(*rows, strict=True)]
                  for rows in zip(games, better, strict=True)]
        curve = [[-value for value in row] for row in weight]
        for a in range(n):
            curve[a][a] += sum(weight[a]) + exact[a]
        step = [row[0] for row in solved(curve, [[value] for value in slope])]
        mean = [one + min(300, max(-300, value)) for one, value in zip(mean, step, strict=True)]
        if max(map(abs, step)) < 1e-7:
            break
    return mean, solved(curve, [[float(a == b) for b in range(n)] for a in range(n)])

def adaptive(draw: Draw) -> Rounds:
    present = [n for n in range(len(draw.players)) if draw.present(n, draw.drawn + 1)]
    limits = [draw.extra[key] for key in ("budget", "until-games") if key in draw.extra]
    pairings = min(draw.extra.get("batch", 8), (min([*limits, 2_000_000]) - len(draw.rows)) // draw.games)
    if len(present) < draw.seats or pairings < 1:
        return []
    mean, cov = strengths(draw)
    n = len(mean)
    rating = [round(100 * (value - sum(mean) / n)) for value in mean]
    row = [sum(line) / n for line in cov]
    sigma = [round(100 * sqrt(max(cov[a][a] - 2 * row[a] + sum(row) / n, 0))) for a in range(n)]
    target = draw.extra.get("target-sigma")
    unsure = {a for a in present if target is None or sigma[a] > 100 * target}
    if not unsure:
        return []
    played, first = Counter[int](), Counter[int]()
    for place, seats in draw.rows:
        played.update(seats)
        first[seats[0]] += place[2:] == (1, 1)
    def known(a: int, b: int) -> float:
        better = 1 / (1 + 10 ** ((rating[b] - rating[a]) / 40_000))
        return float(draw.games * 2 / draw.seats * SCALE**2 * better * (1 - better))
    def gain(a: int, b: int) -> int:
        apart = round(100 * sqrt(max(cov[a][a] + cov[b][b] - 2 * cov[a][b], 0)))
        return round(10**6 * log1p(known(a, b) * (apart / 100) ** 2))
    def learn(group: Group) -> None:
        for a, b in combinations(group, 2):
            column = [line[a] - line[b] for line in cov]
            shrink = known(a, b) / (1 + known(a, b) * (cov[a][a] + cov[b][b] - 2 * cov[a][b]))
            cov[:] = [[value - shrink * x * y for value, y in zip(line, column, strict=True)]
                      for line, x in zip(cov, column, strict=True)]
    for seats in draw.waiting:
        learn(seats)
    groups = list[Group]()
    for _ in range(pairings):
        pairs = [pair for pair in combinations(present, 2) if {*pair} & unsure]
        group = [*min(pairs, key=lambda pair: (-gain(*pair), played[pair[0]] + played[pair[1]], pair))]
        while len(group) < draw.seats:
            others = [one for one in present if one not in group]
            group.append(min(others, key=lambda one: (-sum(gain(one, a) for a in group), played[one], one)))
        learn(group)
        group.sort(key=lambda one: (first[one], one))
        first[group[0]] += 1
        played.update(dict.fromkeys(group, draw.games))
        groups.append(group)
    return [groups]

FORMATS: dict[str, Callable[[Draw], Rounds]] = {
    "round-robin": round_robin, "gauntlet": gauntlet, "knockout": knockout, "adaptive": adaptive,
    "swiss": swiss,
}

# The whole schedule

def rows_of(draw: Draw) -> dict[Place, Group]:
    """The rows of the next rounds by place."""
    rounds = cycle(draw) if draw.until and draw.format == "round-robin" else FORMATS[draw.format](draw)
    return {(r, table, repeat, order): [group[k] for k in seating]
            for r, tables in enumerate(rounds, draw.drawn + 1) for table, group in enumerate(tables, 1)
            for repeat in range(draw.paired.get(frozenset(group), 0) + 1, draw.games // draw.size + 1)
            for order, seating in enumerate(seat_orders(draw.seats, repeat), 1)}

def drawn_for_fewer(draw: Draw, rows: dict[Place, Group], here: dict[Place, Group]) -> bool:
    """Whether the plan had fewer matches, which a later file may raise, when these rows were drawn."""
    if draw.format == "adaptive":
        return bool(here) and not len(here) % draw.games and [*rows.items()][: len(here)] == [*here.items()]
    most = max((place[2] for place in here), default=0)
    raisable = draw.format == "gauntlet" or (draw.format == "round-robin" and draw.rounds is None)
    return raisable and most > 0 and here == {place: row for place, row in rows.items() if place[2] <= most}

def known(plan: Any) -> bool:
    """Whether rounds of a plan can be drawn here: some depend on the intervals of [until]."""
    compares = {"until-best", "until-top", "until-order"} & {*(plan.get("extra") or ())}
    return plan["format"] in FORMATS and not (plan["format"] == "adaptive" and compares)

def difference(head: Any, matches: list[Any]) -> str:
    """The first difference of a tournament from what is drawn, or an empty text."""
    cup, drawn, last = head["tournament"], 0, matches[-1]["place"][0] if matches else 0
    stored = {tuple(match["place"]): match["seats"] for match in matches}
    while True:
        draw = Draw(cup, matches, head.get("replaced", []), drawn)
        if draw.open:
            early = f"round {drawn + 1} is there, though {draw.open[0]['place']} has no result"
            return early if drawn < last else ""
        rows, rounds = rows_of(draw), draw.rounds
        if drawn >= last:
            late = rows and head.get("complete") is True and not draw.until
            return f"round {drawn + 1} is missing" if late else ""
        if not rows:
            return f"round {drawn + 1} is there, but none follows round {drawn}"
        while True:
            upto = max(place[0] for place in rows)
            here = {place: seats for place, seats in stored.items() if drawn < place[0] <= upto}
            if here == rows or drawn_for_fewer(draw, rows, here):
                break
            if draw.format != "round-robin" or rounds is None or rounds <= drawn + 1:
                place = min(place for place in {*here, *rows} if here.get(place) != rows.get(place))
                one, other = here.get(place, []), rows.get(place, [])
                return f"{[*place]} has the entrants {one}, but {other} are drawn there"
            rounds -= 1  # a later file may have raised their number, on which the tables depend
            draw = Draw(cup, matches, head.get("replaced", []), drawn)
            draw.rounds = rounds
            rows = rows_of(draw) or rows
        drawn = upto
