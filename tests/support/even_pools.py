"""Legal pools in which estimated quantities are exactly zero, and a search for NaN and infinity."""

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from hypothesis import strategies as st

from tourney.match.evidence import POINT, Evidence
from tourney.schedule.row import MatchKey, ResultRow
from tourney.seeds import seat_orders

EVEN_RESULTS: Final = ("all drawn", "first seat wins", "lowest number wins", "circle", "all void")
"""Results that are alike in all matches of a pool."""
_WORD: Final = re.compile(r"(?<![\w./-])(?:[-+]?inf(?:inity)?|nan)(?![\w-])", re.IGNORECASE)


def even_ranks(kind: str, entrants: Sequence[int]) -> tuple[int, ...]:
    """The ranks of a match of these entrants, in seat order."""
    seats = len(entrants)
    if kind == "first seat wins":
        return tuple(range(1, seats + 1))
    if kind == "lowest number wins":
        return tuple(1 + sorted(entrants).index(number) for number in entrants)
    if kind == "circle":
        low, high = min(entrants), max(entrants)
        winner = low if (low + high) % 2 else high
        return tuple(1 if number == winner else 2 for number in entrants)
    return (1,) * seats


@dataclasses.dataclass(frozen=True)
class EvenPool:
    """The results of a pool, its entrants by number, and its seats."""

    seats: int
    entrants: int
    results: tuple[ResultRow, ...]


@st.composite
def even_pools(draw: st.DrawFn) -> EvenPool:
    """Pools of one kind of result: no game, one game, one of each pair, or a few of each table."""
    seats = draw(st.integers(2, 4), label="seats")
    entrants = draw(st.sampled_from((1, seats, seats + 1, seats + 3)), label="entrants")
    kind = draw(st.sampled_from(EVEN_RESULTS), label="kind")
    games = draw(st.integers(1, 5), label="games of each table")
    tables = list(combinations(range(entrants), seats))
    most = draw(st.sampled_from((0, 1, len(tables))), label="tables")
    plays = draw(st.sampled_from(("unknown", "equal", "distinct")), label="plays")
    luck = draw(st.sampled_from((0, POINT // 4)), label="luck of the first seat")
    orders = seat_orders(seats, 1)
    results: list[ResultRow] = []
    for table, group in enumerate(tables[:most], 1):
        for game in range(games):
            seating = tuple(group[place] for place in orders[game % len(orders)])
            play = {"unknown": "", "equal": "0" * 12, "distinct": f"{len(results):012x}"}[plays]
            evidence = Evidence("", play, (luck, *(0,) * (seats - 2), -luck), 1) if play else Evidence()
            key = MatchKey(1, table, game // len(orders) + 1, game % len(orders) + 1)
            ranks = even_ranks(kind, seating)
            void = kind == "all void"
            results.append(ResultRow(key, seating, ranks, (None,) * seats, void, len(results) + 1, evidence))
    return EvenPool(seats, entrants, tuple(results))


def not_finite(value: object, path: str = "") -> Iterator[str]:
    """Yield the places of NaN and infinity in a value of dataclasses, tuples, lists and mappings."""
    if isinstance(value, float):
        if not math.isfinite(value):
            yield f"{path}: {value}"
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from not_finite(part, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from not_finite(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, (tuple, list)):
        for place, part in enumerate(value):
            yield from not_finite(part, f"{path}[{place}]")


def numbers_not_finite(text: str) -> list[str]:
    """The words of a text that are NaN or infinity, with what stands around each."""
    return [text[max(found.start() - 30, 0) : found.end() + 30] for found in _WORD.finditer(text)]
