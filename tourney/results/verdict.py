"""The verdict on a tournament: one sentence that says who won, what decided, and how sure it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Final

from tourney.results.columns import Row
from tourney.results.standings import Ranking, Standing, ranking_columns, standing_row, standings_columns
from tourney.schedule.knockout import Tie
from tourney.texts import counted, name_list

if TYPE_CHECKING:
    from tourney.ratings.batch import Batch

_FINAL: Final = {
    "extra": " after further games",
    "seed": ", tied, as the better seed",
    "walkover": " without a match",
}
"""What decided a final that the score of its first matches did not."""
MOST_NAMES: Final = 4
"""Most entrants that the sentence names."""


def verdict_text(
    standings: Sequence[Standing],
    ranking: Ranking,
    batch: "Batch",
    names: Mapping[int, str],
    *,
    ended: bool,
    ties: Sequence[Tie] = (),
    subjects: Sequence[int] = (),
    number: Callable[[float, int], str] = "{:.{}f}".format,
) -> str:
    """The verdict, or "" before the first match.

    ``names``: of entrants by number. ``ties``: of a bracket. ``subjects``: the entrants that the tournament
    measures against the others (``Format.subjects``). ``number`` returns a float with decimals as text.
    Before the tournament has ``ended``, the sentence says who leads, or who is still in the bracket.
    """
    if not batch.pool.matches:
        return ""
    if ranking.format.pairs_with_itself:
        # Both entrants are one bot whose values change from batch to batch: their scores compare nothing.
        games = counted(batch.pool.matches, "game")
        tuned = names[subjects[0]]
        return f"{tuned} was tuned in {games}." if ended else f"{tuned} is being tuned: {games} so far."
    leaders = [line for line in standings if line.rank == standings[0].rank]
    final = next((tie for tie in reversed(ties) if not tie.third), None)
    measured = [line for line in standings if line.number in subjects and line.games]
    if measured:
        end = "" if ended else " so far"
        parts = list(_measured(measured, standings, ranking, batch, names, subjects, number, end))
    elif ties and not ended:
        # Chances that say little are of no use beside the names of those still in.
        sure = max(rating.p_best for rating in batch.ratings) >= 0.5
        parts = [_bracket_so_far(ties, names), *(_strongest([], batch, names, number) if sure else ())]
    elif len(leaders) > 1:
        what = "first place" if ended else "the lead"
        together = f"{_listed(leaders, names)} share {what}{_score(leaders, ranking, number)}"
        parts = [together, *_strongest(leaders, batch, names, number)]
    else:
        first, *others = standings
        parts = [_lead(first, others, ranking, names, final, number, ended=ended)]
        parts += _strongest(leaders, batch, names, number)
        # A bye or a withdrawal can leave a second place that never played.
        if others and others[0].games:
            parts += _distance(first.number, others[0].number, batch, names, number)
    return f"{'; '.join(parts)}."


def _listed(lines: Sequence[Standing], names: Mapping[int, str]) -> str:
    """The names of entrants; of more than four only the first three, as "a, b, c and 4 more"."""
    shown = [names[line.number] for line in lines]
    if len(shown) > MOST_NAMES:
        shown[MOST_NAMES - 1 :] = [f"{len(shown) - MOST_NAMES + 1} more"]
    return name_list(shown)


def _bracket_so_far(ties: Sequence[Tie], names: Mapping[int, str]) -> str:
    """The entrants that are still in a bracket whose last tie is open."""
    knocked_out = {tie.loser for tie in ties if not tie.third}
    players = [n for tie in ties if tie.stage == 1 for n in (tie.one, tie.two) if n is not None]
    still_in = [n for n in sorted(players) if n not in knocked_out]
    final = next(tie for tie in reversed(ties) if not tie.third)
    if final.winner is not None:
        return f"{_won_final(final.winner, final, names)}; the tie for third place is still open"
    listed = name_list([names[n] for n in still_in]) if len(still_in) <= MOST_NAMES else ""
    if len(still_in) == 2:
        return f"{listed} play the final"
    part = "All" if len(still_in) == len(players) else f"{len(still_in)} of"
    return f"{part} {len(players)} bots are still in{listed and f': {listed}'}"


def _won_final(winner: int, final: Tie, names: Mapping[int, str]) -> str:
    loser = f" against {names[final.loser]}" if final.loser is not None else ""
    return f"{names[winner]} won the final{loser}{_FINAL.get(final.how, '')}"


def _measured(
    measured: Sequence[Standing],
    standings: Sequence[Standing],
    ranking: Ranking,
    batch: "Batch",
    names: Mapping[int, str],
    subjects: Sequence[int],
    number: Callable[[float, int], str],
    end: str,
) -> Iterator[str]:
    """Yield what the games say about those of the ``subjects`` that have played, best first.

    The others met these alone, so their own places mean little, and none of them leads or wins.
    """
    field = [line.number for line in standings if line.number not in subjects]
    against = f"against {names[field[0]]}" if len(field) == 1 else f"against {len(field)} opponents"
    best = [line for line in measured if line.mean == measured[0].mean]
    first = measured[0]
    if ranking.rule.by == "rating":
        values = dict(first.tie_breaks)
        rating, sigma = (number(float(values[key] or 0), 0) for key in ("rating", "sigma"))
        after = f"{counted(first.games, 'game')} {against}{end}"
        yield f"{names[first.number]} is rated {rating} Elo after {after} (standard deviation {sigma})"
        return  # the opponents' ratings are given, so no fit of these games is of use
    share = f"{_points(first, ranking)} of {first.games} ({number(float(100 * (first.mean or 0)), 1)} %)"
    if len(subjects) == 1:
        yield f"{names[first.number]} scored {share} {against}{end}"
        if len(field) == 1:
            behind = (first.mean or 0) < Fraction(1, 2)
            yield from _distance(first.number, field[0], batch, names, number, behind=behind)
            return
    elif len(best) == 1:
        most = "better" if len(subjects) == 2 else "best"
        challenger = f"the {most} of {len(subjects)} challengers{end}"
        yield f"{names[first.number]} is {challenger}, with {share} {against}"
    else:
        equal = f"{number(float(100 * (first.mean or 0)), 1)} % {against}"
        of = "" if len(best) == len(subjects) else f" as the best of {len(subjects)} challengers"
        yield f"{_listed(best, names)} are level{of}{end}, each with {equal}"
    yield from _strongest(best, batch, names, number)


def _lead(
    first: Standing,
    others: Sequence[Standing],
    ranking: Ranking,
    names: Mapping[int, str],
    final: Tie | None,
    number: Callable[[float, int], str],
    *,
    ended: bool,
) -> str:
    """The first place with its score, or with its final, and what decided between it and the second."""
    if final is not None and final.winner == first.number:
        return _won_final(first.number, final, names)
    lead = f"{names[first.number]} {'won' if ended else 'leads'}{_score([first], ranking, number)}"
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


def _score(leaders: Sequence[Standing], ranking: Ranking, number: Callable[[float, int], str]) -> str:
    """The score of the first entrants, by the measure that ranks first."""
    criterion = ranking_columns(ranking)[0]
    line = leaders[0]
    row: Row = standing_row(line)
    if criterion.key == "points":
        games = {line.games + ceil(line.awarded) for line in leaders}
        # In a round in progress entrants of equal score differ in games.
        score = _points(line, ranking)
        return (
            f" with {score} of {max(games)}"
            if len(games) == 1
            else f" with {score} point{'' if score == '1' else 's'}"
        )
    if criterion.key == "rating":
        return f" with a rating of {number(float(row['rating'] or 0), 0)} Elo"
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
    # The published chances have two decimals.
    if len(leaders) == 1 and chances[leaders[0].number] >= best.p_best:
        yield f"{_percent(best.p_best, number)} likely the strongest"
    else:
        yield f"most likely the strongest: {names[best.entrant]} ({_percent(best.p_best, number)})"


def _percent(chance: float, number: Callable[[float, int], str]) -> str:
    # Samples of a posterior prove no certainty.
    return "more than 99 %" if chance >= 1 else f"{number(100 * chance, 0)} %"


def _distance(
    first: int,
    second: int,
    batch: "Batch",
    names: Mapping[int, str],
    number: Callable[[float, int], str],
    *,
    behind: bool = False,
) -> Iterator[str]:
    """Yield by how many Elo one entrant is ahead of another, or ``behind`` it."""
    pair = next((pair for pair in batch.pairs if {pair.a, pair.b} == {first, second}), None)
    if pair is None:
        return
    where = f"{'behind' if behind else 'ahead of'} {names[second]}"
    if batch.prior_decides(first, second):
        yield f"too few games to say how far {where}"
        return
    low, high = (pair.low, pair.high) if (pair.a == first) != behind else (-pair.high, -pair.low)
    ends = f"{number(low, 0)} to {number(high, 0)} Elo"
    yield f"{where} by {ends}" if low > 0 else f"not surely {where} ({ends})"
