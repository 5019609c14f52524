"""The pages of matches: each is a function of a small value and of the match's stored data.

So any process can render one, and its fingerprint tells whether the page of an earlier report can be kept.
"""

import pickle
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tourney.errors import GameError, StoreDamaged
from tourney.exchange.game_writers import find_writer
from tourney.match.record import Record
from tourney.report.output.inputs import CHUNK, PageMaker, PageSetting, fingerprint
from tourney.report.output.layout import File
from tourney.report.output.placement import EarlierReport, Folders, ManifestEntry, PlacedFile, PlacedPage
from tourney.report.pages.match import MatchJob, match_page
from tourney.report.pages.match_lines import (
    GAMES_PGN,
    ListedMatch,
    MatchDetail,
    match_path,
    pgn_path,
    published_detail,
    record_path,
)
from tourney.schedule.row import MatchKey
from tourney.spawning import Pool
from tourney.store.column_reading import MatchParts, analysis_in, unpack_parts
from tourney.store.values import TournamentMatch

if TYPE_CHECKING:
    from tourney.report.output.rendering import Renderer

FEW = 60
"""Below this number of pages to render, starting processes does not pay."""
BATCH = 12
"""Pages that a process renders for one message from the main process."""


PAGE: Final = "match"
"""The kind of these pages in fingerprints."""


@dataclass(frozen=True)
class MatchRenderer(PageSetting):
    """Renders pages of matches of one tournament; picklable."""

    @property
    def measured(self) -> bool:
        """Whether to show measurements."""
        return self.layout.measured

    def path(self, job: MatchJob) -> str:
        """The path of a match's page in the site."""
        return self.layout.prefix + match_path(job.line.number)

    def pgn(self, job: MatchJob) -> str:
        """The path of a match's PGN in the site, "" without."""
        path = pgn_path(self.setting, job.line)
        return path and self.layout.prefix + path

    def _draw_card(self, job: MatchJob) -> bytes:
        # It draws with NumPy; most reports have no pictures of matches, and their processes start without it.
        from tourney.report.pages.cards import match_card  # noqa: PLC0415 - as said above

        return match_card(self.layout.title, job.line)

    def card(self, job: MatchJob) -> str:
        """The path of a match's picture in the site."""
        return self.path(job).removesuffix(".html") + ".png"

    def record(self, job: MatchJob) -> str:
        """The path of a match's record in the site."""
        return self.layout.prefix + record_path(job.line)

    def beside(self, job: MatchJob, detail: MatchDetail) -> dict[str, Callable[[], bytes]]:
        """The files that a match's page links to, by path, with functions for their content.

        Without a record there is at most the picture.
        """
        record = detail.record
        files: dict[str, Callable[[], bytes]] = {}
        if job.picture:
            files[self.card(job)] = lambda: self._draw_card(job)
        if record is None:
            return files
        files[self.record(job)] = lambda: record.encode() + b"\n"
        if pgn := self.pgn(job):
            files[pgn] = lambda: self._game(job, record, detail)
        return files

    def _game(self, job: MatchJob, record: Record, detail: MatchDetail) -> bytes:
        """A match's PGN; empty for a record that breaks the rules."""
        key = MatchKey(job.line.round, job.line.table, job.line.repeat, job.line.order)
        write_game = find_writer(self.setting.tournament.game)
        try:
            event = self.setting.tournament.name
            text = write_game(event, key, record, detail.log, detail.measured, detail.analysis)
        except GameError:
            return b""
        return text.encode("utf-8", "replace")

    def render(self, job: MatchJob, detail: MatchDetail, others: Mapping[int, Record | None]) -> File:
        """A match's page; ``others`` are the records of the other matches of its group."""
        page = match_page(self.setting, job, detail, others)
        pgn = pgn_path(self.setting, job.line) if detail.record else ""
        file = self.layout.page(match_path(job.line.number), "match.html", match=page, pgn=pgn)
        return replace(file, damaged=tuple(page["damaged"].values()))

    def reply(self, order: "PageTask", folders: Folders) -> tuple[PlacedFile, ...]:
        """Place a page and the files beside it.

        Returns nothing if a part is damaged: such a page needs the database, to say which part.
        """
        path = self.path(order.job)
        seats = self.setting.tournament.seats
        try:
            own_parts = order.parts.get(order.job.line.number, MatchParts())
            _, log, measured = unpack_parts(own_parts._replace(record=None), seats)
            analysis = analysis_in(own_parts)
            others = {
                n: _record(_record_alone(order.parts.get(n, MatchParts())), seats) for n in order.job.numbers
            }
        except StoreDamaged:
            return ()
        record = others.pop(order.job.line.number)
        whole = MatchDetail(record, log, measured, analysis=analysis)
        detail = published_detail(whole, logs=self.logs, measured=self.measured)
        contents = {path: self.render(order.job, detail, others).content}
        contents |= {beside: content_of() for beside, content_of in self.beside(order.job, detail).items()}
        return tuple(
            folders.place(each, content, order.old_entries.get(each)) for each, content in contents.items()
        )


@dataclass(frozen=True, slots=True)
class PageTask:
    """A page to render, with all stored data of its match and the records of the other matches of its group.

    ``old_entries``: the entries of the page and of the files beside it in the earlier report's manifest.
    """

    job: MatchJob
    parts: Mapping[int, MatchParts]
    old_entries: Mapping[str, ManifestEntry]


@dataclass(frozen=True)
class MatchWork:
    """All pages of matches of one tournament, to be rendered.

    ``maker`` reads the packed data of matches; ``detail`` the published data of one.
    """

    renderer: MatchRenderer
    jobs: tuple[MatchJob, ...]
    maker: PageMaker
    detail: Callable[[int], MatchDetail]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the pages."""
        return tuple(map(self.renderer.path, self.jobs))

    def render(self, job: MatchJob) -> Iterator[File]:
        """Render a page and the files beside it in this process."""
        number, *others = job.numbers
        records = {mate: self.detail(mate).record for mate in others}
        detail = published_detail(self.detail(number), logs=True, measured=self.renderer.measured)
        yield self.renderer.render(job, detail, records)
        for path, content_of in self.renderer.beside(job, detail).items():
            yield File(path, content_of())

    def place(self, earlier: EarlierReport, pool: Pool) -> Iterator[PlacedPage | File]:
        """Keep what can be kept, begin to render the rest, and return an iterator of all pages in order.

        Each comes once it is in the folder, but those with damaged parts come as their content instead.
        """
        pages = dict(self._unchanged(earlier)) if earlier.inputs else {}
        jobs = [job for job in self.jobs if job.line.number not in pages]
        # Pickled once: the labels of all entrants would otherwise be pickled again for every batch.
        packed = pickle.dumps((self.renderer, earlier.folders))
        batches = (jobs[k : k + BATCH] for k in range(0, len(jobs), BATCH))
        orders = ((batch, (packed, self._orders(batch, earlier.entries))) for batch in batches)
        replies = pool.run(replies_to, orders, here=len(jobs) < FEW)
        return self._placed(pages, replies, earlier.folders)

    def _unchanged(self, earlier: EarlierReport) -> Iterator[tuple[int, PlacedPage]]:
        """Yield the pages that the earlier report has already, by the numbers of their matches."""
        for start in range(0, len(self.jobs), CHUNK):
            jobs = self.jobs[start : start + CHUNK]
            self.maker.digests([number for job in jobs for number in job.numbers])
            for job in jobs:
                page = earlier.keep(self.renderer.path(job), self._fingerprint(job))
                if page is not None:
                    yield job.line.number, page

    def _placed(
        self,
        pages: Mapping[int, PlacedPage],
        replied: Iterable[tuple[Sequence[MatchJob], list[tuple[PlacedFile, ...]]]],
        folders: Folders,
    ) -> Iterator[PlacedPage | File]:
        rendered = (pair for jobs, replies in replied for pair in zip(jobs, replies, strict=True))
        games = []
        for job in self.jobs:
            page = pages.get(job.line.number)
            if page is None:
                _, placed = next(rendered)
                page = PlacedPage(placed or tuple(self.render(job)), self._fingerprint(job))
            yield page
            pgn = self.renderer.pgn(job)
            games += [_content(file, folders) for file in page.files if file.path == pgn]
        if games:
            yield File(f"{self.renderer.layout.prefix}{GAMES_PGN}", b"".join(games))

    def _fingerprint(self, job: MatchJob) -> str:
        return fingerprint(self.renderer, PAGE, job, self.maker.digests(job.numbers))

    def _orders(
        self, jobs: Sequence[MatchJob], old_entries: Mapping[str, ManifestEntry]
    ) -> tuple[PageTask, ...]:
        numbers = sorted({number for job in jobs for number in job.numbers})
        parts = self.maker.matches.parts(numbers)
        self.maker.take(numbers, parts)
        records = {number: _record_alone(match_parts) for number, match_parts in parts.items()}
        orders = []
        for job in jobs:
            own_number = job.line.number
            needed = {n: parts[n] if n == own_number else records[n] for n in job.numbers if n in parts}
            make = self.renderer
            paths = (make.path(job), make.record(job), make.pgn(job), make.card(job))
            orders.append(
                PageTask(job, needed, {path: old_entries[path] for path in paths if path in old_entries})
            )
        return tuple(orders)


def _content(file: PlacedFile | File, folders: Folders) -> bytes:
    return file.content if isinstance(file, File) else (folders.new / file.path).read_bytes()


def replies_to(task: tuple[bytes, tuple[PageTask, ...]]) -> list[tuple[PlacedFile, ...]]:
    """Answer orders, in any process; the task begins with the pickled renderer and folders."""
    packed, orders = task
    renderer, folders = _unpickled(packed)
    return [renderer.reply(order, folders) for order in orders]


@lru_cache(maxsize=BATCH)
def _record(parts: MatchParts, seats: int) -> Record | None:
    # Cached, because the pages of mirrored matches follow each other and show each other's record.
    return unpack_parts(parts, seats)[0]


def _record_alone(parts: MatchParts) -> MatchParts:
    return parts._replace(log=None, measured=None)


@lru_cache(maxsize=4)
def _unpickled(packed: bytes) -> tuple[MatchRenderer, Folders]:
    unpacked: tuple[MatchRenderer, Folders] = pickle.loads(packed)  # noqa: S301 - made by this program
    return unpacked


def match_work(make: "Renderer") -> MatchWork:
    """The work of rendering a tournament's matches."""
    setting = make.maker.setting
    renderer = MatchRenderer(setting.layout, setting.setting, setting.logs, setting.code)
    return MatchWork(renderer, tuple(match_jobs(make)), make.maker, make.source.detail)


def match_jobs(make: "Renderer") -> Iterator[MatchJob]:
    """Yield the jobs of all matches with a page, in schedule order."""
    matches = make.source.matches
    lines = make.lines
    shown = [make.line_of(number) for number in sorted(make.paged)]
    # The processes that render pages need none of this, and start in less time without it.
    from tourney.report.pages.highlights import worth_seeing  # noqa: PLC0415 - as said above

    # A picture takes as long as its page, 26 ms and 17 KB. Services that show links ask for those of all
    # pages of a report with an address; without, only games worth seeing have one.
    pictured = make.paged if make.options.address else worth_seeing(make)
    groups: dict[tuple[int, int, int], tuple[ListedMatch, ...]] = {}
    for line in shown:
        key = (line.round, line.table, line.repeat)
        if key not in groups:
            first = bisect_left(matches, key, key=_group)
            groups[key] = tuple(lines[first : bisect_right(matches, key, first, key=_group)])
    for index, line in enumerate(shown):
        yield MatchJob(
            line,
            groups[line.round, line.table, line.repeat],
            shown[index - 1] if index else None,
            shown[index + 1] if index + 1 < len(shown) else None,
            line.number in pictured,
        )


def _group(match: TournamentMatch) -> tuple[int, int, int]:
    return match.key.round, match.key.table, match.key.repeat
