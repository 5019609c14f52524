"""The site: its files one after another, each a function of the source alone.

To add a kind of page, write a module with a function that yields its files, and add its line to ``KINDS``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tourney.games import svg_diagram
from tourney.report import text
from tourney.report.charts import card
from tourney.report.output.live import note_of_many
from tourney.report.output.look import File, Look, Options, Section
from tourney.report.output.privacy import published
from tourney.report.output.rendering import Renderer
from tourney.report.output.templates import Templates
from tourney.report.pages import (
    adaptive,
    bot_page,
    bracket,
    fault_page,
    feed,
    front,
    game_page,
    gauntlet,
    history_page,
    methods_page,
    overview,
    pair_page,
    pairwise,
    rounds,
)
from tourney.report.pages import versions as versions_page
from tourney.report.pages.address import sitemap
from tourney.report.pages.match_files import MatchWork, match_work
from tourney.report.pages.match_list import list_pages
from tourney.report.replays import pictures
from tourney.report.source import Source
from tourney.results.versions import VersionPool

INLINE_CROSSTABLE = 24
"""Most entrants for which the first page has the crosstable too."""

STATIC = (
    *("style.css", "cockpit.css", "theme.js", "tables.js", "matches.js", "live.js"),
    *("board.js", "plots.js", "compare.js", "replay.js"),
)


def _front(make: Renderer) -> overview.Overview:
    return overview.overview(make.source, measured=make.measured)


def _crosstable(make: Renderer) -> pairwise.Crosstable:
    return pairwise.crosstable(make.source, make.once(pair_page.pair_paths))


def _superiority(make: Renderer) -> pairwise.Superiority:
    return pairwise.superiority(make.source)


def _cycles(make: Renderer) -> pairwise.CyclesView | None:
    return pairwise.cycles(make.source)


def _index_page(make: Renderer) -> Iterator[File]:
    cross = make.once(_crosstable)
    small = len(cross.lines) <= INLINE_CROSSTABLE
    yield make.page(
        "index.html",
        "index.html",
        front=make.once(_front),
        lead=make.once(front.lead),
        cross=cross if small else None,
        better=make.once(_superiority),
        cycles=make.once(_cycles),
        matrix=small,
        matches=len(make.lines),
        about=front.about(make.source),
    )


def _crosstable_page(make: Renderer) -> Iterator[File]:
    cross = make.once(_crosstable)
    yield make.page(
        "crosstable.html",
        "crosstable.html",
        cross=cross,
        better=make.once(_superiority),
        residuals=pairwise.residual_chart(cross),
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
    for path, content in pictures.shared_files(make.source.game, plan.seats, dict(plan.options)).items():
        yield make.file(path, content)


def _always(_: Source) -> bool:
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
    when: Callable[[Source], bool] = _always
    under: tuple[str, ...] = ()


KINDS = (
    PageKind(_index_page, "Standings", "index.html", under=("bots/",)),
    PageKind(bracket.files, "Bracket", bracket.PATH, bracket.is_knockout),
    PageKind(rounds.files, "Rounds", rounds.PATH, rounds.has_progress, under=("round-",)),
    PageKind(gauntlet.files, "Challengers", gauntlet.PATH, gauntlet.is_gauntlet),
    PageKind(adaptive.files, "Intervals", adaptive.PATH, adaptive.is_adaptive, under=("round-",)),
    PageKind(_crosstable_page, "Crosstable", "crosstable.html", under=("pairs/",)),
    PageKind(list_pages, "Matches", "matches.html", under=("matches/", "matches-")),
    PageKind(history_page.files, "History", "history.html"),
    PageKind(fault_page.files, "Faults", "faults.html", under=("overload.html",)),
    PageKind(game_page.files, "Game", "game.html", under=("rules.html",)),
    PageKind(methods_page.files, "Methods", "methods.html"),
    PageKind(_bot_pages),
    PageKind(_boards),
    PageKind(pair_page.files),
    PageKind(front.logo),
    PageKind(_downloads),
    PageKind(feed.files),
    PageKind(card.files),
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


def site(source: Source, options: Options | None = None) -> Iterator[File]:
    """Yield the files of a tournament's report, all rendered in this process."""
    return _rendered(site_parts(source, options))


def sites(
    sources: Iterable[Source], options: Options | None = None, versions: Versions = NO_VERSIONS
) -> Iterator[File]:
    """Yield the files of a report on several tournaments, all rendered in this process."""
    return _rendered(sites_parts(sources, options, versions))


def site_parts(source: Source, options: Options | None = None) -> Iterator[Part]:
    """Yield the parts of a tournament's report."""
    options = options or Options()
    return _with_sitemap(_site_parts(source, options), options)


def _site_parts(source: Source, options: Options) -> Iterator[Part]:
    yield from _static_files(options.templates)
    yield from _parts(source, options)


def sites_parts(
    sources: Iterable[Source], options: Options | None = None, versions: Versions = NO_VERSIONS
) -> Iterator[Part]:
    """Yield the parts of a report on several tournaments.

    A folder each, a page of each game's ``versions`` of bots, and a page that links to them.
    """
    options = options or Options()
    return _with_sitemap(_sites_parts(tuple(sources), options, versions), options)


def _sites_parts(sources: Sequence[Source], options: Options, versions: Versions) -> Iterator[Part]:
    yield from _static_files(options.templates)
    entries = []
    for place, source in enumerate(sources, start=1):
        prefix = f"t{place}-{text.folder(source.tournament.name)[:40].lower()}/"
        yield from _parts(source, options, prefix)
        entries.append(overview.tournament_row(source, f"{prefix}index.html"))
    look = Look.of("Tournaments", "", options)
    live = note_of_many(options.live, sources) if options.measured else None
    pages = []
    for path, pool in zip(versions_page.page_paths(versions.pools), versions.pools, strict=True):
        yield from versions_page.files(look, path, pool, versions.anchors, measured=options.measured)
        pages.append((versions_page.title(pool), path))
    yield look.page("index.html", "tournaments.html", entries=entries, live=live, versions=pages)


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


def renderer(source: Source, options: Options, prefix: str = "") -> Renderer:
    """Return the renderer of a tournament's pages; results without records have no pages of matches."""
    if not source.tournament.recorded:
        options = replace(options, match_pages=0)
    source = published(source, logs=options.logs)
    nav = tuple(Section(kind.title, kind.path, kind.under) for kind in _kinds(source) if kind.title)
    return Renderer(source, options, prefix, nav)


def _kinds(source: Source) -> tuple[PageKind, ...]:
    return tuple(kind for kind in KINDS if kind.when(source))


def _parts(source: Source, options: Options, prefix: str = "") -> Iterator[Part]:
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
    """Return the style sheet of boards, whose colors follow the page's theme as well as the system's."""
    light, dark = _properties(dark=False), _properties(dark=True)
    return (
        f"{svg_diagram.style()}"
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root:root:root{{{light}}}}}\n"
    )


def _properties(*, dark: bool) -> str:
    tones = {
        **svg_diagram.GROUNDS,
        **{f"seat-{name}": tone for name, tone in svg_diagram.TOKENS.items()},
        **svg_diagram.LINES,
    }
    return "".join(f"--board-{name}:{tone.dark if dark else tone.light};" for name, tone in tones.items())
