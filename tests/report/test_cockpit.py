"""The cockpit of a match's page in a real browser: clocks, info, plots, links, comparison, downloads."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.report import world
from tests.report.browser import needs_browser, probe
from tests.report.test_browser import STATE
from tests.support.sites import site
from tourney.games.registry import find_game
from tourney.match.record import Adjudication, Outcome, Record, make_record
from tourney.match.result import LogLine, PlayedMatch
from tourney.match.spec import Limits
from tourney.report.output.write import write
from tourney.report.source import load
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult

pytestmark = [pytest.mark.browser, needs_browser]

LIMITS = Limits(move_ms=None, clock_ms=60_000, increment_ms=2000)
HOSTILE = "\u202e<img/src=x/onerror=document.title='hacked'>"


class Pages:
    """A report on one pairing of Sages Tafl, and the records of its two matches of one seed."""

    def __init__(self, folder: Path, records: tuple[Record, Record], profile: Path) -> None:
        self.folder = folder
        self.records = records
        self.profile = profile

    def probe(self, script: str, **how: Any) -> Any:
        page = self.folder / "matches" / "1.html"
        return probe(page, STATE + script, self.profile, **how)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    base = tmp_path_factory.mktemp("cockpit")
    with Database.open(str(base / "t.db"), create=True) as repository:
        tournament = world.begin(repository, ("alpha", "beta"), game="sages-tafl", limits=LIMITS)
        entrants = repository.tournaments.entrants(tournament.id)
        records = []
        for number, row in repository.schedules.pending(tournament.id):
            spec = spec_of(tournament, entrants, row)
            played = world.played(spec, number)
            record = played.record
            if number == 2:
                actions = [(actor, action) for actor, action in record.actions[:40]]
                ended = Outcome((1, 1), "adjudication", (), adjudication=Adjudication("tablebase"))
                record = make_record(spec, record.rules, actions, ended)
            log = [
                LogLine(ply, actor, "info", f"score={ply % 5 - 2} depth=3 nodes={ply * 1234} pv={HOSTILE} a1")
                for ply, (actor, _) in enumerate(record.actions)
            ]
            measured = structs.replace(played.measured, times_ms=(1000.5,) * len(record.actions))
            match = PlayedMatch(record, log, measured)
            repository.matches.add(tournament.id, [MatchResult(number, match)])
            records.append(record)
        write(site(load(repository, repository.tournaments.get())), base / "out")
    return Pages(base / "out", (records[0], records[1]), tmp_path_factory.mktemp("profile"))


def test_clocks_and_info_follow_the_action(pages: Pages) -> None:
    script = "const seen = []; for (const n of [0, 1, 2, 30]) { key('Home');"
    script += " for (let k = 0; k < n; k++) key('ArrowRight'); seen.push(state().shown); } return seen;"
    start, one, two, thirty = pages.probe(script)
    # A minute and two seconds per action, of which each takes a second and half a millisecond.
    assert [seat["clock"] for seat in start] == ["1:00.0", "1:00.0"]
    assert [seat["clock"] for seat in one] == ["1:00.9", "1:00.0"]
    assert [seat["clock"] for seat in thirty] == ["1:14.9", "1:14.9"]
    assert [seat["think"] for seat in one] == ["1001 ms", ""]
    assert [seat["think"] for seat in two] == ["1001 ms for action 1", "1001 ms"]
    assert [seat["acting"] for seat in two] == [True, False]  # the next to act
    assert start[0]["info"] == {}
    assert one[0]["info"] == {"score": "\u22122", "depth": "3", "nodes": "0"}
    # With two seats, scores are the first one's.
    assert thirty[1]["info"] == {"score": "\u22122", "depth": "3", "nodes": "35,786"}
    assert thirty[0]["info"]["action"] == "29"


def test_list_is_one_tab_stop_with_arrow_keys_inside(pages: Pages) -> None:
    script = """
    const moves = document.getElementById('moves');
    const links = [...moves.querySelectorAll('a')];
    const stops = () => links.filter(a => a.tabIndex === 0).map(a => +a.dataset.ply);
    const inside = k => document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', {key: k, bubbles: true}));
    key('Home');
    moves.querySelector('a[tabindex="0"]').focus();
    const seen = [];
    for (const k of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowUp']) {
      inside(k);
      seen.push([state().ply, ...stops(), +document.activeElement.dataset.ply]);
    }
    return {seen, own: moves.tabIndex};
    """
    found = pages.probe(script)
    assert found["seen"] == [[ply, ply, ply] for ply in (1, 2, 3, 2)]
    assert found["own"] == -1


def test_hostile_info_stays_text(pages: Pages) -> None:
    script = """
    const pv = document.querySelector('#panel .pv');
    return [pv.textContent, document.querySelectorAll('#panel img').length, document.title];
    """
    text, images, title = pages.probe(script)
    assert text.strip() == f"pv {HOSTILE} a1".replace("\u202e", "\ufffd")
    assert images == 0
    assert "hacked" not in title


@pytest.mark.parametrize(
    ("fragment", "ply", "trouble"),
    [
        ("#ply=7", 7, ""),
        ("#ply-7", 7, ""),
        ("#ply=7&flip", 7, ""),
        (
            "#ply=9999",
            None,
            "This link asks for action 9999, but the match has LAST: the page shows the last.",
        ),
        ("#ply=-1", None, "This link does not name an action: the page shows the last of LAST."),
        ("#ply=%3Cb%3E", None, "This link does not name an action: the page shows the last of LAST."),
        ("#proof", None, ""),
    ],
)
def test_links_open_an_action_or_say_why_not(
    pages: Pages, fragment: str, ply: int | None, trouble: str
) -> None:
    last = len(pages.records[0].actions)
    found = pages.probe("return state();", fragment=fragment)
    assert found["ply"] == (last if ply is None else ply)
    assert found["trouble"] == trouble.replace("LAST", str(last))


def test_message_about_a_link_goes_with_the_next_step(pages: Pages) -> None:
    script = "const before = state().trouble; key('ArrowLeft'); return [before, state().trouble];"
    before, after = pages.probe(script, fragment="#ply=9999")
    assert before
    assert after == ""


def test_plots_are_chosen_and_lead_to_their_action(pages: Pages) -> None:
    script = """
    const all = [...document.querySelectorAll('.plots [data-plot]')];
    const open = () => all.filter(d => d.open).map(d => d.dataset.plot);
    const first = open();
    await wait(50);
    const nodes = all.find(d => d.dataset.plot === 'info-nodes');
    nodes.querySelector('summary').click();
    await wait(50);
    const then = open();
    const kept = JSON.parse(localStorage.getItem('tourney-plots'));
    localStorage.removeItem('tourney-plots');
    const svg = nodes.querySelector('svg');
    const box = svg.getBoundingClientRect();
    svg.dispatchEvent(new MouseEvent('click', {clientX: box.left, clientY: box.top + 20, bubbles: true}));
    const left = state().ply;
    svg.dispatchEvent(new MouseEvent('click', {clientX: box.right, clientY: box.top + 20, bubbles: true}));
    const right = state().ply;
    const cursor = +svg.querySelector('.cursor').getAttribute('x1');
    key('Home');
    const moved = +svg.querySelector('.cursor').getAttribute('x1');
    const details = nodes.querySelector('details');
    details.open = true;
    await wait(50);
    const rows = [...details.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent));
    return {all: all.map(d => d.querySelector('summary').textContent), first, then, kept, left, right, cursor,
            moved, rows, label: svg.getAttribute('aria-label')};
    """
    found = pages.probe(script)
    last = len(pages.records[0].actions)
    assert found["all"] == ["Score", "Time per action", "Clock", "depth", "nodes"]
    assert found["first"] == ["score", "time"]
    assert found["then"] == ["score", "time", "info-nodes"]
    assert found["kept"]["info-nodes"] is True
    assert (found["left"], found["right"]) == (0, last)
    assert found["moved"] < found["cursor"]
    assert found["rows"][:3] == [["1", "0", ""], ["2", "", "1,234"], ["3", "2,468", ""]]
    assert len(found["rows"]) == last
    assert found["label"].startswith("nodes by action, from 0 to ")


def test_downloads_are_the_record_and_its_table(pages: Pages) -> None:
    """The record is a file beside the page, which a page of ``file:`` cannot fetch; the table is made."""
    script = """
    const found = {};
    for (const link of document.querySelectorAll('#get a')) {
      const file = link.getAttribute('href');
      if (file !== '#') { found[link.download] = file; continue; }
      link.addEventListener('click', event => { if (link.dataset.ready) event.preventDefault(); });
      link.click();
      found[link.download] = await (await fetch(link.href)).text();
    }
    return found;
    """
    found = pages.probe(script)
    record = pages.records[0]
    assert list(found) == ["cup-1.csv", "cup-1.json"]
    assert (pages.folder / "matches" / found["cup-1.json"]).read_bytes() == record.encode() + b"\n"
    rows = list(csv.DictReader(io.StringIO(found["cup-1.csv"])))
    assert tuple((int(row["seat"]), row["action"]) for row in rows) == record.actions
    assert {row["time_ms"] for row in rows} == {"1000.5"}
    assert [row["nodes"] for row in rows[:3]] == ["0", "1234", "2468"]


def test_boards_of_one_seed_are_compared(pages: Pages) -> None:
    script = """
    document.querySelector('.mates .opener').click();
    const first = state().ply;
    const frame = document.querySelector('.other iframe');
    await wait(1500);
    const bar = document.querySelector('.other .bar').textContent;
    await wait(300);
    const hash = location.hash;
    key('Escape');
    return {first, bar, hash, source: frame.getAttribute('src'), open: !!document.querySelector('.other')};
    """
    found = pages.probe(script)
    assert found["first"] == 41
    assert "First different action: 41" in found["bar"]
    assert found["source"] == "2.html#ply=0&solo"
    assert found["hash"] == "#ply=41&compare=2"
    assert not found["open"]


def test_compared_board_follows_its_parent_alone(pages: Pages) -> None:
    # A narrow page of a probe is in a frame, as the other board of a comparison is.
    script = """
    const ask = (ply, source) =>
      window.dispatchEvent(new MessageEvent('message', {data: {tourneyPly: ply}, source}));
    const seen = [];
    for (const [ply, source] of [[17, parent], [5, window], ['<b>', parent], [9999, parent]]) {
      ask(ply, source);
      seen.push(state().ply);
    }
    const shown = e => getComputedStyle(document.querySelector(e)).display !== 'none';
    return {seen, shown: ['#board', '#now', '.top', '.buttons', '#moves', 'footer'].map(shown)};
    """
    found = pages.probe(script, fragment="#ply=3&solo", width=450)
    assert found["seen"] == [17, 17, 17, len(pages.records[0].actions)]
    assert found["shown"] == [True, True, False, False, True, False]


def test_help_opens_and_closes(pages: Pages) -> None:
    script = """
    const help = document.getElementById('help');
    key('?');
    const open = help.open;
    key('ArrowLeft');
    const ply = state().ply;
    help.querySelector('button').click();
    return [open, ply, help.open];
    """
    last = len(pages.records[0].actions)
    assert pages.probe(script) == [True, last, False]


def test_board_as_text_is_a_choice(pages: Pages) -> None:
    script = """
    const words = document.getElementById('board-text');
    const before = words.hidden;
    document.getElementById('as-text').click();
    const text = words.textContent;
    key('Home');
    const kept = localStorage.getItem('tourney-board');
    localStorage.removeItem('tourney-board');
    return {before, shown: words.hidden, text, start: words.textContent, kept,
            drawing: getComputedStyle(document.getElementById('board')).display};
    """
    found = pages.probe(script)
    assert found["before"]
    assert not found["shown"]
    assert found["drawing"] == "none"
    assert found["kept"] == "text"
    assert "Red" in found["text"]
    assert found["start"] != found["text"]


def test_letters_are_a_choice(pages: Pages) -> None:
    script = """
    const shown = () => getComputedStyle(document.querySelector('#board .tb-letter')).display;
    const before = shown();
    document.getElementById('letters').click();
    const after = shown();
    localStorage.removeItem('tourney-pieces');
    return [before, after];
    """
    before, after = pages.probe(script)
    assert before == "none"
    assert after != "none"


def test_cockpit_fits_a_screen_of_common_size(pages: Pages) -> None:
    """Board, buttons, seats with their info and notes, without scrolling."""
    script = """
    key('Home'); for (let k = 0; k < 30; k++) key('ArrowRight');
    scrollTo(0, 0);
    const low = e => document.querySelector(e).getBoundingClientRect().bottom;
    return ['#board', '#controls', '.tools', '#notes', '#moves'].map(low)
      .concat(document.documentElement.scrollWidth);
    """
    *bottoms, wide = pages.probe(script, width=1280, height=800)
    assert max(bottoms) <= 800
    assert wide <= 1280


def test_list_of_actions_scrolls_to_the_current_one(pages: Pages) -> None:
    script = """
    const inside = () => {
      const box = document.getElementById('moves').getBoundingClientRect();
      const link = document.querySelector('#moves [aria-current]').getBoundingClientRect();
      return link.top >= box.top - 1 && link.bottom <= box.bottom + 1;
    };
    const seen = [inside()];
    key('Home'); seen.push(inside());
    for (let k = 0; k < 45; k++) key('ArrowRight');
    seen.push(inside());
    return seen;
    """
    assert pages.probe(script) == [True, True, True]


def test_captured_pieces_stand_in_the_strip_of_who_took_them(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as database:
        cup = world.begin(database, ("alpha", "beta"), game="chess")
        world.play_all(database, cup)
        record = database.records.get(cup.id, 1)
        write(site(load(database, cup)), tmp_path / "out")
    script = """
    const taken = () => [1, 2].map(n => document.querySelector(`[data-seat="${n}"] .taken`).textContent);
    const notes = () => document.getElementById('notes').textContent;
    const end = taken();
    key('Home');
    return {start: taken(), end, notes: notes()};
    """
    found = probe(tmp_path / "out" / "matches" / "1.html", STATE + script, tmp_path / "profile")
    game = find_game("chess")
    state = game.new(2, record.options)
    for _, action in record.actions:
        state = state.play(game.parse_action(action))
    notes = game.diagram(state.position()).notes
    of = dict(note.split(": ") for note in notes if note.startswith(("White: ", "Black: ")))
    assert of
    assert found["start"] == ["", ""]
    assert found["end"] == [of.get("White", ""), of.get("Black", "")]
    assert "White: " not in found["notes"]
