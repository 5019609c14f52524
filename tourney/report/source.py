"""The source of a report: a stored tournament as one frozen value."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import merge
from itertools import combinations
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from tourney.bots.catalogue.shipped import provenance, shipped_digests
from tourney.errors import StoreDamaged
from tourney.games.base import AnyGame
from tourney.games.svg_diagram import seat_colors
from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Counts
from tourney.ratings.sequences import EVERY_LOOK, FIXED, Look
from tourney.ratings.trueskill_rating import Pool, Settings, TrueSkillRating, history
from tourney.report import text
from tourney.report.matches import Matches, View, place_of, places_where, same
from tourney.report.setting import Detail, EntrantLabel, SeatLabel, Setting, known_game
from tourney.results.ratings import draw_probability_of, look_now
from tourney.results.standings import Standing, compute_standings, setup_of
from tourney.schedule.format import Format, History, Setup, ranking_format
from tourney.schedule.row import ResultRow, Row
from tourney.store.presentation import NO_PRESENTATION, Presentation
from tourney.store.repository import Repository
from tourney.store.root import compute_root
from tourney.store.values import (
    Match,
    MatchParts,
    OverloadedMatch,
    OverloadTotals,
    PairTotal,
    RowCounts,
    ScoreTotals,
    StoredEntrant,
    StoredRun,
    Tournament,
)

T = TypeVar("T")

STRETCHED = 200
"""Most matches with overloaded turns that the report lists."""


class Meeting(NamedTuple):
    """The share of points that a bot is expected to score against another, and by how much it did not.

    ``z``: points less those expected, in standard deviations.
    """

    expected: float
    z: float


@dataclass(frozen=True)
class Source:
    """A tournament, whole. ``matches`` are those with a result, in schedule order.

    Their results lack digests (see ``Matches``); ``read`` reads them again, one by one, with their digests.

    ``detail`` gives what is stored of a match, by number: asked for one at a time, as records are large.
    ``parts`` gives the same of some matches, packed and unfiltered, for other processes to unpack.
    ``presentation`` is the title and what else the tournament file has for the report.
    ``draw_probability`` is TrueSkill's. ``seat_totals`` are by entrant and seat. ``root`` is that of a
    finished tournament. ``overload`` is that of all matches, and of each entrant's; ``overloaded`` are the
    matches with such turns, most first, ``STRETCHED`` at most. ``pending`` are the rows still to play, by
    number.
    """

    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]
    progress: RowCounts
    standings: tuple[Standing, ...]
    pairs: tuple[PairTotal, ...]
    matches: Sequence[Match]
    read: Callable[[], Iterator[Match]]
    detail: Callable[[int], Detail]
    parts: Callable[[Sequence[int]], Mapping[int, MatchParts]]
    draw_probability: float
    seat_totals: Mapping[tuple[int, int], ScoreTotals]
    root: str | None = None
    presentation: Presentation = NO_PRESENTATION
    overloaded: tuple[OverloadedMatch, ...] = ()
    overload: tuple[OverloadTotals, Mapping[int, OverloadTotals]] = (OverloadTotals(), MappingProxyType({}))
    pending: tuple[tuple[int, Row], ...] = ()

    @cached_property
    def game(self) -> AnyGame | None:
        """The game, or None where it is not installed (any more), broken, or where no rules were run."""
        return known_game(self.tournament.game) if self.tournament.recorded else None

    @cached_property
    def setting(self) -> Setting:
        """What the pages of matches know of the tournament."""
        run = StoredRun()
        return Setting(replace(self.tournament, run=run, complete=False, created="", root=None), self.seats)

    @property
    def title(self) -> str:
        """The tournament's title, safe to show once escaped; without one, its name."""
        return text.display(self.presentation.title.strip() or self.tournament.name)

    @property
    def format(self) -> Format:
        """The tournament's format."""
        return ranking_format(self.tournament.plan.format)

    @property
    def rows(self) -> Iterator[tuple[int, Row]]:
        """All rows of the schedule by number, played or not."""
        return merge(((match.number, match.row) for match in self.matches), self.pending)

    @cached_property
    def recorded(self) -> Sequence[Match]:
        """The matches with a record."""
        return View(self.matches, same, places_where(self.matches, attrgetter("digest")))

    @cached_property
    def met(self) -> dict[tuple[int, int], Sequence[int]]:
        """The places of each pair's matches, the lower number first; void matches do not count."""
        found: defaultdict[tuple[int, int], array[int]] = defaultdict(lambda: array("I"))
        for place, match in enumerate(self.matches):
            if match.result is not None and not match.result.void:
                for pair in combinations(sorted(match.seats), 2):
                    found[pair].append(place)
        return dict(found)

    @cached_property
    def setup(self) -> Setup:
        """The tournament as its format sees it, results apart."""
        return setup_of(self.tournament.plan, self.tournament.seed, self.entrants)

    @cached_property
    def schedule(self) -> History:
        """All rows and results as the tournament's format sees them: values of all matches."""
        return History(tuple(row for _, row in self.rows), tuple(self.results))

    @cached_property
    def settings(self) -> Settings:
        """The settings of TrueSkill that the report rates with."""
        return Settings(draw_probability=self.draw_probability)

    @cached_property
    def counts(self) -> Counts:
        """The counts of all matches, from which the ratings come."""
        numbers = [entrant.number for entrant in self.entrants]
        shared = self.tournament.plan.mirrored_dice
        return Counts.of_ordered(self.results, numbers, self.tournament.seats, shared_dice=shared)

    @cached_property
    def batch(self) -> Batch:
        """The ratings of all matches in one fit."""
        return rate(self.counts, look=self.look)

    @property
    def ended(self) -> bool:
        """Whether all rounds are paired and all their matches played."""
        return self.tournament.complete and self.progress.done == self.progress.rows

    @cached_property
    def look(self) -> Look | None:
        """What makes its intervals hold at every look, or None once it has ended as planned."""
        return look_now(self.tournament, self.entrants, self.progress)

    @property
    def intervals(self) -> str:
        """The name of the kind of its intervals."""
        return FIXED if self.look is None else EVERY_LOOK

    @cached_property
    def meetings(self) -> dict[tuple[int, int], Meeting]:
        """What the fit leads one to expect of each pair that met, either way round."""
        found = {}
        for pair in self.batch.pairs:
            if pair.games and pair.z is not None:
                share = pair.expected / pair.games
                found[pair.a, pair.b] = Meeting(share, pair.z)
                found[pair.b, pair.a] = Meeting(1 - share, -pair.z)
        return found

    @cached_property
    def history(self) -> tuple[tuple[int, Pool], ...]:
        """The pool after each round."""
        numbers = [entrant.number for entrant in self.entrants]
        return tuple(history(self.results, numbers, self.settings))

    @cached_property
    def ratings(self) -> tuple[TrueSkillRating, ...]:
        """The TrueSkill table."""
        if self.history:
            return self.history[-1][1].table()
        return Pool.of((entrant.number for entrant in self.entrants), self.settings).table()

    @cached_property
    def labels(self) -> dict[int, EntrantLabel]:
        """The labels of all entrants by number."""
        shipped = shipped_digests()
        return {
            stored.number: _label(stored, shipped, known=self.tournament.recorded) for stored in self.entrants
        }

    @cached_property
    def seats(self) -> tuple[SeatLabel, ...]:
        """The labels of a match's seats in order."""
        names = self.game.seat_names[: self.tournament.seats] if self.game else ()
        colors = seat_colors(names)
        return tuple(
            SeatLabel(
                seat,
                text.display(names[seat - 1] if seat <= len(names) else f"Seat {seat}"),
                colors[(seat - 1) % len(colors)],
            )
            for seat in range(1, self.tournament.seats + 1)
        )

    @cached_property
    def results(self) -> Sequence[ResultRow]:
        """All results, in schedule order."""
        return View(self.matches, _result_row)


def _result_row(match: Match) -> ResultRow:
    row = match.result_row
    if row is None:
        raise ValueError(f"match {match.number} has no result")
    return row


def _label(stored: StoredEntrant, shipped: dict[str, str], *, known: bool) -> EntrantLabel:
    def shown(words: str) -> str:
        return text.display(words) if words else ""

    return EntrantLabel(
        number=stored.number,
        slug=text.slug(stored.number, stored.name),
        name=text.display(stored.name),
        bot=text.display(stored.entrant.bot),
        version=shown(stored.entrant.version),
        title=shown(stored.title),
        author=shown(stored.author),
        args=shown(" ".join(stored.entrant.args)),
        digest=stored.entrant.digest if known else "",
        provenance=provenance(stored.entrant.digest, (stored.name, stored.entrant.bot), shipped)
        if known
        else "submitted",
        broken=text.line(stored.broken),
    )


def load(repository: Repository, tournament: Tournament) -> Source:
    """Read a tournament. Details of matches are read on demand, so keep the repository open."""

    def read() -> Iterator[Match]:
        return repository.matches(tournament.id, finished=True)

    matches = Matches(tournament.id, read())

    def detail(number: int) -> Detail:
        result = matches[place_of(matches, number)].result
        if result is None or not result.digest:
            return Detail()
        damaged: list[tuple[str, str]] = []

        def part(name: str, read: Callable[[int, int], T]) -> T | None:
            try:
                return read(tournament.id, number)
            except StoreDamaged as error:
                damaged.append((name, str(error)))
                return None

        return Detail(
            part("record", repository.record),
            part("log", repository.log) or (),
            part("measurements", repository.measured) or {},
            tuple(damaged),
        )

    return Source(
        tournament=tournament,
        entrants=repository.entrants(tournament.id),
        progress=repository.progress(tournament.id),
        standings=compute_standings(repository, tournament.id),
        pairs=repository.pair_totals(tournament.id),
        matches=matches,
        read=read,
        detail=detail,
        parts=lambda numbers: repository.parts(tournament.id, numbers),
        draw_probability=draw_probability_of(repository, tournament),
        seat_totals=repository.standings_totals(tournament.id).by_seat,
        root=compute_root(repository, tournament),
        presentation=repository.presentation(tournament.id),
        overloaded=repository.overloaded_matches(tournament.id, STRETCHED),
        overload=repository.overload(tournament.id),
        pending=repository.pending(tournament.id),
    )
