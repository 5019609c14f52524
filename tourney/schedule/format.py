"""The base class of tournament formats, and the values that go into a format and come out of it.

A format is a pure function from entrants, seed and results so far to the next rounds. A stored round never
changes: a format gets all rounds paired before and adds to them. Pairings depend on the results of *whole*
rounds only: the caller passes the results of rounds up to ``last round - lag`` and no others, so the order in
which matches finish decides nothing.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import ClassVar, Final, Literal, ParamSpec, Protocol, TypeVar, cast

from msgspec import structs

from tourney.errors import TournamentError
from tourney.plugins import Registry
from tourney.schedule.ranking_rule import BY_POINTS, OPTIONAL, RankingRule
from tourney.schedule.row import BY_WIN, MAX_ROWS, ResultRow, Row
from tourney.schedule.tie_breaks import TIE_BREAKS, EntrantScores, RankedEntrant, TieBreak, rank_scores
from tourney.schedule.until_rule import FIRSTS, LIMITS, Until, first_settings
from tourney.seeds import seat_orders

RoundsKey = Literal["refused", "optional", "required"]
RoundsShown = Literal["ranked", "batches", "no"]
TablePlace = tuple[int, int]
"""The round and the number of a table."""
SeatArguments = Sequence[Sequence[str]]
"""Arguments by the number of an entrant."""

BY_MEAN = "points-per-match"
"""The ``ranked_by`` of formats in which some entrants play more matches than others."""


@dataclass(frozen=True, slots=True)
class FormatKey:
    """A format's own key in a tournament file; ``help`` is its line in the reference.

    Its value is stored as an integer or a string: ``flag`` (true or false) as 1 or 0, ``integer`` from
    ``low`` to ``high``, ``choice`` as one of ``words``, ``names`` (a list of entrants' names) as the names
    joined by commas, which no name contains. A key missing from the file is not stored.
    """

    name: str
    kind: Literal["flag", "integer", "choice", "names"]
    low: int = 0
    high: int = 1
    words: tuple[str, ...] = ()
    help: str = ""


SEEDING = FormatKey(
    "seeding",
    "choice",
    words=("file", "rating"),
    help="Seeding order: that of the file (default), or by ratings from earlier tournaments in the database.",
)


@dataclass(frozen=True, slots=True)
class Participant:
    """An entrant as a format sees it.

    ``number`` counts from 0 in the order of the tournament file. ``name`` serves keys that name entrants.
    ``joined`` is its first round (1 from the start); ``left`` the first round without it, or None.
    ``rating`` and its standard error ``deviation``, in whole hundredths of Elo, are estimates from earlier
    tournaments for formats that seed by rating, or None.
    """

    number: int
    name: str = ""
    joined: int = 1
    left: int | None = None
    rating: int | None = None
    deviation: int | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """All that pairings may depend on, results apart.

    ``repeats`` is the number of mirrored groups per pairing; ``rounds`` the tournament file's, or None.
    ``extra`` holds the values of the format's own keys and of ``[until]``, sorted by name. ``seed`` is the
    tournament's: random choices derive from it. ``shared_dice``: the games of a mirrored group share a seed.
    ``ranking`` is the rule that its plan stores; None: that of a new tournament (``Format.rule_in``).
    """

    participants: tuple[Participant, ...]
    seats: int
    seed: int
    repeats: int = 1
    rounds: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()
    shared_dice: bool = True
    ranking: RankingRule | None = None

    @property
    def until(self) -> Until | None:
        """The conditions that end the tournament before its schedule does, or None."""
        return Until.of(self.extra)

    @property
    def first(self) -> "Setup":
        """The setup before a later file raised the number of matches."""
        games, extra = first_settings(self.games, self.extra)
        return replace(self, repeats=games // group_size(self.seats), extra=extra)

    @property
    def score(self) -> str | None:
        """What a match gives, as ``RankingRule`` stores it."""
        return None if self.ranking is None else self.ranking.score

    @property
    def games(self) -> int:
        """The number of matches an entrant plays in a pairing."""
        return self.repeats * group_size(self.seats)

    def setting(self, name: str, default: int | str | None = None) -> int | str | None:
        """The value of one of the format's own keys, or the default where the file lacks it."""
        return dict(self.extra).get(name, default)

    def seeded(self) -> tuple[Participant, ...]:
        """The participants in the order of the file, or by ``seeding = "rating"``: unrated ones come last."""
        if self.setting("seeding") != "rating":
            return self.participants
        return tuple(sorted(self.participants, key=lambda p: (p.rating is None, -(p.rating or 0), p.number)))


class Sums(Protocol):
    """Anything that is added up over results, in schedule order and in whole rounds."""

    def take(self, results: Sequence[ResultRow], /) -> None:
        """Take in further results."""


P = ParamSpec("P")
S = TypeVar("S", bound=Sums)


class History:
    """Every row paired so far, and the results of the rounds that a format may see.

    Both in schedule order. An entrant that had joined, had not left and sits in no row of a round had a bye.
    A run extends one history from batch to batch: formats must not keep what ``rows`` and ``results`` return.
    """

    def __init__(self, rows: Iterable[Row] = (), results: Iterable[ResultRow] = ()) -> None:
        self.rows: list[Row] = []
        self.results: list[ResultRow] = []
        self.seen = 0
        """The last round with results, or 0 without any."""
        self._sums: dict[Hashable, tuple[Sums, int]] = {}
        self.extend(rows, results)

    @property
    def rounds(self) -> int:
        """The last round, or 0 before the first."""
        return self.rows[-1].round if self.rows else 0

    @property
    def waiting(self) -> Sequence[Row]:
        """The rows of the rounds after the last one with results."""
        return self.rows[bisect_right(self.rows, self.seen, key=attrgetter("round")) :]

    def extend(self, rows: Iterable[Row] = (), results: Iterable[ResultRow] = ()) -> None:
        """Add rows and results that follow those before."""
        self.rows += rows
        count = len(self.results)
        self.results += results
        self.seen = max((result.key.round for result in self.results[count:]), default=self.seen)

    def sums(self, make: Callable[P, S], *args: P.args, **kwargs: P.kwargs) -> S:
        """The sums that ``make`` starts, over all results; kept, so that each result is added once."""
        # Formats ask at every batch: adding up all results each time would take the square of their number.
        key = (make, args, tuple(kwargs.items()))
        stored, taken = self._sums.get(key, (None, 0))
        sums = make(*args, **kwargs) if stored is None else cast("S", stored)
        if taken < len(self.results):
            sums.take(self.results[taken:])
        self._sums[key] = (sums, len(self.results))
        return sums


@dataclass(frozen=True, slots=True)
class FormatChart:
    """Lines over whole numbers, each a name and points (x, y, low, high); ``band`` shades low to high."""

    title: str
    x: str
    y: str
    lines: tuple[tuple[str, tuple[tuple[float, float, float, float], ...]], ...]
    band: bool = False


@dataclass(frozen=True, slots=True)
class Pairings:
    """The rows of the next rounds, in schedule order; ``complete``: no round follows them.

    A format never returns no rows without ``complete``, as the run would wait forever.
    """

    rows: tuple[Row, ...]
    complete: bool


class Format(ABC):
    """A tournament format. Pure: the same setup and history always give the same pairings."""

    name: ClassVar[str]
    """As in a tournament file."""
    in_files: ClassVar[bool] = True
    """Whether a tournament file may name it."""
    lag: ClassVar[int] = 0
    """Pairings see the results of rounds up to ``last round - lag``; with 0 no match runs while it pairs."""
    takes_entrants: ClassVar[bool] = False
    """Whether entrants may join after the start."""
    takes_withdrawals: ClassVar[bool] = False
    """Whether an entrant may withdraw: it must pair its rounds one by one."""
    ends_by_results: ClassVar[bool] = False
    """Whether results decide when it ends, ``[until]`` apart; then its intervals hold at every look."""
    takes_until: ClassVar[bool] = False
    """Whether ``[until]`` may end it: it must pair its rounds in batches where that is set."""
    ranks: ClassVar[bool] = False
    """Whether ranking needs ``scores`` of its own; otherwise the totals of all matches are enough."""
    takes_score: ClassVar[bool] = False
    """Whether it ranks by points, so that ``score = "win"`` may say what a match gives."""
    awards_byes: ClassVar[bool] = False
    """Whether byes give points."""
    ranked_by: ClassVar[str] = "points"
    """The first criterion of new tournaments: ``points``, ``points-per-match`` or one of ``measures``."""
    measures: ClassVar[tuple[TieBreak, ...]] = ()
    """Its own measures, which ``tie_breaks`` may name beside ``TIE_BREAKS``."""
    pairs_by_score: ClassVar[bool] = False
    """Whether entrants of equal score meet: then performances and floats say what the score does not."""
    one_pairing_a_round: ClassVar[bool] = False
    """Whether each entrant has one pairing or a bye in each round, as FIDE's report files need."""
    known_at_start: ClassVar[bool] = False
    """Whether all pairings follow from the entrants: played breadth first, they cycle through a book."""
    has_bracket: ClassVar[bool] = False
    """Whether its pairings are the ties of a bracket (``tourney.schedule.knockout.Bracket``)."""
    has_challengers: ClassVar[bool] = False
    """Whether some entrants, the challengers, meet the field and not each other."""
    narrows_intervals: ClassVar[bool] = False
    """Whether it pairs for the narrowest intervals of ratings."""
    rounds_shown: ClassVar[RoundsShown] = "ranked"
    """Pages of its rounds: with the ranking after each, as batches of matches, or none."""
    asks_question: ClassVar[bool] = False
    """Whether it answers a question about a bot: no command takes such a tournament by default."""
    pairs_with_itself: ClassVar[bool] = False
    """Whether a bot meets itself with other arguments, so that equal files do not mean a duplicate."""
    has_records: ClassVar[bool] = True
    """Whether its matches have records."""
    rule_names: ClassVar[Mapping[str, Collection[str]]] = {}
    """The names that it knows for the keys ``bye`` and ``unplayed`` of a stored rule."""
    keys: ClassVar[tuple[FormatKey, ...]] = ()
    """Its own top-level keys in a tournament file; ``check`` judges their values."""

    def raisable(self, setup: Setup) -> tuple[str, ...]:  # noqa: ARG002 - for some formats it depends on the setup
        """The keys that a later file may raise: ``games-per-pairing``, its own keys, or ``until-games``.

        What was paired must stay: of a draw with more matches, the first repeats or the first rows are those
        of a draw with fewer.
        """
        return ()

    def rounds_key(self, seats: int) -> RoundsKey:  # noqa: ARG002 - for some formats it depends on the seats
        """The role of ``rounds`` in a tournament file; unless refused, a later file may change it."""
        return "refused"

    def planned_rounds(self, setup: Setup) -> int | None:
        """The number of rounds of the whole tournament; None where results decide it."""
        return setup.rounds

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - likewise
        """The names of the tie-breaks of new tournaments, in the order of their use."""
        return BY_POINTS

    def new_rule(self, seats: int) -> RankingRule:
        """The rule that new tournaments store and are ranked by; stored ones keep theirs."""
        return RankingRule(self.ranked_by, self.tie_breaks(seats))

    def rule_by_wins(self, seats: int) -> RankingRule:
        """The rule of new tournaments in which rank 1 alone counts."""
        return structs.replace(self.new_rule(seats), score=BY_WIN)

    def rule_in(self, setup: Setup) -> RankingRule:
        """The rule that ranks a tournament. Raises TournamentError as ``check_rule`` does."""
        if setup.ranking is None:
            return self.new_rule(setup.seats)
        self.check_rule(setup.ranking, setup.seats)
        return setup.ranking

    def check_rule(self, rule: RankingRule, seats: int) -> None:
        """Raise TournamentError for a stored rule with a name that this version does not know."""
        leading = {"points", self.ranked_by, *(entry.name for entry in self.measures)}
        if not self.ranks:  # ranked by the totals of all matches, which have this value too
            leading.add(BY_MEAN)
        new = self.new_rule(seats)
        unknown = [] if rule.by in leading else [f"the value {rule.by!r}"]
        unknown += [f"the tie-break {name!r}" for name in rule.tie_breaks if name not in self._known_breaks()]
        if rule.score is not None and not (self.takes_score and rule.score == BY_WIN):
            unknown.append(f"score = {rule.score!r}")
        for key in OPTIONAL:
            value = getattr(rule, key)
            today = getattr(new, key)
            shown = key.replace("_", "-")
            if value is None and today is not None:
                raise TournamentError(f"the ranking in its plan has no {shown}")
            if value is not None and (today is None or value not in self.rule_names.get(key, (value,))):
                unknown.append(f"{shown} = {value!r}")
        if unknown:
            raise TournamentError(
                f"it was made by a newer Tourney, and this version does not know {unknown[0]} by which it"
                " ranks: install a newer version"
            )

    def _known_breaks(self) -> dict[str, TieBreak]:
        return {**TIE_BREAKS, **{entry.name: entry for entry in self.measures}}

    def scores(self, setup: Setup, history: History) -> EntrantScores:
        """The input of ranking, if the format ``ranks``: by all results, those of unfinished rounds too."""
        raise NotImplementedError

    def ranking(self, rule: RankingRule) -> tuple[TieBreak, ...]:
        """The tie-breaks of a rule in the order of their use, after a measure that ranks before them."""
        breaks = self._known_breaks()
        first = [rule.by] if rule.by in breaks and rule.by not in rule.tie_breaks else []
        return tuple(breaks[name] for name in (*first, *rule.tie_breaks))

    def table(self, setup: Setup, history: History) -> tuple[RankedEntrant, ...]:
        """The standings by all results; called only for a format that ``ranks``."""
        rule = self.rule_in(setup)
        scores = self.scores(setup, history)
        breaks = (entry.of(scores) for entry in self.measures if entry.name == rule.by)
        by = next((order_of(list(scores.points))[0] for order_of in breaks), None)
        return rank_scores(scores, self.ranking(rule), by)

    def subjects(self, setup: Setup) -> tuple[int, ...]:  # noqa: ARG002 - for some formats it depends on the setup
        """The entrants that it measures against the others; () where it compares all."""
        return ()

    def needs_luck(self, setup: Setup) -> bool:
        """Whether pairings, or the end by ``[until]``, depend on the luck of matches (``Evidence.luck``).

        Where they do not, the history that they see has none.
        """
        until = setup.until
        return until is not None and (until.width is not None or until.compares)

    def arguments(self, setup: Setup, history: History) -> Mapping[TablePlace, SeatArguments]:  # noqa: ARG002 - most give none
        """The arguments of bots at tables, beside their own: of the rounds that the results so far decide."""
        return {}

    def charts(self, setup: Setup, history: History) -> tuple[FormatChart, ...]:  # noqa: ARG002 - most have none
        """The charts of the report's page on the tournament's progress."""
        return ()

    def planned_matches(self, setup: Setup) -> int | None:  # noqa: ARG002 - for some formats it depends on the setup
        """The number of matches known at the start, or None if it is open."""
        return None

    @abstractmethod
    def check(self, setup: Setup) -> None:
        """Raise TournamentError with the reason for a tournament that cannot be paired."""

    @abstractmethod
    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The rounds to add.

        Called at the start, then whenever the round ``last round - lag`` is finished until the schedule is
        complete, and again when entrants or rounds were added.
        """


def check_settings(format_: Format, extra: Iterable[tuple[str, int | str]]) -> None:
    """Raise TournamentError for settings that the keys of a format do not allow."""
    keys = {key.name: key for key in format_.keys}
    if format_.takes_until:
        keys |= {name: FormatKey(name, "integer", low, high) for name, (low, high) in LIMITS.items()}
    keys |= {name: FormatKey(name, "integer", 1, MAX_ROWS) for name in FIRSTS}
    for name, value in extra:
        key = keys.get(name)
        if key is None:
            raise TournamentError(f"a {format_.name} has no setting {name!r}")
        is_text = key.kind in {"choice", "names"}
        if isinstance(value, str) != is_text:
            raise TournamentError(f"{name} is {value!r}, but must be {'a text' if is_text else 'an integer'}")
        if isinstance(value, int) and not key.low <= value <= key.high:
            raise TournamentError(f"{name} is {value}, but must be from {key.low} to {key.high}")
        if key.kind == "choice" and value not in key.words:
            raise TournamentError(f"{name} is {value!r}, but must be one of {', '.join(key.words)}")


def rows_of(setup: Setup, round_: int, table: int, group: Sequence[int], done: int = 0) -> tuple[Row, ...]:
    """The rows of one pairing, whose first sits first; the first ``done`` mirrored groups are left out."""
    return tuple(
        Row(round_, table, repeat, order, tuple(group[index] for index in seating))
        for repeat in range(done + 1, setup.repeats + 1)
        for order, seating in enumerate(seat_orders(setup.seats, repeat), 1)
    )


def rows_of_rounds(
    setup: Setup,
    first: int,
    rounds: Iterable[Iterable[Sequence[int]]],
    done: Mapping[frozenset[int], int] | None = None,
) -> tuple[Row, ...]:
    """The rows of whole rounds, numbered from ``first``; each is a list of groups in table order.

    ``done``: the repeats of groups that are paired already.
    """
    done = done or {}
    return tuple(
        row
        for round_, tables in enumerate(rounds, first)
        for table, group in enumerate(tables, 1)
        for row in rows_of(setup, round_, table, group, done.get(frozenset(group), 0))
    )


def group_size(seats: int) -> int:
    """The number of matches in a mirrored group. Raise ValueError beyond 4 seats."""
    return len(seat_orders(seats, 1))


FORMATS: Registry[Format] = Registry(
    "format",
    "formats",
    Format,
    TournamentError,
)


IMPORTED: Final = "import"
"""The format of tournaments made from records alone: these have seeds and openings of their own."""


class Imported(Format):
    """The schedule of imported records: all its matches are played, and no round follows."""

    name = IMPORTED
    in_files = False
    rounds_shown: ClassVar[RoundsShown] = "no"

    def check(self, setup: Setup) -> None:
        """Accept every tournament."""

    def next_rounds(self, setup: Setup, history: History) -> Pairings:  # noqa: ARG002 - nothing to add
        """No rounds."""
        return Pairings((), complete=True)


class Results(Imported):
    """The schedule of results of other programs, which have no records."""

    name = "results"
    has_records = False
    takes_score = True


class Uninstalled(Imported):
    """A stand-in for a format that is not installed: its stored rounds, ranked by points."""

    rounds_shown: ClassVar[RoundsShown] = "ranked"


def find_format(name: str) -> Format:
    """The format of that name. Raise TournamentError if there is none, or if its plugin is broken."""
    return FORMATS.find(name)


def ranking_format(name: str) -> Format:
    """The format that ranks a stored tournament: by points if not installed. Raise as ``find_format``."""
    return FORMATS.find(name) if FORMATS.knows(name) else Uninstalled()


def working_formats() -> tuple[tuple[Format, ...], dict[str, str]]:
    """The formats that a file may name, and a sentence for each format broken or offered twice."""
    formats, broken = FORMATS.working()
    return tuple(format_ for format_ in formats if format_.in_files), broken
