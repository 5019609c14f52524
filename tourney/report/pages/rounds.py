"""The pages of rounds: one a round with its pairings, and one with every bot's way through all."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from tourney.report import display
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import Chip
from tourney.report.source import ReportSource
from tourney.results.columns import decimal
from tourney.results.rounds import Pairing, Ranking, Round, float_of, rankings
from tourney.results.standings import Standing
from tourney.results.tables import DataTable
from tourney.schedule.row import ResultRow, units_of_win

FULL_CELLS = 4000
"""Cells of the progress table up to which each names its opponents."""


class ProgressCell(NamedTuple):
    """A bot's round in the progress table.

    ``rank`` and ``points`` hold after the round; ``opponents`` has the opponents' places in the standings
    and the score against them; ``style`` is the outcome, or ``table``, ``idle`` or ``absent``.
    """

    style: str
    rank: int
    points: str
    opponents: str
    said: str


class Progress(NamedTuple):
    """The rounds, and every bot's way through them; ``full``: the cells name the opponents."""

    rounds: tuple[Round, ...]
    lines: list[tuple[Standing, list[ProgressCell]]]
    full: bool
    download: DataTable


class Rounds(NamedTuple):
    """Summaries of the rounds, with the ranking before each and after the last; () without rankings."""

    rounds: tuple[Round, ...]
    ranked: tuple[Ranking, ...]


def round_path(number: int) -> str:
    """The path of a round's page in the site."""
    return f"round-{number}.html"


def has_rounds(source: ReportSource) -> bool:
    """Whether a tournament's rounds have pages."""
    return source.format.rounds_shown != "no" and source.progress.rows > 0


def has_progress(source: ReportSource) -> bool:
    """Whether a tournament has a page with the ranking after each round."""
    return has_rounds(source) and source.format.rounds_shown == "ranked"


def rounds(make: Renderer) -> Rounds:
    """The rounds of the renderer's tournament."""
    source = make.source
    summaries = tuple(round_.summary() for round_ in source.rounds())
    if not has_progress(source):
        return Rounds(summaries, ())
    return Rounds(summaries, tuple(rankings(source.format, source.setup, source.rows, source.results)))


def files(make: Renderer) -> Iterator[File]:
    """Yield the pages of all rounds, and the page of the progress."""
    if has_progress(make.source):
        shown = make.once(progress)
        yield make.page("rounds.html", "rounds.html", progress=shown)
        yield from make.tables("data/progress", shown.download)
    yield from round_files(make)


def round_files(make: Renderer) -> Iterator[File]:
    """Yield the pages of all rounds.

    ``previous`` and ``following``: the neighbors' numbers, or 0. ``word``: the format's word for a round.
    ``floating``: whether bots can float; ``floats``: the bots that do. ``idle``: the bots without a table,
    each with the reason.
    """
    source = make.source
    summaries = make.once(rounds)
    plan = source.tournament.plan
    batch = source.format.rounds_shown == "batches"
    floating = source.format.pairs_by_score and plan.seats == 2
    numbers = [0, *(round_.number for round_ in summaries.rounds), 0]
    for at, round_ in enumerate(source.rounds()):
        before, after = (summaries.ranked[at], summaries.ranked[at + 1]) if summaries.ranked else ({}, {})
        pairs = [(pairing, number) for pairing in round_.pairings for number in pairing.entrants]
        yield make.page(
            round_path(round_.number),
            "round.html",
            round=round_,
            word="Batch" if batch else "Round",
            before=before,
            after=after,
            score=partial(score_text, seats=plan.seats, score=source.setup.score),
            floating=floating,
            floats={number: float_of(before, pairing, number) for pairing, number in pairs if floating},
            chips={
                pairing.table: tuple(chips(make, pairing.results, pairing.entrants))
                for pairing in round_.pairings
            },
            idle=() if batch else tuple(_without_table(source, round_, before, after)),
            previous=numbers[at],
            following=numbers[at + 2],
            parent=("adaptive.html", "Intervals") if batch else ("rounds.html", "All rounds"),
        )


def _without_table(
    source: ReportSource, round_: Round, before: Ranking, after: Ranking
) -> Iterator[tuple[int, str]]:
    for number in round_.idle:
        yield number, _why_idle(before, after, number, source.tournament.seats)
    for number in round_.absent:
        joined = source.entrants[number].joined
        yield number, f"joined in round {joined}" if joined > round_.number else "withdrawn"


def _why_idle(before: Ranking, after: Ranking, number: int, seats: int) -> str:
    # A bye's worth depends on the format and the settings, so it is read off the ranking.
    award = after[number].awarded - before[number].awarded if number in after else Fraction(0)
    if award:
        return f"bye, worth {decimal(award, 2)} {'point' if award == 1 else 'points'}"
    return "bye" if seats == 2 else "rests"


def score_text(units: int, seats: int, score: str | None = None) -> str:
    """A score in units of a match as printed; ``score``: what a match gives."""
    return display.points(Fraction(units, units_of_win(seats, score)), seats)


def chips(make: Renderer, results: Sequence[ResultRow], order: Sequence[int]) -> Iterator[Chip]:
    """Yield the played matches of a pairing as seen by the first entrant of ``order``.

    With two seats the result is its score, with more the ranks of all in this order.
    """
    first = order[0]
    name = display.isolated(make.source.labels[first].name)
    for result in results:
        line = make.line_of(result.number)
        rank_of = dict(zip(result.entrants, result.ranks, strict=True))
        if result.void:
            yield Chip(line.href, display.MISSING, "draw", True, f"match {result.number}: void")
            continue
        ahead = [rank_of[opponent] - rank_of[first] for opponent in order[1:]]
        outcome = "win" if min(ahead) > 0 else "draw" if min(ahead) == 0 else "loss"
        short = {"win": "1", "draw": "\N{VULGAR FRACTION ONE HALF}", "loss": "0"}[outcome]
        if len(order) > 2:
            short = "\N{NON-BREAKING HYPHEN}".join(str(rank_of[number]) for number in order)
        words = f"match {result.number}: {outcome} of {name}, {line.reason}"
        yield Chip(line.href, short, outcome, any(result.faults), words)


class _Turn(NamedTuple):
    """A bot's part in a round: its pairing (None without a table), and the rankings around the round."""

    source: ReportSource
    number: int
    round: Round
    pairing: Pairing | None
    before: Ranking
    after: Ranking

    @property
    def opponents(self) -> list[int]:
        return (
            [entrant for entrant in self.pairing.entrants if entrant != self.number] if self.pairing else []
        )

    @property
    def units(self) -> int | None:
        """The score, None before the first result and without a table."""
        if self.pairing is None or not self.pairing.counted:
            return None
        return self.pairing.units[self.pairing.entrants.index(self.number)]

    def row(self) -> tuple[object, ...]:
        """The row of the download."""
        source = self.source
        pairing = self.pairing
        place = self.after[self.number]
        score = (
            None
            if self.units is None
            else self.units / units_of_win(source.tournament.seats, source.setup.score)
        )
        floats = (
            float_of(self.before, pairing, self.number) if pairing and source.format.pairs_by_score else ""
        )
        return (
            *(self.round.number, source.entrants[self.number].name),
            *(place.rank, float(round(place.points, 4))),
            *((pairing.table, pairing.entrants.index(self.number) + 1) if pairing else (None, None)),
            *(" ".join(source.entrants[opponent].name for opponent in self.opponents), score, floats),
        )

    def cell(self, ranks: Mapping[int, int], *, full: bool) -> ProgressCell:
        """The cell of the table; ``ranks`` are the places in the standings, ``full`` names the opponents."""
        seats = self.source.tournament.seats
        place = self.after[self.number]
        pairing = self.pairing
        points = display.points(place.points, seats)
        if pairing is None and self.number not in self.round.idle:
            if self.round.number < self.source.entrants[self.number].joined:
                return ProgressCell("absent", 0, "", "", "not yet joined")
            return ProgressCell("absent", place.rank, points, "", "absent")
        if pairing is None:
            why = _why_idle(self.before, self.after, self.number, seats)
            return ProgressCell("idle", place.rank, points, "bye" if full else "", why)
        score = ""
        style = "table"
        if self.units is not None:
            match_score = self.source.setup.score
            score = score_text(self.units, seats, match_score)
            whole = pairing.counted * units_of_win(seats, match_score)
            even = whole / (2 if match_score is None else seats)
            style = "win" if self.units > even else "loss" if self.units < even else "draw"
        names = ", ".join(display.isolated(self.source.labels[opponent].name) for opponent in self.opponents)
        opponents = f"{score} v {', '.join(str(ranks[opponent]) for opponent in self.opponents)}".strip()
        words = f"{score or 'no result yet'} against {names}"
        return ProgressCell(style, place.rank, points, opponents if full else "", words)


def progress(make: Renderer) -> Progress:
    """Every bot's place, points and opponents after each round."""
    source = make.source
    summaries = make.once(rounds)
    ranks = {line.number: line.rank for line in source.standings}
    full = len(ranks) * len(summaries.rounds) <= FULL_CELLS
    tables = [
        {number: pairing for pairing in round_.pairings for number in pairing.entrants}
        for round_ in summaries.rounds
    ]
    lines: list[tuple[Standing, list[ProgressCell]]] = []
    rows: list[tuple[object, ...]] = []
    for line in source.standings:
        turns = [
            _Turn(source, line.number, round_, pairings.get(line.number), before, after)
            for round_, pairings, (before, after) in zip(
                summaries.rounds, tables, pairwise(summaries.ranked), strict=True
            )
        ]
        rows += (turn.row() for turn in turns)
        lines.append((line, [turn.cell(ranks, full=full) for turn in turns]))
    table = DataTable.of("round name rank points table place opponents score float", rows)
    return Progress(summaries.rounds, lines, full, table)
