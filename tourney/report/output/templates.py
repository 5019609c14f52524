"""The templates and static files of a report; those that ship are replaced by the files of a folder."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    nodes,
)

from tourney.errors import UsageError
from tourney.resources import templates_dir

ORIGINAL = "original"
"""The prefix of the templates that ship: ``{% extends "original/base.html" %}`` changes only some blocks."""

_STATIC = "static"


@dataclass(frozen=True)
class Templates:
    """The templates of a report; files in ``folder`` replace those that ship. Picklable."""

    folder: Path | None = None

    @classmethod
    def of(cls, folder: Path | None) -> "Templates":
        """The templates with the files of a folder.

        Raises UsageError for a file that replaces nothing, is not UTF-8, or has a syntax error.
        """
        found = cls(folder and folder.absolute())
        for name in found.replaced:
            found._check(name, found.folders[-1] / name)
        return found

    @cached_property
    def replaced(self) -> tuple[str, ...]:
        """The names of the replaced files, sorted, such as ``base.html`` and ``static/style.css``.

        Raises UsageError for a name that no file of the report has. Hidden files are ignored.
        """
        if self.folder is None:
            return ()
        try:
            found = sorted(_names(self.folder))
        except OSError as error:
            raise UsageError(f"--templates {self.folder} cannot be read: {error.strerror}") from error
        known = sorted(_names(templates_dir()))
        for name in found:
            if name not in known:
                raise UsageError(
                    f"{self.folder / name} replaces no file of the report; the names are {', '.join(known)}"
                )
        return tuple(found)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of all files that pages are made with."""
        return (templates_dir(), *([self.folder] if self.folder else []))

    def static(self, name: str) -> bytes:
        """The content of a style sheet or script."""
        return self.read(f"{_STATIC}/{name}")

    def read(self, name: str) -> bytes:
        """The content of a file by its name."""
        if self.folder is not None and name in self.replaced:
            return (self.folder / name).read_bytes()
        return (templates_dir() / name).read_bytes()

    def environment(self) -> Environment:
        """An environment that escapes everything, refuses undefined names, and has no ``safe``."""
        shipped = FileSystemLoader(templates_dir())
        own = [] if self.folder is None else [FileSystemLoader(self.folder)]
        made = Environment(
            loader=ChoiceLoader([*own, shipped, PrefixLoader({ORIGINAL: shipped})]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        # Names and logs come from bots: a template cannot publish them as markup.
        del made.filters["safe"]
        return made

    def refusal(self, error: Exception) -> UsageError | None:
        """What to say of an error in a replaced template, or None if it is not in one."""
        if self.folder is None:
            return None
        if isinstance(error, TemplateSyntaxError):
            return _wrong(self.folder / (error.name or ""), error.lineno, error.message or "syntax error")
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            path = Path(frame.filename)
            if path.is_relative_to(self.folder):
                said = error.message if isinstance(error, TemplateError) else ""
                return _wrong(path, frame.lineno or 1, said or f"{type(error).__name__}: {error}")
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
        for unsafe in parsed.find_all((nodes.EvalContextModifier, nodes.ScopedEvalContextModifier)):
            raise _wrong(path, unsafe.lineno, "autoescape cannot be changed: everything is escaped")
        known = {*_names(templates_dir()), *(f"{ORIGINAL}/{name}" for name in _names(templates_dir()))}
        for node in parsed.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
            target = getattr(node, "template", None)
            wanted = target.value if isinstance(target, nodes.Const) else None
            if wanted is not None and wanted not in known:
                raise _wrong(path, node.lineno, f"there is no template {wanted!r}")
            if wanted == name:
                raise _wrong(path, node.lineno, f"it uses itself; write {ORIGINAL}/{name} for the original")


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
        if not path.is_dir() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix()
