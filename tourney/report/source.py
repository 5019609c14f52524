"""The source of a report: a stored tournament as one frozen value."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import merge
from itertools import combinations
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from tourney.bots.catalogue.shipped import provenance, shipped_digests
from tourney.check.root import ALL, Disclosure, compute_root, disclosure
from tourney.errors import StoreDamaged
from tourney.games.base import AnyGame
from tourney.games.diagrams import seat_colors
from tourney.games.registry import known_game
from tourney.match.analysis import Analysis
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED
from tourney.ratings.batch import Batch, BatchRating, rate_clusters
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.likelihood import Expected, model_of
from tourney.ratings.sequential import EVERY_LOOK, FIXED, PlannedGames
from tourney.ratings.trueskill import Settings, SkillPool, TrueSkillRating, history, share_ranks
from tourney.report import display
from tourney.report.compact_matches import (
    CompactMatches,
    FinishedMatch,
    LazySequence,
    held,
    matches_where,
    place_of,
)
from tourney.report.display import EntrantLabel, SeatLabel
from tourney.report.pages.match_lines import MatchDetail, MatchSetting, published_detail
from tourney.results.audit import AlikePair, AuditFinding, audit
from tourney.results.columns import Column
from tourney.results.luck import compute_luck, shows_luck
from tourney.results.positions import Parts, each_part, with_analyses
from tourney.results.ratings import draw_probability_of, look_now, unsure
from tourney.results.rounds import Round, rounds_of
from tourney.results.standings import (
    Ranking,
    Standing,
    compute_standings,
    page_columns,
    score_of,
    setup_of,
)
from tourney.results.texts import pool_notes, shared_by, zero_text
from tourney.results.verdict import verdict_text
from tourney.schedule.format import Format, History, Setup, ranking_format
from tourney.schedule.knockout import Knockout
from tourney.schedule.row import ResultRow, Row
from tourney.store.column_reading import MatchParts, analysis_in, unpack_parts
from tourney.store.database import Database
from tourney.store.presentation import NO_PRESENTATION, Presentation
from tourney.store.schedules import RowCounts
from tourney.store.totals import NO_OVERLOAD, OverloadedMatch, OverloadTotals, PairTotal, ScoreTotals
from tourney.store.values import RANDOM, StoredEntrant, StoredRun, Tournament

T = TypeVar("T")

STRETCHED = 200
"""Most matches with overloaded turns that the report lists."""
BROKEN = "its bot cannot be started"
"""Published instead of the last lines of a failed build, which may hold paths and names of the host."""


class ExpectedScore(NamedTuple):
    """The share of points that a bot is expected to score against another, and the deviation from it.

    ``z``: points less those expected, in standard deviations.
    """

    expected: float
    z: float


@dataclass(frozen=True)
class ReportSource:
    """A tournament, whole. ``matches`` are those with a result, in schedule order.

    Their results lack digests (see ``CompactMatches``); ``read`` reads them again, one by one, with digests.

    ``detail`` reads the stored data of a match by number, one at a time as records are large; ``parts``
    reads the same of some matches, packed and unfiltered, for other processes to unpack. ``presentation``:
    the title and the other texts of the tournament file for the report. ``settings``: TrueSkill's.
    ``seat_totals``: by entrant and seat. ``root``: of a finished tournament. ``overload``: of all matches,
    and of each entrant; ``overloaded``: at most ``STRETCHED`` matches with overloaded turns, most first.
    ``analyses`` yields the published analyses with the numbers of their matches, in schedule order; damaged
    ones are left out. ``pending``: the rows still to play, by number. ``engines``: the bots' introductions,
    by entrant.
    ``disclosed``: the parts that may be published; before the end the tournament has the seed 0 here, and a
    match that shares its seed with a match to come counts as one without a record. ``joined`` and ``luck``
    are settings of ``clusters``.
    """

    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]
    progress: RowCounts
    standings: tuple[Standing, ...]
    pairs: tuple[PairTotal, ...]
    matches: Sequence[FinishedMatch]
    read: Callable[[], Iterator[FinishedMatch]]
    detail: Callable[[int], MatchDetail]
    parts: Parts
    settings: Settings
    seat_totals: Mapping[tuple[int, int], ScoreTotals]
    root: str | None = None
    presentation: Presentation = NO_PRESENTATION
    overloaded: tuple[OverloadedMatch, ...] = ()
    overload: tuple[OverloadTotals, Mapping[int, OverloadTotals]] = (NO_OVERLOAD, MappingProxyType({}))
    pending: tuple[tuple[int, Row], ...] = ()
    disclosed: Disclosure = ALL
    audit: Callable[[Callable[[], Sequence[AlikePair]]], tuple[AuditFinding, ...]] = lambda _: ()
    analyses: Callable[[], Iterator[tuple[int, Analysis]]] = lambda: iter(())
    joined: bool = True
    luck: bool = True
    engines: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def game(self) -> AnyGame | None:
        """The game, or None if it is not installed (any more), is broken, or no rules were run."""
        return known_game(self.tournament.game) if self.tournament.recorded else None

    @cached_property
    def setting(self) -> MatchSetting:
        """The tournament as the pages of matches see it."""
        run = StoredRun()
        return MatchSetting(
            replace(self.tournament, seed=0, origin=RANDOM, run=run, complete=False, created="", root=None),
            self.seats,
        )

    @property
    def title(self) -> str:
        """The tournament's title, safe to show once escaped; without one, its name."""
        return display.label(self.presentation.title.strip() or self.tournament.name)

    @property
    def game_title(self) -> str:
        """The title of the game, safe to show once escaped; if it is not known, its name."""
        return display.label(self.game.title if self.game else self.tournament.game)

    def reason(self, word: str) -> str:
        """The reason for the end of a match in the words of the game's guide."""
        return self.setting.reason(word)

    @property
    def format(self) -> Format:
        """The tournament's format."""
        return ranking_format(self.tournament.plan.format)

    @cached_property
    def ranking(self) -> Ranking:
        """The order of the tournament's standings."""
        return Ranking.of(self.tournament.plan)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the standings on pages."""
        return page_columns(self.ranking, luck=shows_luck(self.tournament))

    @property
    def rows(self) -> Iterator[Row]:
        """All rows of the schedule, played or not."""
        return (row for _, row in merge(((match.number, match.row) for match in self.matches), self.pending))

    @cached_property
    def recorded(self) -> Sequence[FinishedMatch]:
        """The matches with a record."""
        return matches_where(self.matches, attrgetter("digest"))

    def records(self, matches: Iterable[FinishedMatch]) -> Iterator[tuple[FinishedMatch, Record]]:
        """Yield matches with their records, see ``records_of``."""
        return records_of(matches, self.parts)

    @cached_property
    def met(self) -> dict[tuple[int, int], Sequence[int]]:
        """The places of each pair's matches, the lower number first; void matches do not count."""
        places: defaultdict[tuple[int, int], array[int]] = defaultdict(lambda: array("I"))
        for place, match in enumerate(self.matches):
            if not match.result.void:
                for pair in combinations(sorted(match.seats), 2):
                    places[pair].append(place)
        return dict(places)

    @cached_property
    def setup(self) -> Setup:
        """The tournament as its format sees it, results apart."""
        return setup_of(self.tournament.plan, self.tournament.seed, self.entrants)

    @cached_property
    def schedule(self) -> History:
        """All rows and results as the tournament's format sees them: values of all matches."""
        return History(self.rows, self.results)

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds with their results, one by one."""
        return rounds_of(self.setup, self.rows, self.results)

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of all matches, from which the ratings come."""
        clusters = Clusters(
            shared_dice=self.tournament.plan.mirrored_dice, joined=self.joined, luck=self.luck
        )
        clusters.take(self.results)
        return clusters

    @cached_property
    def counts(self) -> Counts:
        """The counts of the clusters."""
        return self.clusters.counts(self.labels, self.tournament.seats)

    @cached_property
    def batch(self) -> Batch:
        """The ratings of all matches in one fit."""
        numbers = list(self.labels)
        return rate_clusters(self.clusters, numbers, self.tournament.seats, model=self.model, look=self.look)

    @property
    def model(self) -> type[Expected]:
        """The model of the ratings."""
        return model_of(score_of(self.tournament.plan))

    @cached_property
    def elo(self) -> dict[int, BatchRating]:
        """The ratings by entrant."""
        return {rating.entrant: rating for rating in self.batch.ratings}

    @property
    def ended(self) -> bool:
        """Whether all rounds are paired and all their matches played."""
        return self.tournament.complete and self.progress.done == self.progress.rows

    @cached_property
    def look(self) -> PlannedGames | None:
        """The plan by which the intervals hold at every look; None after an end as planned."""
        return look_now(self.tournament, self.entrants, self.progress)

    @property
    def intervals(self) -> str:
        """The name of the kind of its intervals."""
        return FIXED if self.look is None else EVERY_LOOK

    @cached_property
    def pool_notes(self) -> tuple[str, ...]:
        """Sentences on the pool of the ratings."""
        names = {number: label.name for number, label in self.labels.items()}
        return tuple(pool_notes(self.batch, names, display.number, shared=shared_by(self.tournament)))

    @cached_property
    def zero(self) -> str:
        """The sentence that names the bots whose mean is 0 Elo."""
        return zero_text(self.batch, {number: label.name for number, label in self.labels.items()})

    @cached_property
    def unsure(self) -> frozenset[int]:
        """The entrants whose Elo says nothing yet: the prior decides it, or its interval is wide."""
        return unsure(self.batch)

    @cached_property
    def verdict(self) -> str:
        """The sentence on who won or leads; "" before the first match."""
        has_bracket = self.format.has_bracket and len(self.entrants) > 1
        ties = Knockout().bracket(self.setup, self.schedule).ties if has_bracket else ()
        names = {number: display.isolated(label.name) for number, label in self.labels.items()}
        return verdict_text(
            self.standings,
            self.ranking,
            self.batch,
            names,
            ended=self.ended,
            ties=ties,
            subjects=self.format.subjects(self.setup),
            number=display.number,
        )

    @cached_property
    def meetings(self) -> dict[tuple[int, int], ExpectedScore]:
        """The scores that the fit expects of each pair that met, for both orders of the pair."""
        expected = {}
        for pair in self.batch.pairs:
            if pair.games and pair.z is not None:
                share = pair.expected / pair.games
                expected[pair.a, pair.b] = ExpectedScore(share, pair.z)
                expected[pair.b, pair.a] = ExpectedScore(1 - share, -pair.z)
        return expected

    @cached_property
    def history(self) -> tuple[tuple[int, SkillPool], ...]:
        """The pool after each round."""
        return tuple(history(self.results, self.labels, self.settings))

    @cached_property
    def ratings(self) -> tuple[TrueSkillRating, ...]:
        """The TrueSkill table."""
        if self.history:
            return share_ranks(self.history[-1][1].table(), self.tournament.seats)
        return SkillPool.of(self.labels, self.settings).table()

    @cached_property
    def labels(self) -> dict[int, EntrantLabel]:
        """The labels of all entrants by number."""
        shipped = shipped_digests()
        return {
            stored.number: _label(
                stored, shipped, self.engines.get(stored.number, ""), recorded=self.tournament.recorded
            )
            for stored in self.entrants
        }

    @property
    def seat_word(self) -> str:
        """What players call a seat."""
        return self.setting.seat_word

    @cached_property
    def seats(self) -> tuple[SeatLabel, ...]:
        """The labels of a match's seats in order."""
        names = self.game.seat_names[: self.tournament.seats] if self.game else ()
        colors = seat_colors(names)
        return tuple(
            SeatLabel(
                seat,
                display.label(names[seat - 1] if seat <= len(names) else f"Seat {seat}"),
                colors[(seat - 1) % len(colors)],
            )
            for seat in range(1, self.tournament.seats + 1)
        )

    @cached_property
    def results(self) -> Sequence[ResultRow]:
        """All results, in schedule order."""
        return held(LazySequence(self.matches, attrgetter("result_row")))


def records_of(matches: Iterable[FinishedMatch], parts: Parts) -> Iterator[tuple[FinishedMatch, Record]]:
    """Yield matches with their records; damaged records are left out, as their own pages name them."""
    for match, match_parts in each_part(matches, parts):
        alone = match_parts._replace(log=None, measured=None)
        with suppress(StoreDamaged):
            if (record := unpack_parts(alone, len(match.seats))[0]) is not None:
                yield match, record


def _label(stored: StoredEntrant, shipped: dict[str, str], engine: str, *, recorded: bool) -> EntrantLabel:
    def shown(words: str) -> str:
        return display.label(words) if words else ""

    return EntrantLabel(
        number=stored.number,
        slug=display.slug(stored.number, stored.name),
        name=display.label(stored.name),
        bot=display.label(stored.entrant.bot),
        version=shown(stored.entrant.version),
        title=shown(stored.title),
        author=shown(stored.author),
        args=shown(" ".join(stored.entrant.args)),
        digest=stored.entrant.digest if recorded else "",
        provenance=provenance(stored.entrant.digest, (stored.name, stored.entrant.bot), shipped)
        if recorded
        else "submitted",
        broken=display.line(stored.broken),
        engine=shown(engine),
    )


def load(database: Database, tournament: Tournament) -> ReportSource:
    """Read a tournament. Details of matches are read on demand, so keep the database open."""
    disclosed = disclosure(database, tournament)
    # Nothing on a page may follow from the seed while matches are still to come.
    tournament = tournament if disclosed.ended else replace(tournament, seed=0)

    has_luck = shows_luck(tournament)
    compute_luck(database, tournament)

    def read() -> Iterator[FinishedMatch]:
        for match in database.matches.all(tournament.id, finished=True, luck=has_luck):
            yield FinishedMatch.of(disclosed.shown(match))

    matches = CompactMatches(tournament.id, read())

    # A match without a record has nothing to read, so the database is not asked.
    def detail(number: int) -> MatchDetail:
        recorded = matches[place_of(matches, number)].result.digest
        return _detail(database, tournament.id, number) if recorded else MatchDetail()

    def analyses() -> Iterator[tuple[int, Analysis]]:
        numbers = disclosed.of(database.analyses.numbers(tournament.id))
        packed = database.analyses.packed(tournament.id, numbers)
        for number in sorted(packed):
            with suppress(StoreDamaged):  # the page of the match names it
                if (analysis := analysis_in(MatchParts(analysis=packed[number]))) is not None:
                    yield number, analysis

    # Read once for standings, pairs and seats: a query over all matches of a large tournament takes seconds.
    totals = database.totals.standings(tournament.id, score_of(tournament.plan))
    return ReportSource(
        tournament=tournament,
        entrants=database.tournaments.entrants(tournament.id),
        progress=database.schedules.progress(tournament.id),
        standings=compute_standings(database, tournament.id, totals, luck=True),
        pairs=totals.pairs,
        matches=matches,
        read=read,
        detail=detail,
        parts=lambda numbers: with_analyses(database, tournament.id, disclosed.of(numbers)),
        settings=Settings(draw_probability=draw_probability_of(database, tournament)),
        seat_totals=totals.by_seat,
        root=compute_root(database, tournament),
        presentation=database.tournaments.presentation(tournament.id),
        overloaded=database.totals.overloaded(tournament.id, STRETCHED),
        overload=database.totals.overload(tournament.id),
        pending=database.schedules.pending(tournament.id),
        disclosed=disclosed,
        audit=lambda alike: tuple(audit(database, tournament, alike)),
        analyses=analyses,
    )


def _detail(database: Database, tournament: int, number: int) -> MatchDetail:
    """The stored data of a recorded match; damaged parts are left out and named."""
    damaged: list[tuple[str, str]] = []

    def part(name: str, read: Callable[[int, int], T]) -> T | None:
        try:
            return read(tournament, number)
        except StoreDamaged as error:
            damaged.append((name, str(error)))
            return None

    record = part("record", database.records.get)
    log = part("log", database.records.log) or ()
    measured = part("measurements", database.records.measured) or NOT_MEASURED
    analysis = next(iter(part("analysis", database.analyses.of) or ()), None)
    return MatchDetail(record, log, measured, tuple(damaged), analysis)


def published(source: ReportSource, *, logs: bool) -> ReportSource:
    """A source without private parts, or the same one with ``logs``.

    Private are: lines that bots wrote to standard error, the host's name, the system's errors that made a
    match void, and the output of a bot's failed build. ``info`` lines and the referee's notes stay.
    """
    if logs:
        return source
    read = source.detail
    return replace(
        source,
        detail=lambda number: published_detail(read(number), logs=False),
        matches=held(LazySequence(source.matches, _without_note)),
        read=lambda: map(_without_note, source.read()),
        entrants=tuple(
            replace(entrant, broken=BROKEN) if entrant.broken else entrant for entrant in source.entrants
        ),
    )


def _without_note(match: FinishedMatch) -> FinishedMatch:
    result = match.result
    if not result.note or result.void_reason == "benched":
        return match
    return replace(match, result=replace(result, note=""))
