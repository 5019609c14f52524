"""The list of matches: filters over all of them, in the address, and as pages without scripts."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.report import world
from tests.report.browser import needs_browser, probe
from tests.report.html_pages import read
from tests.report.test_site import files
from tests.support.sites import rendered
from tourney.bots.catalogue.shipped import templates_dir
from tourney.report.compact_matches import FinishedMatch
from tourney.report.output.layout import File, Options
from tourney.report.output.write import write
from tourney.report.pages.match_list import DATA, PAGE, list_data, list_pages
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.schedule.row import MatchKey
from tourney.store.database import Database

NAMES = world.HOSTILE[:5]
MANY = 1203


@dataclass(frozen=True)
class List:
    """A report of MANY matches with two pages of matches, in a folder."""

    folder: Path
    source: ReportSource
    profile: Path

    def shown(self, *steps: str, fragment: str = "") -> list[Any]:
        """Return what each step shows: count, numbers of the rows, and the address."""
        script = """
        const field = name => document.querySelector(`form.filter [name=${name}]`);
        const set = (name, value) => {
          field(name).value = value; field(name).dispatchEvent(new Event('input', {bubbles: true}));
        };
        const press = step => document.querySelector(`#pager [data-step=${step}]`).click();
        const sort = key => document.querySelector(`th[data-sort=${key}] button`).click();
        const state = () => [
          document.getElementById('filter-count').textContent,
          [...document.querySelectorAll('#rows tr')].map(row => +row.cells[0].textContent),
          location.hash,
        ];
        const found = [state()];
        """
        script += "".join(f"{step}; found.push(state());" for step in steps) + "return found;"
        found: list[Any] = probe(self.folder / "matches.html", script, self.profile, fragment=fragment)
        return found


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[List]:
    base = tmp_path_factory.mktemp("list")
    with Database.open(str(world.fill(base / "t.db", NAMES))) as repository:
        source = many(load(repository, repository.tournaments.get()), MANY)
        static = (templates_dir() / "static").iterdir()
        assets = [File(f"assets/{path.name}", path.read_bytes()) for path in static]
        write([*assets, *rendered(list_pages(renderer(source, Options(match_pages=2))))], base / "out")
        yield List(base / "out", source, base / "profile")


def many(source: ReportSource, count: int) -> ReportSource:
    """Return a source of more matches: the same again and again, in further rounds."""
    played = source.matches
    rounds = max(match.key.round for match in played)
    found = []
    for k in range(count):
        match = played[k % len(played)]
        key = MatchKey(match.key.round + rounds * (k // len(played)), *match.key[1:])
        found.append(FinishedMatch(match.tournament, k + 1, key, match.seats, match.result))
    return replace(
        source,
        matches=tuple(found),
        read=lambda: iter(found),
        detail=lambda number: source.detail(played[(number - 1) % len(played)].number),
    )


def expected(source: ReportSource, fits: Any) -> list[int]:
    return [m.number for m in source.matches if fits(m, m.result)]


def count(found: Sequence[int]) -> str:
    return f"{len(found):,} of {MANY:,} matches"


@pytest.mark.browser
@needs_browser
def test_filters_cover_all_matches(matches: List) -> None:
    beaten = expected(
        matches.source,
        lambda m, r: m.seats[0] == 1 and m.seats[1] == 2 and r.ranks[0] == 2 and not r.void,
    )
    void = expected(matches.source, lambda m, r: r.void)
    crashed = expected(matches.source, lambda m, r: "crash" in r.faults)
    late = expected(matches.source, lambda m, r: m.key.round in {3, 4} and r.actions >= 5)
    slug = matches.source.labels[1].slug
    other = matches.source.labels[2].slug
    found = matches.shown(
        f"set('bot', '{slug}'); set('opponent', '{other}'); set('seat', '1'); set('result', 'lost')",
        "document.querySelector('form.filter').reset(); await new Promise(r => setTimeout(r, 20));"
        " set('result', 'void')",
        "set('result', ''); set('fault', 'crash')",
        "set('fault', ''); set('from', '3'); set('to', '4'); set('least', '5')",
        "set('from', ''); set('to', ''); set('least', ''); set('text', 'EVIL crash')",
        "set('text', 'no such words')",
    )
    assert [state[0] for state in found[:5]] == [
        count(wanted) for wanted in (range(MANY), beaten, void, crashed, late)
    ]
    assert [state[1] for state in found[1:5]] == [wanted[:100] for wanted in (beaten, void, crashed, late)]
    assert found[1][2] == f"#bot={slug}&opponent={other}&seat=1&result=lost"
    evil = set(expected(matches.source, lambda m, r: "crash" in r.faults and 1 in m.seats))
    assert found[5][1] == sorted(evil)[:100]
    assert found[6][:2] == [count([]), []]


@pytest.mark.browser
@needs_browser
def test_address_restores_filter_order_and_page(matches: List) -> None:
    lengths = {m.number: m.result.actions for m in matches.source.matches}
    longest = sorted(lengths, key=lambda n: (-lengths[n], n))
    found = matches.shown(
        "press('next')",
        "press('last')",
        "sort('length')",
        "location.hash = '#result=void'; await new Promise(r => setTimeout(r, 50))",
        fragment="#sort=-length&page=2",
    )
    assert [state[1] for state in found[:3]] == [longest[100:200], longest[200:300], longest[1200:]]
    assert found[2][2] == "#sort=-length&page=13"
    assert found[3][1] == sorted(lengths, key=lambda n: (lengths[n], n))[:100]
    assert found[4][0] == count(expected(matches.source, lambda m, r: r.void))


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(
    "fragment", ["#rows", "#bot=%E0%A4%A", "#page=x&sort=evil&seat=99&from=abc&=&&&", "#page=999"]
)
def test_odd_addresses_show_all_matches(matches: List, fragment: str) -> None:
    assert matches.shown(fragment=fragment)[0][0] == count(range(MANY))


@pytest.mark.browser
@needs_browser
def test_rows_of_the_script_are_those_of_the_page(matches: List) -> None:
    text = (matches.folder / "matches.html").read_text(encoding="utf-8")
    script = """
    const form = rows => rows.map(row => {
      const copy = row.cloneNode(true);
      copy.className = copy.classList.contains('is-void') ? 'is-void' : '';
      return copy.outerHTML.replace(/ class=""/g, '').replace(/>\\s+/g, '>').replace(/\\s+</g, '<');
    });
    const mine = form([...document.querySelectorAll('#rows tr')]);
    const page = new DOMParser().parseFromString(STATIC, 'text/html');
    return [mine, form([...page.querySelectorAll('#rows tr')].slice(0, 100)), page.scripts.length];
    """
    escaped = json.dumps(text).replace("</", "<\\/")
    mine, static, _ = probe(
        matches.folder / "matches.html", f"const STATIC = {escaped};" + script, matches.profile
    )
    assert len(mine) == 100
    assert mine == static


def test_list_is_whole_without_scripts(matches: List) -> None:
    numbers: list[int] = []
    for path in ("matches.html", "matches-2.html", "matches-3.html"):
        assert read(matches.folder / path).problems == []
        text = (matches.folder / path).read_text(encoding="utf-8")
        numbers += map(int, re.findall(r'<tr[^>]*><td class="n">(?:<a [^>]*>)?(\d+)<', text))
    assert numbers == list(range(1, MANY + 1))


def test_long_list_is_cut_after_faults_and_says_so(matches: List) -> None:
    source = matches.source
    made = {
        file.path: file.content
        for file in rendered(list_pages(renderer(source, Options(match_pages=2, listed=600))))
    }
    assert [path for path in made if path.endswith(".html")] == ["matches.html", "matches-2.html"]
    assert f"This list has 600 of {MANY:,} matches" in made["matches.html"].decode("utf-8")
    rows = json.loads(made["data/matches.json"])
    faulty = {match.number for match in source.matches if any(match.result.faults)}
    listed = [row["match"] for row in rows]
    assert len(listed) == len(made["data/matches.csv"].splitlines()) - 1 == 600
    assert listed == sorted(listed)
    assert {*listed} >= set(sorted(faulty)[:600])
    assert faulty


@pytest.mark.slow
def test_page_of_a_long_list_links_to_its_neighbours(matches: List) -> None:
    source = many(matches.source, 20 * PAGE)
    files_of_list = rendered(list_pages(renderer(source, Options())))
    made = {file.path: file.content.decode("utf-8") for file in files_of_list}
    pager = made["matches-9.html"].partition("pager static")[2].partition("</nav>")[0]
    assert re.findall(r">([^<>\s]+)<", pager) == [
        *("Previous", "1", "&hellip;", "6", "7", "8", "9", "10", "11", "12", "&hellip;", "20", "Next")
    ]
    assert 'href="matches-8.html" rel="prev"' in pager
    assert 'href="matches-10.html" rel="next"' in pager


def test_data_of_hostile_names_is_plain_json(matches: List) -> None:
    text = (matches.folder / DATA).read_bytes().decode("ascii")
    data = json.loads(text.removeprefix("window.TourneyMatches=").rstrip().removesuffix(";"))
    assert len(data["bots"]) == len(NAMES)
    assert {len(data[key]) for key in ("match", "round", "table", "repeat", "order", "end", "length")} == {
        MANY
    }
    assert {len(data[key]) for key in ("bot", "rank")} == {2 * MANY}
    assert len(text) < 40 * MANY
    assert "<" not in text.partition('"seats"')[2]


def test_notes_of_void_matches_stay_out_of_the_data(report: Any) -> None:
    made = files(report.source, Options(logs=True))
    assert b"was lost three times" not in made[DATA]
    assert list_data(renderer(report.source, Options()))["void"] == [3]
