"""What all adapters do alike: lines out of turn, and failures that last until the next request."""

import pytest

from tests.support.addons import needing
from tests.support.piped import Output, Stage
from tourney.bots.channel.interface import Channel, Event, Withheld
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.protocols import PROTOCOLS

LATER = 10**15
ADDED = [needing("chess", "uci"), needing("chess", "xboard"), needing("go", "gtp"), needing("go", "gomocup")]
"""The protocols, with the add-ons that bring them."""


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
    ("protocol", "line"),
    [
        needing("chess", "uci", "bestmove e2e4"),
        needing("go", "gtp", "=5 D4"),
        needing("go", "gomocup", "7,7"),
    ],
)
def test_unasked_answer_is_out_of_turn(protocol: str, line: str) -> None:
    channel, inner = begun(protocol, f"< a word\n< {line}\n")
    assert list(channel.pending()) == [Event("malformed", f"spoke out of turn: {line!r}")]
    inner.finish()


@pytest.mark.addon("go")
def test_failure_lasts_until_the_next_request() -> None:
    channel, inner = begun("gtp", "> 4 genmove B\n< ?4 cannot\n> 5 genmove B\n< =5 D4\n")
    channel.request(b"go\n")
    failed = Event("malformed", "refused genmove B: 'cannot'")
    assert [channel.wait(LATER), channel.wait(LATER)] == [failed, failed]
    channel.request(b"go\n")
    assert channel.wait(LATER) == Event("line", "move B%20d4")
    inner.finish()


@pytest.mark.parametrize(
    ("protocol", "line"),
    [needing("chess", "uci", "quit"), needing("go", "gtp", "quit"), needing("go", "gomocup", "END")],
)
def test_quit_is_the_engines_own_word(protocol: str, line: str) -> None:
    channel, inner = begun(protocol, f"> {line}\n")
    channel.send(b"over 1 2 reason=returns\nquit\n")
    inner.finish()


HANDSHAKES = {
    "uci": (b"id name X\n", b"uciok\n"),
    "gtp": (b"=1 2\n", b"=2 X\n=3 1\n"),
    "gomocup": (b"MESSAGE hello\n", b'name="X"\n'),
    "xboard": (b"feature ping=1\n", b'feature myname="X" done=1\n'),
}
"""The two parts of an engine's answer to the greeting."""


@pytest.mark.parametrize(("after", "in_time"), [(20, True), (99, True), (101, False)])
@pytest.mark.parametrize("protocol", ADDED)
def test_handshake_is_judged_by_when_its_last_line_came(
    protocol: str, after: float, in_time: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee looks at the end of the grace, then at the limit or long after it."""
    first, second = HANDSHAKES[protocol]
    with Stage(monkeypatch) as stage:
        channel = PROTOCOLS.find(protocol).adapt(
            stage.bot(lambda _: [Output(0, first), Output(after, second)])
        )
        grace, limit = stage.clock() + 10**6, stage.clock() + 100 * 10**6
        channel.request(b"tourney 1\n")
        assert channel.wait(grace) == Event("timeout")
        assert in_time or channel.wait(limit) == Event("timeout")
        stage.spend(500)
        assert channel.wait(limit).text.startswith("bot") is in_time


@pytest.mark.addon("go")
@pytest.mark.parametrize("protocol", ADDED)
def test_handshake_that_is_not_flushed_is_named(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a turn it is not: an engine that thinks too long answers once its input ends."""
    first, second = HANDSHAKES[protocol]
    with Stage(monkeypatch) as stage:
        engine = stage.bot(lambda _: [])
        engine.buffered = first + second
        channel = PROTOCOLS.find(protocol).adapt(engine)
        channel.request(b"tourney 1\n")
        assert channel.wait(stage.clock() + 10**6) == Event("timeout")
        assert channel.withheld(500) == Withheld(first.decode().strip(), whole=True, at_end=True)
    channel, _ = begun("gtp", "> 4 genmove B\n! timeout")
    channel.request(b"go\n")
    assert channel.wait(LATER) == Event("timeout")
    assert channel.withheld(500) is None
