"""Seats that follow a record."""

from tourney.bots.channel.interface import Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.match.guided_channel import FollowedRecord, GuidedChannel

FAR = 10**18


def guided(script: str, guide: FollowedRecord) -> tuple[GuidedChannel, ScriptedChannel]:
    inner = ScriptedChannel(script)
    return GuidedChannel(inner, guide), inner


def answers(channel: GuidedChannel, data: bytes) -> list[str]:
    """What the referee hears until an action or a resignation."""
    channel.request(data)
    found: list[str] = []
    while not found or found[-1].startswith("info"):
        event = channel.wait(FAR)
        assert event.kind == "line"
        found.append(event.text)
    return found


def test_recorded_action_is_played_and_the_bots_own_reported() -> None:
    channel, inner = guided(
        """
        > tourney 1
        < bot
        > game g
        < ready
        > go
        < info score=0.1 depth=1
        < info score=0.2 pv=b,c
        < info thinking
        < move b
        > play 1 a
        > play 2 x
        > go
        < resign
        """,
        FollowedRecord(("a", "x", "c")),
    )
    assert answers(channel, b"tourney 1\n") == ["bot"]
    assert answers(channel, b"game g\n") == ["ready"]
    assert answers(channel, b"go\n") == ["info chosen=b score=0.2 pv=b,c", "move a"]
    assert answers(channel, b"play 1 a\nplay 2 x\ngo\n") == ["info chosen=resign", "move c"]
    inner.finish()


def test_bot_is_asked_once_more_behind_the_record_and_the_seat_resigns() -> None:
    channel, inner = guided("> play 1 a\n> go\n< info win=0.4\n< move z", FollowedRecord(("a",)))
    assert answers(channel, b"play 1 a\ngo\n") == ["info chosen=z win=0.4", "resign"]
    inner.finish()


def test_turns_before_first_are_answered_without_the_bot() -> None:
    """It gets the actions with the first request that is put to it, without the lines of earlier turns."""
    channel, inner = guided(
        """
        > play 1 a
        > play 2 ?
        > reveal 2 b
        > play 1 c
        > position p
        > legal d e
        > go
        < move e
        """,
        FollowedRecord(("a", "b", "c", "d"), first=3),
    )
    assert answers(channel, b"position o\nlegal a b\ngo move=5\n") == ["move a"]
    assert answers(channel, b"play 1 a\nplay 2 ?\nreveal 2 b\nlegal c\ngo\n") == ["move c"]
    assert answers(channel, b"play 1 c\nposition p\nlegal d e\ngo\n") == ["info chosen=e", "move d"]
    inner.finish()


def test_live_seat_plays_on_by_itself() -> None:
    channel, inner = guided(
        "> go\n< move b\n> play 1 a\n> go\n< info score=0.5\n< info deep\n< move y",
        FollowedRecord(("a",), live=True),
    )
    assert answers(channel, b"go\n") == ["info chosen=b", "move a"]
    assert answers(channel, b"play 1 a\ngo\n") == ["info score=0.5", "info deep", "move y"]
    inner.finish()


def test_end_of_bot_is_passed_on() -> None:
    channel, _ = guided("> go\n! closed exit code 1", FollowedRecord(("a",)))
    assert channel.ask(b"go\n", FAR) == Event("closed", "exit code 1")
