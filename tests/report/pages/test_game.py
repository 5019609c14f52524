"""The page of the game: rules in short and whole, seats, ends, lengths, openings and faults."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from markupsafe import Markup

from tests.report import world
from tests.report.conftest import Report
from tests.report.html_pages import Page
from tests.support import genuine
from tests.support.command import TOYS, offering
from tests.support.sites import site
from tests.support.toys import Toe
from tourney.bots.catalogue.shipped import rules_text
from tourney.games.guide import Example, Figure, Guide
from tourney.games.registry import GAMES, find_game
from tourney.report.output.layout import Options
from tourney.report.pages import game as game_page
from tourney.report.pages.game import rules_page
from tourney.report.site import renderer
from tourney.report.source import ReportSource, load
from tourney.schedule.row import score_units
from tourney.store.column_reading import MatchParts
from tourney.store.database import Database

HOSTILE = "<script>alert(1)</script>\x00\u202e\"'><img src=x>"


class GuidedToe(Toe):
    """A plugin's game with a guide full of markup."""

    def guide(self) -> Guide:
        return Guide(
            HOSTILE,
            (HOSTILE,),
            (HOSTILE, "x" * 10_000),
            (Figure(HOSTILE, HOSTILE, 1, HOSTILE, HOSTILE),),
            (Example(HOSTILE, "", ("b2",)),),
            f"# A {HOSTILE}\n\n## Two <b>words</b>\n\n## Two <b>words</b>\n\n{HOSTILE}\n\n"
            "[a](javascript:alert(1)) [b](https://example.org) [c](../../x) [d](#r-d) ![e](e.png)\n\n"
            "|x|y|\n|-:|-|\n|1|<i>2</i>|\n",
        )


class FailingToe(Toe):
    """A plugin's game whose guide fails."""

    def guide(self) -> Guide:
        raise ZeroDivisionError


class UnplayableToe(Toe):
    """A plugin's game whose guide has an example that cannot be played."""

    def guide(self) -> Guide:
        return Guide("aim", (), (), (), (Example("no", "", ("z9",)),))


def tournament(repository: Database, game: str, **how: Any) -> ReportSource:
    """Return a played tournament."""
    begun = world.begin(repository, ("a", "b", "c", "d"), game=game, **how)
    world.play_all(repository, begun)
    return load(repository, begun)


def page_of(source: ReportSource) -> dict[str, str]:
    """Return the pages of the game by path, and their downloads."""
    made = game_page.files(renderer(source, Options()))
    return {file.path: file.content.decode("utf-8") for file in made}


@pytest.mark.parametrize("name", sorted(GAMES.own))
def test_every_game_has_a_page_and_its_whole_rules(name: str, repository: Database) -> None:
    game = find_game(name)
    files = page_of(load(repository, world.begin(repository, ("a", "b", "c", "d"), game=name, options=())))
    guide = game.guide()
    assert guide is not None
    page = Page(files["game.html"])
    said = "".join(page.text)
    assert page.problems == []
    assert guide.aim in said
    assert all(sentence in said for sentence in (*guide.turn, *guide.end))
    assert all(example.caption in said for example in guide.examples)
    assert files["game.html"].count('role="img" viewBox') == len(guide.examples)
    assert ("href", "rules.html") in page.references
    assert "No match has been played yet." in said
    rules = Page(files["rules.html"])
    assert rules.problems == []
    anchors = [target[1:] for kind, target in rules.references if kind == "href" and target.startswith("#")]
    assert len(anchors) > 3
    assert set(anchors) <= set(rules.ids)
    assert "perft" in "".join(rules.text).lower()
    assert len(rules.ids) == len(set(rules.ids))


def test_rules_page_shows_the_text_of_the_file() -> None:
    """Every word of a rules page is on the rendered page."""
    game = find_game("cyvasse")
    text = rules_text(game, game.guide())
    shown = "".join(Page(f"<p>{rules_page(text, Markup()).html}</p>".replace("<p><p>", "<p>")).text)
    for word in ("Trebuchet", "sufficiently engaged", "57,840", "spears", "tile-3:24678"):
        assert word.lower() in shown.lower()
    assert "**" not in shown
    assert "|---" not in shown


def test_counts_of_the_page_are_those_of_the_matches(report: Report) -> None:
    source = report.source
    counted = [m for m in source.matches if not m.result.void]
    page = game_page.game_page(renderer(source, Options()))
    everything, *reasons = page["endings"]
    assert everything["matches"] == len(counted) == sum(line["matches"] for line in reasons)
    lengths = [m.result.actions for m in counted]
    assert (everything["shortest"], everything["longest"]) == (min(lengths), max(lengths))
    assert sum(n for _, _, n in page["bins"]) == len(counted)
    for low, high, n in page["bins"]:
        assert n == sum(low <= length < high for length in lengths)
    kinds = Counter(k for m in source.matches for k in m.result.faults if k)
    assert {kind: n for kind, n, _ in page["faults"]} == dict(kinds)


def test_first_actions_are_counted_for_each_seat(report: Report) -> None:
    source = report.source
    page = game_page.game_page(renderer(source, Options()))
    counted = [m for m in source.matches if not m.result.void]
    expected: Counter[tuple[int, str]] = Counter()
    points: Counter[tuple[int, str]] = Counter()
    for match in counted:
        record = source.detail(match.number).record
        assert record is not None
        assert match.result is not None
        for seat in (1, 2):
            own = [action for actor, action in record.actions if actor == seat]
            if own:
                expected[seat, own[0]] += 1
                points[seat, own[0]] += score_units(match.result.ranks)[seat - 1]
    shown = {(line["seat"].number, line["actions"]): line for line in page["openings"]}
    assert shown
    for key, line in shown.items():
        assert line["matches"] == expected[key]
        assert float(line["score"]) == pytest.approx(50 * points[key] / expected[key], abs=0.05)
    for seat in (1, 2):
        hidden = {action for number, action in expected if number == seat} - {
            a for s, a in shown if s == seat
        }
        assert page["other_openings"].get(seat, 0) == len(hidden)


def test_seat_effects_are_those_of_the_ratings(report: Report) -> None:
    page = game_page.game_page(renderer(report.source, Options()))
    effects = report.source.batch.pool.seats
    assert [effect for _, effect in page["seats"]] == list(effects)
    assert sum(line.totals.games for line, _ in page["seats"]) == 2 * page["games"]


def test_few_records_are_read_for_openings(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_page, "OPENING_RECORDS", 3)
    page = game_page.game_page(renderer(report.source, Options()))
    assert page["sampled"] == 3
    assert max(Counter(line["seat"].number for line in page["openings"]).values()) <= 3


def test_plugin_without_a_guide_says_where_to_look(repository: Database) -> None:
    with offering(**TOYS):
        files = page_of(tournament(repository, "toe", options=()))
    assert "rules.html" not in files
    said = "".join(Page(files["game.html"]).text)
    assert "see the documentation of the package that provides it" in said
    assert "misere" in said


@pytest.mark.parametrize("name", ["FailingToe", "UnplayableToe"])
def test_guide_that_fails_costs_only_the_rules(name: str, repository: Database) -> None:
    with offering(toe=f"tests.report.pages.test_game:{name}"):
        files = page_of(tournament(repository, "toe", options=()))
    said = "".join(Page(files["game.html"]).text)
    assert "The game's guide cannot be shown" in said
    assert "First actions" in said


def test_missing_game_still_has_a_page(repository: Database) -> None:
    source = tournament(repository, "sage-stones")
    with offering(**TOYS):
        files = page_of(load(repository, source.tournament))
    said = "".join(Page(files["game.html"]).text)
    assert "is not installed" in said
    assert "First actions" in said


def test_hostile_guide_stays_text(repository: Database) -> None:
    with offering(toe="tests.report.pages.test_game:GuidedToe"):
        files = page_of(tournament(repository, "toe", options=()))
    for path in ("game.html", "rules.html"):
        page = Page(files[path])
        assert page.problems == []
        assert {tag for tag, _ in page.elements}.isdisjoint({"img", "iframe", "object"})
        assert not [s for s in page.scripts if "alert" in s]
        assert "\x00" not in files[path]
        assert "\u202e" not in files[path]
    rules = Page(files["rules.html"])
    article = [target for _, target in rules.references if "javascript" in target or "example.org" in target]
    assert article == []
    assert "<b>words</b>" in "".join(rules.text)
    assert "<i>2</i>" in "".join(rules.text)


def test_several_tournaments_have_a_page_each(report: Report) -> None:
    paths = {file.path for file in site(report.source, Options(match_pages=0))}
    assert {"game.html", "rules.html", "data/openings.csv", "data/lengths.json"} <= paths


def test_damaged_records_are_left_out_of_openings(report: Report) -> None:
    source = report.source
    whole = game_page.game_page(renderer(source, Options()))
    first = next(m.number for m in source.matches if not m.result.void)
    damaged = replace(
        source, parts=lambda numbers: {**source.parts(numbers), first: MatchParts(b"not packed")}
    )
    page = game_page.game_page(renderer(damaged, Options()))
    assert page["sampled"] == page["games"] - 1
    assert whole["sampled"] == 0


@pytest.mark.addon("chess")
def test_openings_of_chess_have_names_and_results_by_colour(repository: Database) -> None:
    cup = genuine.begin(repository, game="chess")
    genuine.play_all(repository, cup)
    page = game_page.game_page(renderer(load(repository, cup), Options()))
    assert page["named"]
    assert all(line["first"] + line["drawn"] + line["second"] == line["matches"] for line in page["named"])
    assert sum(line["matches"] for line in page["named"]) == page["games"]
    assert all(line["actions"].startswith("1. ") for line in page["book"])
