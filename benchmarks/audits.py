"""Evidence against simulated truth: repeats, luck, circles, drift, and the findings of audits.

    python -m benchmarks.audits [--seeds 20] [TABLE ...]

Tables: repeats, luck, stones, cycles, transitive, sparse, dumping, giving-up, answers, times; all without an
argument. All but ``stones`` are simulated from fixed seeds, with strengths in Elo; ``stones`` plays matches
of Sage Stones. So all figures are the same everywhere. ``cycles`` has pools of six bots in which three beat
each other in a circle; ``transitive`` has pools without any, some of them with accidents, draws or drift;
``sparse`` has equal bots that met a few times.

It is long because its tables share their simulated pools.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from benchmarks.common import head, row, run, tables_command
from benchmarks.ratings import Floats, Pool, World
from tourney.games.base import CHANCE, OVER, AnyState
from tourney.games.registry import find_game
from tourney.match.evidence import POINT, Evidence, draws
from tourney.match.record import Outcome, make_record
from tourney.match.spec import Entrant, MatchSpec
from tourney.ratings.batch import rate, rate_clusters
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.cycles import SIGNIFICANT
from tourney.ratings.fit import TESTED, chance, estimate, goodness, pair_totals
from tourney.ratings.sequential import expected_score
from tourney.ratings.superiority import normals, uniforms
from tourney.results.audit import LostGame, find_alike, find_dumping, find_giving_up, find_slower
from tourney.schedule.row import MatchKey, ResultRow
from tourney.seeds import derive, seat_orders, stream


def repeated(bots: int, lines: int, seed: int, *, spread: float, groups: int = 50) -> Pool:
    """A round-robin of deterministic bots: a pair plays each of some opening lines always in the same way.

    An opening suits one of the two by a normal distribution of 100 Elo.
    """
    world = World(f"repeats-{lines}", 2, bots, spread)
    strengths = spread * normals(bots, "bench", world.name, seed, "strengths")
    strengths -= strengths.mean()
    results = []
    for table, (a, b) in enumerate(combinations(range(bots), 2), 1):
        labels = ("bench", world.name, seed, a, b)
        suits = 100 * normals(lines, *labels, "suits")
        played = uniforms(2 * lines, *labels, "games").reshape(lines, 2)
        for group in range(groups):
            line = group % lines
            for order, seats in enumerate(((a, b), (b, a)), 1):
                won = played[line, order - 1] < expected_score(strengths[a] - strengths[b] + suits[line])
                evidence = Evidence(f"{line}" if lines > 1 else "", f"{line}-{order}")
                ranks = (1, 2) if won == (seats[0] == a) else (2, 1)
                results.append(
                    ResultRow(MatchKey(1, table, group + 1, order), seats, ranks, evidence=evidence)
                )
    return Pool(world, strengths, results)


def show_repeats(seeds: int) -> None:
    """Show what games that repeat do to intervals, counted one by one and as clusters."""
    runs = 20 * seeds
    print(f"\nDeterministic bots, 100 games of each two; {runs} pools of each kind\n")
    head(
        "bots",
        "opening lines",
        "distinct",
        "counted: coverage",
        "joined",
        "counted: P > .975, equal bots",
        "joined",
    )
    for bots in (2, 3, 6):
        for lines in (1, 2, 3, 4, 8, 25):
            inside: Counter[bool] = Counter()
            sure: Counter[bool] = Counter()
            for seed in range(runs):
                pools = (repeated(bots, lines, seed, spread=spread) for spread in (150.0, 0.0))
                for equal, pool in enumerate(pools):
                    for joined in (False, True):
                        counts = Counts.of_results(pool.results, range(bots), 2, joined=joined)
                        pairs = rate(counts, best=False).pairs
                        gaps = [pool.strengths[pair.a] - pool.strengths[pair.b] for pair in pairs]
                        if equal:
                            sure[joined] += any(pair.los > 0.975 for pair in pairs)
                        else:
                            ends = zip(pairs, gaps, strict=True)
                            inside[joined] += sum(pair.low <= gap <= pair.high for pair, gap in ends)
            many = runs * bots * (bots - 1) // 2
            shares = (f"{100 * inside[joined] / many:.1f} %" for joined in (False, True))
            wrong = (f"{100 * sure[joined] / runs:.0f} %" for joined in (False, True))
            row(bots, lines, f"{2 * lines} of 100", *shares, *wrong)


def lucky_pool(bots: int, matches: int, noise: float, seed: int) -> Pool:
    """Matches of bots with dice of their own, whose luck is known and decides as much as ``noise`` leaves."""
    world = World(f"lucky-{noise:g}", 2, bots, 100.0)
    strengths = world.spread * normals(bots, "bench", world.name, seed, "strengths")
    strengths -= strengths.mean()
    who = np.argsort(uniforms(matches * bots, "bench", world.name, seed, "who").reshape(matches, -1))[:, :2]
    drawn = uniforms(2 * matches, "bench", world.name, seed, "games").reshape(2, matches) - 0.5
    luck, rest = 1.1 * drawn[0], noise * drawn[1]
    grid = (np.arange(400) + 0.5) / 400 - 0.5
    both = np.sort((1.1 * grid[:, None] + noise * grid[None, :]).ravel())
    results = []
    for game, (a, b) in enumerate(who.tolist()):
        expected = expected_score(float(strengths[a] - strengths[b]))
        won = luck[game] + rest[game] > both[round((len(both) - 1) * (1 - expected))]
        known = int(POINT * luck[game])
        evidence = Evidence("", f"{game}", (known, -known), 1)
        key = MatchKey(1, game + 1, 1, 1)
        results.append(ResultRow(key, (a, b), (1, 2) if won else (2, 1), evidence=evidence))
    return Pool(world, strengths, results)


def show_luck(seeds: int) -> None:
    """Show what subtracting luck does to errors and coverage."""
    runs = 2 * seeds
    print(f"\nPools of 8 bots with known luck, {runs} of each kind\n")
    head(
        "matches",
        "noise",
        "share subtracted",
        "RMSE, Elo, with luck",
        "without",
        "coverage, with luck",
        "without",
    )
    for matches in (200, 1000, 4000):
        for noise in (0.6, 1.2, 4.0):
            errors: dict[bool, list[float]] = {False: [], True: []}
            inside: dict[bool, list[float]] = {False: [], True: []}
            shares = []
            for seed in range(runs):
                pool = lucky_pool(8, matches, noise, seed)
                for fair in (False, True):
                    counts = Counts.of_results(pool.results, range(8), 2, shared_dice=False, luck=fair)
                    batch = rate(counts, pairs=False, best=False)
                    for line in batch.ratings:
                        truth = pool.strengths[line.entrant]
                        errors[fair].append((line.elo - truth) ** 2)
                        inside[fair].append(float(line.low <= truth <= line.high))
                shares.append(batch.share)
            rmse = (f"{statistics.mean(errors[fair]) ** 0.5:.1f}" for fair in (False, True))
            cover = (f"{100 * statistics.mean(inside[fair]):.1f} %" for fair in (False, True))
            row(matches, noise, f"{statistics.mean(shares):.2f}", *rmse, *cover)


def show_dumping(seeds: int) -> None:
    """Show how often the audit finds a pair that throws games, and one that does not."""
    runs = 10 * seeds
    print(f"\nRound-robins of which one bot gives a share of its games to another, {runs} of each kind\n")
    head("bots", "games of each two", "given away", "some pair named", "the right one")
    for bots, games in ((6, 20), (10, 20), (10, 60), (20, 20)):
        for given in (0.0, 0.2, 0.5, 1.0):
            named = right = 0
            for seed in range(runs):
                labels = ("bench", "dumping", seed, bots)
                strengths = 150 * normals(bots, *labels, "strengths")
                weak, strong = (int(one) for one in np.argsort(strengths)[[bots // 3, 2 * bots // 3]])
                results = []
                for table, (a, b) in enumerate(combinations(range(bots), 2), 1):
                    u = uniforms(2 * games, *labels, a, b).reshape(2, games)
                    for game in range(games):
                        seats = (a, b) if game % 2 else (b, a)
                        won = u[0, game] < expected_score(float(strengths[seats[0]] - strengths[seats[1]]))
                        if {a, b} == {weak, strong} and u[1, game] < given:
                            won = seats[0] == weak
                        key = MatchKey(1, table, game // 2 + 1, game % 2 + 1)
                        results.append(ResultRow(key, seats, (1, 2) if won else (2, 1)))
                found = find_dumping(Counts.of_results(results, range(bots), 2))
                named += bool(found)
                right += any((one.a, one.b) == (strong, weak) for one in found)
            row(bots, games, f"{100 * given:.0f} %", *(f"{100 * n / runs:.1f} %" for n in (named, right)))


BOTS = 6
GAMES = 20
"""Games of each two in a pool with a cycle, in mirrored pairs."""
DRAWN = 0.2
_UNIT = 1 << 32


def games_of(scores: Sequence[Sequence[float]], seed: int) -> Iterator[ResultRow]:
    """Yield games in which each scores against each as given, with draws."""
    sample = stream(seed, "cycles", "games")
    for table, (a, b) in enumerate(combinations(range(len(scores)), 2), 1):
        for game in range(GAMES):
            one, other = (a, b) if game % 2 else (b, a)
            expected = scores[one][other]
            draw = 2 * DRAWN * min(expected, 1 - expected)
            at = sample(_UNIT) / _UNIT
            ranks = (1, 1) if at < draw else (1, 2) if at < expected + draw / 2 else (2, 1)
            yield ResultRow(MatchKey(1, table, game // 2 + 1, game % 2 + 1), (one, other), ranks)


def scores_with_cycle(seed: int, margin: float) -> list[list[float]]:
    """Scores from random strengths; the first three beat each other in a circle by a margin."""
    sample = stream(seed, "cycles", "strengths")
    strengths = [sum(sample(_UNIT) / _UNIT for _ in range(12)) - 6 for _ in range(BOTS)]
    if margin:
        strengths[:3] = [strengths[0]] * 3
    scores = [[1 / (1 + math.exp(other - mine)) for other in strengths] for mine in strengths]
    for winner, loser in ((0, 1), (1, 2), (2, 0)) if margin else ():
        scores[winner][loser], scores[loser][winner] = 0.5 + margin, 0.5 - margin
    return scores


def show_cycles(seeds: int) -> None:
    """Show how often ratings name circles of bots: without any, and with one."""
    pools = 15 * seeds
    print(f"\nPools of {BOTS} bots, {GAMES} games of each two\n")
    head("circle", "pools", "said not to be one number", "a circle named", "the right one")
    for margin in (0.0, 0.1, 0.2, 0.3):
        said = named = right = 0
        for seed in range(pools):
            games = games_of(scores_with_cycle(seed, margin), seed)
            found = rate(Counts.of_results(games, range(BOTS), 2), pairs=False).cycles
            said += found is not None
            if found is not None and found.cycles:
                named += 1
                right += set(found.cycles[0].entrants) == {0, 1, 2}
        label = f"{100 * (0.5 + margin):.0f} %" if margin else "none"
        row(label, pools, said, named, right if margin else "-")


STONES = 120
"""Mirrored groups of Sage Stones."""


def stones(seats: int, group: int, order: Sequence[int]) -> tuple[float, float]:
    """The score and the luck of bot 0 in a game of a group, whose games share dice; bots err at times."""
    game = find_game("sage-stones")
    seed, state, actions = derive(0, "stones", seats, group), game.new(seats), list[tuple[int, str]]()
    while state.actor != OVER:
        if state.actor == CHANCE:
            action = state.outcome(derive(seed, "chance", sum(actor == 0 for actor, _ in actions)))
        else:
            action = _chosen(
                game.outlook(state), state, derive(seed, "bot", order[state.actor - 1], len(actions))
            )
        actions.append((state.actor, game.action_string(action)))
        state = state.play(action)
    bots = tuple(Entrant(f"bot-{bot}", "greedy", "1", (), "0" * 64) for bot in order)
    spec = MatchSpec(game.name, tuple(game.settings(seats)[1].items()), bots, seed)
    ranks = state.ranks() or ()
    record = make_record(spec, game.rules, actions, Outcome(ranks, state.reason(), ()))
    seat = order.index(0)
    lost = sum(rank < ranks[seat] for rank in ranks) + sum(rank <= ranks[seat] for rank in ranks) - 1
    return 1 - lost / 2 / (seats - 1), sum(draw.luck[seat] for draw in draws(record, game)) / POINT


def _chosen(values: Sequence[Sequence[int]], state: AnyState, draw: int) -> object:
    """The action of the best value; one in eight is another."""
    legal = state.legal_actions()
    if draw % 8 == 0:
        return legal[(draw >> 8) % len(legal)]
    return legal[max(range(len(legal)), key=lambda at: values[at][state.actor - 1])]


def show_stones(_seeds: int) -> None:
    """Show how much of the variance of scores luck explains: of single games, and of mirrored groups."""
    print(
        f"\nSage Stones, {STONES} mirrored groups; shares of variance, the coefficient from the other half\n"
    )
    head("seats", "games", "luck of single games", "mirrored dice", "luck of mirrored groups", "both")
    for seats in (2, 3, 4):
        groups = np.array(
            [[stones(seats, group, order) for order in seat_orders(seats, 1)] for group in range(STONES)]
        )
        single, mean = groups.reshape(-1, 2), groups.mean(axis=1)
        alone = float(single[:, 0].var()) / groups.shape[1]
        kept = float(mean[:, 0].var()) / alone
        shares = (_explained(single), 1 - kept, _explained(mean), 1 - kept * (1 - _explained(mean)))
        row(seats, len(single), *(f"{100 * share:.0f} %" for share in shares))


def _explained(pairs: Floats) -> float:
    """The share of the variance of scores that luck explains, with the slope of the other half."""
    left, halves = 0.0, (pairs[::2], pairs[1::2])
    for half, other in (halves, halves[::-1]):
        slope = np.cov(other.T)[0, 1] / other[:, 1].var(ddof=1)
        left += float((half[:, 0] - slope * half[:, 1]).var(ddof=1)) / float(half[:, 0].var(ddof=1)) / 2
    return 1 - left


def transitive(seed: int, accidents: float, taste: float, drift: float, *, blocks: bool) -> list[ResultRow]:
    """A pool of ``BOTS`` without circles, 200 games of each two.

    ``accidents``: the share of games that are decided by lot. ``taste``: how much bots differ in their share
    of draws. ``drift``: the standard deviation of a bot's change over the whole pool, in Elo. With ``blocks``
    each two play all their games at one time, else cycle by cycle.
    """
    labels = ("bench", "transitive", seed)
    start, change = normals(2 * BOTS, *labels, "strengths").reshape(2, BOTS)
    likes = np.exp(taste * normals(BOTS, *labels, "taste"))
    pairs, games = list(combinations(range(BOTS), 2)), 200
    drawn = uniforms(len(pairs) * games * 2, *labels, "games").reshape(len(pairs), games, 2)
    results = []
    for table, pair in enumerate(pairs):
        for game in range(games):
            when = table / len(pairs) if blocks else game / games
            strong = 150 * start + drift * change * (when - 0.5)
            one, other = pair if game % 2 else pair[::-1]
            expected = expected_score(float(strong[one] - strong[other]))
            accident, at = drawn[table, game]
            expected = 0.5 if accident < accidents else expected
            odds = 0.25 * likes[one] * likes[other]
            draw = 2 * min(expected, 1 - expected) * odds / (1 + odds)
            ranks = (1, 1) if at < draw else (1, 2) if at < draw / 2 + expected else (2, 1)
            place = (table + 1, 1, game // 2 + 1) if blocks else (game // 2 + 1, table + 1, 1)
            results.append(ResultRow(MatchKey(*place, game % 2 + 1), (one, other), ranks))
    return sorted(results, key=lambda result: result.key)


def show_transitive(seeds: int) -> None:
    """Show how often pools without a circle are said to have one."""
    runs = 15 * seeds
    print(f"\nPools of {BOTS} bots without circles, 200 games of each two, {runs} of each kind\n")
    head("pool", "the model does not fit", "strengths changed", "a circle named")
    for title, *kind, blocks in (
        ("plain", 0.0, 0.0, 0.0, False),
        ("bots like draws differently", 0.0, 1.5, 0.0, False),
        ("a fifth of the games by lot", 0.2, 0.0, 0.0, False),
        ("drift of 200 Elo, cycle by cycle", 0.0, 0.0, 200.0, False),
        ("drift of 200 Elo, pair by pair", 0.0, 0.0, 200.0, True),
    ):
        said = changed = named = 0
        for seed in range(runs):
            clusters = Clusters()
            clusters.take(transitive(seed, *map(float, kind), blocks=bool(blocks)))
            found = rate_clusters(clusters, range(BOTS), 2, pairs=False).cycles
            said += found is not None
            changed += found is not None and found.changed
            named += found is not None and bool(found.cycles)
        row(str(title), *(f"{100 * count / runs:.1f} %" for count in (said, changed, named)))


def lost_games(
    bots: int, games: int, seed: int, give_up: Callable[[int, int], float], *, paired: bool
) -> Iterator[LostGame]:
    """Yield the lost games of a round-robin of bots whose strengths spread by 150 Elo, bot 0 the middle one.

    ``give_up``: the share of its games lost to a rival in which a bot gives up; -1 for all games that the two
    play. With ``paired`` the two games of a mirrored pair end in the same way.
    """
    labels = ("bench", "giving-up", seed, bots, games)
    strengths = 150 * normals(bots, *labels, "strengths")
    order = np.argsort(strengths)
    strengths = strengths[np.roll(order, -(bots // 2))]
    for a, b in combinations(range(bots), 2):
        won, gave = uniforms(2 * games, *labels, a, b).reshape(2, games)
        for game in range(games):
            winner, loser = (a, b) if won[game] < expected_score(strengths[a] - strengths[b]) else (b, a)
            if give_up(a, b) < 0 or give_up(b, a) < 0:
                loser, winner = (a, b) if give_up(a, b) < 0 else (b, a)
            share = give_up(loser, winner)
            same = game - game % 2 if paired else game
            yield LostGame(loser, (winner,), bool(share < 0 or gave[same] < share))


def show_giving_up(seeds: int) -> None:
    """Show how often the audit finds bots that give up to one rival, and honest ones."""
    runs = 20 * seeds
    print(f"\nRound-robins in which some bots give up games to bot 0, {runs} of each kind\n")
    head("pool", "bots", "games of each two", "some rival named", "the right one", "bots named, mean")
    share = {bot: (0.0, 0.3, 0.9, 1.0)[bot % 4] for bot in range(25)}
    kinds: tuple[tuple[str, Callable[[int, int], float], int, bool], ...] = (
        ("each bot gives up its own share", lambda bot, _: share[bot], 0, False),
        ("the same, mirrored games end alike", lambda bot, _: share[bot], 0, True),
        (
            "half of the lost games, and 80 % to one rival",
            lambda bot, to: 0.5 + 0.3 * (to == bot - 1),
            0,
            False,
        ),
        ("time-outs against a slow rival: 30 %, else 2 %", lambda _, to: 0.3 if to == 0 else 0.02, 0, False),
        ("one gives up all games", lambda bot, to: -1.0 if (bot, to) == (1, 0) else 0.05, 1, False),
        ("three give up all games", lambda bot, to: -1.0 if to == 0 < bot < 4 else 0.05, 3, False),
        ("five give up all games", lambda bot, to: -1.0 if to == 0 < bot < 6 else 0.05, 5, False),
        ("five give up lost games", lambda bot, to: 1.0 if to == 0 < bot < 6 else 0.05, 5, False),
    )
    for title, give_up, guilty, paired in kinds:
        for bots, games in ((9, 2), (9, 4), (9, 10), (25, 4)):
            named = right = size = 0
            for seed in range(runs):
                found = find_giving_up(lost_games(bots, games, seed, give_up, paired=paired))
                named += bool(found)
                mine = [one for one in found if one.rival == 0 and set(one.bots) <= set(range(1, guilty + 1))]
                right += bool(mine)
                size += sum(len(one.bots) for one in mine)
            shares = (f"{100 * count / runs:.1f} %" for count in (named, right))
            row(title, bots, games, *shares, f"{size / max(right, 1):.1f}")


def show_sparse(seeds: int) -> None:
    """Show how often the test of fit rejects pools for which the model holds, if pairs met a few times."""
    runs = 15 * seeds
    print(f"\nEqual bots without draws, the test of fit at 1 %, {runs} pools of each kind\n")
    head("bots", "opponents of each", "games of each two", "rejected if tested", "rejected")
    for bots, opponents in ((10, 9), (20, 19), (40, 8)):
        for games in (1, 2, 4):
            rejected = Counter[str]()
            for seed in range(runs):
                labels = ("bench", "sparse", seed, bots, games)
                # Each meets its next ones on a circle, so all have the same number of opponents.
                pairs = [(a, b) for a, b in combinations(range(bots), 2) if _apart(a, b, bots) <= opponents]
                results = []
                for table, (a, b) in enumerate(pairs, 1):
                    for game, at in enumerate(uniforms(games, *labels, a, b).tolist(), 1):
                        seats = (a, b) if game % 2 else (b, a)
                        ranks = (1, 2) if at < 0.5 else (2, 1)
                        results.append(ResultRow(MatchKey(1, table, game, 1), seats, ranks))
                counts = Counts.of_results(results, range(bots), 2)
                fit = estimate(counts, flat=True)
                totals = pair_totals(fit.likelihood.meetings(fit.raw.x), bots)
                residuals = fit.likelihood.by_pair(fit.likelihood.residual(fit.raw.x))
                variance, spread = chance(residuals, counts.times, totals, bots)
                for kind, least in (("tested", 0.0), ("as it is", TESTED)):
                    p_value = goodness(fit.raw, totals, variance, spread, bots, least).p_value
                    rejected[kind] += p_value is not None and p_value < SIGNIFICANT
            shares = (f"{100 * rejected[kind] / runs:.1f} %" for kind in ("tested", "as it is"))
            row(bots, opponents, games, *shares)


def _apart(a: int, b: int, bots: int) -> int:
    """Twice the distance of two bots on a circle."""
    return 2 * min((a - b) % bots, (b - a) % bots)


def show_answers(seeds: int) -> None:
    """Show how often the audit finds two bots that are one program by their answers."""
    runs, bots = 10 * seeds, 8
    print(f"\n{bots} bots that find the best of 20 actions more or less often, {runs} tournaments each\n")
    head("positions", "best action found", "equal answers of the copy", "some pair named", "the right one")
    for positions, least, most in ((40, 0.3, 0.7), (40, 0.7, 0.95), (400, 0.7, 0.95)):
        for copied in (None, 0.9, 0.97, 1.0):
            named = right = 0
            for seed in range(runs):
                labels = ("bench", "answers", seed, positions)
                skill = least + (most - least) * uniforms(bots, *labels, "skill")
                found, other, same = uniforms(3 * bots * positions, *labels).reshape(3, positions, bots)
                actions = np.where(found < skill, 0, 1 + np.floor(19 * other)).astype(int)
                if copied is not None:
                    actions[:, 1] = np.where(same[:, 1] < copied, actions[:, 0], actions[:, 1])
                answers = [{bot: f"{action}" for bot, action in enumerate(line)} for line in actions.tolist()]
                pairs = [pair for pair, _, _ in find_alike(answers)]
                named += bool(pairs)
                right += (0, 1) in pairs
            shares = (f"{100 * count / runs:.1f} %" for count in (named, right))
            copy = "no copy" if copied is None else f"{100 * copied:.0f} %"
            row(positions, f"{100 * least:.0f} to {100 * most:.0f} %", copy, *shares)


def show_times(seeds: int) -> None:
    """Show how often the audit finds a bot whose think time depends on the opponent."""
    runs, bots = 10 * seeds, 8
    print(f"\n{bots} bots; times a turn vary by a factor of 1.6 or so, {runs} tournaments of each kind\n")
    head("matches of each two", "slower against one by", "some bot named", "the right one")
    for matches in (4, 10, 40):
        for factor in (1.0, 1.3, 2.0, 3.0):
            named = right = 0
            for seed in range(runs):
                labels = ("bench", "times", seed, matches)
                spent = np.exp(0.5 * normals(bots * bots * matches, *labels)).reshape(bots, bots, matches)
                spent = 100 * spent
                spent[0, 1] *= factor
                times = {
                    bot: {other: spent[bot, other].tolist() for other in range(bots) if other != bot}
                    for bot in range(bots)
                }
                found = list(find_slower(times))
                named += bool(found)
                right += any(one[:2] == (0, 1) for one in found)
            row(matches, f"{factor:g}", *(f"{100 * count / runs:.1f} %" for count in (named, right)))


TABLES: dict[str, Callable[[int], None]] = {
    "repeats": show_repeats,
    "luck": show_luck,
    "stones": show_stones,
    "cycles": show_cycles,
    "transitive": show_transitive,
    "sparse": show_sparse,
    "dumping": show_dumping,
    "giving-up": show_giving_up,
    "answers": show_answers,
    "times": show_times,
}


main = tables_command(__doc__, TABLES, "A tenth of the tournaments of each kind of audit.")


if __name__ == "__main__":
    run(main)
