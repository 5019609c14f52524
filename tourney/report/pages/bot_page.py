"""A bot's page: its results by opponent and seat, its rating by round, and its faults."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from markupsafe import Markup

from tourney.report import display
from tourney.report.compact_matches import LazySequence
from tourney.report.display import EntrantLabel
from tourney.report.output.rendering import Renderer
from tourney.report.pages.history_page import SHOWN, bot_chart, cell_of, histories, sampled
from tourney.report.pages.match_lines import Chip, ListedMatch
from tourney.report.pages.overview_page import SeatScore, StandingLine, seat_lines
from tourney.report.source import ReportSource
from tourney.results.tables import DataTable
from tourney.results.texts import overload_text
from tourney.store.totals import OverloadTotals
from tourney.store.values import TournamentMatch

CHIPS = 400
"""Matches against one opponent that a page links to; the list of matches has them all."""

SURPRISES = 3
"""Best wins and worst losses that a page names."""

COUNTS = ("games", "points", "wins", "draws", "losses")


class Met(NamedTuple):
    """A meeting with an opponent: the match, half points (2, 1 or 0), and both bots' faults."""

    match: int
    half: int
    fault: str
    opponent_fault: str


@dataclass(frozen=True, slots=True)
class OpponentLine:
    """The results against an opponent; ``more`` counts the matches that are not among the chips.

    ``page`` is the path of the pair's page, or "".
    """

    entrant: EntrantLabel
    page: str
    games: int
    points: str
    percent: str
    expected: str
    wins: int
    draws: int
    losses: int
    chips: tuple[Chip, ...]
    more: int


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """A bot's ratings by round: two charts, each None where there is none, and the table of both.

    ``rounds`` are (round, TrueSkill, Elo), ratings with their intervals as printed; Elo may be None.
    """

    skill: Markup | None
    elo: Markup | None
    rounds: tuple[tuple[int, tuple[str, str], tuple[str, str] | None], ...]


@dataclass(frozen=True, slots=True)
class BotPage:
    """The page's template context; ``faults`` are the matches in which the bot had a fault, with its kind.

    ``best`` are wins against the strongest opponents, ``worst`` losses against the weakest.
    """

    entrant: EntrantLabel
    line: StandingLine
    opponents: tuple[OpponentLine, ...]
    seats: tuple[SeatScore, ...]
    history: RatingHistory
    best: tuple[tuple[ListedMatch, EntrantLabel], ...]
    worst: tuple[tuple[ListedMatch, EntrantLabel], ...]
    faults: tuple[tuple[ListedMatch, str], ...]
    overload: str
    downloads: dict[str, DataTable]


def bot_pages(
    make: Renderer, standings: tuple[StandingLine, ...], pairs: Mapping[tuple[int, int], str]
) -> Iterator[BotPage]:
    """Yield the bots' pages in the order of the standings; ``pairs`` are the paths of the pairs' pages."""
    source, matches = make.source, make.line_of
    met, faulty = meetings(source), faults(source)
    for standing in standings:
        number = standing.entrant.number
        opponents = tuple(
            _opponent_line(
                source,
                number,
                source.labels[other.number],
                met[number, other.number],
                matches,
                pairs.get((number, other.number), ""),
            )
            for other in source.standings
            if (number, other.number) in met
        )
        seats = seat_lines(source, number)
        mine = {line.entrant.number: met[number, line.entrant.number] for line in opponents}
        best, worst = _surprises(source, mine)
        yield BotPage(
            entrant=standing.entrant,
            line=standing,
            opponents=opponents,
            seats=seats,
            history=_history(make, number),
            best=tuple((matches[match], source.labels[other]) for match, other in best),
            worst=tuple((matches[match], source.labels[other]) for match, other in worst),
            overload=overload_text(source.overload[1].get(number, OverloadTotals())) if make.measured else "",
            faults=tuple((matches[match], kind) for match, kind in faulty.get(number, ())),
            downloads={
                "opponents": _opponents_table(source, opponents),
                "seats": _seats_table(seats),
            },
        )


def _surprises(
    source: ReportSource, met: Mapping[int, Sequence[Met]]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The wins against the strongest and the losses against the weakest opponents: (match, opponent).

    The first match against each opponent is enough.
    """
    elo = {line.entrant: line.elo for line in source.batch.ratings}
    found: dict[int, list[tuple[float, int, int]]] = {2: [], 0: []}
    for opponent, rows in met.items():
        for half, some in found.items():
            match = next((row.match for row in rows if row.half == half), None)
            if match is not None:
                some.append(((1 - half) * elo[opponent], match, opponent))
    best, worst = ([(match, other) for _, match, other in sorted(found[half])[:SURPRISES]] for half in (2, 0))
    return best, worst


def meetings(source: ReportSource) -> dict[tuple[int, int], Sequence[Met]]:
    """What each bot met, by itself and its opponent; void matches do not count."""
    found: dict[tuple[int, int], Sequence[Met]] = {}
    for (a, b), places in source.met.items():
        found[a, b] = LazySequence(source.matches, partial(_met, a, b), places)
        found[b, a] = LazySequence(source.matches, partial(_met, b, a), places)
    return found


def _met(entrant: int, opponent: int, match: TournamentMatch) -> Met:
    result, seat, other = match.result, match.seats.index(entrant), match.seats.index(opponent)
    if result is None:
        raise ValueError(f"match {match.number} has no result")
    half = 2 * (result.ranks[seat] < result.ranks[other]) + (result.ranks[seat] == result.ranks[other])
    return Met(match.number, half, result.faults[seat] or "", result.faults[other] or "")


def faults(source: ReportSource) -> dict[int, list[tuple[int, str]]]:
    """The matches in which each bot had a fault, with its kind."""
    found: dict[int, list[tuple[int, str]]] = {}
    for match in source.matches:
        for entrant, kind in zip(match.seats, match.result.faults, strict=True) if match.result else ():
            if kind is not None:
                found.setdefault(entrant, []).append((match.number, kind))
    return found


def _opponent_line(
    source: ReportSource,
    number: int,
    opponent: EntrantLabel,
    rows: Sequence[Met],
    matches: Mapping[int, ListedMatch],
    page: str,
) -> OpponentLine:
    halves = bytes(row.half for row in rows)
    games = len(halves)
    chips = tuple(
        _chip(matches[row.match], row.half, row.fault, row.opponent_fault, opponent) for row in rows[:CHIPS]
    )
    return OpponentLine(
        entrant=opponent,
        page=page,
        games=games,
        points=display.decimal(Fraction(sum(halves), 2), 1),
        percent=display.percent(Fraction(sum(halves), 2 * games)),
        expected=display.number(100 * source.meetings[number, opponent.number].expected, 1),
        wins=halves.count(2),
        draws=halves.count(1),
        losses=halves.count(0),
        chips=chips,
        more=max(0, games - CHIPS),
    )


def _chip(match: ListedMatch, half: int, fault: str, theirs: str, opponent: EntrantLabel) -> Chip:
    outcome = ("loss", "draw", "win")[half]
    said = f"match {match.number}: {outcome} against {display.isolated(opponent.name)}, {match.reason}"
    said += f", own {fault}" if fault else f", opponent's {theirs}" if theirs else ""
    result = ("0", "\N{VULGAR FRACTION ONE HALF}", "1")[half]
    return Chip(match.href, result, outcome, bool(fault or theirs), said)


def _history(make: Renderer, number: int) -> RatingHistory:
    found = make.once(histories)
    elo = dict(found.elo)
    rounds = sampled(found.skill, SHOWN)
    last = found.skill[-1]
    first_mu, last_mu = found.skill[0][1][number][0], last[1][number][0]
    said = f"mu from {display.number(first_mu, 1)} to {display.number(last_mu, 1)}"
    return RatingHistory(
        skill=bot_chart(found.skill, number, "mu", f"{said} after round {last[0]}"),
        elo=bot_chart(found.elo, number, "Elo", "Elo by the matches up to each round"),
        rounds=tuple(
            (
                round_,
                cell_of(values[number]),
                cell_of(elo[round_][number]) if number in elo.get(round_, {}) else None,
            )
            for round_, values in rounds
        ),
    )


def _opponents_table(source: ReportSource, lines: tuple[OpponentLine, ...]) -> DataTable:
    rows = [
        {name: getattr(line, name) for name in COUNTS}
        | {
            "opponent": source.entrants[line.entrant.number].name,
            "points": float(line.points),
            "expected_percent": float(line.expected),
        }
        for line in lines
    ]
    return DataTable(("opponent", *COUNTS, "expected_percent"), rows)


def _seats_table(lines: tuple[SeatScore, ...]) -> DataTable:
    rows = [
        {name: getattr(line.totals, name) for name in COUNTS if name != "points"}
        | {"seat": line.seat.number, "name": line.seat.name, "points": float(line.points)}
        for line in lines
    ]
    return DataTable(("seat", "name", *COUNTS), rows)
