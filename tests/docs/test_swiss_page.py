"""The test vectors of the page on Swiss pairings."""

import json
import re
from collections import Counter
from typing import Any

from tests.docs.pages import page
from tests.seeds.checkers import module
from tourney.schedule.player_history import PairingCard
from tourney.schedule.swiss_pairing import _mixed, pair_round

U64 = (1 << 64) - 1


def vectors(name: str) -> Any:
    (found,) = re.findall(rf"```json {name}\n(.*?)```", page("reference/swiss.md"), re.DOTALL)
    return json.loads(found)


def test_mixed_numbers_hold() -> None:
    for case in vectors("mixed"):
        z = (int(case["seed"]) + ((case["a"] << 32) + case["b"]) * 0x9E3779B97F4A7C15) & U64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
        assert str(z ^ z >> 31) == case["mixed"] == str(_mixed(int(case["seed"]), case["a"], case["b"]))


def test_rounds_hold() -> None:
    for case in vectors("rounds"):
        cards = [
            PairingCard(
                number,
                card["score"],
                number,
                Counter(card["met"]),
                tuple(card["byes"]),
                tuple(card["floated"]),
                card["balance"],
            )
            for number, card in enumerate(case["cards"])
        ]
        assert [list(pair) for pair in pair_round(cards, int(case["seed"]))] == case["pairs"]


def test_checker_draws_the_rounds() -> None:
    checker = module("check_swiss")
    for case in vectors("rounds"):
        cards = [
            checker.Card(number, rank=number, **card | {"met": Counter(card["met"])})
            for number, card in enumerate(case["cards"])
        ]
        assert [list(pair) for pair in checker.pairs_of(cards, int(case["seed"]))] == case["pairs"]
