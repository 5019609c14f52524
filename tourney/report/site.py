"""The site: its files one after another, each a function of the source alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import rfc8785
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tourney import __version__
from tourney.games import svg_diagram
from tourney.report import bot_page, listing, overview, pairwise, text
from tourney.report.match_page import match_page
from tourney.report.privacy import published
from tourney.report.source import Source
from tourney.resources import templates_dir
from tourney.results.tables import DataTable

MATCH_PAGES = 10_000
"""Default maximum of match pages."""

INLINE_CROSSTABLE = 24
"""Most entrants for which the first page has the crosstable too."""

STATIC = ("style.css", "theme.js", "tables.js", "board.js", "replay.js")


@dataclass(frozen=True, slots=True)
class Options:
    """The contents of a report. Without ``measured``, nothing outside the records' digests.

    ``logs``: publish bots' standard error, the host's name and errors of the machine too (see ``privacy``).
    """

    measured: bool = True
    match_pages: int = MATCH_PAGES
    logs: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """A file of the site: its path, with ``/``, and its content.

    ``damaged``: why it omits parts that are in the database, one sentence each.
    """

    path: str
    content: bytes
    damaged: tuple[str, ...] = ()

    @property
    def is_page(self) -> bool:
        """Whether it is a page."""
        return self.path.endswith(".html")


def site(source: Source, options: Options | None = None) -> Iterator[File]:
    """Yield the files of a tournament's report."""
    yield from _static_files()
    yield from _Site(source, options or Options()).files()


def sites(sources: Iterable[Source], options: Options | None = None) -> Iterator[File]:
    """Yield the files of a report on several tournaments: a folder each, and a page that links to them."""
    options = options or Options()
    yield from _static_files()
    entries = []
    for place, source in enumerate(sources, start=1):
        prefix = f"t{place}-{text.folder(source.tournament.name)[:40].lower()}"
        yield from _Site(source, options, prefix).files()
        entries.append(overview.tournament_row(source, f"{prefix}/index.html"))
    template = _environment("Tournaments", "", options).get_template("tournaments.html")
    rendered = template.render(root="", base="", path="index.html", entries=entries)
    yield File("index.html", rendered.encode("utf-8"))


def paged(source: Source, most: int) -> frozenset[int]:
    """Return the numbers of the matches with a page: those with faults first, then in schedule order."""
    numbered = [(not any(m.result.faults), m.number) for m in source.matches if m.result is not None]
    return frozenset(number for _, number in sorted(numbered)[:most])


class _Site:
    """The pages of one tournament, in a folder of the site (``prefix``) or at its top ("")."""

    def __init__(self, source: Source, options: Options, prefix: str = "") -> None:
        source = published(source, logs=options.logs)
        self._source = source
        self._measured = options.measured
        self._prefix = f"{prefix}/" if prefix else ""
        self._environment = _environment(
            text.display(source.tournament.name),
            text.display(source.game.title if source.game else source.tournament.game),
            options,
            several=bool(prefix),
        )
        self._paged = paged(source, options.match_pages)
        self._lines = listing.match_lines(source, self._paged, measured=options.measured)

    def files(self) -> Iterator[File]:
        for file in self._files():
            yield replace(file, path=self._prefix + file.path)

    def _files(self) -> Iterator[File]:
        source = self._source
        front = overview.overview(source, measured=self._measured)
        cross = pairwise.crosstable(source)
        better = pairwise.superiority(source)
        small = len(cross.lines) <= INLINE_CROSSTABLE
        yield self._page(
            "index.html",
            "index.html",
            front=front,
            cross=cross if small else None,
            better=better,
            matrix=small,
            matches=len(self._lines),
        )
        yield self._page("crosstable.html", "crosstable.html", cross=cross, better=better)
        downloads = {
            **front.downloads,
            "crosstable": cross.download,
            "superiority": better.download,
            "matches": listing.matches_table(source, measured=self._measured),
        }
        for name, table in downloads.items():
            yield from _tables(f"data/{name}", table)
        yield from self._list()
        yield from self._bots(front)
        yield from self._matches()

    def _list(self) -> Iterator[File]:
        pages = listing.pages_of(self._lines)
        paths = [listing.list_page(k) for k in range(len(pages))]
        for index, lines in enumerate(pages):
            yield self._page(
                paths[index],
                "matches.html",
                lines=lines,
                pages=paths,
                index=index,
                total=len(self._lines),
                unpaged=len(self._lines) - len(self._paged),
            )

    def _bots(self, front: overview.Overview) -> Iterator[File]:
        matches = {line.number: line for line in self._lines}
        for page in bot_page.bot_pages(self._source, front.standings, matches, measured=self._measured):
            yield self._page(page.entrant.page, "bot.html", bot=page)
            for name, table in page.downloads.items():
                yield from _tables(f"data/bots/{page.entrant.slug}-{name}", table)

    def _matches(self) -> Iterator[File]:
        shown = [line for line in self._lines if line.number in self._paged]
        groups: dict[tuple[int, int, int], list[listing.MatchLine]] = {}
        for line in self._lines:
            groups.setdefault((line.round, line.table, line.repeat), []).append(line)
        for index, line in enumerate(shown):
            page = match_page(
                self._source,
                line,
                self._source.detail(line.number),
                group=groups[line.round, line.table, line.repeat],
                before=shown[index - 1] if index else None,
                after=shown[index + 1] if index + 1 < len(shown) else None,
                measured=self._measured,
            )
            file = self._page(listing.match_path(line.number), "match.html", match=page)
            yield replace(file, damaged=tuple(page.damaged.values()))
            if page.record is not None:
                yield File(f"matches/{line.number}.json", rfc8785.dumps(page.record) + b"\n")
                yield File(f"matches/{line.number}.csv", page.download.csv())

    def _page(self, path: str, template: str, **context: object) -> File:
        root = "../" * path.count("/")
        base = root + ("../" if self._prefix else "")
        rendered = self._environment.get_template(template).render(root=root, base=base, path=path, **context)
        return File(path, rendered.encode("utf-8"))


def _tables(path: str, table: DataTable) -> Iterator[File]:
    yield File(f"{path}.csv", table.csv())
    yield File(f"{path}.json", table.json())


def _environment(title: str, game: str, options: Options, *, several: bool = False) -> Environment:
    """Return a Jinja2 environment that escapes everything and refuses undefined names."""
    made = Environment(
        loader=FileSystemLoader(templates_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["count"] = text.count
    made.globals["site"] = {
        "title": title,
        "game": game,
        "measured": options.measured,
        "version": __version__,
        "several": several,
    }
    return made


def _static_files() -> Iterator[File]:
    """Yield the style sheets and scripts."""
    for name in STATIC:
        yield File(f"assets/{name}", (templates_dir() / "static" / name).read_bytes())
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
