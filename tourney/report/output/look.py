"""The look of a tournament's pages: what any process needs to render one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from jinja2 import Environment

from tourney import __version__
from tourney.report import text
from tourney.report.charts.vega import available
from tourney.report.output.templates import SHIPPED, Templates

if TYPE_CHECKING:
    from tourney.report.output.live import Live

MATCH_PAGES = 10_000
"""Default maximum of match pages."""
LISTED = 100_000
"""Default maximum of matches in the list: a browser filters so many without delay."""


CARD = "card.png"
"""The path of a tournament's picture for social networks."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its first page (``path``), and how the paths of the pages below it begin (``under``)."""

    title: str
    path: str
    under: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Return whether a page is below the section's first page."""
        return path != self.path and path.startswith(self.under)


def section_of(sections: Sequence[Section], path: str) -> Section | None:
    """Return the section that a page is below, or None."""
    return next((section for section in sections if section.holds(path)), None)


@dataclass(frozen=True, slots=True)
class Options:
    """The contents of a report. Without ``measured``, nothing outside the records' digests.

    ``logs``: publish bots' standard error, the host's name and errors of the machine too (see ``privacy``).
    ``listed``: the most matches in the list, at least those with a page. ``address``: where the folder will
    be published, with a ``/`` at its end, or "". ``templates``: what pages are made with. ``live``: pages say
    when they were written, and reload, while the tournament runs.
    """

    measured: bool = True
    match_pages: int = MATCH_PAGES
    listed: int = LISTED
    logs: bool = False
    address: str = ""
    templates: Templates = SHIPPED
    live: "Live | None" = None


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


@dataclass(frozen=True)
class Look:
    """What all pages of a tournament have in common; picklable.

    ``site`` are the values that templates see as ``site``, ``prefix`` the folder in a site of several
    tournaments, with its ``/``, or "".
    """

    site: tuple[tuple[str, Any], ...]
    prefix: str = ""
    templates: Templates = SHIPPED

    @classmethod
    def of(
        cls,
        title: str,
        game: str,
        options: Options,
        prefix: str = "",
        nav: tuple[Section, ...] = (),
        outside: str = "",
    ) -> "Look":
        """Return the look of the pages of a report; title and game are safe to show once escaped.

        ``outside``: what an outside referee cannot promise, for every page, or "".
        """
        values = {
            "title": title,
            "game": game,
            "measured": options.measured,
            "version": __version__,
            "several": bool(prefix),
            "outside": outside,
            "nav": nav,
            "address": options.address,
            "feed": bool(options.address and options.measured and nav),
            "card": f"{options.address}{prefix}{CARD}" if nav and options.address and available() else "",
            "card_said": f"The first bots of {title}",
        }
        return cls(tuple(values.items()), prefix, options.templates)

    @property
    def card(self) -> str:
        """The address of the tournament's picture, or "" if it has none."""
        return str(dict(self.site)["card"])

    @cached_property
    def environment(self) -> Environment:
        """The templates, which escape everything and refuse undefined names."""
        made = self.templates.environment()
        made.globals["count"] = text.count
        made.globals["site"] = site = dict(self.site)
        made.globals["section_of"] = partial(section_of, site["nav"])
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the templates, which every process reads by itself."""
        return {"site": self.site, "prefix": self.prefix, "templates": self.templates}

    def page(self, path: str, template: str, **context: object) -> File:
        """Render a page. Its path in the tournament's folder is also in the context, as ``path``.

        ``root`` leads to the tournament's folder, ``base`` to the site's, and ``url`` is the page's address.
        Raises UsageError for an error in a template that replaces one.
        """
        root = "../" * path.count("/")
        base = root + ("../" if self.prefix else "")
        place = {"path": path, "place": self.prefix + path, "url": self.url(path)}
        context = {"live": None, **context, **place, "root": root, "base": base}
        try:
            rendered = self.environment.get_template(template).render(context)
        except Exception as error:
            refusal = self.templates.refusal(error)
            if refusal is None:
                raise
            raise refusal from error
        return File(self.prefix + path, rendered.encode("utf-8"))

    def url(self, path: str) -> str:
        """Return the address of a page on the web, or "" where that is not known."""
        address = dict(self.site)["address"]
        return f"{address}{self.prefix}{path.removesuffix('index.html')}" if address else ""
