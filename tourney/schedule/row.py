"""A row of a schedule: one match to be played, and its place in the order of all."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """One match: its key (round, table, repeat, order; all from 1) and who sits where.

    ``seats`` holds, in seat order, the entrants' indices (from 0, in the tournament file's order). Schedule
    order is the order of the keys. Rows that share round, table and repeat are one mirrored group: they
    share the match seed, so the dice and the opening.
    """

    round: int
    table: int
    repeat: int
    order: int
    seats: tuple[int, ...]
