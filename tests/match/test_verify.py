"""Verify finds every change of a record and names its first wrong action."""

import copy
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import RACE, TOE, make_spec
from tourney.errors import GameError
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.named_seeds import RandomChannel, random_spec
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Record, digest_of
from tourney.match.referee import Referee
from tourney.match.spec import MatchSpec, Opening
from tourney.match.verify import Finding, verify


def play_drawn(spec: MatchSpec, game: AnyGame) -> Record:
    players = [Player(RandomChannel()) for _ in spec.seats]
    return play_match(spec, game, players).record


@cache
def stones() -> Record:
    """Return a match with dice, four seats and an opening."""
    spec = random_spec("sage-stones", 4, seed=5, opening=Opening(plies=3))
    return play_drawn(spec, find_game("sage-stones"))


@cache
def withdrawn() -> Record:
    """Return a race of three seats with a fault and a resignation."""
    from tourney.match.record import make_record

    referee = Referee(make_spec("race", 3, seed=11), RACE)
    referee.begin()
    referee.act("leave")
    referee.fault("timeout")
    referee.act("leave")
    referee.act("take")
    referee.resign()
    assert referee.outcome is not None
    return make_record(referee.spec, RACE.rules, referee.actions, referee.outcome)


def resealed(record: Record) -> Record:
    """Return a forged record: its digest fits its changed content."""
    return {**record, "digest": digest_of(record)}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("game", ["toe", "race", "odds"])
def test_played_matches_verify(game: str, seed: int) -> None:
    """The matches include chance, hidden actions and openings."""
    from tests.tables import GAMES

    opening = Opening(plies=2) if game != "odds" else Opening()
    spec = make_spec(game, seed=seed, opening=opening)
    assert verify(play_drawn(spec, GAMES[game]), GAMES[game]) == []


def test_records_with_withdrawals_verify() -> None:
    """The substitute's actions and the ranks follow from the seed and the faults."""
    assert withdrawn()["outcome"]["faults"]
    assert withdrawn()["outcome"]["resigned"]
    assert verify(withdrawn(), RACE) == []
    assert verify(stones()) == []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_changed_action_is_found_despite_new_digest(data: st.DataObject) -> None:
    """For dice, an opening and a moved action: the finding names an action no later than the change."""
    record = copy.deepcopy(stones())
    actions = record["actions"]
    place = data.draw(st.integers(0, len(actions) - 1))
    other = data.draw(st.sampled_from([a for a in actions if a != actions[place]]))
    actions[place] = other
    assert str(verify(record)[0]).startswith("its content has the digest")
    findings = verify(resealed(record))
    drawn = actions[place][0] == 0 or place < 8
    if findings:
        assert len(findings) == 1
        assert findings[0].action is None or findings[0].action >= place + 1
    else:
        assert not drawn


@pytest.mark.parametrize("place", range(len(withdrawn()["actions"])))
def test_every_sampled_action_is_checked_against_the_seed(place: int) -> None:
    """The finding has the number of the changed action, of chance or of the referee's substitute."""
    record = copy.deepcopy(withdrawn())
    actor, action = record["actions"][place]
    swap = {"leave": "take", "take": "leave", "roll-1": "roll-2", "roll-2": "roll-1"}
    record["actions"][place][1] = swap[action]
    findings = verify(resealed(record), RACE)
    if actor == 0:
        assert findings[0].action == place + 1
        assert "the dice of the seed are" in findings[0].text
    elif actor == 2:
        assert findings == [
            Finding(f"the seed gives seat 2 {action}; the record has seat 2 with {swap[action]}", place + 1)
        ]


def change(record: Record, **outcome: Any) -> Record:
    made = copy.deepcopy(record)
    made["outcome"].update(outcome)
    return resealed(made)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        ({"ranks": [1, 2, 3]}, "outcome: ranks says [1, 2, 3], but [1, 3, 2] follows"),
        ({"reason": "fault"}, "outcome: reason says fault, but resign follows"),
        ({"faults": [[2, "timeout", 2]]}, "action 12: the record ends, but seat 3"),
        ({"faults": []}, "action 12: the record ends, but seat 3"),
        ({"faults": [[3, "timeout", 5]]}, "outcome withdraws a seat twice"),
        ({"faults": [[2, "crash", 3]]}, ""),
        ({"faults": [[2, "startup", 0]]}, ""),
    ],
)
def test_wrong_outcome_is_found(outcome: dict[str, Any], why: str) -> None:
    """Ranks, reason and the plies of faults follow from the actions.

    A fault's kind cannot be derived; nor whether a seat without a turn started.
    """
    found = "; ".join(map(str, verify(change(withdrawn(), **outcome), RACE)))
    assert (why in found) if why else found == ""


def test_missing_or_extra_actions_are_found() -> None:
    """The game must end at the record's last action."""
    short = copy.deepcopy(stones())
    short["actions"].pop()
    assert verify(resealed(short))
    long = copy.deepcopy(stones())
    long["actions"].append([1, "5d"])
    assert verify(resealed(long)) == [Finding("the game was over before it", len(long["actions"]))]


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("rules", "0", "version 0 of the rules"),
        ("options", {}, "options does not hold all"),
        ("options", {"misere": "maybe"}, "misere=maybe"),
        ("opening", {"plies": 9}, "9 opening plies"),
        ("opening", {"actions": ["zz"]}, "action 1 of the opening"),
        ("seats", 1, "this is no record: seats is 1, but must be a list"),
    ],
)
def test_impossible_spec_is_a_finding(key: str, value: Any, why: str) -> None:
    """An error in a tournament file is a finding in a record."""
    record = play_drawn(make_spec(), TOE)
    record[key] = value
    (finding,) = verify(resealed(record), TOE)
    assert why in str(finding)


def test_changed_seed_is_found_by_its_dice() -> None:
    """The dice prove the seed."""
    record = copy.deepcopy(stones())
    record["seed"] = "6"
    (finding,) = verify(resealed(record))
    assert finding.action is not None


def test_unknown_game_is_an_error() -> None:
    """A game that is not installed is no finding about the record."""
    record = copy.deepcopy(stones())
    record["game"] = "no-such-game"
    with pytest.raises(GameError, match="no-such-game"):
        verify(resealed(record))
