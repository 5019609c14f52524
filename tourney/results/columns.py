"""The catalogue of columns: commands, exports and reports render their tables of results from it.

A row maps keys to exact values; a column says how people and programs see one. Formats add the columns of
their tie-breaks.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tourney.schedule.format import Format

Row = Mapping[str, Any]
"""Values are strings, numbers, booleans, None, or lists of these."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in rows (its name in CSV and JSON), and its title and side in tables for people.

    People see numbers with ``digits`` decimals, or as ``text`` returns them; programs get exact numbers
    rounded to ``places``. ``unit`` and ``help`` describe the values in a sentence. ``short`` is the title
    where there is little room. ``order`` says which values rank first, "" if none do; ``criterion`` is the
    column's place among those that rank the table (1: before all others, 0: none).
    """

    key: str
    title: str = ""
    right: bool = False
    help: str = ""
    unit: str = ""
    digits: int | None = None
    places: int = 6
    text: Callable[[Any], str] | None = None
    short: str = ""
    order: Literal["", "higher", "lower"] = ""
    criterion: int = 0

    @property
    def words(self) -> str:
        """The title within a sentence."""
        return self.title or self.key.replace("-", " ").replace("_", " ")

    @property
    def heading(self) -> str:
        """The title at the head of a column where there is little room."""
        return self.short or self.name

    @property
    def name(self) -> str:
        """The title at the head of a line."""
        return self.words[:1].upper() + self.words[1:]

    @property
    def description(self) -> str:
        """The help with the unit, the order, and the place among the columns that rank."""
        notes = [self.unit] if self.unit else []
        if self.order:
            notes.append(f"{self.order} is better")
        if self.criterion:
            notes.append("ranks first" if self.criterion == 1 else f"tie-break {self.criterion - 1}")
        return f"{self.help} ({'; '.join(notes)})" if notes else self.help

    def shown(self, value: Any) -> Any:
        """Return a value for people."""
        if value is None:
            return None
        if self.text is not None:
            return self.text(value)
        if isinstance(value, Fraction):
            return decimal(value, self.digits or 0)
        return value if self.digits is None or not isinstance(value, float) else f"{value:.{self.digits}f}"

    def exact(self, value: Any) -> Any:
        """Return a value for programs."""
        if not isinstance(value, Fraction):
            return value
        return float(Fraction(_round_half_up(value, self.places), 10**self.places))


def rendered(rows: Iterable[Row], columns: Sequence[Column], *, people: bool) -> list[dict[str, Any]]:
    """Return rows with these columns only, rendered for people or for programs."""
    return [
        {c.key: c.shown(row.get(c.key)) if people else c.exact(row.get(c.key)) for c in columns}
        for row in rows
    ]


def csv_cell(value: object) -> str:
    """Return a cell of a CSV file. A text that a spreadsheet would run as a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return str(value)


def decimal(value: Fraction, digits: int) -> str:
    """Return an exact number as text, rounded half up; a whole number has no decimals.

    The rounding is done in integers, so that it is the same everywhere.
    """
    if value < 0:
        return f"-{decimal(-value, digits)}"
    scaled = _round_half_up(value, digits)
    text = f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}}" if digits else str(scaled)
    return text.rstrip("0").rstrip(".") if value.denominator == 1 and digits else text


def _round_half_up(value: Fraction, digits: int) -> int:
    """Return ``value * 10**digits``, rounded half away from zero."""
    scaled = abs(value) * 10**digits
    rounded: int = (scaled.numerator * 2 + scaled.denominator) // (scaled.denominator * 2)
    return -rounded if value < 0 else rounded


def _number(key: str, help_: str, **given: Any) -> Column:
    return Column(key, right=True, help=help_, **given)


RANK = _number("rank", "1 + the number of better bots", short="#", order="lower")
NAME = Column("name", short="Bot", help="The bot's name in the tournament")
GAMES = _number("games", "Matches that count", unit="matches")
FAULTS = _number("faults", "Faults, in void matches too", unit="faults")

_BY_MEAN = "points-per-match"
"""``Format.ranked_by`` where the column ``mean`` ranks."""

KINDS = Column("kinds", "faults by kind", help="Faults by kind")


def _fixed(digits: int) -> Callable[[Fraction], str]:
    """Return a function that writes a number with all its decimals, so that points stand in line."""

    def text(value: Fraction) -> str:
        return f"{value}.{'0' * digits}" if value.denominator == 1 else decimal(value, digits)

    return text


def standings_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns of the standings: the same, in the same order, in commands, exports and reports.

    The value that ranks first stands before all others; then come the points, the matches, and the
    tie-breaks in the order of their use.
    """
    points = _number(
        "points", "Sum of the match scores, with byes", digits=2, unit="points", text=_fixed(1 + (seats > 2))
    )
    mean = _number(
        "mean",
        "Points per match, byes apart",
        title="score %",
        short="Score %",
        text=lambda share: _fixed(1)(100 * share),
    )
    general = (
        points,
        GAMES,
        mean,
        _number("wins", "First places alone", short="W", unit="matches"),
        _number("draws", "First places shared", short="D", unit="matches"),
        _number("losses", "All other places", short="L", unit="matches"),
    )
    own = {
        entry.name: _number(
            entry.name,
            entry.help,
            title=entry.title,
            short=entry.short,
            unit=entry.unit,
            digits=entry.digits,
            order=("lower" if entry.lower_first else "higher") if entry.order else "",
        )
        for entry in format_.ranking(seats)
    }
    columns = own | {column.key: column for column in general}
    columns = {key: columns[key] for key in (*(column.key for column in general), *own)}
    first = "mean" if format_.ranked_by == _BY_MEAN else format_.ranked_by
    first = first if first in columns else "points"
    ordering = [first, *(key for key, column in own.items() if column.order and key != first)]
    for place, key in enumerate(ordering, 1):
        order = own[key].order if key in own else "higher"
        columns[key] = replace(columns[key], order=order, criterion=place)
    lead = columns.pop(first)
    return (RANK, NAME, lead, *columns.values(), FAULTS, KINDS)


def ranking_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns that rank a format's standings, in the order of their use."""
    found = [column for column in standings_columns(format_, seats) if column.criterion]
    return tuple(sorted(found, key=lambda column: column.criterion))


def page_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns of the standings that a page has room for: all but the kinds of faults."""
    return tuple(column for column in standings_columns(format_, seats) if column is not KINDS)


def report_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns of a report's standings for download: the standings, then bots and ratings."""
    last = "bot version digest points_exact elo_rank elo low high best_rank worst_rank p_best"
    trueskill = "trueskill_rank trueskill_mu trueskill_sigma trueskill_exposed"
    return (*standings_columns(format_, seats), *map(Column, f"{last} {trueskill}".split()))


def _signed(value: float) -> str:
    return f"{value:+.1f}"


INTERVALS = Column("intervals", help="Kind of the intervals: fixed, or such as hold at every look at a run")
ELO = (
    RANK,
    _number("best_rank", "Best rank by strength, with 95 % confidence"),
    _number("worst_rank", "Worst rank by strength, with 95 % confidence"),
    NAME,
    _number("elo", "Strength relative to the mean of the pool", unit="Elo"),
    _number("low", "Lower end of the 95 % interval", unit="Elo"),
    _number("high", "Upper end of the 95 % interval", unit="Elo"),
    INTERVALS,
    _number("score", "Points per match"),
    GAMES,
    FAULTS,
    _number("p_best", "Probability of being the best bot"),
)
"""A batch rating, for programs."""


def elo_shown(intervals: str) -> tuple[Column, ...]:
    """Return the columns of a batch rating for people; ``intervals`` names the kind of its intervals."""
    return (
        RANK,
        _number("ranks", "Ranks by strength that the bot may truly have, with 95 % confidence"),
        NAME,
        Column("elo", "Elo", right=True, help="Strength relative to the mean of the pool", text=_signed),
        _number("interval", "95 % interval", title=intervals, unit="Elo"),
        Column("score", "score %", right=True, help="Points per match", text=lambda s: f"{100 * s:.1f}"),
        GAMES,
        FAULTS,
        _number("p_best", "Probability of being the best bot", title="P(best)", digits=2),
    )


TRUESKILL = (
    RANK,
    NAME,
    _number("mu", "Mean of the bot's skill", digits=3),
    _number("sigma", "Standard deviation of the skill", digits=3),
    _number("exposed", "The conservative rating", title="mu-3sigma", digits=3),
    GAMES,
    FAULTS,
)
PAIRS = (
    Column("a", help="The bot in front"),
    Column("b", help="The other bot"),
    _number("los", "Probability that a is the better bot", title="P(a better)"),
    _number("games", "Matches against each other"),
    _number("points", "Points of a", title="points of a"),
    _number("expected", "Points that the ratings expect of a"),
    _number("residual", "Points less the expected ones"),
    _number("z", "Residual in standard deviations"),
)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


EVALUATIONS = (
    NAME,
    Column("elo", "Elo", right=True, help="Strength as one number", text=_signed),
    _number(
        "lottery",
        "Share in the lottery that no bot beats (maximal lottery, Nash average)",
        title="lottery %",
        text=_percent,
    ),
    _number("against", "Expected score against that lottery", title="score against it %", text=_percent),
    _number(
        "alpha",
        "Share of the time where bots are replaced by those that beat them (alpha-rank)",
        title="alpha-rank %",
        text=_percent,
    ),
)
"""Evaluations that allow for cycles."""
CYCLES = (
    Column("bots", "cycle", help="Each bot is better than the next"),
    _number("scores", "What each is expected to score against the next", title="scores %"),
    _number("probability", "That all three are truly better than the next", digits=2),
)
"""Bots that beat each other in a circle."""
POOL = (
    Column("figure", help="A figure of the whole pool"),
    _number("value", "Its value"),
    _number("low", "Lower end of its 95 % interval"),
    _number("high", "Upper end of its 95 % interval"),
    INTERVALS,
)


def rating_columns(measures: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of a plugin's rating method, which names its own ``measures``."""
    return (RANK, NAME, *(Column(name, right=True) for name in measures), GAMES, FAULTS)


VERSIONS = (
    RANK,
    NAME,
    Column("version", help="Version that the bot's manifest states"),
    Column("args", help="Arguments"),
    Column("digest", help="Digest of the bot's files"),
    *ELO[4:8],
    Column("predecessor", help="The version before it"),
    _number("gain", "Strength less that of the version before it", unit="Elo"),
    _number("gain_low", "Lower end of the gain's 95 % interval", unit="Elo"),
    _number("gain_high", "Upper end of the gain's 95 % interval", unit="Elo"),
    Column("since", help="Start of its first tournament (UTC)"),
    GAMES,
    _number("tournaments", "Tournaments that it played in"),
    FAULTS,
)
"""Versions of bots over all tournaments of a game, for programs."""
VERSIONS_SHOWN = (
    RANK,
    Column("label", "version"),
    Column("elo", "Elo", right=True, text=_signed),
    Column("interval", "95 % at every look", right=True),
    Column("gain", "gain", right=True, text=_signed),
    Column("gain_interval", "interval of the gain", right=True),
    Column("over"),
    Column("day", "since"),
    GAMES,
    _number("tournaments", "Tournaments that it played in"),
    FAULTS,
)
"""The same for people."""
