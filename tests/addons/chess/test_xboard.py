"""The adapter of xboard's protocol: exact dialogues and faults."""

import pytest

from tourney.addons.chess.xboard import XboardProtocol
from tourney.bots.channel.interface import Channel
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.errors import BotError

LATER = 10**15
GREETING = """
> xboard
> protover 2
< Some Engine 1.0
< feature myname="Some = Engine" done=0
> accepted myname
> accepted done
< feature ping=1 san=1{more} done=1
> accepted ping
> rejected san
{answers}> accepted done
"""
READY = """
> new
> force
> easy
> post
> st 1
> ping 1
< pong 1
"""


def begun(
    script: str, more: str = "", *, seat: int = 1, depth: int | None = None
) -> tuple[Channel, ScriptedChannel]:
    """A channel in whose dialogue a game has begun, and then ``script`` follows."""
    words = more.split()
    answers = "".join(f"> accepted {word.partition('=')[0]}\n" for word in words)
    ready = READY.replace("> ping", f"> sd {depth}\n> ping") if depth else READY
    greeting = GREETING.format(more="".join(f" {word}" for word in words), answers=answers)
    inner = ScriptedChannel(greeting + ready + script)
    protocol = XboardProtocol().configured({}, {} if depth is None else {"depth": depth})
    channel = protocol.adapt(inner)
    assert said(channel, b"tourney 1\n") == "line: bot name=Some\u00a0=\u00a0Engine"
    assert said(channel, b"game chess seats=2 seat=%d seed=7 move=1000\n" % seat) == "line: ready"
    return channel, inner


def said(channel: Channel, request: bytes) -> str:
    channel.request(request)
    event = channel.wait(LATER)
    return f"{event.kind}: {event.text}"


def test_game_is_played_in_force_mode() -> None:
    """The engine gets its opponent's moves, never its own; thoughts are in pawns."""
    channel, inner = begun(
        """
        > go
        < 1 15 0 3 e2e4
        < 9. -31 120 5000 e2e4 e7e5
        < move e2e4
        > force
        > usermove e7e5
        > time 90
        > otim 95
        > go
        < 5 100003 2 17 h5f7
        < move h5f7
        > force
        > quit
        """,
        "usermove=1",
    )
    assert said(channel, b"go move=1000\n") == "line: info score=-0.31 win=0.456 depth=9 nodes=5000"
    assert channel.wait(LATER).text == "move e2e4"
    answer = said(channel, b"play 1 e2e4\nplay 2 e7e5\ngo clocks=900,950 inc=5\n")
    assert answer == "line: info score=997 mate=3 depth=5 nodes=17"
    assert channel.wait(LATER).text == "move h5f7"
    channel.send(b"over 1 2 reason=checkmate\nquit\n")
    inner.finish()


def test_second_seat_gets_a_position_and_plain_moves() -> None:
    channel, inner = begun(
        """
        > setboard k7/8/KQ6/8/8/8/8/8 w - - 0 1
        > b6b1
        > go
        < 0-1 {Black mates}
        < move a8a7
        > force
        """,
        "setboard=1",
        seat=2,
        depth=3,
    )
    line = b"play 0 =k7/8/KQ6/8/8/8/8/8_w_-_-_0_1\nplay 1 b6b1\ngo\n"
    assert said(channel, line) == "line: move a8a7"
    inner.finish()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("< resign", "line: resign"),
        ("< resign { refuses own move }", "line: resign"),
        ("< move O-O-O\n> force", "line: move e1c1"),
        ("< 0-1 {White resigns}", "line: resign"),
        ("< 1-0 {White mates}\n< move e2e4\n> force", "line: move e2e4"),
        (
            "< Illegal move: e7e5",
            "malformed: refused its opponent's move or the position: 'Illegal move: e7e5'",
        ),
    ],
)
def test_claims_and_refusals(lines: str, answer: str) -> None:
    """Only a claim of its own defeat counts, as a resignation."""
    channel, inner = begun(f"> go\n{lines}\n")
    assert said(channel, b"go\n") == answer
    inner.finish()


def test_position_needs_the_feature() -> None:
    channel, inner = begun("")
    assert "no feature setboard=1" in said(channel, b"play 0 =k7/8/KQ6/8/8/8/8/8_w_-_-_0_1\ngo\n")
    inner.finish()


def test_engine_without_ping_and_other_games_are_refused() -> None:
    inner = ScriptedChannel("> xboard\n> protover 2\n< feature done=1\n> accepted done\n")
    assert "no feature ping=1" in said(XboardProtocol().adapt(inner), b"tourney 1\n")
    channel = XboardProtocol().adapt(ScriptedChannel(""))
    assert "for chess, not cyvasse" in said(channel, b"game cyvasse seats=2 seat=1 seed=7\n")


def test_clock_is_in_minutes_and_whole_seconds() -> None:
    inner = ScriptedChannel("> new\n> force\n> easy\n> post\n> level 0 1:30 2\n> ping 1\n< pong 1\n")
    channel = XboardProtocol().adapt(inner)
    line = b"game chess seats=2 seat=1 seed=7 clock=90000 inc=2500\n"
    assert said(channel, line) == "line: ready"
    inner.finish()


def test_settings_are_of_go_depth_alone() -> None:
    with pytest.raises(BotError, match="no options, and of go only depth"):
        XboardProtocol().configured({"Hash": 1}, {})
    with pytest.raises(BotError, match="only depth"):
        XboardProtocol().configured({}, {"nodes": 5})
