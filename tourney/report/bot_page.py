"""A bot's page: its results by opponent and by seat, its rating round by round, and its faults."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd
from markupsafe import Markup

from tourney.report import plots, text
from tourney.report.downloads import DownloadTable, table
from tourney.report.frames import tally
from tourney.report.labels import EntrantLabel, entrant_labels, seat_labels
from tourney.report.listing import MatchLine
from tourney.report.seats import SeatLine, seat_line
from tourney.report.source import Source
from tourney.report.standings import StandingLine

CHIPS = 400
"""Matches against one opponent that a page links to; the list of matches has them all."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A match against an opponent, as one character: its link ("" for none), outcome, and all in words."""

    href: str
    result: str
    outcome: str
    fault: bool
    said: str


@dataclass(frozen=True, slots=True)
class OpponentLine:
    """What the bot scored against another; ``more`` counts the matches that are not among the chips."""

    entrant: EntrantLabel
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
    """The page's context; ``faults`` are the matches that the bot lost by one, with its kind."""

    entrant: EntrantLabel
    standing: StandingLine
    opponents: tuple[OpponentLine, ...]
    seats: tuple[SeatLine, ...]
    history: Markup | None
    faults: tuple[tuple[MatchLine, str], ...]
    downloads: dict[str, DownloadTable]


def bot_pages(
    source: Source,
    frame: pd.DataFrame,
    met: pd.DataFrame,
    standings: tuple[StandingLine, ...],
    matches: Mapping[int, MatchLine],
) -> tuple[BotPage, ...]:
    """Return all bots' pages, in the order of the standings; ``met`` is ``frames.meetings`` of the frame."""
    by_seat = tally(frame, ["entrant", "seat"]).to_dict("index")
    meetings = {int(str(number)): rows for number, rows in met.groupby("entrant", sort=True)}
    faulty = frame[frame["fault"] != ""].groupby("entrant", sort=True)
    faults = {int(str(number)): rows for number, rows in faulty}
    scale = _history_scale(source)
    known = entrant_labels(source)
    places = seat_labels(source)
    pages = []
    for standing in standings:
        number = standing.entrant.number
        opponents = _opponents(source, number, meetings.get(number), known, matches)
        seats = tuple(
            seat_line(seat, by_seat.get((number, seat.number), {}), source.tournament.seats)
            for seat in places
        )
        pages.append(
            BotPage(
                entrant=standing.entrant,
                standing=standing,
                opponents=opponents,
                seats=seats,
                history=_history(source, number, scale),
                faults=tuple(
                    (matches[int(match)], str(kind))
                    for match, kind in zip(*_columns(faults.get(number), "match", "fault"), strict=True)
                ),
                downloads={
                    "opponents": _opponents_table(source, opponents),
                    "seats": _seats_table(seats),
                },
            )
        )
    return tuple(pages)


def _columns(rows: pd.DataFrame | None, *columns: str) -> list[list[object]]:
    return [[] if rows is None else rows[column].tolist() for column in columns]


def _opponents(
    source: Source,
    number: int,
    met: pd.DataFrame | None,
    known: Mapping[int, EntrantLabel],
    matches: Mapping[int, MatchLine],
) -> tuple[OpponentLine, ...]:
    if met is None:
        return ()
    groups = {int(str(other)): rows for other, rows in met.groupby("opponent", sort=True)}
    lines = []
    for standing in source.standings:
        rows = groups.get(standing.number)
        if rows is None:
            continue
        halves = [int(half) for half in rows["half"]]
        games = len(halves)
        chips = tuple(
            _chip(matches[int(match)], int(half), str(fault), str(theirs), known[standing.number])
            for match, half, fault, theirs in zip(
                *_columns(rows[:CHIPS], "match", "half", "fault", "opponent_fault"), strict=True
            )
        )
        share = Fraction(sum(halves), 2 * games)
        meeting = source.meetings[number, standing.number]
        lines.append(
            OpponentLine(
                entrant=known[standing.number],
                games=games,
                points=text.decimal(Fraction(sum(halves), 2), 1),
                percent=text.percent(share),
                expected=text.number(100 * meeting.expected, 1),
                wins=halves.count(2),
                draws=halves.count(1),
                losses=halves.count(0),
                chips=chips,
                more=max(0, games - CHIPS),
            )
        )
    return tuple(lines)


def _chip(match: MatchLine, half: int, fault: str, theirs: str, opponent: EntrantLabel) -> Chip:
    outcome = ("loss", "draw", "win")[half]
    said = f"match {match.number}: {outcome} against {text.isolated(opponent.name)}, {match.reason}"
    said += f", own {fault}" if fault else f", opponent's {theirs}" if theirs else ""
    return Chip(
        href=match.href,
        result=("0", "\N{VULGAR FRACTION ONE HALF}", "1")[half],
        outcome=outcome,
        fault=bool(fault or theirs),
        said=said,
    )


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


def _opponents_table(source: Source, lines: tuple[OpponentLine, ...]) -> DownloadTable:
    rows = [
        {
            "opponent": source.entrants[line.entrant.number].name,
            "games": line.games,
            "points": float(line.points),
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
            "expected_percent": float(line.expected),
        }
        for line in lines
    ]
    return table(rows, ("opponent", "games", "points", "wins", "draws", "losses", "expected_percent"))


def _seats_table(lines: tuple[SeatLine, ...]) -> DownloadTable:
    rows = [
        {
            "seat": line.seat.number,
            "name": line.seat.name,
            "games": line.games,
            "points": float(line.points),
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
        }
        for line in lines
    ]
    return table(rows, ("seat", "name", "games", "points", "wins", "draws", "losses"))
