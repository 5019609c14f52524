"""The site is plain files: complete, valid, and with every name escaped."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs

from tests.addons.league.leagues import NOW, new_league, put, reopened, run
from tests.report.html_pages import Page
from tourney.addons.league.folder import League
from tourney.addons.league.ledger import Author, BotVersion, Night, Season
from tourney.addons.league.seasons import close_season
from tourney.addons.league.site import site_files, write_league_site
from tourney.addons.league.tables import NightTable, TableRow, keep_table
from tourney.errors import EnvironmentFailure

THEN = "2026-11-25T22:00:00+00:00"
HOSTILE = "<script>alert(1)</script>\"'&"


def row(bot: str, version: int, place: int | None, elo: float = 55.5) -> TableRow:
    digest = f"{version}{bot}".encode().hex().ljust(64, "0")
    author, _, name = bot.partition("/")
    return TableRow(author, name, version, digest, True, 1, place, elo, -10.0, 101.0, 1400, 40, {"2": elo})


def made(folder: Path, *rows: TableRow) -> League:
    """Make a league with a closed night and its table, without a match."""
    league = new_league(folder)
    authors = sorted({one.author for one in rows} - {"house"})
    league.ledger.add(
        *(Author(author, THEN) for author in authors),
        *(BotVersion(one.author, one.bot, one.version, one.digest, 1) for one in rows),
        Season(1, THEN),
        Night(1, 1, THEN, THEN),
    )
    keep_table(league, NightTable("tourney-league-night/1", "stones", 1, 1, rows))
    return league


def pages(league: League) -> dict[str, str]:
    return {file.path: file.content.decode() for file in site_files(league)}


def text(page: str) -> str:
    return " ".join(" ".join(Page(page).text).split())


def parsed(content: str) -> ET.Element:
    return ET.fromstring(content)  # noqa: S314 - files that this test has made


def check(found: dict[str, str]) -> None:
    """Check that pages are well formed, and that each link leads to a file of the site."""
    for path, content in found.items():
        if path.endswith((".svg", ".xml")):
            parsed(content)
        if path.endswith(".html"):
            page = Page(content)
            assert not page.problems, (path, page.problems)
            assert len(set(page.ids)) == len(page.ids)
            for _, target in page.references:
                if not target.startswith(("data:", "#")):
                    place = Path(path).parent / target.partition("#")[0]
                    parts: list[str] = []
                    for part in place.parts:
                        parts = parts[:-1] if part == ".." else [*parts, part]
                    assert "/".join(parts) in found, (path, target)


def test_site_has_a_first_page_before_the_first_night(tmp_path: Path) -> None:
    said: list[str] = []
    league = new_league(tmp_path)
    page = write_league_site(league, said.append)
    assert said == [f"the site is {page}"]
    assert "No night is over yet. " in text(page.read_text())
    assert "The next night is number 1, between 22:00 and 07:00" in text(page.read_text())
    check(pages(league))


def test_home_ranks_the_bots_and_links_all(tmp_path: Path) -> None:
    league = made(
        tmp_path, row("mason/drifter", 4, 1), row("ann/heron", 2, 2, -3.2), row("house/random", 1, None)
    )
    found = pages(league)
    check(found)
    home = text(found["index.html"])
    assert "1 drifter 4 mason 56 −10 to 101 1,400 40" in home
    assert home.index("drifter 4") < home.index("heron 2")
    assert "mason/drifter 4 is new ( night 1 )" in home
    assert "random 1" not in home
    assert {
        *("bots/mason/drifter.html", "bots/house/random.html", "authors/ann.html", "authors/house.html"),
        *("nights/1.html", "bots/ann/heron-rank.svg", "feed.xml"),
    } <= found.keys()
    assert "bots/house/random-rank.svg" not in found


def test_pages_and_badges_of_a_bot(tmp_path: Path) -> None:
    found = pages(made(tmp_path, row("mason/drifter", 3, None, 10), row("mason/drifter", 4, 1)))
    bot = text(found["bots/mason/drifter.html"])
    assert "By mason · rank 1 · Elo 56" in bot
    assert "4 plays 1 56 −10 to 101 1,400" in bot
    assert "1 3 1 – 10 −10 to 101 40 1 4 1 1 56" in bot
    assert "drifter 2 1 1 56" in text(found["authors/mason.html"])
    assert "stones rank: #1</title>" in found["bots/mason/drifter-rank.svg"]
    assert "stones rating: 56</title>" in found["bots/mason/drifter-rating.svg"]


def test_page_and_badge_of_a_bot_with_too_few_games_have_no_elo(tmp_path: Path) -> None:
    found = pages(made(tmp_path, structs.replace(row("ann/heron", 1, 1), high=1400.0)))
    assert "By ann · rank 1 · too few games for an Elo" in text(found["bots/ann/heron.html"])
    assert "stones rating: too few games</title>" in found["bots/ann/heron-rating.svg"]


def test_bot_without_a_rating_is_not_in_the_table(tmp_path: Path) -> None:
    league = made(tmp_path, row("ann/heron", 1, 1))
    league.ledger.add(Author("bob", THEN), BotVersion("bob", "late", 1, "f" * 64, 2, withdrawn=True))
    found = pages(league)
    check(found)
    assert "not in the table" in found["bots/bob/late-rank.svg"]
    assert "1 withdrawn 2 not rated yet" in text(found["bots/bob/late.html"])


@pytest.mark.parametrize(
    ("night", "state"), [(None, "plays"), (3, "superseded, plays until night 2"), (1, "retired")]
)
def test_state_of_a_version_follows_from_the_last_night(
    tmp_path: Path, night: int | None, state: str
) -> None:
    league = made(tmp_path, row("ann/heron", 1, 1))
    (version,) = league.ledger.versions
    league.ledger.add(structs.replace(version, superseded=night and 1, retired=night))
    assert f"1 {state} 1 56" in text(pages(league)["bots/ann/heron.html"])


def test_hostile_names_are_escaped(tmp_path: Path) -> None:
    league = made(tmp_path, row("ann/heron", 1, 1))
    league = replace(league, table=structs.replace(league.table, title=HOSTILE, name=HOSTILE))
    rows = (structs.replace(row("ann/heron", 1, 1), bot=HOSTILE, author=HOSTILE),)
    keep_table(league, NightTable("tourney-league-night/1", "stones", 1, 1, rows))
    found = pages(league)
    assert not [path for path, content in found.items() if "<script>alert" in content]
    for path, content in found.items():
        if path.endswith((".svg", ".xml")):
            parsed(content)
        if path.endswith(".html"):
            assert not Page(content).problems
            assert HOSTILE in text(content)
    assert HOSTILE in "".join(parsed(found["bots/ann/heron-rank.svg"]).itertext())


def test_feed_has_an_entry_for_each_closed_night(tmp_path: Path) -> None:
    league = made(tmp_path, row("ann/heron", 1, 1))
    league.ledger.add(Night(2, 1, THEN))
    root = parsed(pages(league)["feed.xml"])
    atom = {"a": "http://www.w3.org/2005/Atom"}
    (entry,) = root.findall("a:entry", atom)
    assert entry.findtext("a:title", None, atom) == "Night 1: 0 matches"
    assert "ann/heron 1 is new." in (entry.findtext("a:content", None, atom) or "")
    ids = [one.text for one in root.iter(f"{{{atom['a']}}}id")]
    assert len(set(ids)) == 2
    assert all(str(one).startswith("urn:uuid:") for one in ids)


def test_closed_season_has_its_table_and_root(tmp_path: Path) -> None:
    league = made(tmp_path, row("ann/heron", 1, 1))
    file = close_season(league, NOW)
    found = pages(league)
    check(found)
    assert file.root in text(found["seasons/1.html"])
    assert "1 1 ann/heron 1 56 1,400" in text(found["seasons/1.html"])
    assert file.root in text(found["index.html"])
    assert found["seasons/1.json"] == (league.records / "seasons" / "1.json").read_text()


def test_unchanged_and_foreign_files_are_left_alone(tmp_path: Path) -> None:
    league = made(tmp_path, row("ann/heron", 1, 1))
    home = write_league_site(league, print)
    style, foreign = league.site / "assets" / "style.css", league.site / "robots.txt"
    foreign.write_text("mine")
    home.write_text("changed")
    before = style.stat()
    write_league_site(league, print)
    assert (style.stat().st_ino, style.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert "changed" not in home.read_text()
    assert foreign.read_text() == "mine"


def test_site_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (league.site / "assets").write_text("a file")
    with pytest.raises(EnvironmentFailure, match=r"assets/style\.css cannot be written"):
        write_league_site(league, print)


@pytest.mark.usefixtures("admitted")
def test_site_of_played_nights_is_complete(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    put(league, "ann", "drifter")
    put(league, "bob", "floater")
    run(league)
    run(league, 1)
    found = pages(reopened(league))
    check(found)
    assert {path: (league.site / path).read_text() for path in found} == found
