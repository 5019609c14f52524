"""A stored schedule is drawn again: honest tournaments hold, and altered rows are named."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.support.tournaments import begin, entrant, played
from tourney.check.schedule import StoredSchedule, TournamentCheck, check_schedule
from tourney.match.record import FaultKind
from tourney.run.engine.readiness import unbench
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult, StoredEntrant

Faults = tuple[tuple[int, FaultKind, int], ...]


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "tourney.db"), create=True) as opened:
        yield opened


def play_on(repository: Database, failing: str = "", rounds: int = 100) -> None:
    """Play what is drawn and draw on, for at most a number of draws; one entrant may never start."""
    tournament = repository.tournaments.get()
    for _ in range(rounds):
        entrants = repository.tournaments.entrants(tournament.id)
        results = []
        for number, row in repository.schedules.pending(tournament.id):
            spec = spec_of(tournament, entrants, row)
            names = [one.name for one in spec.seats]
            if failing in names:
                seat = names.index(failing) + 1
                faults: Faults = ((seat, "startup", 0),)
                results.append(MatchResult(number, played(spec, (2, 1) if seat == 1 else (1, 2), faults)))
            else:
                results.append(MatchResult(number, played(spec)))
        repository.matches.add(tournament.id, results)
        if not pair_next(repository, tournament.id):
            return


def check(repository: Database) -> TournamentCheck:
    return check_schedule(StoredSchedule.of(repository, repository.tournaments.get()))


WHOLE = TournamentCheck((), None)
FORMATS: dict[str, tuple[int, dict[str, Any]]] = {
    "round-robin": (5, {}),
    "round-robin of three": (7, {"seats": 3, "games": 6}),
    "design": (8, {"seats": 4, "games": 4, "rounds": 3}),
    "swiss": (6, {"format_": "swiss", "rounds": 3}),
    "odd swiss": (5, {"format_": "swiss", "rounds": 4}),
    "swiss of pods": (7, {"format_": "swiss", "seats": 3, "games": 6, "rounds": 3}),
    "gauntlet": (5, {"format_": "gauntlet", "extra": (("challengers", "b,c"),)}),
    "knockout": (6, {"format_": "knockout", "extra": (("extra-groups", 2), ("third-place", 1))}),
    "adaptive": (5, {"format_": "adaptive", "extra": (("batch", 3), ("budget", 40))}),
    "adaptive to a sigma": (4, {"format_": "adaptive", "extra": (("batch", 2), ("target-sigma", 90))}),
    "compare": (
        2,
        {
            "format_": "compare",
            "extra": (
                ("alpha", "0.05"),
                ("batch", 4),
                ("beta", "0.05"),
                ("elo0", "0.0"),
                ("elo1", "100.0"),
                ("max-pairs", 12),
            ),
            "games": 8,
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("count", "plan"), FORMATS.values(), ids=FORMATS)
def test_honest_tournament_holds_at_every_stage(
    repository: Database, count: int, plan: dict[str, Any]
) -> None:
    begin(repository, count, **plan)
    while not repository.tournaments.get().complete:
        assert check(repository).findings == ()
        play_on(repository, rounds=1)
    play_on(repository)
    assert check(repository) == WHOLE


def test_tournament_that_goes_on_is_unfinished(repository: Database) -> None:
    begin(repository, 6, format_="swiss", rounds=3)
    found = check(repository)
    assert found.findings == ()
    assert found.unfinished == "match 1 (round 1, table 1, repeat 1, order 1) and 5 more have no result"


def test_later_entrants_rounds_and_withdrawals_hold(repository: Database) -> None:
    tournament = begin(repository, 6, format_="swiss", rounds=3)
    play_on(repository, rounds=1)
    repository.tournaments.amend(
        tournament.id,
        plan=structs.replace(tournament.plan, rounds=5),
        run=tournament.run,
        entrants=[StoredEntrant(6, entrant("g"), joined=3), StoredEntrant(7, entrant("h"), joined=3)],
        left={2: 3},
    )
    play_on(repository)
    assert repository.schedules.progress(tournament.id).rounds == 5
    assert check(repository) == WHOLE


@pytest.mark.slow
def test_rounds_added_to_a_design_hold(repository: Database) -> None:
    tournament = begin(repository, 8, seats=4, games=4, rounds=3)
    play_on(repository)
    repository.tournaments.amend(
        tournament.id, plan=structs.replace(tournament.plan, rounds=5), run=tournament.run
    )
    pair_next(repository, tournament.id)
    play_on(repository)
    assert repository.schedules.progress(tournament.id).rounds == 5
    assert check(repository) == WHOLE


def test_entrant_added_to_a_finished_round_robin_is_drawn(repository: Database) -> None:
    tournament = begin(repository, 4)
    play_on(repository)
    late = StoredEntrant(4, entrant("e"), joined=4)
    repository.tournaments.amend(tournament.id, plan=tournament.plan, run=tournament.run, entrants=[late])
    assert check(repository) == TournamentCheck((), "round 4 is not drawn")
    play_on(repository)
    assert check(repository) == WHOLE


MORE: dict[str, tuple[int, dict[str, Any], dict[str, Any]]] = {
    "round-robin": (4, {}, {"games_per_pairing": 6}),
    "round-robin of three": (4, {"seats": 3, "games": 6}, {"games_per_pairing": 12}),
    "gauntlet": (5, {"format_": "gauntlet", "extra": (("challengers", "b,c"),)}, {"games_per_pairing": 4}),
    "adaptive": (
        4,
        {"format_": "adaptive", "extra": (("batch", 3), ("budget", 20))},
        {"extra": (("batch", 3), ("budget", 40))},
    ),
    "adaptive with an interval": (
        4,
        {"format_": "adaptive", "extra": (("batch", 3), ("until-games", 20), ("until-width", 5))},
        {"extra": (("batch", 3), ("until-games", 41), ("first-until-games", 20), ("until-width", 5))},
    ),
    "cycles": (
        4,
        {"games": 400, "extra": (("until-games", 100), ("until-order", 1))},
        {"extra": (("until-games", 400), ("until-order", 1))},
    ),
    "more cycles": (
        4,
        {"games": 20, "extra": (("until-order", 1),)},
        {"games_per_pairing": 80},
    ),
}


@pytest.mark.parametrize(("count", "first", "more"), MORE.values(), ids=MORE)
def test_raised_number_of_matches_draws_on(
    repository: Database, count: int, first: dict[str, Any], more: dict[str, Any]
) -> None:
    tournament = begin(repository, count, **first)
    play_on(repository)
    before = [(match.number, match.row) for match in repository.matches.all(tournament.id)]
    assert check(repository) == WHOLE
    plan = structs.replace(tournament.plan, **more)
    repository.tournaments.amend(tournament.id, plan=plan, run=tournament.run)
    assert check(repository).findings == ()
    assert check(repository).unfinished is not None
    pair_next(repository, tournament.id)
    while not repository.tournaments.get().complete:
        assert check(repository).findings == ()
        play_on(repository, rounds=1)
    play_on(repository)
    rows = [(match.number, match.row) for match in repository.matches.all(tournament.id)]
    assert rows[: len(before)] == before
    assert len(rows) > len(before)
    assert check(repository) == WHOLE
    last = rows[-1][1]
    altered(repository, *remove(f"round_no = {last.round} AND table_no = {last.table}"))
    assert check(repository).findings


def test_raised_round_robin_has_the_pairings_of_a_longer_one(repository: Database) -> None:
    tournament = begin(repository, 4)
    play_on(repository)
    late = StoredEntrant(4, entrant("e"), joined=4)
    plan = structs.replace(tournament.plan, games_per_pairing=4)
    repository.tournaments.amend(tournament.id, plan=plan, run=tournament.run, entrants=[late])
    pair_next(repository, tournament.id)
    play_on(repository)
    seats = sorted(match.row.seats for match in repository.matches.all(tournament.id))
    assert seats == sorted(pair for pair in permutations(range(5), 2) for _ in range(2))
    assert check(repository) == WHOLE


def test_rounds_drawn_before_unbench_hold(repository: Database) -> None:
    """Later rounds were drawn from results that --unbench replaced."""
    tournament = begin(repository, 6, format_="swiss", rounds=4, games=4)
    play_on(repository, failing="b")
    assert check(repository) == WHOLE
    unbench(repository, tournament, ["b"], lambda _text: None, lambda _stored: None)
    assert check(repository).findings == ()
    play_on(repository)
    assert check(repository) == WHOLE
    with closing(sqlite3.connect(repository.place)) as connection, connection:
        connection.execute("DELETE FROM replaced_result")
    assert check(repository).findings  # so the replaced results are what explains the rounds


def test_entrants_with_broken_bots_hold(repository: Database) -> None:
    """One never plays and joins later; another breaks in the middle."""
    tournament = begin(repository, 7, format_="swiss", rounds=4, pair=False)
    stored = repository.tournaments.entrants(tournament.id)
    repository.tournaments.change_entrants(tournament.id, [replace(stored[2], broken="no compiler", left=1)])
    pair_next(repository, tournament.id)
    play_on(repository, rounds=1)
    repository.tournaments.change_entrants(tournament.id, [replace(stored[4], broken="no compiler", left=3)])
    assert check(repository).findings == ()
    play_on(repository, rounds=1)
    repository.tournaments.change_entrants(tournament.id, [replace(stored[2], joined=4)])
    play_on(repository)
    assert check(repository) == WHOLE


def test_matches_of_a_broken_bot_are_void(repository: Database) -> None:
    tournament = begin(repository, 3)
    pending = repository.schedules.pending(tournament.id)
    entrants = repository.tournaments.entrants(tournament.id)
    results = [
        MatchResult(number, None, "benched: b", 1)
        if 1 in row.seats
        else MatchResult(number, played(spec_of(tournament, entrants, row)))
        for number, row in pending
    ]
    repository.matches.add(tournament.id, results)
    assert len(check(repository).findings) == 4
    repository.tournaments.change_entrants(tournament.id, [replace(entrants[1], broken="no compiler")])
    assert check(repository).findings == ()


def altered(repository: Database, *statements: str) -> TournamentCheck:
    with closing(sqlite3.connect(repository.place)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return check(repository)


def remove(where: str) -> list[str]:
    """Return the statements that remove matches without a trace."""
    ids = f"(SELECT id FROM schedule WHERE {where})"  # noqa: S608 - our own words
    return [
        *(f"DELETE FROM {table} WHERE match_id IN {ids}" for table in ("seat", "log", "measured")),  # noqa: S608 - likewise
        f'DELETE FROM "match" WHERE id IN {ids}',  # noqa: S608 - likewise
        f"DELETE FROM schedule WHERE {where}",  # noqa: S608 - likewise
    ]


SWISS: dict[str, tuple[Callable[[], list[str]], str]] = {
    "last round deleted": (
        lambda: remove("round_no = 3"),
        "round 3 is missing, 6 rows: round 3, table 1, repeat 1, order 1,",
    ),
    "middle round deleted": (lambda: remove("round_no = 2"), "number 13, but 7 comes next"),
    "match deleted": (
        lambda: remove("number = 4"),
        "the schedule lacks round 1, table 2, repeat 1, order 2, ",
    ),
    "last match deleted": (
        lambda: remove("number = 18"),
        "the schedule lacks round 3, table 3, repeat 1, order 2, ",
    ),
    "result deleted": (
        lambda: ["DELETE FROM seat WHERE match_id = 8", 'DELETE FROM "match" WHERE id = 8'],
        "round 3 is drawn, although match 8 (round 2, table 1, repeat 1, order 2) has no result",
    ),
    "row added": (
        lambda: ["INSERT INTO schedule VALUES (99, 1, 19, 4, 1, 1, 1, '0,1')"],
        "1 row is surplus, from match 19 (round 4, table 1, repeat 1, order 1) on: no round follows round 3",
    ),
    "seating swapped": (
        lambda: ["UPDATE schedule SET seating = '5,4' WHERE number = 13"],
        "match 13 is round 3, table 1, repeat 1, order 1, f v e, but ",
    ),
    "results of a round": (
        lambda: ["UPDATE \"match\" SET ranks = CASE id % 2 WHEN 0 THEN '1,2' ELSE '2,1' END WHERE id <= 6"],
        "is drawn there",
    ),
    "seed": (lambda: ["UPDATE tournament SET seed = '5'"], "is drawn there"),
    "rounds": (
        lambda: ["UPDATE tournament SET plan = replace(plan, '\"rounds\":3', '\"rounds\":4')"],
        "round 4 is missing",
    ),
    "withdrawal": (lambda: ["UPDATE entrant SET left_at = 3 WHERE number = 1"], "is drawn there"),
    "benched": (
        lambda: [
            (
                "UPDATE \"match\" SET void_reason = 'benched', void_entrant = 1, digest = '',"
                " record = NULL, ranks = '1,1' WHERE id = 18"
            )
        ],
        "match 18 (round 3, table 3, repeat 1, order 2) is void as b is benched, but no three failed starts",
    ),
}


@pytest.mark.parametrize(("statements", "says"), SWISS.values(), ids=SWISS)
def test_altered_swiss_is_found(repository: Database, statements: Callable[[], list[str]], says: str) -> None:
    begin(repository, 6, format_="swiss", rounds=3)
    play_on(repository)
    assert check(repository) == WHOLE
    found = altered(repository, *statements()).findings
    assert any(says in finding for finding in found), found
    assert all("\n" not in finding for finding in found)


def test_unmarked_end_is_unfinished(repository: Database) -> None:
    begin(repository, 4)
    play_on(repository)
    assert altered(repository, "UPDATE tournament SET complete = 0") == TournamentCheck(
        (), "no round follows round 3, but the schedule is not marked as complete"
    )


def test_mark_of_an_end_too_early_is_found(repository: Database) -> None:
    begin(repository, 6, format_="swiss", rounds=3)
    play_on(repository, rounds=1)
    found = altered(repository, "UPDATE tournament SET complete = 1")
    assert found.findings == ()  # the second round is not played yet
    while repository.schedules.pending(1):
        play_on(repository, rounds=1)
    [finding] = check(repository).findings
    assert finding.startswith("round 3 is missing, 6 rows: ")
    assert finding.endswith("; yet the schedule is marked as complete")


def test_many_differences_are_counted(repository: Database) -> None:
    begin(repository, 8)
    play_on(repository)
    found = altered(repository, *remove("round_no > 2")).findings
    assert len(found) == 11
    assert found[-1] == "30 more rows differ, the last in round 7"
