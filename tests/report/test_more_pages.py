"""Pages of pairs, ratings by round, faults, overload and methods, and the first page's introduction."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report import world
from tests.report.conftest import Report
from tests.report.html_pages import Page
from tests.support.sites import rendered, site, sites
from tourney.match.evidence import Evidence
from tourney.match.record import FAULT_KINDS
from tourney.match.result import LogLine
from tourney.report import display
from tourney.report.output.layout import File, Options
from tourney.report.output.rendering import Renderer
from tourney.report.output.write import write
from tourney.report.pages import fault as fault_page
from tourney.report.pages import history as history_page
from tourney.report.pages import pair as pair_page
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.store.database import Database
from tourney.store.presentation import Link, Presentation, logo_text
from tourney.store.totals import OverloadedMatch, OverloadTotals

SHOWN = Presentation(
    '<script>alert("title")</script>',
    "First <b>line</b>,\nstill the first.\n\n\u202eSecond.",
    (Link("<i>Bots</i>", 'https://example.org/?a="><script>'), Link("Mail", "mailto:a@example.org")),
    logo_text(b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'),
)


@pytest.fixture
def made(report: Report) -> Renderer:
    return renderer(report.source, Options())


def page(files: Iterator[File], path: str) -> Page:
    (found,) = [file for file in files if file.path == path]
    parsed = Page(found.content.decode("utf-8"))
    assert parsed.problems == []
    return parsed


def words(parsed: Page) -> str:
    return " ".join("".join(parsed.text).split())


@pytest.mark.slow
def test_pair_pages_agree_with_the_crosstable(report: Report, made: Renderer) -> None:
    totals = {(one.entrant, one.opponent): one for one in report.source.pairs if one.games}
    games = pair_page.pairs_with_pages(made)
    assert {frozenset(pair) for pair in games} == {frozenset(pair) for pair in totals}
    for pair, found in games.items():
        assert len(found) == totals[pair].games
        assert sum(game.half for game in found) == totals[pair].half_points
        assert [game.match.number for game in found] == sorted(game.match.number for game in found)


def test_pair_page_shows_score_and_every_game(report: Report, made: Renderer) -> None:
    (pair, games), *_ = pair_page.pairs_with_pages(made).items()
    path = made.once(pair_page.pair_paths)[pair]
    parsed = page(rendered(pair_page.files(made)), path)
    score = sum(game.half for game in games) / 2
    assert f"{score:g} \u2013 {len(games) - score:g}" in words(parsed).replace("\u00bd", ".5")
    hrefs = {target for name, target in parsed.references if name == "href"}
    assert {f"../{made.line_of(game.match.number).href}" for game in games} <= hrefs


def test_pairs_beyond_the_bound_link_to_bots(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the best placed bots keep their pages; cells of others lead to a line of a bot's page."""
    monkeypatch.setattr(pair_page, "PAIR_PAGES", 2)
    made = {file.path: file.content for file in site(report.source)}
    pairs = [path for path in made if path.startswith("pairs/")]
    assert len(pairs) == 2
    best = report.source.standings[0].number + 1
    assert all(re.search(rf"\b{best:02d}\b", path) for path in pairs)
    cross = Page(made["crosstable.html"].decode("utf-8"))
    targets = [target for name, target in cross.references if name == "href" and "#vs-" in target]
    assert targets
    for target in targets:
        path, _, anchor = target.partition("#")
        assert f'id="{anchor}"' in made[path].decode("utf-8")


def test_pentanomial_counts_each_mirrored_group_once(made: Renderer) -> None:
    for games in pair_page.pairs_with_pages(made).values():
        groups = {game.match.key[:3] for game in games}
        counts = pair_page._groups(games)
        halves = sum(place * n for place, (_, n) in enumerate(counts))
        whole = [g for g in groups if sum(x.match.key[:3] == g for x in games) == 2]
        assert sum(n for _, n in counts) == len(whole)
        if len(whole) == len(groups):
            assert halves == sum(game.half for game in games)


@pytest.mark.parametrize(
    ("halves", "runs"),
    [([], (0, 0, 0, 0)), ([2, 2, 1, 2, 0], (2, 4, 1, 1)), ([0, 1, 0, 0, 2], (1, 1, 2, 4))],
)
def test_streaks_are_longest_runs(halves: list[int], runs: tuple[int, ...]) -> None:
    assert tuple(n for _, n in pair_page._streaks(bytes(halves), "a", "b")) == runs


def test_history_ends_with_the_ratings_of_the_report(report: Report, made: Renderer) -> None:
    found = made.once(history_page.histories)
    elo = {
        line.entrant: (line.elo, line.low, line.high) for line in report.source.batch.ratings if line.games
    }
    drawn = found.elo[-1][1]
    assert {number: value[0] for number, value in drawn.items()} == {n: value[0] for n, value in elo.items()}
    assert drawn == elo  # one kind of intervals on one page
    last = {number: round(values[0], 3) for number, values in found.skill[-1][1].items()}
    assert last == {rating.entrant: rating.mu for rating in report.source.ratings}


def test_history_rates_every_round_by_the_settings_of_the_report(report: Report) -> None:
    """Not the last one alone: the values are those of a report on the rounds so far."""
    fits = []
    for joined in (True, False):
        # All games of a pair are repeats of one game.
        matches = [
            replace(
                match,
                seats=(0, 1),
                result=replace(match.result, evidence=Evidence(play="0" * 16), ranks=(1, 2)),
            )
            for match in report.source.matches
        ]
        source = replace(report.source, matches=matches, joined=joined)
        *_, (round_, fit), _ = history_page._fits(renderer(source, Options()))
        fits.append(fit)
        early = [match for match in matches if match.key.round <= round_]
        assert fit == history_page.RoundFit.of(replace(source, matches=early).batch)
    assert fits[0] != fits[1]


def test_history_fits_few_rounds_of_many_bots(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = len(report.source.history)
    assert rounds > 2
    monkeypatch.setattr(history_page, "BOTS_AND_FITS", 2 * len(report.source.entrants))
    found = history_page.histories(renderer(report.source, Options()))
    assert [round_ for round_, _ in found.elo] == [rounds // 2, rounds]


@pytest.mark.parametrize("count", [1, 7, 12, 13, 100])
def test_samples_are_in_order_and_end_with_the_last(count: int) -> None:
    items = list(range(count))
    some = history_page.sampled(items, 12)
    assert list(some) == sorted(set(some))
    assert len(some) == min(count, 12)
    assert some[-1] == items[-1]


def test_history_page_has_a_table_for_every_chart(made: Renderer) -> None:
    parsed = page(history_page.files(made), "history.html")
    drawn = [element for element in parsed.elements if element[1].get("class") == "chart"]
    assert len(drawn) == 2
    for label in made.source.labels.values():
        assert words(parsed).count(label.name) >= 2


def test_faults_page_lists_every_fault_with_its_ply(report: Report, made: Renderer) -> None:
    parsed = page(fault_page.files(made), "faults.html")
    expected = [
        (match.number, kind)
        for match in report.source.matches
        if match.result is not None
        for kind in match.result.faults
        if kind
    ]
    assert expected
    links = [
        target for name, target in parsed.references if re.fullmatch(r"matches/\d+\.html#ply=\d+", target)
    ]
    assert [int(re.findall(r"\d+", link)[0]) for link in links] == [number for number, _ in expected]
    assert {kind for _, kind in expected} <= set(FAULT_KINDS)


def test_faults_page_says_the_kind_once(report: Report) -> None:
    """Notes of the referee begin with the kind, which the page has in words."""
    number, seat, kind = next(
        (match.number, seat, kind)
        for match in report.source.matches
        if match.result is not None
        for seat, kind in enumerate(match.result.faults, 1)
        if kind
    )
    detail = report.source.detail(number)
    noted = replace(detail, log=(LogLine(1, seat, "note", f"{kind}: the reason"),))
    details = {number: noted}
    source = replace(report.source, detail=lambda at: details.get(at) or report.source.detail(at))
    said = words(page(fault_page.files(renderer(source, Options())), "faults.html"))
    assert f"{display.fault(kind)}: the reason" in said
    assert f": {kind}: the reason" not in said


def test_faults_page_publishes_logs_only_on_request(report: Report) -> None:
    for options, shown in ((Options(), False), (Options(logs=True), True), (Options(measured=False), False)):
        files = fault_page.files(renderer(report.source, options))
        parsed = page(files, "faults.html")
        assert ("workbench" in words(parsed)) is shown
        assert "<b>" not in parsed.text


def test_many_faults_of_a_kind_leave_room_for_others(
    repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fault_page, "OF_A_KIND", 1)
    tournament = world.begin(repository, ("alpha", "beta"), games=60)
    world.play_all(repository, tournament)
    source = load(repository, tournament)
    files = {file.path: file.content for file in fault_page.files(renderer(source, Options()))}
    rows = json.loads(files["data/fault-list.json"])
    kinds = {(row["entrant"], row["fault"]) for row in rows}
    assert len(rows) > len(kinds)
    parsed = Page(files["faults.html"].decode("utf-8"))
    shown = [target for _, target in parsed.references if "#ply=" in target]
    assert len(shown) == len(kinds)
    assert f"{len(rows) - len(kinds)} more fault" in words(parsed)


def test_overload_page_names_matches_and_void_ones(report: Report) -> None:
    totals = OverloadTotals(turns=400, overloaded=33, matches=5)
    listed = (OverloadedMatch(7, 40, 30), OverloadedMatch(2, 40, 1))
    source = replace(report.source, overloaded=listed, overload=(totals, {}))
    parsed = page(fault_page.files(renderer(source, Options())), "overload.html")
    links = [target for _, target in parsed.references if target.startswith("matches/")]
    assert links[:2] == ["matches/7.html", "matches/2.html"]
    assert "the machine failed each time it was played" in words(parsed)
    assert not [
        f for f in fault_page.files(renderer(source, Options(measured=False))) if "overload" in f.path
    ]


@pytest.mark.slow
def test_methods_page_has_exact_commands_and_digests(report: Report) -> None:
    root = "ab" * 32
    source = replace(report.source, root=root)
    files = {file.path: file.content.decode("utf-8", "replace") for file in site(source)}
    said = words(Page(files["methods.html"]))
    assert f"tourney verify --root {root}" in said
    assert "tourney rerun cup --all" in said
    for entrant in source.entrants:
        assert entrant.entrant.digest in said
    for key, value in source.tournament.plan.limits.texts().items():
        assert f"{key}{value}" in said
    assert "bubblewrap" in said
    plain = page(site(source, Options(measured=False)), "methods.html")
    assert "bubblewrap" not in words(plain)


@pytest.mark.slow
def test_introduction_is_plain_text_with_safe_links(report: Report, tmp_path: Path) -> None:
    source = replace(report.source, presentation=SHOWN)
    files = {file.path: file.content for file in site(source)}
    assert files["logo.svg"] == SHOWN.image
    index = Page(files["index.html"].decode("utf-8"))
    assert index.problems == []
    assert not any("alert" in script for script in index.scripts)
    said = words(index)
    assert "First <b>line</b>, still the first." in said
    assert SHOWN.title in said
    links = [attributes for tag, attributes in index.elements if attributes.get("rel")]
    outside = [one for one in links if one["href"].startswith(("https:", "mailto:"))]
    assert [one["href"] for one in outside] == [link.url for link in SHOWN.links]
    assert all(one["rel"] == "nofollow noopener noreferrer" for one in outside)
    assert [a["src"] for tag, a in index.elements if tag == "img"] == ["logo.svg"]
    write(site(source), tmp_path / "out")
    write(site(source), tmp_path / "out")  # a report with a logo is replaced by a later one


def test_title_stands_in_every_page_and_the_list(report: Report) -> None:
    source = replace(report.source, presentation=Presentation(title="Autumn Cup 2026"))
    pages = [file for file in sites([source]) if file.is_page]
    assert all(b"Autumn Cup 2026" in file.content for file in pages)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats", "games"), [("sage-stones", 3, 6), ("seven-sages", 2, 2)])
def test_pages_work_for_other_games_and_tables(tmp_path: Path, game: str, seats: int, games: int) -> None:
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        names = ("a", "b", "c", "d")[: seats + 1]
        tournament = world.begin(repository, names, game=game, seats=seats, games=games)
        world.play_all(repository, tournament, most=14)
        source: ReportSource = load(repository, repository.tournaments.get())
        for file in site(source):
            if file.is_page and not file.path.startswith("matches/"):
                assert Page(file.content.decode("utf-8")).problems == [], file.path


def test_pages_of_a_tournament_without_matches_are_whole(repository: Database) -> None:
    tournament = world.begin(repository)
    paths = set()
    for file in site(load(repository, tournament)):
        paths.add(file.path)
        if file.is_page:
            assert Page(file.content.decode("utf-8")).problems == [], file.path
    assert {"history.html", "faults.html", "overload.html", "methods.html"} <= paths
