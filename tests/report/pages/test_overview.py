"""The first page is for spectators, and the page of statistics explains its words."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report import world
from tests.report.conftest import Report
from tests.support.sites import site
from tourney.ratings.sequential import EVERY_LOOK, FIXED
from tourney.report.output.layout import Options
from tourney.report.pages.highlights import chosen_games
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.report.terms import TERMS
from tourney.store.column_reading import MatchParts
from tourney.store.database import Database
from tourney.store.presentation import Presentation


def pages(source: ReportSource) -> dict[str, str]:
    return {file.path: file.content.decode() for file in site(source, Options()) if file.is_page}


@pytest.fixture
def source(repository: Database) -> ReportSource:
    tournament = world.begin(repository, ("ann", "bob", "cid"), games=4)
    world.play_all(repository, tournament)
    return load(repository, tournament)


def test_first_page_has_verdict_standings_games_and_crosstable(source: ReportSource) -> None:
    written = pages(source)
    sections = re.findall(r'<section aria-labelledby="(\w+)"', written["index.html"])
    assert sections == ["standings", "games", "crosstable"]
    assert source.verdict in written["index.html"].replace("&#39;", "'")
    assert source.verdict.startswith(tuple(source.labels[n].name for n in source.labels))
    more = re.findall(r'<section aria-labelledby="(\w+)"', written["statistics.html"])
    assert [name for name in more if name != "cycles"] == [
        "superiority",
        "trueskill",
        "faults",
        "seats",
        "ends",
        "conditions",
    ]


def test_no_download_is_linked_twice(report: Report) -> None:
    links: Counter[str] = Counter()
    for page in report.folder.glob("*.html"):
        links.update(re.findall(r'href="([^"]+)" download', page.read_text("utf-8")))
    assert [path for path, count in links.items() if count > 1] == []
    assert {"data/standings.csv", "data/crosstable.json", "data/superiority.csv", "data/faults.csv"} <= set(
        links
    )


def test_every_word_has_its_sentence_on_methods(source: ReportSource) -> None:
    written = pages(source)
    assert {FIXED, EVERY_LOOK} <= TERMS.keys()
    words = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", written["methods.html"]))
    assert all(words[word].replace("&#39;", "'") == sentence for word, sentence in TERMS.items())
    assert f'<abbr title="{TERMS[FIXED]}">{FIXED}</abbr>'.replace("'", "&#39;") in written["index.html"]


def test_chosen_games_are_shown_once_each_with_a_board(source: ReportSource) -> None:
    chosen = chosen_games(renderer(source, Options()))
    titles = [game.title for game in chosen.games]
    assert titles == [
        title for title in ("Upset", "Turning point", "Shortest win", "Longest game") if title in titles
    ]
    assert {"Turning point", "Longest game"} <= set(titles)
    assert len({game.line.number for game in chosen.games}) == len(titles)
    assert all(game.board and game.box for game in chosen.games)
    page = pages(source)["index.html"]
    assert all(f'href="{game.href}"' in page for game in chosen.games)


def test_games_without_a_page_are_not_chosen(source: ReportSource) -> None:
    few = chosen_games(renderer(source, Options(match_pages=1)))
    assert {game.line.number for game in few.games} <= {5}, "faults have their pages first"
    assert chosen_games(renderer(source, Options(match_pages=0))).games == ()


def test_damaged_record_leaves_its_board_out(source: ReportSource) -> None:
    damaged = replace(source, parts=lambda numbers: {n: MatchParts(record=b"?") for n in numbers})
    games = chosen_games(renderer(damaged, Options())).games
    assert games
    assert all(not game.board for game in games)


def test_elo_that_the_prior_decides_is_not_printed(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = world.begin(repository, ("ann", "bob"), games=2)
        world.play_all(repository, tournament, most=1)
        source = load(repository, tournament)
        assert source.unsure == {0, 1}
        written = pages(source)
    page = written["index.html"]
    assert page.count(">too few games</abbr>") == 2
    assert "Elo interval" not in page, "an axis above empty cells"
    assert written["history.html"].count(">too few games</abbr>") == 2
    bot = written[source.labels[0].page]
    assert ">too few games</abbr> for an Elo" in bot
    assert "direct encounter" not in bot, "a tie-break without a value"
    assert "leads with" in source.verdict
    assert "too few games to say how far ahead of" in source.verdict


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Type `make <x>` twice.", "Type <code>make &lt;x&gt;</code> twice."),
        ("One ` alone.", "One ` alone."),
    ],
)
def test_backticks_of_a_description_are_code(repository: Database, description: str, words: str) -> None:
    tournament = world.begin(repository, ("ann", "bob"))
    repository.tournaments.keep_presentation(tournament.id, Presentation(description=description))
    index = pages(load(repository, tournament))["index.html"]
    assert f'<p class="front-words"><bdi>{words}</bdi></p>' in index
