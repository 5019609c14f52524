"""The rule that a plan stores: that of older plans, and the meaning of every name."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from tests.support.schedules import results, setup, truth
from tests.support.tournaments import refused
from tourney.errors import TournamentError
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import FORMATS, Format, History, Setup, rows_of
from tourney.schedule.knockout import Knockout
from tourney.schedule.player_history import BYES
from tourney.schedule.ranking_rule import RankingRule, older_rule
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.swiss import UNPLAYED, Swiss
from tourney.schedule.tie_breaks import TIE_BREAKS, TieBreak

Rule = dict[str, Any]

POINTS: Rule = {"by": "points", "tie-breaks": ["direct-encounter", "wins", "sonneborn-berger"]}
RATING: Rule = {"by": "rating", "tie-breaks": ["rating", "sigma"]}
SWISS = ["buchholz-cut-1", "buchholz", "sonneborn-berger", "direct-encounter", "wins"]
OLDER: dict[tuple[str, int], Rule] = {
    ("adaptive", 2): RATING,
    ("compare", 2): POINTS,
    ("gate", 2): POINTS,
    ("gauntlet", 2): POINTS | {"by": "points-per-match"},
    ("import", 2): POINTS,
    ("knockout", 2): {"by": "stages-won", "tie-breaks": ["stages-won"], "extra-groups": 2},
    ("ladder", 4): RATING,
    ("results", 2): POINTS,
    ("round-robin", 4): POINTS,
    ("swiss", 2): {"by": "points", "tie-breaks": SWISS, "bye": "win", "unplayed": "fide-c07-2026"},
    ("swiss", 4): {
        "by": "points",
        "tie-breaks": ["opponents-mean", "wins", "second-places"],
        "bye": "half",
        "unplayed": "left-out",
    },
    ("tune", 2): POINTS,
}
"""How tournaments rank that began before plans stored it: their places must never move."""


def test_older_plans_keep_the_order_that_they_began_with() -> None:
    found = {key: msgspec.to_builtins(older_rule(*key)) for key in OLDER}
    assert found == {key: {**rule, "tie-breaks": tuple(rule["tie-breaks"])} for key, rule in OLDER.items()}
    assert {name for name, _ in OLDER} >= {format_.name for format_ in FORMATS.all()}
    assert older_rule("of-a-plugin", 2) is None


PAIRS: Sequence[Mapping[int, int]] = ({0: 1, 2: 3}, {0: 2, 1: 5}, {4: 3, 5: 0})
"""Three rounds of six: 4 has two byes, 5 joins in round 2, 1 leaves after it, and 2 has the last bye."""
TABLES: Sequence[Sequence[tuple[int, ...]]] = ([(0, 1, 2)], [(3, 4, 5), (0, 2, 1)])


def played(plan: Setup, rounds: Sequence[Sequence[tuple[int, ...]]]) -> History:
    tables = [(at, table, one) for at, of in enumerate(rounds, 1) for table, one in enumerate(of, 1)]
    rows = [row for at, table, group in tables for row in rows_of(plan, at, table, group)]
    return History(rows, results(rows, truth(len(plan.participants))))


def of_two() -> tuple[Setup, History]:
    plan = setup(6, rounds=3)
    entrants = [*plan.participants]
    entrants[1], entrants[5] = replace(entrants[1], left=3), replace(entrants[5], joined=2)
    plan = replace(plan, participants=tuple(entrants))
    return plan, played(plan, [[*pairs.items()] for pairs in PAIRS])


def of_three() -> tuple[Setup, History]:
    plan = setup(6, 3, rounds=2)
    return plan, played(plan, TABLES)


def columns(format_: Format, plan: Setup, history: History, rule: RankingRule) -> dict[str, str]:
    """The values of each column by entrant, with ranks and points."""
    lines = sorted(format_.table(replace(plan, ranking=rule), history), key=lambda line: line.number)
    values: dict[str, list[Fraction | None]] = {
        "rank": [Fraction(line.rank) for line in lines],
        "points": [line.points for line in lines],
    }
    for line in lines:
        for name, value in line.values:
            values.setdefault(name, []).append(value)
    return {name: " ".join("-" if one is None else str(one) for one in of) for name, of in values.items()}


ALL = tuple(TIE_BREAKS)


@pytest.mark.parametrize(
    ("made", "bye", "unplayed", "meaning"),
    [
        (
            of_two,
            "win",
            "fide-c07-2026",
            {
                "rank": "2 3 5 4 1 6",
                "points": "4 3 3 3 6 1",
                "direct-encounter": "- - - - - -",
                "wins": "4 3 1 1 2 1",
                "sonneborn-berger": "11 6 9 9 18 4",
                "buchholz": "8 8 10 12 9 9",
                "buchholz-cut-1": "7 5 7 9 6 8",
                "opponents-mean": "8/3 8/3 10/3 4 3 3",
                "second-places": "2 1 3 3 0 3",
            },
        ),
        (
            of_two,
            "half",
            "left-out",
            {
                "rank": "1 3 4 4 2 6",
                "points": "4 3 2 2 4 1",
                "direct-encounter": "- - 1 1 - -",
                "wins": "4 3 1 1 2 1",
                "sonneborn-berger": "8 6 2 2 4 4",
                "buchholz": "6 5 6 6 2 7",
                "buchholz-cut-1": "5 4 4 4 0 4",
                "opponents-mean": "2 5/2 3 3 2 7/2",
                "second-places": "2 1 3 3 0 3",
            },
        ),
        (
            of_three,
            "half",
            "left-out",
            {
                "rank": "3 1 6 5 2 4",
                "points": "15/2 19/2 1 7/2 8 13/2",
                "direct-encounter": "- - - - - -",
                "wins": "4 8 0 0 4 2",
                "sonneborn-berger": "315/4 323/4 17 29/4 50 161/4",
                "buchholz": "21 17 34 29/2 10 23/2",
                "buchholz-cut-1": "20 16 53/2 8 13/2 8",
                "opponents-mean": "21/4 17/4 17/2 29/4 5 23/4",
                "second-places": "7 3 2 1 2 3",
            },
        ),
    ],
)
def test_stored_name_of_a_tie_break_keeps_its_meaning(
    made: Callable[[], tuple[Setup, History]], bye: str, unplayed: str, meaning: dict[str, str]
) -> None:
    """If a value differs, places of finished tournaments would change: give the new meaning a new name."""
    assert {*meaning} == {"rank", "points", *ALL}
    assert columns(Swiss(), *made(), RankingRule("points", ALL, bye, unplayed)) == meaning


def test_score_by_wins_keeps_its_meaning() -> None:
    """Ties for first share a point, all others have none, and a bye scores the mean of a table."""
    plan, history = of_three()
    plan = replace(plan, ranking=Swiss().rule_by_wins(3))
    lines = Swiss().table(plan, history)
    by_places = {line.number: line for line in Swiss().table(replace(plan, ranking=None), history)}
    byes = {line.number: line.awarded for line in lines if line.awarded}
    assert byes == {number: by_places[number].awarded * Fraction(2, 3) for number in byes}
    won = Counter[int]()
    for result in history.results:
        won.update(number for number, rank in zip(result.entrants, result.ranks, strict=True) if rank == 1)
    assert {line.number: line.points - line.awarded for line in lines} == {n: won[n] for n in range(6)}


def test_every_name_of_byes_and_unplayed_rounds_has_a_table_above() -> None:
    assert ({*BYES}, {*UNPLAYED}) == ({"win", "half", "share"}, {"fide-c07-2026", "left-out"})


@pytest.mark.parametrize(
    ("groups", "meaning"),
    [
        (2, {"rank": "2 1 4 3", "points": "3 5 0 4", "stages-won": "1 2 0 1/2"}),
        (0, {"rank": "1 2 4 3", "points": "3 5 0 4", "stages-won": "2 1 0 1/2"}),
    ],
)
def test_stages_won_keep_their_meaning(groups: int, meaning: dict[str, str]) -> None:
    """The final is level, and its first further group too; without further ones the better seed wins."""
    plan = setup(4, third_place=1)
    final = [(0, 1), (3, 2)]
    history = played(plan, [[(0, 3), (1, 2)], final, final])
    rule = RankingRule("stages-won", ("stages-won",), extra_groups=groups)
    assert columns(Knockout(), plan, history, rule) == meaning


def test_ratings_that_rank_keep_their_meaning() -> None:
    plan = setup(4)
    history = played(plan, [[(0, 3), (1, 2)], [(0, 1)]])
    rule = RankingRule("rating", ("rating", "sigma"))
    assert columns(Adaptive(), plan, history, rule) == {
        "rank": "1 1 3 3",
        "points": "3 3 0 0",
        "rating": "8583/50 8583/50 -8583/50 -8583/50",
        "sigma": "14927/100 14927/100 5384/25 5384/25",
    }


class Moves(Swiss):
    """A format of another package, with a measure of its own."""

    measures = (TieBreak("moves", "moves", "Actions played"),)


class Wins(Swiss):
    """A format of another package that names a tie-break as what ranks first."""

    ranked_by = "wins"

    def tie_breaks(self, seats: int) -> tuple[str, ...]:
        return ("buchholz",)


FIDE = Swiss().new_rule(2)


def test_format_takes_its_own_rule_and_any_order_of_known_names() -> None:
    for format_ in FORMATS.all():
        for seats in (2, 3, 4):
            format_.check_rule(format_.new_rule(seats), seats)
    Swiss().check_rule(msgspec.structs.replace(FIDE, tie_breaks=ALL[::-1]), 2)
    assert Wins().table(setup(3), History())[0].values[0][0] == "wins"
    Wins().check_rule(Wins().new_rule(2), 2)
    Moves().check_rule(msgspec.structs.replace(FIDE, by="moves", tie_breaks=("moves",)), 2)


@pytest.mark.parametrize(
    ("format_", "rule", "words"),
    [
        (Swiss(), FIDE, {"tie_breaks": ("buchholz", "koya")}),
        (Swiss(), FIDE, {"by": "stages-won"}),
        (Swiss(), FIDE, {"by": "points-per-match"}),
        (Swiss(), FIDE, {"bye": "third"}),
        (Swiss(), FIDE, {"unplayed": "fide-c07-2031"}),
        (Swiss(), FIDE, {"extra_groups": 1}),
        (Moves(), FIDE, {"tie_breaks": ("moved",)}),
        (RoundRobin(), RoundRobin().new_rule(2), {"bye": "win"}),
        (RoundRobin(), RoundRobin().new_rule(2), {"by": "rating"}),
        (RoundRobin(), RoundRobin().new_rule(2), {"score": "seconds"}),
        (Adaptive(), Adaptive().new_rule(2), {"score": "win"}),
        (Knockout(), Knockout().new_rule(2), {"tie_breaks": ("rating",)}),
    ],
)
def test_rule_with_an_unknown_name_comes_from_a_newer_version(
    format_: Format, rule: RankingRule, words: dict[str, object]
) -> None:
    """A name that only other formats know is as unknown as one that none knows."""
    newer = msgspec.structs.replace(rule, **words)
    [value] = words.values()
    name = value[-1] if isinstance(value, tuple) else value
    with refused(TournamentError, "made by a newer Tourney", repr(name), "install a newer version"):
        format_.check_rule(newer, 2)
    with refused(TournamentError, "made by a newer Tourney"):
        format_.rule_in(replace(setup(4), ranking=newer))


def test_rule_without_a_key_that_its_format_needs_is_refused() -> None:
    with refused(TournamentError, "the ranking in its plan has no bye"):
        Swiss().check_rule(msgspec.structs.replace(FIDE, bye=None), 2)
