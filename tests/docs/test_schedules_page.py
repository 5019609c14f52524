"""The test vectors of the pages on schedules: the formats and both checkers draw them."""

import json
import re
from typing import Any

import pytest

from tests.docs.pages import page
from tests.seeds.checkers import in_node, module, needs_node
from tourney.schedule.format import History, Participant, Setup, find_format, group_size
from tourney.schedule.row import Row
from tourney.seeds import seat_orders

VECTORS: dict[str, Any] = {
    name: json.loads(text)
    for path in ("reference/schedules.md", "reference/swiss.md")
    for name, text in re.findall(r"```json ([a-z-]+)\n(.*?)```", page(path), re.DOTALL)
    if name not in {"mixed", "rounds"}
}
CASES = [(name, number) for name, cases in VECTORS.items() for number in range(len(cases))]


def entrants_of(case: Any) -> list[dict[str, Any]]:
    listed = case["entrants"]
    some = [{} for _ in range(listed)] if isinstance(listed, int) else listed
    return [{"name": f"e{number}", **one} for number, one in enumerate(some)]


def export_of(case: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first line of a vector's export, and the lines of its matches without records."""
    plan = {"rounds": None, "extra": {}} | {
        key: case[key] for key in case if key not in {"entrants", "tables"}
    }
    matches: list[dict[str, Any]] = []
    for round_, tables in enumerate(case["tables"], 1):
        for table, cell in enumerate(tables, 1):
            group, ranks = cell[: case["seats"]], iter(cell[case["seats"] :])
            repeats = (len(cell) - case["seats"] or case["games-per-pairing"]) // group_size(case["seats"])
            for repeat in range(1, repeats + 1):
                for order, seating in enumerate(seat_orders(case["seats"], repeat), 1):
                    line = {"place": [round_, table, repeat, order], "seats": [group[k] for k in seating]}
                    found = next(ranks, None) or "1" * case["seats"]
                    outcome = {"ranks": [int(digit) for digit in found if found != "void"], "faults": []}
                    matches.append(
                        line | ({"void": {}} if found == "void" else {"record": {"outcome": outcome}})
                    )
    cup = {"plan": plan, "entrants": entrants_of(case), "seed": case["seed"]}
    return {"tournament": cup, "complete": True, "matches": len(matches)}, matches


def row_of(match: Any) -> Row:
    round_, table, repeat, order = match["place"]
    return Row(round_, table, repeat, order, tuple(match["seats"]))


@pytest.mark.parametrize(("name", "number"), CASES)
def test_formats_draw_the_tables_of_the_page(name: str, number: int) -> None:
    case = VECTORS[name][number]
    format_, (_, matches) = find_format(case["format"]), export_of(case)
    rows = [row_of(match) for match in matches]
    history = History()
    while len(history.rows) < len(rows):
        drawn = history.rounds
        players = tuple(
            Participant(k, one["name"], one.get("joined", 1), None, one.get("rating"), one.get("deviation"))
            for k, one in enumerate(entrants_of(case))
            if one.get("joined", 1) <= drawn + 1
        )
        repeats = case["games-per-pairing"] // group_size(case["seats"])
        extra = tuple(case.get("extra", {}).items())
        setup = Setup(players, case["seats"], int(case["seed"]), repeats, case.get("rounds"), extra)
        results = [result for result in history.results if result.key.round <= drawn - format_.lag]
        found = sorted(format_.next_rounds(setup, History(history.rows, results)).rows)
        assert found
        assert found == rows[len(history.rows) :][: len(found)]
        for match in matches[len(history.rows) :][: len(found)]:
            row = row_of(match)
            ranks = tuple(match["record"]["outcome"]["ranks"]) if "record" in match else (1,) * len(row.seats)
            history.extend((row,), (row.result(ranks, void="record" not in match),))


def test_checkers_draw_the_tables_of_the_pages() -> None:
    exports = [export_of(VECTORS[name][number]) for name, number in CASES]
    assert [module("check_schedule").difference(*one) for one in exports] == [""] * len(CASES)


@needs_node
@pytest.mark.slow
def test_checker_for_node_draws_the_tables_of_the_pages() -> None:
    exports = [export_of(VECTORS[name][number]) for name, number in CASES]
    expression = "value.map(([head, matches]) => check.difference(head, matches))"
    assert in_node(expression, exports, "check_schedule") == [""] * len(CASES)


def test_pages_have_vectors_of_every_format_and_seat_count() -> None:
    cases = [case for cases in VECTORS.values() for case in cases]
    assert {case["format"] for case in cases} == {"round-robin", "gauntlet", "knockout", "adaptive", "swiss"}
    assert {(name, case["seats"]) for name, cases in VECTORS.items() for case in cases} >= {
        ("round-robin", 2), ("round-robin", 3), ("round-robin", 4), ("design", 3), ("gauntlet", 2),
        ("gauntlet", 3), ("knockout", 2), ("adaptive", 2), ("adaptive", 3), ("pods", 3), ("pods", 4),
    }  # fmt: skip
