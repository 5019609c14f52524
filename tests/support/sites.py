"""The files of a report's site, all rendered in this process."""

from collections.abc import Iterable, Iterator
from itertools import chain

from tourney.report.output.layout import File, Options
from tourney.report.site import NO_VERSIONS, Part, Versions, site_parts, sites_parts
from tourney.report.source import ReportSource


def site(source: ReportSource, options: Options | None = None) -> Iterator[File]:
    """Yield the files of a tournament's report."""
    return _rendered(site_parts(source, options))


def sites(
    sources: Iterable[ReportSource], options: Options | None = None, versions: Versions = NO_VERSIONS
) -> Iterator[File]:
    """Yield the files of a report on several tournaments."""
    return _rendered(sites_parts(sources, options, versions))


def _rendered(parts: Iterable[Part]) -> Iterator[File]:
    for part in parts:
        if isinstance(part, File):
            yield part
        else:
            yield from chain.from_iterable(map(part.render, part.jobs))
