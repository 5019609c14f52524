"""An Atom feed (RFC 4287) of a tournament: its rounds with results and changes of the lead, and its end.

Identifiers come from the tournament's name and seed, so they stay when the folder moves. An entry's date is
the end of the last match of its round in schedule order.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import groupby, pairwise
from uuid import UUID, uuid5
from xml.sax.saxutils import escape, quoteattr

from tourney.report import text
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.listing import MatchLine
from tourney.report.source import Source
from tourney.results.standings import BY_MEAN
from tourney.schedule.row import score_units, units_of_win

ENTRIES = 50
"""Rounds in a feed: the newest."""
LINES = 100
"""Matches that an entry lists."""

_SPACE = UUID("9b1c1a52-2f6c-5b0e-8d0e-6d3f3f2c7a10")
"""The namespace of identifiers (RFC 4122, version 5)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: ``key`` is unique in the feed, ``match`` the number of the match that dates it."""

    key: str
    title: str
    path: str
    content: str
    match: int


def files(make: Renderer) -> Iterator[File]:
    """Yield the feed; there is none without an address and dates."""
    if make.options.address and make.measured:
        yield make.file("feed.xml", feed(make).encode("utf-8"))


def feed(make: Renderer) -> str:
    """Return the feed of a tournament, newest entry first."""
    source, look = make.source, make.look
    title = str(dict(look.site)["title"])
    created = _moment(source.tournament.created) or datetime(1970, 1, 1, tzinfo=UTC)
    found = []
    newest = created
    for entry in entries(make)[-ENTRIES:]:
        newest = max(newest, _end(source, entry.match) or newest)  # entries are dated in their order
        found.append(_entry(entry, look.url(entry.path), _identifier(source, entry.key), newest))
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{_identifier(source, '')}</id>",
        f"<title>{escape(title)}</title>",
        f"<updated>{_date(newest)}</updated>",
        "<author><name>Tourney</name></author>",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(look.url("feed.xml"))}/>',
        f"<link href={quoteattr(look.url('index.html'))}/>",
        *reversed(found),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def entries(make: Renderer) -> tuple[Entry, ...]:
    """Return the entries of all finished rounds, oldest first, and of the tournament's end."""
    source = make.source
    rounds = finished_rounds(source, make.lines)
    leaders = _leaders(source, rounds)
    found = []
    before: tuple[int, ...] = ()
    for number, lines in rounds:
        title = f"Round {number}: {text.count(len(lines), 'match', 'matches')}"
        now = leaders.get(number, ())
        lead = ""
        if now:
            names = _names(source, now)
            lead = f"{names} {'leads' if len(now) == 1 else 'lead'}."
            if now != before:
                title += f"; {names} {'takes' if len(now) == 1 else 'share'} the lead"
            before = now
        content = _results(make, lines) + (f"<p>{escape(lead)}</p>" if lead else "")
        found.append(Entry(f"round/{number}", title, "matches.html", content, lines[-1].number))
    if rounds and source.ended:
        first = [line.number for line in source.standings if line.rank == 1]
        title = f"Finished: {_names(source, first)} {'wins' if len(first) == 1 else 'share first place'}"
        last = rounds[-1][1][-1].number
        found.append(Entry("end", title, "index.html", _table(source), last))
    return tuple(found)


def finished_rounds(
    source: Source, lines: Sequence[MatchLine]
) -> tuple[tuple[int, Sequence[MatchLine]], ...]:
    """Return the rounds of which all matches have a result.

    While a tournament runs, a round counts as finished once a match after it in schedule order has a result
    and all before have one.
    """
    rounds: list[tuple[int, Sequence[MatchLine]]] = []
    start = 0
    for number, group in groupby(source.matches, key=lambda match: match.key.round):
        stop = start + sum(1 for _ in group)
        rounds.append((number, lines[start:stop]))
        start = stop
    if source.progress.done == source.progress.rows:
        return tuple(rounds)
    whole = 0
    for place, match in enumerate(source.matches, start=1):
        if match.number != place:
            break
        whole = place
    return tuple(
        (number, group) for (number, group), (_, after) in pairwise(rounds) if after[0].number <= whole
    )


def _leaders(
    source: Source, rounds: Sequence[tuple[int, Sequence[MatchLine]]]
) -> Mapping[int, tuple[int, ...]]:
    """Return the entrants with the best score after each round, for formats that rank by points."""
    by_mean = source.format.ranked_by == BY_MEAN
    if not by_mean and source.format.ranked_by != "points":
        return {}
    points: dict[int, Fraction] = defaultdict(Fraction)
    games: dict[int, int] = defaultdict(int)
    found = {}
    for number, lines in rounds:
        for line in lines:
            if line.void:
                continue
            units = score_units([seated.rank for seated in line.seats])
            for seated, unit in zip(line.seats, units, strict=True):
                points[seated.entrant.number] += Fraction(unit, units_of_win(len(line.seats)))
                games[seated.entrant.number] += 1
        scores = {key: value / games[key] if by_mean else value for key, value in points.items()}
        best = max(scores.values(), default=Fraction(0))
        found[number] = tuple(sorted(key for key, value in scores.items() if value == best))
    return found


def _names(source: Source, numbers: Sequence[int]) -> str:
    names = [text.isolated(source.labels[number].name) for number in numbers[:3]]
    if len(numbers) > 3:
        names.append(text.count(len(numbers) - 3, "other"))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _results(make: Renderer, lines: Sequence[MatchLine]) -> str:
    items = []
    for line in lines[:LINES]:
        seats = ", ".join(f"{text.isolated(s.entrant.name)} {s.result}" for s in line.seats)
        number = f"Match {line.number}"
        if line.href:
            number = f"<a href={quoteattr(make.look.url(line.href))}>{number}</a>"
        items.append(f"<li>{number}: {escape(seats)} ({escape(line.reason)})</li>")
    more = len(lines) - LINES
    rest = f"<p>And {text.count(more, 'more match', 'more matches')}.</p>" if more > 0 else ""
    return f"<ul>{''.join(items)}</ul>{rest}"


def _table(source: Source) -> str:
    items = [
        f"<li>{escape(text.isolated(source.labels[line.number].name))}:"
        f" {text.points(line.points, source.tournament.seats)} points</li>"
        for line in source.standings[:LINES]
    ]
    return f"<ol>{''.join(items)}</ol>"


def _entry(entry: Entry, url: str, identifier: str, moment: datetime) -> str:
    return (
        f"<entry><id>{identifier}</id><title>{escape(entry.title)}</title>"
        f"<updated>{_date(moment)}</updated><link href={quoteattr(url)}/>"
        f'<content type="html">{escape(entry.content)}</content></entry>'
    )


def _identifier(source: Source, key: str) -> str:
    return uuid5(_SPACE, f"{source.tournament.seed}/{source.tournament.name}/{key}").urn


def _end(source: Source, number: int) -> datetime | None:
    measured = source.detail(number).measured
    start, took = _moment(measured.get("started")), measured.get("wall-ms")
    return start and start + timedelta(milliseconds=took if isinstance(took, int | float) else 0)


def _moment(value: object) -> datetime | None:
    """Return a stored time, or None for anything else."""
    try:
        found = datetime.fromisoformat(str(value))
        return found.astimezone(UTC) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _date(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
