"""The renderer: makes the files of one tournament's pages from their contexts and templates."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from tourney.games.external import OUTSIDE
from tourney.games.registry import EXTERNAL
from tourney.report import text
from tourney.report.output.live import is_over, note
from tourney.report.output.look import File, Look, Options, Section
from tourney.report.pages import listing
from tourney.report.source import Source
from tourney.results.tables import DataTable

T = TypeVar("T")


@dataclass
class Renderer:
    """Renders the pages of one tournament; page kinds get it.

    ``nav`` are the sections in the header.
    """

    source: Source
    options: Options
    prefix: str = ""
    nav: tuple[Section, ...] = ()
    _made: dict[object, Any] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        """Whether to show what lies outside the records' digests."""
        return self.options.measured

    @cached_property
    def look(self) -> Look:
        """What all pages have in common."""
        source = self.source
        game = text.display(source.game.title if source.game else source.tournament.game)
        outside = OUTSIDE if source.tournament.game == EXTERNAL else ""
        return Look.of(source.title, game, self.options, self.prefix, self.nav, outside)

    @cached_property
    def paged(self) -> frozenset[int]:
        """The numbers of the matches with a page."""
        return listing.picked(self.source, self.options.match_pages)

    @cached_property
    def lines(self) -> Sequence[listing.MatchLine]:
        """All finished matches; a line is made when asked for."""
        return listing.match_lines(self.source, self.paged, measured=self.measured)

    @cached_property
    def listed(self) -> tuple[listing.MatchLine, ...]:
        """The finished matches that the list of matches has."""
        chosen = listing.picked(self.source, max(self.options.listed, self.options.match_pages))
        return tuple(self.line_of[number] for number in sorted(chosen))

    @cached_property
    def line_of(self) -> Mapping[int, listing.MatchLine]:
        """All finished matches by number."""
        return listing.LineOf(self.source.matches, self.lines)

    def once(self, make: "Callable[[Renderer], T]") -> T:
        """Return what a function makes for this tournament, computed once for all page kinds."""
        if make not in self._made:
            self._made[make] = make(self)
        found: T = self._made[make]
        return found

    def page(self, path: str, template: str, **context: object) -> File:
        """Render a page at a path in the tournament's folder."""
        return self.look.page(
            path, template, live=self._live(path), intervals=self.source.intervals, **context
        )

    def _live(self, path: str) -> str | None:
        """Return what a page says while the tournament runs; "" if only its script does, None if it is over.

        The other pages stay as they are when only the time of writing changes.
        """
        live = self.options.live
        if live is None or not self.measured or is_over(self.source):
            return None
        return note(live, (self.source,)) if path == "index.html" else ""

    def tables(self, path: str, table: DataTable) -> Iterator[File]:
        """Yield a table for download: ``path`` with .csv and .json."""
        yield self.file(f"{path}.csv", table.csv())
        yield self.file(f"{path}.json", table.json())

    def file(self, path: str, content: bytes) -> File:
        """Return a file at a path in the tournament's folder."""
        return File(self.prefix + path, content)

    def script(self, path: str, name: str, data: object) -> File:
        """Return a script that only sets ``window.NAME`` to JSON data: pages in a folder cannot fetch."""
        dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        return self.file(path, f"window.{name}={dumped};\n".encode("ascii"))
