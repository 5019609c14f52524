"""The additions of a published report: an Atom feed, a picture for social networks, and a sitemap.

Identifiers of the feed (RFC 4287) come from the tournament's name and start, so they stay when the folder
moves. An entry's date is the end of the last match of its round in schedule order. The picture is PNG,
because most services take no SVG.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from urllib.parse import urlsplit
from uuid import UUID, uuid5
from xml.sax.saxutils import escape, quoteattr

from tourney.errors import UsageError
from tourney.report import display
from tourney.report.charts.canvas import Canvas, Lettering, fitted, width_of
from tourney.report.output.layout import CARD, File
from tourney.report.output.rendering import Renderer
from tourney.report.pages import rounds as rounds_page
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.pages.methods import state
from tourney.report.pages.overview import standing_cells
from tourney.report.source import ReportSource
from tourney.results.ratings import TOO_FEW
from tourney.texts import counted

ENTRIES = 50
"""Rounds in a feed: the newest."""
LINES = 100
"""Matches that an entry lists."""

WIDTH = 1200
HEIGHT = 630
"""Pixels; the size that Open Graph recommends (1.91:1)."""
CARD_LINES = 5
"""Lines of the standings."""

_PAGE = (0xFB, 0xFA, 0xF7)
_BLUE = (0x00, 0x5A, 0x8F)
_LINE = (0xDE, 0xD8, 0xCD)
_INK = (0x1D, 0x1B, 0x18)
_HUSH = (0x65, 0x5F, 0x56)
_TITLE = Lettering(64, _INK, bold=True)
_LEAST_TITLE = Lettering(36, _INK, bold=True)
_LEAD = Lettering(32, _HUSH)
_VERDICT = Lettering(28, _BLUE, bold=True)
_HEAD = Lettering(22, _HUSH)
_SPREAD = Lettering(24, _HUSH)
_PLAIN = Lettering(32, _INK)
_STRONG = Lettering(32, _INK, bold=True)

SITEMAP_PAGES = 50_000
"""Pages that one sitemap may have (sitemaps.org, version 0.9)."""

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]*")
_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"

_SPACE = UUID("9b1c1a52-2f6c-5b0e-8d0e-6d3f3f2c7a10")
"""The namespace of identifiers (RFC 4122, version 5)."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry: ``key`` is unique in the feed, and the match with the number ``match`` gives its date."""

    key: str
    title: str
    path: str
    content: str
    match: int


def files(make: Renderer) -> Iterator[File]:
    """Yield the picture, and the feed if the report has an address; dates, and so the feed, are measured."""
    yield make.file(CARD, card(make).png())
    if make.options.address and make.measured:
        yield make.file("feed.xml", feed(make).encode("utf-8"))


def feed(make: Renderer) -> str:
    """The feed of a tournament, newest entry first."""
    source = make.source
    site = make.layout
    created = _moment(source.tournament.created) or datetime(1970, 1, 1, tzinfo=UTC)
    entry_elements = []
    newest = created
    for entry in entries(make)[-ENTRIES:]:
        newest = max(newest, _end(source, entry.match) or newest)  # entries are dated in their order
        entry_elements.append(_entry(entry, site.url(entry.path), _identifier(source, entry.key), newest))
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{_identifier(source, '')}</id>",
        f"<title>{escape(site.title)}</title>",
        f"<updated>{_date(newest)}</updated>",
        "<author><name>Tourney</name></author>",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(site.url("feed.xml"))}/>',
        f"<link href={quoteattr(site.url('index.html'))}/>",
        *reversed(entry_elements),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def entries(make: Renderer) -> tuple[FeedEntry, ...]:
    """The entries of all finished rounds, oldest first, and of the tournament's end."""
    source = make.source
    rounds = finished_rounds(source, make.lines)
    leaders = _leaders(make)
    feed_entries = []
    before: tuple[int, ...] = ()
    for number, lines in rounds:
        title = f"Round {number}: {counted(len(lines), 'match')}"
        now = leaders.get(number, ())
        lead = ""
        if now:
            names = _names(source, now)
            lead = f"{names} {'leads' if len(now) == 1 else 'lead'}."
            if now != before:
                title += f"; {names} {'takes' if len(now) == 1 else 'share'} the lead"
            before = now
        content = _results(make, lines) + (f"<p>{escape(lead)}</p>" if lead else "")
        page = rounds_page.round_path(number) if rounds_page.has_rounds(source) else "matches.html"
        feed_entries.append(FeedEntry(f"round/{number}", title, page, content, lines[-1].number))
    if rounds and source.ended:
        title = f"Finished: {source.verdict.removesuffix('.')}"
        last = rounds[-1][1][-1].number
        feed_entries.append(FeedEntry("end", title, "index.html", _table(source), last))
    return tuple(feed_entries)


def finished_rounds(
    source: ReportSource, lines: Sequence[ListedMatch]
) -> tuple[tuple[int, Sequence[ListedMatch]], ...]:
    """The rounds whose matches all have a result.

    While a tournament runs, a round counts as finished once a match after it in schedule order has a result
    and all before have one.
    """
    rounds: list[tuple[int, Sequence[ListedMatch]]] = []
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


def _leaders(make: Renderer) -> Mapping[int, tuple[int, ...]]:
    """The entrants in first place after each round, for formats whose progress has a page."""
    summaries = make.once(rounds_page.rounds)
    return {
        round_.number: tuple(sorted(number for number, place in ranking.items() if place.rank == 1))
        for round_, ranking in zip(summaries.rounds, summaries.ranked[1:], strict=False)
    }


def _names(source: ReportSource, numbers: Sequence[int]) -> str:
    names = [display.isolated(source.labels[number].name) for number in numbers[:3]]
    if len(numbers) > 3:
        names.append(counted(len(numbers) - 3, "other"))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _results(make: Renderer, lines: Sequence[ListedMatch]) -> str:
    items = []
    for line in lines[:LINES]:
        seats = ", ".join(f"{display.isolated(s.entrant.name)} {s.result}" for s in line.seats)
        number = f"Match {line.number}"
        if line.href:
            number = f"<a href={quoteattr(make.layout.url(line.href))}>{number}</a>"
        items.append(f"<li>{number}: {escape(seats)} ({escape(line.reason)})</li>")
    more = len(lines) - LINES
    rest = f"<p>And {counted(more, 'more match')}.</p>" if more > 0 else ""
    return f"<ul>{''.join(items)}</ul>{rest}"


def _table(source: ReportSource) -> str:
    items = [
        f"<li>{escape(display.isolated(source.labels[line.number].name))}:"
        f" {display.points(line.points, source.tournament.seats)} points</li>"
        for line in source.standings[:LINES]
    ]
    return f"<ol>{''.join(items)}</ol>"


def _entry(entry: FeedEntry, url: str, identifier: str, moment: datetime) -> str:
    return (
        f"<entry><id>{identifier}</id><title>{escape(entry.title)}</title>"
        f"<updated>{_date(moment)}</updated><link href={quoteattr(url)}/>"
        f'<content type="html">{escape(entry.content)}</content></entry>'
    )


def _identifier(source: ReportSource, key: str) -> str:
    # A salt is as unique as its seed; the hash tells neither, and stays the same when the end opens them.
    origin = source.tournament.origin.salt or source.tournament.created
    return uuid5(_SPACE, f"{origin}/{source.tournament.name}/{key}").urn


def _end(source: ReportSource, number: int) -> datetime | None:
    measured = source.detail(number).measured
    start = _moment(measured.started)
    return start and start + timedelta(milliseconds=measured.wall_ms or 0)


def _moment(value: str) -> datetime | None:
    """A stored time, or None for anything else."""
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _date(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def card(make: Renderer) -> Canvas:
    """The card of the renderer's tournament."""
    source = make.source
    site = make.layout
    first = next(column for column in source.columns if column.criterion == 1)
    about = (site.game, counted(len(source.entrants), "bot"), state(source))
    canvas = Canvas(WIDTH, HEIGHT, _PAGE)
    canvas.rectangle(0, 0, 16, HEIGHT, _BLUE)
    # A long title is set smaller before it is cut.
    smaller = (replace(_TITLE, size=size) for size in range(_TITLE.size, 32, -4))
    look = next((lettering for lettering in smaller if width_of(site.title, lettering) <= 1040), _LEAST_TITLE)
    canvas.text(80, 125, fitted(site.title, look, 1040), look)
    canvas.text(80, 185, fitted(" \N{MIDDLE DOT} ".join(about), _LEAD, 1040), _LEAD)
    for y, words in zip((236, 274), _wrapped(source.verdict, _VERDICT, 1040), strict=False):
        canvas.text(80, y, words, _VERDICT)
    heads = ((800, first.heading), (930, "Elo"), (1120, source.intervals))
    for x, head in heads if source.standings else ():
        canvas.text(x, 318, fitted(head, _HEAD, 300), _HEAD, end=True)
    for y, line in zip(range(366, HEIGHT, 58), source.standings[:CARD_LINES], strict=False):
        rating = source.elo[line.number]
        canvas.rectangle(80, y - 40, 1040, 2, _LINE)
        canvas.text(120, y, str(line.rank), _LEAD, end=True)
        canvas.text(150, y, fitted(source.labels[line.number].name, _STRONG, 480), _STRONG)
        canvas.text(800, y, fitted(standing_cells((first,), line)[0], _PLAIN, 160), _PLAIN, end=True)
        if line.number in source.unsure:
            canvas.text(1120, y, TOO_FEW, _SPREAD, end=True)
            continue
        canvas.text(930, y, display.number(rating.elo, 0), _STRONG, end=True)
        spread = f"{display.number(rating.low, 0)} to {display.number(rating.high, 0)}"
        canvas.text(1120, y, spread, _SPREAD, end=True)
    return canvas


def _wrapped(words: str, look: Lettering, room: int) -> list[str]:
    """A text on two lines at most, of which the second is cut to the room."""
    line = ""
    rest = words.split(" ") if words else []
    while rest and width_of(f"{line} {rest[0]}", look) <= room:
        line = f"{line} {rest.pop(0)}".strip()
    return [fitted(part, look, room) for part in (line, " ".join(rest)) if part]


def parse_address(text: str) -> str:
    """The address of a folder on the web with a ``/`` at its end; "" stays. Raises UsageError."""
    if not text:
        return ""
    try:
        # A port beyond 65535 raises only on access, so it is read within the block.
        parts = urlsplit(text)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        parts = urlsplit("")
        port = ""
    host = parts.netloc.removesuffix(port)
    if (
        parts.scheme not in {"http", "https"}
        or _HOST.fullmatch(host) is None
        or _PATH.fullmatch(parts.path) is None
        or not text.isascii()
        or any(mark in text for mark in "?#")
    ):
        raise UsageError(
            f"--base-url {text!r} is not the address of a folder on the web; write it like"
            " https://example.org/cup/, without user, ? or #"
        )
    # Hosts ignore case, so that one place has one address in feed and sitemap.
    return f"{parts.scheme}://{host.lower()}{port}{parts.path.removesuffix('index.html').rstrip('/')}/"


def sitemap(address: str, pages: Sequence[str]) -> Iterator[File]:
    """Yield the sitemap of a site's pages: one file, or an index with one file for each 50,000 pages."""
    urls = [address + page.removesuffix("index.html") for page in pages]
    groups = [urls[k : k + SITEMAP_PAGES] for k in range(0, len(urls), SITEMAP_PAGES)]
    if len(groups) == 1:
        yield _listed("sitemap.xml", "urlset", "url", groups[0])
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(groups) + 1)]
    for name, group in zip(names, groups, strict=True):
        yield _listed(name, "urlset", "url", group)
    yield _listed("sitemap.xml", "sitemapindex", "sitemap", [address + name for name in names])


def _listed(path: str, root: str, item: str, urls: Sequence[str]) -> File:
    lines = [f"<{item}><loc>{escape(url)}</loc></{item}>" for url in urls]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<{root} xmlns="{_SITEMAPS}">'
    return File(path, "\n".join([head, *lines, f"</{root}>\n"]).encode("ascii"))
