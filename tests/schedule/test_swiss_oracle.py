"""Rounds of a Swiss for two seats against an oracle that tries all pairings of a small field.

The oracle shares only the description in docs/explanation/formats.md with the pairing: it derives the
meetings, scores, floats and leads from rows and results itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import pairings, play_round, setup, truth
from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.swiss import Swiss
from tourney.seeds import stream

BYE = -1
Vector = tuple[int, ...]
Pairing = tuple[tuple[int, int], ...]


@dataclass
class Card:
    """An entrant's past; ``floats`` holds -1, 0 or 1 for each round."""

    score: int = 0
    met: set[int] = field(default_factory=set)
    floats: list[int] = field(default_factory=list)
    lead: int = 0
    bye: bool = False


def present(plan: Setup, round_: int) -> set[int]:
    return {p.number for p in plan.participants if p.joined <= round_ < (p.left or round_ + 1)}


def read(history: History, plan: Setup) -> list[Card]:
    """Derive the cards round by round; a win is 2, a draw 1, a bye counts as two wins."""
    cards = [Card() for _ in plan.participants]
    for round_ in range(1, history.rounds + 1):
        before = [card.score for card in cards]
        pairs = [pair for r, pair in pairings(history.rows) if r == round_]
        for first, second in pairs:
            for me, other, way in ((first, second, 1), (second, first, -1)):
                cards[me].met.add(other)
                cards[me].lead += way
                gap = before[other] - before[me]
                cards[me].floats.append((gap > 0) - (gap < 0))
        playing = {number for pair in pairs for number in pair}
        for number in set(range(len(cards))) - playing:
            rests = number in present(plan, round_)
            cards[number].floats.append(-1 if rests else 0)
            cards[number].bye |= rests
            cards[number].score += 4 * rests
        for result in history.results:
            if result.key.round == round_:
                one, two = result.entrants
                a, b = result.ranks
                cards[one].score += 2 if a < b else 1 if a == b else 0
                cards[two].score += 2 if b < a else 1 if a == b else 0
    return cards


@cache
def all_pairings(names: tuple[int, ...]) -> tuple[Pairing, ...]:
    if not names:
        return ((),)
    first, *others = names
    return tuple(
        ((first, other), *rest)
        for other in others
        for rest in all_pairings(tuple(name for name in others if name != other))
    )


class Oracle:
    """Costs of pairings as in docs/explanation/formats.md; an entrant's number is its seed."""

    def __init__(self, cards: Sequence[Card], names: set[int]) -> None:
        self.cards = cards
        self.names = sorted(names, key=lambda k: (-cards[k].score, k))
        scores = sorted({cards[k].score for k in names}, reverse=True)
        self.level = {k: scores.index(cards[k].score) for k in self.names}
        self.level[BYE] = len(scores)
        self.score = {k: cards[k].score for k in self.names}
        self.score[BYE] = scores[-1] - 1
        if len(names) % 2:
            self.names.append(BYE)

    def history(self, k: int, way: int, back: int) -> int:
        floats = self.cards[k].floats if k != BYE else []
        return int(len(floats) >= back and floats[-back] == way)

    def place(self, k: int, way: int) -> int:
        """Count the entrants of the group that would float this way before k."""
        group = [n for n in self.names if self.level[n] == self.level[k]]
        at = {n: group.index(n) if way > 0 else -group.index(n) for n in group}
        mine = (self.history(k, way, 1), self.history(k, way, 2), at[k])
        return sum((self.history(n, way, 1), self.history(n, way, 2), at[n]) < mine for n in group)

    def again(self, a: int, b: int) -> bool:
        return self.cards[a].bye if b == BYE else b in self.cards[a].met

    def pair(self, a: int, b: int) -> Vector:
        """Return the cost of the first step of a pair, a standing before b."""
        if self.level[a] == self.level[b]:
            return (int(self.again(a, b)), 0, 0, 0, 0, 0, 0, 0)
        one, two = self.cards[a].lead, self.cards[b].lead if b != BYE else 0
        return (
            int(self.again(a, b)),
            self.score[a] - self.score[b],
            (self.level[b] - self.level[a]) ** 2,
            self.history(a, -1, 1) + self.history(b, 1, 1),
            self.history(a, -1, 2) + self.history(b, 1, 2),
            min(abs(one), abs(two)) if one * two > 0 else 0,
            self.place(a, -1),
            self.place(b, 1),
        )

    def floats(self, pairing: Pairing) -> frozenset[tuple[int, int]]:
        return frozenset(p for p in pairing if self.level[p[0]] != self.level[p[1]] or self.again(*p))

    def within(self, pairing: Pairing) -> Vector:
        """Return the cost of the second step: leads after the round, then distances from the fold."""
        gone = {k for pair in self.floats(pairing) for k in pair}
        leads = fold = 0
        for a, b in pairing:
            if a in gone:
                continue
            group = [k for k in self.names if self.level[k] == self.level[a] and k not in gone]
            low, high = sorted((self.cards[a].lead, self.cards[b].lead))
            leads += (low + 1) ** 2 + (high - 1) ** 2
            fold += (group.index(b) - group.index(a) - len(group) // 2) ** 2
        return (leads, fold)


def total(vectors: Iterator[Vector]) -> Vector:
    return tuple(map(sum, zip(*vectors, strict=True)))


def check_round(cards: Sequence[Card], names: set[int], drawn: Sequence[tuple[int, ...]]) -> int:
    """Compare a round with all possible ones; return its repeated meetings."""
    oracle = Oracle(cards, names)
    every = all_pairings(tuple(oracle.names))
    costs = {(a, b): oracle.pair(a, b) for i, a in enumerate(oracle.names) for b in oracle.names[i + 1 :]}
    firsts = [total(costs[pair] for pair in pairing) for pairing in every]
    place = {name: k for k, name in enumerate(oracle.names)}
    pairs = [(a, b) if place[a] < place[b] else (b, a) for a, b in drawn]
    playing = {name for pair in pairs for name in pair}
    pairs += [(name, BYE) for name in oracle.names if name != BYE and name not in playing]
    found = tuple(sorted(pairs, key=lambda pair: place[pair[0]]))
    assert found in every
    first = total(costs[pair] for pair in found)
    assert first == min(firsts)
    rivals = [p for p in every if oracle.floats(p) == oracle.floats(found)]
    assert oracle.within(found) == min(map(oracle.within, rivals))
    return first[0]


@settings(max_examples=120, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**64 - 1), st.sampled_from([0, 20, 70]))
def test_every_round_is_the_best_of_all_pairings(count: int, seed: int, spread: int) -> None:
    """Tournaments of as many rounds as there are opponents, strengths far apart or all equal."""
    plan = setup(count, rounds=count - 1 + count % 2, seed=seed)
    strengths = [strength * spread // 20 for strength in truth(count, seed)]
    history = History()
    for round_ in range(1, (plan.rounds or 0) + 1):
        cards = read(history, plan)
        history = play_round(Swiss(), plan, history, strengths)
        check_round(cards, set(range(count)), [pair for r, pair in pairings(history.rows) if r == round_])


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 7), st.integers(0, 2**64 - 1))
def test_best_pairing_holds_with_joins_and_withdrawals(count: int, seed: int) -> None:
    """An entrant may join or leave before every round; a missed round is neither bye nor float."""
    draw = stream(seed, "come", "go")
    plan = setup(count, rounds=9, seed=seed)
    strengths = truth(count + 9, seed)
    history = History()
    for round_ in range(1, 8):
        participants = list(plan.participants)
        here = sorted(present(plan, round_))
        if round_ > 1 and len(here) > 2 and draw(3) == 0:
            gone = here[draw(len(here))]
            participants[gone] = replace(participants[gone], left=round_)
        if round_ > 1 and len(here) < 9 and draw(2) == 0:
            participants.append(Participant(len(participants), joined=round_))
        plan = replace(plan, participants=tuple(participants))
        cards = read(history, plan)
        history = play_round(Swiss(), plan, history, strengths)
        paired = [pair for r, pair in pairings(history.rows) if r == round_]
        check_round(cards, present(plan, round_), paired)


@pytest.mark.parametrize("swapped", [(0, 1), (0, 2)])
def test_oracle_detects_a_worse_round(swapped: tuple[int, int]) -> None:
    """A round with two entrants exchanged is no longer the best."""
    plan, strengths = setup(8, rounds=4), truth(8)
    history = History()
    for _ in range(2):
        history = play_round(Swiss(), plan, history, strengths)
    cards = read(history, plan)
    field = set(range(8))
    after = play_round(Swiss(), plan, history, strengths)
    paired = [pair for r, pair in pairings(after.rows) if r == 3]
    assert check_round(cards, field, paired) == 0
    i, j = swapped
    worse = list(paired)
    worse[i], worse[j] = (paired[j][0], paired[i][1]), (paired[i][0], paired[j][1])
    with pytest.raises(AssertionError):
        check_round(cards, field, worse)
