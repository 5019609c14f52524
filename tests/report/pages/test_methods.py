"""The page of methods: its sentences on numbers agree with the numbers of the report."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report import world
from tests.report.html_pages import Page
from tests.report.test_formats import table_of
from tests.support import genuine
from tests.support.command import invoke
from tests.support.sites import site
from tourney.match.result import Measurements
from tourney.ratings.batch import strengths
from tourney.report.output.layout import Options
from tourney.report.pages.match_lines import MatchDetail
from tourney.report.pages.methods import head_facts, tournament_facts
from tourney.report.source import ReportSource, load
from tourney.store.database import Database

CHAMPION = "white,black,result\n" + "".join(
    f"{one},{other},{result}\n"
    for one, other, result in (
        *(("champion", other, "1-0") for other in "abcd"),
        *(("a", "b", "1-0"), ("b", "c", "1-0"), ("c", "d", "1-0"), ("d", "a", "1-0"), ("a", "c", "1/2-1/2")),
    )
)
EVEN = "white,black,result\na,b,1/2-1/2\nb,c,1/2-1/2\n"
ZERO_OF_FOUR = (
    "0 Elo is the mean of the 4 of 5 bots that took points off each other, directly or by way of others:"
    " all but champion."
)
APART = "white,black,result\na,b,1-0\nb,a,1-0\nc,d,1-0\nd,c,1/2-1/2\n"


def of_results(folder: Path, text: str) -> Path:
    """The database of an import of results."""
    (folder / "games.csv").write_text(text)
    assert invoke("import", str(folder / "games.csv"), "--db", str(folder / "t.db")).exit_code == 0
    return folder / "t.db"


def of_matches(folder: Path, most: int | None) -> Path:
    """The database of a tournament of which all matches are played, or some."""
    with Database.open(str(folder / "t.db"), create=True) as database:
        cup = world.begin(database, tuple("abcdefghi"), games=2)
        world.play_all(database, cup, most=most)
    return folder / "t.db"


def pages_of(database: Database) -> tuple[ReportSource, dict[str, str]]:
    source = load(database, database.tournaments.get())
    files = site(source, Options(match_pages=0))
    return source, {file.path: file.content.decode("utf-8", "replace") for file in files}


def words_of(page: str) -> str:
    return " ".join("".join(Page(page).text).split())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (EVEN, "0 Elo is the mean of all bots."),
        (APART, "0 Elo is the mean of all bots."),
        (
            CHAMPION,
            ZERO_OF_FOUR,
        ),
    ],
    ids=["even", "apart", "champion"],
)
def test_pages_name_the_bots_whose_mean_elo_is_zero(tmp_path: Path, text: str, sentence: str) -> None:
    with Database.open(str(of_results(tmp_path, text))) as database:
        _, pages = pages_of(database)
    elo = {line["name"]: line["elo"] for line in json.loads(pages["data/standings.json"])}
    apart = re.findall(r"all but (\w+)", sentence)
    level = [value for name, value in elo.items() if name not in apart]
    assert sum(level) / len(level) == pytest.approx(0, abs=0.1)
    assert not apart or abs(sum(elo.values())) > 10
    for path in ("methods.html", "index.html"):
        assert words_of(pages[path]).count(sentence) == 1, path
    noted = invoke("ratings", "--db", str(tmp_path / "t.db")).stderr
    assert (sentence in noted) == bool(apart)


def test_width_of_intervals_is_as_the_page_says(tmp_path: Path) -> None:
    with Database.open(str(of_matches(tmp_path, None))) as database:
        source, pages = pages_of(database)
    (deviations,) = re.findall(r"Elo ± (\d\.\d\d) standard deviations \(fixed 95 %\)", pages["methods.html"])
    _, covariance = strengths(source.counts)
    for line in source.batch.ratings:
        deviation = float(covariance[line.entrant, line.entrant]) ** 0.5
        assert line.high - line.elo == pytest.approx(float(deviations) * deviation, rel=0.005, abs=0.1)
    bot = pages[f"bots/{source.labels[0].slug}.html"]
    assert "with intervals: fixed 95 %" in words_of(bot)
    assert "every look" not in words_of(bot)


def test_width_of_an_unfinished_tournament_is_as_the_page_says(tmp_path: Path) -> None:
    with Database.open(str(of_matches(tmp_path, 40))) as database:
        source, pages = pages_of(database)
    found = re.findall(r"Elo ± (\d\.\d\d) standard deviations after (\d+) even games", pages["methods.html"])
    ((deviations, games),) = found
    assert source.look is not None
    assert float(games) == source.look.games
    variance = source.look.games_for(1.0) / source.look.games
    assert source.look.deviations(variance, 1.0) == pytest.approx(float(deviations), abs=0.005)
    assert "1.96" not in pages["methods.html"]
    assert "at every look; Bonferroni" in words_of(pages["methods.html"])


def test_trueskill_table_has_the_order_that_the_page_says(tmp_path: Path) -> None:
    with Database.open(str(of_matches(tmp_path, None))) as database:
        _, pages = pages_of(database)
    (measure,) = re.findall(r"The table is ordered by ([^.]*)\.", pages["methods.html"])
    page = pages["statistics.html"]
    start = page.index('<section aria-labelledby="trueskill">')
    head, *rows = table_of(page[start:], "sortable")
    values = [float(row[head.index(measure)].replace("\N{MINUS SIGN}", "-")) for row in rows]
    assert values == sorted(values, reverse=True)
    assert f"Rank by {measure}" in page


def test_report_by_wins_ranks_and_explains_by_wins(tmp_path: Path) -> None:
    """The bot that is always second is last by wins, in standings and Elo alike."""
    tables = [*["first,1,second,2,third,3"] * 5, *["third,1,second,2,first,3"] * 4]
    path = tmp_path / "games.csv"
    path.write_text("player1,rank1,player2,rank2,player3,rank3\n" + "\n".join(tables) + "\n")
    folder = tmp_path / "report"
    words = ("--score", "win", "--repeats", "count", "--report", str(folder))
    done = invoke("rate", str(path), *words)
    assert done.exit_code == 0, done.output
    standings = json.loads((folder / "data" / "standings.json").read_text())
    assert [(line["name"], line["points"], line["wins"]) for line in standings] == [
        ("first", 5, 5),
        ("third", 4, 4),
        ("second", 0, 0),
    ]
    assert min(standings, key=lambda line: line["elo"])["name"] == "second"
    page = words_of((folder / "methods.html").read_text())
    assert "A match gives one point to the first place, which ties for it share, and none to others." in page
    assert "Only pairs of seats of which one came first count" in page


def test_conditions_name_the_settings_of_the_machine(tmp_path: Path) -> None:
    measured = Measurements(started="2026-11-20T10:00:00+00:00", settings="governor powersave, turbo on")
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        tournament = genuine.begin(opened)
        genuine.play_all(opened, tournament)
        source = replace(load(opened, tournament), detail=lambda _number: MatchDetail(measured=measured))
        facts = {fact.label: fact.value for fact in tournament_facts(source, measured=True)}
        assert facts["Settings of the machine"] == "governor powersave, turbo on"
        assert "Settings of the machine" not in {fact.label for fact in head_facts(source, measured=True)}
        facts = {fact.label: fact.value for fact in tournament_facts(source, measured=False)}
        assert "Settings of the machine" not in facts
