"""The renderer: makes the files of one tournament's pages from their contexts and templates.

Pages of a running tournament say when they were written, and reload once they have changed. Without a
server, pages cannot fetch files of their folder, but they can load scripts. So ``data/live.js`` holds the
state and the hashes of all pages, and ``assets/live.js`` loads it repeatedly. Only a live report depends on
the time at which it is written.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from tourney.games.external import OUTSIDE
from tourney.games.registry import EXTERNAL
from tourney.report.compact_matches import held, place_of
from tourney.report.output.inputs import (
    I,
    PageFunction,
    PageMaker,
    PageScope,
    PageSetting,
    PendingPage,
    StoredMatches,
    StoredValues,
    table_files,
)
from tourney.report.output.layout import File, Layout, Live, Options, Section
from tourney.report.output.placement import code_digest
from tourney.report.pages.match_lines import ListedMatch, match_lines, picked
from tourney.report.source import ReportSource
from tourney.results.tables import DataTable
from tourney.texts import counted

T = TypeVar("T")

LIVE_STATE = "data/live.js"
"""The state of a live report, as a script that sets ``window.TourneyLive``."""


@dataclass
class Renderer:
    """Renders the pages of one tournament; the functions of page kinds get it."""

    source: ReportSource
    options: Options
    prefix: str = ""
    nav: tuple[Section, ...] = ()
    values: StoredValues = field(default_factory=StoredValues)
    _made: dict[object, object] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        """Whether to show measurements, which no record's digest covers."""
        return self.options.measured

    @cached_property
    def layout(self) -> Layout:
        """The layout of the tournament's pages."""
        source = self.source
        options = self.options
        return Layout(
            source.title,
            source.game_title,
            options.measured,
            options.address,
            self.prefix,
            self.nav,
            outside=OUTSIDE if source.tournament.game == EXTERNAL else "",
            templates=options.templates,
        )

    @cached_property
    def maker(self) -> PageMaker:
        """The maker of pages that are functions of their inputs."""
        source = self.source
        code = code_digest(source.game, self.options.templates.folders)
        setting = PageSetting(self.layout, source.setting, self.options.logs, code)
        return PageMaker(setting, StoredMatches(source.parts), self.values)

    def pending_page(
        self, path: str, function: PageFunction[I], inputs: I, matches: Sequence[int] = ()
    ) -> PendingPage:
        """A page that is a function of its inputs, at a path in the tournament's folder."""
        return self.maker.pending_page(path, function, self.scope(path, matches), inputs, matches)

    def scope(self, path: str, matches: Sequence[int] = ()) -> PageScope:
        """What the function of a page may read besides its inputs."""
        return PageScope(self.maker.setting, self._live(path), self.maker.matches.only(matches))

    @cached_property
    def paged(self) -> frozenset[int]:
        """The numbers of the matches with a page."""
        return picked(self.source, self.options.match_pages, worth=True) - self.source.disclosed.sealed

    @cached_property
    def lines(self) -> Sequence[ListedMatch]:
        """All finished matches; a line of a large tournament is made when it is read."""
        return held(match_lines(self.source, self.paged, measured=self.measured))

    @cached_property
    def listed(self) -> tuple[ListedMatch, ...]:
        """The finished matches in the list of matches."""
        chosen = picked(self.source, max(self.options.listed, self.options.match_pages))
        return tuple(self.line_of(number) for number in sorted(chosen))

    def line_of(self, number: int) -> ListedMatch:
        """A finished match by its number."""
        return self.lines[place_of(self.source.matches, number)]

    def once(self, make: "Callable[[Renderer], T]") -> T:
        """The value of a function of this renderer, computed once for all page kinds."""
        # Several page kinds need the same tables, such as the crosstable and the rounds.
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])

    def page(self, path: str, template: str, **context: object) -> File:
        """Render a page at a path in the tournament's folder; its template has the ``source`` too."""
        live = self._live(path)
        source = self.source
        return self.layout.page(
            path, template, live=live, source=source, intervals=source.intervals, **context
        )

    def _live(self, path: str) -> str | None:
        """The note on a running tournament; "" if only its script runs, None if the tournament is over.

        Only the first page has the note, so others stay as they are when only the time of writing changes.
        """
        live = self.options.live
        if live is None or not self.measured or self.source.ended:
            return None
        return live_note(live, (self.source,)) if path == "index.html" else ""

    def tables(self, path: str, table: DataTable) -> Iterator[File]:
        """Yield a table for download: ``path`` with .csv and .json."""
        return table_files(self.prefix, path, table)

    def file(self, path: str, content: bytes) -> File:
        """A file at a path in the tournament's folder."""
        return File(self.prefix + path, content)

    def script(self, path: str, name: str, data: object) -> File:
        """A script that only sets ``window.NAME`` to JSON data: pages in a folder cannot fetch."""
        return self.file(path, _assignment(name, data))


def live_note(live: Live, sources: Sequence[ReportSource]) -> str:
    """The note on a page of running tournaments: when it was written, and how many matches are left."""
    left = sum(source.progress.rows - source.progress.done for source in sources)
    if not left and all(source.ended for source in sources):
        return f"Written {live.written}. All matches are played."
    more = "" if all(source.tournament.complete for source in sources) else ", and the rounds not drawn yet"
    matches = f"{counted(left, 'match')} {'is' if left == 1 else 'are'}"
    return f"Written {live.written}. {matches} still to play{more}."


def live_state(live: Live, sources: Sequence[ReportSource], hashes: Mapping[str, str]) -> File:
    """The file with a live report's state; ``hashes`` are those of all files by path.

    Pages of matches are left out: they do not reload.
    """
    pages = {
        path: content[:8]
        for path, content in sorted(hashes.items())
        # There may be 10,000 of them, and open pages load the state repeatedly.
        if path.endswith(".html") and "matches" not in path.split("/")[:-1]
    }
    data = {
        "said": live_note(live, sources),
        "over": all(source.ended for source in sources),
        "seconds": live.seconds,
        "pages": pages,
    }
    return File(LIVE_STATE, _assignment("TourneyLive", data))


def _assignment(name: str, data: object) -> bytes:
    dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return f"window.{name}={dumped};\n".encode("ascii")
