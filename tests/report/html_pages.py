"""Parse pages strictly: elements closed in order, no duplicate attributes, all references listed."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "input", "br", "img", "hr"}
SVG = {"path", "line", "circle", "rect", "use", "text", "g", "image"}


class Page(HTMLParser):
    """A parsed page: ``problems`` with its form, and the text of its elements ``by_id``."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[str] = []
        self.inside: list[str] = []
        self.by_id: dict[str, str] = {}
        self.problems: list[str] = []
        self.ids: list[str] = []
        self.references: list[tuple[str, str]] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        if self.stack:
            self.problems.append(f"not closed: {self.stack}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        # The items of a match's long list leave out their ends, as HTML allows.
        if tag == "li" and self.stack[-1:] == ["li"]:
            self._leave()
        if tag not in VOID:
            self.stack.append(tag)
            self.inside.append(dict(attrs).get("id") or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in SVG:
            self.problems.append(f"<{tag}/> outside of a picture")

    def _leave(self) -> str:
        """Leave the innermost element."""
        self.inside.pop()
        return self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag == "ol" and self.stack[-1:] == ["li"]:
            self._leave()
        if not self.stack or self._leave() != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data: str) -> None:
        for name in self.inside:
            if name:
                self.by_id[name] = self.by_id.get(name, "") + data
        (self.scripts if self.stack and self.stack[-1] == "script" else self.text).append(data)

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.problems.append(f"<{tag}> has an attribute twice: {names}")
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        self.references += [(name, found[name]) for name in ("href", "src") if name in found]
        self.problems += [f"<{tag} {name}>" for name in names if name.startswith("on")]


@cache
def read(path: Path) -> Page:
    """Parse a page of a report that no longer changes."""
    return Page(path.read_text(encoding="utf-8"))


def pages(folder: Path) -> list[Path]:
    """Return all pages of a report."""
    return sorted(folder.rglob("*.html"))
