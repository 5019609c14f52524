"""The adapter of GTP: exact dialogues, bounded and faulty engines."""

import pytest

from tourney.addons.go.gtp import GtpProtocol
from tourney.bots.channel.interface import Channel
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.protocols import PROTOCOLS
from tourney.errors import BotError

LATER = 10**15
GAME = b"game openspiel:go(board_size=9,komi=6.5) seats=2 seat=1 seed=7 move=2500\n"
BEGUN = """
> 1 boardsize 9
> 2 clear_board
> 3 komi 6.5
> 4 time_settings 0 2 1
< =1
< =2
< =3
< ?4 unknown command
"""


def adapted(script: str) -> tuple[Channel, ScriptedChannel]:
    inner = ScriptedChannel(script)
    return GtpProtocol().configured({}, {}).adapt(inner), inner


def said(channel: Channel, request: bytes) -> str:
    """Put a request and return the answer as ``kind: text``."""
    channel.request(request)
    event = channel.wait(LATER)
    return f"{event.kind}: {event.text}"


def test_two_games_are_played_in_gtp() -> None:
    channel, inner = adapted(
        """
        > 1 protocol_version
        > 2 name
        > 3 version
        < Welcome to an engine
        < =1 2
        < =2 Some Go
        < ?3 unknown command
        > 4 boardsize 9
        > 5 clear_board
        > 6 komi 6.5
        > 7 time_settings 0 2 1
        < =4
        < =5
        < =6
        < =7
        > 8 play B e5
        > 9 play W c3
        > 10 genmove B
        < =8
        < =9
        < thinking ...
        < =10 D4
        > 11 play W PASS
        > 12 genmove B
        < =11
        < =12 pass
        > 13 boardsize 19
        > 14 clear_board
        > 15 komi 7.5
        > 16 time_settings 90 5 1
        < =13
        < =14
        < =15
        < =16
        > 17 play B q16
        > 18 time_left B 89 0
        > 19 time_left W 90 0
        > 20 genmove W
        < =17
        < ?18 unknown command
        < ?19 unknown command
        < =20 resign
        > quit
        """.replace("PASS", "pass")
    )
    assert said(channel, b"tourney 1\n") == "line: bot name=Some\u00a0Go"
    assert said(channel, GAME) == "line: ready"
    opening = b"play 1 B%20e5\nplay 2 W%20c3\n"
    assert said(channel, opening + b"go move=2500\n") == "line: move B%20d4"
    assert said(channel, b"play 1 B%20d4\nplay 2 W%20PASS\ngo move=2500\n") == "line: move B%20PASS"
    channel.send(b"over 1 2 reason=returns\n")
    assert said(channel, b"game openspiel:go seats=2 seat=2 seed=7 clock=90000 inc=5000\n") == "line: ready"
    assert said(channel, b"play 1 B%20q16\ngo clocks=89000,90999 inc=5000\n") == "line: resign"
    channel.send(b"over 1 2 reason=resign\nquit\n")
    inner.finish()


@pytest.mark.parametrize(
    ("answer", "event"),
    [
        ("< =5 Z9", "line: move B%20z9"),
        ("< =5 D04 # joseki", "line: move B%20d4"),
        ("< =5 I9", "malformed: genmove needs a vertex, pass or resign, not 'i9'"),
        ("< =5", "malformed: genmove needs a vertex, pass or resign, not ''"),
        ("< ?5 cannot", "malformed: refused genmove B: 'cannot'"),
        ("< =4 D4", "malformed: answered '=4 D4' to command 5, genmove B"),
        ("< = D4\n! timeout", "timeout: "),
        ("< garbage\n! closed exit code 1", "closed: exit code 1"),
        ("! overflow too much", "overflow: too much"),
    ],
)
def test_faults_of_an_engine_are_events(answer: str, event: str) -> None:
    channel, inner = adapted(f"{BEGUN}> 5 genmove B\n{answer}")
    said(channel, GAME)
    assert said(channel, b"go move=2500\n") == event
    inner.finish()


def test_engine_without_numbers_answers_in_order() -> None:
    """Many engines of one file print no numbers, as GoGui needs none."""
    script = BEGUN.replace("=1", "=").replace("=2", "= ").replace("=3", "=").replace("?4", "?")
    channel, inner = adapted(
        "> 1 protocol_version\n> 2 name\n> 3 version\n< = 2\n< =\n< ? unknown\n"
        + script.replace("> 1", "> 4").replace("> 2", "> 5").replace("> 3", "> 6").replace("> 4 t", "> 7 t")
        + "> 8 genmove B\n< * genmove for black\n< = Q16\n"
    )
    assert said(channel, b"tourney 1\n") == "line: bot"
    assert said(channel, GAME) == "line: ready"
    assert said(channel, b"go move=2500\n") == "line: move B%20q16"
    inner.finish()


def test_refused_board_is_a_fault() -> None:
    channel, inner = adapted("> 1 boardsize 9\n> 2 clear_board\n> 3 komi 6.5\n< ?1 unacceptable size\n")
    game = GAME.replace(b" move=2500", b"")
    assert said(channel, game) == "malformed: refused boardsize 9: 'unacceptable size'"
    assert channel.wait(LATER).kind == "malformed"
    inner.finish()


def test_refused_stone_is_a_fault() -> None:
    channel, inner = adapted(f"{BEGUN}> 5 play W d4\n> 6 genmove B\n< ?5 illegal move\n")
    said(channel, GAME)
    assert said(channel, b"play 2 W%20d4\ngo move=2500\n") == "malformed: refused play W d4: 'illegal move'"
    inner.finish()


@pytest.mark.parametrize(
    "game", ["sages-tafl", "openspiel:gomoku", "openspiel:go(handicap=2)", "openspiel:go(board_size=9"]
)
def test_other_games_are_a_fault(game: str) -> None:
    channel, inner = adapted("")
    event = said(channel, f"game {game} seats=2 seat=1 seed=7\n".encode())
    assert event == f"malformed: GTP is for openspiel:go without handicap, not {game}"
    inner.finish()


def test_protocol_has_no_settings() -> None:
    with pytest.raises(BotError, match="the protocol gtp has no such settings"):
        PROTOCOLS.find("gtp").configured({}, {"depth": 3})
