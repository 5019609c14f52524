"""A bot's page: its results by opponent and seat, its rating by round, and its faults."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd
from markupsafe import Markup

from tourney.report import plots, text
from tourney.report.listing import MatchLine
from tourney.report.overview import SeatLine, StandingLine, seat_lines
from tourney.report.source import EntrantLabel, Source, meetings, seat_frame
from tourney.results.overload import overload_text
from tourney.results.tables import DataTable
from tourney.store.values import OverloadTotals

CHIPS = 400
"""Matches against one opponent that a page links to; the list of matches has them all."""

COUNTS = ("games", "points", "wins", "draws", "losses")


@dataclass(frozen=True, slots=True)
class Chip:
    """A match against an opponent as one character: its link ("" without a page), outcome and description."""

    href: str
    result: str
    outcome: str
    fault: bool
    said: str


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
class BotPage:
    """The page's template context; ``faults`` are the matches in which the bot had a fault, with its kind."""

    entrant: EntrantLabel
    line: StandingLine
    opponents: tuple[OpponentLine, ...]
    seats: tuple[SeatLine, ...]
    history: Markup | None
    faults: tuple[tuple[MatchLine, str], ...]
    overload: str
    downloads: dict[str, DataTable]


def bot_pages(
    source: Source,
    standings: tuple[StandingLine, ...],
    matches: Mapping[int, MatchLine],
    pairs: Mapping[tuple[int, int], str],
    *,
    measured: bool,
) -> Iterator[BotPage]:
    """Yield the bots' pages in the order of the standings, with measurements only if ``measured``."""
    frame = seat_frame(source)
    met = dict(iter(meetings(frame).groupby(["entrant", "opponent"], sort=True)))
    faulty = dict(iter(frame[frame["fault"] != ""].groupby("entrant", sort=True)))
    scale = _history_scale(source)
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
        faults = _rows(faulty[number], "match", "fault") if number in faulty else ()
        yield BotPage(
            entrant=standing.entrant,
            line=standing,
            opponents=opponents,
            seats=seats,
            history=_history(source, number, scale),
            overload=overload_text(source.overload[1].get(number, OverloadTotals())) if measured else "",
            faults=tuple((matches[int(match)], str(kind)) for match, kind in faults),
            downloads={
                "opponents": _opponents_table(source, opponents),
                "seats": _seats_table(seats),
            },
        )


def _rows(frame: pd.DataFrame, *columns: str) -> Iterable[tuple[str, ...]]:
    return zip(*(frame[column].tolist() for column in columns), strict=True)


def _opponent_line(
    source: Source,
    number: int,
    opponent: EntrantLabel,
    rows: pd.DataFrame,
    matches: Mapping[int, MatchLine],
    page: str,
) -> OpponentLine:
    halves = [int(half) for half in rows["half"]]
    games = len(halves)
    chips = tuple(
        _chip(matches[int(match)], int(half), str(fault), str(theirs), opponent)
        for match, half, fault, theirs in _rows(rows[:CHIPS], "match", "half", "fault", "opponent_fault")
    )
    return OpponentLine(
        entrant=opponent,
        page=page,
        games=games,
        points=text.decimal(Fraction(sum(halves), 2), 1),
        percent=text.percent(Fraction(sum(halves), 2 * games)),
        expected=text.number(100 * source.meetings[number, opponent.number].expected, 1),
        wins=halves.count(2),
        draws=halves.count(1),
        losses=halves.count(0),
        chips=chips,
        more=max(0, games - CHIPS),
    )


def _chip(match: MatchLine, half: int, fault: str, theirs: str, opponent: EntrantLabel) -> Chip:
    outcome = ("loss", "draw", "win")[half]
    said = f"match {match.number}: {outcome} against {text.isolated(opponent.name)}, {match.reason}"
    said += f", own {fault}" if fault else f", opponent's {theirs}" if theirs else ""
    result = ("0", "\N{VULGAR FRACTION ONE HALF}", "1")[half]
    return Chip(match.href, result, outcome, bool(fault or theirs), said)


def _history_scale(source: Source) -> plots.Scale:
    start = source.settings
    values = [start.mu + start.sigma, start.mu - start.sigma]
    for _, pool in source.history:
        for skill in pool.skills.values():
            if skill.games:
                values += [skill.mu - skill.sigma, skill.mu + skill.sigma]
    return plots.axis_of(values)


def _history(source: Source, number: int, scale: plots.Scale) -> Markup | None:
    if not source.history:
        return None
    points = [(0, source.settings.mu, source.settings.sigma)]
    points += [(r, pool.skills[number].mu, pool.skills[number].sigma) for r, pool in source.history]
    last = points[-1]
    said = f"mu from {text.number(points[0][1], 1)} to {text.number(last[1], 1)} after round {last[0]}"
    return plots.history_plot(points, scale, said)


def _opponents_table(source: Source, lines: tuple[OpponentLine, ...]) -> DataTable:
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


def _seats_table(lines: tuple[SeatLine, ...]) -> DataTable:
    rows = [
        {name: getattr(line.totals, name) for name in COUNTS if name != "points"}
        | {"seat": line.seat.number, "name": line.seat.name, "points": float(line.points)}
        for line in lines
    ]
    return DataTable(("seat", "name", *COUNTS), rows)
