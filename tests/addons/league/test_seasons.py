"""Divisions after a season, and the chain of roots."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, reopened, run
from tourney.addons.league.file import SeasonTable
from tourney.addons.league.ledger import Season
from tourney.addons.league.seasons import close_season, next_divisions, season_files, season_now, season_root
from tourney.check.merkle import leaf_hash, node_hash
from tourney.errors import StoreError, UsageError


def divided(order: dict[int, Sequence[str]], **rules: int) -> list[str]:
    return ["".join(one.bots) for one in next_divisions(order, SeasonTable(**rules))]


def test_best_rise_and_worst_fall() -> None:
    assert divided({1: "abcd", 2: "efgh"}, divisions=2, division_size=4, promote=2) == ["abef", "cdgh"]


def test_division_is_filled_from_below() -> None:
    assert divided({2: "abcdef"}, divisions=2, division_size=4, promote=1) == ["abcd", "ef"]
    assert divided({1: "abc", 2: "def"}, divisions=2, division_size=4, promote=2) == ["abde", "cf"]


def test_each_bot_is_in_one_division() -> None:
    found = divided({1: "abcd", 2: "efgh", 3: "ijkl"}, divisions=3, division_size=4, promote=2)
    assert sorted("".join(found)) == list("abcdefghijkl")
    assert divided({1: "ab"}, divisions=1) == ["ab"]


def test_root_is_the_merkle_tree_of_the_entries() -> None:
    first, second = leaf_hash(b'{"previous":null}'), leaf_hash(b'["night",1]')
    assert season_root([{"previous": None}, ["night", 1]]) == node_hash(first, second).hex()


def test_season_without_a_night_cannot_be_closed(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    assert season_now(league, NOW).number == 1
    with pytest.raises(UsageError, match="no night of this season"):
        close_season(league, NOW)
    run(league)
    with pytest.raises(UsageError, match="no night of this season"):
        close_season(reopened(league), NOW)


def test_lost_season_is_named(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    league.ledger.add(Season(1, league.ledger.opened.since, closed=league.ledger.opened.since, root="a" * 64))
    with pytest.raises(StoreError, match=r"1\.json is not the file of a season"):
        list(season_files(league))
