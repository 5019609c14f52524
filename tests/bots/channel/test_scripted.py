"""A scripted channel asserts the exact dialogue."""

import pytest

from tests.support.tables import HELLO, make_spec, play_scripts
from tourney.bots.channel.interface import Event
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel


@pytest.mark.parametrize("drift", ["> game toe seats=2 seat=1 seed=1 misere=no", "> go", ""])
def test_scripted_channel_refuses_another_dialogue(drift: str) -> None:
    """A referee that leaves the script raises AssertionError; it does not lose the game."""
    with pytest.raises(AssertionError, match="seat 1, step"):
        play_scripts(make_spec(), HELLO + drift, HELLO)


@pytest.mark.parametrize(("after", "heard"), [(99, True), (100, True), (101, False)])
@pytest.mark.parametrize("late", [0, 50, 5_000])
def test_line_comes_when_the_script_says_however_late_the_wait(after: int, heard: bool, late: int) -> None:
    """The pause counts from the request, and a wait that comes later finds what came by its deadline."""
    clock = ScriptClock()
    bot = ScriptedChannel(f"> go\n+ {after}\n< move a1", clock=clock)
    bot.send(b"go\n")
    deadline = clock() + 100 * 10**6
    clock.advance(late)
    assert bot.wait(deadline) == (Event("line", "move a1") if heard else Event("timeout"))
    if not heard:
        assert bot.wait(deadline + 10**6) == Event("line", "move a1")


def test_scripts_with_one_clock_compute_at_the_same_time() -> None:
    clock = ScriptClock()
    bots = [ScriptedChannel("> go\n+ 30\n2 thinking\n+ 10\n< move a1", clock=clock) for _ in range(2)]
    for bot in bots:
        bot.send(b"go\n")
    begin = clock()
    assert [bot.wait(begin + 40 * 10**6).text for bot in bots] == ["move a1"] * 2
    assert clock() - begin == 40 * 10**6
    assert bots[1].stderr() == ["thinking"]
