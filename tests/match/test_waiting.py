"""Whole matches on a machine that keeps bots waiting for a processor; no real clock and no real machine."""

from typing import Literal

import pytest

from tests.starved import Machine
from tests.tables import HELLO, TOE, make_spec, notes, outcome
from tourney.bots.channel.scripted import ScriptClock
from tourney.match import timing
from tourney.match.again import OverloadedMatchError
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import PlayedMatch
from tourney.match.spec import Limits

GAME = "> game toe seats=2 seat=* seed=* clock=100 inc=0 misere=no\n"
START = HELLO + GAME + "< ready\n"
END = "> over * * reason=*"
CLOCKS = Limits(move_ms=None, clock_ms=100, margin_ms=0, startup_ms=100)


@pytest.fixture(autouse=True)
def quiet_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the referee itself never wait."""
    monkeypatch.setattr(timing, "own_delay_ns", lambda: 0)


def seated(first: str, second: str, cpu: int = 20, waited: int = 80) -> tuple[Machine, Machine]:
    """Return two bots; the first has a processor for a part of the time only."""
    clock = ScriptClock()
    return Machine(first, cpu, waited, clock=clock), Machine(second, clock=clock)


def play(bots: tuple[Machine, Machine], limits: Limits = CLOCKS) -> PlayedMatch:
    """Play a match."""
    players = [Player(bot) for bot in bots]
    return play_match(make_spec(limits=limits), TOE, players, clock=bots[0].clock)


def test_wait_for_a_processor_costs_no_clock_and_is_counted() -> None:
    """A turn of 301 ms, of which the bot waited 240 after the first, costs 61 ms."""
    bots = seated(
        START + "> go clocks=100,100 inc=0\n+ 301\n< move a1\n> play 1 a1\n" + END,
        START + "> play 1 a1\n> go clocks=39,100 inc=0\n< resign\n" + END,
    )
    played = play(bots)
    assert outcome(played)["faults"] == []
    seat = played.measured["seats"][0]
    assert (seat["wall-ms"], seat["waited-ms"], seat["overloaded-turns"]) == (301, 240, 1)
    assert played.measured["seats"][1]["overloaded-turns"] == 0
    said = "240 of the 301 ms of this turn were spent waiting for a processor and are not charged"
    assert notes(played)[0] == f"0 1 the machine was overloaded: {said}"


def test_start_up_on_a_busy_machine_is_no_fault() -> None:
    """Both its requests take longer than the limit; it waited for most of that time. It is no turn."""
    slow = "> tourney 1\n+ 301\n< bot\n" + GAME + "+ 401\n< ready\n"
    bots = seated(
        slow + "> go clocks=100,100 inc=0\n< move a1\n> play 1 a1\n" + END,
        START + "> play 1 a1\n> go clocks=100,100 inc=0\n< resign\n" + END,
    )
    played = play(bots)
    assert outcome(played)["faults"] == []
    seat = played.measured["seats"][0]
    assert (seat["waited-ms"], seat["overloaded-turns"]) == (240 + 320, 0)
    assert [note.partition(":")[0] for note in notes(played)[:2]] == ["0 1 the machine was overloaded"] * 2


def test_start_up_that_computes_too_long_is_a_fault() -> None:
    played = play(seated("> tourney 1\n+ 100000\n< bot\n", START + END, cpu=50, waited=50))
    assert outcome(played)["faults"] == [[1, "startup", 0]]


def test_charge_cpu_extends_its_limit_on_wall_time() -> None:
    """Of a limit of 30 ms a bot used 25 ms in half a second, although 120 ms are allowed."""
    limits = Limits(move_ms=30, margin_ms=0, charge="cpu")
    start = START.replace("clock=100 inc=0", "move=30")
    bots = seated(
        start + "> go move=30\n+ 500\n< move a1\n> play 1 a1\n" + END,
        start + "> play 1 a1\n> go move=30\n< resign\n" + END,
        *(5, 90),
    )
    played = play(bots, limits)
    assert outcome(played)["faults"] == []
    assert played.measured["seats"][0]["waited-ms"] == 499 * 9 // 10


@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_match_without_a_processor_has_no_result(ponder: Literal["allow", "freeze"]) -> None:
    """The failure names the bot. The other one was frozen meanwhile, even if it may ponder."""
    limits = Limits(move_ms=None, clock_ms=100, margin_ms=0, ponder=ponder)
    bots = seated(START + "> go clocks=100,100 inc=0\n! timeout", START, cpu=0, waited=100)
    with pytest.raises(OverloadedMatchError) as caught:
        play(bots, limits)
    assert caught.value.kept is not None
    assert caught.value.kept.actions == ()
    assert caught.value.bot == "entrant-1"
    assert caught.value.exit_code == 3
    assert bots[1].frozen
