"""The pages of matches: each is a function of a small value and of the match's stored data.

So any process can render one, and its fingerprint tells whether an earlier report's page is still right.
"""

import hashlib
import pickle
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import msgspec

from tourney.errors import GameError, StoreDamaged
from tourney.exchange.game_writers import find_writer
from tourney.match.record import Record
from tourney.report.output.layout import File, Layout
from tourney.report.output.placement import Folders, ManifestEntry, PlacedFile, code_digest
from tourney.report.pages.match import MatchJob, match_page
from tourney.report.pages.match_lines import (
    GAMES_PGN,
    ListedMatch,
    MatchDetail,
    MatchSetting,
    match_path,
    pgn_path,
    published_detail,
    record_path,
)
from tourney.schedule.row import MatchKey
from tourney.spawning import Pool
from tourney.store.column_reading import MatchParts, analysis_in, record_hash, unpack_parts
from tourney.store.values import TournamentMatch

if TYPE_CHECKING:
    from tourney.report.output.rendering import Renderer

FEW = 60
"""Below this number of new pages, and 20 times as many pages in all, starting processes does not pay."""
BATCH = 12
"""Pages that a process renders for one message from the main process."""


@dataclass(frozen=True)
class MatchRenderer:
    """Renders pages of matches of one tournament; picklable.

    ``code`` is the digest of the programs, see ``code_digest``.
    """

    layout: Layout
    setting: MatchSetting
    measured: bool
    logs: bool
    code: str

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

        Without a record there is at most the picture, which only a report with an address has: services
        that show links ask for it there, and it takes as long as the page.
        """
        record = detail.record
        files: dict[str, Callable[[], bytes]] = {}
        if self.layout.address:
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
        old_entry = order.old_entries.get(path)
        try:
            own_parts = order.parts.get(order.job.line.number, MatchParts())
            _, log, measured = unpack_parts(own_parts._replace(record=None), seats)
            analysis = analysis_in(own_parts)
            hashed_records = {
                n: _record(_record_alone(order.parts.get(n, MatchParts())), seats) for n in order.job.numbers
            }
        except StoreDamaged:
            return ()
        others = {number: record for number, (record, _) in hashed_records.items()}
        record = others.pop(order.job.line.number)
        whole = MatchDetail(record, log, measured, analysis=analysis)
        detail = published_detail(whole, logs=self.logs, measured=self.measured)
        fingerprint = self._fingerprint(order.job, [digest for _, digest in hashed_records.values()], detail)
        # A page with the same fingerprint has the same content, so it is not rendered again.
        same = old_entry is not None and old_entry.fingerprint == fingerprint
        page = folders.keep(path, old_entry, fingerprint) if old_entry is not None and same else None
        if page is None:
            content = self.render(order.job, detail, others).content
            page = folders.place(path, content, old_entry, fingerprint)
        placed = [page]
        for beside, content_of in self.beside(order.job, detail).items():
            entry = order.old_entries.get(beside)
            file = folders.keep(beside, entry) if entry is not None and same else None
            placed.append(file or folders.place(beside, content_of(), entry))
        return tuple(placed)

    @cached_property
    def _common(self) -> str:
        return repr((self.layout, self.setting, self.measured, self.logs, self.code))

    def _fingerprint(self, job: MatchJob, hashes: Sequence[str], detail: MatchDetail) -> str:
        shown = (detail.analysis, detail.log, detail.measured)
        try:
            inputs = msgspec.json.encode((self._common, job, hashes, shown))
        except UnicodeEncodeError:  # a lone surrogate, which JSON can hold as an escape
            inputs = repr((self._common, job, hashes, shown)).encode("utf-8", "replace")
        return hashlib.blake2b(inputs, digest_size=16).hexdigest()


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

    ``parts`` reads the packed data of some matches; ``detail`` the published data of one.
    """

    renderer: MatchRenderer
    jobs: tuple[MatchJob, ...]
    parts: Callable[[Sequence[int]], Mapping[int, MatchParts]]
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

    def place(
        self, folders: Folders, old_entries: Mapping[str, ManifestEntry], pool: Pool
    ) -> Iterator[PlacedFile | File]:
        """Begin to render, and return an iterator of all pages in order, each once it is in the folder.

        Pages with damaged parts come as their content instead. ``old_entries``: the earlier manifest.
        """
        new = sum(path not in old_entries for path in self.paths)
        here = new < FEW and len(self.jobs) < 20 * FEW
        # Pickled once: the labels of all entrants would otherwise be pickled again for every batch.
        packed = pickle.dumps((self.renderer, folders))
        batches = (self.jobs[k : k + BATCH] for k in range(0, len(self.jobs), BATCH))
        orders = ((batch, (packed, self._orders(batch, old_entries))) for batch in batches)
        return self._placed(pool.run(replies_to, orders, here=here), folders)

    def _placed(
        self, replied: Iterable[tuple[Sequence[MatchJob], list[tuple[PlacedFile, ...]]]], folders: Folders
    ) -> Iterator[PlacedFile | File]:
        games = []
        for jobs, replies in replied:
            for job, placed in zip(jobs, replies, strict=True):
                files: tuple[PlacedFile | File, ...] = placed or tuple(self.render(job))
                yield from files
                pgn = self.renderer.pgn(job)
                games += [_content(file, folders) for file in files if file.path == pgn]
        if games:
            yield File(f"{self.renderer.layout.prefix}{GAMES_PGN}", b"".join(games))

    def _orders(
        self, jobs: Sequence[MatchJob], old_entries: Mapping[str, ManifestEntry]
    ) -> tuple[PageTask, ...]:
        parts = self.parts(sorted({number for job in jobs for number in job.numbers}))
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
def _record(parts: MatchParts, seats: int) -> tuple[Record | None, str]:
    # Cached, because the pages of mirrored matches follow each other and show each other's record.
    return unpack_parts(parts, seats)[0], record_hash(parts)


def _record_alone(parts: MatchParts) -> MatchParts:
    return parts._replace(log=None, measured=None)


@lru_cache(maxsize=4)
def _unpickled(packed: bytes) -> tuple[MatchRenderer, Folders]:
    unpacked: tuple[MatchRenderer, Folders] = pickle.loads(packed)  # noqa: S301 - made by this program
    return unpacked


def match_work(make: "Renderer") -> MatchWork:
    """The work of rendering a tournament's matches."""
    source = make.source
    code = code_digest(source.game, make.options.templates.folders)
    rendered = MatchRenderer(make.layout, source.setting, make.measured, make.options.logs, code)
    return MatchWork(rendered, tuple(match_jobs(make)), source.parts, source.detail)


def match_jobs(make: "Renderer") -> Iterator[MatchJob]:
    """Yield the jobs of all matches with a page, in schedule order."""
    matches = make.source.matches
    lines = make.lines
    shown = [make.line_of(number) for number in sorted(make.paged)]
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
        )


def _group(match: TournamentMatch) -> tuple[int, int, int]:
    return match.key.round, match.key.table, match.key.repeat
