"""Adjudication: the scores that it reads, and what it needs (games with scores: the add-on chess)."""

from typing import Any

import msgspec
import pytest

from tests.support.tables import ODDS, RACE, TOE, make_spec, outcome, play_scripts
from tourney.check.record import verify
from tourney.errors import TournamentError
from tourney.games.base import AnyGame
from tourney.match.record import Record, make_record, score_of
from tourney.match.referee import Referee
from tourney.match.result import PlayedMatch
from tourney.match.spec import DrawRule, Limits, MatchSpec, ResignRule


def limits(**rules: Any) -> Limits:
    return Limits(move_ms=None, margin_ms=0, **rules)


def record_of(referee: Referee, game: AnyGame) -> Record:
    assert referee.outcome is not None
    rules = game.rules
    return make_record(referee.spec, rules, referee.actions, referee.outcome)


@pytest.mark.parametrize(
    ("info", "score"),
    [
        ("score=0.31 depth=7", 31),
        ("depth=7 score=-12", -1200),
        ("score=+1.5", 150),
        ("score=0.319", 31),
        ("score=-0.00", 0),
        ("score=7.", 700),
        ("score=" + "9" * 300, 10**12 - 1),
        *(
            (text, None)
            for text in ("score=1e3", "score=inf", "score= 1", "scores=1", "score=.5", "score=1,5")
        ),
    ],
)
def test_score_is_read_in_hundredths(info: str, score: int | None) -> None:
    assert score_of(info) == score


def scripted(first: str, second: str, rules: Limits) -> PlayedMatch:
    """Play toe by scripts: lines of a seat for its first, second and third turn."""
    hello = "\n> tourney 1\n< bot\n> game toe seats=2 seat=* seed=* misere=no\n< ready\n"
    return play_scripts(make_spec(limits=rules), hello + first, hello + second)


def test_last_score_of_the_turn_counts() -> None:
    """Not one sent after the action, and not one of a turn before."""
    rules = limits(resign=ResignRule(1, 100))
    played = scripted(
        """
        > go
        < info score=-9
        < info nothing
        < info score=0.5 depth=2
        < move a1
        < info score=-9
        > play 1 a1
        > play 2 b1
        > go
        < move a2
        > play 1 a2
        > play 2 b2
        > over 1 2 reason=adjudication
        """,
        """
        > play 1 a1
        > go
        < move b1
        > play 2 b1
        > play 1 a2
        > go
        < info score=3
        < info score=-1.00
        < move b2
        > play 2 b2
        > over 1 2 reason=adjudication
        """,
        rules,
    )
    assert outcome(played) == {
        "ranks": [1, 2],
        "reason": "adjudication",
        "faults": [],
        "adjudication": {"rule": "resign", "scores": [[], ["-100"]]},
    }
    assert verify(played.record, TOE) == []


def test_rules_need_two_seats() -> None:
    with pytest.raises(TournamentError, match="two seats"):
        Referee(make_spec("race", 3, limits=limits(draw=DrawRule(1, 0))), RACE)


def test_chance_follows_only_if_the_match_goes_on() -> None:
    """The verdict falls right after a seat's action, before any dice."""
    referee = Referee(make_spec("odds", limits=limits(resign=ResignRule(1, 1))), ODDS)
    referee.begin()
    legal = referee.state.legal_actions()
    referee.act(ODDS.action_string(legal[0]), -1)
    assert referee.outcome is not None
    assert referee.actions[-1][0] != 0
    assert verify(record_of(referee, ODDS), ODDS) == []


def test_limits_without_rules_are_as_before() -> None:
    spec: MatchSpec = make_spec()
    assert set(msgspec.to_builtins(spec.limits)) == {
        "margin-ms",
        "startup-ms",
        "memory-mb",
        "charge",
        "ponder",
    }
