"""The files of a report's site, all rendered in this process."""

from collections.abc import Iterable, Iterator
from itertools import chain

from tourney.report.output.inputs import PendingPage
from tourney.report.output.layout import File, Options
from tourney.report.site import NO_VERSIONS, Part, Versions, site_parts, sites_parts
from tourney.report.source import ReportSource


def site(source: ReportSource, options: Options | None = None) -> Iterator[File]:
    """Yield the files of a tournament's report."""
    return rendered(site_parts(source, options))


def sites(
    sources: Iterable[ReportSource], options: Options | None = None, versions: Versions = NO_VERSIONS
) -> Iterator[File]:
    """Yield the files of a report on several tournaments."""
    return rendered(sites_parts(sources, options, versions))


def rendered(parts: Iterable[Part]) -> Iterator[File]:
    """Yield the files of parts of a site."""
    for part in parts:
        if isinstance(part, File):
            yield part
        elif isinstance(part, PendingPage):
            yield from part.files()
        else:
            yield from chain.from_iterable(map(part.render, part.jobs))
