"""Swiss rounds for more than two seats: tables (pods) of near scores, with few repeated meetings.

The entrants are ranked by score and cut into tables. Then two entrants change places wherever that reduces
the sum over all pairs at a table::

    (W * meetings)**2 + (difference of their scores)**2

``meetings`` counts how often the two sat together before, and W is the score of a win of every match of a
round: a repeated meeting costs as much as a whole round's win between the two. It ends when no exchange
between tables that stand near each other helps. Nothing is left to chance.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Final

from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.row import units_of_win

NEAR: Final = 3
"""Entrants change places between tables at most this far apart in the order of scores."""


@dataclass(frozen=True, slots=True)
class PodCard:
    """The data of an entrant that the seating uses.

    ``score`` in units; ``rank`` from 0 in seeding order; ``met``: meetings by opponent; ``byes``: how many it
    has had, ``last_bye`` the round of the last (0: none).
    """

    number: int
    score: int
    rank: int
    met: dict[int, int]
    byes: int = 0
    last_bye: int = 0


def pair_pods(past: PlayerHistory, present: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the tables of the next round, best scores first."""
    setup = past.setup
    ranks = {participant.number: rank for rank, participant in enumerate(setup.seeded())}
    cards = []
    for number in present:
        entries = past.entries[number]
        byes = [round_ for round_, entry in enumerate(entries, 1) if entry.kind == "bye"]
        cards.append(
            PodCard(
                number=number,
                score=past.score(number),
                rank=ranks[number],
                met=dict(Counter(other for entry in entries for other in entry.opponents)),
                byes=len(byes),
                last_bye=byes[-1] if byes else 0,
            )
        )
    out = {card.number for card in choose_byes(cards, setup.seats)}
    cards = [card for card in cards if card.number not in out]
    tables = seat(cards, setup.seats, setup.games * units_of_win(setup.seats))
    return [_order(table, past) for table in tables]


def choose_byes(cards: Sequence[PodCard], seats: int) -> tuple[PodCard, ...]:
    """Return the entrants that get a bye: of those with the fewest byes the ones with the lowest scores."""
    order = sorted(cards, key=lambda card: (card.byes, card.last_bye, card.score, -card.rank))
    return tuple(order[: len(cards) % seats])


def seat(cards: Sequence[PodCard], seats: int, worth: int) -> list[tuple[int, ...]]:
    """Return the tables, best scores first, each by score, then by rank; ``worth`` is W.

    The number of cards must be divisible by ``seats``.
    """
    order = sorted(cards, key=lambda card: (-card.score, card.rank))
    tables = [list(order[start : start + seats]) for start in range(0, len(order), seats)]
    changed = set(range(len(tables)))
    while changed:
        examined, changed = changed, set()
        for one in range(len(tables)):
            for other in range(one + 1, min(len(tables), one + 1 + NEAR)):
                if (one in examined or other in examined) and _improve(tables[one], tables[other], worth):
                    changed |= {one, other}
    for table in tables:
        table.sort(key=lambda card: (-card.score, card.rank))
    tables.sort(key=lambda table: ([-card.score for card in table], table[0].rank))
    return [tuple(card.number for card in table) for table in tables]


def _improve(one: list[PodCard], other: list[PodCard], worth: int) -> bool:
    """Exchange entrants of two tables as long as that reduces their cost; return whether any moved."""
    improved = False
    while True:
        for (i, a), (j, b) in product(enumerate(one), enumerate(other)):
            ours, theirs = one[:i] + one[i + 1 :], other[:j] + other[j + 1 :]
            before = _cost(a, ours, worth) + _cost(b, theirs, worth)
            if _cost(b, ours, worth) + _cost(a, theirs, worth) < before:
                one[i], other[j] = b, a
                improved = True
                break
        else:
            return improved


def _cost(card: PodCard, others: Sequence[PodCard], worth: int) -> int:
    """Return the cost of an entrant's pairs with the others of a table."""
    return sum(
        (worth * card.met.get(other.number, 0)) ** 2 + (card.score - other.score) ** 2 for other in others
    )


def _order(table: Sequence[int], past: PlayerHistory) -> tuple[int, ...]:
    """Order the entrants so that each takes a place it has had least: the sum of squares decides."""
    counts = {
        number: Counter(entry.place for entry in past.entries[number] if entry.kind == "table")
        for number in table
    }
    orders = permutations(table)
    return min(orders, key=lambda order: sum(2 * counts[n][place] + 1 for place, n in enumerate(order)))
