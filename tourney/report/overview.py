"""The first page: conditions, standings with ratings, seats, ends and faults; and the list of tournaments."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from tourney.match.record import FAULT_KINDS
from tourney.report import plots, text
from tourney.report.downloads import DownloadTable
from tourney.report.facts import Fact, state, tournament_facts
from tourney.report.labels import entrant_labels
from tourney.report.source import Source
from tourney.report.standings import (
    FaultLine,
    SeatLine,
    StandingLine,
    elo_axis,
    fault_lines,
    faults_table,
    history_table,
    rating_axis,
    seat_lines,
    seats_table,
    standing_lines,
    standings_table,
)
from tourney.results.columns import Column, special_tie_breaks
from tourney.results.standings import ranking_rule


@dataclass(frozen=True, slots=True)
class Overview:
    """The template context of the first page. ``downloads`` are by file name without suffix.

    ``rule`` is the ranking rule in words, ``tie_breaks`` the columns of the tie-breaks to show.
    """

    facts: tuple[Fact, ...]
    state: str
    rule: str
    standings: tuple[StandingLine, ...]
    tie_breaks: tuple[Column, ...]
    axis: Markup
    skill_axis: Markup
    seats: tuple[SeatLine, ...]
    ends: tuple[tuple[str, int, str], ...]
    faults: tuple[FaultLine, ...]
    fault_kinds: tuple[str, ...]
    voids: int
    downloads: dict[str, DownloadTable]


def overview(source: Source, *, measured: bool) -> Overview:
    """Return the first page's context, with measurements only if ``measured``."""
    lines = fault_lines(source)
    return Overview(
        facts=tuple(tournament_facts(source, measured=measured)),
        state=state(source),
        rule=ranking_rule(source.format, source.tournament.seats),
        standings=standing_lines(source),
        tie_breaks=special_tie_breaks(source.format, source.tournament.seats),
        axis=plots.whisker_axis(elo_axis(source)),
        skill_axis=plots.whisker_axis(rating_axis(source)),
        seats=seat_lines(source),
        ends=ends(source),
        faults=lines,
        fault_kinds=FAULT_KINDS,
        voids=source.progress.void,
        downloads={
            "standings": standings_table(source),
            "seats": seats_table(source),
            "faults": faults_table(source),
            "history": history_table(source),
        },
    )


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament in the list of tournaments; ``first`` are the leaders of its standings."""

    href: str
    name: str
    game: str
    seats: int
    entrants: int
    state: str
    first: tuple[str, ...]
    faults: int


def tournament_row(source: Source, href: str) -> TournamentRow:
    """Return the row of a tournament."""
    known = entrant_labels(source)
    return TournamentRow(
        href=href,
        name=text.display(source.tournament.name),
        game=text.display(source.game.title if source.game else source.tournament.game),
        seats=source.tournament.seats,
        entrants=len(source.entrants),
        state=state(source),
        first=tuple(known[line.number].name for line in source.standings if line.rank == 1 and line.games),
        faults=sum(line.fault_count for line in source.standings),
    )


def ends(source: Source) -> tuple[tuple[str, int, str], ...]:
    """Return the reasons for the ends of matches, the most frequent first: (reason, count, percent)."""
    results = [match.result for match in source.matches if match.result is not None]
    counts = Counter(result.reason for result in results if not result.void)
    total = counts.total()
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((text.words(r), n, text.percent(Fraction(n, total))) for r, n in ordered)
