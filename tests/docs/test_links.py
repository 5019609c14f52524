"""Links between pages of the documentation lead somewhere, and every page can be reached."""

import importlib
import re
from pathlib import Path

import pytest

from tests.support.addons import ABSENT
from tests.support.command import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md"))


def links(page: Path) -> list[str]:
    """The targets of a page's links, without those inside code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target.is_relative_to(ROOT) and is_absent(str(target.relative_to(ROOT))):
            continue
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_can_be_reached_from_the_index() -> None:
    seen: set[Path] = set()
    waiting = [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        waiting += [
            (page.parent / link.partition("#")[0]).resolve()
            for link in links(page)
            if "://" not in link and link.partition("#")[0]
        ]
    assert [page for page in PAGES if page not in seen] == []


def test_paths_in_code_exist() -> None:
    """Every path of the tree that a page names as code is there."""
    code_path = re.compile(r"`((?:tourney|tests|docs|seeds|engines|benchmarks|templates)/[\w./-]+)`")
    missing = [
        f"{page.name}: {path}"
        for page in [*PAGES, ROOT / "README.md", *ROOT.glob("*/README.md")]
        for path in code_path.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / path).exists() and not is_absent(path)
    ]
    assert missing == []


def is_absent(path: str) -> bool:
    """Whether a path is of an add-on that is absent from this checkout, or of its tests."""
    return any(path.startswith((f"tourney/addons/{name}", f"tests/addons/{name}")) for name in ABSENT)


def leads_somewhere(name: str) -> bool:
    """Whether a dotted name is a module of the package, or a chain of attributes of one."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_modules_in_code_exist() -> None:
    """Every dotted name of the package that a page names as code is there."""
    groups = {f"tourney.{group}" for group in ("games", "game_families", "formats", "rating_methods")}
    groups |= {f"tourney.{group}" for group in ("executors", "sandboxes", "protocols", "db")}
    missing = [
        f"{page.name}: {name}"
        for page in [*PAGES, ROOT / "README.md"]
        for name in re.findall(r"`(tourney\.\w+(?:\.\w+)*)[`(]", page.read_text(encoding="utf-8"))
        if name not in groups
        if not leads_somewhere(name) and not is_absent(name.replace(".", "/"))
    ]
    assert missing == []
