"""The layout of a tournament's pages: everything that a process needs to render one, quick to import.

The templates and static files that ship are replaced by the files of a folder.
"""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    nodes,
)

from tourney import __version__
from tourney.bots.catalogue.shipped import templates_dir
from tourney.errors import UsageError
from tourney.report import display
from tourney.report.charts.chart import interval, interval_axis, sigmas
from tourney.report.terms import TERMS
from tourney.results.columns import WIDE
from tourney.texts import counted

ORIGINAL = "original"
"""The prefix of the templates that ship: ``{% extends "original/base.html" %}`` changes only some blocks."""

Context = dict[str, Any]
"""Values that a template sees under one name."""


@dataclass(frozen=True)
class Templates:
    """The templates of a report; files in ``folder`` replace those that ship. Picklable."""

    folder: Path | None = None

    @classmethod
    def of(cls, folder: Path | None) -> "Templates":
        """The templates with the files of a folder.

        Raises UsageError for a file that replaces nothing, is not UTF-8, or has a syntax error.
        """
        templates = cls(folder and folder.absolute())
        for name in templates.replaced:
            templates._check(name, templates.folders[-1] / name)
        return templates

    @cached_property
    def replaced(self) -> tuple[str, ...]:
        """The names of the replaced files, sorted, such as ``base.html`` and ``static/style.css``.

        Raises UsageError for a name that no file of the report has. Hidden files are ignored.
        """
        if self.folder is None:
            return ()
        try:
            names = sorted(_names(self.folder))
        except OSError as error:
            raise UsageError(f"--templates {self.folder} cannot be read: {error.strerror}") from error
        shipped_names = sorted(_names(templates_dir()))
        for name in names:
            if name not in shipped_names:
                raise UsageError(
                    f"{self.folder / name} replaces no file of the report; the names are"
                    f" {', '.join(shipped_names)}"
                )
        return tuple(names)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders with the templates and static files of all pages."""
        return (templates_dir(), *([self.folder] if self.folder else []))

    def read(self, name: str) -> bytes:
        """The content of a file by its name."""
        if self.folder is not None and name in self.replaced:
            return (self.folder / name).read_bytes()
        return (templates_dir() / name).read_bytes()

    def environment(self) -> Environment:
        """An environment that escapes everything, refuses undefined names, and has no ``safe``."""
        shipped = FileSystemLoader(templates_dir())
        replacements = [] if self.folder is None else [FileSystemLoader(self.folder)]
        made = Environment(
            loader=ChoiceLoader(
                [
                    *replacements,
                    shipped,
                    PrefixLoader({ORIGINAL: shipped}),
                    FunctionLoader(_packaged_template),
                ]
            ),
            autoescape=True,
            # A wrong name in a template is an error with its line, not an empty place on the page.
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        # Names and logs come from bots: a template cannot publish them as markup.
        del made.filters["safe"]
        return made

    def refusal(self, error: Exception) -> UsageError | None:
        """The refusal of an error in a replaced template, or None if the error is elsewhere."""
        if self.folder is None:
            return None
        if isinstance(error, TemplateSyntaxError):
            return _wrong(self.folder / (error.name or ""), error.lineno, error.message or "syntax error")
        # Jinja gives compiled templates the path and lines of their source.
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            path = Path(frame.filename)
            if path.is_relative_to(self.folder):
                message = error.message if isinstance(error, TemplateError) else ""
                return _wrong(path, frame.lineno or 1, message or f"{type(error).__name__}: {error}")
        return None

    def _check(self, name: str, path: Path) -> None:
        try:
            content = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise _wrong(path, line, "it is not UTF-8 text") from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        if not name.endswith(".html"):
            return
        environment = self.environment()
        try:
            parsed = environment.parse(content, name)
            environment.compile(content, name)
        except TemplateSyntaxError as error:
            raise _wrong(path, error.lineno, error.message or "syntax error") from error
        # Autoescape is what stands between hostile names and the page.
        for unsafe in parsed.find_all((nodes.EvalContextModifier, nodes.ScopedEvalContextModifier)):
            raise _wrong(path, unsafe.lineno, "autoescape cannot be changed: everything is escaped")
        template_names = {
            *_names(templates_dir()),
            *(f"{ORIGINAL}/{name}" for name in _names(templates_dir())),
        }
        for node in parsed.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
            target = getattr(node, "template", None)
            wanted = target.value if isinstance(target, nodes.Const) else None
            if wanted is not None and wanted not in template_names:
                raise _wrong(path, node.lineno, f"there is no template {wanted!r}")
            if wanted == name:
                raise _wrong(path, node.lineno, f"it uses itself; write {ORIGINAL}/{name} for the original")


def _packaged_template(name: str) -> str | None:
    """The template ``PACKAGE:NAME`` of an add-on, from the folder ``templates`` in its package."""
    package, colon, rest = name.partition(":")
    return (files(package) / "templates" / rest).read_text("utf-8") if colon else None


SHIPPED = Templates()
"""The templates that ship."""


def _wrong(path: Path, line: int, why: str) -> UsageError:
    return UsageError(f"{path}, line {line}: {' '.join(why.split())}")


def _names(folder: Path) -> Iterator[str]:
    """Yield the names of the files in a folder, with ``/``, without hidden ones."""
    if not folder.is_dir():
        raise NotADirectoryError(20, "it is not a folder", str(folder))
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        # Editors and file managers leave hidden files in a folder of templates.
        if not path.is_dir() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix()


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

    ``logs``: publish private parts too (see ``match_lines``). ``listed``: the most matches in the list, at
    least those with a page. ``address``: where the folder will be published, with a ``/`` at its end, or "".
    ``joined``, ``luck``: ratings count repeats as one observation, and may subtract luck.
    """

    measured: bool = True
    match_pages: int = MATCH_PAGES
    listed: int = LISTED
    logs: bool = False
    address: str = ""
    templates: Templates = SHIPPED
    live: Live | None = None
    joined: bool = True
    luck: bool = True


@dataclass(frozen=True, slots=True)
class File:
    """A file of the site: its path, with ``/``, and its content.

    ``damaged``: for each part that it omits although the database has it, a sentence with the reason.
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
    """A section: its first page (``path``), and the prefixes of the paths below it (``under``)."""

    title: str
    path: str
    under: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether a page is below the section's first page."""
        return path != self.path and path.startswith(self.under)


@dataclass(frozen=True, slots=True)
class Layout:
    """The values and templates that all pages of a tournament share; picklable. Templates see it as ``site``.

    Title and game are safe to show once escaped. ``prefix`` is the folder in a site of several tournaments,
    with its ``/``, or "". ``outside``: the sentence on an outside referee's limits, or "". Only a
    tournament's own pages have ``nav``.
    """

    title: str
    game: str
    measured: bool
    address: str = ""
    prefix: str = ""
    nav: tuple[Section, ...] = ()
    outside: str = ""
    version: str = __version__
    templates: Templates = SHIPPED

    @property
    def feed(self) -> bool:
        """Whether the tournament has a feed."""
        return bool(self.address and self.measured and self.nav)

    @property
    def card(self) -> str:
        """The address of the tournament's picture, or "" without one."""
        return f"{self.address}{self.prefix}{CARD}" if self.nav and self.address else ""

    def card_of(self, path: str) -> str:
        """The address of a page's picture: that of its bot or match, else the tournament's; "" without."""
        has_card = path.startswith(("bots/", "matches/"))
        beside = path.removesuffix(".html").removesuffix("-positions") + ".png"
        return f"{self.address}{self.prefix}{beside}" if has_card and self.card else self.card

    def url(self, path: str) -> str:
        """The address of a page on the web, or "" if it is not known."""
        return f"{self.address}{self.prefix}{path.removesuffix('index.html')}" if self.address else ""

    def section_of(self, path: str) -> Section | None:
        """The section that a page is below, or None."""
        return next((section for section in self.nav if section.holds(path)), None)

    def page(self, path: str, template: str, **context: object) -> File:
        """Render a page. Its path in the tournament's folder is also in the context, as ``path``.

        ``root`` leads to the tournament's folder, ``base`` to the site's, and ``url`` is the page's address.
        Raises UsageError for an error in a template that replaces one.
        """
        prefix = self.prefix
        root = "../" * path.count("/")
        base = root + ("../" if prefix else "")
        place = {
            "path": path,
            "place": prefix + path,
            "url": self.url(path),
            "card": self.card_of(path),
            "root": root,
            "base": base,
        }
        try:
            rendered = _environment(self).get_template(template).render({"live": None} | context | place)
        except Exception as error:
            refusal = self.templates.refusal(error)
            if refusal is None:
                raise
            raise refusal from error
        return File(prefix + path, rendered.encode("utf-8"))


_FUNCTIONS = (
    *(display.decimal, display.elo_text, display.halves, display.label, display.line, display.milliseconds),
    *(display.number, display.percent, display.points, display.reach, display.reason, display.share),
    *(display.short, display.span, interval, interval_axis, sigmas),
)
"""Functions that templates may call, by their names."""


# The compiled templates are cached with the environment; a report on many tournaments has many layouts.
@lru_cache(maxsize=8)
def _environment(layout: Layout) -> Environment:
    made = layout.templates.environment()
    made.globals |= {"site": layout, "section_of": layout.section_of}
    made.globals |= {function.__name__: function for function in _FUNCTIONS} | {
        "count": counted,
        "fault_words": display.FAULTS,
        "terms": TERMS,
        "WIDE": WIDE,
    }
    return made
