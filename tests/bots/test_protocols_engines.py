"""What all adapters do alike: lines out of turn, and failures that last until the next request."""

import pytest

from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.protocols import PROTOCOLS

LATER = 10**15
GAMES = {
    "uci": ("game chess seats=2 seat=1 seed=7\n", "> ucinewgame\n> isready\n< readyok\n"),
    "gtp": ("game openspiel:go seats=2 seat=1 seed=7\n", "> 1 boardsize 19\n> 2 clear_board\n> 3 komi 7.5\n"),
    "gomocup": (
        "game openspiel:gomoku seats=2 seat=1 seed=7\n",
        "> INFO game_type 1\n> INFO rule 0\n> INFO timeout_turn 0\n> START 15\n< OK\n",
    ),
}
GTP_READY = "< =1\n< =2\n< =3\n"


def begun(protocol: str, more: str) -> tuple[Channel, ScriptedChannel]:
    """A channel in whose dialogue a game has begun, and then ``more`` follows."""
    request, script = GAMES[protocol]
    inner = ScriptedChannel(script + (GTP_READY if protocol == "gtp" else "") + more)
    channel = PROTOCOLS.find(protocol).adapt(inner)
    channel.request(request.encode())
    assert channel.wait(LATER) == Event("line", "ready")
    return channel, inner


@pytest.mark.parametrize(
    ("protocol", "line"), [("uci", "bestmove e2e4"), ("gtp", "=5 D4"), ("gomocup", "7,7")]
)
def test_unasked_answer_is_out_of_turn(protocol: str, line: str) -> None:
    channel, inner = begun(protocol, f"< a word\n< {line}\n")
    assert list(channel.pending()) == [Event("malformed", f"spoke out of turn: {line!r}")]
    inner.finish()


def test_failure_lasts_until_the_next_request() -> None:
    channel, inner = begun("gtp", "> 4 genmove B\n< ?4 cannot\n> 5 genmove B\n< =5 D4\n")
    channel.request(b"go\n")
    failed = Event("malformed", "refused genmove B: 'cannot'")
    assert [channel.wait(LATER), channel.wait(LATER)] == [failed, failed]
    channel.request(b"go\n")
    assert channel.wait(LATER) == Event("line", "move B%20d4")
    inner.finish()


@pytest.mark.parametrize(("protocol", "line"), [("uci", "quit"), ("gtp", "quit"), ("gomocup", "END")])
def test_quit_is_the_engines_own_word(protocol: str, line: str) -> None:
    channel, inner = begun(protocol, f"> {line}\n")
    channel.send(b"over 1 2 reason=returns\nquit\n")
    inner.finish()
