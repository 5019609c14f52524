"""The report of a running tournament: what its pages say, when they change, and how they reload."""

import json
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.report import world
from tests.report.browser import needs_browser, probe
from tests.report.output.test_write import tree
from tests.support.command import invoke
from tourney.report.output.placement import MANIFEST
from tourney.report.output.rendering import LIVE_STATE
from tourney.store.database import Database


@pytest.fixture
def cup(tmp_path: Path) -> str:
    """The database of a tournament of which three of six matches are played."""
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as repository:
        world.play_all(repository, world.begin(repository, "abc"), most=3)
    return path


def play(path: str, most: int | None = None) -> None:
    with Database.open(path, write=True) as repository:
        world.play_all(repository, repository.tournaments.get(), most=most)


def report(db: str, out: Path, *words: str) -> Result:
    shown = invoke("report", "--db", db, "--out", str(out), *words)
    assert shown.exit_code == 0, shown.stderr
    return shown


def said(out: Path) -> dict[str, object]:
    text = (out / LIVE_STATE).read_text(encoding="ascii")
    found: dict[str, object] = json.loads(text.removeprefix("window.TourneyLive=").rstrip().removesuffix(";"))
    return found


def watched(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> list[float]:
    """Let each pause of ``--watch`` do a step instead; return the pauses."""
    pauses: list[float] = []
    left = iter(steps)

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        next(left)()

    monkeypatch.setattr(time, "sleep", pause)
    return pauses


def test_watch_writes_until_the_tournament_is_finished(
    cup: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    states: list[dict[str, object]] = []

    def step(most: int | None) -> Callable[[], object]:
        def do() -> None:
            states.append(said(out))
            play(cup, most)

        return do

    pauses = watched(monkeypatch, step(1), step(0), step(None))
    shown = report(cup, out, "--watch", "7")
    assert pauses == [7, 7, 7]
    assert shown.stdout == f"{out / 'index.html'}\n"
    # The pause in which nothing was played wrote nothing.
    assert shown.stderr.count(" pages, ") == 3
    assert ["3 matches are still to play" in str(states[0]["said"]), states[1] == states[2]] == [True, True]
    assert said(out)["over"] is True
    assert "live.js" not in (out / "index.html").read_text(encoding="utf-8")


def test_watch_of_a_finished_tournament_ends_at_once(
    cup: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(cup)
    assert watched(monkeypatch) == []
    report(cup, tmp_path / "out", "--watch")
    report(cup, tmp_path / "plain")
    live, plain = tree(tmp_path / "out"), tree(tmp_path / "plain")
    assert set(live) - set(plain) == {LIVE_STATE}
    changed = {path for path in plain if plain[path] != live[path]}
    assert changed == {MANIFEST, "tourney-report.json"}


@pytest.mark.parametrize("value", ["cup", "0", "1.5"])
def test_wrong_seconds_name_both_ways_to_write_them(value: str) -> None:
    shown = invoke("report", "--watch", value)
    assert shown.exit_code == 2
    assert f"{value!r} is not a number of seconds" in shown.stderr
    assert "tourney report TOURNAMENT --watch" in shown.stderr


def test_only_the_first_page_says_when_it_was_written(cup: str, tmp_path: Path) -> None:
    report(cup, tmp_path / "out", "--live", "60")
    report(cup, tmp_path / "plain")
    live, plain = tree(tmp_path / "out"), tree(tmp_path / "plain")
    dated = {path for path, content in live.items() if b"Written 2" in content}
    assert dated == {"index.html", LIVE_STATE}
    scripted = {path for path, content in live.items() if b"assets/live.js" in content}
    assert not any(path.startswith("matches/") for path in scripted)
    assert {"index.html", "matches.html", "crosstable.html"} <= scripted
    assert not any(b"data/live.js" in plain[path] for path in plain if path.endswith(".html"))
    assert {path for path in plain if path.startswith("matches/") and plain[path] != live[path]} == set()


def test_reports_without_measurements_are_not_live(cup: str, tmp_path: Path) -> None:
    report(cup, tmp_path / "live", "--live", "60", "--no-measured")
    report(cup, tmp_path / "plain", "--no-measured")
    assert tree(tmp_path / "live") == tree(tmp_path / "plain")


def test_page_opens_in_a_browser_or_is_named(
    cup: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def found(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", found)
    shown = report(cup, tmp_path / "out", "--open")
    assert opened == [(tmp_path / "out" / "index.html").as_uri()]
    assert "browser" not in shown.stderr

    def none(url: str) -> bool:
        raise webbrowser.Error("could not locate runnable browser")

    for missing in (none, lambda url: False):
        monkeypatch.setattr(webbrowser, "open", missing)
        shown = report(cup, tmp_path / "out", "--open")
        assert f"no browser could be started: open {tmp_path / 'out' / 'index.html'} in one" in shown.stderr


@pytest.mark.browser
@needs_browser
def test_changed_pages_reload_with_what_was_chosen(cup: str, tmp_path: Path) -> None:
    """Each load of the state names another version of the page, so a look at it reloads."""
    report(cup, tmp_path / "out", "--live", "60")
    changing = """
    window.versions = (window.versions || 0) + 1;
    window.TourneyLive = {said: `Written ${versions}.`, over: false, seconds: 60,
                          pages: {'crosstable.html': String(versions), 'index.html': 'same'}};
    """
    (tmp_path / "out" / LIVE_STATE).write_text(changing, encoding="ascii")
    script = """
    const wait = ms => new Promise(done => setTimeout(done, ms));
    const shade = document.getElementById('shade-residual');
    if (!sessionStorage.getItem('again')) {
      sessionStorage.setItem('again', '1');
      shade.checked = true;
      scrollTo(0, 150);
      await wait(4000);
      window.TourneyLook();
      await wait(10000);
      return 'no reload';
    }
    return [shade.checked, scrollY, document.getElementById('live').textContent];
    """
    found = probe(tmp_path / "out" / "crosstable.html", script, tmp_path / "profile", height=300)
    assert found == [True, 150, "Written 1."]
    unchanged = """
    window.TourneyLook();
    await new Promise(done => setTimeout(done, 4000));
    return [window.versions, document.getElementById('live').textContent];
    """
    found = probe(tmp_path / "out" / "index.html", unchanged, tmp_path / "profile")
    assert found == [2, "Written 2."]
