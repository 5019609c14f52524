"""The catalogue of columns: commands, exports and reports render their tables of results from it.

A row maps keys to exact values; a column says how people and programs see one. Formats add the columns of
their tie-breaks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    import pandas as pd

    from tourney.ratings.method import Measure


Row = Mapping[str, Any]
"""Values are strings, numbers, booleans, None, or lists of these."""

DType = Literal["string", "int64", "Int64", "float64", "bool", "boolean", "datetime64[ns, UTC]"]
"""A pandas dtype. A missing value is NA in ``string``, ``Int64`` and ``boolean``, and NaN in ``float64``."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in rows (its name in CSV and JSON), and its title and side in tables for people.

    People see numbers with ``digits`` decimals, or as ``text`` returns them; programs get exact numbers
    rounded to ``places``. ``unit`` and ``help`` describe the values in a sentence. ``short`` is the title
    where there is little room. ``order``: the values that rank first, or "" if none do; ``criterion``: the
    column's place among the columns that rank the table (1: before all others, 0: none). ``dtype``: in a
    pandas DataFrame.
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
    dtype: DType = "string"

    @property
    def words(self) -> str:
        """The title within a sentence."""
        return self.title or self.key.replace("-", " ").replace("_", " ")

    @property
    def heading(self) -> str:
        """The title at the head of a narrow column."""
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

    def shown(self, value: object) -> object:
        """The value as people see it."""
        if value is None:
            return None
        if self.text is not None:
            return self.text(value)
        if isinstance(value, Fraction):
            return decimal(value, self.digits or 0)
        return value if self.digits is None or not isinstance(value, float) else f"{value:.{self.digits}f}"

    def exact(self, value: object) -> object:
        """The value as programs get it."""
        if not isinstance(value, Fraction):
            return value
        return float(Fraction(_round_half_up(value, self.places), 10**self.places))


def rendered(rows: Iterable[Row], columns: Sequence[Column], *, people: bool) -> Iterator[dict[str, Any]]:
    """Yield rows with these columns only, rendered for people or for programs."""
    for row in rows:
        yield {c.key: c.shown(row.get(c.key)) if people else c.exact(row.get(c.key)) for c in columns}


def data_frame(
    columns: Sequence[Column], rows: Iterable[Row], *, names: Mapping[str, str] | None = None
) -> "pd.DataFrame":
    """Rows as a pandas DataFrame with the dtypes of the columns, which do not depend on the rows.

    Nothing is rounded: exact fractions become the nearest floats. Lists of texts become texts with blanks
    between. Names have underscores, and their unit: ``FRAME_NAMES``, unless other ``names`` are given by key.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import, and only frames need it

    values: dict[str, list[object]] = {column.key: [] for column in columns}
    for row in rows:
        for column in columns:
            value = row.get(column.key)
            if isinstance(value, (list, tuple)):
                value = " ".join(map(str, value))
            values[column.key].append(float(value) if isinstance(value, Fraction) else value)
    shown = {c.key: frame_name(c.key) if names is None else names.get(c.key, c.key) for c in columns}
    return pd.DataFrame({shown[c.key]: pd.Series(values[c.key], dtype=c.dtype) for c in columns})


FRAME_NAMES: Final = {"ms": "time_ms", "low": "elo_low", "high": "elo_high"}
"""By the name in files: the name of a column in frames, where the unit is part of it."""


def frame_name(key: str) -> str:
    """The name of a column in frames."""
    return FRAME_NAMES.get(key, key.replace("-", "_"))


def csv_cell(value: object) -> str:
    """A cell of a CSV file. A text that a spreadsheet would run as a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A bot could name itself =HYPERLINK(...); numbers are ours and stay numbers.
        return f"'{value}" if value.startswith(_FORMULA) else value
    return str(value)


def decimal(value: Fraction, digits: int) -> str:
    """An exact number as text, rounded half up; a whole number has no decimals.

    The rounding is done in integers, so that it is the same everywhere.
    """
    if value < 0:
        return f"-{decimal(-value, digits)}"
    scaled = _round_half_up(value, digits)
    text = f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}}" if digits else str(scaled)
    return text.rstrip("0").rstrip(".") if value.denominator == 1 and digits else text


def _round_half_up(value: Fraction, digits: int) -> int:
    """``value * 10**digits``, rounded half away from zero."""
    scaled = abs(value) * 10**digits
    rounded: int = (scaled.numerator * 2 + scaled.denominator) // (scaled.denominator * 2)
    return -rounded if value < 0 else rounded


def number_column(key: str, help_: str, **attributes: Any) -> Column:
    """A column of numbers."""
    return Column(key, right=True, help=help_, **{"dtype": "float64", **attributes})


def count_column(key: str, help_: str, **attributes: Any) -> Column:
    """A column of whole numbers."""
    return Column(key, right=True, help=help_, **{"dtype": "int64", **attributes})


RANK = count_column("rank", "1 + the number of better bots", short="#", order="lower")
NAME = Column("name", short="Bot", help="The bot's name in the tournament")
GAMES = count_column("games", "Matches that count", unit="matches")
FAULTS = count_column("faults", "Faults, in void matches too", unit="faults")


def _signed(value: float) -> str:
    return f"{round(value, 1) + 0.0:+.1f}"  # "+0.0", never "-0.0"


def _percent(share: float | Fraction) -> str:
    return f"{round(float(100 * share), 1) + 0.0:.1f}"


WINS = count_column("wins", "First places alone", unit="matches")
WON = number_column("won", "Share of matches won, ties for first shared", title="won %", text=_percent)
WIDE = 800
"""Width in Elo above which an interval says nothing: 400 each way are 9 % to 91 % of the points."""
INTERVALS = Column("intervals", help="Kind of the intervals: fixed, or such as hold at every look at a run")
ELO = (
    RANK,
    count_column("best_rank", "Best rank by strength, with 95 % confidence"),
    count_column("worst_rank", "Worst rank by strength, with 95 % confidence"),
    NAME,
    number_column("elo", "Strength above the zero of the pool", unit="Elo"),
    number_column("low", "Lower end of the 95 % interval", unit="Elo"),
    number_column("high", "Upper end of the 95 % interval", unit="Elo"),
    INTERVALS,
    number_column("score", "Points per match"),
    GAMES,
    FAULTS,
    number_column("p_best", "Probability of being the best bot"),
    number_column("luck", "Points per match that the dice gave", digits=3),
    number_column("elo_with_luck", "Strength if no luck is subtracted", unit="Elo"),
    WINS,
    WON,
)
"""A batch rating, for programs."""


LUCK = number_column(
    "luck",
    "Points per match that the dice gave, in percent; the rest of the score is the bot's own",
    title="luck %",
    text=lambda luck: _signed(float(100 * luck)),
)
MEAN_WITHOUT_LUCK = number_column(
    "mean_without_luck",
    "Points per match less those that the dice gave",
    title="score % without luck",
    short="Fair %",
    text=_percent,
)


def range_text(low: float, high: float) -> str:
    """An interval of ratings for people."""
    return f"{low:+.1f} .. {high:+.1f}"


def elo_shown(intervals: str, model: str, *, luck: bool = False, wins: bool = False) -> tuple[Column, ...]:
    """The columns of a batch rating for people, headed by its ``model`` and the kind of its intervals.

    ``luck`` is shown if it is known, ``wins`` where they are not what Elo shows: at three and four seats.
    """
    return (
        RANK,
        number_column("ranks", "Ranks by strength that the bot may truly have, with 95 % confidence"),
        NAME,
        Column("elo", f"Elo ({model})", right=True, help="Strength above the zero of the pool", text=_signed),
        number_column("interval", "95 % interval", title=intervals, unit="Elo"),
        *((WINS, WON) if wins else ()),
        Column("score", "score %", right=True, help="Points per match", text=_percent),
        *([LUCK] if luck else []),
        GAMES,
        FAULTS,
        number_column("p_best", "Probability of being the best bot", title="P(best)", digits=2),
    )


PAIRS = (
    Column("a", help="The bot in front"),
    Column("b", help="The other bot"),
    number_column("los", "Probability that a is the better bot", title="P(a better)"),
    count_column("games", "Matches against each other"),
    number_column("points", "Points of a", title="points of a"),
    number_column("expected", "Points that the ratings expect of a"),
    number_column("residual", "Points less the expected ones"),
    number_column("z", "Residual in standard deviations"),
)


CYCLES = (
    Column("bots", "cycle", help="Each bot is better than the next"),
    number_column("scores", "What each is expected to score against the next", title="scores %"),
    number_column("probability", "That all three are truly better than the next", digits=2),
)
"""Bots that beat each other in a circle."""
POOL = (
    Column("figure", help="A figure of the whole pool"),
    number_column("value", "Its value"),
    number_column("low", "Lower end of its 95 % interval"),
    number_column("high", "Upper end of its 95 % interval"),
    INTERVALS,
)


def rating_columns(measures: "Sequence[Measure]") -> tuple[Column, ...]:
    """The columns of a rating method that has no intervals, by its own ``measures``."""
    numbers = (
        number_column(
            measure.name,
            measure.help,
            title=measure.title or measure.name,
            unit=measure.unit,
            digits=measure.digits,
        )
        for measure in measures
    )
    return (RANK, NAME, *numbers, GAMES, FAULTS)


VERSIONS = (
    RANK,
    NAME,
    Column("version", help="Version that the bot's manifest states"),
    Column("args", help="Arguments"),
    Column("digest", help="Digest of the bot's files"),
    *ELO[4:8],
    Column("predecessor", help="The version before it"),
    number_column("gain", "Strength less that of the version before it", unit="Elo"),
    number_column("gain_low", "Lower end of the gain's 95 % interval", unit="Elo"),
    number_column("gain_high", "Upper end of the gain's 95 % interval", unit="Elo"),
    Column("since", help="Start of its first tournament (UTC)"),
    GAMES,
    count_column("tournaments", "Tournaments that it played in"),
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
    count_column("tournaments", "Tournaments that it played in"),
    FAULTS,
)
"""The same for people."""

PLACE = (
    count_column("match", "Number of the match in the schedule, from 1"),
    count_column("round", "Round, from 1"),
    count_column("table", "Table within the round, from 1"),
    count_column("repeat", "Mirrored group of the pairing, from 1"),
    count_column("order", "Place within the mirrored group, from 1"),
)
"""The columns that place a match in its schedule."""
_SEAT = count_column("seat", "Seat, from 1")
_ENTRANT = Column("entrant", help="Name of the entrant")
_VOID = Column("void", help="Whether the match counts for nothing", dtype="bool")

TOURNAMENT_COLUMNS = (
    Column("name", help="Name of the tournament"),
    Column("title", help="Title for people"),
    Column("game", help="Name of the game"),
    Column("format", help="Tournament format"),
    count_column("seats", "Seats at a table"),
    Column("state", help="`running`, `stopped` or `finished`"),
    count_column("rounds", "Rounds paired so far"),
    count_column("matches", "Matches paired so far"),
    count_column("done", "Matches with a result"),
    count_column("void_matches", "Matches with a result that count for nothing"),
    Column("created", help="Start of the tournament (ISO 8601, UTC)"),
    Column("root", help="Root of a finished tournament"),
)
MATCH_COLUMNS = (
    *PLACE,
    Column("entrants", help="Names in seat order, with blanks between"),
    Column("ranks", help="Rank of each seat, with blanks between"),
    Column("reason", help="Why the match ended"),
    Column("void", help="Whether the match counts for nothing", dtype="boolean"),
    Column("actions", help="Number of actions", dtype="Int64"),
    Column("reproducible", help="Whether replaying it must give the same record", dtype="boolean"),
    Column("digest", help="Digest of the record"),
)
SEAT_COLUMNS = (
    *PLACE,
    _SEAT,
    _ENTRANT,
    count_column("rank", "1 + the number of seats that are better"),
    Column("fault", help="Kind of the fault that lost the seat"),
    _VOID,
)
FAULT_COLUMNS = (*PLACE, _SEAT, _ENTRANT, Column("fault", help="Kind of the fault"), _VOID)
TIME_COLUMNS = (
    *PLACE,
    count_column("ply", "Number of the action in the match, from 1"),
    _SEAT,
    _ENTRANT,
    number_column("ms", "Time of the action", unit="milliseconds"),
)
PAIR_COLUMNS = (
    _ENTRANT,
    Column("opponent", help="Name of the opponent"),
    count_column("games", "Matches against each other that count"),
    number_column("points", "Points of the entrant in them"),
)
ENTRANT_COLUMNS = (
    Column("name", help="Name in the tournament"),
    Column("bot", help="Name of the bot"),
    Column("version", help="Version that the bot's manifest states"),
    Column("args", help="Arguments, with blanks between"),
    Column("digest", help="Digest of the bot's files"),
    count_column("joined", "First round drawn with the entrant"),
    Column("left", help="First round without it, if it was withdrawn", dtype="Int64"),
)
ACTION_COLUMNS = (
    count_column("ply", "Number of the action, from 1"),
    Column("seat", help="Seat of the actor; missing for chance", dtype="Int64"),
    Column("entrant", help="Name of the actor; missing for chance"),
    Column("action", help="The action, as the game writes it"),
    number_column("ms", "Time of the action", unit="milliseconds"),
    Column("position", help="The position after the action"),
)
"""The actions of one match."""
