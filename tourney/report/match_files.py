"""The pages of matches as jobs: each is a function of a small value and of what is stored of the match."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import rfc8785

from tourney.match.record import Record
from tourney.report.listing import MatchLine, match_path
from tourney.report.match_page import match_page
from tourney.report.rendering import File, Look, Renderer
from tourney.report.source import Detail, Setting


@dataclass(frozen=True, slots=True)
class MatchJob:
    """All that a match's page shows besides the setting and what is stored of the matches of its group.

    ``group`` is its mirrored group with itself; ``before`` and ``after`` are the neighbors with a page.
    """

    line: MatchLine
    group: tuple[MatchLine, ...]
    before: MatchLine | None
    after: MatchLine | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The matches whose records the page may show: its own first."""
        return self.line.number, *(line.number for line in self.group if line.number != self.line.number)


@dataclass(frozen=True)
class MatchRenderer:
    """Renders pages of matches of one tournament; picklable, so that other processes can render too."""

    look: Look
    setting: Setting
    measured: bool

    def render(self, job: MatchJob, detail: Detail, others: Mapping[int, Record]) -> tuple[File, ...]:
        """Return the files of a match; ``others`` are the records of the other matches of its group."""
        page = match_page(
            self.setting,
            job.line,
            detail,
            group=job.group,
            others=others,
            before=job.before,
            after=job.after,
            measured=self.measured,
        )
        file = self.look.page(match_path(job.line.number), "match.html", match=page)
        found = [replace(file, damaged=tuple(page.damaged.values()))]
        if page.record is not None:
            base = f"{self.look.prefix}matches/{job.line.number}"
            found.append(File(f"{base}.json", rfc8785.dumps(page.record) + b"\n"))
            found.append(File(f"{base}.csv", page.download.csv()))
        return tuple(found)


def match_renderer(make: Renderer) -> MatchRenderer:
    """Return the renderer of a tournament's matches."""
    return MatchRenderer(make.look, make.source.setting, make.measured)


def match_jobs(make: Renderer) -> Iterator[MatchJob]:
    """Yield the jobs of all matches with a page, in schedule order."""
    shown = [line for line in make.lines if line.href]
    groups: dict[tuple[int, int, int], list[MatchLine]] = {}
    for line in make.lines:
        groups.setdefault((line.round, line.table, line.repeat), []).append(line)
    for index, line in enumerate(shown):
        yield MatchJob(
            line,
            tuple(groups[line.round, line.table, line.repeat]),
            shown[index - 1] if index else None,
            shown[index + 1] if index + 1 < len(shown) else None,
        )


def files(make: Renderer) -> Iterator[File]:
    """Yield the files of all matches with a page, rendered one after another."""
    rendered = make.once(match_renderer)
    for job in match_jobs(make):
        number, *others = job.numbers
        records = {other: make.source.detail(other).record for other in others}
        found = {other: record for other, record in records.items() if record is not None}
        yield from rendered.render(job, make.source.detail(number), found)
