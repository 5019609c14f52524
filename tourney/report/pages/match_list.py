"""The list of matches: static pages of 500 each, and one compact file of all for the page's script."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from tourney.report import display
from tourney.report.compact_matches import HELD
from tourney.report.output.inputs import PageScope, PendingPage
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import GAMES_PGN, ListedMatch, pgn_path
from tourney.report.source import ReportSource
from tourney.results.columns import Column, Row
from tourney.results.tables import DataTable

PAGE = 500
"""Matches on a page of the list."""
DATA = "data/matches.js"
"""The script that sets ``window.TourneyMatches`` to ``list_data``."""


class ListInputs(NamedTuple):
    """What a page of the list is made from.

    ``place`` is its place in the list, from 0; ``pages`` are those that it links to. ``unpaged``: the matches
    of the list without a page. ``cut``: the matches in the list and in all, if the list lacks some. ``pgn``:
    the path of all games, or "".
    """

    path: str
    place: int
    lines: tuple[ListedMatch, ...]
    pages: list[tuple[int, str]]
    unpaged: int
    cut: tuple[int, int] | None
    pgn: str


def list_pages(make: Renderer) -> Iterator[File | PendingPage]:
    """Yield the pages of the list with their data, and the downloads."""
    pages = pages_of(make.listed)
    listed = len(make.listed)
    total = len(make.lines)
    pgn = GAMES_PGN if any(pgn_path(make.source.setting, line) for line in make.listed) else ""
    for index, lines in enumerate(pages):
        inputs = ListInputs(
            list_page(index),
            index,
            lines,
            _near(index, len(pages)),
            # The first page alone says what the list lacks: full pages stay when a match is added.
            listed - len(make.paged) if index == 0 else 0,
            (listed, total) if listed < total and index == 0 else None,
            pgn,
        )
        yield make.pending_page(inputs.path, page_of_list, inputs)
    yield make.script(DATA, "TourneyMatches", list_data(make))
    if listed <= HELD:
        yield from make.tables("data/matches", matches_table(make))
        return
    for suffix in ("csv", "json"):  # each reads the list again, as its rows would fill the memory
        yield make.file(f"data/matches.{suffix}", getattr(matches_table(make), suffix)())


def page_of_list(scope: PageScope, inputs: ListInputs) -> Iterator[File]:
    """Yield a page of the list."""
    yield scope.page(
        inputs.path,
        "matches.html",
        lines=inputs.lines,
        pages=inputs.pages,
        index=inputs.place,
        start=inputs.place * PAGE,
        unpaged=inputs.unpaged,
        cut=inputs.cut,
        recorded=scope.setting.setting.tournament.recorded,
        data=DATA,
        pgn=inputs.pgn,
    )


def _near(index: int, count: int) -> list[tuple[int, str]]:
    """The pages that a page of the list links to, by index; a path of "" stands for the pages between."""
    near = range(max(0, index - 3), min(count, index + 4))
    ends = [(k, list_page(k)) for k in (0, count - 1) if k not in near]
    between = [(k, "") for k in (index - 4, index + 4) if 0 < k < count - 1]
    return sorted([*ends, *between, *((k, list_page(k)) for k in near)])


def pages_of(lines: Sequence[ListedMatch]) -> tuple[tuple[ListedMatch, ...], ...]:
    """Divide the lines into pages; there is at least one, which may be empty."""
    return tuple(tuple(lines[k : k + PAGE]) for k in range(0, len(lines), PAGE)) or ((),)


def list_page(index: int) -> str:
    """The path of a page of the list, ``index`` from 0."""
    return "matches.html" if index == 0 else f"matches-{index + 1}.html"


def list_data(make: Renderer) -> dict[str, object]:
    """The matches of the list for the script, as columns in schedule order.

    ``bots`` are [name, page, key in links], ``seats`` [name, color], ``ends`` the reasons and ``faults``
    [kind, words]; ``end`` points into ``ends``. ``bot`` and ``rank`` hold a value for each seat of a match.
    ``fault`` holds match, seat (both from 0), place in ``faults``, ...; ``void`` and ``unpaged`` are the
    places of the void matches and of the matches without a page.
    """
    lines = make.listed
    source = make.source
    ends = sorted({line.reason for line in lines})
    end_places = {word: place for place, word in enumerate(ends)}
    kinds = sorted({seated.fault for line in lines for seated in line.seats if seated.fault})
    labels = [source.labels[entrant.number] for entrant in source.entrants]
    return {
        "bots": [[label.name, label.page, label.slug] for label in labels],
        "seats": [[seat.name, seat.color] for seat in source.seats],
        "ends": ends,
        "faults": [[kind, display.fault(kind)] for kind in kinds],
        "match": [line.number for line in lines],
        **{name: [getattr(line, name) for line in lines] for name in ("round", "table", "repeat", "order")},
        "bot": [seated.entrant.number for line in lines for seated in line.seats],
        "rank": [seated.rank for line in lines for seated in line.seats],
        "end": [end_places[line.reason] for line in lines],
        "length": [line.actions for line in lines],
        "fault": [
            value
            for row, line in enumerate(lines)
            for seat, seated in enumerate(line.seats)
            if seated.fault
            for value in (row, seat, kinds.index(seated.fault))
        ],
        "void": [place for place, line in enumerate(lines) if line.void],
        "unpaged": [place for place, line in enumerate(lines) if not line.href],
    }


def matches_table(make: Renderer) -> DataTable:
    """The list for download, with the measured columns only if they are shown; it is read once."""
    source = make.source
    seats = range(1, source.tournament.seats + 1)
    names = ["match", "round", "table", "repeat", "order"]
    names += [f"{what}_{seat}" for seat in seats for what in ("entrant", "rank", "fault")]
    values = ["reason", "actions", "void", "digest", *(["reproducible", "note"] if make.measured else [])]
    rows = _rows(source, {line.number for line in make.listed}, values)
    return DataTable(tuple(map(Column, [*names, *values])), rows)


def _rows(source: ReportSource, listed: set[int], values: Sequence[str]) -> Iterator[Row]:
    last = max(listed, default=0)
    for match in takewhile(lambda match: match.number <= last, source.read()):
        result = match.result
        if match.number not in listed:
            continue
        row: dict[str, object] = {"match": match.number, **match.key._asdict()}
        for seat, number in enumerate(match.seats):
            row[f"entrant_{seat + 1}"] = source.entrants[number].name
            row[f"rank_{seat + 1}"] = result.ranks[seat]
            row[f"fault_{seat + 1}"] = result.faults[seat]
        yield row | {name: getattr(result, name) for name in values}
