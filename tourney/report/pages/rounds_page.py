"""The pages of rounds: a page a round with its pairings, and one with every bot's way through all rounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tourney.report import display
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import Chip, ListedMatch
from tourney.report.source import ReportSource
from tourney.results.columns import decimal
from tourney.results.rounds import (
    Pairing,
    Ranking,
    Round,
    float_of,
    rankings,
    rankings_by_totals,
    rounds_of,
)
from tourney.results.tables import DataTable
from tourney.schedule.row import ResultRow, units_of_win

PATH = "rounds.html"

WITHOUT = frozenset(("compare", "gate", "import", "knockout", "ladder", "results"))
"""Formats without pages of rounds: their rounds say nothing, or the bracket says it better."""
UNRANKED = frozenset(("adaptive",))
"""Formats whose rounds are many small batches: no ranking after each of them."""
FULL_CELLS = 4000
"""Cells of the progress table up to which each names its opponents."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A bot of a pairing: its points before the round, its score in it, and how it floats, as printed."""

    entrant: EntrantLabel
    before: str
    score: str
    best: bool
    floats: str


@dataclass(frozen=True, slots=True)
class PairingLine:
    """A pairing; ``left`` counts its matches still to play."""

    table: int
    bots: tuple[Paired, ...]
    chips: tuple[Chip, ...]
    left: int


@dataclass(frozen=True, slots=True)
class IdleLine:
    """A bot without a table, its points before the round, and why it had none."""

    entrant: EntrantLabel
    before: str
    why: str


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """A bot's place after the round, its points, and how many places it moved (up is positive)."""

    entrant: EntrantLabel
    rank: int
    points: str
    moved: int | None


@dataclass(frozen=True, slots=True)
class RoundPage:
    """The context of a round's page; ``previous`` and ``following`` are its neighbors' numbers, or 0.

    ``without`` are the bots without a table. ``floats``: whether bots can float. ``word`` is what the format
    calls a round.
    """

    number: int
    word: str
    state: str
    lines: tuple[PairingLine, ...]
    without: tuple[IdleLine, ...]
    places: tuple[PlaceLine, ...]
    ranked: bool
    floats: bool
    previous: int
    following: int
    parent: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ProgressCell:
    """A bot's round in the progress table.

    ``rank`` and ``points`` are those after the round; ``opponents`` their places in the standings, with the
    score against them; ``kind`` is ``table``, ``idle`` or ``absent``.
    """

    kind: str
    rank: int
    points: str
    opponents: str
    said: str
    table: int
    outcome: str


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """A bot's way through the rounds."""

    entrant: EntrantLabel
    rank: int
    points: str
    steps: tuple[ProgressCell, ...]


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round in the list of rounds."""

    number: int
    pairings: int
    games: int
    left: int


@dataclass(frozen=True, slots=True)
class Progress:
    """The context of the page of all rounds; ``full``: the cells name the opponents."""

    rounds: tuple[RoundLine, ...]
    lines: tuple[ProgressLine, ...]
    full: bool
    download: DataTable


@dataclass(frozen=True, slots=True)
class Rounds:
    """Summaries of the rounds, with the ranking before each and after the last; () where unranked."""

    rounds: tuple[Round, ...]
    ranked: tuple[Ranking, ...]


def round_path(number: int) -> str:
    """The path of a round's page in the site."""
    return f"round-{number}.html"


def has_rounds(source: ReportSource) -> bool:
    """Whether a tournament's rounds have pages."""
    return source.tournament.plan.format not in WITHOUT and source.progress.rows > 0


def has_progress(source: ReportSource) -> bool:
    """Whether a tournament has a page with the ranking after each round."""
    return has_rounds(source) and source.tournament.plan.format not in UNRANKED


def rounds(make: Renderer) -> Rounds:
    """The rounds of the renderer's tournament."""
    source = make.source
    found = tuple(round_.summary() for round_ in rounds_of(source.setup, source.rows, source.results))
    return Rounds(found, tuple(_rankings(source)) if has_progress(source) else ())


def _rankings(source: ReportSource) -> Iterator[Ranking]:
    if source.format.ranks:
        return rankings(source.format, source.setup, source.schedule)
    return rankings_by_totals(source.format, source.setup, source.progress.rounds, source.results)


def files(make: Renderer) -> Iterator[File]:
    """Yield the pages of all rounds, and the page of the progress."""
    if has_progress(make.source):
        shown = make.once(progress)
        yield make.page(PATH, "rounds.html", progress=shown)
        yield from make.tables("data/progress", shown.download)
    for page in round_pages(make.source, make.once(rounds), make.line_of):
        yield make.page(round_path(page.number), "round.html", round=page)


def round_pages(source: ReportSource, found: Rounds, lines: Mapping[int, ListedMatch]) -> Iterator[RoundPage]:
    """Yield the pages of all rounds; ``lines`` are the finished matches by number."""
    seats = source.tournament.seats
    swiss = source.tournament.plan.format == "swiss"
    batch = source.tournament.plan.format in UNRANKED
    numbers = [round_.number for round_ in found.rounds]
    for at, round_ in enumerate(rounds_of(source.setup, source.rows, source.results)):
        before, after = (found.ranked[at], found.ranked[at + 1]) if found.ranked else ({}, {})
        games = display.count(round_.games, "match", "matches")
        yield RoundPage(
            number=round_.number,
            word="Batch" if batch else "Round",
            state=f"{round_.games - round_.left:,} of {games} played"
            if round_.left
            else f"{games}, all played",
            lines=tuple(
                _pairing_line(source, pairing, before, lines, floats=swiss and seats == 2)
                for pairing in round_.pairings
            ),
            without=() if batch else tuple(_without_table(source, round_, before, after)),
            places=tuple(
                PlaceLine(
                    source.labels[n],
                    line.rank,
                    display.points(line.points, seats),
                    before[n].rank - line.rank if at else None,
                )
                for n, line in after.items()
            ),
            ranked=bool(found.ranked),
            floats=swiss and seats == 2,
            previous=numbers[at - 1] if at else 0,
            following=numbers[at + 1] if at + 1 < len(numbers) else 0,
            parent=("adaptive.html", "Intervals") if batch else (PATH, "All rounds"),
        )


def _points(before: Ranking, number: int, seats: int) -> str:
    return display.points(before[number].points, seats) if number in before else ""


def _without_table(
    source: ReportSource, round_: Round, before: Ranking, after: Ranking
) -> Iterator[IdleLine]:
    seats = source.tournament.seats
    why = {number: _why_idle(before, after, number, seats) for number in round_.idle}
    for number in round_.absent:
        joined = source.entrants[number].joined
        why[number] = f"joined in round {joined}" if joined > round_.number else "withdrawn"
    for number, words in why.items():
        yield IdleLine(source.labels[number], _points(before, number, seats), words)


def _why_idle(before: Ranking, after: Ranking, number: int, seats: int) -> str:
    award = after[number].awarded - before[number].awarded if number in after else Fraction(0)
    if award:
        return f"bye, worth {decimal(award, 2)} {'point' if award == 1 else 'points'}"
    return "bye" if seats == 2 else "rests"


def _pairing_line(
    source: ReportSource, pairing: Pairing, before: Ranking, lines: Mapping[int, ListedMatch], *, floats: bool
) -> PairingLine:
    seats = source.tournament.seats
    top = max(pairing.units) if pairing.counted else None
    alone = pairing.units.count(top) == 1 if top is not None else False
    return PairingLine(
        table=pairing.table,
        bots=tuple(
            Paired(
                source.labels[number],
                _points(before, number, seats),
                score_text(units, seats) if pairing.counted else "",
                alone and units == top and not pairing.left,
                float_of(before, pairing, number) if floats else "",
            )
            for number, units in zip(pairing.entrants, pairing.units, strict=True)
        ),
        chips=tuple(chips(source, pairing.results, pairing.entrants, lines)),
        left=pairing.left,
    )


def score_text(units: int, seats: int) -> str:
    """A score in units of a match as printed."""
    return display.points(Fraction(units, units_of_win(seats)), seats)


def chips(
    source: ReportSource, results: Sequence[ResultRow], order: Sequence[int], lines: Mapping[int, ListedMatch]
) -> Iterator[Chip]:
    """Yield the played matches of a pairing as seen by the first entrant of ``order``.

    With two seats the result is its score, with more the ranks of all in this order.
    """
    first = order[0]
    name = display.isolated(source.labels[first].name)
    for result in results:
        line = lines[result.number]
        rank_of = dict(zip(result.entrants, result.ranks, strict=True))
        if result.void:
            yield Chip(line.href, display.MISSING, "draw", True, f"match {result.number}: void")
            continue
        ahead = [rank_of[other] - rank_of[first] for other in order[1:]]
        outcome = "win" if min(ahead) > 0 else "draw" if min(ahead) == 0 else "loss"
        short = {"win": "1", "draw": "\N{VULGAR FRACTION ONE HALF}", "loss": "0"}[outcome]
        if len(order) > 2:
            short = "\N{NON-BREAKING HYPHEN}".join(str(rank_of[number]) for number in order)
        said = f"match {result.number}: {outcome} of {name}, {line.reason}"
        yield Chip(line.href, short, outcome, any(result.faults), said)


PROGRESS = ("round", "name", "rank", "points", "table", "place", "opponents", "score", "float")


@dataclass(frozen=True, slots=True)
class _Turn:
    """A bot's part in a round: its pairing (None without a table), and the rankings around the round."""

    source: ReportSource
    number: int
    round: Round
    pairing: Pairing | None
    before: Ranking
    after: Ranking

    @property
    def opponents(self) -> list[int]:
        return [other for other in self.pairing.entrants if other != self.number] if self.pairing else []

    @property
    def units(self) -> int | None:
        """The score, None before the first result and without a table."""
        if self.pairing is None or not self.pairing.counted:
            return None
        return self.pairing.units[self.pairing.entrants.index(self.number)]

    def row(self) -> dict[str, object]:
        """The row of the download, by the columns ``PROGRESS``."""
        source, pairing, units = self.source, self.pairing, self.units
        place = self.after[self.number]
        floats = source.format.name == "swiss"
        return {
            "round": self.round.number,
            "name": source.entrants[self.number].name,
            "rank": place.rank,
            "points": float(round(place.points, 4)),
            "table": pairing.table if pairing else None,
            "place": pairing.entrants.index(self.number) + 1 if pairing else None,
            "opponents": " ".join(source.entrants[other].name for other in self.opponents),
            "score": None if units is None else float(Fraction(units, units_of_win(source.tournament.seats))),
            "float": float_of(self.before, pairing, self.number) if pairing and floats else "",
        }

    def cell(self, ranks: Mapping[int, int], *, full: bool) -> ProgressCell:
        """The cell of the table; ``ranks`` are the places in the standings, ``full`` names the opponents."""
        seats, place = self.source.tournament.seats, self.after[self.number]
        points = display.points(place.points, seats)
        if self.pairing is None and self.number not in self.round.idle:
            if self.round.number < self.source.entrants[self.number].joined:
                return ProgressCell("absent", 0, "", "", "not yet joined", 0, "")
            return ProgressCell("absent", place.rank, points, "", "absent", 0, "")
        if self.pairing is None:
            why = _why_idle(self.before, self.after, self.number, seats)
            return ProgressCell("idle", place.rank, points, "bye" if full else "", why, 0, "")
        score, outcome = "", ""
        if self.units is not None:
            score = score_text(self.units, seats)
            half = self.pairing.counted * units_of_win(seats)
            outcome = "win" if 2 * self.units > half else "loss" if 2 * self.units < half else "draw"
        names = ", ".join(display.isolated(self.source.labels[other].name) for other in self.opponents)
        said = f"{score or 'no result yet'} against {names}"
        opponents = f"{score} v {', '.join(str(ranks[other]) for other in self.opponents)}".strip()
        return ProgressCell(
            "table", place.rank, points, opponents if full else "", said, self.pairing.table, outcome
        )


def progress(make: Renderer) -> Progress:
    """Every bot's place, points and opponents after each round."""
    source, found = make.source, make.once(rounds)
    ranks = {line.number: line.rank for line in source.standings}
    full = len(ranks) * len(found.rounds) <= FULL_CELLS
    tables = [
        {number: pairing for pairing in round_.pairings for number in pairing.entrants}
        for round_ in found.rounds
    ]
    lines: list[ProgressLine] = []
    rows: list[dict[str, object]] = []
    for line in source.standings:
        turns = [
            _Turn(source, line.number, round_, pairings.get(line.number), before, after)
            for round_, pairings, (before, after) in zip(
                found.rounds, tables, pairwise(found.ranked), strict=True
            )
        ]
        rows += (turn.row() for turn in turns)
        cells = tuple(turn.cell(ranks, full=full) for turn in turns)
        points = display.points(line.points, source.tournament.seats)
        lines.append(ProgressLine(source.labels[line.number], line.rank, points, cells))
    return Progress(round_lines(found.rounds), tuple(lines), full, DataTable(PROGRESS, rows))


def round_lines(found: Sequence[Round]) -> tuple[RoundLine, ...]:
    """The list of rounds."""
    return tuple(RoundLine(r.number, len(r.pairings), r.games, r.left) for r in found)
