"""Compares how often each entrant fails on each host: a time-out that a host invents shows in no recheck."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tourney.match.record import FaultKind

ERROR: Final = 0.01
"""The share of runs on alike hosts in which any host is named."""


class FaultRates:
    """Counts the matches of each entrant on each host, and those in which it timed out or crashed."""

    def __init__(self) -> None:
        self._matches: Counter[tuple[str, str]] = Counter()
        self._faults: Counter[tuple[str, str]] = Counter()

    def count(self, host: str, entrants: Sequence[str], faults: Iterable[tuple[int, FaultKind]]) -> None:
        """Take a match that a host has played: the entrants by seat, and the faults of seats (from 1)."""
        failed = {seat for seat, kind in faults if kind in ("timeout", "crash")}
        for seat, name in enumerate(entrants, start=1):
            self._matches[host, name] += 1
            self._faults[host, name] += seat in failed

    def findings(self) -> list[str]:
        """Return a sentence for each host on which an entrant fails more often than chance lets it.

        Fisher's exact test, one-sided, of the host against all others together, by Bonferroni for all pairs
        of a host and an entrant. If matches come to alike hosts by chance, at most ``ERROR`` of runs have
        any.
        """
        found = []
        matches, faults = Counter[str](), Counter[str]()
        for (host, name), count in self._matches.items():
            matches[name] += count
            faults[name] += self._faults[host, name]
        for (host, name), count in sorted(self._matches.items()):
            here, others = self._faults[host, name], matches[name] - count
            if others and at_least(here, count, faults[name], matches[name]) <= ERROR / len(self._matches):
                found.append(
                    f"{name} timed out or crashed in {here:,} of {count:,} matches on {host}, and in"
                    f" {faults[name] - here:,} of {others:,} on others: {host} is slow for it, or dishonest"
                )
        return found


def at_least(found: int, drawn: int, marked: int, total: int) -> float:
    """Return the probability that ``drawn`` of ``total`` hold at least ``found`` of the ``marked`` ones.

    The tail of the hypergeometric distribution; 1.0 where ``found`` is no more than what is expected.
    """
    if found * total <= drawn * marked:
        return 1.0
    terms, term = 0.0, 1.0
    for k in range(found, min(drawn, marked) + 1):  # each term is smaller than the one before
        terms += term
        if term < 1e-17:
            break
        term *= (marked - k) * (drawn - k) / ((k + 1) * (total - marked - drawn + k + 1))
    log = _choices(marked, found) + _choices(total - marked, drawn - found) - _choices(total, drawn)
    return math.exp(log) * terms


def _choices(total: int, drawn: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(drawn + 1) - math.lgamma(total - drawn + 1)
