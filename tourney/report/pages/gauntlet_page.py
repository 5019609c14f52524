"""The page of a gauntlet: each challenger against the field, and the field against the challengers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.ratings.batch import differences
from tourney.report import display
from tourney.report.charts.chart import Scale, interval, interval_axis, scale_of
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.source import ReportSource
from tourney.results.tables import DataTable
from tourney.schedule.round_robin import Gauntlet, challengers_of
from tourney.store.totals import PairTotal

PATH = "gauntlet.html"


@dataclass(frozen=True, slots=True)
class AgainstLine:
    """A bot's score against others, and its strength less theirs in Elo with its interval, as printed."""

    entrant: EntrantLabel
    games: int
    points: str
    percent: str
    elo: str
    low: str
    high: str
    whisker: Markup


@dataclass(frozen=True, slots=True)
class ChallengerLine:
    """A challenger: its total against the field, and its score against each bot of the field."""

    total: AgainstLine
    opponents: tuple[AgainstLine, ...]


@dataclass(frozen=True, slots=True)
class GauntletPage:
    """The page's template context; ``field`` are the bots of the field against all challengers.

    ``met``: bots of the field sat at one table.
    """

    challengers: tuple[ChallengerLine, ...]
    field: tuple[AgainstLine, ...]
    met: bool
    axis: Markup
    download: DataTable


@dataclass(frozen=True, slots=True)
class _Score:
    """The score of a bot against others; the value of the difference and its interval in Elo."""

    number: int
    against: tuple[int, ...]
    games: int
    points: Fraction
    elo: tuple[float, float, float]


def is_gauntlet(source: ReportSource) -> bool:
    """Whether a tournament is a gauntlet."""
    return source.tournament.plan.format == Gauntlet.name and bool(source.entrants)


def page_of(make: Renderer) -> GauntletPage:
    """The page of the renderer's tournament."""
    return gauntlet_page(make.source)


def files(make: Renderer) -> Iterator[File]:
    """Yield the page and its table."""
    page = make.once(page_of)
    yield make.page(PATH, "gauntlet.html", gauntlet=page)
    yield from make.tables("data/gauntlet", page.download)


def gauntlet_page(source: ReportSource) -> GauntletPage:
    """The page: challengers and field in the order of the standings."""
    challengers = set(challengers_of(source.setup))
    order = [line.number for line in source.standings]
    first = [number for number in order if number in challengers]
    field = [number for number in order if number not in challengers]
    wanted = [(one, tuple(field)) for one in first]
    wanted += [(one, (other,)) for one in first for other in field]
    wanted += [(other, tuple(first)) for other in field]
    # One call for all contrasts: each call fits all matches again.
    scores = _scores(source, wanted)
    scale = scale_of([value for score in scores for value in score.elo[1:]])
    count, each = len(first), len(field)
    named = [*first, *(other for _ in first for other in field), *field]
    lines = [_line(source, score, shown, scale) for score, shown in zip(scores, named, strict=True)]
    pairs = lines[count : count + count * each]
    rows = [_row(source, score) for score in scores[count : count + count * each]]
    return GauntletPage(
        tuple(ChallengerLine(lines[at], tuple(pairs[at * each : (at + 1) * each])) for at in range(count)),
        tuple(lines[count + count * each :]),
        source.tournament.seats > 2,
        interval_axis(scale),
        DataTable(("challenger", "opponent", "games", "points", "elo_difference", "low", "high"), rows),
    )


def _scores(source: ReportSource, wanted: Sequence[tuple[int, tuple[int, ...]]]) -> list[_Score]:
    """The scores of bots against others; a difference is that to the mean of the others."""
    pairs = {(pair.entrant, pair.opponent): pair for pair in source.pairs}
    contrasts = [
        {one: 1.0, **dict.fromkeys(others, -1.0 / len(others))} if others else {} for one, others in wanted
    ]
    found = []
    for (one, others), elo in zip(
        wanted, differences(source.counts, contrasts, look=source.look), strict=True
    ):
        met = [pairs.get((one, other), PairTotal(one, other, 0, 0)) for other in others]
        games = sum(pair.games for pair in met)
        points = Fraction(sum(pair.half_points for pair in met), 2)
        found.append(_Score(one, others, games, points, elo))
    return found


def _line(source: ReportSource, score: _Score, shown: int, scale: Scale) -> AgainstLine:
    """A score as a line under the name of the entrant ``shown``."""
    elo, low, high = score.elo
    return AgainstLine(
        source.labels[shown],
        score.games,
        display.decimal(score.points, 1),
        display.percent(score.points / score.games if score.games else None),
        display.number(elo, 1),
        display.number(low, 1),
        display.number(high, 1),
        interval(scale, elo, low, high, source.intervals),
    )


def _row(source: ReportSource, score: _Score) -> dict[str, object]:
    elo, low, high = score.elo
    return {
        "challenger": source.entrants[score.number].name,
        "opponent": source.entrants[score.against[0]].name,
        "games": score.games,
        "points": float(score.points),
        "elo_difference": elo,
        "low": low,
        "high": high,
    }
