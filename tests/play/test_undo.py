"""Kept decisions are replayed without requests; then the bot plays on."""

import pytest

from tourney.bots.channel.base import Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.play.session import Decision, ReplayChannel, decisions_before

FAR = 10**18
HELLO = """
> tourney 1
< bot wants=position,legal
> game toe seats=2 seat=2 seed=1
< ready
"""


def greet(channel: ReplayChannel) -> None:
    for line, answer in ((b"tourney 1\n", "bot"), (b"game toe seats=2 seat=2 seed=1\n", "ready")):
        assert not channel.pending()
        channel.request(line)
        event = channel.wait(FAR)
        assert (event.kind, event.text.split(" ")[0]) == ("line", answer)


def ask(channel: ReplayChannel, *lines: str) -> Event:
    channel.request("".join(f"{line}\n" for line in lines).encode("ascii"))
    return channel.wait(FAR)


def test_bot_receives_kept_actions_without_requests() -> None:
    """It receives no view or legal actions for a kept turn; later turns are normal requests."""
    bot = ScriptedChannel(f"""{HELLO}
> play 1 a
> play 2 b
> play 1 c
> position P
> legal d e
> go move=1
< info thinking
< move d
""")
    noted: list[Event] = []
    channel = ReplayChannel(bot, [Event("line", "move b")], noted.append)
    greet(channel)
    assert ask(channel, "play 1 a", "position X", "legal b c", "go move=1") == Event("line", "move b")
    assert (
        ask(channel, "play 2 b", "play 1 c", "position P", "legal d e", "go move=1").text == "info thinking"
    )
    assert channel.wait(FAR) == Event("line", "move d")
    bot.finish()
    assert [event.text for event in noted] == ["move b", "move d"]


def test_withdrawn_seat_is_not_started_again() -> None:
    """Its answers and its end are kept; the channel makes up the greeting."""
    gone = Event("closed", "exit code 1")
    noted: list[Event] = []
    channel = ReplayChannel(None, [Event("line", "move b"), gone], noted.append)
    greet(channel)
    assert ask(channel, "go") == Event("line", "move b")
    assert ask(channel, "play 1 c", "go") == gone
    channel.send(b"over 1 2\n")
    channel.close(0)
    assert noted == [Event("line", "move b"), gone]


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("> tourney 1\n! closed exit code 3", "closed"),
        ("> tourney 1\n< bot\n> game toe seats=2 seat=2 seed=1\n! timeout", "timeout"),
        ("> tourney 1\n< hello", "malformed"),
    ],
)
def test_failed_restart_is_a_fault_at_the_next_request(script: str, kind: str) -> None:
    """Its kept actions stay valid, and so do the answers to them."""
    noted: list[Event] = []
    channel = ReplayChannel(ScriptedChannel(script), [Event("line", "move b")], noted.append)
    greet(channel)
    assert noted == []
    assert ask(channel, "go") == Event("line", "move b")
    assert ask(channel, "go").kind == kind
    assert [event.kind for event in noted] == ["line", kind]


def test_output_out_of_turn_is_kept_as_a_fault() -> None:
    """It is replayed as a fault, not as a move."""
    noted: list[Event] = []
    bot = ScriptedChannel(f"{HELLO}\n> go\n< move a\n< info late\n< move b")
    channel = ReplayChannel(bot, [], noted.append)
    greet(channel)
    assert ask(channel, "go").text == "move a"
    assert [event.text for event in channel.pending()] == ["info late", "move b"]
    assert [(event.kind, event.text) for event in noted] == [
        ("line", "move a"),
        ("malformed", "spoke out of turn: 'move b'"),
    ]


def test_exit_before_the_first_turn_is_kept() -> None:
    noted: list[Event] = []
    channel = ReplayChannel(ScriptedChannel(f"{HELLO}\n! closed exit code 3"), [], noted.append)
    greet(channel)
    assert [event.kind for event in channel.pending()] == ["closed"]
    assert noted == [Event("closed", "exit code 3")]


def test_failed_start_without_kept_decisions_is_reported_at_once() -> None:
    """It is no decision."""
    noted: list[Event] = []
    channel = ReplayChannel(ScriptedChannel("> tourney 1\n! closed exit code 3"), [], noted.append)
    channel.request(b"tourney 1\n")
    assert channel.wait(FAR) == Event("closed", "exit code 3")
    assert noted == []


def test_undo_drops_all_decisions_from_one_on() -> None:
    decisions = [Decision(seat, Event("line", f"move {k}")) for k, seat in enumerate((1, 2, 3, 1, 2, 3))]
    assert decisions_before(decisions, frozenset({1}), 1) == tuple(decisions[:3])
    assert decisions_before(decisions, frozenset({1}), 2) == ()
    assert decisions_before(decisions, frozenset({1, 3}), 1) == tuple(decisions[:5])
    for count in (0, 3):
        with pytest.raises(ValueError, match="cannot be taken back; there are 2"):
            decisions_before(decisions, frozenset({1}), count)
