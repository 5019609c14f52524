"""Words for command line and report: counts, seeds, overload, limits of ratings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tourney.games.base import AnyGame
from tourney.schedule.format import IMPORTED, group_size
from tourney.seeds import U64
from tourney.store.totals import OverloadTotals
from tourney.store.values import Plan, Tournament
from tourney.texts import counted

if TYPE_CHECKING:
    from tourney.ratings.batch import Batch
    from tourney.ratings.cycles import PoolCycles

Names = Mapping[int, str]
"""Entrants' names by number."""

RANDOM_TEXT: Final = "random"
"""The origin of a seed that no person chose."""


def kinds_text(kinds: Mapping[str, int]) -> str:
    """Faults by kind, as ``2 timeout, 1 crash``, the most frequent first."""
    return ", ".join(
        f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda kv: (-kv[1], kv[0]))
    )


def _decided(plan: Plan, game: AnyGame | None) -> tuple[bool, bool]:
    """Whether there are dice, and whether openings are drawn; a game that is unknown may have dice."""
    return game is None or game.has_chance, bool(plan.opening_plies or plan.book)


def risk_text(plan: Plan, game: AnyGame | None) -> str:
    """The things that a bot with the seed could compute ("the dice"), or ""."""
    dice, openings = _decided(plan, game)
    return " and ".join(["the dice"] * dice + ["the openings"] * openings)


def repeats_text(distinct: int, matches: int) -> str:
    """A sentence on the number of games that repeat others, with advice."""
    return (
        f"{distinct:,} distinct of {matches:,}: games that repeat are one observation. Use random openings or"
        f" a book; in a tiny game, where chance makes games equal, --repeats count counts them all."
    )


def repeats_warning(plan: Plan, game: AnyGame) -> str:
    """Warn that deterministic bots will repeat their games, as a sentence without its end; "" if not."""
    groups = plan.games_per_pairing // group_size(plan.seats)
    lines = len(plan.book) or 1
    if game.has_chance or plan.opening_plies or groups <= lines or game.outside:
        return ""
    where = f"{counted(lines, 'line')} of the book" if plan.book else "the one start of the game"
    return (
        f"two deterministic bots will repeat their games: {groups} groups of games from {where}; repeats"
        " prove nothing, so set opening-plies or opening-book"
    )


def sharing_text(plan: Plan, game: AnyGame | None) -> str:
    """The things that games of a mirrored group share, as a sentence without a full stop, or ""."""
    dice, openings = _decided(plan, game)
    if not dice and not openings:
        return ""
    if plan.mirrored_dice:
        return f"the games of a mirrored group share {' and '.join(['dice'] * dice + ['opening'] * openings)}"
    return f"every match has {' and '.join(['dice'] * dice + ['an opening'] * openings)} of its own"


def origin_text(tournament: Tournament, game: AnyGame | None) -> str:
    """The origin of the seed: a person, random bits, a beacon, or (imported records) each record.

    A bot's own seed and the first dice confirm a guess, and a seed of few bits is soon guessed.
    """
    if tournament.plan.format == IMPORTED:
        return "imported: each record has its own seed"
    if not tournament.recorded:
        return "imported: results of another program, without records"
    if (beacon := tournament.origin.beacon) is not None:
        return f"the public beacon {beacon.round}" + ("" if beacon.value else ", which is not known yet")
    if not tournament.origin.chosen:
        return RANDOM_TEXT
    risk = risk_text(tournament.plan, game)
    if not risk:
        return "chosen by a person"
    if tournament.seed < U64:
        return f"chosen by a person and below 2^64: any bot can find it and compute {risk}"
    return f"chosen by a person: who knows it can compute {risk}"


def overload_text(totals: OverloadTotals) -> str:
    """The numbers of overloaded turns and matches; "" without measurements."""
    if not totals.turns:
        return ""
    if not totals.overloaded:
        return f"none of {totals.turns:,} turns"
    share = 100 * totals.overloaded / totals.turns
    matches = counted(totals.matches, "match")
    return f"{totals.overloaded:,} of {totals.turns:,} turns ({share:.1f} %), in {matches}"


def shared_by(tournament: Tournament) -> str:
    """The thing that the games of a mirrored group share, in a word."""
    return "seed" if tournament.recorded else "pair"


def _plain(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"


def pool_notes(
    batch: "Batch", names: Names, number: Callable[[float, int], str] = _plain, *, shared: str = "seed"
) -> Iterator[str]:
    """Yield sentences on the pool and the limits of its ratings.

    ``number`` returns a float as text with a number of decimals; ``shared`` is the word for what a group's
    games share.
    """
    pool = batch.pool
    fit = batch.pool.goodness
    if batch.look is not None:
        yield (
            "The number of matches was open: intervals and ranks hold at every look, probabilities are those"
            " of this moment."
        )
    if not pool.matches:
        yield "No match has been rated yet, so the intervals are those of the prior."
        return
    yield from seats_texts(batch)
    yield from evidence_texts(batch, names, number)
    if len(pool.parts) > 1:
        yield (
            f"No match connects these {len(pool.parts)} groups of bots, so their ratings are not comparable:"
            f" {_groups_text(pool.parts, names)}."
        )
    for steps in pool.steps:
        if len(steps) > 1:
            yield (
                "No bot of a later group has scored against one of an earlier group, so only the prior limits"
                f" the distance between these groups: {_groups_text(steps, names)}."
            )
    if 0 < len(pool.zero) < len(batch.ratings):
        yield zero_text(batch, names)
    if pool.seats:
        yield _seats_text(batch, number)
    if fit.p_value is not None and fit.ratio is not None:
        yield (
            f"Fit: the residuals of {counted(fit.pairs, 'pair')} are {number(fit.ratio, 2)} times those"
            f" expected by chance (p = {number(fit.p_value, 3)})."
        )
    if batch.cycles is not None and fit.p_value is not None:
        yield cycle_sentence(batch.cycles, fit.p_value, names, number)
    if pool.clusters == pool.matches:
        yield (
            f"No two games have the same {shared}, so each counts by itself; they vary"
            f" {number(pool.dispersion, 2)} times as much as the model says."
        )
        return
    yield (
        f"Games with the same {shared} vary {number(pool.dispersion, 2)} times as much as independent games;"
        " the intervals take this into account."
    )


def seats_texts(batch: "Batch") -> Iterator[str]:
    """Yield a sentence on what Elo counts at tables of three and four seats."""
    from tourney.ratings.likelihood import Winners  # noqa: PLC0415 - numpy is slow to import

    if batch.seats > 2 and batch.model == Winners.title:
        yield "Elo goes by matches won: rank 1 alone counts, and ties for it share the win."
    elif batch.seats > 2:
        yield "Elo goes by share of opponents beaten: a bot that is often second may lead without a win."


def limits_texts(batch: "Batch") -> Iterator[str]:
    """Yield sentences on what the numbers of a tournament leave open."""
    from tourney.ratings.population import DOUBT, FEW, ROUGH  # noqa: PLC0415 - numpy is slow to import

    games = sorted(line.games for line in batch.ratings)
    if batch.pool.matches and games[len(games) // 2] <= FEW:
        yield (
            "Each bot has few games, so ranks and probabilities are rough where strengths are close: of the"
            f" probabilities of 97.5 % and more, {ROUGH[0]} to {ROUGH[1]} % were right in simulated Swiss"
            " tournaments."
        )
        yield (
            "The scale of Elo follows from the spread of the strengths. So few games show its"
            f" {batch.pool.prior_elo:.0f} Elo to about {DOUBT} %: all differences may be that much too large"
            " or too small."
        )


def zero_text(batch: "Batch", names: Names) -> str:
    """The sentence that names the bots whose mean is 0 Elo; not for a batch with anchors."""
    zero = batch.pool.zero
    everyone = [line.entrant for line in batch.ratings]
    if len(zero) == len(everyone):
        return "0 Elo is the mean of all bots."
    rest = [number for number in everyone if number not in zero]
    # Whichever list is shorter reads better: all but two, or just three.
    few = rest if len(rest) <= len(zero) else zero
    shown = ", ".join(names[number] for number in few[:6])
    more = f" and {len(few) - 6} more" if len(few) > 6 else ""
    return (
        f"0 Elo is the mean of the {len(zero)} of {len(everyone)} bots that took points off each other,"
        f" directly or by way of others: {'all but ' if few is rest else ''}{shown}{more}."
    )


def _seats_text(batch: "Batch", number: Callable[[float, int], str]) -> str:
    seats = (
        f"seat {seat.seat}: {number(seat.elo, 0)} ({number(seat.low, 0)} to {number(seat.high, 0)})"
        for seat in batch.pool.seats
    )
    return f"Seats, in Elo relative to their mean: {'; '.join(seats)}."


def _groups_text(groups: Sequence[Sequence[int]], names: Names) -> str:
    """Groups of bots on one line, cut short after six groups or bots."""
    shown = [", ".join(names[number] for number in group[:6]) for group in groups[:6]]
    cut = len(groups) > 6 or any(len(group) > 6 for group in groups)
    return "; ".join(shown) + (" and more" if cut else "")


def evidence_texts(
    batch: "Batch", names: Names, number: Callable[[float, int], str] = _plain
) -> Iterator[str]:
    """Yield sentences on repeated games, the luck that is subtracted, and bots that may know the dice."""
    if batch.pool.distinct < batch.pool.matches:
        yield repeats_text(batch.pool.distinct, batch.pool.matches)
    if batch.share:
        yield (
            f"For each point that the dice gave, {number(batch.share, 2)} points are subtracted from results,"
            " which makes intervals narrower; --no-luck leaves them in."
        )
    for entrant, luck in sorted(batch.luck.items()):
        if luck.alarm:
            yield (
                f"{names[entrant]} may know the dice: they gave it {number(100 * luck.mean, 1)} points per"
                f" 100 matches, {number(luck.z, 1)} standard errors above fair ones. Its luck is not"
                " subtracted."
            )


def cycle_sentence(
    cycles: "PoolCycles", p_value: float, names: Names, number: Callable[[float, int], str] = _plain
) -> str:
    """Say to a bot's author that the model does not fit, with the likeliest cycle if there is one."""
    chance = f"p = {number(p_value, 3)}" if p_value else "p < 0.001"
    if cycles.cycles:
        lead = f"Strength is not one number here ({chance})"
        cycle = cycles.cycles[0]
        a, b, c = (names[entrant] for entrant in cycle.entrants)
        beats = "beats" if cycles.seats == 2 else "finishes ahead of"
        return (
            f"{lead}: {a} {beats} {b}, {b} {beats} {c} and {c} {beats} {a} (probability"
            f" {number(cycle.probability, 2)}), so the best choice depends on the opponents, and Elo does not"
            " show it."
        )
    if cycles.changed:
        return (
            f"The model does not fit ({chance}), as strengths changed: ratings of the first and the last half"
            " of the matches differ by more than chance, so no cycle is named."
        )
    looked = ""
    if cycles.cycles is None:
        from tourney.ratings.cycles import MOST  # noqa: PLC0415 - numpy is slow to import

        looked = f"; with more than {MOST} bots no cycles are looked for"
    return (
        f"The model does not fit (accidents, drift, matchups or how often pairs draw; {chance}): against"
        " some opponents bots score more or less than their ratings say, typically by"
        f" {number(100 * cycles.deviation, 1)} %{looked}."
    )
