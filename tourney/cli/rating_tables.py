"""The tables that ``tourney ratings`` prints, and what is said beside them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tourney.cli.output import Column, Format
from tourney.ratings.batch import Batch
from tourney.ratings.method import RatingLine
from tourney.ratings.trueskill_rating import TrueSkillRating
from tourney.store.repository import Repository
from tourney.store.values import Tournament

TRUESKILL = (
    Column("rank", right=True),
    Column("name"),
    Column("mu", right=True),
    Column("sigma", right=True),
    Column("exposed", "mu-3sigma", right=True),
    Column("games", right=True),
    Column("faults", right=True),
)
_BATCH = (
    Column("rank", right=True),
    Column("best_rank", right=True),
    Column("worst_rank", right=True),
    Column("name"),
    Column("elo", right=True),
    Column("low", right=True),
    Column("high", right=True),
    Column("score", right=True),
    Column("games", right=True),
    Column("faults", right=True),
    Column("p_best", right=True),
)
_BATCH_SHOWN = (
    Column("rank", right=True),
    Column("ranks", right=True),
    Column("name"),
    Column("elo", "Elo", right=True),
    Column("interval", "95 % interval", right=True),
    Column("score", "score %", right=True),
    Column("games", right=True),
    Column("faults", right=True),
    Column("p_best", "P(best)", right=True),
)
PAIRS = (
    Column("a"),
    Column("b"),
    Column("los", "P(a better)", right=True),
    Column("games", right=True),
    Column("points", "points of a", right=True),
    Column("expected", right=True),
    Column("residual", right=True),
    Column("z", right=True),
)
POOL = (
    Column("figure"),
    Column("value", right=True),
    Column("low", right=True),
    Column("high", right=True),
)

Rows = list[dict[str, Any]]
Names = Mapping[int, str]

_SHOWN_GROUPS = 6


def fault_counts(repository: Repository, tournament: Tournament) -> dict[int, int]:
    """Return how many faults each entrant committed, those of void matches included."""
    counts = {entrant.number: 0 for entrant in repository.entrants(tournament.id)}
    for number, _, count in repository.faults(tournament.id):
        counts[number] += count
    return counts


def trueskill_rows(
    table: Sequence[TrueSkillRating], names: Names, faults: Mapping[int, int], format_: Format
) -> Rows:
    """Return the TrueSkill table: numbers for programs, text for people."""
    rows = []
    for line in table:
        row: dict[str, Any] = {
            "rank": line.rank,
            "name": names[line.entrant],
            "games": line.games,
            "faults": faults[line.entrant],
        }
        for key, value in (("mu", line.mu), ("sigma", line.sigma), ("exposed", line.exposed)):
            row[key] = f"{value:.3f}" if format_ is Format.TABLE else value
        rows.append(row)
    return rows


def plugin_rows(
    table: Sequence[RatingLine], shown: Sequence[str], names: Names, faults: Mapping[int, int]
) -> tuple[Rows, tuple[Column, ...]]:
    """Return a plugin's table and its columns; ``shown`` names the attributes of a line to print."""
    rows: Rows = [
        {
            "rank": line.rank,
            "name": names[line.entrant],
            **{name: getattr(line, name) for name in shown},
            "games": line.games,
            "faults": faults[line.entrant],
        }
        for line in table
    ]
    right = tuple(Column(name, right=True) for name in (*shown, "games", "faults"))
    return rows, (Column("rank", right=True), Column("name"), *right)


def batch_rows(
    batch: Batch, names: Names, faults: Mapping[int, int], format_: Format
) -> tuple[Rows, tuple[Column, ...]]:
    """Return the batch table and its columns: numbers for programs, text for people."""
    rows: Rows = []
    for line in batch.ratings:
        row = line._asdict() | {"name": names[line.entrant], "faults": faults[line.entrant]}
        if format_ is Format.TABLE:
            row |= {
                "ranks": ranks_text(line.best_rank, line.worst_rank),
                "elo": f"{line.elo:+.1f}",
                "interval": interval_text(line.low, line.high),
                "score": None if line.score is None else f"{100 * line.score:.1f}",
                "p_best": f"{line.p_best:.2f}",
            }
        rows.append(row)
    return rows, _BATCH_SHOWN if format_ is Format.TABLE else _BATCH


def pair_rows(batch: Batch, names: Names) -> Rows:
    """Return all pairs, the one in front first."""
    return [pair._asdict() | {"a": names[pair.a], "b": names[pair.b]} for pair in batch.pairs]


def pool_rows(batch: Batch, names: Names) -> Rows:
    """Return the pool's figures, one a row."""
    pool, fit = batch.pool, batch.pool.goodness
    rows: Rows = [
        {"figure": "matches", "value": pool.matches},
        {"figure": "mirrored groups", "value": pool.clusters},
        {"figure": "draw rate", "value": pool.draw_rate},
        *(
            {"figure": f"seat {seat.seat} (Elo)", "value": seat.elo, "low": seat.low, "high": seat.high}
            for seat in pool.seats
        ),
        {"figure": "dispersion", "value": pool.dispersion},
        {"figure": "fit: pairs", "value": fit.pairs},
        {"figure": "fit: mean squared residual", "value": fit.ratio},
        {"figure": "fit: p-value", "value": fit.p_value},
        {"figure": "parts", "value": len(pool.parts)},
        {"figure": "prior (Elo, standard deviation)", "value": pool.prior_elo},
    ]
    rows += [{"figure": f"P(best) of {names[line.entrant]}", "value": line.p_best} for line in batch.ratings]
    return rows


def notes(batch: Batch, names: Names) -> list[str]:
    """Return what a reader of the table has to know, a sentence each."""
    pool = batch.pool
    if not pool.matches:
        return ["no match has been rated yet: the intervals are the prior's"]
    said = []
    if len(pool.parts) > 1:
        said.append(
            f"the pool falls into {len(pool.parts)} parts that no match connects, so the ratings of one say"
            f" nothing about another: {groups_text(pool.parts, names)}"
        )
    said += [
        "nobody further down ever took anything off the groups above, so the prior alone bounds how far apart"
        f" they are: {groups_text(steps, names)}"
        for steps in pool.steps
        if len(steps) > 1
    ]
    first, *_, last = pool.seats
    if len(pool.seats) == 2:
        gap = first.elo - last.elo
        half = first.high - first.low
        said.append(
            f"seat 1 is worth {gap:+.1f} Elo over seat 2 (95 %: {gap - half:+.1f} to {gap + half:+.1f})"
        )
    else:
        seats = ", ".join(f"{seat.seat} {seat.elo:+.1f}" for seat in pool.seats)
        said.append(f"seats, in Elo relative to their mean: {seats}")
    if pool.goodness.p_value is not None:
        said.append(
            f"fit: pairs' residuals are {pool.goodness.ratio} times what chance would leave"
            f" (p = {pool.goodness.p_value})"
        )
    return said


def groups_text(groups: Sequence[Sequence[int]], names: Names) -> str:
    """Return groups of bots in a line, cut short where they are many."""
    shown = [", ".join(names[number] for number in group[:_SHOWN_GROUPS]) for group in groups[:_SHOWN_GROUPS]]
    for k, group in enumerate(groups[:_SHOWN_GROUPS]):
        if len(group) > _SHOWN_GROUPS:
            shown[k] += f" and {len(group) - _SHOWN_GROUPS} more"
    if len(groups) > _SHOWN_GROUPS:
        shown.append(f"{len(groups) - _SHOWN_GROUPS} more")
    return " | ".join(shown)


def ranks_text(best: int, worst: int) -> str:
    """Return a range of ranks, as ``2-5``, or ``1`` where it is one."""
    return str(best) if best == worst else f"{best}-{worst}"


def interval_text(low: float, high: float) -> str:
    """Return an interval, as ``-12.0 .. +30.5``."""
    return f"{low:+.1f} .. {high:+.1f}"
