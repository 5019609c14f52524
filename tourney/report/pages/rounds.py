"""The pages of rounds: a page a round with its pairings, and one with every bot's way through all rounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tourney.report import text
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.listing import Chip, MatchLine
from tourney.report.setting import EntrantLabel
from tourney.report.source import Source
from tourney.results.columns import decimal
from tourney.results.rounds import (
    Game,
    Pairing,
    Ranking,
    Round,
    float_of,
    rankings,
    rankings_by_totals,
    rounds_of,
)
from tourney.results.tables import DataTable
from tourney.schedule.row import units_of_win

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
    """The context of a round's page; ``before`` and ``after`` are the numbers of its neighbors, or 0.

    ``floats``: whether bots can float. ``word`` is what the format calls a round.
    """

    number: int
    word: str
    state: str
    lines: tuple[PairingLine, ...]
    idle: tuple[IdleLine, ...]
    absent: tuple[IdleLine, ...]
    places: tuple[PlaceLine, ...]
    ranked: bool
    floats: bool
    previous: int
    following: int
    parent: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Step:
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
    steps: tuple[Step, ...]


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
    """Return the path of a round's page in the site."""
    return f"round-{number}.html"


def has_rounds(source: Source) -> bool:
    """Return whether a tournament's rounds have pages."""
    return source.tournament.plan.format not in WITHOUT and source.progress.rows > 0


def has_progress(source: Source) -> bool:
    """Return whether a tournament has a page with the ranking after each round."""
    return has_rounds(source) and source.tournament.plan.format not in UNRANKED


def rounds(make: Renderer) -> Rounds:
    """Return the rounds of the renderer's tournament."""
    source = make.source
    found = tuple(round_.summary() for round_ in rounds_of(source.setup, source.rows, source.results))
    return Rounds(found, tuple(_rankings(source)) if has_progress(source) else ())


def _rankings(source: Source) -> Iterator[Ranking]:
    if source.format.ranks:
        return rankings(source.format, source.setup, source.schedule)
    return rankings_by_totals(source.format, source.setup, source.progress.rounds, source.results)


def progress_of(make: Renderer) -> Progress:
    """Return the progress of the renderer's tournament."""
    return progress(make.source, make.once(rounds))


def files(make: Renderer) -> Iterator[File]:
    """Yield the pages of all rounds, and the page of the progress."""
    if has_progress(make.source):
        shown = make.once(progress_of)
        yield make.page(PATH, "rounds.html", progress=shown)
        yield from make.tables("data/progress", shown.download)
    for page in round_pages(make.source, make.once(rounds), make.line_of):
        yield make.page(round_path(page.number), "round.html", round=page)


def round_pages(source: Source, found: Rounds, lines: Mapping[int, MatchLine]) -> Iterator[RoundPage]:
    """Yield the pages of all rounds; ``lines`` are the finished matches by number."""
    seats = source.tournament.seats
    swiss = source.tournament.plan.format == "swiss"
    batch = source.tournament.plan.format in UNRANKED
    numbers = [round_.number for round_ in found.rounds]
    for at, round_ in enumerate(rounds_of(source.setup, source.rows, source.results)):
        before, after = (found.ranked[at], found.ranked[at + 1]) if found.ranked else ({}, {})
        done = round_.games - round_.left
        state = f"{done:,} of {text.count(round_.games, 'match', 'matches')} played"
        yield RoundPage(
            number=round_.number,
            word="Batch" if batch else "Round",
            state=state if round_.left else f"{text.count(round_.games, 'match', 'matches')}, all played",
            lines=tuple(
                _pairing_line(source, pairing, before, lines, floats=swiss and seats == 2)
                for pairing in round_.pairings
            ),
            idle=tuple(
                IdleLine(source.labels[n], _points(before, n, seats), _why_idle(before, after, n, seats))
                for n in round_.idle
            )
            if not batch
            else (),
            absent=tuple(
                IdleLine(source.labels[n], _points(before, n, seats), _why_absent(source, n, round_.number))
                for n in round_.absent
            )
            if not batch
            else (),
            places=tuple(
                PlaceLine(
                    source.labels[n],
                    line.rank,
                    text.points(line.points, seats),
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
    return text.points(before[number].points, seats) if number in before else ""


def _why_idle(before: Ranking, after: Ranking, number: int, seats: int) -> str:
    award = after[number].awarded - before[number].awarded if number in after else Fraction(0)
    if award:
        return f"bye, worth {decimal(award, 2)} {'point' if award == 1 else 'points'}"
    return "bye" if seats == 2 else "rests"


def _why_absent(source: Source, number: int, round_: int) -> str:
    joined = source.entrants[number].joined
    return f"joined in round {joined}" if joined > round_ else "withdrawn"


def _pairing_line(
    source: Source, pairing: Pairing, before: Ranking, lines: Mapping[int, MatchLine], *, floats: bool
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
        chips=tuple(chips(source, pairing.games, pairing.entrants, lines)),
        left=pairing.left,
    )


def score_text(units: int, seats: int) -> str:
    """Return a score in units of a match as printed."""
    return text.points(Fraction(units, units_of_win(seats)), seats)


def chips(
    source: Source, games: Sequence[Game], order: Sequence[int], lines: Mapping[int, MatchLine]
) -> Iterator[Chip]:
    """Yield the played matches of a pairing as seen by the first entrant of ``order``.

    With two seats the result is its score, with more the ranks of all in this order.
    """
    first = order[0]
    name = text.isolated(source.labels[first].name)
    for game in games:
        result = game.result
        if result is None:
            continue
        line = lines[game.number]
        rank_of = dict(zip(result.entrants, result.ranks, strict=True))
        if result.void:
            yield Chip(line.href, text.MISSING, "draw", True, f"match {game.number}: void")
            continue
        ahead = [rank_of[other] - rank_of[first] for other in order[1:]]
        outcome = "win" if min(ahead) > 0 else "draw" if min(ahead) == 0 else "loss"
        short = {"win": "1", "draw": "\N{VULGAR FRACTION ONE HALF}", "loss": "0"}[outcome]
        if len(order) > 2:
            short = "\N{NON-BREAKING HYPHEN}".join(str(rank_of[number]) for number in order)
        said = f"match {game.number}: {outcome} of {name}, {line.reason}"
        yield Chip(line.href, short, outcome, any(result.faults), said)


def progress(source: Source, found: Rounds) -> Progress:
    """Return every bot's place, points and opponents after each round."""
    seats = source.tournament.seats
    final = {line.number: line for line in source.standings}
    full = len(final) * len(found.rounds) <= FULL_CELLS
    tables = [
        {number: pairing for pairing in round_.pairings for number in pairing.entrants}
        for round_ in found.rounds
    ]
    lines, rows = [], []
    for line in source.standings:
        number, steps = line.number, []
        for at, (round_, (before, after)) in enumerate(
            zip(found.rounds, pairwise(found.ranked), strict=True)
        ):
            place, pairing = after[number], tables[at].get(number)
            points = text.points(place.points, seats)
            kind = "table" if pairing else "idle" if number in round_.idle else "absent"
            row = {
                "round": round_.number,
                "name": line.name,
                "rank": place.rank,
                "points": float(round(place.points, 4)),
                "table": pairing.table if pairing else None,
                "place": pairing.entrants.index(number) + 1 if pairing else None,
                "opponents": "",
                "score": None,
                "float": "",
            }
            opponents, said, outcome = "", "", ""
            if pairing is None:
                said = _why_idle(before, after, number, seats) if kind == "idle" else "absent"
                opponents = "bye" if kind == "idle" else ""
            else:
                units = pairing.units[pairing.entrants.index(number)]
                others = [other for other in pairing.entrants if other != number]
                score = score_text(units, seats) if pairing.counted else ""
                names = ", ".join(text.isolated(source.labels[other].name) for other in others)
                said = f"{score or 'no result yet'} against {names}"
                opponents = f"{score} v {', '.join(str(final[other].rank) for other in others)}".strip()
                half = pairing.counted * units_of_win(seats)
                if pairing.counted:
                    outcome = "win" if 2 * units > half else "loss" if 2 * units < half else "draw"
                row |= {
                    "opponents": " ".join(source.entrants[other].name for other in others),
                    "score": float(Fraction(units, units_of_win(seats))) if pairing.counted else None,
                    "float": float_of(before, pairing, number) if source.format.name == "swiss" else "",
                }
            rows.append(row)
            if kind == "absent" and round_.number < source.entrants[number].joined:
                steps.append(Step(kind, 0, "", "", "not yet joined", 0, ""))
                continue
            table = pairing.table if pairing else 0
            steps.append(Step(kind, place.rank, points, opponents if full else "", said, table, outcome))
        lines.append(
            ProgressLine(source.labels[number], line.rank, text.points(line.points, seats), tuple(steps))
        )
    listed = tuple(RoundLine(r.number, len(r.pairings), r.games, r.left) for r in found.rounds)
    columns = ("round", "name", "rank", "points", "table", "place", "opponents", "score", "float")
    return Progress(listed, tuple(lines), full, DataTable(columns, rows))
