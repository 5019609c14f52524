"""The pages of every format: its ranking, its rounds, its bracket, with real matches and hostile names.

It is one file because every test runs over the same tournaments, one of each format.
"""

import csv
import io
import json
import re
from fractions import Fraction
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.report import world
from tests.report.browser import needs_browser, probe
from tests.report.html_pages import Page
from tests.support import addons
from tests.support.command import invoke
from tests.support.sites import site
from tourney.report.display import label
from tourney.report.output.layout import Options
from tourney.report.output.write import write
from tourney.report.pages.bracket import bracket
from tourney.report.pages.formats import estimates
from tourney.report.pages.methods import has_measurements
from tourney.report.pages.rounds import has_progress, has_rounds, round_path
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.results.luck import shows_luck
from tourney.results.rounds import float_of, rankings, rounds_of
from tourney.results.standings import (
    page_columns,
    ranking_columns,
    ranking_sentences,
    standings_columns,
)
from tourney.run.engine.recorder import pair_next
from tourney.schedule.format import FORMATS
from tourney.schedule.knockout import Knockout
from tourney.store.database import Database

NAMES = tuple("abcdefghi")
PLANS: dict[str, dict[str, Any]] = {
    "round-robin": {"format_": "round-robin", "names": NAMES[:4]},
    "round-robin-3": {"format_": "round-robin", "names": NAMES[:5], "seats": 3, "games": 6, "rounds": 2},
    "swiss": {"format_": "swiss", "names": NAMES, "rounds": 4},
    "swiss-4": {"format_": "swiss", "names": NAMES, "seats": 4, "games": 4, "rounds": 3},
    "gauntlet": {"format_": "gauntlet", "names": NAMES[:5], "extra": (("challengers", "b,c"),)},
    "knockout": {"format_": "knockout", "names": NAMES[:6], "extra": (("third-place", 1),)},
    "adaptive": {"format_": "adaptive", "names": NAMES[:5], "extra": (("batch", 2), ("budget", 16))},
    "import": {"format_": "import", "names": NAMES[:3]},
    "results": {"format_": "results", "names": NAMES[:4]},
}
for part in addons.parts("report_plans"):
    PLANS |= part.PLANS


def played(path: Path, plan: dict[str, Any]) -> Path:
    """Play a tournament to its end, with faults and a void match; return its database."""
    how = dict(plan)
    if how["format_"] in ("import", "results"):
        return imported(path, how["names"], how["format_"])
    with Database.open(str(path), create=True) as repository:
        tournament = world.begin(repository, how.pop("names"), **how)
        world.play_out(repository, tournament, void=(2,))
    return path


def imported(path: Path, names: tuple[str, ...], format_: str = "import") -> Path:
    """Import the records, or only the results, of a round-robin; return its database."""
    played(path.with_name("first.db"), {"format_": "round-robin", "names": names})
    records = str(path.with_name("records"))
    what = "matches" if format_ == "results" else "records"
    for words in (
        ("export", "--what", what, "--db", f"{path.with_name('first.db')}", "--out", records),
        ("import", records, "--name", "again", "--db", str(path)),
    ):
        done = invoke(*words)
        assert done.exit_code == 0, done.stderr
    return path


def files(source: ReportSource) -> dict[str, str]:
    """The files of a report with pages of a few matches, by path."""
    return {
        file.path: file.content.decode("utf-8", "replace") for file in site(source, Options(match_pages=3))
    }


def made(path: Path) -> tuple[ReportSource, dict[str, str]]:
    """The source and the files of a database's report."""
    with Database.open(str(path)) as repository:
        source = load(repository, repository.tournaments.get())
        return source, files(source)


class Cups:
    """The tournaments of ``PLANS`` and their reports, each played and made once for all tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, tuple[ReportSource, dict[str, str]]] = {}

    def path(self, plan: str) -> Path:
        """The database of a tournament; not to be changed."""
        path = self._folder / plan / "t.db"
        if not path.exists():
            path.parent.mkdir()
            played(path, PLANS[plan])
        return path

    def made(self, plan: str) -> tuple[ReportSource, dict[str, str]]:
        if plan not in self._made:
            self._made[plan] = made(self.path(plan))
        return self._made[plan]


@pytest.fixture(scope="module")
def cups(tmp_path_factory: pytest.TempPathFactory) -> Cups:
    return Cups(tmp_path_factory.mktemp("cups"))


def table_of(page: str, name: str) -> list[list[str]]:
    """Return the cells of the table of a class, without markup."""
    found = re.search(rf'<table class="{name}[^"]*">(.*?)</table>', page, re.DOTALL)
    assert found is not None
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", found[1], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


@pytest.mark.parametrize("plan", PLANS)
def test_standings_agree_in_commands_exports_and_report(cups: Cups, plan: str) -> None:
    path = str(cups.path(plan))
    source, pages = cups.made(plan)
    luck = shows_luck(source.tournament)
    columns = standings_columns(source.ranking, luck=luck)
    keys = [column.key for column in columns]
    printed = invoke("standings", "--db", path, "--format", "json")
    document = json.loads(printed.stdout)
    rows = document["standings"]
    assert document["ranked_by"] == [column.key for column in ranking_columns(source.ranking)]
    for row in rows:
        assert {"kinds", *row, *row["tie_breaks"]} - {"tie_breaks"} == {
            *keys,
            *("awarded", "luck", "mean_without_luck"),
        }
    assert [row["rank"] for row in rows] == [line.rank for line in source.standings]

    as_csv = list(csv.reader(io.StringIO(invoke("standings", "--db", path, "--format", "csv").stdout)))
    exported = list(csv.reader(io.StringIO(invoke("export", "--db", path, "--what", "standings").stdout)))
    downloaded = list(csv.reader(io.StringIO(pages["data/standings.csv"])))
    assert as_csv == exported
    assert [line[: len(keys)] for line in downloaded] == exported
    for row, line in zip(json.loads(pages["data/standings.json"]), rows, strict=True):
        exact = {**line, **line["tie_breaks"]}
        assert {key: row[key] for key in keys if key != "kinds"} == {
            key: exact[key] for key in keys if key != "kinds"
        }

    head, *lines = table_of(pages["index.html"], "standings")
    shown = page_columns(source.ranking, luck=luck)
    elo = next(at for at, cell in enumerate(head) if cell.startswith("Elo"))
    head, *lines = ([*line[:elo], *line[elo + 1 :]] for line in (head, *lines))
    assert head[: len(shown)] == [column.heading for column in shown]
    table = invoke("standings", "--db", path)
    words = table.stdout.splitlines()[2:]
    for line, text, row in zip(lines, words, rows, strict=True):
        assert line[0] == str(row["rank"])
        assert line[1].startswith(label(row["name"]))
        assert line[1].split()[0] == text.split()[1]
        values = [cell.replace("\N{EN DASH}", "-").replace("\N{MINUS SIGN}", "-") for cell in line]
        points = next(at for at, column in enumerate(shown) if column.key == "points")
        # The page also says what of the points is of byes.
        assert ("bye" in values[points]) == ("+" in values[points])
        values[points] = values[points].split()[0]
        printed_values = text.split()
        if "awarded" in keys:
            del printed_values[keys.index("awarded")]
        assert values[2 : len(shown)] == printed_values[2 : len(shown)]
    rule = ranking_sentences(source.ranking, luck=luck)
    assert table.stderr.splitlines()[: len(rule)] == list(rule)
    text = " ".join("".join(Page(pages["index.html"]).text).split())
    assert all(sentence in text for sentence in rule)


def test_every_registered_format_is_compared() -> None:
    assert {plan["format_"] for plan in PLANS.values()} >= {format_.name for format_ in FORMATS.all()}


@pytest.mark.parametrize("plan", PLANS)
def test_verdict_of_every_format_says_whether_it_ended(cups: Cups, plan: str, tmp_path: Path) -> None:
    running = re.compile(r"leads? |the lead |so far|still in|play the final")
    assert not running.search(cups.made(plan)[0].verdict)
    how = dict(PLANS[plan])
    if how["format_"] in ("import", "results"):
        return  # complete from the start
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = world.begin(repository, how.pop("names"), **how)
        world.play_all(repository, tournament, most=1)
        assert running.search(load(repository, tournament).verdict)


@pytest.mark.parametrize("plan", PLANS)
def test_last_ranking_of_the_rounds_is_that_of_the_standings(cups: Cups, plan: str) -> None:
    source, _ = cups.made(plan)
    *_, last = rankings(source.format, source.setup, source.schedule.rows, source.results)
    assert [(line.number, line.rank, line.points, line.values) for line in last.values()] == [
        (line.number, line.rank, line.points, line.tie_breaks) for line in source.standings
    ]


@pytest.mark.parametrize("plan", PLANS)
def test_pages_of_every_format_are_linked_and_well_formed(cups: Cups, plan: str) -> None:
    source, pages = cups.made(plan)
    seen, wanted = {"index.html"}, ["index.html"]
    parsed = {path: Page(text) for path, text in pages.items() if path.endswith(".html")}
    while wanted:
        path = wanted.pop()
        page = parsed[path]
        assert page.problems == [], path
        assert len(set(page.ids)) == len(page.ids), path
        for _, target in page.references:
            file, _, fragment = target.partition("#")
            place = str((Path("/") / path).parent.joinpath(file).resolve())[1:] if file else path
            if target == "data:,":
                continue
            assert place in pages, (path, target)
            # Fragments with values are for scripts: an action, or the filter of the list of matches.
            if fragment and "=" not in fragment and place in parsed:
                assert fragment in parsed[place].ids, (path, target)
            if place in parsed and place not in seen:
                seen.add(place)
                wanted.append(place)
    assert seen == set(parsed)
    rounds = {round_path(round_.number) for round_ in rounds_of(source.setup, source.rows, source.results)}
    assert (rounds <= seen) == has_rounds(source)
    assert ("rounds.html" in seen) == has_progress(source)
    assert ("bracket.html" in seen) == (source.tournament.plan.format == "knockout")


@pytest.mark.parametrize("plan", PLANS)
def test_standings_come_first_except_after_a_bracket(cups: Cups, plan: str) -> None:
    source, pages = cups.made(plan)
    first = re.findall(r'<section aria-labelledby="(\w+)"', pages["index.html"])
    knockout = source.tournament.plan.format == "knockout"
    assert first[:2] == ["bracket", "standings"] if knockout else first[0] == "standings"


def test_swiss_rounds_show_floats_byes_and_points_before(cups: Cups) -> None:
    source, pages = cups.made("swiss")
    found = tuple(rounds_of(source.setup, source.rows, source.results))
    ranked = list(rankings(source.format, source.setup, source.schedule.rows, source.results))
    floats = 0
    for round_, before, after in zip(found, ranked, ranked[1:], strict=False):
        page = pages[round_path(round_.number)]
        rows = table_of(page, "pairings")[1:]
        for pairing, row in zip(round_.pairings, rows, strict=True):
            for number in pairing.entrants:
                assert f"{source.entrants[number].name} ({float(before[number].points):.1f})" in row[1]
            ups = [float_of(before, pairing, number) for number in pairing.entrants]
            assert sorted(ups) in (["", ""], ["down", "up"])
            floats += "up" in ups
            assert row[1].count("\N{UPWARDS ARROW}") == ups.count("up")
        (idle,) = round_.idle
        assert after[idle].points - before[idle].points == 2
        assert f"{source.entrants[idle].name}</bdi></a> <span" in page
        assert "bye, worth 2 points" in page
    assert floats


def test_progress_follows_every_bot_through_the_rounds(cups: Cups) -> None:
    source, pages = cups.made("swiss")
    rows = json.loads(pages["data/progress.json"])
    assert len(rows) == len(NAMES) * 4
    for line in source.standings:
        mine = [row for row in rows if row["name"] == line.name]
        assert [row["round"] for row in mine] == [1, 2, 3, 4]
        assert (mine[-1]["rank"], mine[-1]["points"]) == (line.rank, float(line.points))
        scored = sum(Fraction(row["score"] or 0) for row in mine)
        assert scored == line.points - line.awarded
        met = [row["opponents"] for row in mine if row["opponents"]]
        assert len(met) == len(set(met))
    assert len(table_of(pages["rounds.html"], "progress")) == len(NAMES) + 1


def test_bracket_shows_every_tie_with_its_score_and_decision(cups: Cups) -> None:
    source, pages = cups.made("knockout")
    shown = bracket(renderer(source, Options()))
    ties = [view for stage in shown.stages for view in stage.ties]
    assert [len(stage.ties) for stage in shown.stages] == [4, 2, 2]
    assert shown.left == 0
    assert sum(view.state == "bye" for view in ties) == 2
    drawn = str(shown.drawn())
    assert drawn.count('<a class="tie done"') == len(ties) - 2
    totals = {line.number: Fraction(0) for line in source.standings}
    for view in ties:
        for number, side in zip((view.tie.one, view.tie.two), view.sides, strict=True):
            if number is not None and side.score:
                totals[number] += Fraction(side.score)
        assert f'id="{view.anchor}"' in pages["bracket.html"]
    assert totals == {line.number: line.points for line in source.standings}
    winner = source.standings[0]
    assert shown.champion is not None
    assert shown.champion.number == winner.number
    assert "Third place" in drawn


def test_bracket_marks_what_is_still_to_play(tmp_path: Path) -> None:
    plan = {**PLANS["knockout"], "names": NAMES[:7]}
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = world.begin(repository, plan.pop("names"), **plan)
        world.play_all(repository, tournament, most=3)
        source = load(repository, tournament)
        page = files(source)["bracket.html"]
    assert "1 of 2 matches played" in page
    assert page.count("to be played") >= 4
    assert "In progress: 1 of 2 matches played." in page
    assert "Still to play: not all of its bots are known yet." in page
    assert "won by" not in page


@pytest.mark.parametrize("count", [4, 5, 33, 128])
def test_boxes_of_a_large_bracket_do_not_overlap(tmp_path: Path, count: int) -> None:
    names = tuple(f"bot{k}" for k in range(count))
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        third = (("third-place", 1),)
        tournament = world.begin(repository, names, format_="knockout", extra=third)
        source = load(repository, tournament)
    shown = bracket(renderer(source, Options()))
    drawn = str(shown.drawn("bracket.html"))
    boxes = [
        (float(x), float(y))
        for x, y in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="208" height="44"', drawn)
    ]
    assert len(boxes) == len(set(boxes)) == count
    for x in {x for x, _ in boxes}:
        column = sorted(y for at, y in boxes if at == x)
        assert all(below - above >= 60 for above, below in pairwise(column))
    height = float(re.findall(r'viewBox="-1 0 [\d.]+ ([\d.]+)"', drawn)[0])
    assert max(y for _, y in boxes) + 44 < height
    assert drawn.count('href="bracket.html#tie-') == count


@pytest.mark.parametrize("format_", ["swiss", "knockout", "gauntlet", "adaptive", "round-robin"])
def test_unfinished_tournament_says_that_standings_are_interim(tmp_path: Path, format_: str) -> None:
    plan = dict(PLANS[format_])
    path = tmp_path / "t.db"
    with Database.open(str(path), create=True) as repository:
        tournament = world.begin(repository, plan.pop("names"), **plan)
        world.play_all(repository, tournament, most=1)
        rows, complete = len(tuple(repository.schedules.rows(tournament.id))), tournament.complete
        page = files(load(repository, tournament))["index.html"]
    sentence = f"Interim standings: {rows - 1} of {rows} matches are still to play"
    sentence += "." if complete else ", and more rounds are to be paired."
    assert sentence in page
    assert sentence in invoke("standings", "--db", str(path)).stderr
    assert sentence in invoke("standings", "--db", str(path), "--format", "csv").stderr
    assert "Interim" not in invoke("standings", "--db", str(path), "--quiet").stderr


def test_imported_tournament_says_once_what_is_not_known(cups: Cups) -> None:
    _, pages = cups.made("import")
    page = pages["statistics.html"]
    assert page.count("times, hosts, protections and logs: the matches were imported without them") == 1
    assert "imported records, 2 seats per table; the pairings are not known" in page
    for word in ("Games per pairing", "sandbox", "<dt>Started", "<dt>Run"):
        assert word not in page
    assert not any(path.startswith(("round", "bracket")) for path in pages)


def test_imported_swiss_has_the_pages_of_a_swiss(tmp_path: Path) -> None:
    first = played(tmp_path / "first.db", {**PLANS["swiss"], "rounds": 2})
    path, out = tmp_path / "again.db", str(tmp_path / "cup.jsonl")
    assert invoke("export", "--what", "tournament", "--db", str(first), "--out", out).exit_code == 0
    assert invoke("import", out, "--db", str(path)).exit_code == 0
    _, before = made(first)
    source, pages = made(path)
    for name in ("rounds.html", "round-1.html", "round-2.html", "data/standings.csv", "data/progress.csv"):
        assert pages[name] == before[name]
    assert not has_measurements(source)
    assert "the matches were imported without them" in pages["statistics.html"]
    assert "the matches were imported without them" not in before["statistics.html"]


def test_challengers_have_scores_and_differences_against_each(cups: Cups) -> None:
    source, pages = cups.made("gauntlet")
    rows = json.loads(pages["data/gauntlet.json"])
    assert [(row["challenger"], row["opponent"]) for row in rows] == [
        (one.name, other.name)
        for one in source.standings
        if one.name in "bc"
        for other in source.standings
        if other.name not in "bc"
    ]
    points = {line.name: line.points for line in source.standings}
    elo = {source.entrants[line.entrant].name: line.elo for line in source.batch.ratings}
    for row in rows:
        assert row["low"] < row["elo_difference"] < row["high"]
        gap = elo[row["challenger"]] - elo[row["opponent"]]
        assert row["elo_difference"] == pytest.approx(gap, abs=0.11)
    for name in "bc":
        assert sum(row["points"] for row in rows if row["challenger"] == name) == points[name]
    for page in ("gauntlet.html", "index.html"):
        head, *lines = table_of(pages[page], "gauntlet")
        assert head[0] == "Challenger"
        assert {line[0] for line in lines} == {"b", "c"}
    assert "did not meet each other" in pages["gauntlet.html"]


def test_intervals_of_an_adaptive_tournament_narrow(cups: Cups) -> None:
    source, pages = cups.made("adaptive")
    rows = json.loads(pages["data/narrowing.json"])
    assert {row["batch"] for row in rows} == set(range(5))
    final = {row["name"]: row for row in rows if row["batch"] == 4}
    for line in source.standings:
        values = {key: float(value or 0) for key, value in line.tie_breaks}
        assert final[line.name]["rating"] == pytest.approx(values["rating"])
        assert final[line.name]["sigma"] == pytest.approx(values["sigma"])
        widths = [row["high"] - row["low"] for row in rows if row["name"] == line.name]
        assert widths[-1] < widths[0]
    paired = json.loads(pages["data/pairings.json"])
    assert sum(row["pairings"] for row in paired) == 8
    assert "The tournament ends after 16 matches." in pages["adaptive.html"]
    assert pages["adaptive.html"].count("their difference was known to") == len(paired)


def test_estimates_of_many_batches_are_spread_evenly(cups: Cups, monkeypatch: Any) -> None:
    source, _ = cups.made("adaptive")
    batches = tuple(rounds_of(source.setup, source.rows, source.results))
    monkeypatch.setattr("tourney.report.pages.formats._MOST", 2)
    assert [one.batch for one in estimates(source, batches)] == [0, 2, 4]


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["swiss", "knockout", "gauntlet", "adaptive"])
def test_hostile_names_stay_text_on_every_page(tmp_path: Path, format_: str) -> None:
    plan = {**PLANS[format_], "names": world.HOSTILE}
    if format_ == "gauntlet":
        plan.pop("extra")
    _, pages = made(played(tmp_path / "t.db", plan))
    for path, text in pages.items():
        if path.endswith(".html"):
            page = Page(text)
            assert page.problems == [], path
            assert {tag for tag, _ in page.elements}.isdisjoint({"img", "iframe", "object"}), path
            scripts = [a for tag, a in page.elements if tag == "script"]
            assert all("src" in a or a.get("type") == "application/json" for a in scripts), path
            assert not re.search("[\u202a-\u202e\u200f\ud800-\udfff]", text), path


def test_ties_of_the_bracket_agree_with_the_stages_won(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = world.begin(repository, tuple("abcdefghijklm"), format_="knockout")
        while True:
            world.play_all(repository, tournament)
            source = load(repository, tournament)
            bracket = Knockout().bracket(source.setup, source.schedule)
            won = dict.fromkeys(bracket.won, 0)
            over = True
            for stage in sorted({tie.stage for tie in bracket.ties}):
                ties = [tie for tie in bracket.ties if tie.stage == stage]
                over = over and all(tie.winner is not None for tie in ties)
                for tie in ties:
                    if over and tie.winner is not None:
                        won[tie.winner] += 1
                    assert (tie.how == "") == (tie.winner is None)
            assert won == bracket.won
            assert len(bracket.ties) == 15
            if pair_next(repository, tournament.id) is None:
                break
        assert {"score", "bye"} <= {tie.how for tie in bracket.ties}


@needs_browser
@pytest.mark.parametrize(("plan", "page"), [("gauntlet", "gauntlet.html"), ("adaptive", "adaptive.html")])
def test_wide_parts_scroll_within_the_page_on_a_phone(
    cups: Cups, tmp_path: Path, plan: str, page: str
) -> None:
    """``test_every_page`` looks at the pages of the other formats in the same way."""
    with Database.open(str(cups.path(plan))) as repository:
        write(site(load(repository, repository.tournaments.get()), Options(match_pages=1)), tmp_path / "out")
    script = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth];"
    scrolled, width = probe(tmp_path / "out" / page, script, tmp_path / "profile", width=390)
    assert width == 390
    assert scrolled == width
