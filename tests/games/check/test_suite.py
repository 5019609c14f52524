"""The property suite: sound games pass, and each mistake fails its own property."""

import inspect

import pytest

from tests.support import broken
from tests.support.toys import Odds, Race, SmallToe, Toe
from tourney.games.base import AnyAction, AnyGame, AnyState, Game
from tourney.games.check.case import PropertyFailure, TableSetting, mutants, settings_of, spliced
from tourney.games.check.suite import PROPERTIES, CheckProgress, check_game, shrink, smallest
from tourney.games.check.views import leak
from tourney.games.registry import all_games
from tourney.games.tree import playout
from tourney.seeds import stream

BROKEN = [
    value
    for _, value in inspect.getmembers(broken, inspect.isclass)
    if value.__module__ == broken.__name__ and issubclass(value, Game) and hasattr(value, "expected")
]


@pytest.mark.slow
@pytest.mark.parametrize("game", [Toe(), Race(), Odds(), SmallToe()], ids=lambda game: str(game.name))
def test_sound_games_pass(game: AnyGame) -> None:
    """Several seeds find no failure in a correct game."""
    assert [finding for seed in (1, 2) for finding in check_game(game, 12, seed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", all_games(), ids=lambda game: str(game.name))
def test_shipped_games_pass(game: AnyGame) -> None:
    """The shipped games have all properties."""
    assert list(check_game(game, 2, 11)) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: str(kind.__name__))
def test_each_broken_game_fails_its_property(kind: type[AnyGame]) -> None:
    """The first failed property is the one that the mistake breaks."""
    finding = smallest(check_game(kind(), 12, 3))[0]
    assert finding.name == vars(kind)["expected"]
    assert finding.name in PROPERTIES
    assert finding.what


@pytest.mark.slow
def test_finding_is_same_for_same_seed() -> None:
    """All randomness comes from the seed."""
    once = list(check_game(broken.Fragile(), 12, 3))
    assert once == list(check_game(broken.Fragile(), 12, 3))
    assert once != list(check_game(broken.Fragile(), 12, 4))


def test_history_is_shrunk_to_the_minimum() -> None:
    """The mistake needs a cross on a1 and c3 free, so one action shows it."""
    game = broken.Fragile()
    long = PropertyFailure("playable", "x", TableSetting(2, (("misere", "no"),)), ("b2", "b1", "a1", "c1"))
    short = shrink(game, long)
    assert short.history == ("a1",)
    assert short.what == "playing c3 raises KeyError: 'c3'"
    assert short.lines == ("new seats=2 misere=no", "play a1")


def test_findings_of_whole_games_are_not_shrunk() -> None:
    """Findings about a whole game or about no state are unchanged."""
    ends = PropertyFailure("ends", "x", TableSetting(2), ("a1", "b1"))
    about = PropertyFailure("attributes", "x")
    assert shrink(broken.Endless(), ends) == ends
    assert shrink(broken.FewNames(), about) == about
    assert about.lines == ()


def test_smallest_keeps_shortest_of_each_property() -> None:
    """There is one finding per property, in the order of the properties."""
    setting = TableSetting(2)
    findings = [
        PropertyFailure("diagram", "a", setting, ("x", "y")),
        PropertyFailure("actor", "b", setting, ("x",)),
        PropertyFailure("diagram", "c", setting, ("x",)),
    ]
    assert [finding.what for finding in smallest(findings)] == ["b", "c"]


def test_games_cycle_through_all_settings() -> None:
    """The settings are all seat numbers and option values that the game accepts."""
    assert [str(s) for s in settings_of(Toe())] == ["seats=2 misere=no", "seats=2 misere=yes"]
    assert [str(s) for s in settings_of(Race())] == ["seats=2", "seats=3"]
    assert [str(s) for s in settings_of(SmallToe())] == ["seats=2 misere=no"]


def test_progress_is_reported_after_each_game() -> None:
    """The listener gets each game, with growing counts."""
    heard: list[CheckProgress] = []
    list(check_game(Race(), 3, 1, heard.append))
    assert [(p.done, p.games) for p in heard] == [(1, 3), (2, 3), (3, 3)]
    assert 0 < heard[0].actions < heard[1].actions < heard[2].actions
    assert 0 < heard[0].thorough < heard[2].thorough


def played(game: AnyGame, *actions: int) -> tuple[list[tuple[AnyState, AnyAction]], AnyState]:
    state, path = game.new(), []
    for action in actions:
        path.append((state, action))
        state = state.play(action)
    return path, state


def test_leak_through_legal_actions_is_found() -> None:
    """Legal actions must not depend on hidden information."""
    path, end = played(broken.TellingActions(), 1, 2)
    found = [leak(broken.TellingActions(), path, end, 2, stream(1, k)) for k in range(9)]
    assert any(leaked and leaked[0] == 1 and "seat 2" in leaked[1] for leaked in found)


def test_revealed_actions_are_no_leak() -> None:
    """Games with revealed actions differ in the lines sent, so all else may differ."""
    path, end = played(Odds(), 3, 1, 1, 1)
    assert [leak(Odds(), path, end, seat, stream(1, k)) for k in range(9) for seat in (1, 2)] == [None] * 18


def test_mutants_differ_by_one_small_change() -> None:
    """No mutant equals its text."""
    text = "XO./.../... 1"
    found = list(mutants(text, 300, stream(5, "m")))
    assert text not in found
    assert all(abs(len(mutant) - len(text)) <= 1 for mutant in found)
    assert len(set(found)) > 100


def test_splice_takes_one_field() -> None:
    """A spliced string has the fields of one string, except one of the other's."""
    found = {spliced("a b c", "1 2 3", stream(1, k)) for k in range(40)}
    assert found == {"1 b c", "a 2 c", "a b 3"}


def test_playout_depends_only_on_the_random_stream() -> None:
    """The same stream gives the same game; its last state is over and has no action."""
    first = [action for _, action in playout(Race().new(), stream(4, "p"))]
    assert first == [action for _, action in playout(Race().new(), stream(4, "p"))]
    *_, (state, action) = playout(Race().new(), stream(4, "p"))
    assert action is None
    assert state.ranks() is not None
    assert len(list(playout(Race().new(), stream(4, "p"), 3))) == 4
