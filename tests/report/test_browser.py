"""The report in a real browser: replay, keys and links, sorting, filtering, themes, small screens."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.report import world
from tests.report.browser import colours, needs_browser, probe
from tests.support.sessions import analyzed, searching
from tests.support.sites import site
from tourney.games.diagrams import GROUNDS, TOKENS
from tourney.games.registry import find_game
from tourney.report.output.write import write
from tourney.report.replays.replay import BoardReplay, replay
from tourney.report.source import ReportSource, load
from tourney.store.database import Database

pytestmark = [pytest.mark.browser, needs_browser]

STATE = """
const state = () => ({
  ply: +document.getElementById('slider').value,
  notes: [...document.querySelectorAll('#notes li')].map(li => li.textContent),
  position: document.getElementById('position').textContent,
  now: document.getElementById('now').textContent,
  hash: location.hash,
  marked: [...document.querySelectorAll('#moves [aria-current]')].map(a => +a.dataset.ply),
  playing: document.getElementById('play').getAttribute('aria-label'),
  speed: document.getElementById('speed').value,
  trouble: document.getElementById('trouble').hidden ? '' : document.getElementById('trouble').textContent,
  shown: [...document.querySelectorAll('.players [data-seat]')].sort(
    (a, b) => a.dataset.seat - b.dataset.seat).map(li => ({
    acting: li.classList.contains('acting'),
    clock: li.querySelector('.clock') ? li.querySelector('.clock').textContent : '',
    think: li.querySelector('.think') ? li.querySelector('.think').textContent : '',
    info: Object.fromEntries([...document.querySelectorAll(
      `[data-of="${li.dataset.seat}"] .info div`)].map(
      d => [d.firstChild.textContent, d.lastChild.textContent])),
  })),
  drawn: document.getElementById('drawn').textContent,
});
const key = k => document.dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true}));
const wait = ms => new Promise(done => setTimeout(done, ms));
"""


@dataclass(frozen=True)
class Site:
    """A report on one game, and its first match's replay."""

    folder: Path
    source: ReportSource
    film: BoardReplay
    profile: Path

    def page(self, path: str) -> Path:
        return self.folder / path


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profile")


def made(base: Path, profile: Path, game: str, names: tuple[str, ...], most: int) -> Iterator[Site]:
    with Database.open(str(base / "t.db"), create=True) as repository:
        tournament = world.begin(repository, names, game=game)
        world.play_all(repository, tournament, most=most)
        source = load(repository, repository.tournaments.get())
        write(site(source), base / "out")
        record = source.detail(1).record
        assert record is not None
        yield Site(base / "out", source, replay(source.game, record), profile)


@pytest.fixture(scope="module")
def stones(tmp_path_factory: pytest.TempPathFactory, profile: Path) -> Iterator[Site]:
    yield from made(tmp_path_factory.mktemp("stones"), profile, "sage-stones", world.HOSTILE[:6], 30)


@pytest.fixture(scope="module")
def cyvasse(tmp_path_factory: pytest.TempPathFactory, profile: Path) -> Iterator[Site]:
    yield from made(tmp_path_factory.mktemp("cyvasse"), profile, "cyvasse", ("a", "b"), 2)


@pytest.mark.parametrize("name", ["stones", "cyvasse"])
def test_replay_frames_match_the_rules(name: str, request: pytest.FixtureRequest) -> None:
    site_: Site = request.getfixturevalue(name)
    last = site_.film.count - 1
    script = STATE + "key('Home'); const all = [state()];"
    script += f"for (let k = 0; k < {last}; k++) {{ key('ArrowRight'); all.push(state()); }} return all;"
    found = probe(site_.page("matches/1.html"), script, site_.profile)
    assert len(found) == last + 1
    for ply, state in enumerate(found):
        assert state["ply"] == ply
        assert tuple(state["notes"]) == site_.film.notes(ply)
        assert state["position"] == site_.film.position(ply)
        assert state["marked"] == [ply]


def test_keys_buttons_and_links_step_the_replay(stones: Site) -> None:
    last = stones.film.count - 1
    script = (
        STATE
        + """
        const seen = [state()];
        const slider = document.getElementById('slider');
        const then = async act => { act(); await wait(300); seen.push(state()); };
        await then(() => key('End'));
        await then(() => key('ArrowLeft'));
        await then(() => key('Home'));
        await then(() => key('ArrowLeft'));
        await then(() => document.querySelector('[data-go=last]').click());
        await then(() => document.querySelector('#moves a[href="#ply=2"]').click());
        await then(() => { slider.value = 3; slider.dispatchEvent(new Event('input')); });
        await then(() => key('x'));
        return seen;
        """
    )
    seen = probe(stones.page("matches/1.html"), script, stones.profile, fragment="#ply-4")
    assert [state["ply"] for state in seen] == [4, last, last - 1, 0, 0, last, 2, 3, 3]
    assert seen[0]["now"].startswith(f"Action 4 of {last}: ")
    assert [state["hash"] for state in seen[1:]] == [f"#ply={state['ply']}" for state in seen[1:]]


def test_better_line_is_played_on_the_board(tmp_path: Path, profile: Path) -> None:
    """And the bar of the chance to win follows the position; the match comes back by a key."""
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = world.begin(repository, ("a", "b"), game="sages-tafl")
        world.play_all(repository, tournament)
        record = repository.records.get(tournament.id, 1)
        found = analyzed(record, lambda: searching(30))
        repository.analyses.keep(tournament.id, 1, found)
        write(site(load(repository, repository.tournaments.get())), tmp_path / "out")
    turn = next(turn for turn in found.marked if len(turn.line) > 1)
    at, shown = turn.ply + 1, replay(find_game("sages-tafl"), record, None, [(turn.ply, turn.line)])
    assert shown.lines is not None
    script = (
        STATE
        + f"""
        const odds = () => document.getElementById('odds').getAttribute('aria-label');
        const line = document.getElementById('line');
        const seen = [];
        const note = () => seen.push([state().position, line.hidden, state().ply]);
        key('Home'); const first = odds();
        document.querySelector('[data-better="{at}"] button').click(); note();
        key('ArrowRight'); note(); key('ArrowLeft'); key('ArrowLeft'); note();
        key('Escape'); note();
        return [seen, first, odds()];
        """
    )
    seen, first, last = probe(tmp_path / "out" / "matches" / "1.html", script, profile)
    views, before = shown.lines.views, turn.ply
    assert [position for position, _, _ in seen] == [views[1], views[2], views[0], shown.position(before)]
    assert [[hidden, ply] for _, hidden, ply in seen] == [[False, before]] * 3 + [[True, before]]
    chances = {one.ply: one.chance for one in found.points}
    for label, ply in ((first, min(chances)), (last, before)):
        assert label == f"Black\u2019s chance to win: {math.floor(chances[ply] / 10 + 0.5)} %"


def test_replay_plays_and_stops_at_the_end(stones: Site) -> None:
    last = stones.film.count - 1
    script = (
        STATE
        + """
        key('Home'); key(' ');
        const seen = [state()];
        await wait(2000); seen.push(state());
        key('+'); key('+'); key('+'); seen.push(state());
        await wait(400); key(' '); seen.push(state());
        await wait(2000); seen.push(state());
        key(' '); await wait(12000); seen.push(state());
        return seen;
        """
    )
    seen = probe(stones.page("matches/1.html"), script, stones.profile)
    assert [state["playing"] for state in seen] == ["Pause", "Pause", "Pause", "Play", "Play", "Play"]
    assert seen[0]["ply"] == 0
    assert seen[1]["ply"] == 2
    assert seen[2]["speed"] == "8"
    assert seen[3]["ply"] == seen[4]["ply"] > 2
    assert seen[5]["ply"] == last


def test_standings_sort_by_column(stones: Site) -> None:
    script = """
    const rows = () => [...document.querySelectorAll('.standings tbody tr')];
    const column = index => rows().map(row => row.cells[index].textContent.trim());
    const heads = [...document.querySelectorAll('.standings thead th')];
    const index = heads.findIndex(h => h.textContent.includes('Faults'));
    const before = column(0);
    heads[index].querySelector('button').click();
    const down = column(index);
    heads[index].querySelector('button').click();
    const up = column(index);
    heads[0].querySelector('button').click();
    return {before, down, up, again: column(0), sorted: heads.map(h => h.getAttribute('aria-sort'))};
    """
    found = probe(stones.page("index.html"), script, stones.profile)
    assert [int(n) for n in found["down"]] == sorted(map(int, found["down"]), reverse=True)
    assert [int(n) for n in found["up"]] == sorted(map(int, found["down"]))
    assert len(set(found["down"])) > 1
    assert found["again"] == found["before"]
    assert found["sorted"][0] == "ascending"
    assert set(found["sorted"][1:]) == {None}


def test_theme_switches_and_is_stored(stones: Site) -> None:
    script = """
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const board = () => getComputedStyle(document.querySelector('#board .tb-cell')).fill;
    const first = [paper(), board()];
    document.querySelector('button.theme').click();
    const second = [paper(), board()];
    const kept = localStorage.getItem('tourney-theme');
    document.querySelector('button.theme').click();
    const third = [paper(), board()];
    localStorage.removeItem('tourney-theme');
    return {first, second, third, kept};
    """
    found = probe(stones.page("matches/1.html"), script, stones.profile)
    assert found["first"] == found["third"]
    assert all(a != b for a, b in zip(found["first"], found["second"], strict=True))
    assert found["kept"] in {"light", "dark"}


def test_pieces_have_their_colors_on_screen(stones: Site, tmp_path: Path) -> None:
    # Sprites get their colors from CSS classes, which apply only within the board's class.
    found = colours(stones.page("matches/1.html"), tmp_path / "shot.png", stones.profile)
    side = [piece for piece in ("blue", "orange") if found[rgb(TOKENS[piece].light)] > 500]
    assert side == ["blue", "orange"]
    assert found[rgb(GROUNDS["plain"].light)] > 5000
    assert found[0, 0, 0] < 100


def rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def test_crosstable_shades_by_residual(stones: Site) -> None:
    script = """
    const cells = [...document.querySelectorAll('.cross td.x')];
    const shades = () => cells.map(e => getComputedStyle(e).backgroundColor);
    const score = shades();
    document.getElementById('shade-residual').click();
    const residual = shades();
    document.getElementById('shade-score').click();
    const even = cells.flatMap((e, k) => e.classList.contains('r4') ? [residual[k]] : []);
    return {score, residual, again: shades(), even};
    """
    found = probe(stones.page("crosstable.html"), script, stones.profile)
    assert found["score"] == found["again"]
    assert found["score"] != found["residual"]
    assert set(found["even"]) == {"rgba(0, 0, 0, 0)"}


def test_replay_buttons_are_visible_without_scrolling(stones: Site) -> None:
    """On a screen of common size."""
    script = """
    const box = e => document.querySelector(e).getBoundingClientRect();
    return {inner: innerHeight, bottom: box('#controls .buttons').bottom, board: box('#board').height};
    """
    found = probe(stones.page("matches/3.html"), script, stones.profile)
    assert 0 < found["bottom"] <= found["inner"]
    assert found["board"] > found["inner"] / 2


def test_page_header_takes_two_lines_on_small_screens(stones: Site) -> None:
    """Name and button on the first line, links on the second, without line breaks."""
    script = """
    const box = e => e.getBoundingClientRect();
    const [brand, theme] = ['.brand', 'button.theme'].map(e => box(document.querySelector(e)));
    const links = [...document.querySelectorAll('.top nav a')].map(box);
    return {
      beside: theme.left >= brand.right && theme.top < brand.bottom && brand.top < theme.bottom,
      tops: new Set(links.map(b => b.top)).size,
      below: Math.min(...links.map(b => b.top)) >= brand.bottom,
      high: Math.max(...links.map(b => b.height)),
    };
    """
    found = probe(stones.page("index.html"), script, stones.profile, width=500)
    assert found["beside"]
    assert found["below"]
    assert found["tops"] == 1
    assert found["high"] < 45


def test_table_captions_stay_in_view_when_scrolled(stones: Site) -> None:
    script = """
    return [...document.querySelectorAll('.scroll')].map(scroll => {
      const caption = scroll.querySelector('caption');
      scroll.scrollLeft = 200;
      const box = caption ? caption.getBoundingClientRect() : {left: 0, right: 0};
      return {wide: scroll.scrollWidth > scroll.clientWidth, left: box.left, right: box.right};
    }).filter(found => found.wide && found.right);
    """
    found = probe(stones.page("index.html"), script, stones.profile, width=500)
    assert found
    for box in found:
        assert box["left"] >= 0
        assert box["right"] <= 500


def test_crosstable_header_and_names_stay_in_view(tmp_path: Path, profile: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = world.begin(repository, [f"bot-{number}" for number in range(40)])
        world.play_all(repository, tournament, most=3)
        write(site(load(repository, repository.tournaments.get())), tmp_path / "out")
    script = """
    const scroll = document.querySelector('.scroll');
    scroll.scrollTop = 500;
    scroll.scrollLeft = 600;
    const box = scroll.getBoundingClientRect();
    const at = (x, y) => document.elementFromPoint(box.left + x, box.top + y).closest('th, td');
    return {
      moved: [scroll.scrollTop, scroll.scrollLeft],
      head: at(400, 15).parentElement.parentElement.tagName,
      corner: at(20, 15).textContent,
      name: at(20, 300).tagName,
    };
    """
    found = probe(tmp_path / "out" / "crosstable.html", script, profile)
    assert found == {"moved": [500, 600], "head": "THEAD", "corner": "Bot", "name": "TH"}
