"""The checkers draw every round again as the formats do, and find rounds that do not follow."""

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from msgspec import to_builtins

from tests.seeds.checkers import in_node, module, needs_node
from tests.seeds.schedules import HALF, MADE, RANKED, Made, made_up
from tourney.schedule.format import find_format

pytestmark = pytest.mark.slow

Lines = tuple[dict[str, Any], list[dict[str, Any]]]
IN_NODE = "value.map(([head, matches]) => check.difference(head, matches))"


@cache
def made(case: Made) -> Lines:
    return made_up(case)


def differences(cases: list[Lines]) -> list[str]:
    """What ``check_schedule.py`` finds in tournaments; ``check_schedule.mjs`` must find the same."""
    found = [module("check_schedule").difference(*case) for case in cases]
    if not needs_node.args[0]:
        assert in_node(IN_NODE, cases, "check_schedule") == found
    return found


def test_both_checkers_draw_every_round_as_the_formats_do() -> None:
    assert all(made(case)[1] for case in MADE)
    names = [case.name for case in MADE]
    assert dict(zip(names, differences([made(case) for case in MADE]), strict=True)) == dict.fromkeys(
        names, ""
    )


def test_byes_and_further_groups_count_as_the_plan_says() -> None:
    """With another award the scores, and so the rounds, differ from those of an older plan."""
    for case in (case for case in MADE if case.ranking is not None):
        head, matches = copy.deepcopy(made(case))
        head["tournament"]["plan"]["ranking"] = to_builtins(find_format(case.format).new_rule(case.seats))
        default = case.ranking in (RANKED, HALF) and (case.seats == 2) == (case.ranking is RANKED)
        assert (differences([(head, matches)]) == [""]) is default, case.name
    cases = [copy.deepcopy(made(case)) for case in MADE if case.ranking is HALF]
    for head, _ in cases:
        head["tournament"]["plan"]["ranking"]["bye"] = "third"
        with pytest.raises(KeyError):
            module("check_schedule").difference(head, [])


def _exchanged(lines: Lines, *, early: bool) -> None:
    """Exchange an entrant of two tables of one round, in all matches of both."""
    matches = lines[1]
    rounds = sorted({match["place"][0] for match in matches})
    for round_ in rounds if early else reversed(rounds):
        tables = [match["seats"] for match in matches if match["place"] == [round_, 1, 1, 1]]
        tables += [match["seats"] for match in matches if match["place"] == [round_, 2, 1, 1]]
        if len(tables) == 2 and not {*tables[0]} & {*tables[1]}:
            swap = {tables[0][0]: tables[1][0], tables[1][0]: tables[0][0]}
            for match in matches:
                if match["place"][0] == round_ and match["place"][1] <= 2:
                    match["seats"] = [swap.get(number, number) for number in match["seats"]]
            return


def _turned(lines: Lines) -> None:
    """List the entrants of the last table in the opposite order."""
    last = lines[1][-1]["place"][:2]
    for match in lines[1]:
        if match["place"][:2] == last:
            match["seats"] = match["seats"][::-1]


def _cut(lines: Lines) -> None:
    last = lines[1][-1]["place"][0]
    lines[1][:] = [match for match in lines[1] if match["place"][0] < last]


def _repeated(lines: Lines) -> None:
    last = lines[1][-1]["place"][0]
    for match in [match for match in lines[1] if match["place"][0] == last]:
        lines[1].append(match | {"place": [last + 1, *match["place"][1:]]})


def _without_result(lines: Lines) -> None:
    """Take a result away, unless its format draws all rounds at the start."""
    if lines[0]["tournament"]["plan"]["format"] in {"adaptive", "knockout", "swiss"}:
        lines[1][0].pop("record", None)
        lines[1][0].pop("void", None)


CHANGES: dict[str, Callable[[Lines], None]] = {
    "two entrants of the first rounds exchanged": lambda lines: _exchanged(lines, early=True),
    "two entrants of the last rounds exchanged": lambda lines: _exchanged(lines, early=False),
    "the last table listed in another order": _turned,
    "the last round left out": _cut,
    "the last round twice": _repeated,
    "a result of the first round missing": _without_result,
}
CASES = [
    Made("round-robin", 8),
    Made("round-robin", 9, 3, rounds=4),
    Made("round-robin", 6, 3),
    Made("gauntlet", 7, extra=(("challengers", "e2,e4,e1"),), late=2),
    Made("gauntlet", 9, 3, extra=(("challengers", "e2,e4"),)),
    Made("knockout", 8),
    Made("swiss", 16, rounds=7),
    Made("swiss", 18, 4, rounds=4),
    Made("adaptive", 9, extra=(("budget", 240),)),
    Made("adaptive", 7, 3, extra=(("budget", 240),)),
]


def _changes() -> Iterator[tuple[str, Lines]]:
    for name, change in CHANGES.items():
        for case in CASES:
            lines = copy.deepcopy(made(case))
            change(lines)
            if lines != made(case):
                yield f"{case.name}: {name}", lines


def test_rounds_that_do_not_follow_are_found() -> None:
    changes = dict(_changes())
    assert len(changes) > len(CASES) * (len(CHANGES) - 1)
    found = dict(zip(changes, differences([*changes.values()]), strict=True))
    assert [name for name, problem in found.items() if not problem] == []


def test_results_that_decide_a_round_are_part_of_it() -> None:
    """Another winner of the first round leads to another second one."""
    for case in (
        Made("knockout", 8),
        Made("swiss", 16, rounds=7),
        Made("adaptive", 9, extra=(("budget", 240),)),
    ):
        head, matches = copy.deepcopy(made(case))
        for match in matches:
            if match["place"][0] == 1 and "record" in match:
                match["record"]["outcome"]["ranks"].reverse()
        (found,) = differences([(head, matches)])
        assert "are drawn there" in found
