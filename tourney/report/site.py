"""The site: its files one after another, each a function of the source alone.

To add a kind of page, write a module with a function that yields its files, and add its line to ``KINDS``;
add-ons name theirs in ``report_pages``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tourney.games.diagrams import GROUNDS, LINES, TOKENS, style
from tourney.plugins import load, offered
from tourney.report import display
from tourney.report.output.inputs import PendingPage, StoredValues
from tourney.report.output.layout import File, Layout, Options, Section
from tourney.report.output.rendering import Renderer, live_note
from tourney.report.pages import bot as bot_page
from tourney.report.pages import bracket as bracket_page
from tourney.report.pages import fault as fault_page
from tourney.report.pages import formats as format_pages
from tourney.report.pages import game as game_page
from tourney.report.pages import history as history_page
from tourney.report.pages import losses, publishing
from tourney.report.pages import methods as methods_page
from tourney.report.pages import overview as overview_page
from tourney.report.pages import pair as pair_page
from tourney.report.pages import rounds as rounds_page
from tourney.report.pages.match_files import MatchWork, match_work
from tourney.report.pages.match_lines import engines_of
from tourney.report.pages.match_list import list_pages
from tourney.report.pages.publishing import sitemap
from tourney.report.replays.replay import shared_files
from tourney.report.source import ReportSource, published
from tourney.results.versions import VersionPool

STATIC = (
    *("style.css", "cockpit.css", "theme.js", "tables.js", "matches.js", "live.js"),
    *("board.js", "plots.js", "compare.js", "replay.js"),
)


def _boards(make: Renderer) -> Iterator[File]:
    plan = make.source.tournament.plan
    for path, content in shared_files(make.source.game, plan.seats, dict(plan.options)).items():
        yield make.file(path, content)


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page: ``files`` yields its files, for the tournaments that ``when`` accepts.

    A page that is a function of few inputs is yielded pending (``Renderer.pending_page``): it is not made
    again while its inputs stay as they are.

    With a ``title``, it is a section in the header of all pages, with its page at ``path``; the paths of the
    pages below begin with one of ``under``.
    """

    files: Callable[[Renderer], Iterator[File | PendingPage]]
    title: str = ""
    path: str = ""
    when: Callable[[ReportSource], bool] = lambda _: True
    under: tuple[str, ...] = ()


KINDS = (
    PageKind(overview_page.files, "Standings", "index.html", under=("bots/",)),
    PageKind(bracket_page.files, "Bracket", "bracket.html", bracket_page.is_knockout),
    PageKind(rounds_page.files, "Rounds", "rounds.html", rounds_page.has_progress, under=("round-",)),
    PageKind(format_pages.gauntlet_files, "Challengers", "gauntlet.html", format_pages.is_gauntlet),
    PageKind(
        format_pages.adaptive_files, "Intervals", "adaptive.html", format_pages.is_adaptive, under=("round-",)
    ),
    PageKind(pair_page.crosstable_files, "Crosstable", "crosstable.html", under=("pairs/",)),
    PageKind(format_pages.progress_files, "Progress", "progress.html", format_pages.draws_progress),
    PageKind(list_pages, "Matches", "matches.html", under=("matches/", "matches-")),
    PageKind(
        overview_page.statistics_files,
        "Statistics",
        "statistics.html",
        under=("history.html", "faults.html", "overload.html", "audit.html"),
    ),
    PageKind(history_page.files),
    PageKind(fault_page.files),
    PageKind(game_page.files, "Game", "game.html", under=("rules.html",)),
    PageKind(methods_page.files, "Methods", "methods.html"),
    PageKind(bot_page.files),
    PageKind(bot_page.position_files),
    PageKind(losses.files),
    PageKind(_boards),
    PageKind(pair_page.files),
    PageKind(overview_page.logo),
    PageKind(publishing.files),
)
"""The kinds of pages, in the order of the navigation. Pages of matches are made by ``match_files``."""


def page_kinds() -> tuple[PageKind, ...]:
    """All kinds of pages: the report's own, then those of add-ons by name."""
    return (*KINDS, *(load(target) for _, target in sorted(offered("report_pages").items())))


@dataclass(frozen=True, slots=True)
class Versions:
    """The pools of games that have a page of versions, and the anchors of their ratings."""

    pools: tuple[VersionPool, ...] = ()
    anchors: Mapping[str, float] = field(default_factory=dict)


NO_VERSIONS = Versions()

Part = File | PendingPage | MatchWork
"""A part of a site: a file, a page to make or to keep, or all pages of matches of a tournament."""


def site_parts(
    source: ReportSource, options: Options | None = None, values: StoredValues | None = None
) -> Iterator[Part]:
    """Yield the parts of a tournament's report; ``values`` are those of the earlier one."""
    options = options or Options()
    return _whole(_parts(source, options, values or StoredValues()), options)


def sites_parts(
    sources: Iterable[ReportSource],
    options: Options | None = None,
    versions: Versions = NO_VERSIONS,
    values: StoredValues | None = None,
) -> Iterator[Part]:
    """Yield the parts of a report on several tournaments; ``values`` are those of the earlier one.

    A folder each, a page of each game's ``versions`` of bots, and a page that links to them.
    """
    options = options or Options()
    return _whole(_sites_parts(tuple(sources), options, versions, values or StoredValues()), options)


def _sites_parts(
    sources: Sequence[ReportSource], options: Options, versions: Versions, values: StoredValues
) -> Iterator[Part]:
    entries = []
    for place, source in enumerate(sources, start=1):
        # The number keeps names apart that differ only in what a folder name drops.
        prefix = f"t{place}-{display.folder(source.tournament.name)[:40].lower()}/"
        yield from _parts(source, options, values, prefix)
        entries.append(overview_page.tournament_row(source, f"{prefix}index.html", measured=options.measured))
    layout = Layout("Tournaments", "", options.measured, options.address, templates=options.templates)
    live = None
    if options.live is not None and options.measured and not all(source.ended for source in sources):
        live = live_note(options.live, sources)
    pages = []
    for path, pool in zip(overview_page.version_paths(versions.pools), versions.pools, strict=True):
        yield from overview_page.version_files(layout, path, pool, versions.anchors)
        pages.append((overview_page.version_title(pool), path))
    entries.sort(key=lambda entry: (entry["created"], entry["number"]), reverse=True)
    yield layout.page("index.html", "tournaments.html", entries=entries, live=live, versions=pages)


def _whole(parts: Iterable[Part], options: Options) -> Iterator[Part]:
    """Yield the style sheets and scripts, all parts, and the sitemap of their pages."""
    for name in STATIC:
        yield File(f"assets/{name}", options.templates.read(f"static/{name}"))
    yield File("assets/board.css", _board_css().encode("utf-8"))
    pages: list[str] = []
    matches: list[str] = []
    for part in parts:
        if isinstance(part, MatchWork):
            matches += part.paths
        elif part.path.endswith(".html"):
            pages.append(part.path)
        yield part
    if options.address:
        yield from sitemap(options.address, [*pages, *matches])


def renderer(
    source: ReportSource, options: Options, prefix: str = "", values: StoredValues | None = None
) -> Renderer:
    """The renderer of a tournament's pages; results without records have no pages of matches."""
    if not source.tournament.recorded:
        options = replace(options, match_pages=0)
    # Before anything is rendered: no page gets to see what it must not publish.
    source = published(source, logs=options.logs)
    if options.measured:
        # Introductions are stored with the measurements, so a report without these has none.
        source = replace(source, engines=engines_of(source))
    # Pages of add-ons and of formats only appear where there is something to show.
    nav = tuple(
        Section(kind.title, kind.path, kind.under)
        for kind in page_kinds()
        if kind.title and kind.when(source)
    )
    return Renderer(source, options, prefix, nav, values or StoredValues())


def _parts(source: ReportSource, options: Options, values: StoredValues, prefix: str = "") -> Iterator[Part]:
    """Yield the parts of a tournament's folder, the largest first, as other processes can begin with it."""
    make = renderer(source, options, prefix, values)
    yield match_work(make)
    for kind in page_kinds():
        if kind.when(source):
            yield from kind.files(make)


def _board_css() -> str:
    """The style sheet of boards, whose colors follow the page's theme as well as the system's."""
    tones = {
        **GROUNDS,
        **{f"seat-{name}": tone for name, tone in TOKENS.items()},
        **LINES,
    }
    light = "".join(f"--board-{name}:{tone.light};" for name, tone in tones.items())
    dark = "".join(f"--board-{name}:{tone.dark};" for name, tone in tones.items())
    return (
        f"{style()}"
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root:root:root{{{light}}}}}\n"
    )
