"""Ratings over all tournaments: what is pooled and why not, versions of bots, gains and anchors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.support.tournaments import played, refused
from tourney.errors import UsageError
from tourney.match.result import PlayedMatch
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.results import versions
from tourney.results.versions import (
    VersionPool,
    Wanted,
    pool_versions,
    pools_of_games,
    version_notes,
    version_rows,
)
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.seeds import derive
from tourney.store.database import Database
from tourney.store.values import CHOSEN, MatchResult, Plan, RunSettings, StoredEntrant

Bot = tuple[str, str]
"""A bot's name and version."""


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        yield opened


def hold(
    repository: Database,
    name: str,
    bots: tuple[Bot, ...],
    *,
    limits: Limits = Limits(move_ms=1000, charge="cpu"),  # noqa: B008 - a frozen value
    host: str = "here",
    speed: int = 0,
    args: tuple[str, ...] = (),
    **changes: Any,
) -> None:
    """Store a round-robin whose games are won by strength, the version, and luck."""
    plan = Plan(name, "sage-stones", "1", (), "round-robin", 2, 8, limits=limits)
    plan = Plan(**({field: getattr(plan, field) for field in plan.__struct_fields__} | changes))
    entrants = tuple(
        StoredEntrant(
            number,
            Entrant(f"e{number}", bot, version, args, f"{sum(map(ord, bot + version)):064x}"),
        )
        for number, (bot, version) in enumerate(bots)
    )
    made = repository.tournaments.add(
        plan, seed=5, origin=CHOSEN, run=RunSettings(), entrants=entrants, created=f"2026-0{len(name)}-01"
    )
    pair_next(repository, made.id)
    results = []
    for number, row in repository.schedules.pending(made.id):
        one, two = (bots[seat] for seat in row.seats)
        edge = 10 * (float(one[1]) - float(two[1])) + 50
        won = derive(number, "luck", name, one[0]) % 100 < edge
        match = played(spec_of(made, entrants, row), (1, 2) if won else (2, 1))
        match = PlayedMatch(match.record, match.log, structs.replace(match.measured, host=host, speed=speed))
        results.append(MatchResult(number, match))
    repository.matches.add(made.id, results)


def pool(repository: Database, **wanted: Any) -> VersionPool:
    return pool_versions(repository, Wanted(**wanted))


def test_versions_of_a_bot_are_linked_over_tournaments(repository: Database) -> None:
    hold(repository, "a", (("mine", "1.0"), ("rival", "1.0")))
    hold(repository, "bb", (("mine", "1.2"), ("mine", "1.0"), ("rival", "1.0")))
    hold(repository, "ccc", (("mine", "1.10"), ("mine", "1.2")))
    found = pool(repository)
    assert [one.name for one in found.tournaments] == ["a", "bb", "ccc"]
    by = {one.label: one for one in found.versions}
    assert set(by) == {"mine 1.0", "mine 1.2", "mine 1.10", "rival 1.0"}
    before = {name: one.before for name, one in by.items()}
    assert before == {
        "mine 1.0": None,
        "rival 1.0": None,
        "mine 1.2": by["mine 1.0"].number,
        "mine 1.10": by["mine 1.2"].number,
    }
    assert by["mine 1.0"].tournaments == 2
    assert by["mine 1.2"].since == "2026-02-01"
    rows = {row["label"]: row for row in version_rows(found, found.rate())}
    assert rows["mine 1.2"]["games"] == 16 + 8
    assert rows["mine 1.0"]["gain"] is None
    new = rows["mine 1.2"]
    assert new["gain"] == pytest.approx(new["elo"] - rows["mine 1.0"]["elo"], abs=0.11)
    assert new["gain_low"] < new["gain"] < new["gain_high"]
    assert not new["vague_gain"]


def test_gain_with_a_wide_interval_is_vague(repository: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(repository, "bb", (("mine", "1.2"), ("mine", "1.0"), ("rival", "1.0")))
    found = pool(repository)
    monkeypatch.setattr(versions, "WIDE", 1)
    rows = {row["label"]: row for row in version_rows(found, found.rate())}
    assert [rows[name]["vague_gain"] for name in ("mine 1.0", "mine 1.2")] == [False, True]


def test_pool_is_rated_as_one_tournament_of_its_games(repository: Database) -> None:
    hold(repository, "a", (("mine", "1.0"), ("rival", "1.0")))
    hold(repository, "bb", (("rival", "1.0"), ("mine", "1.0")))
    found = pool(repository)
    rows = [
        one._replace(key=one.key._replace(round=part), entrants=tuple(order[n] for n in one.entrants))
        for part, (tournament, order) in enumerate(zip(found.tournaments, ((0, 1), (1, 0)), strict=True))
        for one in repository.matches.results(tournament.id)
    ]
    again = rate(Counts.of_results(rows, (0, 1), 2), pairs=False, look=found.look)
    assert found.rate().ratings == again.ratings
    assert found.rate().pool.matches == 16


def test_what_may_not_be_pooled_is_named_with_its_reason(repository: Database) -> None:
    bots = (("mine", "1.0"), ("rival", "1.0"))
    hold(repository, "good", bots)
    hold(repository, "slow", bots, limits=Limits(move_ms=50, charge="cpu"))
    hold(repository, "rules", bots, rules="0")
    hold(repository, "options", bots, options=(("stones", "3"),))
    hold(repository, "results", bots, format="results")
    hold(repository, "started", bots, limits=Limits(move_ms=1000, charge="cpu", startup_ms=99))
    found = pool(repository, like="good")
    assert [one.name for one in found.tournaments] == ["good", "started"]
    assert dict(found.left_out) == {
        "slow": "limit move-ms is 50, and 1000 in good",
        "rules": "the rules version is 0, and 1 in good",
        "options": "option stones is 3, and not set in good",
        "results": "imported results without records",
    }
    said = list(version_notes(found))
    assert len(said) == 6
    assert "Left out: slow: limit move-ms is 50, and 1000 in good." in said
    assert pool(repository, limits={"move-ms": "50"}).reference.name == "slow"
    assert pool(repository, options={"stones": "3"}).reference.name == "options"
    with refused(UsageError, "no tournament of sage-stones has a match with a record and what was named"):
        pool(repository, limits={"move-ms": "7"})


def test_hosts_of_other_speed_are_not_pooled_by_the_wall_clock(repository: Database) -> None:
    bots, wall = (("mine", "1.0"), ("rival", "1.0")), DEFAULT_LIMITS
    hold(repository, "one", bots, limits=wall, speed=100)
    hold(repository, "same", bots, limits=wall, host="twin", speed=105)
    hold(repository, "unknown", bots, limits=wall, host="strange")
    hold(repository, "faster", bots, limits=wall, host="quick", speed=200)
    found = pool(repository, like="one")
    assert [one.name for one in found.tournaments] == ["one", "same"]
    left = dict(found.left_out)
    assert set(left) == {"unknown", "faster"}
    assert "played on quick (speed 200), not on here (speed 100), and charge is wall" in left["faster"]
    assert len(pool(repository, like="one", any_host=True).tournaments) == 4


def test_anchors_hold_the_scale(repository: Database) -> None:
    hold(repository, "a", (("mine", "1.0"), ("rival", "1.0")))
    hold(repository, "bb", (("mine", "1.1"), ("rival", "1.0")))
    found = pool(repository)
    rows = {row["label"]: row["elo"] for row in version_rows(found, found.rate({"rival": 1000.0}))}
    assert rows["rival 1.0"] == 1000.0
    free = {row["label"]: row["elo"] for row in version_rows(found, found.rate())}
    assert rows["mine 1.1"] - 1000 == pytest.approx(free["mine 1.1"] - free["rival 1.0"], abs=0.11)
    assert found.find("mine@1.1").label == found.find("mine 1.1").label == "mine 1.1"
    assert found.find(found.versions[0].digest).number == 0
    for name, said in (("mine", "mine means 2 versions"), ("who", "no version is called 'who'")):
        with refused(UsageError, said):
            found.rate({name: 1.0})
    with refused(UsageError, "names rival 1.0 twice"):
        found.rate({"rival": 1.0, "rival@1.0": 2.0})


def test_arguments_make_another_bot(repository: Database) -> None:
    hold(repository, "a", (("mine", "1.0"), ("rival", "1.0")))
    hold(repository, "bb", (("mine", "1.0"), ("rival", "1.0")), args=("--fast",))
    found = pool(repository)
    assert [one.label for one in found.versions] == [
        "mine 1.0",
        "mine 1.0 --fast",
        "rival 1.0",
        "rival 1.0 --fast",
    ]
    assert {one.before for one in found.versions} == {None}
    assert len(found.rate().pool.parts) == 2


def test_games_of_a_version_against_itself_do_not_count(repository: Database) -> None:
    hold(repository, "a", (("mine", "1.0"), ("mine", "1.0"), ("rival", "1.0")))
    found = pool(repository)
    assert (len(found.versions), found.alone) == (2, 8)
    assert found.rate().pool.matches == 16
    assert "Games of a version against itself, which say nothing: 8." in list(version_notes(found))


def test_three_seats_are_pooled_as_well(repository: Database) -> None:
    bots = (("mine", "1.0"), ("rival", "1.0"), ("other", "1.0"))
    plan = Plan("a", "sage-stones", "1", (), "round-robin", 3, 6, limits=Limits(move_ms=1000, charge="cpu"))
    entrants = tuple(
        StoredEntrant(k, Entrant(bot, bot, version, (), f"{k:064x}")) for k, (bot, version) in enumerate(bots)
    )
    made = repository.tournaments.add(
        plan, seed=5, origin=CHOSEN, run=RunSettings(), entrants=entrants, created="2026"
    )
    pair_next(repository, made.id)
    done = [
        MatchResult(number, played(spec_of(made, entrants, row)))
        for number, row in repository.schedules.pending(made.id)
    ]
    repository.matches.add(made.id, done)
    batch = pool(repository, seats=3).rate()
    assert (batch.pool.matches, batch.pool.clusters) == (6, 1)


def test_pools_of_a_report_have_several_tournaments_each(repository: Database) -> None:
    bots = (("mine", "1.0"), ("rival", "1.0"))
    usual, slow = Limits(move_ms=1000, charge="cpu"), Limits(move_ms=50, charge="cpu")
    for name, limits in (("a", usual), ("bb", slow), ("ccc", usual), ("dddd", slow)):
        hold(repository, name, bots, limits=limits)
    hold(repository, "single", bots, limits=Limits(move_ms=7, charge="cpu"))
    found = pools_of_games(repository, Wanted())
    assert [[one.name for one in pool.tournaments] for pool in found] == [["bb", "dddd"], ["a", "ccc"]]
    assert pools_of_games(repository, Wanted("go")) == ()


def test_game_is_named_where_there_are_several(repository: Database) -> None:
    with refused(UsageError, "name the game by --game"):
        pool(repository)
    hold(repository, "a", (("mine", "1.0"), ("rival", "1.0")))
    with refused(UsageError, "no tournament of go; it has tournaments of: sage-stones"):
        pool(repository, game="go")
