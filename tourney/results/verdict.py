"""The verdict on a tournament: one sentence that says who won, what decided, and how sure it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Final

from tourney.results.columns import Row
from tourney.results.standings import Ranking, Standing, ranking_columns, standing_row, standings_columns
from tourney.schedule.knockout import Tie

if TYPE_CHECKING:
    from tourney.ratings.batch import Batch

_FINAL: Final = {
    "extra": " after further games",
    "seed": ", tied, as the better seed",
    "walkover": " without a match",
}
"""What decided a final that the score of its first matches did not."""


def verdict_text(
    standings: Sequence[Standing],
    ranking: Ranking,
    batch: "Batch",
    names: Mapping[int, str],
    *,
    ended: bool,
    final: Tie | None = None,
    number: Callable[[float, int], str] = "{:.{}f}".format,
) -> str:
    """The verdict, or "" before the first match.

    ``names``: of entrants by number. ``final``: of a bracket. ``number`` returns a float with decimals as
    text. Before the tournament has ``ended``, the sentence says who leads.
    """
    if not batch.pool.matches:
        return ""
    leaders = [line for line in standings if line.rank == standings[0].rank]
    if len(leaders) > 1:
        shown = [names[line.number] for line in leaders[:3]]
        shown += [f"{len(leaders) - 3} more"] if len(leaders) > 3 else []
        what = "first place" if ended else "the lead"
        together = f"{', '.join(shown[:-1])} and {shown[-1]} share {what}{_score(leaders[0], ranking)}"
        parts = [together, *_strongest(leaders, batch, names, number)]
    else:
        first, *others = standings
        parts = [_lead(first, others, ranking, names, final if ended else None, ended=ended)]
        parts += _strongest(leaders, batch, names, number)
        # A bye or a withdrawal can leave a second place that never played.
        if others and others[0].games:
            parts += _distance(first.number, others[0].number, batch, names, number)
    return f"{'; '.join(parts)}."


def _lead(
    first: Standing,
    others: Sequence[Standing],
    ranking: Ranking,
    names: Mapping[int, str],
    final: Tie | None,
    *,
    ended: bool,
) -> str:
    """The first place with its score, or with its final, and what decided between it and the second."""
    winner = names[first.number]
    if final is not None and final.winner == first.number:
        loser = f" against {names[final.loser]}" if final.loser is not None else ""
        return f"{winner} won the final{loser}{_FINAL.get(final.how, '')}"
    lead = f"{winner} {'won' if ended else 'leads'}{_score(first, ranking)}"
    if not others:
        return lead
    mine, theirs = (standing_row(line) for line in (first, others[0]))
    criterion, *breaks = ranking_columns(ranking)
    if mine[criterion.key] != theirs[criterion.key]:
        return lead
    deciding = next((column for column in breaks if mine[column.key] != theirs[column.key]), None)
    if deciding is None:
        return lead
    values = " to ".join(str(deciding.shown(row[deciding.key])) for row in (mine, theirs))
    return f"{lead}, before {names[others[0].number]} by {deciding.words} ({values})"


def _score(line: Standing, ranking: Ranking) -> str:
    """The score of an entrant, by the measure that ranks first."""
    criterion = ranking_columns(ranking)[0]
    row: Row = standing_row(line)
    if criterion.key == "points":
        return f" with {_points(line, ranking)} of {line.games + ceil(line.awarded)}"
    shown = criterion.shown(row[criterion.key])
    if criterion.key == "mean":
        return f" with {shown} % of the points"
    # "1 stage won", but "2 stages won".
    first, blank, rest = criterion.words.partition(" ")
    return f" with {shown} {first.removesuffix('s') if str(shown) == '1' else first}{blank}{rest}"


def _points(line: Standing, ranking: Ranking) -> str:
    points = next(column for column in standings_columns(ranking) if column.key == "points")
    text = str(points.shown(line.points))
    # "12 of 12" reads better than "12.0 of 12".
    return text.rstrip("0").rstrip(".") if line.points.denominator == 1 else text


def _strongest(
    leaders: Sequence[Standing], batch: "Batch", names: Mapping[int, str], number: Callable[[float, int], str]
) -> Iterator[str]:
    """Yield who is likely the strongest, unless strength is not one number here."""
    if batch.cycles is not None or len(batch.ratings) < 2:
        return
    best = max(batch.ratings, key=lambda line: (line.p_best, -line.rank))
    chances = {line.entrant: line.p_best for line in batch.ratings}
    first = leaders[0].number
    # The published chances have two decimals.
    if len(leaders) == 1 and chances[first] >= best.p_best:
        yield f"{_percent(best.p_best, number)} likely the strongest"
    else:
        yield f"most likely the strongest: {names[best.entrant]} ({_percent(best.p_best, number)})"


def _percent(chance: float, number: Callable[[float, int], str]) -> str:
    # Samples of a posterior prove no certainty.
    return "more than 99 %" if chance >= 1 else f"{number(100 * chance, 0)} %"


def _distance(
    first: int, second: int, batch: "Batch", names: Mapping[int, str], number: Callable[[float, int], str]
) -> Iterator[str]:
    """Yield by how many Elo the first place is ahead of the second."""
    pair = next((pair for pair in batch.pairs if {pair.a, pair.b} == {first, second}), None)
    if pair is None:
        return
    rival = names[second]
    if batch.prior_decides(first, second):
        yield f"too few games to say how far ahead of {rival}"
        return
    low, high = (pair.low, pair.high) if pair.a == first else (-pair.high, -pair.low)
    ends = f"{number(low, 0)} to {number(high, 0)} Elo"
    yield f"ahead of {rival} by {ends}" if low > 0 else f"not surely ahead of {rival} ({ends})"
