"""The catalogue of columns: commands, exports and reports render their tables of results from it.

A row maps keys to exact values; a column says how people and programs see one. Formats add the columns of
their tie-breaks.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tourney.schedule.format import Format

Row = Mapping[str, Any]
"""Values are strings, numbers, booleans, None, or lists of these."""

_GENERAL = frozenset(("direct-encounter", "wins", "sonneborn-berger"))
"""The tie-breaks of ranking by points alone."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in rows (its name in CSV and JSON), and its title and side in tables for people.

    People see numbers with ``digits`` decimals, or as ``text`` returns them; programs get exact numbers
    rounded to ``places``. ``unit`` and ``help`` describe the values in a sentence.
    """

    key: str
    title: str = ""
    right: bool = False
    help: str = ""
    unit: str = ""
    digits: int | None = None
    places: int = 6
    text: Callable[[Any], str] | None = None

    @property
    def description(self) -> str:
        """The help with the unit."""
        return f"{self.help} ({self.unit})" if self.unit else self.help

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


def _number(key: str, help_: str, *, title: str = "", unit: str = "", digits: int | None = None) -> Column:
    return Column(key, title, right=True, help=help_, unit=unit, digits=digits)


RANK = _number("rank", "1 + the number of better bots")
NAME = Column("name", help="The bot's name in the tournament")
GAMES = _number("games", "Matches that count")
FAULTS = _number("faults", "Faults, in void matches too")

_STANDINGS = (
    RANK,
    NAME,
    _number("points", "Sum of the match scores, with byes", digits=2),
    GAMES,
    _number("mean", "Points per match, byes apart", digits=3),
    _number("wins", "First places alone"),
    _number("draws", "First places shared"),
    _number("losses", "All other places"),
)


def tie_break_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns of a format's tie-breaks, in the order of their use."""
    return tuple(
        Column(entry.name, right=True, help=entry.help, digits=2) for entry in format_.ranking(seats)
    )


def standings_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns of the standings, as commands print and export them."""
    known = {column.key for column in _STANDINGS}
    own = (column for column in tie_break_columns(format_, seats) if column.key not in known)
    return (*_STANDINGS, *own, FAULTS, Column("kinds", "faults by kind", help="Faults by kind"))


def special_tie_breaks(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the tie-break columns that a report shows, with titles; none for a format by points alone.

    There the crosstable and the wins show them already.
    """
    if _GENERAL.issuperset(format_.tie_breaks(seats)):
        return ()
    titles = {entry.name: entry.title for entry in format_.ranking(seats)}
    return tuple(
        replace(column, title=titles[column.key][:1].upper() + titles[column.key][1:], places=4)
        for column in tie_break_columns(format_, seats)
        if column.key not in {"wins", "direct-encounter"}
    )


def report_columns(format_: "Format", seats: int) -> tuple[Column, ...]:
    """Return the columns of a report's standings for download: bots and ratings stand beside the scores."""
    first = "rank entrant bot version digest games points points_exact wins draws losses sonneborn"
    last = "faults elo_rank elo low high best_rank worst_rank p_best rating_rank mu sigma exposed"  # as rated
    return (
        *(Column(key, places=4) for key in first.split()),
        *special_tie_breaks(format_, seats),
        *map(Column, last.split()),
    )


def _signed(value: float) -> str:
    return f"{value:+.1f}"


ELO = (
    RANK,
    _number("best_rank", "Best rank by strength, with 95 % confidence"),
    _number("worst_rank", "Worst rank by strength, with 95 % confidence"),
    NAME,
    _number("elo", "Strength relative to the mean of the pool", unit="Elo"),
    _number("low", "Lower end of the 95 % interval", unit="Elo"),
    _number("high", "Upper end of the 95 % interval", unit="Elo"),
    _number("score", "Points per match"),
    GAMES,
    FAULTS,
    _number("p_best", "Probability of being the best bot"),
)
"""A batch rating, for programs."""
ELO_SHOWN = (
    RANK,
    _number("ranks", "Ranks by strength that the bot may truly have, with 95 % confidence"),
    NAME,
    Column("elo", "Elo", right=True, help="Strength relative to the mean of the pool", text=_signed),
    _number("interval", "95 % interval", title="95 % interval", unit="Elo"),
    Column("score", "score %", right=True, help="Points per match", text=lambda s: f"{100 * s:.1f}"),
    GAMES,
    FAULTS,
    _number("p_best", "Probability of being the best bot", title="P(best)", digits=2),
)
"""A batch rating, for people."""
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
POOL = (
    Column("figure", help="A figure of the whole pool"),
    _number("value", "Its value"),
    _number("low", "Lower end of its 95 % interval"),
    _number("high", "Upper end of its 95 % interval"),
)


def rating_columns(measures: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of a plugin's rating method, which names its own ``measures``."""
    return (RANK, NAME, *(Column(name, right=True) for name in measures), GAMES, FAULTS)
