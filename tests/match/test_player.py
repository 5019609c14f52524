"""A bot between matches: its processor time, and whether it stayed silent."""

from collections.abc import Sequence

import pytest

from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.match.player import LATE, Player, dismiss
from tourney.protocol import Greeting, decode_bot


class Counting(Channel):
    """A bot that only has a processor time."""

    def __init__(self, *times: int | None) -> None:
        self._times = list(times)

    def send(self, data: bytes) -> None:
        """Do nothing."""

    def wait(self, deadline: int) -> Event:
        return Event("timeout", str(deadline))

    def cpu_ms(self) -> int | None:
        return self._times.pop(0)


def test_processor_time_is_that_since_the_last_call() -> None:
    player = Player(Counting(30, 50, None, 45, 60))
    assert [player.cpu_ms() for _ in range(5)] == [30, 20, None, 0, 10]


def test_answer_withheld_is_part_of_the_words_of_a_timeout() -> None:
    class Late(Counting):
        def withheld(self, milliseconds: int) -> str:
            return f"ready\x07 {milliseconds}"

    words = "no answer within 7 ms"
    assert Player(Counting()).fault_words(Event("timeout"), 7_000_000) == words
    said = Player(Late()).fault_words(Event("timeout"), 7_000_000)
    assert said == f"{words}; it wrote ready\ufffd 500 {LATE}"
    assert Player(Late()).fault_words(Event("closed", "exited"), 7_000_000) == "exited"
    assert Player(Late()).fault_words(Event("overflow"), 7_000_000) == "overflow"


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        ("bot", ""),
        ("bot version=2", "2"),
        ("bot author=me", ""),
        ("bot name=Deep\u00a0Thought version=1.5 author=A\u00a0B wants=legal", "Deep Thought 1.5 by A B"),
        (f"bot name={'x' * 3000}", "x" * 100),
    ],
)
def test_identity_is_how_a_bot_introduces_itself(line: str, identity: str) -> None:
    player = Player(ScriptedChannel(""))
    assert player.identity == ""
    greeting = decode_bot(line)
    assert isinstance(greeting, Greeting)
    player.greeting = greeting
    assert player.identity == identity


@pytest.mark.parametrize(
    ("script", "quiet"),
    [("", True), ("< info depth=1", True), ("< move a1", False), ("! closed exit code 0", False)],
)
def test_bot_is_quiet_if_it_said_info_only(script: str, quiet: bool) -> None:
    assert Player(ScriptedChannel(script)).quiet() == quiet


def test_lost_bot_is_not_quiet_and_gets_no_quit() -> None:
    lost, staying = Player(ScriptedChannel("")), Player(channel := ScriptedChannel("> quit"))
    lost.cut()
    players: Sequence[Player] = (lost, staying)
    dismiss(players)
    assert not lost.quiet()
    channel.finish()
    assert channel.closed
