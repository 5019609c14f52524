"""Standings: ranked by the rule of the tournament's format."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from tourney.errors import TournamentError
from tourney.match.evidence import POINT
from tourney.results.columns import (
    FAULTS,
    GAMES,
    LUCK,
    MEAN_WITHOUT_LUCK,
    NAME,
    RANK,
    Column,
    count_column,
    decimal,
    number_column,
)
from tourney.results.luck import compute_luck, results_for_format, shows_luck
from tourney.schedule.format import (
    BY_MEAN,
    FORMATS,
    Format,
    History,
    Imported,
    Participant,
    Setup,
    find_format,
    group_size,
    ranking_format,
)
from tourney.schedule.ranking_rule import RankingRule, older_rule
from tourney.schedule.row import BY_WIN, units_of_win
from tourney.schedule.tie_breaks import (
    ZERO,
    Encounter,
    EntrantScores,
    RankedEntrant,
    TieBreak,
    rank_scores,
)
from tourney.store.database import Database
from tourney.store.run_lock import Running
from tourney.store.schedules import RowCounts
from tourney.store.totals import ScoreTotals, StandingsTotals
from tourney.store.values import Plan, StoredEntrant, Tournament
from tourney.texts import counted


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of standings: the format that computes them, the seats at a table, and the rule."""

    format: Format
    seats: int
    rule: RankingRule

    @classmethod
    def of(cls, plan: Plan) -> "Ranking":
        """The ranking of a stored tournament. Raises TournamentError for an unknown rule."""
        format_ = ranking_format(plan.format)
        rule = stored_rule(plan)
        if rule is None:
            return cls.new(format_, plan.seats)
        try:
            format_.check_rule(rule, plan.seats)
        except TournamentError as error:
            raise TournamentError(f"{plan.name}: {error}") from error
        return cls(format_, plan.seats, rule)

    @classmethod
    def new(cls, format_: Format, seats: int) -> "Ranking":
        """The ranking of a new tournament."""
        return cls(format_, seats, format_.new_rule(seats))

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks in the order of their use, after a measure that ranks before them."""
        return self.format.ranking(self.rule)


def stored_rule(plan: Plan) -> RankingRule | None:
    """The rule that ranks a stored tournament.

    None: an older tournament of another package's format, which ranks it like a new one. Without that
    package every tournament is ranked by points.
    """
    if not FORMATS.knows(plan.format):
        return older_rule(Imported.name, plan.seats)
    return older_rule(plan.format, plan.seats) if plan.ranking is None else plan.ranking


def score_of(plan: Plan) -> str | None:
    """What a match of a stored tournament gives, as its plan says it."""
    rule = stored_rule(plan)
    return None if rule is None else rule.score


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings.

    ``rank``: 1 + the number of entrants that are better by the format's rule. ``points``: the sum of match
    scores, at k seats (k - place) / (k - 1), where tied seats share the mean of their places. ``wins``:
    first alone; ``draws``: first, shared. ``faults``: ``(kind, count)`` sorted by kind. ``awarded``: the
    points of byes. ``tie_breaks``: names and values in the order of their use; None if one does not apply.
    ``luck``: points per match that the dice gave, or None if unknown.
    """

    rank: int
    number: int
    name: str
    games: int
    points: Fraction
    wins: int
    draws: int
    losses: int
    faults: tuple[tuple[str, int], ...]
    awarded: Fraction = ZERO
    tie_breaks: tuple[tuple[str, Fraction | None], ...] = ()
    luck: Fraction | None = None

    @property
    def fault_count(self) -> int:
        """The number of the entrant's faults."""
        return sum(count for _, count in self.faults)

    @property
    def mean(self) -> Fraction | None:
        """Points per game without byes, or None before the first game."""
        return (self.points - self.awarded) / self.games if self.games else None

    @property
    def mean_without_luck(self) -> Fraction | None:
        """``mean`` less ``luck``."""
        return None if self.mean is None or self.luck is None else self.mean - self.luck


def compute_standings(
    database: Database, tournament: int, totals: StandingsTotals | None = None, *, luck: bool = False
) -> tuple[Standing, ...]:
    """The standings by the rule of the stored plan; equal entrants by number.

    ``totals``: the tournament's, if the caller has them. ``luck``: with the luck of the dice, which is
    computed now for the matches that lack it; without it, no line has any.
    """
    if luck:
        # Before the snapshot, which would not see what is kept.
        compute_luck(database, database.tournaments.by_id(tournament))
    with database.snapshot() as moment:
        stored = moment.tournaments.by_id(tournament)
        entrants = moment.tournaments.entrants(tournament)
        format_ = Ranking.of(stored.plan).format
        setup = setup_of(stored.plan, stored.seed, entrants)
        # One query for all pages of a report: adding up a large tournament takes seconds.
        sums = totals or moment.totals.standings(tournament, setup.score)
        if luck and shows_luck(stored):
            sums = sums._replace(lucks=moment.totals.luck(tournament))
        if format_.ranks:
            ranked = tuple(format_.table(setup, load_history(moment, tournament)))
        else:
            ranked = rank_totals(format_, setup, sums)
        return standings_of(ranked, entrants, sums)


def standings_of(
    ranked: Iterable[RankedEntrant], entrants: Iterable[StoredEntrant], sums: StandingsTotals
) -> tuple[Standing, ...]:
    """The standings of entrants that a format has ranked."""
    totals = sums.scores
    names = {entrant.number: entrant.name for entrant in entrants}
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for number, kind, count in sums.faults:
        kinds[number].append((kind, count))
    standings = []
    for line in ranked:
        total = totals.get(line.number, ScoreTotals())
        faults = tuple(sorted(kinds[line.number]))
        scores = (total.games, line.points, total.wins, total.draws, total.losses)
        name = names[line.number]
        units, matches = sums.lucks.get(line.number, (0, 0))
        luck = Fraction(units, matches * POINT) if matches else None
        standings.append(
            Standing(line.rank, line.number, name, *scores, faults, line.awarded, line.values, luck)
        )
    return tuple(standings)


def standing_row(line: Standing) -> dict[str, object]:
    """A line of the standings as a row of exact values; see ``tourney.results.columns``."""
    first = ("rank", "name", "points", "awarded", "games", "mean")
    same = (*first, "luck", "mean_without_luck", "wins", "draws", "losses")
    return {
        **dict(line.tie_breaks),
        **{key: getattr(line, key) for key in same},
        "faults": line.fault_count,
        "kinds": [f"{kind}:{count}" for kind, count in line.faults],
    }


AWARDED = number_column(
    "awarded", "Points of byes, among the points", digits=2, title="of byes", short="Byes", unit="points"
)
KINDS = Column("kinds", "faults by kind", help="Faults by kind")


def _fixed(digits: int) -> Callable[[Fraction], str]:
    """A function that writes a number with all its decimals, so that points stand in line."""

    def text(value: Fraction) -> str:
        return f"{value}.{'0' * digits}" if value.denominator == 1 else decimal(value, digits)

    return text


def standings_columns(ranking: Ranking, *, luck: bool = False) -> tuple[Column, ...]:
    """The columns of the standings: the same, in the same order, in commands, exports and reports.

    The column that ranks first comes first; then the points, the points of byes if the format awards any,
    the matches, with ``luck`` the luck and the score without it, and the tie-breaks in the order of their
    use.
    """
    points = number_column(
        "points",
        "Sum of the match scores, with byes",
        digits=2,
        unit="points",
        text=_fixed(1 if ranking.seats <= 2 else 2),
    )
    mean = number_column(
        "mean",
        "Points per match, byes apart",
        title="score %",
        short="Score %",
        text=lambda share: _fixed(1)(100 * share),
    )
    general = (
        points,
        *((AWARDED,) if ranking.format.awards_byes else ()),
        GAMES,
        mean,
        *((LUCK, MEAN_WITHOUT_LUCK) if luck else ()),
        count_column("wins", "First places alone", short="W", unit="matches"),
        count_column("draws", "First places shared", short="D", unit="matches"),
        count_column("losses", "All other places", short="L", unit="matches"),
    )
    tie_break_columns = {
        entry.name: number_column(
            entry.name,
            entry.help,
            title=entry.title,
            short=entry.short,
            unit=entry.unit,
            digits=entry.digits,
            order=("lower" if entry.lower_first else "higher") if entry.order else "",
        )
        for entry in ranking.tie_breaks
    }
    columns = tie_break_columns | {column.key: column for column in general}
    columns = {key: columns[key] for key in (*(column.key for column in general), *tie_break_columns)}
    first = "mean" if ranking.rule.by == BY_MEAN else ranking.rule.by
    # A format may rank by something that has no column, such as the bracket of a knockout.
    first = first if first in columns else "points"
    ordering = [first, *(key for key, column in tie_break_columns.items() if column.order and key != first)]
    for place, key in enumerate(ordering, 1):
        order = tie_break_columns[key].order if key in tie_break_columns else "higher"
        columns[key] = replace(columns[key], order=order, criterion=place)
    lead = columns.pop(first)
    return (RANK, NAME, lead, *columns.values(), FAULTS, KINDS)


def ranking_columns(ranking: Ranking) -> tuple[Column, ...]:
    """The columns that rank the standings, in the order of their use."""
    columns = [column for column in standings_columns(ranking) if column.criterion]
    return tuple(sorted(columns, key=lambda column: column.criterion))


def page_columns(ranking: Ranking, *, luck: bool = False) -> tuple[Column, ...]:
    """The columns of the standings on a page, which shows byes beside the points and faults in a table."""
    columns = standings_columns(ranking, luck=luck)
    return tuple(column for column in columns if column is not KINDS and column is not AWARDED)


def ranks_alone(column: Column) -> bool:
    """Whether a column ranks the standings, apart from points, share and wins."""
    return column.criterion > 0 and column.key not in {"points", "mean", "wins"}


def report_columns(ranking: Ranking, *, luck: bool = False) -> tuple[Column, ...]:
    """The columns of a report's standings for download: the standings, then bots and ratings."""
    last = "bot version digest points_exact elo_rank elo low high best_rank worst_rank p_best"
    trueskill = "trueskill_rank trueskill_mu trueskill_sigma trueskill_exposed"
    return (*standings_columns(ranking, luck=luck), *map(Column, f"{last} {trueskill}".split()))


def rank_totals(format_: Format, setup: Setup, sums: StandingsTotals) -> tuple[RankedEntrant, ...]:
    """The ranking by the totals of all matches; equal entrants by number.

    An encounter is all matches of a pair.
    """
    totals = sums.scores
    pairs = sums.pairs
    unit = units_of_win(setup.seats, setup.score)
    numbers = [player.number for player in setup.participants]
    points = {number: Fraction(totals.get(number, ScoreTotals()).units, unit) for number in numbers}
    encounters: dict[int, list[Encounter]] = defaultdict(list)
    # Fractions are slow to make, and most pairs share their few values.
    halves = {half: Fraction(half, 2) for half in {pair.half_points for pair in pairs}}
    for pair in pairs:
        met = Encounter(pair.opponent, points[pair.opponent], halves[pair.half_points])
        encounters[pair.entrant].append(met)
    scores = EntrantScores(
        points,
        wins={number: total.wins for number, total in totals.items()},
        encounters=encounters,
        most=Fraction(max((pair.games for pair in pairs), default=0)),
    )
    mean = {n: value / totals[n].games if n in totals else ZERO for n, value in points.items()}
    rule = format_.rule_in(setup)
    return rank_scores(scores, format_.ranking(rule), mean if rule.by == BY_MEAN else None)


def ranking_sentences(ranking: Ranking, *, luck: bool = False) -> tuple[str, ...]:
    """The rule in sentences: the first criterion, the tie-breaks, and the meaning of each and of luck."""
    first, *breaks = ranking_columns(ranking)
    rule = f"Ranked by {_criterion(first)}"
    if breaks:
        rule += f"; ties are broken by {_listed([_criterion(column) for column in breaks])}"
        rule += ", in this order" if len(breaks) > 1 else ""
    lower = any(column.order == "lower" for column in (first, *breaks))
    higher = "Otherwise higher values rank first" if lower else "Higher values rank first"
    by_wins = "A match gives one point to the first place, which ties for it share, and none to others."
    return (
        f"{rule}.",
        *([by_wins] if ranking.rule.score == BY_WIN else ()),
        f"{higher}; bots that are equal in all of this share a rank.",
        *(f"{_named(column)}: {column.description}." for column in (first, *breaks, *[LUCK] * luck)),
    )


def _named(column: Column) -> str:
    return f"{column.name} ({column.short})" if column.short and column.key != "mean" else column.name


def _criterion(column: Column) -> str:
    words = "points per match" if column.key == "mean" else column.words
    return f"{words} (lower first)" if column.order == "lower" else words


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


State = Literal["running", "stopped", "finished"]


def state_of(tournament: Tournament, progress: RowCounts, running: Running | None) -> State:
    """Whether all is played, a run is going on, or neither."""
    if tournament.complete and progress.done == progress.rows:
        return "finished"
    return "stopped" if running is None else "running"


def interim_sentence(complete: bool, counts: RowCounts, *, ratings: bool = False) -> str:
    """A sentence on the matches still to play; "" for a finished tournament.

    ``complete``: all rounds are paired. ``ratings``: ratings stand beside the standings.
    """
    left = counts.rows - counts.done
    if complete and not left:
        return ""
    matches = f"{left:,} of {counted(counts.rows, 'match')}"
    play = (
        f"{matches} {'is' if left == 1 else 'are'} still to play" if left else "all paired matches are played"
    )
    more = "" if complete else f"{', and ' if left else ', but '}more rounds are to be paired"
    kinds = " Intervals and ranks by Elo hold at every look; probabilities and TrueSkill are of this moment."
    return f"Interim standings: {play}{more}.{kinds if ratings else ''}"


def planned_matches(tournament: Tournament, entrants: Sequence[StoredEntrant], paired: int) -> int:
    """The number of a tournament's matches as far as its schedule is known, at least ``paired``.

    If results may end it earlier, or entrants left, only the paired matches are known.
    """
    plan = tournament.plan
    if tournament.complete or not FORMATS.knows(plan.format):
        return paired
    setup = setup_of(plan, tournament.seed, entrants)
    if setup.until is not None or any(entrant.left is not None for entrant in entrants):
        return paired
    return max(paired, find_format(plan.format).planned_matches(setup) or 0)


def load_setup(database: Database, tournament: int) -> Setup:
    """A stored tournament as its format sees it, without the matches."""
    stored = database.tournaments.by_id(tournament)
    return setup_of(stored.plan, stored.seed, database.tournaments.entrants(tournament))


def load_history(database: Database, tournament: int) -> History:
    """All stored rows and results of a tournament as its format sees them."""
    with database.snapshot() as moment:
        rows = (row for _, row in moment.schedules.rows(tournament))
        stored = moment.tournaments.by_id(tournament)
        return History(rows, results_for_format(moment, stored, load_setup(moment, tournament)))


def setup_of(plan: Plan, seed: int, entrants: Sequence[StoredEntrant]) -> Setup:
    """A tournament as its format sees it, without results."""
    return Setup(
        participants=tuple(
            Participant(
                entrant.number, entrant.name, entrant.joined, entrant.left, entrant.rating, entrant.deviation
            )
            for entrant in entrants
        ),
        seats=plan.seats,
        seed=seed,
        repeats=plan.games_per_pairing // group_size(plan.seats),
        rounds=plan.rounds,
        extra=plan.extra,
        shared_dice=plan.mirrored_dice,
        ranking=stored_rule(plan),
    )


def has_ended(database: Database, tournament: Tournament) -> bool:
    """Whether a tournament has all its rounds, and all of them are played."""
    progress = database.schedules.progress(tournament.id)
    return tournament.complete and progress.done == progress.rows
