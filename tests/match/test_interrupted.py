"""Matches of scripted bots that are played again after a bot was killed."""

import pytest

from tests.support.tables import GAMES, HELLO, make_spec, notes, outcome
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.match.interrupted import FIRST_PLAY, DeviatedError, KeptPlay, KilledError, Resumption
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import LogLine, PlayedMatch
from tourney.match.spec import Limits, ResignRule
from tourney.match.verify import verify

START = HELLO + "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"
ONE = START + "> go\n< move b2\n> play 1 b2\n"
KILLED = START + "> play 1 b2\n> go\n"
KEPT = KeptPlay(actions=((1, "b2"),), times=((0, 5_000_000),), log=(LogLine(0, 1, "info", "centre"),))


def play(*scripts: str, again: Resumption = FIRST_PLAY, limits: Limits | None = None) -> PlayedMatch:
    clock = ScriptClock()
    channels = [ScriptedChannel(script, clock=clock) for script in scripts]
    spec = make_spec() if limits is None else make_spec(limits=limits)
    players = [Player(channel) for channel in channels]
    played = play_match(spec, GAMES["toe"], players, clock=clock, again=again)
    for channel in channels:
        channel.finish()
    return played


@pytest.mark.parametrize(("event", "alone"), [("killed", False), ("lost", True)])
def test_killed_bot_gives_no_result(event: str, alone: bool) -> None:
    with pytest.raises(KilledError, match="entrant-2 was killed by SIGKILL") as caught:
        play(ONE, f"{KILLED}! {event} killed by SIGKILL")
    assert (caught.value.seat, caught.value.alone) == (2, alone)
    assert caught.value.kept is not None
    assert caught.value.kept.actions == ((1, "b2"),)


def test_nothing_is_kept_of_a_start() -> None:
    with pytest.raises(KilledError) as caught:
        play(HELLO + "> game toe seats=2 seat=* seed=* misere=no\n! killed", START)
    assert caught.value.kept is None


def test_judged_bot_that_is_killed_has_crashed() -> None:
    again = Resumption(frozenset({2}))
    played = play(ONE + "> over 1 2 reason=fault", f"{KILLED}! killed by SIGKILL", again=again)
    assert outcome(played) == {"ranks": [1, 2], "reason": "fault", "faults": [[2, "crash", 1]]}
    assert played.measured.reproducible is False


def test_lost_sandbox_is_never_a_crash() -> None:
    with pytest.raises(KilledError):
        play(ONE, f"{KILLED}! lost", again=Resumption(frozenset({1, 2})))


def test_repeated_match_is_played_to_its_end() -> None:
    played = play(
        ONE + "> play 2 a1\n> go\n< resign\n> over 2 1 reason=resign",
        KILLED + "< move a1\n> play 2 a1\n> over 2 1 reason=resign",
        again=Resumption(kept=KEPT),
    )
    assert outcome(played)["faults"] == []
    assert played.record.actions[:1] == ((1, "b2"),)


@pytest.mark.parametrize("answer", ["< move a1", "< resign", "! closed", "< move zz"])
def test_match_that_departs_from_the_play_before_is_stopped(answer: str) -> None:
    """Another action, a resignation and a fault: each would be a second chance."""
    with pytest.raises(DeviatedError):
        play(START + f"> go\n{answer}", START, again=Resumption(kept=KEPT))


def test_match_goes_on_from_what_is_kept() -> None:
    """The bots hear of the actions with their next requests; none is asked for again."""
    played = play(
        START + "> play 1 b2\n> play 2 a1\n> go\n< resign\n> over 2 1 reason=resign",
        KILLED + "< move a1\n> play 2 a1\n> over 2 1 reason=resign",
        again=Resumption(kept=KEPT, mode="continue"),
    )
    assert played.record.actions == ((1, "b2"), (2, "a1"))
    assert verify(played.record, GAMES["toe"]) == []
    assert played.log[0] == LogLine(0, 1, "info", "centre")
    assert notes(played)[0].startswith("1 0 a bot was killed here")
    assert played.measured.times_ms[0] == 5


def test_scores_go_on_from_what_is_kept() -> None:
    """A killed bot loses no score that counts towards its loss, and gains none."""
    limits = Limits(move_ms=None, margin_ms=0, resign=ResignRule(2, 100))
    with pytest.raises(KilledError) as caught:
        play(
            START + "> go\n< info score=-1\n< move b2\n> play 1 b2\n> play 2 a1\n> go\n! killed",
            START + "> play 1 b2\n> go\n< info score=9\n< move a1\n",
            limits=limits,
        )
    kept = caught.value.kept
    assert kept is not None
    assert kept.scores == ((0, -100), (1, 900))
    end = "> over 2 1 reason=adjudication"
    played = play(
        f"{START}> play 1 b2\n> play 2 a1\n> go\n< info score=-2\n< move c3\n> play 1 c3\n{end}",
        f"{START}> play 1 b2\n> play 2 a1\n> play 1 c3\n{end}",
        again=Resumption(kept=kept, mode="continue"),
        limits=limits,
    )
    assert outcome(played)["adjudication"] == {"rule": "resign", "scores": [["-100", "-200"], []]}


def test_clocks_go_on_from_what_is_kept() -> None:
    limits = Limits(move_ms=None, clock_ms=1000, margin_ms=0)
    kept = KeptPlay(actions=((1, "b2"),), clocks=(400_000_000, 900_000_000))
    begin = HELLO + "> game toe seats=2 seat=* seed=* clock=1000 inc=0 misere=no\n< ready\n"
    played = play(
        begin + "> play 1 b2\n> over 1 2 reason=resign",
        begin + "> play 1 b2\n> go clocks=400,900 inc=0\n< resign\n> over 1 2 reason=resign",
        again=Resumption(kept=kept, mode="continue"),
        limits=limits,
    )
    assert outcome(played)["reason"] == "resign"


def test_bot_that_does_not_start_again_is_judged_at_its_turn() -> None:
    played = play(
        HELLO + "> game toe seats=2 seat=* seed=* misere=no\n! closed exited with code 1",
        KILLED + "< move a1\n> play 2 a1\n> over 2 1 reason=fault",
        again=Resumption(kept=KEPT, mode="continue"),
    )
    assert outcome(played) == {"ranks": [2, 1], "reason": "fault", "faults": [[1, "crash", 2]]}
    assert verify(played.record, GAMES["toe"]) == []


def test_longer_play_is_kept() -> None:
    """A bot killed earlier in the second play does not take back what came later in the first."""
    longer = KeptPlay(actions=((1, "b2"), (2, "a1")))
    with pytest.raises(KilledError) as caught:
        play(START + "> go\n! killed", START, again=Resumption(kept=longer))
    assert caught.value.kept is longer
