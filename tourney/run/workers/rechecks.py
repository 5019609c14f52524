"""Rechecks: which matches a second host plays too, and where hosts differ, which of them is wrong.

Where two hosts differ, or there is no second one, this machine plays the match itself, and its result
here decides. What no recheck can prove is counted, and named at the end.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Final

from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch
from tourney.run.workers.batches import HostResult, SubmittedMatch
from tourney.run.workers.cluster_nodes import HERE, IntroducedNode
from tourney.run.workers.executor import MatchExecutor, Run, WorkerReply
from tourney.seeds import derive, uniform

PLAYS: Final = 3  # the plays on this machine, all alike, that show which of two hosts is wrong
OF: Final = 10_000
ERROR: Final = 0.01  # the share of runs on alike hosts in which any host is named


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
        """A sentence for each host on which an entrant fails more often than chance lets it.

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
    """The probability that ``drawn`` of ``total`` hold at least ``found`` of the ``marked`` ones.

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

    def choices(whole: int, part: int) -> float:
        return math.lgamma(whole + 1) - math.lgamma(part + 1) - math.lgamma(whole - part + 1)

    log = choices(marked, found) + choices(total - marked, drawn - found) - choices(total, drawn)
    return math.exp(log) * terms


Put = Callable[[Callable[[], None]], None]
Decide = Callable[[SubmittedMatch, tuple[str, PlayedMatch] | None, tuple[IntroducedNode, ...]], None]


def sent(side: HostResult) -> tuple[str, PlayedMatch]:
    """The host of a result by name, and the result."""
    return side[0].host, side[1]


class Rechecks:
    """Rechecks ``share`` of 10,000 matches of a run.

    ``make_judge`` returns an executor on this machine; ``put`` brings a function to the thread that uses this
    object. ``decide`` takes a rechecked match, with what counts of it after its host's name (None: it is
    replayed), and the hosts that were wrong.
    """

    def __init__(
        self, run: Run, share: int, make_judge: Callable[[], MatchExecutor], put: Put, decide: Decide
    ) -> None:
        self._run = run
        self._share = share
        self._make_judge = make_judge
        self._put = put
        self._decide = decide
        self._judge: MatchExecutor | None = None
        self._judging = 0
        self._rates = FaultRates()
        self._doubtful: Counter[str] = Counter()

    @property
    def busy(self) -> bool:
        """Whether this machine plays a match."""
        return self._judging > 0

    def drawn(self, number: int) -> bool:
        """Say whether a match is played on a second host; only who knows the tournament's seed knows that."""
        return uniform(derive(self._run.seed, "recheck", number), OF) < self._share

    def compare(self, match: SubmittedMatch, first: HostResult, second: HostResult) -> None:
        """Compare what two hosts sent; where they differ, have this machine play the match."""
        if first[1].digest == second[1].digest:
            self._decide(match, sent(first), ())
        else:
            match.second = second
            self.judge(match)

    def judge(self, match: SubmittedMatch) -> None:
        """Play a match here: hosts differ about it, or there is no second one."""
        if self._judge is None:
            self._judge = self._make_judge()
        self._judging += 1
        future = self._judge.submit(match.task)
        with suppress(Exception):  # the future says so too
            self._judge.flush()
        future.add_done_callback(lambda done: self._put(partial(self._judged, match, done)))

    def _judged(self, match: SubmittedMatch, done: "Future[WorkerReply]") -> None:
        """Compare the result of a match here with those that the hosts sent."""
        self._judging -= 1
        if match.first is None:  # its host was set aside meanwhile
            self._decide(match, None, ())
            return
        sides = [side for side in (match.first, match.second) if side is not None]
        played = None if done.cancelled() or done.exception() else done.result().played
        if played is None:
            self._run.say(f"match {match.task.number} could not be rechecked: {HERE} could not play it")
            self._decide(match, sent(min(sides, key=lambda side: not side[1].reproducible)), ())
            return
        match.judged.append(played)
        agreed = [side for side in sides if side[1].digest == played.digest]
        others = [one for one, found in sides if found.digest != played.digest]
        good = sent(agreed[0]) if agreed else (HERE, played)
        again = len(match.judged) < PLAYS
        if not others:
            self._decide(match, good, ())
        elif not (played.reproducible or agreed) and again:
            self.judge(match)
        elif not all(found.reproducible for found in (*match.judged, *(found for _, found in sides))):
            # A time-out or a crash proves nothing: no host is refused, but the result here counts.
            self._doubtful.update(one.host for one in others if agreed or played.reproducible)
            self._decide(match, good, ())
        elif len({one.digest for one in match.judged}) > 1 or not (agreed or match.second is None):
            self._run.say(
                f"match {match.task.number} does not repeat: it came out differently on {sides[0][0].host}"
                " and on other machines, so that its recheck proves nothing; bots whose choices depend on the"
                " time do so"
            )
            self._decide(match, good, ())
        elif again:
            self.judge(match)
        else:
            self._decide(match, sent(agreed[0]) if agreed else None, tuple(others))

    def count(self, match: SubmittedMatch, host: str, played: PlayedMatch) -> None:
        """Count the time-outs and crashes of a match that counts."""
        names = [seat.name for seat in match.task.spec.seats]
        self._rates.count(host, names, [(seat, kind) for seat, kind, _ in played.outcome.faults])

    def say_doubts(self) -> None:
        """Say at the end what looks wrong and cannot be proved."""
        for host, count in sorted(self._doubtful.items()):
            matches = "1 rechecked match" if count == 1 else f"{count} rechecked matches"
            self._run.say(
                f"{matches} of {host} came out differently on other machines, with a time-out or a crash,"
                " which proves nothing, but many show a slow or a dishonest host"
            )
        for finding in self._rates.findings():
            self._run.say(
                f'{finding}; such results cannot be proved: leave the host out, or use charge = "fuel", where'
                " time-outs are rechecked"
            )

    def end(self, *, at_once: bool) -> None:
        """End the judge's workers."""
        if self._judge is not None:
            (self._judge.stop if at_once else self._judge.close)()
