"""A bot between matches: its processor time, and whether it stayed silent."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tourney.bots.channel.interface import Channel, Event, Withheld, cut_line
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import start_process
from tourney.match.player import FLUSH, Player, dismiss
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


READ = "read each line as it comes, or answer sooner"


@pytest.mark.parametrize(
    ("withheld", "words"),
    [
        (None, ""),
        (
            Withheld("ready\x07", whole=True, at_end=True),
            f"; 'ready\\x07' came only once its input ended: {FLUSH}, {READ}",
        ),
        (
            Withheld("bot", whole=False, at_end=True),
            f"; 'bot' came only once its input ended, without a newline: {FLUSH}",
        ),
        (Withheld("bot", whole=False, at_end=False), f"; 'bot' came without a newline: {FLUSH}"),
        (Withheld("> bot", whole=True, at_end=False), "; its line '> bot' was not understood"),
    ],
)
def test_words_of_a_time_out_name_withheld_output(withheld: Withheld | None, words: str) -> None:
    """They fit into a line of ``bots check``, and only a time-out has them."""

    class Late(Counting):
        def withheld(self, milliseconds: int) -> Withheld | None:
            assert milliseconds == 500
            return withheld

    said = Player(Late()).fault_words(Event("timeout"), 7_000_000)
    assert said == f"no answer within 7 ms{words}"
    assert cut_line(said) == said
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


def test_bot_that_hangs_at_quit_takes_no_time_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first exits only after the second, which waits for the end of its input and then leaves a file."""
    monkeypatch.setattr("tourney.match.player.QUIT_SECONDS", 60)
    channels = []
    for script in ("while [ ! -e last ]; do sleep 0.01; done", "cat >/dev/null; echo done >last"):
        process, pipes = start_process(["/bin/sh", "-c", script], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})
        channels.append(ProcessChannel(BotProcesses(process), pipes))
    dismiss([Player(channel) for channel in channels])
    assert (tmp_path / "last").read_text("ascii") == "done\n"
    assert [channel._group.returncode for channel in channels] == [0, 0]


def test_lost_bot_is_not_quiet_and_gets_no_quit() -> None:
    lost, staying = Player(ScriptedChannel("")), Player(channel := ScriptedChannel("> quit"))
    lost.cut()
    players: Sequence[Player] = (lost, staying)
    dismiss(players)
    assert not lost.quiet()
    channel.finish()
    assert channel.closed
