"""Every kind of page in a browser, with hostile texts: safe, accessible, and fit for every screen."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.report import fonts, world
from tests.report.browser import BROWSER, needs_browser
from tests.report.html_pages import pages
from tests.support.sites import sites
from tourney.match.result import LogLine
from tourney.report.output.layout import Options
from tourney.report.output.write import write
from tourney.report.pages.match_lines import MatchDetail
from tourney.report.site import Versions
from tourney.report.source import ReportSource, load
from tourney.results.versions import Wanted, pools_of_games
from tourney.store.database import Database
from tourney.store.presentation import Link, Presentation

playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")

pytestmark = [pytest.mark.browser, needs_browser]

XSS = "</script></title><img src=x onerror=alert(3)><svg onload=alert(4)>"
LINES = (
    f"score=1.5 depth=3 {XSS}=1 nodes=1e99 pv {XSS}",
    "score=nan depth=inf time=-1 \u202epv evil\u202c",
    f"</table></main>{'x' * 3000}",
)
WIDTHS = (320, 390, 500, 768, 1280)
PRESENTATION = Presentation(
    title=f"Cup {XSS}",
    description=f"One {XSS}\n\n\u202eTwo [link](javascript:alert(5)) {'y' * 400}",
    links=(Link(XSS, "https://example.org/?a=1&b='\"><script>"), Link("z" * 200, "mailto:a@example.org")),
    logo=b64encode(b'<svg xmlns="http://www.w3.org/2000/svg" width="999" height="9"/>').decode("ascii"),
)


@dataclass(frozen=True)
class Whole:
    """A report on several tournaments with all options on."""

    folder: Path

    @cached_property
    def paths(self) -> tuple[str, ...]:
        return tuple(path.relative_to(self.folder).as_posix() for path in pages(self.folder))

    @cached_property
    def kinds(self) -> dict[str, str]:
        """A page of each kind, by its path without numbers and names; of matches one with a fault."""
        found: dict[str, str] = {}
        for path in self.paths:
            kind = re.sub(r"^t\d+-[^/]*/", "t/", path)
            kind = re.sub(r"\d+(-[a-z0-9-]+)*(?=\.)", "N", kind)
            if kind not in found or path.endswith("matches/5.html"):
                found[kind] = path
        return found

    def url(self, path: str) -> str:
        return f"file://{self.folder / path}"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    base = tmp_path_factory.mktemp("whole")
    names = world.HOSTILE
    plans: Sequence[dict[str, Any]] = (
        {"names": names[:3], "game": "element"},
        {"names": names, "format_": "swiss", "rounds": 2},
        {"names": names[3:8], "format_": "knockout"},
    )
    with Database.open(str(base / "t.db"), create=True) as repository:
        sources = []
        for number, plan in enumerate(plans):
            tournament = world.begin(repository, name=f"{XSS}{number}", **plan)
            repository.tournaments.keep_presentation(tournament.id, PRESENTATION)
            world.play_out(repository, tournament, void=(2,))
            sources.append(hostile(load(repository, repository.tournaments.by_id(tournament.id))))
        options = Options(logs=True, address="https://example.org/cup/")
        versions = Versions(pools_of_games(repository, Wanted()))
        write(sites(sources, options, versions), base / "out")
    return Whole(base / "out")


def hostile(source: ReportSource) -> ReportSource:
    """Return a source in whose logs bots wrote markup as ``info`` and on standard error."""

    def detail(number: int) -> MatchDetail:
        found = source.detail(number)
        kinds = ("info", "stderr", "note")
        more = [LogLine(ply, 1 + ply % 2, kinds[ply % 3], line) for ply in range(3) for line in LINES]  # type: ignore[arg-type] # made of kinds
        return replace(found, log=(*found.log, *more)) if found.record else found

    return replace(source, detail=detail)


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """The machine's Chromium; tests open windows of their own."""
    with playwright.sync_playwright() as driver:
        words = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = driver.chromium.launch(executable_path=BROWSER, args=words)
        yield browser
        browser.close()


@contextmanager
def window(chrome: Any, *, width: int = 1280, **how: Any) -> Iterator[Any]:
    """Yield a window without network; how: what the reader's system asks for, such as ``color_scheme``."""
    context = chrome.new_context(viewport={"width": width, "height": 900}, offline=True, **how)
    try:
        yield context.new_page()
    finally:
        context.close()


def test_site_has_all_kinds_of_pages(whole: Whole) -> None:
    assert {
        "index.html",
        "t/index.html",
        "t/crosstable.html",
        "t/matches.html",
        "t/matches/N.html",
        "t/bots/N.html",
        "t/pairs/N.html",
        "t/rounds.html",
        "t/round-N.html",
        "t/bracket.html",
        "t/game.html",
        "t/rules.html",
        "t/faults.html",
        "t/overload.html",
        "t/audit.html",
        "t/methods.html",
        "t/history.html",
    } <= whole.kinds.keys()


def test_hostile_texts_run_nothing_and_load_nothing(whole: Whole, chrome: Any) -> None:
    said: list[str] = []

    def answer(dialog: Any) -> None:
        said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    with window(chrome) as page:
        page.on("console", lambda message: said.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", answer)
        page.on("request", lambda request: said.append(f"request: {request.url}"))
        inside = f"request: file://{whole.folder}/"
        for path in whole.paths:
            page.goto(whole.url(path))
            marked = page.evaluate(
                "[...document.querySelectorAll('*')].filter(e => [...e.attributes].some("
                "a => /^on/.test(a.name) || /^\\s*javascript:/i.test(a.value))).map(e => e.outerHTML)"
            )
            assert marked == [], path
            assert [one for one in said if not one.startswith((inside, "request: data:"))] == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_accessibility_finding(whole: Whole, chrome: Any, scheme: str) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    script = (
        "axe.run({preload: false}).then(found => found.violations"
        ".map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 300) + n.failureSummary)]))"
    )
    found = {}
    with window(chrome, color_scheme=scheme) as page:
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            # Twice: a plot that is open offers its table.
            for _ in range(2):
                page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            page.wait_for_timeout(20)
            page.evaluate(axe)
            found[kind] = page.evaluate(script)
    assert {kind: each for kind, each in found.items() if each} == {}


@pytest.mark.parametrize("font", fonts.ADVANCES)
def test_pages_fit_all_screens_in_any_font(whole: Whole, chrome: Any, font: str) -> None:
    script = """
    () => {
      const inner = document.documentElement.clientWidth;
      const over = e => e.getBoundingClientRect().right > inner + 1;
      const clipped = e => {
        for (let p = e.parentElement; p; p = p.parentElement)
          if (getComputedStyle(p).overflowX !== 'visible' && !over(p)) return true;
        return false;
      };
      const wide = [...document.querySelectorAll('body *')].filter(e =>
        over(e) && !e.matches('.unseen, .skip') && !e.closest('svg, [hidden]') && !clipped(e)
        || e.matches('.tiles b') && e.scrollWidth > e.clientWidth + 1);
      const names = wide.slice(0, 4).map(e => e.tagName + '.' + e.className);
      return [document.documentElement.scrollWidth - inner, names];
    }
    """
    found = {}
    with window(chrome) as page:
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            page.add_style_tag(content=fonts.style(font))
            assert page.evaluate(f"document.fonts.load('16px test-{font}').then(found => found.length)") == 1
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                over, wide = page.evaluate(script)
                if over > 0 or wide:
                    found[kind, width] = (over, wide)
    assert found == {}


@pytest.mark.parametrize("font", fonts.ADVANCES)
def test_phone_shows_rating_and_interval_without_scrolling(whole: Whole, chrome: Any, font: str) -> None:
    script = """
    () => [...document.querySelectorAll('.standings tbody tr')].map(row => {
      const box = row.closest('.scroll').getBoundingClientRect();
      const cell = row.querySelector('.elo').getBoundingClientRect();
      return cell.width > 0 && cell.left >= box.left && cell.right <= box.right;
    })
    """
    with window(chrome, width=390) as page:
        for path in whole.paths:
            if path.endswith("/index.html"):
                page.goto(whole.url(path))
                page.add_style_tag(content=fonts.style(font))
                page.evaluate(f"document.fonts.load('16px test-{font}').then(found => found.length)")
                rows = page.evaluate(script)
                assert rows, path
                assert all(rows), path


def test_keyboard_reaches_content_and_all_that_scrolls(whole: Whole, chrome: Any) -> None:
    script = """
    () => [...document.querySelectorAll('*')].filter(e => {
      const style = getComputedStyle(e);
      const x = /auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
      const y = /auto|scroll/.test(style.overflowY) && e.scrollHeight > e.clientHeight + 1;
      const stop = e.tabIndex >= 0 || e.querySelector('a, button, input, [tabindex="0"]');
      return (x || y) && e.clientWidth && !stop;
    }).map(e => e.outerHTML.slice(0, 200))
    """
    with window(chrome, width=320) as page:
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            assert page.evaluate(script) == [], kind
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.className") == "skip", kind
            page.keyboard.press("Enter")
            page.keyboard.press("Tab")
            inside = (
                "document.activeElement === document.body || !!document.activeElement.closest('main, footer')"
            )
            assert page.evaluate(inside), kind


def test_scrolling_regions_are_named_without_scripts(whole: Whole, chrome: Any) -> None:
    script = """
    () => [...document.querySelectorAll('.scroll')].filter(e =>
      !e.matches('[tabindex="0"][role="region"][aria-label]'))
      .map(e => e.outerHTML.slice(0, 200))
    """
    with window(chrome, java_script_enabled=False) as page:
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            assert page.evaluate(script) == [], kind
            assert page.locator("h1").count() == 1, kind
            assert len(page.locator("main").inner_text()) > 150, kind


def test_paper_has_no_navigation_and_cuts_no_table(whole: Whole, chrome: Any) -> None:
    script = """
    () => ({
      paper: getComputedStyle(document.body).backgroundColor,
      ink: getComputedStyle(document.body).color,
      shown: [...document.querySelectorAll('.top nav, .theme, .trail, .get, .filter')]
        .filter(e => getComputedStyle(e).display !== 'none').map(e => e.className),
      cut: [...document.querySelectorAll('.scroll')]
        .filter(e => getComputedStyle(e).overflowX !== 'visible').length,
    })
    """
    with window(chrome, color_scheme="dark") as page:
        page.emulate_media(media="print")
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            white = {"paper": "rgb(255, 255, 255)", "ink": "rgb(0, 0, 0)", "shown": [], "cut": 0}
            assert page.evaluate(script) == white, kind


def test_nothing_moves_where_the_reader_asks_for_that(whole: Whole, chrome: Any) -> None:
    script = """
    () => [...document.querySelectorAll('*')].filter(e => {
      const style = getComputedStyle(e);
      return parseFloat(style.transitionDuration) > 0 && style.transitionProperty !== 'none'
        || style.animationName !== 'none' || style.scrollBehavior === 'smooth';
    }).map(e => e.outerHTML.slice(0, 200))
    """
    with window(chrome, reduced_motion="reduce") as page:
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            assert page.evaluate(script) == [], kind


def test_seats_keep_their_colors_in_high_contrast(whole: Whole, chrome: Any) -> None:
    with window(chrome, forced_colors="active") as page:
        page.goto(whole.url(whole.kinds["t/matches/N.html"]))
        colors = page.evaluate(
            "[...document.querySelectorAll('.c')].slice(0, 9).map(e => getComputedStyle(e).backgroundColor)"
        )
    assert len(set(colors)) > 1


def test_header_marks_the_section_of_every_page(whole: Whole, chrome: Any) -> None:
    with window(chrome) as page:
        for kind, path in whole.kinds.items():
            page.goto(whole.url(path))
            marked = page.locator(".top nav [aria-current]")
            sections = kind.startswith("t/")  # the others are about all tournaments
            assert marked.count() == sections, kind
            if kind.startswith("versions"):
                assert page.locator(".trail li").first.inner_text() == "All tournaments"
            if sections:
                trail = page.locator(".trail li")
                assert trail.first.inner_text() == "All tournaments", kind
                below = marked.get_attribute("aria-current") == "true"
                assert trail.count() == (3 if below else 2), kind
