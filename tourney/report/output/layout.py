"""The layout of a tournament's pages: all that a process needs to render one of them, in a quick import."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from jinja2 import Environment

from tourney import __version__
from tourney.report import display
from tourney.report.output.templates import SHIPPED, Templates

MATCH_PAGES = 10_000
"""Default maximum of match pages."""
LISTED = 100_000
"""Default maximum of matches in the list: a browser filters that number without delay."""

CARD = "card.png"
"""The path of a tournament's picture for social networks."""


@dataclass(frozen=True, slots=True)
class Live:
    """A report of a running tournament: when it was written, in words, and the seconds until the next."""

    written: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Options:
    """The contents of a report. Without ``measured``, nothing outside the records' digests.

    ``logs``: publish private parts too (see ``match_detail``). ``listed``: the most matches in the list, at
    least those with a page. ``address``: where the folder will be published, with a ``/`` at its end, or "".
    """

    measured: bool = True
    match_pages: int = MATCH_PAGES
    listed: int = LISTED
    logs: bool = False
    address: str = ""
    templates: Templates = SHIPPED
    live: Live | None = None


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


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its first page (``path``), and how the paths of the pages below it begin (``under``)."""

    title: str
    path: str
    under: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether a page is below the section's first page."""
        return path != self.path and path.startswith(self.under)


@dataclass(frozen=True, slots=True)
class SiteValues:
    """The values that templates see as ``site``; title and game are safe to show once escaped.

    ``prefix`` is the folder in a site of several tournaments, with its ``/``, or "". ``outside`` says what an
    outside referee cannot promise, or is "". Only a tournament's own pages have ``nav``.
    """

    title: str
    game: str
    measured: bool
    address: str = ""
    prefix: str = ""
    nav: tuple[Section, ...] = ()
    outside: str = ""
    version: str = __version__

    @property
    def several(self) -> bool:
        """Whether it is one of several tournaments."""
        return bool(self.prefix)

    @property
    def feed(self) -> bool:
        """Whether the tournament has a feed."""
        return bool(self.address and self.measured and self.nav)

    @property
    def card(self) -> str:
        """The address of the tournament's picture, or "" without one."""
        return f"{self.address}{self.prefix}{CARD}" if self.nav and self.address else ""

    @property
    def card_said(self) -> str:
        """The picture in words."""
        return f"The first bots of {self.title}"

    def url(self, path: str) -> str:
        """The address of a page on the web, or "" if it is not known."""
        return f"{self.address}{self.prefix}{path.removesuffix('index.html')}" if self.address else ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The values and templates that all pages of a tournament share; picklable."""

    site: SiteValues
    templates: Templates = SHIPPED

    def page(self, path: str, template: str, **context: object) -> File:
        """Render a page. Its path in the tournament's folder is also in the context, as ``path``.

        ``root`` leads to the tournament's folder, ``base`` to the site's, and ``url`` is the page's address.
        Raises UsageError for an error in a template that replaces one.
        """
        prefix = self.site.prefix
        root = "../" * path.count("/")
        base = root + ("../" if prefix else "")
        place = {"path": path, "place": prefix + path, "url": self.site.url(path), "root": root, "base": base}
        try:
            rendered = _environment(self).get_template(template).render({"live": None} | context | place)
        except Exception as error:
            refusal = self.templates.refusal(error)
            if refusal is None:
                raise
            raise refusal from error
        return File(prefix + path, rendered.encode("utf-8"))


@lru_cache(maxsize=8)
def _environment(layout: Layout) -> Environment:
    """The templates, which escape everything and refuse undefined names."""
    made = layout.templates.environment()
    made.globals |= {"site": layout.site, "section_of": partial(_section_of, layout.site.nav)}
    made.globals |= {"count": display.count}
    return made


def _section_of(sections: Sequence[Section], path: str) -> Section | None:
    """The section that a page is below, or None."""
    return next((section for section in sections if section.holds(path)), None)
