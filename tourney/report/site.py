"""The site: its files one after another, each a function of the source alone.

To add a kind of page, write a module with a function that yields its files, and add its line to ``KINDS``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tourney.games import board_style
from tourney.report import display
from tourney.report.output.layout import File, Layout, Options, Section, SiteValues
from tourney.report.output.rendering import Renderer, live_note
from tourney.report.output.templates import Templates
from tourney.report.pages import (
    adaptive_page,
    bot_page,
    bracket_page,
    crosstable_page,
    fault_page,
    game_page,
    gauntlet_page,
    history_page,
    methods_page,
    overview_page,
    pair_page,
    publishing,
    rounds_page,
    versions_page,
)
from tourney.report.pages.match_files import MatchWork, match_work
from tourney.report.pages.match_list import list_pages
from tourney.report.pages.publishing import sitemap
from tourney.report.replays.replay import shared_files
from tourney.report.source import ReportSource, published
from tourney.results.versions import VersionPool

INLINE_CROSSTABLE = 24
"""Most entrants for which the first page has the crosstable too."""

STATIC = (
    *("style.css", "cockpit.css", "theme.js", "tables.js", "matches.js", "live.js"),
    *("board.js", "plots.js", "compare.js", "replay.js"),
)


def _front(make: Renderer) -> overview_page.Overview:
    return overview_page.overview(make.source, measured=make.measured)


def _crosstable(make: Renderer) -> crosstable_page.Crosstable:
    return crosstable_page.crosstable(make.source, make.once(pair_page.pair_paths))


def _superiority(make: Renderer) -> crosstable_page.Superiority:
    return crosstable_page.superiority(make.source)


def _cycles(make: Renderer) -> crosstable_page.CyclesView | None:
    return crosstable_page.cycles(make.source)


def _index_page(make: Renderer) -> Iterator[File]:
    cross = make.once(_crosstable)
    small = len(cross.lines) <= INLINE_CROSSTABLE
    yield make.page(
        "index.html",
        "index.html",
        front=make.once(_front),
        lead=make.once(overview_page.lead),
        cross=cross if small else None,
        better=make.once(_superiority),
        cycles=make.once(_cycles),
        matrix=small,
        matches=len(make.lines),
        about=overview_page.about(make.source),
    )


def _crosstable_page(make: Renderer) -> Iterator[File]:
    cross = make.once(_crosstable)
    yield make.page(
        "crosstable.html",
        "crosstable.html",
        cross=cross,
        better=make.once(_superiority),
        residuals=crosstable_page.residual_chart(cross),
    )


def _downloads(make: Renderer) -> Iterator[File]:
    tables = {
        **make.once(_front).downloads,
        "crosstable": make.once(_crosstable).download,
        "superiority": make.once(_superiority).download,
    }
    if found := make.once(_cycles):
        tables["evaluations"] = found.download
    for name, table in tables.items():
        yield from make.tables(f"data/{name}", table)


def _bot_pages(make: Renderer) -> Iterator[File]:
    standings, paths = make.once(_front).standings, make.once(pair_page.pair_paths)
    for page in bot_page.bot_pages(make, standings, paths):
        yield make.page(page.entrant.page, "bot.html", bot=page)
        for name, table in page.downloads.items():
            yield from make.tables(f"data/bots/{page.entrant.slug}-{name}", table)


def _boards(make: Renderer) -> Iterator[File]:
    plan = make.source.tournament.plan
    for path, content in shared_files(make.source.game, plan.seats, dict(plan.options)).items():
        yield make.file(path, content)


def _always(_: ReportSource) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page: ``files`` yields its files, for the tournaments that ``when`` accepts.

    With a ``title``, it is a section in the header of all pages, with its page at ``path``; the paths of the
    pages below begin with one of ``under``.
    """

    files: Callable[[Renderer], Iterator[File]]
    title: str = ""
    path: str = ""
    when: Callable[[ReportSource], bool] = _always
    under: tuple[str, ...] = ()


KINDS = (
    PageKind(_index_page, "Standings", "index.html", under=("bots/",)),
    PageKind(bracket_page.files, "Bracket", bracket_page.PATH, bracket_page.is_knockout),
    PageKind(rounds_page.files, "Rounds", rounds_page.PATH, rounds_page.has_progress, under=("round-",)),
    PageKind(gauntlet_page.files, "Challengers", gauntlet_page.PATH, gauntlet_page.is_gauntlet),
    PageKind(
        adaptive_page.files, "Intervals", adaptive_page.PATH, adaptive_page.is_adaptive, under=("round-",)
    ),
    PageKind(_crosstable_page, "Crosstable", "crosstable.html", under=("pairs/",)),
    PageKind(list_pages, "Matches", "matches.html", under=("matches/", "matches-")),
    PageKind(history_page.files, "History", "history.html"),
    PageKind(fault_page.files, "Faults", "faults.html", under=("overload.html",)),
    PageKind(game_page.files, "Game", "game.html", under=("rules.html",)),
    PageKind(methods_page.files, "Methods", "methods.html"),
    PageKind(_bot_pages),
    PageKind(_boards),
    PageKind(pair_page.files),
    PageKind(overview_page.logo),
    PageKind(_downloads),
    PageKind(publishing.files),
)
"""The kinds of pages, in the order of the navigation. Pages of matches are made by ``match_files``."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The pools of games that have a page of versions, and the anchors of their ratings."""

    pools: tuple[VersionPool, ...] = ()
    anchors: Mapping[str, float] = field(default_factory=dict)


NO_VERSIONS = Versions()

Part = File | MatchWork
"""A part of a site: a file, or all pages of matches of a tournament, which other processes may render."""


def site(source: ReportSource, options: Options | None = None) -> Iterator[File]:
    """Yield the files of a tournament's report, all rendered in this process."""
    return _rendered(site_parts(source, options))


def sites(
    sources: Iterable[ReportSource], options: Options | None = None, versions: Versions = NO_VERSIONS
) -> Iterator[File]:
    """Yield the files of a report on several tournaments, all rendered in this process."""
    return _rendered(sites_parts(sources, options, versions))


def site_parts(source: ReportSource, options: Options | None = None) -> Iterator[Part]:
    """Yield the parts of a tournament's report."""
    options = options or Options()
    return _with_sitemap(_site_parts(source, options), options)


def _site_parts(source: ReportSource, options: Options) -> Iterator[Part]:
    yield from _static_files(options.templates)
    yield from _parts(source, options)


def sites_parts(
    sources: Iterable[ReportSource], options: Options | None = None, versions: Versions = NO_VERSIONS
) -> Iterator[Part]:
    """Yield the parts of a report on several tournaments.

    A folder each, a page of each game's ``versions`` of bots, and a page that links to them.
    """
    options = options or Options()
    return _with_sitemap(_sites_parts(tuple(sources), options, versions), options)


def _sites_parts(sources: Sequence[ReportSource], options: Options, versions: Versions) -> Iterator[Part]:
    yield from _static_files(options.templates)
    entries = []
    for place, source in enumerate(sources, start=1):
        prefix = f"t{place}-{display.folder(source.tournament.name)[:40].lower()}/"
        yield from _parts(source, options, prefix)
        entries.append(overview_page.tournament_row(source, f"{prefix}index.html"))
    layout = Layout(SiteValues("Tournaments", "", options.measured, options.address), options.templates)
    live = None
    if options.live is not None and options.measured and not all(source.ended for source in sources):
        live = live_note(options.live, sources)
    pages = []
    for path, pool in zip(versions_page.page_paths(versions.pools), versions.pools, strict=True):
        yield from versions_page.files(layout, path, pool, versions.anchors, measured=options.measured)
        pages.append((versions_page.title(pool), path))
    yield layout.page("index.html", "tournaments.html", entries=entries, live=live, versions=pages)


def _with_sitemap(parts: Iterable[Part], options: Options) -> Iterator[Part]:
    pages: list[str] = []
    matches: list[str] = []
    for part in parts:
        if not isinstance(part, File):
            matches += part.paths
        elif part.is_page:
            pages.append(part.path)
        yield part
    if options.address:
        yield from sitemap(options.address, [*pages, *matches])


def _rendered(parts: Iterable[Part]) -> Iterator[File]:
    for part in parts:
        if isinstance(part, File):
            yield part
        else:
            yield from map(part.render, part.jobs)


def renderer(source: ReportSource, options: Options, prefix: str = "") -> Renderer:
    """The renderer of a tournament's pages; results without records have no pages of matches."""
    if not source.tournament.recorded:
        options = replace(options, match_pages=0)
    source = published(source, logs=options.logs)
    nav = tuple(Section(kind.title, kind.path, kind.under) for kind in _kinds(source) if kind.title)
    return Renderer(source, options, prefix, nav)


def _kinds(source: ReportSource) -> tuple[PageKind, ...]:
    return tuple(kind for kind in KINDS if kind.when(source))


def _parts(source: ReportSource, options: Options, prefix: str = "") -> Iterator[Part]:
    """Yield the parts of a tournament's folder, the largest first, as other processes can begin with it."""
    make = renderer(source, options, prefix)
    yield match_work(make)
    for kind in _kinds(source):
        yield from kind.files(make)


def _static_files(templates: Templates) -> Iterator[File]:
    """Yield the style sheets and scripts."""
    for name in STATIC:
        yield File(f"assets/{name}", templates.static(name))
    yield File("assets/board.css", _board_css().encode("utf-8"))


def _board_css() -> str:
    """The style sheet of boards, whose colors follow the page's theme as well as the system's."""
    light, dark = _properties(dark=False), _properties(dark=True)
    return (
        f"{board_style.style()}"
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root:root:root{{{light}}}}}\n"
    )


def _properties(*, dark: bool) -> str:
    tones = {
        **board_style.GROUNDS,
        **{f"seat-{name}": tone for name, tone in board_style.TOKENS.items()},
        **board_style.LINES,
    }
    return "".join(f"--board-{name}:{tone.dark if dark else tone.light};" for name, tone in tones.items())
