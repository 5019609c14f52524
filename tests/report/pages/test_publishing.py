"""``--base-url``: an Atom feed, a picture and tags for social networks, canonical links and a sitemap."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import datetime
from html import unescape
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.report import world
from tests.report.browser import read_png
from tests.report.html_pages import Page
from tests.support.command import invoke
from tests.support.sites import site, sites
from tourney.errors import UsageError
from tourney.report.output.layout import Options
from tourney.report.pages import publishing
from tourney.report.pages.highlights import chosen_games
from tourney.report.pages.match_files import match_jobs
from tourney.report.pages.publishing import entries, finished_rounds
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.store.database import Database
from tourney.store.values import Origin

URL = "https://example.org/cup/"
ATOM = {"a": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def source(repository: Database) -> ReportSource:
    tournament = world.begin(repository, world.HOSTILE[:4])
    world.play_all(repository, tournament, void=(2,))
    return load(repository, repository.tournaments.get())


def made(source: ReportSource, options: Options) -> dict[str, bytes]:
    return {file.path: file.content for file in site(source, replace(options, match_pages=2))}


def test_pages_name_their_address_and_picture(source: ReportSource) -> None:
    found = made(source, Options(address=URL))
    for path, content in found.items():
        if not path.endswith(".html"):
            continue
        page = Page(content.decode())
        meta = {
            a.get("property", a.get("name", "")): a["content"] for t, a in page.elements if "content" in a
        }
        [canonical] = [a["href"] for _, a in page.elements if a.get("rel") == "canonical"]
        assert canonical == meta["og:url"] == URL + path.removesuffix("index.html")
        assert meta["og:image"].removeprefix(URL) in found
        beside = path.removesuffix("-positions.html").removesuffix(".html") + ".png"
        assert meta["og:image"] == URL + (beside if beside in found else "card.png")
        assert meta["twitter:card"] == "summary_large_image"
        assert meta["og:title"]
        assert meta["og:description"] == meta["description"]
    assert "og:" not in made(source, Options())["index.html"].decode()


def test_report_without_address_has_no_feed_or_sitemap(source: ReportSource) -> None:
    # Without an address only the games worth seeing have a picture.
    more = made(source, Options(address=URL)).keys() - made(source, Options()).keys()
    assert {path for path in more if not path.startswith("matches/")} == {"feed.xml", "sitemap.xml"}
    pictures = {path for path in made(source, Options()) if path.endswith(".png")}
    assert pictures == {
        "card.png",
        "matches/5.png",
        *(f"{label.page.removesuffix('.html')}.png" for label in source.labels.values()),
    }


def test_games_worth_seeing_have_a_picture_without_an_address(source: ReportSource) -> None:
    make = renderer(source, Options())
    pictured = {job.line.number for job in match_jobs(make) if job.picture}
    assert pictured == {game.line.number for game in chosen_games(make).games}
    assert 0 < len(pictured) < len(source.matches)
    assert all(job.picture for job in match_jobs(renderer(source, Options(address=URL))))


def test_sitemap_lists_all_pages(source: ReportSource, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(source, Options(address=URL))
    pages = {URL + path.removesuffix("index.html") for path in found if path.endswith(".html")}
    listed = [element.text for element in ET.fromstring(found["sitemap.xml"]).iter() if element.text]  # noqa: S314 - our own output
    assert sorted(filter(str.strip, listed)) == sorted(pages)
    monkeypatch.setattr(publishing, "SITEMAP_PAGES", 5)
    several = {f.path: f.content.decode() for f in publishing.sitemap(URL, [f"{n}.html" for n in range(12)])}
    assert several.keys() == {"sitemap.xml", *(f"sitemap-{n}.xml" for n in (1, 2, 3))}
    assert several["sitemap.xml"].count("<sitemap>") == 3
    assert [text.count("<url>") for name, text in several.items() if "-" in name] == [5, 5, 2]


def test_feed_has_rounds_the_end_and_stored_dates(source: ReportSource) -> None:
    text = made(source, Options(address=URL))["feed.xml"].decode()
    root = ET.fromstring(text)  # noqa: S314 - made here
    titles = [e.findtext("a:title", "", ATOM) for e in root.findall("a:entry", ATOM)]
    assert titles[0].startswith("Finished: ")
    assert [re.match(r"Round \d", title) is not None for title in titles] == [False, True, True, True]
    assert titles[-1].startswith("Round 1: 4 matches; ")
    identifiers = [e.findtext("a:id", "", ATOM) for e in root.iter() if e.find("a:id", ATOM) is not None]
    assert len(set(identifiers)) == len(identifiers) == 5
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in identifiers)
    dates = [datetime.fromisoformat(e.findtext("a:updated", "", ATOM)) for e in root.findall("a:entry", ATOM)]
    assert dates == sorted(dates, reverse=True)
    assert {d.date().isoformat() for d in dates} == {"2026-11-20"}
    content = root.findtext("a:entry/a:content", "", ATOM)
    assert "<script" not in content
    assert "&lt;script&gt;" in content
    assert made(source, Options(address="https://other.example/"))["feed.xml"].decode() == text.replace(
        URL, "https://other.example/"
    )


def test_feed_names_each_change_of_the_lead(source: ReportSource) -> None:
    """Who ranks first after each round; only changes in the title."""
    found = entries(renderer(source, Options()))
    before = ""
    for number, entry in enumerate(found[:-1], start=1):
        said = unescape(entry.content.rpartition("<p>")[2])
        lead = said.rpartition(" lead")[0]
        assert entry.key == f"round/{number}"
        assert ("the lead" in entry.title) == (lead != before)
        assert lead == before or lead in entry.title
        before = lead
    first = [source.labels[line.number].name for line in source.standings if line.rank == 1]
    assert all(name in before for name in first[:3])


def test_feed_counts_byes_for_the_lead(repository: Database) -> None:
    """In the first round of three bots one has a bye, which is worth as much as the win of another."""
    tournament = world.begin(repository, "abc", format_="swiss", rounds=1)
    world.play_all(repository, tournament)
    source = load(repository, tournament)
    (bye,) = next(iter(source.rounds())).idle
    points = {line.number: line.points for line in source.standings}
    assert points[bye] == max(points.values())
    leaders = {source.labels[line.number].name for line in source.standings if line.rank == 1}
    title = entries(renderer(source, Options()))[0].title
    assert {name for name in "abc" if name in title.rpartition("; ")[2].split(" ")} == leaders


def test_running_tournament_lists_whole_rounds_only(repository: Database) -> None:
    tournament = world.begin(repository, "abcd")
    for most, rounds in ((3, []), (1, []), (1, [1]), (7, [1, 2, 3])):
        world.play_all(repository, tournament, most=most)
        source = load(repository, tournament)
        made_ = renderer(source, Options())
        assert [number for number, _ in finished_rounds(source, made_.lines)] == rounds


def test_report_without_measurements_has_no_feed(source: ReportSource) -> None:
    found = made(source, Options(address=URL, measured=False))
    assert "feed.xml" not in found
    assert b"feed.xml" not in b"".join(found.values())
    assert "card.png" in found


def test_card_is_a_picture_of_fixed_size(source: ReportSource) -> None:
    picture = made(source, Options(address=URL))["card.png"]
    pixels = read_png(picture)
    assert pixels.shape == (publishing.HEIGHT, publishing.WIDTH, 3)
    rows = np.any(np.all(pixels[:, 60:1130] < 100, axis=2), axis=1).tolist()
    lines = sum(after and not before for before, after in pairwise(rows))
    assert lines == 1 + min(publishing.CARD_LINES, len(source.standings))
    assert made(source, Options(address=URL))["card.png"] == picture


def test_each_of_several_tournaments_has_its_own_feed(source: ReportSource) -> None:
    other = replace(source, tournament=replace(source.tournament, origin=Origin(chosen=True, salt="5" * 32)))
    files = sites((source, other), Options(address=URL, match_pages=1))
    found = {f.path: f.content.decode() for f in files if f.path.endswith(".xml")}
    feeds = [found[path] for path in ("t1-cup/feed.xml", "t2-cup/feed.xml")]
    assert f'href="{URL}t1-cup/feed.xml"' in feeds[0]
    assert not set(re.findall("urn:uuid:[^<]*", feeds[0])) & set(re.findall("urn:uuid:[^<]*", feeds[1]))
    assert f"<loc>{URL}t2-cup/</loc>" in found["sitemap.xml"]


@pytest.mark.parametrize(
    ("given", "address_"),
    [
        ("https://Example.org", "https://example.org/"),
        ("http://localhost:8000/a/b", "http://localhost:8000/a/b/"),
        ("https://example.org/cup/index.html", URL),
        ("", ""),
    ],
)
def test_address_ends_with_a_slash(given: str, address_: str) -> None:
    assert publishing.parse_address(given) == address_


@pytest.mark.parametrize(
    "given",
    [
        "example.org/cup",
        "ftp://example.org/",
        "https://",
        "https://user:secret@example.org/",
        "https://example.org/?a=1",
        "https://example.org/#top",
        "https://example.org/a b",
        'https://example.org/"><script>',
        "https://example.org:port/",
        "https://ex\u00e4mple.org/",
        "javascript:alert(1)",
        "https://[::1/",
    ],
)
def test_other_addresses_are_refused(given: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a folder on the web; write it like"):
        publishing.parse_address(given)


def test_wrong_address_is_one_sentence(repository: Database, tmp_path: Path) -> None:
    world.begin(repository, "ab")
    shown = invoke("report", "--db", str(tmp_path / "tourney.db"), "--base-url", "example.org")
    assert (shown.exit_code, shown.stdout, shown.stderr.count("\n")) == (2, "", 1)
    assert "--base-url 'example.org' is not the address" in shown.stderr
