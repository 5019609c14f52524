"""The referee: openings, retries, refusals and errors of broken games."""

from typing import Any

import pytest

from tests.tables import ODDS, RACE, TOE, make_spec
from tests.toys import Toe
from tourney.errors import GameError, OptionError, TournamentError
from tourney.games.base import OVER
from tourney.match.referee import Referee
from tourney.match.spec import Limits, Opening
from tourney.seeds import derive, uniform


def sampled_by_hand(seed: int, plies: int) -> tuple[int, list[str]]:
    """Sample a toe opening by the documented formula, without the referee: attempt and actions."""
    for attempt in range(100):
        state, actions = TOE.new(), []
        for j in range(plies):
            if state.actor == OVER:
                break
            legal = state.legal_actions()
            action = legal[uniform(derive(seed, "opening", attempt, j), len(legal))]
            actions.append(TOE.action_string(action))
            state = state.play(action)
        if len(actions) == plies and state.actor != OVER:
            return attempt, actions
    raise AssertionError("no opening in a hundred attempts")


@pytest.mark.parametrize("seed", range(12))
def test_sampled_opening_follows_from_the_seed(seed: int) -> None:
    """Attempt and number give each action; a game that ends in its opening is sampled again."""
    _, actions = sampled_by_hand(seed, 7)
    referee = Referee(make_spec(seed=seed, opening=Opening(plies=7)), TOE)
    referee.begin()
    assert [action for _, action in referee.actions] == actions
    assert referee.turn == 2


def test_some_openings_are_sampled_again() -> None:
    """The test above includes retries."""
    assert any(sampled_by_hand(seed, 7)[0] > 0 for seed in range(12))


def test_dice_inside_an_opening_count_as_chance_samples() -> None:
    """Dice are no plies of the opening, but later dice are numbered after them."""
    spec = make_spec("race", seed=3, opening=Opening(plies=2))
    referee = Referee(spec, RACE)
    referee.begin()
    rolls = [f"roll-{1 + uniform(derive(3, 'chance', k), 3) // 2}" for k in range(3)]
    picks = [["leave", "take"][uniform(derive(3, "opening", 0, j), 2)] for j in range(2)]
    assert referee.actions == [(0, rolls[0]), (1, picks[0]), (0, rolls[1]), (2, picks[1]), (0, rolls[2])]


def test_opening_longer_than_any_game_is_refused() -> None:
    """Nine plies always end noughts and crosses: the referee raises an error and does not search forever."""
    referee = Referee(make_spec(opening=Opening(plies=9)), TOE)
    with pytest.raises(TournamentError, match="9 opening plies"):
        referee.begin()


def test_sampled_opening_is_refused_with_hidden_actions() -> None:
    """It would reveal the sampled actions, or hide them from their own seat."""
    with pytest.raises(TournamentError, match="hidden"):
        Referee(make_spec("odds", opening=Opening(plies=1)), ODDS)


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        (("a1", "a1"), "action 2 of the opening, a1,"),
        (("zz",), "action 1 of the opening, zz,"),
        (("a1", "b1", "a2", "b2", "a3"), "over after the opening"),
        (("a1", "b1", "a2", "b2", "a3", "c3"), "action 6"),
    ],
)
def test_bad_book_is_refused(actions: tuple[str, ...], why: str) -> None:
    """A book that does not fit is the operator's error; the error names the action."""
    referee = Referee(make_spec(opening=Opening(actions=actions)), TOE)
    with pytest.raises(TournamentError, match=why):
        referee.begin()


def test_options_get_defaults_and_are_checked() -> None:
    """The record names every option; an unknown option is refused before any bot starts."""
    assert Referee(make_spec(), TOE).spec.options == (("misere", "no"),)
    with pytest.raises(OptionError, match="no option size"):
        Referee(make_spec(options=(("size", "4"),)), TOE)
    with pytest.raises(OptionError, match="seats"):
        Referee(make_spec(seats=3), TOE)


def test_startup_fault_leaves_the_opening_unplayed() -> None:
    """One of two seats is left, so the match ends before its opening."""
    referee = Referee(make_spec(opening=Opening(plies=4)), TOE)
    referee.begin([2])
    assert referee.actions == []
    assert referee.outcome is not None
    assert referee.outcome.ranks == (1, 2)


class Endless(Toe):
    """A game that is longer than its own bound."""

    name = "endless"
    max_actions = 3


def test_endless_game_is_an_error_and_no_loss() -> None:
    """A game beyond its bound on actions raises an error that names it; there is no result."""
    referee = Referee(make_spec("endless"), Endless())
    referee.begin()
    for text in ("a1", "b1", "c1"):
        assert referee.act(text) == ""
    with pytest.raises(GameError, match="endless goes on beyond 3 actions"):
        referee.act("a2")


def test_request_beyond_the_protocol_limit_is_a_game_error() -> None:
    """The referee sends no part of a legal line over 1 MiB."""

    class Wide(Toe):
        def action_string(self, action: Any) -> str:
            return "x" * 200_000

    referee = Referee(make_spec(limits=Limits()), Wide())
    referee.want(1, position=False, legal=True)
    referee.begin()
    with pytest.raises(GameError, match="legal"):
        referee.request(1)
