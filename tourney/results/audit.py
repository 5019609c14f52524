"""Signs that results of a tournament are not independent: they name facts and accuse no one.

Each finding has an innocent explanation: two deterministic bots repeat, an author enters one program twice to
measure noise, a matchup makes a bot weak against one rival or lets it crash, and a search takes longer in
harder positions.
"""

import dataclasses
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, takewhile
from statistics import NormalDist, median
from typing import Final, Literal, NamedTuple

import numpy as np

from tourney.errors import StoreDamaged
from tourney.match.record import Record
from tourney.ratings.batch import rate
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.fit import estimate, tail
from tourney.results.luck import results_with_luck
from tourney.results.tables import entrant_names
from tourney.schedule.format import ranking_format
from tourney.schedule.row import ResultRow
from tourney.schema import Part
from tourney.store.column_reading import MatchParts, unpack_parts
from tourney.store.database import Database
from tourney.store.values import Tournament

FindingKind = Literal["repeats", "same program", "dumping", "giving up", "luck", "think time"]
ERROR: Final = 0.01
"""The probability of any false finding of a kind in a tournament."""
REPEATED: Final = 0.2
"""The share of a pair's games that must repeat to be named."""
SUSPECTS: Final = 12
"""The number of pairs with the largest residuals that are tested against a fit without their games."""
SUSPECT: Final = (0.02, 0.05)
"""The chances below which a bot's give-ups to a rival count together with other bots' give-ups."""
HONEST: Final = 0.3
"""The share of lost games by which honest bots may give up to one rival more often than to others."""
POSITIONS: Final = 30
"""The positions that two bots must both have answered to be compared."""
ALIKE: Final = 0.95
"""The share of equal answers from which two bots may be one program."""
SLOWER: Final = 1.5
"""The least ratio of a bot's median times against two opponents."""
RECORDS: Final = 4_000
"""Most records whose positions and times are read, the first ones."""

UNSEEN: Final = (
    (
        "Not seen: games given away by bad moves, unless they are most games of a pair. Of 20 games of"
        " each two a fifth given away is found in 0 to 1 % of tournaments, half in 8 to 17.5 %, all in 99.5"
        " to 100 %."
    ),
    (
        "Not seen: bots that give up all their lost games to every rival; bots that give up to one rival in"
        " fewer than four games; one program in two forms that answer differently."
    ),
)
"""The limits of the audit, in sentences; the figures come from ``benchmarks/audits.py dumping``."""


class AuditFinding(Part, frozen=True):
    """What was seen of some bots, in a sentence without its end."""

    kind: FindingKind
    bots: tuple[str, ...]
    text: str


class LostGame(NamedTuple):
    """A game that a bot did not win: the bots that finished ahead of it, and whether it gave up.

    It gave up if it resigned, or if a fault of its own lost the game.
    """

    loser: int
    ahead: tuple[int, ...]
    gave_up: bool


class GivingUp(NamedTuple):
    """Bots that gave up to a rival far more often than to all others.

    In ``games`` lost to ``rival`` the bots gave up ``give_ups`` times, in ``other_games`` lost to others
    only ``other_give_ups`` times.
    """

    rival: int
    bots: tuple[int, ...]
    give_ups: int
    games: int
    other_give_ups: int
    other_games: int


class AlikePair(NamedTuple):
    """Two bots that answer alike: the positions that both met, and the number of ``equal`` answers."""

    bots: tuple[int, int]
    equal: int
    positions: int


class SlowerBot(NamedTuple):
    """A bot that takes longer against one opponent, with its medians in milliseconds a turn."""

    bot: int
    slow: int
    fast: int
    slow_ms: float
    fast_ms: float


class Dumping(NamedTuple):
    """The points of ``a`` against ``b``, the points that all other games let expect, and z."""

    a: int
    b: int
    games: float
    points: float
    expected: float
    z: float


def audit(
    database: Database,
    tournament: Tournament,
    alike: Callable[[], Sequence[AlikePair]] | None = None,
) -> Iterator[AuditFinding]:
    """Yield the findings by kind; ``alike`` finds the bots that answer alike (default: ``alike_in``).

    Tests that need archived or damaged parts are left out; `tourney verify` names damage.
    """
    names = entrant_names(database, tournament)
    results = list(results_with_luck(database, tournament))
    results = [result for result in results if not result.void]
    numbers = [stored.number for stored in database.tournaments.entrants(tournament.id)]
    yield from _repeats(results, names)
    has_records = tournament.recorded and tournament.id not in database.tournaments.archives()
    if tournament.recorded and not ranking_format(tournament.plan.format).pairs_with_itself:
        yield from _same_files(database, tournament)
        with suppress(StoreDamaged):
            pairs = alike or partial(_alike_in_database, database, tournament)
            yield from _same_answers(pairs(), names) if has_records else ()
    clusters = Clusters(shared_dice=tournament.plan.mirrored_dice)
    clusters.take(results)
    counts = clusters.counts(numbers, tournament.seats)
    for pair in find_dumping(counts):
        yield AuditFinding(
            "dumping",
            (names[pair.a], names[pair.b]),
            f"{names[pair.a]} took {pair.points:g} of {pair.games:g} points off {names[pair.b]}, where all"
            f" other games let expect {pair.expected:.1f} (z = {pair.z:.1f}); a matchup may explain it",
        )
    with suppress(StoreDamaged):
        for giving in find_giving_up(_lost_games(database, tournament, has_records=has_records)):
            bots = tuple(names[bot] for bot in giving.bots)
            yield AuditFinding(
                "giving up",
                (*bots, names[giving.rival]),
                f"{' and '.join(bots)} resigned or failed in {giving.give_ups} of {giving.games} games lost"
                f" to {names[giving.rival]}, and in {giving.other_give_ups} of {giving.other_games} lost to"
                f" others; how {names[giving.rival]} wins, or a defect that its play meets, may explain it",
            )
    for number, luck in sorted(counts.mean_lucks().items()):
        if luck.alarm:
            text = f"the dice gave it {100 * luck.mean:.1f} points per 100 matches (z = {luck.z:.1f})"
            yield AuditFinding("luck", (names[number],), f"{text}: it may know them")
    with suppress(StoreDamaged):
        yield from (
            _times(database, tournament, results, names) if tournament.seats == 2 and has_records else ()
        )


def _repeats(results: Sequence[ResultRow], names: dict[int, str]) -> Iterator[AuditFinding]:
    games: Counter[tuple[int, ...]] = Counter()
    plays: defaultdict[tuple[int, ...], set[tuple[object, ...]]] = defaultdict(set)
    for result in results:
        table = tuple(sorted(result.entrants))
        games[table] += 1
        # Without a record nothing identifies the game, so it repeats no other.
        plays[table].add((result.entrants, result.evidence.play or result.key))
    for table, count in sorted(games.items()):
        distinct = len(plays[table])
        if count - distinct >= max(REPEATED * count, 2):
            text = f"{distinct} distinct of {count} games; repeats are one observation"
            yield AuditFinding("repeats", tuple(names[number] for number in table), text)


def _same_files(database: Database, tournament: Tournament) -> Iterator[AuditFinding]:
    for entrant, rival in combinations(database.tournaments.entrants(tournament.id), 2):
        if entrant.entrant.digest == rival.entrant.digest:
            how = "the same" if entrant.entrant.args == rival.entrant.args else "other"
            text = f"the same files (digest {entrant.entrant.digest[:12]}) with {how} arguments"
            yield AuditFinding("same program", (entrant.name, rival.name), text)


def _alike_in_database(database: Database, tournament: Tournament) -> list[AlikePair]:
    seats = {result.number: result.entrants for result in database.matches.results(tournament.id)}
    records = takewhile(lambda numbered: numbered[0] <= RECORDS, database.records.all(tournament.id))
    return alike_in(seats, records)


def alike_in(seats: Mapping[int, Sequence[int]], records: Iterable[tuple[int, Record]]) -> list[AlikePair]:
    """The bots that answer alike in some matches; ``seats`` are the entrants of each match."""
    answers: defaultdict[bytes, dict[int, str]] = defaultdict(dict)
    for number, record in records:
        history = hashlib.blake2b(digest_size=8)
        for actor, action in record.actions:
            if actor:
                answers[history.digest()].setdefault(seats[number][actor - 1], action)
            history.update(f"{actor} {action}/".encode())
    return list(find_alike(answers.values()))


def _same_answers(pairs: Iterable[AlikePair], names: dict[int, str]) -> Iterator[AuditFinding]:
    for (a, b), equal, count in pairs:
        text = f"{equal} of {count} positions that both met were answered alike"
        yield AuditFinding("same program", (names[a], names[b]), text)


def find_alike(answers: Iterable[Mapping[int, str]]) -> Iterator[AlikePair]:
    """Yield the pairs that answer more alike than other pairs explain.

    Good bots find the same actions. So the expected share of equal answers of two bots is a product of a
    factor for each; the factors, with errors, follow from all pairs that are not suspected. ``answers``: the
    answers to each position, by entrant. With fewer than four bots nothing can be said.
    """
    both: Counter[tuple[int, int]] = Counter()
    equal: Counter[tuple[int, int]] = Counter()
    for by_bot in answers:
        for a, b in combinations(sorted(by_bot), 2):
            both[a, b] += 1
            equal[a, b] += by_bot[a] == by_bot[b]
    met = [compared for compared, count in sorted(both.items()) if count >= POSITIONS]
    others = [compared for compared in met if equal[compared] < ALIKE * both[compared]]
    for pair in met if others else ():
        count = both[pair]
        if pair in others:
            continue
        bots = sorted({bot for compared in (pair, *others) for bot in compared})
        rows = np.array([[bot in compared for bot in bots] for compared in others], dtype=float)
        weights = np.array([equal[compared] + 0.5 for compared in others])
        shares = np.log([(equal[compared] + 0.5) / (both[compared] + 1) for compared in others])
        information = (rows.T * weights) @ rows
        # A bot that met only suspected pairs has no factor of its own to be compared by.
        if np.linalg.matrix_rank(information) < len(bots):
            continue
        mine = np.array([bot in pair for bot in bots], dtype=float)
        # Weighted least squares on logarithms, where the product is a sum.
        factors = np.linalg.solve(information, rows.T @ (weights * shares))
        error = float(mine @ np.linalg.solve(information, mine)) ** 0.5
        # Two errors more than expected, and never certain: the test must not name honest bots.
        usual = min(math.exp(min(float(mine @ factors) + 2 * error, 0.0)), 1 - 1 / count)
        chance = _binomial_tail(equal[pair], count, usual)
        if chance < ERROR / len(both):
            yield AlikePair(pair, equal[pair], count)


def _binomial(successes: Iterable[int], count: int, won: float, lost: float) -> float:
    """The probability of one of these numbers of successes, from the logarithms of both chances."""
    whole = math.lgamma(count + 1)
    logs = (
        whole - math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * won + (count - k) * lost
        for k in successes
    )
    return math.fsum(map(math.exp, logs))


def find_dumping(counts: Counts) -> list[Dumping]:
    """The pairs with a result so unlikely by all other games that chance shows any in 1 % of pools.

    Each suspected pair is tested against a fit without its games, with the errors of that fit; the bound
    holds for all pairs together (Bonferroni). Pools of fewer than four bots have no findings.
    """
    n = counts.size
    if n < 4 or not len(counts.cluster):
        return []
    met = [pair for pair in rate(counts, best=False).pairs if pair.z is not None]
    dumpings = []
    for pair in sorted(met, key=lambda pair: -abs(pair.z or 0.0))[:SUSPECTS]:
        a = counts.entrants.index(pair.a)
        b = counts.entrants.index(pair.b)
        theirs = (counts.seating == a).any(axis=1) & (counts.seating == b).any(axis=1)
        rest = dataclasses.replace(
            counts,
            **{
                name: getattr(counts, name)[~theirs]
                for name in ("seating", "ranks", "cluster", "weight", "luck")
            },
        )
        if not len(rest.cluster):
            continue
        fit = estimate(rest, flat=True)
        covariance = fit.covariance[[a, b]][:, [a, b]]
        gap = float(fit.mean[a] - fit.mean[b])
        error = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]) ** 0.5
        score = 1 / (1 + math.exp(-gap))
        # The tail on the side of the surprise: too few points of one bot are too many of the other.
        less = pair.points < pair.games * score
        points = pair.points if less else pair.games - pair.points
        chance = _at_most(points, pair.games, gap if less else -gap, error, max(fit.dispersion, 1.0))
        if chance < ERROR / (n * (n - 1)):
            who = (pair.a, pair.b) if less else (pair.b, pair.a)
            expected = pair.games * (score if less else 1 - score)
            dumpings.append(
                Dumping(*who, pair.games, points, expected, NormalDist().inv_cdf(max(chance, 1e-300)))
            )
    return dumpings


def _lost_games(database: Database, tournament: Tournament, *, has_records: bool) -> Iterator[LostGame]:
    """Yield the lost games of all bots, each of several equal games once.

    At more than two seats resignations are read from the first ``RECORDS`` records, if there are records.
    """
    resigned: dict[int, set[int]] = {}
    if has_records and tournament.seats > 2:
        for number, record in database.records.all(tournament.id):
            if number > RECORDS:
                break
            resigned[number] = {seat - 1 for seat, _ in record.outcome.resigned}
    limit = tournament.plan.limits.resign
    # With sides = 1 a bot can have its own game judged as lost by its word alone: that is a resignation.
    by_itself = {"resign", "adjudication"} if limit is not None and limit.sides == 1 else {"resign"}
    seen: set[tuple[tuple[int, ...], str]] = set()
    for match in database.matches.all(tournament.id, finished=True):
        result = match.result
        if result is None or result.void:
            continue
        # Deterministic bots repeat a lost game any number of times; that is one observation.
        play = (match.seats, result.evidence.play)
        if result.evidence.play and play in seen:
            continue
        seen.add(play)
        for seat, (loser, rank) in enumerate(zip(match.seats, result.ranks, strict=True)):
            ahead = tuple(
                entrant
                for entrant, other_rank in zip(match.seats, result.ranks, strict=True)
                if other_rank < rank
            )
            if ahead:
                left = seat in resigned.get(match.number, ())
                alone = tournament.seats == 2 and result.reason in by_itself
                yield LostGame(loser, ahead, bool(result.faults[seat]) or left or alone)


def find_giving_up(games: Iterable[LostGame]) -> list[GivingUp]:
    """The rivals to whom bots give up so often that chance shows any in 1 % of pools.

    If a bot gives up equally often to every rival, its games lost to one rival are a sample of all its lost
    games (Fisher's exact test). But a slow rival makes others lose on time, and bots resign sooner to a
    strong one: so it must also be unlikely by a binomial whose share is ``HONEST`` above that of the other
    games. A rival is named for one bot whose chance is that small among all pairs, or for several below a
    limit of ``SUSPECT``: each has that probability at most, whatever the others do, so their number is at
    most binomial. Each of these ways has its part of the error.
    """
    lost: Counter[int] = Counter()
    given_up: Counter[int] = Counter()
    lost_to: Counter[tuple[int, int]] = Counter()
    given_to: Counter[tuple[int, int]] = Counter()
    for game in games:
        lost[game.loser] += 1
        given_up[game.loser] += game.gave_up
        for rival in game.ahead:
            lost_to[game.loser, rival] += 1
            given_to[game.loser, rival] += game.gave_up
    chances: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for (loser, rival), count in sorted(lost_to.items()):
        mine = given_to[loser, rival]
        others = lost[loser] - count
        if others:
            by_lot = _at_least(mine, count, given_up[loser], lost[loser])
            usual = (given_up[loser] - mine) / others + HONEST
            by_cause = _binomial_tail(mine, count, usual) if usual < 1 else 1.0
            chances[rival][loser] = max(by_lot, by_cause)
    tested = sum(map(len, chances.values()))
    part = ERROR / (1 + len(SUSPECT))
    findings = []
    for rival, by_bot in chances.items():
        alone = [bot for bot, chance in by_bot.items() if chance < part / tested]
        suspects = alone
        # The stricter limit needs fewer bots that give up much, the looser one more that give up a little.
        for limit in SUSPECT:
            together = [bot for bot, chance in by_bot.items() if chance <= limit]
            if len(together) > len(alone) and (
                _binomial_tail(len(together), len(by_bot), limit) < part / len(chances)
            ):
                suspects = together
        if suspects:
            sums = [sum(counts[bot, rival] for bot in suspects) for counts in (given_to, lost_to)]
            everything = [sum(counts[bot] for bot in suspects) for counts in (given_up, lost)]
            rest = [whole - part for whole, part in zip(everything, sums, strict=True)]
            findings.append(GivingUp(rival, tuple(suspects), *sums, *rest))
    return findings


def _binomial_tail(successes: int, count: int, probability: float) -> float:
    """The probability of this many successes or more."""
    return _binomial(range(successes, count + 1), count, math.log(probability), math.log1p(-probability))


def _at_least(successes: int, drawn: int, marked: int, total: int) -> float:
    """The probability that this many or more of ``marked`` ones are among those ``drawn`` of a ``total``."""
    ways = (
        math.comb(marked, k) * math.comb(total - marked, drawn - k)
        for k in range(successes, min(drawn, marked) + 1)
    )
    return sum(ways) / math.comb(total, drawn)


def _at_most(points: float, games: int, gap: float, error: float, dispersion: float) -> float:
    """The probability of at most these points of games that vary ``dispersion`` times as much as alone.

    Binomial, averaged over the gap's normal errors: a normal approximation is wrong in the tails of one-sided
    pairs, and draws only make points vary less.
    """
    # Games that vary more than independent ones are worth fewer of them.
    count = max(round(games / dispersion), 1)
    most = math.floor(points / games * count)
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    total = 0.0
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        true = gap + error * node
        # logarithms of chances
        won = -float(np.logaddexp(0, -true))
        lost = -float(np.logaddexp(0, true))
        total += float(weight) * _binomial(range(most + 1), count, won, lost)
    return min(total, 1.0)


def _times(
    database: Database, tournament: Tournament, results: Sequence[ResultRow], names: dict[int, str]
) -> Iterator[AuditFinding]:
    times: defaultdict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    first = {result.number: result.entrants for result in results[:RECORDS]}
    # In one query for many: a query for each takes half of the time of a report on 10,000 matches.
    parts = database.records.parts(tournament.id, list(first))
    for number, entrants in first.items():
        packed = parts.get(number, MatchParts())._replace(record=None, log=None)
        _, _, measured = unpack_parts(packed, tournament.seats)
        for seat, load in enumerate(measured.load):
            if load.turns:
                times[entrants[seat]][entrants[1 - seat]].append(load.wall_ms / load.turns)
    for number, slow, fast, most, least in find_slower(times):
        text = (
            f"a turn of {names[number]} takes {most:.0f} ms against {names[slow]} and {least:.0f} ms against"
            f" {names[fast]} (medians of matches)"
        )
        yield AuditFinding("think time", (names[number], names[slow], names[fast]), text)


def find_slower(
    times: Mapping[int, Mapping[int, Sequence[float]]],
) -> Iterator[SlowerBot]:
    """Yield bots whose times a turn, by opponent, differ by Kruskal and Wallis's test (JASA 47, 1952).

    Each comes with the opponents of the longest and the shortest median, and these medians.
    """
    for number, by_opponent in sorted(times.items()):
        # The test's approximation needs some values in each group.
        groups = {
            opponent: times_against
            for opponent, times_against in by_opponent.items()
            if len(times_against) >= 4
        }
        if len(groups) < 2:
            continue
        # Ranks over all opponents together, as the test asks.
        values = np.concatenate([np.array(times_against) for times_against in groups.values()])
        _, place, equal = np.unique(values, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(equal) - (equal - 1) / 2)[place]
        if len(equal) == 1:
            continue
        sizes = np.array([len(times_against) for times_against in groups.values()])
        means = np.array([part.mean() for part in np.split(ranks, np.cumsum(sizes)[:-1])])
        total = len(values)
        # Equal times share their mean rank, so that the order of opponents decides nothing; ranks then vary
        # less, by this factor.
        ties = 1 - float(np.sum(equal**3 - equal)) / (total**3 - total)
        statistic = 12 / (total * (total + 1)) * float(sizes @ (means - (total + 1) / 2) ** 2) / ties
        degrees = len(groups) - 1
        medians = {opponent: median(times_against) for opponent, times_against in groups.items()}
        slow = max(medians, key=lambda o: medians[o])
        fast = min(medians, key=lambda o: medians[o])
        likely = tail(statistic, degrees, 2.0 * degrees) > ERROR / len(times)
        if not likely and medians[slow] >= SLOWER * max(medians[fast], 1.0):
            yield SlowerBot(number, slow, fast, medians[slow], medians[fast])
